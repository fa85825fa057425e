package ed25519

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stmverify/stmverify/verdict"
)

// fromVectors returns the shared vectors as signatures.
func fromVectors(vectors []vector) []signed {
	all := make([]signed, len(vectors))
	for i := range vectors {
		all[i] = signed{vectors[i].Pub, vectors[i].Msg, vectors[i].Sig}
	}
	return all
}

// TestBatchExpectedModes verifies the shared vectors in batches of every size from 1 to 20 and around each internal
// threshold, mixed with valid signatures, in random order, and compares with the expected verdicts.
func TestBatchExpectedModes(t *testing.T) {
	t.Parallel()
	vectors := expectedModes(t)
	valid := signMany(64, 40)
	for _, mode := range modes {
		t.Run(mode.String(), func(t *testing.T) {
			t.Parallel()
			r := newRand(1)
			all := append(fromVectors(vectors), valid...)
			want := make([]bool, len(all))
			for i := range all {
				want[i] = i >= len(vectors) || vectors[i].want(mode)
			}
			sizes := []int{31, 32, 33, 59, 60, 61, 89, 90, 91, 224, 225, 226, 449, 450, 451, 1499, 1500, 1501, len(all)}
			for n := 1; n <= 20; n++ {
				sizes = append(sizes, n)
			}
			b := newBatch(t, mode, Options{Workers: 2})
			for _, n := range sizes {
				order := r.Perm(len(all))
				order = order[:max(n, less(len(all)))]
				for ; len(order) > 0; order = order[min(n, len(order)):] {
					b.Reset()
					part := order[:min(n, len(order))]
					for _, i := range part {
						b.Add(all[i].pub, all[i].msg, all[i].sig)
					}
					_ = b.Verify(context.Background())
					for j, err := range b.Verdicts(nil) {
						if i := part[j]; (err == nil) != want[i] {
							t.Fatalf("size %d, input %d: got %v, want valid = %t", n, i, err, want[i])
						}
					}
				}
			}
		})
	}
}

// TestBatchSizes plants invalid signatures into batches of every size up to 40 and around each internal threshold.
func TestBatchSizes(t *testing.T) {
	t.Parallel()
	for _, mode := range modes {
		t.Run(mode.String(), func(t *testing.T) {
			t.Parallel()
			r := newRand(2)
			valid := signMany(1600, 1600)
			b := newBatch(t, mode, Options{Workers: 2})
			sizes := []int{59, 60, 61, 89, 90, 91, 224, 225, 226, 449, 450, 451, 1499, 1500, 1501}
			for n := 1; n <= 40; n++ {
				sizes = append(sizes, n)
			}
			if mode == Strict || mode == StdLib {
				sizes = []int{1, 2, 3, 15, 16, 17, 31, 32, 33}
			}
			for _, n := range sizes {
				all := append([]signed(nil), valid[:n]...)
				checkBatch(t, b, all)
				for range 1 + r.IntN(3) {
					i := r.IntN(n)
					all[i] = all[i].spoil()
				}
				checkBatch(t, b, all)
			}
		})
	}
}

// TestBatchOneBadEverywhere plants one invalid signature at every place in turn.
func TestBatchOneBadEverywhere(t *testing.T) {
	t.Parallel()
	valid := signMany(40, 30)
	b := newBatch(t, CofactoredStrict, Options{Workers: 1})
	for i := range valid {
		all := append([]signed(nil), valid...)
		all[i] = all[i].spoil()
		checkBatch(t, b, all)
	}
}

// TestBatchManyBad covers the search at every density of invalid signatures.
func TestBatchManyBad(t *testing.T) {
	t.Parallel()
	valid := signMany(300, 300)
	for _, mode := range cofactored {
		r := newRand(3)
		b := newBatch(t, mode, Options{Workers: 2})
		for _, oneIn := range []int{1, 2, 3, 5, 9, 20, 50, 150} {
			all := append([]signed(nil), valid...)
			for i := range all {
				if r.IntN(oneIn) == 0 {
					all[i] = all[i].spoil()
				}
			}
			checkBatch(t, b, all)
		}
	}
}

