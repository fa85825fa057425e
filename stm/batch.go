package stm

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/stmverify/stmverify/batch"
	"github.com/stmverify/stmverify/multisig"
)

// Proof is an aggregate signature with what it is claimed to be valid for.
type Proof struct {
	Message    []byte // of a certificate: the 64 characters of its signed_message
	Key        *AggregateVerificationKey
	Parameters Parameters
	Signature  *AggregateSignature
}

// BatchError lists every proof of a batch that is not valid, by position, at least one.
type BatchError struct{ Failures []BatchFailure }

// BatchFailure says why a proof is not valid. Err is what [AggregateSignature.Verify] returns for it, a [*ProofError] or an
// error that wraps [ErrParameters].
type BatchFailure struct {
	Position int
	Err      error
}

func (e *BatchError) Error() string {
	text := fmt.Sprintf("stm: proof %d: %v", e.Failures[0].Position, e.Failures[0].Err)
	if n := len(e.Failures); n > 1 {
		text += fmt.Sprintf(", and %d more", n-1)
	}
	return text
}

// Unwrap returns the reasons.
func (e *BatchError) Unwrap() []error {
	errs := make([]error, len(e.Failures))
	for i, f := range e.Failures {
		errs[i] = f.Err
	}
	return errs
}

// BatchVerify returns nil when every proof is valid, and otherwise a [*BatchError] that names all that are not. The verdict is
// the conjunction of the verdicts of [AggregateSignature.Verify]. An empty batch is [multisig.ErrEmpty]. It uses all cores;
// the pairings of all proofs are checked together (package batch). A cancelled context ends it with the context's error.
func BatchVerify(ctx context.Context, proofs []Proof) error {
	if len(proofs) == 0 {
		return fmt.Errorf("stm: batch: %w", multisig.ErrEmpty)
	}
	errs := make([]error, len(proofs))
	var verifier batch.Verifier
	var claims atomic.Int64
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i := range proofs {
		group.Go(func() error {
			if ctx.Err() != nil {
				return nil
			}
			p := &proofs[i]
			claim, err := p.Signature.Check(p.Message, p.Key, p.Parameters)
			if err != nil {
				errs[i] = err
				return nil
			}
			claims.Add(1)
			verifier.AddAt(i, claim)
			return nil
		})
	}
	_ = group.Wait() // The functions return nil.
	if err := ctx.Err(); err != nil {
		return err
	}
	if claims.Load() > 0 {
		if err := placeFailures(errs, verifier.Verify(ctx)); err != nil {
			return err
		}
	}
	e := new(BatchError)
	for i, err := range errs {
		if err != nil {
			e.Failures = append(e.Failures, BatchFailure{i, err})
		}
	}
	if len(e.Failures) > 0 {
		return e
	}
	return nil
}

// placeFailures files the failures of the pairing under their positions, and returns an error that is none of them.
func placeFailures(errs []error, err error) error {
	var failed *batch.Error
	if err == nil || !errors.As(err, &failed) {
		return err
	}
	for i := range failed.Failures {
		errs[failed.Failures[i].Slot] = AggregateError(failed.Failures[i].Err)
	}
	return nil
}
