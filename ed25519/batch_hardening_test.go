package ed25519

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/stmverify/stmverify/verdict"
)

// endingContext ends when it is asked for the n-th time. It must not be shared between goroutines.
type endingContext struct {
	context.Context
	n     int
	ended bool
}

func (c *endingContext) Err() error {
	if c.n--; c.n < 0 {
		c.ended = true
		return context.Canceled
	}
	return nil
}

// TestBatchEndsAnywhere ends the context at every place where it is asked. A batch that stopped half way, in a sum or in
// the search for invalid signatures, must not count as decided, or what it did not come to would be valid.
func TestBatchEndsAnywhere(t *testing.T) {
	spoil := func(all []signed, indices ...int) []signed {
		for _, i := range indices {
			all[i] = all[i].spoil()
		}
		return all
	}
	refused := signMany(40, 40)
	refused[7].sig = refused[7].sig[:63]
	notAPoint := signMany(40, 40)
	notAPoint[9].pub = append([]byte{2}, make([]byte, 31)...)
	cases := map[string][]signed{
		"valid":                        signMany(40, 40),
		"one invalid at the front":     spoil(signMany(40, 40), 0),
		"one invalid at the end":       spoil(signMany(40, 40), 39),
		"two invalid":                  spoil(signMany(40, 30), 3, 33),
		"so many invalid that each is": spoil(signMany(40, 40), 1, 2, 3, 5, 8, 13, 21, 22, 30, 31, 32, 33, 34),
		"a refused encoding":           refused,
		"refused and invalid":          spoil(append([]signed{}, refused...), 20, 21),
		"a key that is no point":       notAPoint,
	}
	for name, all := range cases {
		for _, mode := range []Mode{Strict, ZIP215} {
			t.Run(fmt.Sprintf("%s/%v", name, mode), func(t *testing.T) {
				b := newBatch(t, mode, Options{Workers: 1})
				for n := 0; ; n++ {
					b.Reset()
					addAll(t, b, all)
					ctx := &endingContext{Context: context.Background(), n: n}
					err := b.Verify(ctx)
					if !ctx.ended {
						checkVerdicts(t, b, all, err)
						return
					}
					if !errors.Is(err, context.Canceled) || errors.Is(err, verdict.ErrInvalid) {
						t.Fatalf("ended at question %d: got %v", n, err)
					}
					for i, err := range b.Verdicts(nil) {
						if err == nil || errors.Is(err, verdict.ErrInvalid) {
							t.Fatalf("ended at question %d: signature %d is undecided, yet its verdict is %v", n, i, err)
						}
					}
					checkVerdicts(t, b, all, b.Verify(context.Background()))
				}
			})
		}
	}
}

// wavering is a context that says once that it ended, and takes it back, which no context may.
type wavering struct {
	context.Context
	n int
}

func (c *wavering) Err() error {
	if c.n--; c.n == -1 {
		return context.Canceled
	}
	return nil
}

// TestBatchWavers: tasks that were left out at the end of the context stay undecided, whatever the context says later.
func TestBatchWavers(t *testing.T) {
	all := signMany(100, 100)
	for i := 0; i < len(all); i += 10 {
		all[i] = all[i].spoil()
	}
	valid := signMany(100, 100)
	for _, mode := range modes {
		b := newBatch(t, mode, Options{Workers: 1})
		for n := range 60 {
			b.Reset()
			addAll(t, b, valid) // what is left in memory is valid
			if err := b.Verify(context.Background()); err != nil {
				t.Fatal(err)
			}
			b.Reset()
			addAll(t, b, all)
			err := b.Verify(&wavering{context.Background(), n})
			if errors.Is(err, context.Canceled) {
				err = b.Verify(context.Background())
			}
			checkVerdicts(t, b, all, err)
		}
	}
}

// TestBatchInBubble verifies where the clock stands still while a goroutine runs: none may wait for it to go on.
func TestBatchInBubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBatch(t, ZIP215, Options{Workers: 3})
		all := signMany(100, 100)
		for range 3 {
			checkBatch(t, b, all)
		}
	})
}

// TestBatchWaitEnds: a context that ends while Verify waits for what Start began ends it without a verdict.
func TestBatchWaitEnds(t *testing.T) {
	b := newBatch(t, ZIP215, Options{Workers: 1})
	all := signMany(40, 40)
	all[5] = all[5].spoil()
	hold, entered := make(chan struct{}), make(chan struct{}, 1)
	b.open().random = func(p []byte) {
		select {
		case entered <- struct{}{}:
		default:
		}
		<-hold
		readRandom(p)
	}
	addAll(t, b, all)
	b.Start(context.Background())
	<-entered
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := b.Verify(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the end of the context", err)
	}
	close(hold)
	checkVerdicts(t, b, all, b.Verify(context.Background()))
}