// TestBatchSearchIsBounded: a few invalid signatures are found by sums; where there are many, the search gives up soon
// and the rest is verified one by one.
func TestBatchSearchIsBounded(t *testing.T) {
	t.Parallel()
	const n = 256
	valid := signMany(n, n)
	for _, c := range []struct {
		bad, minSingle, maxSingle int
	}{{1, 0, 0}, {2, 0, 0}, {n / 4, n / 2, n}, {n, n / 2, n}} {
		all := append([]signed(nil), valid...)
		for i := range c.bad {
			i = i*n/c.bad + n/c.bad/2
			all[i] = all[i].spoil()
		}
		b := newBatch(t, ZIP215, Options{})
		checkBatch(t, b, all)
		s := b.segments[0]
		if got := len(s.single); got < c.minSingle || got > c.maxSingle {
			t.Errorf("%d of %d invalid: %d verified one by one, want %d to %d", c.bad, n, got, c.minSingle, c.maxSingle)
		}
		if most := searchBudget * (n + sumOverhead); s.search.budget < -most/2 || s.search.budget > most {
			t.Errorf("%d of %d invalid: %d of a budget of %d left", c.bad, n, s.search.budget, most)
		}
	}
}

// TestBatchSegments crosses the bound of a segment, where indices go on.
func TestBatchSegments(t *testing.T) {
	valid := signMany(50, 50)
	all := make([]signed, maxSegment+20) // by few keys, which is fast
	for i := range all {
		all[i] = valid[i%len(valid)]
	}
	for _, i := range []int{0, maxSegment - 1, maxSegment, maxSegment + 19} {
		all[i] = valid[i%len(valid)].spoil()
	}
	checkBatch(t, newBatch(t, ZIP215, Options{}), all)
}

func TestBatchEmpty(t *testing.T) {
	for _, mode := range modes {
		b := newBatch(t, mode, Options{})
		for range 2 {
			if err := b.Verify(context.Background()); err != ErrEmptyBatch || !errors.Is(err, verdict.ErrInvalid) {
				t.Errorf("%v: got %v, want ErrEmptyBatch", mode, err)
			}
			addAll(t, b, signMany(3, 3))
			if err := b.Verify(context.Background()); err != nil {
				t.Error(err)
			}
			b.Reset()
		}
	}
}

func TestBatchZeroValueIsStrict(t *testing.T) {
	var b Batch
	var zeroes [SignatureSize]byte
	b.Add(zeroes[:PublicKeySize], []byte("anything"), zeroes[:])
	if err := b.Verify(context.Background()); !errors.Is(err, ErrPublicKeySmallOrder) {
		t.Errorf("got %v, want %v", err, ErrPublicKeySmallOrder)
	}
}

func TestNewBatchUnknownMode(t *testing.T) {
	if _, err := NewBatch(modeCount, Options{}); err != ErrMode {
		t.Errorf("got %v, want %v", err, ErrMode)
	}
}

// TestBatchVerifyAgain adds after a Verify: the verdicts of before stay and the new ones join them.
func TestBatchVerifyAgain(t *testing.T) {
	for _, mode := range modes {
		all := signMany(40, 40)
		all[7] = all[7].spoil()
		b := newBatch(t, mode, Options{})
		addAll(t, b, all[:20])
		checkVerdicts(t, b, all[:20], b.Verify(context.Background()))
		addAll(t, b, all[20:])
		if got := b.Verdicts(nil); got[7] != ErrEquation || got[19] != nil || got[20] == nil || errors.Is(got[20], verdict.ErrInvalid) {
			t.Errorf("%v: before the second Verify: got %v, %v, %v", mode, got[7], got[19], got[20])
		}
		checkVerdicts(t, b, all, b.Verify(context.Background()))
		checkVerdicts(t, b, all, b.Verify(context.Background()))
	}
}

// TestBatchCopies overwrites the caller's slices right after Add.
func TestBatchCopies(t *testing.T) {
	for _, mode := range modes {
		all := signMany(30, 30)
		b := newBatch(t, mode, Options{})
		for _, s := range all {
			pub, msg, sig := append([]byte(nil), s.pub...), append([]byte(nil), s.msg...), append([]byte(nil), s.sig...)
			b.Add(pub, msg, sig)
			clear(pub)
			clear(msg)
			clear(sig)
		}
		if err := b.Verify(context.Background()); err != nil {
			t.Errorf("%v: %v", mode, err)
		}
	}
}

