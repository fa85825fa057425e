package light

import (
	"context"
	"errors"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stmverify/stmverify/certificate"
	"github.com/stmverify/stmverify/light/provider"
	"github.com/stmverify/stmverify/light/store"
	"github.com/stmverify/stmverify/light/store/bolt"
	"github.com/stmverify/stmverify/verdict"
)

// moody is a provider in memory that grows, is away now and then, and lies now and then.
type moody struct {
	mutex sync.Mutex
	texts [][]byte // newest first
	shown int      // how many of the oldest are shown
	calls int
}

var errAway = verdict.Sentinel(verdict.ErrUnavailable, "away")

// mood says how the provider takes this call: honest, away, or lying.
func (p *moody) mood() (shown int, away, lying bool) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.calls++
	return p.shown, p.calls%7 == 3, p.calls%11 == 5
}

func (p *moody) grow() {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.shown = min(p.shown+1, len(p.texts))
}

func (p *moody) Name() string { return "moody" }

func (p *moody) items(shown int) []provider.Item {
	var items []provider.Item
	for _, text := range p.texts[len(p.texts)-shown:] {
		item, _, err := provider.ParseItem(text)
		if err != nil {
			panic(err) // They were read before.
		}
		items = append(items, item)
	}
	return items
}

func (p *moody) Certificate(_ context.Context, hash certificate.Hash) ([]byte, error) {
	shown, away, lying := p.mood()
	if away {
		return nil, errAway
	}
	for i, item := range p.items(shown) {
		if item.Hash == hash {
			text := slices.Clone(p.texts[len(p.texts)-shown+i])
			if lying {
				text[len(text)/2] ^= 1
			}
			return text, nil
		}
	}
	return nil, provider.ErrNotFound
}

func (p *moody) Genesis(ctx context.Context) ([]byte, error) { return p.texts[len(p.texts)-1], nil }

func (p *moody) Recent(context.Context) ([]provider.Item, error) {
	shown, away, _ := p.mood()
	if away {
		return nil, errAway
	}
	return p.items(shown), nil
}

// TestSoak watches a moody provider for a simulated hour, while goroutines ask the same client. Neither goroutines nor memory grow
// from the second quarter to the last, with a store in memory and with one in a file.
func TestSoak(t *testing.T) {
	t.Run("memory", func(t *testing.T) { soak(t, new(store.Memory)) })
	t.Run("file", func(t *testing.T) {
		st, err := bolt.Open(filepath.Join(t.TempDir(), "store"))
		must(t, err)
		defer st.Close()
		soak(t, st)
	})
}

func soak(t *testing.T, st store.Store) {
	c := small(t)
	const hour, quarters = time.Hour, 4
	var goroutines, heap [quarters]uint64
	var syncs, failed, refused, questions atomic.Int64
	synctest.Test(t, func(t *testing.T) {
		p := &moody{texts: c.texts, shown: 3}
		client := newClient(t, c, p, st, Jobs(2), Observe(ObserverFunc(func(e Event) {
			if w, ok := e.(Waiting); ok {
				syncs.Add(1)
				if errors.Is(w.Err, verdict.ErrUnavailable) {
					failed.Add(1)
				} else if w.Err != nil {
					refused.Add(1)
				}
			}
		})))
		ctx, cancel := context.WithCancel(t.Context())
		var group sync.WaitGroup
		group.Go(func() {
			err := client.Watch(ctx, Schedule{Interval: 10 * time.Second, MinBackoff: time.Second, MaxBackoff: time.Minute})
			if !errors.Is(err, context.Canceled) {
				t.Errorf("watch ended: %v", err)
			}
		})
		for range 8 {
			group.Go(func() {
				for ctx.Err() == nil {
					if r, err := client.Latest(ctx); err == nil {
						if _, err := client.Trusted(ctx, r.Hash); err != nil && ctx.Err() == nil {
							t.Errorf("the latest certificate is not trusted: %v", err)
						}
						questions.Add(1)
					}
					_ = sleep(ctx, 7*time.Second)
				}
			})
		}
		for q := range quarters {
			for range 3 {
				time.Sleep(hour / quarters / 3)
				p.grow()
			}
			synctest.Wait()
			goroutines[q], heap[q] = uint64(runtime.NumGoroutine()), heapInUse()
		}
		cancel()
		group.Wait()
	})
	t.Logf("%d syncs, %d away, %d refused, %d questions; goroutines %v, heap %v", syncs.Load(), failed.Load(), refused.Load(), questions.Load(), goroutines, heap)
	if syncs.Load() < 200 || failed.Load() == 0 || refused.Load() == 0 || questions.Load() < 1000 {
		t.Errorf("%d syncs, %d away, %d refused, %d questions: the hour was not what it should be", syncs.Load(), failed.Load(), refused.Load(), questions.Load())
	}
	if goroutines[quarters-1] > goroutines[1] {
		t.Errorf("goroutines at the end of each quarter: %v", goroutines)
	}
	const noise = 1 << 20
	if heap[quarters-1] > heap[1]+noise {
		t.Errorf("heap at the end of each quarter: %v", heap)
	}
}

// heapInUse returns the bytes of live objects.
func heapInUse() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
