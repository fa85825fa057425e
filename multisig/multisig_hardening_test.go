package multisig

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"testing"
	"testing/iotest"

	"github.com/stmverify/stmverify/verdict"
)

// endingContext ends at the call of Err number at, and stays ended; 0 never ends. Work that goes on after it has ended, or
// that asks it again, is seen in calls.
type endingContext struct {
	context.Context
	at, calls int
}

func (c *endingContext) Err() error {
	c.calls++
	if c.at > 0 && c.calls >= c.at {
		return context.Canceled
	}
	return nil
}

// testEveryEnd runs work with a context that never ends, then once for every call of Err with a context that ends there. The
// first must return nil when valid is set, and at least least calls; the others must stop at once, with the context's error.
func testEveryEnd(t *testing.T, valid bool, least int, work func(ctx context.Context) error) {
	t.Helper()
	whole := &endingContext{Context: t.Context()}
	if err := work(whole); (err == nil) != valid || errors.Is(err, context.Canceled) {
		t.Fatalf("without an end: got %v", err)
	}
	if whole.calls < least {
		t.Errorf("the context is asked %d times, want at least %d", whole.calls, least)
	}
	for at := 1; at <= whole.calls; at++ {
		ctx := &endingContext{Context: t.Context(), at: at}
		if err := work(ctx); err != context.Canceled {
			t.Errorf("ended at call %d of %d: got %v", at, whole.calls, err)
		}
		if ctx.calls != at {
			t.Errorf("ended at call %d of %d: the work went on to call %d", at, whole.calls, ctx.calls)
		}
	}
}

// TestEveryStepEndsWithTheContext ends the context at each step of a batch: before the hashes, the sum and the pairings,
// and in each halving of the search for claims and for signatures.
func TestEveryStepEndsWithTheContext(t *testing.T) {
	keys := signers(t, 20, 4)
	var good, bad []Aggregate
	for i := range 5 {
		a := aggregate(keys[:1+i%4], fmt.Append(nil, i))
		good = append(good, a)
		if i%2 == 1 { // Two signatures in slot 1, four in slot 3; the first is bad.
			a.Signatures = slices.Clone(a.Signatures)
			a.Signatures[0] = *keys[0].Sign([]byte("another message"))
		}
		bad = append(bad, a)
	}
	prepare := func(aggregates []Aggregate) []*Prepared {
		var prepared []*Prepared
		for _, a := range aggregates {
			claim := a.claim(t)
			p, err := claim.Prepare(nil)
			if err != nil {
				t.Fatal(err)
			}
			prepared = append(prepared, p)
		}
		return prepared
	}
	for _, jobs := range []int{1, 3} {
		t.Run(fmt.Sprintf("valid, jobs=%d", jobs), func(t *testing.T) {
			testEveryEnd(t, true, 3, func(ctx context.Context) error { return VerifyPrepared(ctx, prepare(good), jobs) })
		})
		t.Run(fmt.Sprintf("culprits, jobs=%d", jobs), func(t *testing.T) {
			testEveryEnd(t, false, 10, func(ctx context.Context) error { return VerifyPrepared(ctx, prepare(bad), jobs) })
		})
	}
	t.Run("one signature", func(t *testing.T) {
		testEveryEnd(t, true, 1, func(ctx context.Context) error { return VerifyPrepared(ctx, prepare(good[:1]), 1) })
	})
	t.Run("aggregates", func(t *testing.T) {
		testEveryEnd(t, true, 4, func(ctx context.Context) error { return BatchVerifyAggregates(ctx, good) })
	})
	t.Run("possessions", func(t *testing.T) {
		var vks []*VerificationKey
		var proofs []*ProofOfPossession
		for _, k := range keys {
			vks, proofs = append(vks, k.VerificationKey()), append(proofs, k.ProvePossession())
		}
		testEveryEnd(t, true, 1, func(ctx context.Context) error { return VerifyPossessions(ctx, vks, proofs) })
		proofs[1], proofs[2] = proofs[2], proofs[1]
		testEveryEnd(t, false, 4, func(ctx context.Context) error { return VerifyPossessions(ctx, vks, proofs) })
	})
}

// TestErrorsOfOne says what is returned for a single claim, signature or proof: the error of that one and not of a batch.
func TestErrorsOfOne(t *testing.T) {
	keys := signers(t, 21, 3)
	a := aggregate(keys, []byte("m"))
	a.Signatures[1] = *keys[1].Sign([]byte("another message"))
	whole, single := a.claim(t), Claim{a.Message, a.Keys[1:2], a.Signatures[1:2]}
	for name, test := range map[string]struct {
		claim Claim
		bad   []int
	}{"several signatures": {whole, []int{1}}, "one signature": {single, []int{0}}} {
		e, ok := test.claim.Verify().(*ClaimError)
		if !ok || e.Slot != 0 || !slices.Equal(e.Signatures, test.bad) {
			t.Fatalf("%s: got %v, want a *ClaimError of signatures %v", name, test.claim.Verify(), test.bad)
		}
		if !errors.Is(e, ErrSignature) || !errors.Is(e, verdict.ErrInvalid) {
			t.Errorf("%s: %v is of no class", name, e)
		}
	}
	if err := a.Signatures[0].Verify(a.Message, nil); !errors.Is(err, ErrZeroValue) {
		t.Errorf("signature under a nil key: got %v", err)
	}
	if err := new(Signature).Verify(a.Message, a.Keys[0]); !errors.Is(err, ErrZeroValue) {
		t.Errorf("signature without a point: got %v", err)
	}

	var many *PossessionError
	proof := keys[0].ProvePossession()
	if err := proof.Verify(a.Keys[1]); !errors.Is(err, ErrPossession) || errors.As(err, &many) {
		t.Errorf("proof of another key: got %v", err)
	}
	if err := proof.Verify(nil); !errors.Is(err, ErrZeroValue) {
		t.Errorf("proof under a nil key: got %v", err)
	}
	if err := VerifyPossessions(t.Context(), a.Keys[1:2], []*ProofOfPossession{proof}); !errors.As(err, &many) || !errors.Is(err, ErrPossession) {
		t.Errorf("proofs of other keys: got %v", err)
	}
}

