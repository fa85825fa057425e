// Package merkle commits to the registered parties of an epoch and proves membership of many of them at once.
//
// The tree is the Blake2b-256 tree of the Rust reference (SPEC 4.2). A leaf is the hash of a party's verification key
// and stake, see [LeafHash]; an inner node is the hash of its two children; a leaf position without a party holds the
// hash of one zero byte. A leaf preimage has 104 bytes and a node preimage 64, so that neither can stand for the other.
//
// [Tree] is the side of a prover that knows every party. [BatchPath] is what travels in a multi-signature: the hashes
// that, together with the leaves of the signers, lead to the root. The Rust reference calls it MerkleBatchPath.
//
// The package knows nothing of keys and signatures: whether a leaf belongs to a valid key is for the caller to check.
// Inputs are public and running times depend on them. Nothing here is mutable after construction; every method may be
// called concurrently.
package merkle
