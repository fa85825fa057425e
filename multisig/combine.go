package multisig

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/stmverify/stmverify/internal/bls12381"
	"github.com/stmverify/stmverify/internal/bls12381/backend"
)

// ClaimError says which signatures of a claim are not valid.
type ClaimError struct {
	Slot       int   // the claim's position among those verified together, from 0
	Signatures []int // positions within the claim, ascending, at least one
}

func (e *ClaimError) Error() string {
	return fmt.Sprintf("multisig: claim %d: signatures %v: %v", e.Slot, e.Signatures, ErrSignature)
}

// Unwrap returns [ErrSignature].
func (e *ClaimError) Unwrap() error { return ErrSignature }

// BatchError lists every claim that does not hold, in the order of the slots, at least one.
type BatchError struct{ Claims []*ClaimError }

func (e *BatchError) Error() string {
	if len(e.Claims) == 1 {
		return e.Claims[0].Error()
	}
	return fmt.Sprintf("%v, and %d more claims", e.Claims[0], len(e.Claims)-1)
}

// Unwrap returns the errors of the claims.
func (e *BatchError) Unwrap() []error {
	errs := make([]error, len(e.Claims))
	for i, c := range e.Claims {
		errs[i] = c
	}
	return errs
}

// VerifyPrepared returns nil when every claim holds. It checks (SPEC 9.3)
//
//	e(-A, g₂) · Π e(H_j, K_j) = 1,   A = Σ ρ σ over all signatures of all claims
//
// with one multi-scalar multiplication in G1, n+1 Miller loops and one final exponentiation, divided among at most jobs
// goroutines. When the equation does not hold it looks for the claims, then for the signatures in each, by halves: k of n
// cost O(k·log n) more equations of one Miller loop each; the error is then a [*BatchError] that names them all. No claims
// are an error, [ErrEmpty]. A cancelled context ends the work between two steps with the context's error, and there is no
// verdict. Each Prepared serves one call.
func VerifyPrepared(ctx context.Context, claims []*Prepared, jobs int) error {
	if len(claims) == 0 {
		return fmt.Errorf("multisig: batch: %w", ErrEmpty)
	}
	if len(claims) == 1 && len(claims[0].claim.sigs) == 1 && !claims[0].ready {
		return verifyAlone(ctx, claims[0])
	}
	v := &combination{ctx: ctx, claims: claims, counters: claims[0].counters, jobs: max(1, jobs)}
	ok, err := v.all()
	if err != nil || ok {
		return err
	}
	return v.culprits()
}

// verifyAlone verifies one claim of one signature, which needs no coefficient: there is nothing that could cancel.
func verifyAlone(ctx context.Context, p *Prepared) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if p.claim.oneHolds(p.counters) {
		return nil
	}
	return &BatchError{Claims: []*ClaimError{{Signatures: []int{0}}}}
}

// combination is one call of VerifyPrepared.
type combination struct {
	ctx      context.Context
	claims   []*Prepared
	counters *Counters
	jobs     int
	products []backend.GT // products[j] is the Miller loop of claim j, once culprits are looked for
}

// all decides the equation over all claims.
func (v *combination) all() (bool, error) {
	if err := v.parallel(len(v.claims), func(_, first, last int) { compute(v.claims[first:last]) }); err != nil {
		return false, err
	}
	sum, err := v.sumOfSignatures()
	if err != nil {
		return false, err
	}
	hashes := make([]bls12381.G1, len(v.claims)+1)
	keys := make([]bls12381.G2, len(v.claims)+1)
	for j, p := range v.claims {
		hashes[j], keys[j] = p.hash, p.keys
	}
	hashes[len(v.claims)].Neg(&sum)
	keys[len(v.claims)] = bls12381.GeneratorG2()
	parts := slices.Repeat([]backend.GT{backend.One()}, v.jobs)
	err = v.parallel(len(hashes), func(job, first, last int) {
		product, n := backend.MillerLoop(hashes[first:last], keys[first:last])
		parts[job] = product
		v.counters.addMillerLoops(n)
	})
	if err != nil {
		return false, err
	}
	return v.isOne(parts), nil
}

// sumOfSignatures is A.
func (v *combination) sumOfSignatures() (bls12381.G1, error) {
	var points []bls12381.G1
	var coefficients []bls12381.Coefficient
	for _, p := range v.claims {
		for i := range p.claim.sigs {
			points = append(points, p.claim.sigs[i].point)
		}
		coefficients = append(coefficients, p.coefficients...)
	}
	parts := make([]bls12381.G1, v.jobs)
	err := v.parallel(len(points), func(job, first, last int) {
		backend.MultiExpG1(&parts[job], points[first:last], coefficients[first:last])
		v.counters.addG1(last - first)
	})
	var sum bls12381.G1
	for i := range parts {
		sum.Add(&sum, &parts[i])
	}
	return sum, err
}

