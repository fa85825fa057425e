package multisig

import (
	"context"
	"runtime"
)

// Aggregate is a message with the signatures of some keys on it: signature i is claimed to be valid under key i.
type Aggregate struct {
	Message    []byte
	Keys       []*VerificationKey
	Signatures []Signature
}

// BatchVerifyAggregates returns nil when every signature of every aggregate is valid, and otherwise a [*BatchError] that
// names the aggregates and the signatures in them. The verdict is the conjunction of the verdicts of [Claim.Verify]. An
// empty batch is an error. It uses all cores, n+1 Miller loops and one final exponentiation; the memory is about 0.5 kB a
// signature, so that callers with very many use package batch, which works in windows.
func BatchVerifyAggregates(ctx context.Context, aggregates []Aggregate) error {
	jobs := runtime.GOMAXPROCS(0)
	prepared := make([]*Prepared, len(aggregates))
	work := &combination{ctx: ctx, jobs: jobs}
	errs := make([]error, jobs)
	err := work.parallel(len(aggregates), func(job, first, last int) {
		for i := first; i < last && errs[job] == nil; i++ {
			prepared[i], errs[job] = aggregates[i].prepare()
		}
	})
	if err != nil {
		return err
	}
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return VerifyPrepared(ctx, prepared, jobs)
}

func (a *Aggregate) prepare() (*Prepared, error) {
	claim, err := NewClaim(a.Message, a.Keys, a.Signatures)
	if err != nil {
		return nil, err
	}
	return claim.Prepare(nil)
}
