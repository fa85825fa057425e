package ed25519

import (
	"context"
	"fmt"
	"testing"
)

// TestVerifyDoesNotAllocate covers every mode. The standard library allocates the error by which it refuses a
// signature; nothing else does.
func TestVerifyDoesNotAllocate(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	good := sign(1, "a message of some length, so that it does not fit into a register")
	bad := good.spoil()
	for _, mode := range modes {
		for _, s := range []signed{good, bad, {good.pub[1:], good.msg, good.sig}} {
			want := 0.0
			if (mode == Strict || mode == StdLib) && Verify(mode, s.pub, s.msg, s.sig) == ErrEquation {
				want = 1
			}
			if n := testing.AllocsPerRun(20, func() { _ = Verify(mode, s.pub, s.msg, s.sig) }); n > want {
				t.Errorf("%v: %v allocations", mode, n)
			}
		}
	}
}

// TestBatchDoesNotAllocate: no allocation in a batch that has seen its size, on one goroutine or several, with and
// without a cache, started early or not, in good batches and in the search for bad signatures.
func TestBatchDoesNotAllocate(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	ctx := context.Background()
	for _, mode := range modes {
		sizes := []int{1, 64}
		if mode == ZIP215 {
			sizes = []int{1, 64, 1024}
		}
		for _, n := range sizes {
			all := signMany(n, n)
			for name, options := range map[string]Options{
				"1 worker":  {Workers: 1},
				"2 workers": {Workers: 2},
				"cache":     {Workers: 2, Cache: NewKeyCache(2 * n)},
			} {
				t.Run(fmt.Sprintf("%v/%d/%s", mode, n, name), func(t *testing.T) {
					b := newBatch(t, mode, options)
					verdicts := make([]error, 0, n)
					round := func() {
						b.Reset()
						for i, s := range all {
							b.Add(s.pub, s.msg, s.sig)
							if i == n/2 {
								b.Start(ctx)
							}
						}
						if err := b.Verify(ctx); err != nil {
							t.Fatal(err)
						}
						verdicts = b.Verdicts(verdicts[:0])
					}
					for range 3 { // memory and goroutines settle
						round()
					}
					// An allocation of ours happens in every round. One of the runtime's, for a goroutine or a thread on a
					// busy machine, does not.
					least := testing.AllocsPerRun(1, round)
					for tries := 0; least > 0 && tries < 10; tries++ {
						least = min(least, testing.AllocsPerRun(1, round))
					}
					if least != 0 {
						t.Errorf("%v allocations", least)
					}
				})
			}
		}
	}
}

// TestSearchDoesNotAllocate: the report of bad signatures does, the search for them does not.
func TestSearchDoesNotAllocate(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	for _, mode := range cofactored {
		all := signMany(200, 200)
		for i := range all {
			if i%9 == 0 {
				all[i] = all[i].spoil()
			}
		}
		b := newBatch(t, mode, Options{Workers: 1})
		addAll(t, b, all)
		b.prepare()
		s := b.segments[0]
		round := func() {
			s.decided = false
			for i := range s.items {
				s.items[i].err = nil
			}
			if err := s.verify(context.Background(), &b.crew); err != nil {
				t.Fatal(err)
			}
		}
		round()
		if s.bad == 0 {
			t.Fatal("nothing to search for")
		}
		if n := testing.AllocsPerRun(5, round); n != 0 {
			t.Errorf("%v: %v allocations", mode, n)
		}
	}
}
