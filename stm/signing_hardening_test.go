package stm

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"sync/atomic"
	"testing"
	"testing/iotest"

	"github.com/stmverify/stmverify/keyreg"
	"github.com/stmverify/stmverify/multisig"
	"github.com/stmverify/stmverify/verdict"
)

// registered makes keys with a stake of 10 each.
func registered(t *testing.T, n int) ([]*multisig.SigningKey, *keyreg.Closed) {
	t.Helper()
	var keys []*multisig.SigningKey
	var registration keyreg.Registration
	for i := range n {
		key, err := multisig.GenerateSigningKey(bytes.Repeat([]byte{byte(i)}, multisig.SigningKeySize))
		if err != nil {
			t.Fatal(err)
		}
		if err := registration.Register(keyreg.Party{Key: key.VerificationKey(), Possession: key.ProvePossession(), Stake: 10}); err != nil {
			t.Fatal(err)
		}
		keys = append(keys, key)
	}
	closed, err := registration.Close()
	if err != nil {
		t.Fatal(err)
	}
	return keys, closed
}

// withoutRandomness makes crypto/rand fail until the test ends.
func withoutRandomness(t *testing.T, err error) {
	before := rand.Reader
	t.Cleanup(func() { rand.Reader = before })
	rand.Reader = iotest.ErrReader(err)
}

// TestSingleSignatureVerifyRefuses breaks one thing at a time that a single signature is verified with.
func TestSingleSignatureVerifyRefuses(t *testing.T) {
	keys, closed := registered(t, 2)
	p := Parameters{K: 2, M: 4, PhiF: 1} // so that the lottery takes everything
	singles := signAll(t, keys, closed, p, []byte("message"))
	if len(singles) != 2 || len(singles[0].indexes) != 4 {
		t.Fatal("the signers do not win everything")
	}
	for _, c := range []struct {
		name   string
		change func(v *singleVerification)
		want   verdict.Detail // empty: valid
		text   string
	}{
		{"nothing", func(*singleVerification) {}, "", ""},
		{"an index of m", func(v *singleVerification) { v.single.indexes = []uint64{4} }, "", ""},
		{"an index above m", func(v *singleVerification) { v.single.indexes = []uint64{0, 5} }, verdict.DetailIndexOutOfRange,
			"stm: signature 0: index 5: index-out-of-range: got 5, want at most 4"},
		{"a total stake of 0", func(v *singleVerification) { v.avk.TotalStake = 0 }, verdict.DetailStakeOutOfRange,
			"stm: signature 0: stake-out-of-range: stm: total stake is 0"},
		{"the whole stake", func(v *singleVerification) { v.stake = 20 }, "", ""},
		{"a stake above the total", func(v *singleVerification) { v.stake = 21 }, verdict.DetailStakeOutOfRange,
			"stm: signature 0: stake-out-of-range: stm: stake is above the total stake: got 21 of 20"},
		{"a chance of next to nothing", func(v *singleVerification) { v.p.PhiF = 1e-9 }, verdict.DetailLotteryLost,
			"stm: signature 0: index 0: lottery-lost"},
		{"another message", func(v *singleVerification) { v.msg = []byte("another") }, verdict.DetailAggregateInvalid,
			"stm: signature 0: aggregate-invalid: multisig: claim 0: signatures [0]: signature does not verify"},
		{"another root", func(v *singleVerification) { v.avk.Root[0] ^= 1 }, verdict.DetailAggregateInvalid,
			"stm: signature 0: aggregate-invalid: multisig: claim 0: signatures [0]: signature does not verify"},
	} {
		t.Run(c.name, func(t *testing.T) {
			single := *singles[0]
			v := &singleVerification{&single, []byte("message"), *NewAggregateVerificationKey(closed), 10, p}
			c.change(v)
			party, err := closed.Entry(single.SignerIndex())
			if err != nil {
				t.Fatal(err)
			}
			err = v.single.Verify(v.msg, party.Key, v.stake, &v.avk, v.p)
			if c.want == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			var e *ProofError
			if !errors.As(err, &e) || e.Detail != c.want || !errors.Is(err, verdict.ErrInvalid) {
				t.Fatalf("got %v, want %s", err, c.want)
			}
			if err.Error() != c.text {
				t.Errorf("got %q, want %q", err, c.text)
			}
		})
	}
	for _, q := range []Parameters{{0, 4, 1}, {5, 4, 1}, {2, 4, 0}, {2, 4, 1.5}} {
		party, err := closed.Entry(singles[0].SignerIndex())
		if err != nil {
			t.Fatal(err)
		}
		if err := singles[0].Verify([]byte("message"), party.Key, 10, NewAggregateVerificationKey(closed), q); !errors.Is(err, ErrParameters) {
			t.Errorf("%v: got %v", q, err)
		}
	}
}

