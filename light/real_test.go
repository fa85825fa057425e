package light

import (
	"context"
	"os"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/stmverify/stmverify/internal/testkit/vectors"
	"github.com/stmverify/stmverify/light/store"
)

func preprod(t testing.TB) *testChain {
	return loadChain(t, vectors.Shared+"real/preprod", "preprod")
}

// TestRealPreprod syncs the real chain from nothing, then nothing, then ten certificates more.
func TestRealPreprod(t *testing.T) {
	c := preprod(t)
	server, p := serve(t, c.texts[10:])
	var st store.Memory
	client := newClient(t, c, p, &st)
	for _, step := range []struct {
		name            string
		added, requests int
	}{{"first", 96, 97}, {"again", 0, 1}, {"ten more", 10, 11}} {
		if step.name == "ten more" {
			must(t, server.SetChain(c.texts))
		}
		before := server.Requests("")
		report, err := client.Sync(t.Context(), Newest())
		must(t, err)
		if n := server.Requests("") - before; report.Added != step.added || n != step.requests {
			t.Errorf("%s: got %d added for %d requests, want %d for %d", step.name, report.Added, n, step.added, step.requests)
		}
	}
	latest, err := client.Latest(t.Context())
	must(t, err)
	id, err := st.Identity(t.Context())
	must(t, err)
	if latest.Epoch != 300 || id.Genesis != c.hash(t, len(c.texts)-1) {
		t.Errorf("got epoch %d, genesis %s", latest.Epoch, id.Genesis)
	}
}

// TestRealStatementsAgree checks on all real chains at hand that no two certificates of one chain contradict each other.
func TestRealStatementsAgree(t *testing.T) {
	for _, folder := range []string{"preprod", "devnet-2025-02-25", "devnet-2026-05-21"} {
		t.Run(folder, func(t *testing.T) {
			c := loadChain(t, vectors.Shared+"real/"+folder, "")
			if folder != "preprod" {
				c.texts = vectors.Elements(t, vectors.Read(t, vectors.Shared+"real/"+folder+"/all.json"))
			}
			_, p := serve(t, c.texts)
			var st store.Memory
			client := newClient(t, c, p, &st)
			for i := range c.texts {
				_, err := client.Verify(t.Context(), c.hash(t, i))
				must(t, err)
			}
			t.Logf("%d certificates", len(hashes(t, &st)))
		})
	}
}

// TestMeasureOverlap prints how long a first sync takes beside fetching alone, with 40 ms of latency. It runs when
// STMVERIFY_MEASURE is set: times are for reading, not for asserting.
func TestMeasureOverlap(t *testing.T) {
	if os.Getenv("STMVERIFY_MEASURE") == "" {
		t.Skip("STMVERIFY_MEASURE is not set")
	}
	measureOverlap(t, "preprod", preprod(t))
	measureOverlap(t, "mainnet-like", mainnetLike(t))
}

func measureOverlap(t *testing.T, name string, c *testChain) {
	t.Helper()
	_, p := serve(t, c.texts, "latency:delay=40ms")
	walk := c.walk(t, 0)
	for range 3 {
		started := time.Now()
		_, err := p.Recent(context.Background())
		must(t, err)
		for _, hash := range walk {
			_, err := p.Certificate(context.Background(), hash)
			must(t, err)
		}
		fetch := time.Since(started)
		started = time.Now()
		_, err = newClient(t, c, p, new(store.Memory)).Sync(context.Background(), Newest())
		must(t, err)
		sync := time.Since(started)
		t.Logf("%s: %d certificates: fetching alone %v, sync %v, ratio %.3f, on %d cores",
			name, len(walk), fetch, sync, float64(sync)/float64(fetch), runtime.GOMAXPROCS(0))
	}
}

// TestMeasureCancel prints how long a sync takes to return after it was cancelled, at moments spread over it. It runs when
// STMVERIFY_MEASURE is set.
func TestMeasureCancel(t *testing.T) {
	if os.Getenv("STMVERIFY_MEASURE") == "" {
		t.Skip("STMVERIFY_MEASURE is not set")
	}
	chains := map[string]*testChain{"preprod": preprod(t), "mainnet-like": mainnetLike(t)}
	for name, c := range chains {
		_, p := serve(t, c.texts, "latency:delay=1ms")
		started := time.Now()
		_, err := newClient(t, c, p, new(store.Memory)).Sync(context.Background(), Newest())
		must(t, err)
		whole := time.Since(started)
		var took []time.Duration
		const runs = 60
		for i := range runs {
			ctx, cancel := context.WithCancel(context.Background())
			var cancelled time.Time
			timer := time.AfterFunc(whole*time.Duration(i)/runs, func() {
				cancelled = time.Now()
				cancel()
			})
			_, err := newClient(t, c, p, new(store.Memory)).Sync(ctx, Newest())
			if err != nil {
				took = append(took, time.Since(cancelled))
			}
			timer.Stop()
			cancel()
		}
		slices.Sort(took)
		t.Logf("%s: %d syncs of %v cancelled: median %v, longest %v", name, len(took), whole, took[len(took)/2], took[len(took)-1])
	}
}

// mainnetLike is the generated chain of the size of mainnet's.
func mainnetLike(t testing.TB) *testChain { return loadChain(t, "testdata/chains/mainnet-like", "") }