// TestOneSignatureCostsNoMultiplication counts what a claim of one signature costs by itself: nothing is drawn or scaled.
func TestOneSignatureCostsNoMultiplication(t *testing.T) {
	a := aggregate(signers(t, 22, 1), []byte("m"))
	claim, counters := a.claim(t), new(Counters)
	if err := claim.VerifyCounting(counters); err != nil {
		t.Fatal(err)
	}
	if got, want := counters.Counts(), (Counts{MillerLoops: 2, FinalExponentiations: 1, HashesToCurve: 1}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// TestMalformedAggregateRefusesTheBatch puts one aggregate that makes no claim among valid ones, wherever a job would find it.
func TestMalformedAggregateRefusesTheBatch(t *testing.T) {
	keys := signers(t, 23, 3)
	for position := range 5 {
		var aggregates []Aggregate
		for i := range 5 {
			aggregates = append(aggregates, aggregate(keys, fmt.Append(nil, i)))
		}
		bad := &aggregates[position]
		bad.Keys = bad.Keys[:2]
		if err := BatchVerifyAggregates(t.Context(), aggregates); !errors.Is(err, ErrLength) {
			t.Errorf("fewer keys at %d: got %v", position, err)
		}
		bad.Keys = []*VerificationKey{bad.Keys[0], nil, bad.Keys[1]}
		if err := BatchVerifyAggregates(t.Context(), aggregates); !errors.Is(err, ErrZeroValue) {
			t.Errorf("nil key at %d: got %v", position, err)
		}
		bad.Keys, bad.Signatures = nil, nil
		if err := BatchVerifyAggregates(t.Context(), aggregates); !errors.Is(err, ErrEmpty) {
			t.Errorf("nothing at %d: got %v", position, err)
		}
	}
}

// TestFailingRandomnessGivesNoVerdict uses sources that end at once, in the middle, and while a zero is drawn again. Without
// coefficients nothing is checked, so that nothing may be accepted.
func TestFailingRandomnessGivesNoVerdict(t *testing.T) {
	keys := signers(t, 24, 2)
	a := aggregate(keys, []byte("m"))
	claim := a.claim(t)
	vks, proofs := a.Keys, []*ProofOfPossession{keys[0].ProvePossession(), keys[1].ProvePossession()}
	zeros := func(n int) io.Reader { return bytes.NewReader(make([]byte, n)) }
	for name, test := range map[string]struct {
		source func(first int) io.Reader // first is the number of bytes that are read at once
		want   error
	}{
		"an error":            {func(int) io.Reader { return iotest.ErrReader(io.ErrNoProgress) }, io.ErrNoProgress},
		"no byte":             {func(int) io.Reader { return zeros(0) }, io.EOF},
		"one byte less":       {func(first int) io.Reader { return zeros(first - 1) }, io.ErrUnexpectedEOF},
		"zeros, then no more": {func(first int) io.Reader { return zeros(first) }, io.EOF},
		"zeros, then half":    {func(first int) io.Reader { return zeros(first + 8) }, io.ErrUnexpectedEOF},
		"zeros":               {func(first int) io.Reader { return zeros(first + 4*16) }, errZeroCoefficients},
	} {
		t.Run(name, func(t *testing.T) {
			if p, err := claim.PrepareInsecurely(test.source(2*16), nil); !errors.Is(err, test.want) || p != nil {
				t.Errorf("claim: got %v, want %v", err, test.want)
			}
			if err := verifyPossessions(t.Context(), test.source(2*2*16), vks, proofs); !errors.Is(err, test.want) {
				t.Errorf("proofs: got %v, want %v", err, test.want)
			}
		})
	}
}

// TestSigningKeyIsNotMarshalled tries every interface by which an encoder asks for a value.
func TestSigningKeyIsNotMarshalled(t *testing.T) {
	key := signers(t, 25, 1)[0]
	if b, err := key.MarshalText(); !errors.Is(err, errSecret) || b != nil {
		t.Errorf("text: got %d bytes, %v", len(b), err)
	}
	if b, err := key.MarshalBinary(); !errors.Is(err, errSecret) || b != nil {
		t.Errorf("binary: got %d bytes, %v", len(b), err)
	}
	if b, err := json.Marshal([]any{key}); !errors.Is(err, errSecret) {
		t.Errorf("json: got %d bytes, %v", len(b), err)
	}
}

// TestBisectNamesEveryPosition compares the search with every set of positions that do not hold among up to seven.
func TestBisectNamesEveryPosition(t *testing.T) {
	for n := 1; n <= 7; n++ {
		for set := 1; set < 1<<n; set++ {
			var want []int
			for i := range n {
				if set>>i&1 == 1 {
					want = append(want, i)
				}
			}
			got, err := bisect(t.Context(), n, func(first, last int) bool { return set>>first&(1<<(last-first)-1) == 0 })
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("of %d: got %v, %v, want %v", n, got, err, want)
			}
		}
	}
}
