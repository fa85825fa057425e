package light

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stmverify/stmverify/certificate"
	"github.com/stmverify/stmverify/chain"
	"github.com/stmverify/stmverify/internal/fakeaggregator"
	"github.com/stmverify/stmverify/internal/fakeaggregator/forge"
	"github.com/stmverify/stmverify/light/aggregator"
	"github.com/stmverify/stmverify/light/store/bolt"
)

// The helper process of TestKilledAtRandomMoments, started from the test binary.
const (
	helperStore = "STMVERIFY_TEST_STORE"
	helperURL   = "STMVERIFY_TEST_URL"
)

// runHelper syncs a store as fast as it can until it is killed.
func runHelper() {
	fail := func(err error) {
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	st, err := bolt.Open(os.Getenv(helperStore))
	fail(err)
	p, err := aggregator.New(os.Getenv(helperURL), aggregator.Rate(1e6))
	fail(err)
	trust := chain.Trust{GenesisKey: forge.New("light", "forged").GenesisKey(), Network: "forged"}
	client, err := New(context.Background(), trust, p, st)
	fail(err)
	for {
		if _, err := client.Sync(context.Background(), Newest()); err != nil {
			fail(err)
		}
	}
}

// growing serves a chain that is one certificate longer each time somebody asks for the list.
type growing struct {
	*fakeaggregator.Server
	mu    sync.Mutex
	texts [][]byte // the whole chain, newest first
	shown int
}

func (g *growing) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if filepath.Base(r.URL.Path) == "certificates" {
		g.show(1)
	}
	g.Server.ServeHTTP(w, r)
}

func (g *growing) show(more int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.shown = min(g.shown+more, len(g.texts))
	_ = g.SetChain(g.texts[len(g.texts)-g.shown:])
}

func (g *growing) reset() {
	g.mu.Lock()
	g.shown = 0
	g.mu.Unlock()
	g.show(5)
}

// TestKilledAtRandomMoments kills a process that syncs, 20 times or as often as STMVERIFY_KILLS says, and opens what it
// left behind: every certificate there must be one of the chain, with all its ancestors, and the next sync must complete.
func TestKilledAtRandomMoments(t *testing.T) {
	kills := 20
	if text := os.Getenv("STMVERIFY_KILLS"); text != "" {
		var err error
		kills, err = strconv.Atoi(text)
		must(t, err)
	}
	_, links, c := forged(400)
	known := map[certificate.Hash]bool{}
	for _, link := range links {
		known[link.Hash] = true
	}
	g := &growing{texts: c.texts}
	var err error
	g.Server, err = fakeaggregator.New(c.texts)
	must(t, err)
	h := httptest.NewServer(g)
	defer h.Close()
	_, honest := serve(t, c.texts)

	path := filepath.Join(t.TempDir(), "store")
	unsealed, grown := 0, 0
	g.reset()
	for i := range kills {
		if i%10 == 9 { // now and then from nothing
			if err := bolt.Remove(path); !os.IsNotExist(err) {
				must(t, err)
			}
			g.reset()
		}
		before := count(t, path)
		killHelper(t, path, h.URL, time.Duration(rand.Int64N(int64(120*time.Millisecond))))
		if interrupted(t, path) {
			unsealed++
		}
		after := checkLeft(t, path, known)
		if after > before {
			grown++
		}
		if after < before {
			t.Fatalf("kill %d: %d certificates, %d before", i, after, before)
		}
	}
	t.Logf("%d kills: %d while the file was written, %d after something was stored", kills, unsealed, grown)

	st, err := bolt.Open(path)
	must(t, err)
	defer st.Close()
	if _, err := newClient(t, c, honest, st).Sync(t.Context(), Newest()); err != nil {
		t.Fatal(err)
	}
	if n := len(hashes(t, st)); n != len(links) {
		t.Errorf("after the last sync: %d certificates, want %d", n, len(links))
	}
}

func killHelper(t *testing.T, path, url string, after time.Duration) {
	t.Helper()
	self, err := os.Executable()
	must(t, err)
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), helperStore+"="+path, helperURL+"="+url)
	cmd.Stderr = os.Stderr
	must(t, cmd.Start())
	time.Sleep(20*time.Millisecond + after) // it takes as long to start
	must(t, cmd.Process.Kill())
	if err := cmd.Wait(); cmd.ProcessState.Exited() {
		t.Fatalf("the helper ended by itself: %v", err)
	}
}

func count(t *testing.T, path string) int {
	t.Helper()
	exists, err := bolt.Exists(path)
	must(t, err)
	if !exists {
		return 0
	}
	st, err := bolt.Open(path)
	must(t, err)
	defer st.Close()
	return len(hashes(t, st))
}

// interrupted reports whether a store is there and its seal is missing.
func interrupted(t *testing.T, path string) bool {
	t.Helper()
	sealed, err := bolt.Sealed(path)
	if os.IsNotExist(err) {
		return false
	}
	must(t, err)
	return !sealed
}

func checkLeft(t *testing.T, path string, known map[certificate.Hash]bool) int {
	t.Helper()
	st, err := bolt.Open(path)
	if err != nil {
		t.Fatalf("the store does not open: %v", err)
	}
	defer st.Close()
	n := 0
	for r, err := range st.Records(t.Context()) {
		must(t, err)
		n++
		if !known[r.Hash] {
			t.Fatalf("%s is not of the chain", r.Hash)
		}
		if _, err := st.Raw(t.Context(), r.Hash); err != nil {
			t.Fatal(err)
		}
		if _, err := st.Record(t.Context(), r.PreviousHash); err != nil && !r.Genesis {
			t.Fatalf("%s has no parent: %v", r.Hash, err)
		}
	}
	return n
}
