package suites

import (
	"context"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/stmverify/stmverify/multisig"
)

// verifyClaims makes and prepares n claims on at most jobs goroutines and
// verifies them as one batch.
func verifyClaims(ctx context.Context, n, jobs int, c *multisig.Counters, claim func(i int) (multisig.Claim, error)) error {
	prepared := make([]*multisig.Prepared, n)
	prepare := func(i int) error {
		cl, err := claim(i)
		if err != nil {
			return err
		}
		prepared[i], err = cl.Prepare(c)
		return err
	}
	if jobs == 1 || n == 1 {
		for i := range n {
			if err := prepare(i); err != nil {
				return err
			}
		}
		return multisig.VerifyPrepared(ctx, prepared, jobs)
	}
	var g errgroup.Group
	var next atomic.Int64
	for range min(jobs, n) {
		g.Go(func() error {
			for {
				i := int(next.Add(1)) - 1
				if i >= n {
					return nil
				}
				if err := prepare(i); err != nil {
					return err
				}
			}
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	return multisig.VerifyPrepared(ctx, prepared, jobs)
}