// TestBatchResetForgets reuses memory in which other keys, messages and verdicts lie.
func TestBatchResetForgets(t *testing.T) {
	for _, mode := range modes {
		b := newBatch(t, mode, Options{})
		first := signMany(100, 100)
		for i := range first {
			first[i] = first[i].spoil()
		}
		checkBatch(t, b, first)
		second := signMany(50, 7)
		checkBatch(t, b, second)
		if got := len(b.segments[0].table.keys); got > len(second) {
			t.Errorf("%v: %d keys in the table of a batch of %d signatures", mode, got, len(second))
		}
		second[3].pub = second[4].pub
		checkBatch(t, b, second)
	}
}

// TestBatchCancelled ends the context before and between, and verifies again.
func TestBatchCancelled(t *testing.T) {
	why := errors.New("the test says so")
	for _, mode := range modes {
		all := signMany(100, 100)
		all[50] = all[50].spoil()
		b := newBatch(t, mode, Options{})
		addAll(t, b, all)
		ctx, cancel := context.WithCancelCause(context.Background())
		cancel(why)
		if err := b.Verify(ctx); !errors.Is(err, why) {
			t.Errorf("%v: got %v, want the cause of the end of the context", mode, err)
		}
		for i, err := range b.Verdicts(nil) {
			if err == nil || errors.Is(err, verdict.ErrInvalid) {
				t.Fatalf("%v: signature %d is undecided, yet its verdict is %v", mode, i, err)
			}
		}
		checkVerdicts(t, b, all, b.Verify(context.Background()))
	}
}

// TestBatchStart adds while earlier parts are verified.
func TestBatchStart(t *testing.T) {
	for _, mode := range modes {
		b := newBatch(t, mode, Options{Workers: 2})
		all := signMany(200, 90)
		all[3], all[120], all[199] = all[3].spoil(), all[120].spoil(), all[199].spoil()
		for range 3 {
			b.Reset()
			b.Start(context.Background()) // nothing to do
			for i := 0; i < len(all); i += 25 {
				addAll(t, b, all[i:i+25])
				if i < 150 {
					b.Start(context.Background())
				}
			}
			checkVerdicts(t, b, all, b.Verify(context.Background()))
		}
		b.Reset()
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		addAll(t, b, all)
		b.Start(ctx) // comes to nothing
		checkVerdicts(t, b, all, b.Verify(context.Background()))
		addAll(t, b, all)
		b.Start(context.Background())
		b.Reset()
		checkBatch(t, b, all)
	}
}

func TestBatchError(t *testing.T) {
	all := signMany(10, 10)
	all[4], all[6], all[8] = all[4].spoil(), all[6].spoil(), signed{all[8].pub[1:], all[8].msg, all[8].sig}
	b := newBatch(t, Strict, Options{})
	addAll(t, b, all)
	err := b.Verify(context.Background())
	want := "ed25519: 3 of 10 signatures are invalid, the first at index 4: ed25519: signature does not match"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %v", err, want)
	}
	for _, reason := range []error{ErrEquation, ErrPublicKeyLength, verdict.ErrInvalid} {
		if !errors.Is(err, reason) {
			t.Errorf("%v does not wrap %v", err, reason)
		}
	}
	if errors.Is(err, ErrScalarRange) {
		t.Errorf("%v wraps a reason that nothing has", err)
	}
}

// TestBatchWorkers checks that the number of workers changes nothing.
func TestBatchWorkers(t *testing.T) {
	t.Parallel()
	all := signMany(150, 100)
	all[77], all[149] = all[77].spoil(), all[149].spoil()
	for _, mode := range modes {
		for _, workers := range []int{0, 1, 2, 3, 7, 64} {
			t.Run(fmt.Sprintf("%v/workers=%d", mode, workers), func(t *testing.T) {
				checkBatch(t, newBatch(t, mode, Options{Workers: workers}), all)
			})
		}
	}
}

// TestBatchLongMessages mixes empty, short and long messages.
func TestBatchLongMessages(t *testing.T) {
	for _, mode := range modes {
		var all []signed
		for i, n := range []int{0, 1, 63, 64, 127, 128, 1000, 1 << 20, 0, 5} {
			all = append(all, sign(i, strings.Repeat("x", n)))
		}
		checkBatch(t, newBatch(t, mode, Options{}), all)
		all[7].msg = all[7].msg[1:]
		all[8].msg = []byte("y")
		checkBatch(t, newBatch(t, mode, Options{}), all)
	}
}
