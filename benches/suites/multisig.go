package suites

import (
	"context"
	"encoding/hex"
	"fmt"
	"math/big"

	"github.com/stmverify/stmverify/benches"
	"github.com/stmverify/stmverify/multisig"
)

// The reference's MultiSig benchmark aggregates 300 signatures under 300 keys
// into one key and one signature per message, outside of the timed part, and
// times the check of n such pairs.
const multiSigSigners = 300

var multiSigBatches = []int{1, 10, 20, 50, 100}

// order is r, the order of the groups.
var order, _ = new(big.Int).SetString("73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001", 16)

// pairInput is a message with one key and one signature.
type pairInput struct {
	message   []byte
	key       *multisig.VerificationKey
	signature *multisig.Signature
}

func multiSig() []*benches.Benchmark {
	var out []*benches.Benchmark
	for _, w := range ways() {
		for _, n := range multiSigBatches {
			out = append(out, &benches.Benchmark{
				Group: fmt.Sprintf("multisig/sigs=%d", multiSigSigners), Function: w.name, Input: fmt.Sprintf("n=%d", n), Value: float64(n),
				Elements: uint64(n), Unit: "aggregates", Kind: benches.Scaling, Parallel: w.jobs > 1,
				Setup: func(ctx context.Context, env *benches.Env) (*benches.Op, error) {
					pairs, err := aggregatePairs(env, n)
					if err != nil {
						return nil, err
					}
					return verifyPairs(ctx, pairs, w)
				},
			})
		}
	}
	return out
}

// aggregatePairs returns n aggregates. The aggregate of signatures with
// coefficients t is the signature of the secret Σ t·sk, and the aggregate of
// the keys is its key, so one signature a message is enough to make them.
func aggregatePairs(env *benches.Env, n int) ([]pairInput, error) {
	lines, err := cached(env, "multisig", n, func(have, want int) ([]line, error) {
		out := make([]line, want-have)
		return out, parallel(len(out), func(k int) error {
			i := have + k
			secret, err := aggregateSecret(i)
			if err != nil {
				return err
			}
			out[k] = pairLine(secret, seeded("multisig message", i))
			return nil
		})
	})
	if err != nil {
		return nil, err
	}
	return parsePairs(lines)
}

// aggregateSecret returns Σ t·sk mod r of the signers of aggregate i.
func aggregateSecret(i int) (*multisig.SigningKey, error) {
	sum := new(big.Int)
	for j := range multiSigSigners {
		sk := seededKey("multisig", i, j).SecretBytes()
		t := new(big.Int).SetBytes(seeded("coefficient", i, j)[:16])
		sum.Add(sum, t.Mul(t, new(big.Int).SetBytes(sk[:])))
	}
	var b [multisig.SigningKeySize]byte
	sum.Mod(sum, order).FillBytes(b[:])
	return multisig.SigningKeyFromBytes(b[:])
}

func pairLine(secret *multisig.SigningKey, msg []byte) line {
	vk, sig := secret.VerificationKey().Bytes(), secret.Sign(msg).Bytes()
	return line{Message: hex.EncodeToString(msg), Key: hex.EncodeToString(vk[:]), Signature: hex.EncodeToString(sig[:])}
}

func parsePairs(lines []line) ([]pairInput, error) {
	out := make([]pairInput, len(lines))
	return out, parallel(len(lines), func(i int) error {
		fields := [][]byte{nil, nil, nil}
		for k, text := range []string{lines[i].Message, lines[i].Key, lines[i].Signature} {
			b, err := hex.DecodeString(text)
			if err != nil {
				return err
			}
			fields[k] = b
		}
		vk, err := multisig.VerificationKeyFromBytes(fields[1])
		if err != nil {
			return err
		}
		sig, err := multisig.SignatureFromBytes(fields[2])
		if err != nil {
			return err
		}
		out[i] = pairInput{fields[0], vk, sig}
		return nil
	})
}

func verifyPairs(ctx context.Context, pairs []pairInput, w way) (*benches.Op, error) {
	if !w.batch {
		return &benches.Op{
			Run: func() error {
				for i := range pairs {
					if err := pairs[i].signature.Verify(pairs[i].message, pairs[i].key); err != nil {
						return err
					}
				}
				return nil
			},
			Counters: map[string]float64{"pairings": float64(2 * len(pairs))},
		}, nil
	}
	keys, sigs := make([]*multisig.VerificationKey, len(pairs)), make([]multisig.Signature, len(pairs))
	for i := range pairs {
		keys[i], sigs[i] = pairs[i].key, *pairs[i].signature
	}
	return counted(func(c *multisig.Counters) error {
		return verifyClaims(ctx, len(pairs), w.jobs, c, func(i int) (multisig.Claim, error) {
			return multisig.NewClaim(pairs[i].message, keys[i:i+1], sigs[i:i+1])
		})
	})
}

// blsSignatures is the size of the reference's BLS benchmark.
const blsSignatures = 1000

// bls verifies 1 000 signatures of one message one by one, and aggregated.
func bls() []*benches.Benchmark {
	bench := func(function string, parallel bool, make func(ctx context.Context, pairs []pairInput) (*benches.Op, error)) *benches.Benchmark {
		return &benches.Benchmark{
			Group: fmt.Sprintf("bls/sigs=%d", blsSignatures), Function: function, Elements: blsSignatures, Unit: "signatures", Parallel: parallel,
			Setup: func(ctx context.Context, env *benches.Env) (*benches.Op, error) {
				pairs, err := blsPairs(env)
				if err != nil {
					return nil, err
				}
				return make(ctx, pairs)
			},
		}
	}
	aggregated := func(jobs int) func(context.Context, []pairInput) (*benches.Op, error) {
		return func(ctx context.Context, pairs []pairInput) (*benches.Op, error) {
			keys, sigs := make([]*multisig.VerificationKey, len(pairs)), make([]multisig.Signature, len(pairs))
			for i := range pairs {
				keys[i], sigs[i] = pairs[i].key, *pairs[i].signature
			}
			return counted(func(c *multisig.Counters) error {
				return verifyClaims(ctx, 1, jobs, c, func(int) (multisig.Claim, error) { return multisig.NewClaim(pairs[0].message, keys, sigs) })
			})
		}
	}
	return []*benches.Benchmark{
		bench("mode=single/jobs=1", false, func(ctx context.Context, pairs []pairInput) (*benches.Op, error) {
			return verifyPairs(ctx, pairs, way{jobs: 1})
		}),
		bench("mode=aggregated/jobs=1", false, aggregated(1)),
		bench("mode=aggregated/jobs=2", true, aggregated(2)),
	}
}

func blsPairs(env *benches.Env) ([]pairInput, error) {
	lines, err := cached(env, "bls", blsSignatures, func(have, want int) ([]line, error) {
		out := make([]line, want-have)
		return out, parallel(len(out), func(k int) error {
			out[k] = pairLine(seededKey("bls", have+k), seeded("bls message"))
			return nil
		})
	})
	if err != nil {
		return nil, err
	}
	return parsePairs(lines)
}
