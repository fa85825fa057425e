package batch_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"sync"
	"testing"

	"github.com/stmverify/stmverify/batch"
	"github.com/stmverify/stmverify/multisig"
	"github.com/stmverify/stmverify/stm"
	"github.com/stmverify/stmverify/verdict"
)

// key returns a signing key made from a number.
func key(t testing.TB, n byte) *multisig.SigningKey {
	t.Helper()
	k, err := multisig.GenerateSigningKey(bytes.Repeat([]byte{n}, 32))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// claim returns a claim of the given numbers of keys on msg; those in bad sign something else.
func claim(t testing.TB, msg string, signers []byte, bad ...int) multisig.Claim {
	t.Helper()
	var keys []*multisig.VerificationKey
	var sigs []multisig.Signature
	for i, n := range signers {
		k := key(t, n)
		text := msg
		if slices.Contains(bad, i) {
			text += "!"
		}
		keys = append(keys, k.VerificationKey())
		sigs = append(sigs, *k.Sign([]byte(text)))
	}
	c, err := multisig.NewClaim([]byte(msg), keys, sigs)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestEmptyBatchIsAnError(t *testing.T) {
	var v batch.Verifier
	if err := v.Verify(context.Background()); !errors.Is(err, multisig.ErrEmpty) || !errors.Is(err, verdict.ErrInvalid) {
		t.Errorf("got %v", err)
	}
}

// TestWindowsNameEveryCulprit adds claims from several goroutines, in windows of every size, and compares what is named with
// what was planted.
func TestWindowsNameEveryCulprit(t *testing.T) {
	type planted struct {
		slot int
		bad  []int
	}
	want := []planted{{0, []int{1}}, {6, []int{0, 2}}, {13, []int{0}}, {22, []int{0, 1, 2}}}
	const n = 23
	claims := make([]multisig.Claim, n)
	for i := range claims {
		signers := []byte{1, 2, 3}
		if i == 13 {
			signers = signers[:1]
		}
		var bad []int
		for _, p := range want {
			if p.slot == i {
				bad = p.bad
			}
		}
		claims[i] = claim(t, string(rune('a'+i)), signers, bad...)
	}
	for _, window := range []int{0, 1, 2, 5, n, n + 1} {
		v := batch.Verifier{Window: window, Jobs: 2}
		var group sync.WaitGroup
		for i := range claims {
			group.Go(func() { v.AddAt(i, claims[i]) })
		}
		group.Wait()
		var e *batch.Error
		if err := v.Verify(context.Background()); !errors.As(err, &e) || !errors.Is(err, multisig.ErrSignature) || !errors.Is(err, verdict.ErrInvalid) {
			t.Fatalf("window %d: got %v", window, err)
		}
		if len(e.Failures) != len(want) {
			t.Fatalf("window %d: got %d failures, want %d: %v", window, len(e.Failures), len(want), e)
		}
		for i, f := range e.Failures {
			if f.Slot != want[i].slot || !slices.Equal(f.Signatures, want[i].bad) {
				t.Errorf("window %d: got slot %d, signatures %v, want %v", window, f.Slot, f.Signatures, want[i])
			}
		}
	}
}

func TestAddNumbersTheSlots(t *testing.T) {
	v := batch.Verifier{Window: 2}
	for i := range 5 {
		if got := v.Add(claim(t, "m", []byte{1})); got != i {
			t.Errorf("got slot %d, want %d", got, i)
		}
	}
	if n := v.FailedBelow(5); n != 0 {
		t.Errorf("%d slots failed", n)
	}
	v.Add(claim(t, "m", []byte{1}, 0))
	if below, n := v.FailedBelow(5), v.FailedBelow(6); below != 0 || n != 1 {
		t.Errorf("%d slots failed below 5, %d below 6, want 0 and 1", below, n)
	}
	if err := v.Verify(context.Background()); !errors.Is(err, multisig.ErrSignature) {
		t.Errorf("got %v", err)
	}
}

func TestOneFailureDoesNotHideAnEmptyClaim(t *testing.T) {
	var v batch.Verifier
	v.Add(claim(t, "m", []byte{1}))
	v.Add(multisig.Claim{})
	var e *batch.Error
	if err := v.Verify(context.Background()); !errors.As(err, &e) || len(e.Failures) != 1 || e.Failures[0].Slot != 1 || !errors.Is(err, multisig.ErrEmpty) {
		t.Errorf("got %v", err)
	}
}

func TestOperationCountsOfAWindow(t *testing.T) {
	counters := new(multisig.Counters)
	v := batch.Verifier{Window: 4, Jobs: 3, Counters: counters}
	for i := range 10 {
		v.Add(claim(t, string(rune('a'+i)), []byte{1, 2}))
	}
	if err := v.Verify(context.Background()); err != nil {
		t.Fatal(err)
	}
	if c := counters.Counts(); c.MillerLoops != 5+5+3 || c.FinalExponentiations != 3 || c.HashesToCurve != 10 || c.G2Terms != 20 || c.G1Terms != 20 {
		t.Errorf("got %+v", c)
	}
}

func TestCancelledBatchHasNoVerdict(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var v batch.Verifier
	v.Add(claim(t, "m", []byte{1}))
	if err := v.Verify(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// ones yields coefficients of one.
type ones struct{ n int }

func (o *ones) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = 0
		if o.n%16 == 0 {
			b[i] = 1
		}
		o.n++
	}
	return len(b), nil
}

// TestAttacks runs the batches of the vector file. The cancelling pair is refused, both items are named, and with
// coefficients of one it passes: that is what the coefficients protect from.
func TestAttacks(t *testing.T) {
	data, err := os.ReadFile("../testdata/attacks_batch.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	cancelling := 0
	for line := range bytes.Lines(data) {
		var c struct {
			Name  string
			Items []struct {
				Parameters struct {
					K, M uint64
					PhiF float64 `json:"phi_f"`
				}
				AVK string `json:"avk_json"`
				Msg string
				Sig string `json:"sig_json"`
			}
			Expect string
			Bad    []int
		}
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatal(err)
		}
		var claims []multisig.Claim
		for _, item := range c.Items {
			avk, err := stm.ParseAggregateVerificationKeyJSON([]byte(item.AVK))
			if err != nil {
				t.Fatal(err)
			}
			s, err := stm.ParseAggregateSignatureJSON([]byte(item.Sig), nil)
			if err != nil {
				t.Fatal(err)
			}
			msg, err := hex.DecodeString(item.Msg)
			if err != nil {
				t.Fatal(err)
			}
			claim, err := s.Check(msg, avk, stm.Parameters(item.Parameters))
			if err != nil {
				t.Fatal(err)
			}
			claims = append(claims, claim)
		}
		var secure batch.Verifier
		insecure := batch.Verifier{InsecureRandomForTests: new(ones)}
		for _, claim := range claims {
			secure.Add(claim)
			insecure.Add(claim)
		}
		err := secure.Verify(context.Background())
		if (err == nil) != (c.Expect == "valid") {
			t.Errorf("%s: got %v, want %s", c.Name, err, c.Expect)
		}
		var bad []int
		var e *batch.Error
		if errors.As(err, &e) {
			for _, f := range e.Failures {
				bad = append(bad, f.Slot)
			}
		}
		if !slices.Equal(bad, c.Bad) {
			t.Errorf("%s: names %v, want %v", c.Name, bad, c.Bad)
		}
		if len(c.Bad) == 2 {
			cancelling++
			if err := insecure.Verify(context.Background()); err != nil {
				t.Errorf("%s: with coefficients of one: %v", c.Name, err)
			}
		}
	}
	if cancelling == 0 {
		t.Error("no cancelling pair in the file")
	}
}
