package suites

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"golang.org/x/crypto/blake2b"

	"github.com/stmverify/stmverify/benches"
	"github.com/stmverify/stmverify/certificate"
	"github.com/stmverify/stmverify/internal/bls12381"
	"github.com/stmverify/stmverify/internal/bls12381/gnark"
	"github.com/stmverify/stmverify/merkle"
	"github.com/stmverify/stmverify/stm"
)

// curveLibrary is one backend's part in a verification.
type curveLibrary struct {
	name     string
	decodeG1 func(*bls12381.G1, *[bls12381.G1Size]byte) bls12381.Status
	decodeG2 func(*bls12381.G2, *[bls12381.G2Size]byte) bls12381.Status
	hashToG1 func(*bls12381.G1, []byte)
	// pairing returns functions that do the Miller loops of the pairs, and the
	// final exponentiation of their product.
	pairing func(p []bls12381.G1, q []bls12381.G2) (miller, final func())
}

func gnarkLibrary() curveLibrary {
	return curveLibrary{"gnark", gnark.DecodeG1, gnark.DecodeG2, gnark.HashToG1, func(p []bls12381.G1, q []bls12381.G2) (miller, final func()) {
		f := gnark.MillerLoop(p, q)
		return func() { gnark.MillerLoop(p, q) }, func() { gnark.FinalExpIsOne(&f) }
	}}
}

// stageInput is the data of one certificate, taken apart.
type stageInput struct {
	json          []byte
	cert          *certificate.Certificate
	sigmas        [][bls12381.G1Size]byte
	keyBytes      [][bls12381.G2Size]byte
	stakes        []uint64
	indexes       [][]uint64
	points        []bls12381.G1
	keys          []bls12381.G2
	coefficients  []bls12381.Coefficient
	leaves        []merkle.Hash
	root          merkle.Hash
	path          *merkle.BatchPath
	registered    uint64
	message       []byte
	hash, negated bls12381.G1
}

// stage is one part of the verification of a certificate.
type stage struct {
	name string
	op   func(in *stageInput, lib *curveLibrary) func() error
}

// stagesOf lists the stages of verifying one certificate by itself.
func stagesOf() []stage {
	return []stage{
		{"stage=certificate-hash", func(in *stageInput, _ *curveLibrary) func() error {
			return func() error { _, err := in.cert.ComputeHash(); return err }
		}},
		{"stage=decode-points", decodePoints},
		{"stage=lottery", func(in *stageInput, _ *curveLibrary) func() error { return in.playLotteries }},
		{"stage=merkle", func(in *stageInput, _ *curveLibrary) func() error {
			return func() error {
				for i := range in.leaves {
					in.leaves[i] = merkle.LeafHash(&in.keyBytes[i], in.stakes[i])
				}
				return in.path.Verify(&in.root, in.registered, in.leaves)
			}
		}},
		{"stage=hash-to-curve", func(in *stageInput, lib *curveLibrary) func() error {
			return func() error { lib.hashToG1(&in.hash, in.message); return nil }
		}},
		{"stage=combine-g1", func(in *stageInput, _ *curveLibrary) func() error {
			var sum bls12381.G1
			return func() error { bls12381.MultiExpG1(&sum, in.points, in.coefficients); return nil }
		}},
		{"stage=combine-g2", func(in *stageInput, _ *curveLibrary) func() error {
			var sum bls12381.G2
			return func() error { bls12381.MultiExpG2(&sum, in.keys, in.coefficients); return nil }
		}},
		{"stage=miller-loops", func(in *stageInput, lib *curveLibrary) func() error {
			miller, _ := lib.pairing(in.pairs())
			return func() error { miller(); return nil }
		}},
		{"stage=final-exponentiation", func(in *stageInput, lib *curveLibrary) func() error {
			_, final := lib.pairing(in.pairs())
			return func() error { final(); return nil }
		}},
	}
}

// pairs are those of a certificate verified alone: two.
func (in *stageInput) pairs() ([]bls12381.G1, []bls12381.G2) {
	return []bls12381.G1{in.hash, in.negated}, []bls12381.G2{in.keys[0], bls12381.GeneratorG2()}
}

var errStage = errors.New("suites: a stage refuses what the whole accepts")

func decodePoints(in *stageInput, lib *curveLibrary) func() error {
	var p bls12381.G1
	var q bls12381.G2
	return func() error {
		for i := range in.sigmas {
			if lib.decodeG1(&p, &in.sigmas[i]) != bls12381.OK || lib.decodeG2(&q, &in.keyBytes[i]) != bls12381.OK {
				return errStage
			}
		}
		return nil
	}
}

