package suites

import (
	"context"
	"fmt"

	"github.com/stmverify/stmverify/benches"
	"github.com/stmverify/stmverify/internal/testkit"
	"github.com/stmverify/stmverify/keyreg"
	"github.com/stmverify/stmverify/multisig"
	"github.com/stmverify/stmverify/stm"
)

// registrations registers all parties of a shape, proofs of possession
// included, and closes; plays all lotteries of one signer; and aggregates.
// The reference's own benchmarks have the first two.
func registrations() []*benches.Benchmark {
	var out []*benches.Benchmark
	for _, s := range stmShapes() {
		group := fmt.Sprintf("signing/%s/parties=%d", s.name, s.parties)
		for _, f := range []struct {
			name, unit string
			elements   uint64
			parallel   bool
			op         func(*testkit.Epoch, shape) (func(context.Context) error, error)
		}{
			{"register", "parties", uint64(s.parties), true, registerAll},
			{"play-lotteries", "lotteries", s.m, false, playAll},
			{"aggregate", "proofs", 1, false, aggregateOne},
		} {
			out = append(out, &benches.Benchmark{
				Group: group, Function: f.name, Elements: f.elements, Unit: f.unit, Parallel: f.parallel,
				Setup: func(ctx context.Context, env *benches.Env) (*benches.Op, error) {
					e, err := benches.Shared(env, "epoch/"+s.name, func() (*testkit.Epoch, error) {
						r, err := register(ctx, s, 0)
						if err != nil {
							return nil, err
						}
						return r.Epoch, nil
					})
					if err != nil {
						return nil, err
					}
					run, err := f.op(e, s)
					if err != nil {
						return nil, err
					}
					return &benches.Op{Run: func() error { return run(ctx) }}, nil
				},
			})
		}
	}
	return out
}

func registerAll(e *testkit.Epoch, _ shape) (func(context.Context) error, error) {
	parties := make([]keyreg.Party, len(e.Keys))
	for i, key := range e.Keys {
		parties[i] = keyreg.Party{Key: key.VerificationKey(), Possession: key.ProvePossession(), Stake: e.Parties[i].Stake}
	}
	return func(ctx context.Context) error {
		var r keyreg.Registration
		if err := r.RegisterAll(ctx, parties); err != nil {
			return err
		}
		_, err := r.Close()
		return err
	}, nil
}

// playAll lets the signer with the largest stake sign and play every lottery.
func playAll(e *testkit.Epoch, s shape) (func(context.Context) error, error) {
	last, err := e.Closed.Entry(e.Closed.NrLeaves() - 1)
	if err != nil {
		return nil, err
	}
	var secret *multisig.SigningKey
	for _, key := range e.Keys {
		if key.VerificationKey().Equal(last.Key) {
			secret = key
		}
	}
	signer, err := stm.NewSigner(secret, e.Closed, s.parameters())
	if err != nil {
		return nil, err
	}
	// A signer may lose every lottery of one message: take one on which this
	// one wins.
	for i := range 1000 {
		msg := seeded("lottery", i)
		if _, err := signer.Sign(msg); err == nil {
			return func(context.Context) error { _, err := signer.Sign(msg); return err }, nil
		}
	}
	return nil, stm.ErrLotteryLost
}

func aggregateOne(e *testkit.Epoch, _ shape) (func(context.Context) error, error) {
	msg := seeded("aggregate")
	singles, err := e.Sign(context.Background(), msg)
	if err != nil {
		return nil, err
	}
	return func(context.Context) error { _, err := e.Clerk.Aggregate(msg, singles); return err }, nil
}
