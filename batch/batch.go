// Package batch verifies a stream of claims by random linear combinations.
//
// A [Verifier] takes claims as they come, from any number of goroutines, prepares each at once (its coefficients, the hash
// of its message, the combination of its keys) and completes them together: n claims cost one multi-scalar multiplication
// over all their signatures, n+1 Miller loops and one final exponentiation, in place of two Miller loops and one final
// exponentiation each (SPEC 9.3). Claims are completed in windows, so that the memory does not grow with their number.
//
// # Soundness
//
// Every signature gets its own coefficient, one of 2¹²⁸ values drawn from crypto/rand after the claim was handed over and
// kept secret until the verdict. If any signature is not valid, the equation holds for at most one value of its
// coefficient, whatever the others are; so an invalid batch is accepted with a probability of at most 2⁻¹²⁸. A valid
// batch is always accepted. Hence the verdict on a claim is the verdict of [multisig.Claim.Verify] and does not depend on
// its neighbours. All points are in their subgroups by the types of package multisig; a combination alone would not see a
// component of small order.
//
// When an equation does not hold, the claims in the window that do not hold are found by halves, then the signatures in
// them: [Error] names every one.
package batch

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"sync"

	"github.com/stmverify/stmverify/multisig"
)

// The bounds of a window: it is completed when it holds this many claims or signatures. More would not make a claim
// cheaper, fewer would.
const (
	DefaultWindow      = 128
	windowOfSignatures = 8192
)

// Verifier verifies claims. The zero value is ready. Add may be called from several goroutines; Verify ends the batch.
type Verifier struct {
	// Window is the number of claims that are completed together, 0 for DefaultWindow.
	Window int
	// Jobs is the number of goroutines that complete a window, 0 for GOMAXPROCS.
	Jobs int
	// Counters counts the operations when it is not nil.
	Counters *multisig.Counters
	// InsecureRandomForTests replaces crypto/rand as the source of the coefficients. Whoever can predict it makes invalid
	// signatures pass: it is for tests that show exactly that.
	InsecureRandomForTests io.Reader

	mu         sync.Mutex
	added      int
	pending    []slot // prepared, not completed
	signatures int    // of pending
	failures   []Failure
	completing sync.Mutex // held while a window is completed
	err        error      // a failure of the machinery, not of a claim
}

// slot is a prepared claim with its number.
type slot struct {
	number   int
	prepared *multisig.Prepared
}

// Failure says which signatures of a claim are not valid.
type Failure struct {
	Slot       int   // what Add returned
	Signatures []int // positions in the claim, ascending; empty when the claim was empty
	Err        error
}

func (f *Failure) Error() string { return fmt.Sprintf("batch: slot %d: %v", f.Slot, f.Err) }

// Unwrap returns the cause.
func (f *Failure) Unwrap() error { return f.Err }

// Error lists every claim that does not hold, by slot, at least one. errors.Is with multisig.ErrSignature and
// verdict.ErrInvalid holds.
type Error struct{ Failures []Failure }

func (e *Error) Error() string {
	if len(e.Failures) == 1 {
		return e.Failures[0].Error()
	}
	return fmt.Sprintf("%v, and %d more", &e.Failures[0], len(e.Failures)-1)
}

// Unwrap returns the failures.
func (e *Error) Unwrap() []error {
	errs := make([]error, len(e.Failures))
	for i := range e.Failures {
		errs[i] = &e.Failures[i]
	}
	return errs
}

// Add takes a claim, prepares it on the caller's goroutine and returns its slot: 0 for the first, then one more each. Slots
// are given in the order in which calls begin. When the window is full, the call that filled it also completes it.
func (v *Verifier) Add(c multisig.Claim) int {
	v.mu.Lock()
	number := v.added
	v.added++
	v.mu.Unlock()

	v.AddAt(number, c)
	return number
}

// AddAt is Add for a caller who numbers the claims, each number once. It serves pipelines whose workers finish out of
// order. Calls of Add and AddAt are not mixed.
func (v *Verifier) AddAt(number int, c multisig.Claim) {
	p, err := c.PrepareInsecurely(v.random(), v.Counters)
	v.mu.Lock()
	v.added = max(v.added, number+1)
	if err != nil {
		if errors.Is(err, multisig.ErrEmpty) {
			v.failures = append(v.failures, Failure{Slot: number, Err: err})
		} else if v.err == nil {
			v.err = err
		}
		v.mu.Unlock()
		return
	}
	v.pending = append(v.pending, slot{number, p})
	v.signatures += c.Len()
	var full []slot
	if len(v.pending) >= v.window() || v.signatures >= windowOfSignatures {
		full = v.take()
	}
	v.mu.Unlock()
	if full != nil {
		v.complete(context.Background(), full)
	}
}

func (v *Verifier) random() io.Reader {
	if v.InsecureRandomForTests != nil {
		return v.InsecureRandomForTests
	}
	return rand.Reader
}

func (v *Verifier) window() int {
	if v.Window > 0 {
		return v.Window
	}
	return DefaultWindow
}

func (v *Verifier) jobs() int {
	if v.Jobs > 0 {
		return v.Jobs
	}
	return runtime.GOMAXPROCS(0)
}

// take empties the window; v.mu is held.
func (v *Verifier) take() []slot {
	full := v.pending
	v.pending, v.signatures = nil, 0
	return full
}

// complete decides the claims of a window and records the failures. One window is completed at a time, by all jobs.
func (v *Verifier) complete(ctx context.Context, window []slot) {
	v.completing.Lock()
	defer v.completing.Unlock()
	slices.SortFunc(window, func(a, b slot) int { return a.number - b.number })
	prepared := make([]*multisig.Prepared, len(window))
	for i, s := range window {
		prepared[i] = s.prepared
	}
	err := multisig.VerifyPrepared(ctx, prepared, v.jobs())
	if err == nil {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	var batch *multisig.BatchError
	if !errors.As(err, &batch) {
		if v.err == nil {
			v.err = err
		}
		return
	}
	for _, c := range batch.Claims {
		number := window[c.Slot].number
		c.Slot = number
		v.failures = append(v.failures, Failure{number, c.Signatures, c})
	}
}

// FailedBelow returns how many slots below n are known so far not to hold. A pipeline asks it to stop early.
func (v *Verifier) FailedBelow(n int) int {
	v.mu.Lock()
	defer v.mu.Unlock()
	count := 0
	for i := range v.failures {
		if v.failures[i].Slot < n {
			count++
		}
	}
	return count
}

// Verify completes what was added and returns nil when every claim holds, or an [*Error] that names every claim and
// signature that does not. A batch without claims is [multisig.ErrEmpty]. When the context is cancelled the error is the
// context's and there is no verdict. Verify is called once, after the last Add has returned; the Verifier is not used
// afterwards.
func (v *Verifier) Verify(ctx context.Context) error {
	v.mu.Lock()
	added, rest := v.added, v.take()
	v.mu.Unlock()
	if added == 0 {
		return fmt.Errorf("batch: %w", multisig.ErrEmpty)
	}
	if len(rest) > 0 {
		v.complete(ctx, rest)
	}
	v.completing.Lock() // Wait for a window that another Add completes.
	defer v.completing.Unlock()
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.err != nil {
		return v.err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if len(v.failures) == 0 {
		return nil
	}
	slices.SortFunc(v.failures, func(a, b Failure) int { return a.Slot - b.Slot })
	return &Error{v.failures}
}
