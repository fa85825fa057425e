// Package bls12381 does BLS12-381 arithmetic in eight independent lanes with AVX-512
// IFMA: decompression of points with subgroup checks ([Decoder]), sums and products
// ([Multiplier]), affine coordinates ([Normalizer]), hashing to G1 ([Hasher]) and Miller
// loops ([Miller]).
//
// Points have 64-bit words in Montgomery form with radix 2^384, below p: affine x, y and
// Jacobian X, Y, Z, over Fp2 the real coordinate first. That is the memory layout of the
// points of blst and of gnark-crypto.
//
// A caller asks lanes.Enabled first. On other processors the assembly faults, and in
// builds without it every function panics: the package has no fallback of its own.
// Whatever the lanes cannot decide is handed back to be done by an ordinary backend,
// which also gives the exact error.
//
// Times depend on the inputs, which are public. README.md of the parent directory has
// the representation and the bounds.
package bls12381

//go:generate sh -c "cd ../gen && go run ./bls12381 -out ../bls12381"