// parallel divides n items into at most one range a job, unless the context has ended.
func (v *combination) parallel(n int, work func(job, first, last int)) error {
	if err := v.ctx.Err(); err != nil {
		return err
	}
	if v.jobs == 1 {
		work(0, 0, n)
		return nil
	}
	var group sync.WaitGroup
	for job := range v.jobs {
		if first, last := n*job/v.jobs, n*(job+1)/v.jobs; first < last {
			group.Go(func() { work(job, first, last) })
		}
	}
	group.Wait()
	return nil
}

// isOne multiplies the parts and applies the final exponentiation.
func (v *combination) isOne(parts []backend.GT) bool {
	product := parts[0]
	for i := range parts[1:] {
		backend.Mul(&product, &product, &parts[i+1])
	}
	v.counters.addFinalExponentiation()
	return backend.FinalExpIsOne(&product)
}

// culprits names the claims that do not hold, knowing that not all do.
func (v *combination) culprits() error {
	v.products = make([]backend.GT, len(v.claims))
	err := v.parallel(len(v.claims), func(_, first, last int) {
		for j := first; j < last; j++ {
			p := v.claims[j]
			product, n := backend.MillerLoop([]bls12381.G1{p.hash}, []bls12381.G2{p.keys})
			v.counters.addMillerLoops(n)
			v.products[j] = product
			p.signatureSum()
		}
	})
	if err != nil {
		return err
	}
	slots, err := bisect(v.ctx, len(v.claims), v.holds)
	if err != nil {
		return err
	}
	e := &BatchError{Claims: make([]*ClaimError, len(slots))}
	for i, slot := range slots {
		positions, err := v.claims[slot].culprits(v.ctx)
		if err != nil {
			return err
		}
		e.Claims[i] = &ClaimError{slot, positions}
	}
	return e
}

// holds decides the equation over the claims first to last-1.
func (v *combination) holds(first, last int) bool {
	var sum bls12381.G1
	for _, p := range v.claims[first:last] {
		sum.Add(&sum, p.sum)
	}
	part := v.negatedSum(&sum)
	return v.isOne(append([]backend.GT{part}, v.products[first:last]...))
}

// negatedSum is the Miller loop of (-sum, g₂).
func (v *combination) negatedSum(sum *bls12381.G1) backend.GT {
	var negated bls12381.G1
	negated.Neg(sum)
	part, n := backend.MillerLoop([]bls12381.G1{negated}, []bls12381.G2{bls12381.GeneratorG2()})
	v.counters.addMillerLoops(n)
	return part
}

// culprits names the signatures of a claim that are not valid, knowing that not all are.
func (p *Prepared) culprits(ctx context.Context) ([]int, error) {
	if len(p.claim.sigs) == 1 {
		return []int{0}, nil
	}
	return bisect(ctx, len(p.claim.sigs), func(first, last int) bool {
		var sum bls12381.G1
		var keys bls12381.G2
		p.combineSignatures(&sum, first, last)
		p.combineKeys(&keys, first, last)
		sum.Neg(&sum)
		product, n := backend.MillerLoop([]bls12381.G1{sum, p.hash}, []bls12381.G2{bls12381.GeneratorG2(), keys})
		p.counters.addMillerLoops(n)
		p.counters.addFinalExponentiation()
		return backend.FinalExpIsOne(&product)
	})
}

// bisect returns which of n ≥ 1 positions do not hold, ascending, knowing that not all do. holds decides the positions
// first to last-1. A half that holds tells without another question that the other half does not. An ended context ends
// the search between two halvings.
func bisect(ctx context.Context, n int, holds func(first, last int) bool) ([]int, error) {
	var bad []int
	open := [][2]int{{0, n}} // ranges that do not hold, the first one last
	for len(open) > 0 {
		first, last := open[len(open)-1][0], open[len(open)-1][1]
		open = open[:len(open)-1]
		if last-first == 1 {
			bad = append(bad, first)
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		middle := first + (last-first)/2
		leftHolds := holds(first, middle)
		if leftHolds || !holds(middle, last) {
			open = append(open, [2]int{middle, last})
		}
		if !leftHolds {
			open = append(open, [2]int{first, middle})
		}
	}
	return bad, nil
}
