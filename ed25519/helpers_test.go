package ed25519

import (
	"context"
	std "crypto/ed25519"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
)

// signed is a signature with what it belongs to.
type signed struct {
	pub, msg, sig []byte
}

// private returns the i-th test key.
func private(i int) std.PrivateKey {
	seed := [std.SeedSize]byte{byte(i), byte(i >> 8), byte(i >> 16)}
	return std.NewKeyFromSeed(seed[:])
}

// sign returns a valid signature by the i-th test key.
func sign(i int, message string) signed {
	key := private(i)
	return signed{key.Public().(std.PublicKey), []byte(message), std.Sign(key, []byte(message))}
}

// signMany returns n valid signatures by the given number of keys, which take turns.
func signMany(n, keys int) []signed {
	many := make([]signed, n)
	for i := range many {
		many[i] = sign(i%keys, fmt.Sprintf("message %d", i))
	}
	return many
}

// spoil returns a copy with an S that is changed but still less than the group order.
func (s signed) spoil() signed {
	s.sig = append([]byte(nil), s.sig...)
	s.sig[32] ^= 1
	if !isReduced(s.sig[32:]) {
		s.sig[32] ^= 1
		s.sig[33] ^= 1
	}
	return s
}

// newBatch returns an empty batch of the mode.
func newBatch(t testing.TB, mode Mode, options Options) *Batch {
	t.Helper()
	b, err := NewBatch(mode, options)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// addAll adds signatures and checks the indices.
func addAll(t testing.TB, b *Batch, all []signed) {
	t.Helper()
	for _, s := range all {
		if want := b.Len(); b.Add(s.pub, s.msg, s.sig) != want {
			t.Fatalf("index of signature %d is another", want)
		}
	}
}

// checkBatch verifies a batch of all and checks each verdict, reason included, against the single verification, the
// error of Verify against the verdicts.
func checkBatch(t testing.TB, b *Batch, all []signed) {
	t.Helper()
	b.Reset()
	addAll(t, b, all)
	err := b.Verify(context.Background())
	checkVerdicts(t, b, all, err)
}

// checkVerdicts checks the outcome of a Verify of all.
func checkVerdicts(t testing.TB, b *Batch, all []signed, err error) {
	t.Helper()
	verdicts := b.Verdicts(nil)
	if len(verdicts) != len(all) {
		t.Fatalf("got %d verdicts, want %d", len(verdicts), len(all))
	}
	var bad []BadSignature
	for i, s := range all {
		want := Verify(b.mode, s.pub, s.msg, s.sig)
		if verdicts[i] != want {
			t.Fatalf("%v, signature %d of %d: got %v, want %v", b.mode, i, len(all), verdicts[i], want)
		}
		if want != nil {
			bad = append(bad, BadSignature{i, want})
		}
	}
	if len(bad) == 0 {
		if err != nil {
			t.Fatalf("%v: got %v for a batch of valid signatures", b.mode, err)
		}
		return
	}
	var failure *BatchError
	if !errors.As(err, &failure) {
		t.Fatalf("%v: got %v, want a BatchError", b.mode, err)
	}
	if failure.Total != len(all) || len(failure.Bad) != len(bad) {
		t.Fatalf("%v: got %d of %d bad, want %d of %d", b.mode, len(failure.Bad), failure.Total, len(bad), len(all))
	}
	for i := range bad {
		if failure.Bad[i] != bad[i] {
			t.Fatalf("%v: bad signature %d is %v, want %v", b.mode, i, failure.Bad[i], bad[i])
		}
		if !errors.Is(err, bad[i].Err) {
			t.Fatalf("%v: %v does not wrap %v", b.mode, err, bad[i].Err)
		}
	}
}

// newRand returns a reproducible source.
func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 6)) }

// modes lists all modes; cofactored the ones with sums.
var (
	modes      = []Mode{Strict, CofactoredStrict, ZIP215, StdLib}
	cofactored = []Mode{CofactoredStrict, ZIP215}
)

// less returns n, or an eighth of it with -short and under the race detector, which makes arithmetic ten times slower.
func less(n int) int {
	if testing.Short() || raceEnabled {
		return n / 8
	}
	return n
}
