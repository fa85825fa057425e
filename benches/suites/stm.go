package suites

import (
	"context"
	"fmt"

	"github.com/stmverify/stmverify/benches"
	"github.com/stmverify/stmverify/multisig"
	"github.com/stmverify/stmverify/stm"
)

// shape is a set of protocol parameters with the number of parties.
type shape struct {
	name    string
	parties int
	k, m    uint64
	phiF    float64
}

func (s *shape) parameters() stm.Parameters { return stm.Parameters{K: s.k, M: s.m, PhiF: s.phiF} }

// stmShapes are those of the reference's own batch benchmarks.
func stmShapes() []shape {
	return []shape{
		{"k=25", 300, 25, 150, 0.4},
		{"k=250", 2000, 250, 1523, 0.4},
	}
}

// stmBatches are the batch sizes of the reference's own benchmarks.
var stmBatches = []int{1, 10, 20, 100}

// way is one way to verify many proofs.
type way struct {
	name  string
	batch bool
	jobs  int
}

func ways() []way {
	return []way{{"mode=single/jobs=1", false, 1}, {"mode=batch/jobs=1", true, 1}, {"mode=batch/jobs=2", true, 2}}
}

// stmProofs verifies decoded proofs, as the reference's benchmarks do: decoding
// is a stage of its own.
func stmProofs() []*benches.Benchmark {
	var out []*benches.Benchmark
	for _, s := range stmShapes() {
		for _, w := range ways() {
			for _, n := range stmBatches {
				out = append(out, &benches.Benchmark{
					Group: "stm/" + s.name, Function: w.name, Input: fmt.Sprintf("n=%d", n), Value: float64(n),
					Elements: uint64(n), Unit: "proofs", Kind: benches.Scaling, Parallel: w.jobs > 1,
					Setup: func(ctx context.Context, env *benches.Env) (*benches.Op, error) {
						proofs, err := proofsOf(ctx, env, s, n)
						if err != nil {
							return nil, err
						}
						return verifyProofs(ctx, proofs, w)
					},
				})
			}
		}
	}
	return out
}

func proofsOf(ctx context.Context, env *benches.Env, s shape, n int) ([]*proof, error) {
	lines, err := cached(env, "stm-"+s.name, n, func(have, want int) ([]line, error) { return makeProofs(ctx, env, s, have, want) })
	if err != nil {
		return nil, err
	}
	return benches.Shared(env, fmt.Sprintf("proofs/%s/%d", s.name, n), func() ([]*proof, error) {
		out := make([]*proof, n)
		return out, parallel(n, func(i int) error {
			p, err := lines[i].proof()
			out[i] = p
			return err
		})
	})
}

func verifyProofs(ctx context.Context, proofs []*proof, w way) (*benches.Op, error) {
	if !w.batch {
		return &benches.Op{
			Run: func() error {
				for _, p := range proofs {
					if err := p.signature.Verify(p.message, p.avk, p.parameters); err != nil {
						return err
					}
				}
				return nil
			},
			Counters: map[string]float64{"pairings": float64(2 * len(proofs))},
		}, nil
	}
	run := func(c *multisig.Counters) error {
		return verifyClaims(ctx, len(proofs), w.jobs, c, func(i int) (multisig.Claim, error) {
			p := proofs[i]
			return p.signature.Check(p.message, p.avk, p.parameters)
		})
	}
	return counted(run)
}

// counted runs once to count operations exactly, and returns the operation to
// time, which counts nothing.
func counted(run func(*multisig.Counters) error) (*benches.Op, error) {
	var c multisig.Counters
	if err := run(&c); err != nil {
		return nil, err
	}
	n := c.Counts()
	return &benches.Op{
		Run: func() error { return run(nil) },
		Counters: map[string]float64{
			"pairings": float64(n.MillerLoops), "final-exponentiations": float64(n.FinalExponentiations),
			"g1-terms": float64(n.G1Terms), "g2-terms": float64(n.G2Terms),
		},
	}, nil
}