// playLotteries does what a proof's check does: one threshold a signer, one
// hash an index.
func (in *stageInput) playLotteries() error {
	p := in.cert.Metadata.Parameters
	lottery, err := stm.NewLottery(p.PhiF, in.cert.AVK.TotalStake)
	if err != nil {
		return err
	}
	buf := make([]byte, 0, 192)
	for i, indexes := range in.indexes {
		t, err := lottery.Threshold(in.stakes[i])
		if err != nil {
			return err
		}
		for _, index := range indexes {
			buf = appendLottery(buf[:0], in.message, index, in.sigmas[i][:])
			ev := blake2b.Sum512(buf)
			if !t.Wins(&ev) {
				return errStage
			}
		}
	}
	return nil
}

// stages measures every stage alone, on the data of one certificate of each
// shape, with both backends.
func stages() []*benches.Benchmark {
	var out []*benches.Benchmark
	for _, s := range chainShapeNames {
		for _, lib := range curveLibraries() {
			for _, st := range stagesOf() {
				out = append(out, &benches.Benchmark{
					Group: "stages/" + s + "/backend=" + lib.name, Function: st.name, Kind: benches.Breakdown,
					Setup: func(ctx context.Context, env *benches.Env) (*benches.Op, error) {
						in, err := newStageInput(ctx, env, s)
						if err != nil {
							return nil, err
						}
						return &benches.Op{Run: st.op(in, &lib)}, nil
					},
				})
			}
		}
	}
	return append(out, decoding()...)
}

// decoding measures what has no part of its own: a certificate from JSON text
// to validated points, which includes decode-points.
func decoding() []*benches.Benchmark {
	var out []*benches.Benchmark
	for _, s := range chainShapeNames {
		out = append(out, &benches.Benchmark{
			Group: "decode/certificate", Function: s, Elements: 1, Unit: "certificates",
			Setup: func(ctx context.Context, env *benches.Env) (*benches.Op, error) {
				in, err := newStageInput(ctx, env, s)
				if err != nil {
					return nil, err
				}
				return &benches.Op{Run: func() error { _, err := certificate.Decode(in.json); return err }}, nil
			},
		})
	}
	return out
}

// newStageInput takes the first certificate after genesis apart. Its Merkle
// path is that of a tree of the same size: the registration is not part of a
// certificate.
func newStageInput(ctx context.Context, env *benches.Env, name string) (*stageInput, error) {
	c, err := chainOf(ctx, env, name, 4)
	if err != nil {
		return nil, err
	}
	in := &stageInput{json: c.Certificates[2]}
	if in.cert, err = certificate.Decode(in.json); err != nil {
		return nil, err
	}
	proof := in.cert.MultiSignature
	in.message = in.cert.AVK.SignedMessage([]byte(in.cert.SignedMessage))
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range proof.Len() {
		key, stake, _ := proof.Party(i)
		in.sigmas = append(in.sigmas, proof.Signature(i).Bytes())
		in.keyBytes = append(in.keyBytes, key.Bytes())
		in.stakes = append(in.stakes, stake)
		in.indexes = append(in.indexes, proof.Indexes(i))
		in.coefficients = append(in.coefficients, bls12381.Coefficient{A0: rng.Uint64(), A1: rng.Uint64()})
		var p bls12381.G1
		var q bls12381.G2
		if gnark.DecodeG1(&p, &in.sigmas[i]) != bls12381.OK || gnark.DecodeG2(&q, &in.keyBytes[i]) != bls12381.OK {
			return nil, fmt.Errorf("%w: signature %d", errStage, i)
		}
		in.points, in.keys = append(in.points, p), append(in.keys, q)
	}
	gnark.HashToG1(&in.hash, in.message)
	in.negated.Neg(&in.points[0])
	return in, in.plant(in.cert.AVK.NrLeaves)
}

// plant builds a tree of n leaves that holds the signers.
func (in *stageInput) plant(n uint64) error {
	signers := len(in.keys)
	leaves := make([]merkle.Hash, n)
	indices := make([]uint64, signers)
	for i := range leaves {
		leaves[i] = merkle.Hash(blake2b.Sum256(fmt.Appendf(nil, "leaf %d", i)))
	}
	for i := range indices { // spread over the tree
		indices[i] = uint64(i) * n / uint64(signers)
		leaves[indices[i]] = merkle.LeafHash(&in.keyBytes[i], in.stakes[i])
	}
	tree, err := merkle.NewTree(leaves)
	if err != nil {
		return err
	}
	in.root, in.registered, in.leaves = tree.Root(), n, make([]merkle.Hash, signers)
	in.path, err = tree.Path(indices)
	return err
}
