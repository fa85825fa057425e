package ed25519

import (
	"bytes"
	"context"
	"encoding/binary"
	"testing"

	"filippo.io/edwards25519"
)

// shiftS returns a copy of the signature with n added to S.
func (s signed) shiftS(n *edwards25519.Scalar) signed {
	old, err := edwards25519.NewScalar().SetCanonicalBytes(s.sig[32:])
	if err != nil {
		panic(err)
	}
	s.sig = append(bytes.Clone(s.sig[:32]), old.Add(old, n).Bytes()...)
	return s
}

// cancellingPair returns n valid signatures, of which two are shifted by d and -d. Their errors cancel in a sum with
// equal coefficients.
func cancellingPair(n int) []signed {
	all := signMany(n, n)
	d := scalarOf(77)
	all[1] = all[1].shiftS(d)
	all[n-1] = all[n-1].shiftS(edwards25519.NewScalar().Negate(d))
	return all
}

// constant is a source of equal coefficients.
func constant(b []byte) {
	for i := range len(b) / coefficientSize {
		binary.LittleEndian.PutUint64(b[i*coefficientSize:], 1)
		binary.LittleEndian.PutUint64(b[i*coefficientSize+8:], 0)
	}
}

// TestAttackCancellingPair: the pair is refused, and would not be if the coefficients were known.
func TestAttackCancellingPair(t *testing.T) {
	for _, mode := range cofactored {
		for _, n := range []int{2, 3, 16, 100, 300} {
			all := cancellingPair(n)
			b := newBatch(t, mode, Options{})
			checkBatch(t, b, all)
			b.Reset()
			b.open().random = constant
			addAll(t, b, all)
			if err := b.Verify(context.Background()); err != nil {
				t.Errorf("%v: constant coefficients do not accept the pair, so that this test tests nothing: %v", mode, err)
			}
		}
	}
	for _, mode := range []Mode{Strict, StdLib} {
		checkBatch(t, newBatch(t, mode, Options{}), cancellingPair(5))
	}
}

// TestAttackSwappedS exchanges S between two signatures, by one key and by two.
func TestAttackSwappedS(t *testing.T) {
	for _, mode := range modes {
		for _, keys := range []int{1, 20} {
			all := signMany(20, keys)
			for _, s := range []*signed{&all[4], &all[9]} {
				s.sig = bytes.Clone(s.sig)
			}
			var s4 [32]byte
			copy(s4[:], all[4].sig[32:])
			copy(all[4].sig[32:], all[9].sig[32:])
			copy(all[9].sig[32:], s4[:])
			checkBatch(t, newBatch(t, mode, Options{}), all)
		}
	}
}

// TestAttackRepeats repeats one valid and one invalid signature, also eight times, so that an error of small order
// would cancel.
func TestAttackRepeats(t *testing.T) {
	for _, mode := range modes {
		for _, n := range []int{2, 8, 16, 100} {
			good, bad := sign(1, "again"), sign(2, "and again").spoil()
			var all []signed
			for range n {
				all = append(all, good)
			}
			checkBatch(t, newBatch(t, mode, Options{}), all)
			for range n {
				all = append(all, bad)
			}
			checkBatch(t, newBatch(t, mode, Options{}), all)
		}
	}
}

// TestAttackOneIn1024 and all of 1 024, with distinct keys and with one.
func TestAttackOneIn1024(t *testing.T) {
	t.Parallel()
	for _, keys := range []int{1, 1024} {
		all := signMany(1024, keys)
		b := newBatch(t, ZIP215, Options{Workers: 2})
		one := append([]signed(nil), all...)
		one[700] = one[700].spoil()
		checkBatch(t, b, one)
		for i := range all {
			all[i] = all[i].spoil()
		}
		checkBatch(t, b, all[:less(len(all))])
	}
}

// balancedZero fills b with what stands for coefficients of 0.
func balancedZero(b []byte) {
	for i := range b {
		b[i] = 0x80
	}
}

// TestAttackZeroCoefficients: a coefficient of 0 would take an equation out of the sum.
func TestAttackZeroCoefficients(t *testing.T) {
	for _, mode := range cofactored {
		all := signMany(10, 10)
		all[5] = all[5].spoil()
		b := newBatch(t, mode, Options{})
		drawn := 0
		b.open().random = func(p []byte) {
			if drawn++; drawn == 1 {
				balancedZero(p)
				return
			}
			readRandom(p)
		}
		addAll(t, b, all)
		checkVerdicts(t, b, all, b.Verify(context.Background()))
		if drawn != 1+len(all) {
			t.Errorf("%v: coefficients drawn %d times, want once and again for each of %d", mode, drawn, len(all))
		}
	}
}

// TestCoefficients checks that all coefficients of several verifications differ, in each of their words, and that every
// bit occurs.
func TestCoefficients(t *testing.T) {
	b := newBatch(t, ZIP215, Options{Workers: 1})
	const n, rounds = 100, 3
	var seen [2]map[uint64]bool
	var or [2]uint64
	for range rounds {
		b.Reset()
		addAll(t, b, signMany(n, n))
		if err := b.Verify(context.Background()); err != nil {
			t.Fatal(err)
		}
		for i := range b.segments[0].items {
			for j, word := range b.segments[0].items[i].z {
				if seen[j] == nil {
					seen[j] = make(map[uint64]bool)
				}
				seen[j][word] = true
				or[j] |= word
			}
		}
	}
	if len(seen[0]) != n*rounds || len(seen[1]) != n*rounds {
		t.Errorf("got %d and %d distinct words, want %d", len(seen[0]), len(seen[1]), n*rounds)
	}
	if or != [2]uint64{^uint64(0), ^uint64(0)} {
		t.Errorf("the bits %x are never set", [2]uint64{^or[0], ^or[1]})
	}
}
