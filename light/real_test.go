package light

import (
	"context"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/stmverify/stmverify/light/store"
)

func preprod(t testing.TB) *testChain {
	return loadChain(t, "../../shared/vectors/real/preprod", "preprod")
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
			c := loadChain(t, "../../shared/vectors/real/"+folder, "")
			if all, err := os.ReadFile("../../shared/vectors/real/" + folder + "/all.json"); err == nil {
				c.texts = split(t, all)
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
	c := preprod(t)
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
		t.Logf("%d certificates: fetching alone %v, sync %v, ratio %.3f, on %d cores",
			len(walk), fetch, sync, float64(sync)/float64(fetch), runtime.GOMAXPROCS(0))
	}
}