// singleVerification is what a single signature is verified with.
type singleVerification struct {
	single *SingleSignature
	msg    []byte
	avk    AggregateVerificationKey
	stake  uint64
	p      Parameters
}

// TestAggregateOfNoSignature gives the clerk a signature that nobody made: it has no verdict on that, and says so.
func TestAggregateOfNoSignature(t *testing.T) {
	keys, closed := registered(t, 2)
	p := Parameters{K: 2, M: 4, PhiF: 1}
	clerk, err := NewClerk(closed, p)
	if err != nil {
		t.Fatal(err)
	}
	singles := append(signAll(t, keys, closed, p, []byte("message")), new(SingleSignature))
	if s, err := clerk.Aggregate([]byte("message"), singles); s != nil || !errors.Is(err, multisig.ErrZeroValue) {
		t.Errorf("got %v, %v", s, err)
	}
	// A path is refused for a party that is not registered, whoever chose it.
	if s, err := clerk.assemble([]*candidate{{single: &SingleSignature{signerIndex: 2}}}); s != nil || err == nil {
		t.Errorf("assembles %v, %v", s, err)
	}
}

// TestNoRandomnessNoVerdict takes away the randomness of the coefficients. What failed then is the check, not the proofs.
func TestNoRandomnessNoVerdict(t *testing.T) {
	keys, closed := registered(t, 2)
	p := Parameters{K: 5, M: 8, PhiF: 1}
	clerk, err := NewClerk(closed, p)
	if err != nil {
		t.Fatal(err)
	}
	singles := signAll(t, keys, closed, p, []byte("message"))
	singles[0].indexes, singles[1].indexes = []uint64{0, 1, 2, 3}, []uint64{4, 5, 6, 7}
	aggregate, err := clerk.Aggregate([]byte("message"), singles)
	if err != nil {
		t.Fatal(err)
	}
	proofs := []Proof{{[]byte("message"), clerk.AVK(), p, aggregate}, {[]byte("message"), clerk.AVK(), p, aggregate}}
	broken := errors.New("no randomness")
	withoutRandomness(t, broken)
	for name, err := range map[string]error{
		"aggregation":  second(clerk.Aggregate([]byte("message"), singles)),
		"verification": aggregate.Verify([]byte("message"), clerk.AVK(), p),
		"batch":        BatchVerify(context.Background(), proofs),
	} {
		var e *BatchError
		var n *NotEnoughError
		if !errors.Is(err, broken) || errors.As(err, &e) || errors.As(err, &n) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func second(_ *AggregateSignature, err error) error { return err }

// endsAfter is a context that is cancelled once it was asked a number of times.
type endsAfter struct {
	context.Context
	calls atomic.Int64
}

func (c *endsAfter) Err() error {
	if c.calls.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// TestBatchCancelledAnywhere cancels a batch at every point where it asks: there is no verdict then, and a batch that is not valid is
// not called so.
func TestBatchCancelledAnywhere(t *testing.T) {
	text, msg, avk, p := example(t)
	s, err := ParseAggregateSignatureJSON([]byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	proofs := []Proof{{[]byte("another message"), avk, p, s}, {msg, avk, p, s}}
	const often = 1000
	asked := int64(0)
	for ; asked < often; asked++ {
		ctx := &endsAfter{Context: context.Background()}
		ctx.calls.Store(asked)
		err := BatchVerify(ctx, proofs)
		var e *BatchError
		if errors.As(err, &e) {
			break
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("after %d: got %v", asked, err)
		}
	}
	if asked <= int64(len(proofs)) || asked == often {
		t.Errorf("asks %d times", asked)
	}
}
