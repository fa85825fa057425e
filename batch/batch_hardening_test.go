package batch_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"testing"

	"github.com/stmverify/stmverify/batch"
	"github.com/stmverify/stmverify/multisig"
	"github.com/stmverify/stmverify/verdict"
)

// TestFailingRandomnessGivesNoVerdict ends the randomness after some claims. The error is that of the source, also when other
// claims are known not to hold, and it is of no class: nothing was decided about the batch.
func TestFailingRandomnessGivesNoVerdict(t *testing.T) {
	for name, test := range map[string]struct {
		window int
		bytes  int
		bad    []int // signatures of the first claim
		want   error
	}{
		"at the first claim":            {0, 0, nil, io.EOF},
		"at the second":                 {0, 16, nil, io.EOF},
		"in the middle of a claim":      {0, 24, nil, io.ErrUnexpectedEOF},
		"after a window that holds":     {1, 16, nil, io.EOF},
		"after a window that does not":  {1, 16, []int{0}, io.EOF},
		"beside a claim that does not":  {0, 16, []int{0}, io.EOF},
		"at each claim, the first said": {0, 8, nil, io.ErrUnexpectedEOF},
	} {
		t.Run(name, func(t *testing.T) {
			v := batch.Verifier{Window: test.window, InsecureRandomForTests: bytes.NewReader(bytes.Repeat([]byte{1}, test.bytes))}
			v.Add(claim(t, "first", []byte{1}, test.bad...))
			v.Add(claim(t, "second", []byte{1}))
			v.Add(claim(t, "third", []byte{1}))
			err := v.Verify(t.Context())
			if !errors.Is(err, test.want) || errors.Is(err, verdict.ErrInvalid) {
				t.Errorf("got %v, want %v and no verdict", err, test.want)
			}
		})
	}
}

// TestContextThatEndedGivesNoVerdict cancels when every window is completed already: valid or not, Verify says neither.
func TestContextThatEndedGivesNoVerdict(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, bad := range map[string][]int{"valid": nil, "invalid": {0}} {
		for _, window := range []int{1, 2} {
			v := batch.Verifier{Window: window}
			v.Add(claim(t, "m", []byte{1}, bad...))
			if err := v.Verify(ctx); !errors.Is(err, context.Canceled) || errors.Is(err, verdict.ErrInvalid) {
				t.Errorf("%s, window of %d: got %v", name, window, err)
			}
		}
	}
}

// TestWindowIsCompletedWhenFull counts the final exponentiations, one for each window: a window that were never full would
// hold every claim in memory until the end.
func TestWindowIsCompletedWhenFull(t *testing.T) {
	c := claim(t, "m", []byte{1, 2})
	for _, test := range []struct{ window, claims, completed int }{
		{1, 1, 1}, {2, 1, 0}, {2, 2, 1}, {2, 3, 1}, {3, 6, 2},
		{0, batch.DefaultWindow - 1, 0}, {0, batch.DefaultWindow, 1}, {-1, batch.DefaultWindow, 1},
	} {
		counters := new(multisig.Counters)
		v := batch.Verifier{Window: test.window, Counters: counters}
		for range test.claims {
			v.Add(c)
		}
		if got := counters.Counts().FinalExponentiations; got != uint64(test.completed) {
			t.Errorf("window of %d: %d windows were completed by %d claims, want %d", test.window, got, test.claims, test.completed)
		}
	}
}

// TestWindowIsBoundedInSignatures fills a window with few claims of many signatures.
func TestWindowIsBoundedInSignatures(t *testing.T) {
	const most = 8192
	k := key(t, 1)
	message := []byte("m")
	of := func(n int) multisig.Claim {
		keys := slices.Repeat([]*multisig.VerificationKey{k.VerificationKey()}, n)
		c, err := multisig.NewClaim(message, keys, slices.Repeat([]multisig.Signature{*k.Sign(message)}, n))
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	counters := new(multisig.Counters)
	v := batch.Verifier{Counters: counters}
	for _, step := range []struct{ signatures, completed int }{{most - 1, 0}, {1, 1}, {most - 2, 1}, {1, 1}, {1, 2}} {
		v.Add(of(step.signatures))
		if got := counters.Counts().FinalExponentiations; got != uint64(step.completed) {
			t.Errorf("after %d more signatures: %d windows were completed, want %d", step.signatures, got, step.completed)
		}
	}
	if err := v.Verify(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestEmptyClaimsAreNamedBesideOthers mixes claims that claim nothing with valid ones and with others that do not hold.
func TestEmptyClaimsAreNamedBesideOthers(t *testing.T) {
	for _, window := range []int{0, 1} {
		v := batch.Verifier{Window: window}
		for slot := range 5 {
			switch slot {
			case 0, 3:
				v.Add(multisig.Claim{})
			case 4:
				v.Add(claim(t, "m", []byte{1, 2}, 1))
			default:
				v.Add(claim(t, "m", []byte{1, 2}))
			}
		}
		err := v.Verify(t.Context())
		e, ok := errors.AsType[*batch.Error](err)
		if !ok || !errors.Is(err, multisig.ErrEmpty) || !errors.Is(err, multisig.ErrSignature) {
			t.Fatalf("window of %d: got %v", window, err)
		}
		var slots []int
		for _, f := range e.Failures {
			slots = append(slots, f.Slot)
		}
		if !slices.Equal(slots, []int{0, 3, 4}) {
			t.Errorf("window of %d: names %v, want 0, 3 and 4", window, slots)
		}
	}
	var only batch.Verifier
	only.Add(multisig.Claim{})
	if err := only.Verify(t.Context()); !errors.Is(err, multisig.ErrEmpty) || !errors.Is(err, verdict.ErrInvalid) {
		t.Errorf("nothing but an empty claim: got %v", err)
	}
}
