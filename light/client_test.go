package light

import (
	"context"
	"errors"
	"net/http/httptest"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/stmverify/stmverify/certificate"
	"github.com/stmverify/stmverify/chain"
	"github.com/stmverify/stmverify/internal/fakeaggregator"
	"github.com/stmverify/stmverify/internal/testkit/vectors"
	"github.com/stmverify/stmverify/light/aggregator"
	"github.com/stmverify/stmverify/light/provider"
	"github.com/stmverify/stmverify/light/store"
	"github.com/stmverify/stmverify/network"
)

func TestMain(m *testing.M) {
	if os.Getenv(helperStore) != "" {
		runHelper()
	}
	goleak.VerifyTestMain(m)
}

// testChain is certificates with the trust under which they verify.
type testChain struct {
	texts [][]byte // newest first
	trust chain.Trust
}

// loadChain reads a folder with certificates and genesis key.
func loadChain(t testing.TB, folder, networkName string) *testChain {
	t.Helper()
	texts, text := vectors.Chain(t, folder)
	key, err := network.ParseKey(text)
	must(t, err)
	return &testChain{texts, chain.Trust{GenesisKey: key, Network: networkName}}
}

func small(t testing.TB) *testChain { return loadChain(t, "testdata/chains/small", "") }

// hash returns the hash of the i-th certificate.
func (c *testChain) hash(t testing.TB, i int) certificate.Hash {
	t.Helper()
	item, _, err := provider.ParseItem(c.texts[i])
	must(t, err)
	return item.Hash
}

// walk returns the certificates from the i-th one to genesis.
func (c *testChain) walk(t testing.TB, i int) []certificate.Hash {
	t.Helper()
	parents := map[certificate.Hash]certificate.Hash{}
	for _, text := range c.texts {
		item, _, err := provider.ParseItem(text)
		must(t, err)
		parents[item.Hash] = item.PreviousHash
	}
	var out []certificate.Hash
	for h := c.hash(t, i); !h.IsZero(); h = parents[h] {
		out = append(out, h)
	}
	return out
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// serve starts a fake aggregator for some certificates and a provider that asks it and does not wait long.
func serve(t testing.TB, texts [][]byte, faults ...string) (*fakeaggregator.Server, *aggregator.Client) {
	t.Helper()
	server, err := fakeaggregator.New(texts)
	must(t, err)
	for _, text := range faults {
		f, err := fakeaggregator.ParseFault(text)
		must(t, err)
		must(t, server.Inject(f))
	}
	h := httptest.NewServer(server)
	t.Cleanup(h.Close)
	c, err := aggregator.New(h.URL+"/aggregator", aggregator.Retries(2), aggregator.Rate(1e6),
		aggregator.Backoff(time.Millisecond, 2*time.Millisecond), aggregator.Timeout(2*time.Second))
	must(t, err)
	t.Cleanup(func() { _ = c.Close() })
	return server, c
}

func newClient(t testing.TB, c *testChain, p provider.Provider, st store.Store, options ...Option) *Client {
	t.Helper()
	client, err := New(context.Background(), c.trust, p, st, options...)
	must(t, err)
	return client
}

// hashes returns the certificates of a store in its order.
func hashes(t testing.TB, st store.Store) []certificate.Hash {
	t.Helper()
	var out []certificate.Hash
	for r, err := range st.Records(context.Background()) {
		must(t, err)
		out = append(out, r.Hash)
	}
	return out
}

// recorder keeps events.
type recorder struct {
	mu     sync.Mutex
	events []Event
}

func (r *recorder) Observe(e Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, e)
}

func eventsOf[E Event](r *recorder) []E {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []E
	for _, e := range r.events {
		if e, ok := e.(E); ok {
			out = append(out, e)
		}
	}
	return out
}

func TestSyncFromEmpty(t *testing.T) {
	c := small(t)
	server, p := serve(t, c.texts)
	var st store.Memory
	var seen recorder
	client := newClient(t, c, p, &st, Observe(&seen))

	_, err := client.Latest(t.Context())
	if !errors.Is(err, store.ErrEmpty) {
		t.Errorf("Latest before a sync: got %v, want ErrEmpty", err)
	}
	report, err := client.Sync(t.Context(), Newest())
	must(t, err)
	want := c.walk(t, 0)
	if diff := cmp.Diff(want, hashes(t, &st)); diff != "" {
		t.Errorf("stored (-want +got):\n%s", diff)
	}
	if report.Added != len(want) || report.Tip.Hash != want[0] || report.Provider != p.Name() || report.Behind {
		t.Errorf("report: got %+v", report)
	}
	if n := server.Requests(""); n != 1+len(want) {
		t.Errorf("got %d requests, want %d", n, 1+len(want))
	}
	for i, hash := range want {
		raw, err := st.Raw(t.Context(), hash)
		must(t, err)
		item, _, err := provider.ParseItem(raw)
		must(t, err)
		if item.Hash != hash {
			t.Errorf("text %d is that of %s", i, item.Hash)
		}
	}
	latest, err := client.Latest(t.Context())
	must(t, err)
	if latest.Hash != want[0] || latest.Epoch != 404 || latest.Message["current_epoch"] != "404" {
		t.Errorf("latest: got %+v", latest)
	}
	if got := eventsOf[Fetched](&seen); len(got) != len(want) || got[0].Hash != want[0] {
		t.Errorf("fetch events: got %+v", got)
	}
	if got := eventsOf[Committed](&seen); len(got) != 1 || got[0].Certificates != len(want) {
		t.Errorf("commit events: got %+v", got)
	}
}

// TestSecondSyncAsksOnce checks that nothing verified is asked for again.
func TestSecondSyncAsksOnce(t *testing.T) {
	c := small(t)
	server, p := serve(t, c.texts)
	client := newClient(t, c, p, new(store.Memory))
	if _, err := client.Sync(t.Context(), Newest()); err != nil {
		t.Fatal(err)
	}
	before := server.Requests("")
	report, err := client.Sync(t.Context(), Newest())
	must(t, err)
	if n := server.Requests("") - before; n != 1 || report.Added != 0 {
		t.Errorf("got %d requests, %d added; want 1, 0", n, report.Added)
	}
}

// TestNewCertificatesCostOneFetchEach grows the chain under the client.
func TestNewCertificatesCostOneFetchEach(t *testing.T) {
	c := small(t)
	all := c.walk(t, 0)
	server, p := serve(t, c.texts[4:]) // from 0e87, the first of epoch 403
	client := newClient(t, c, p, new(store.Memory))
	report, err := client.Sync(t.Context(), Newest())
	must(t, err)
	old := report.Added
	must(t, server.SetChain(c.texts))
	before := server.Requests("")
	report, err = client.Sync(t.Context(), Newest())
	must(t, err)
	if want := len(all) - old; report.Added != want || server.Requests("")-before != 1+want {
		t.Errorf("got %d added for %d requests, want %d for %d", report.Added, server.Requests("")-before, want, 1+want)
	}
}

func TestEveryRecent(t *testing.T) {
	c := small(t)
	_, p := serve(t, c.texts)
	var st store.Memory
	client := newClient(t, c, p, &st)
	report, err := client.Sync(t.Context(), EveryRecent())
	must(t, err)
	if report.Added != len(c.texts) || report.Tip.Hash != c.hash(t, 0) {
		t.Errorf("got %d added, tip %s; want %d, %s", report.Added, report.Tip.Hash, len(c.texts), c.hash(t, 0))
	}
}

func TestVerifyAndTrusted(t *testing.T) {
	c := small(t)
	server, p := serve(t, c.texts)
	client := newClient(t, c, p, new(store.Memory))
	hash := c.hash(t, 5)
	if _, err := client.Trusted(t.Context(), hash); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("Trusted before: got %v, want ErrNotFound", err)
	}
	r, err := client.Verify(t.Context(), hash)
	must(t, err)
	if r.Hash != hash {
		t.Errorf("got %s, want %s", r.Hash, hash)
	}
	before := server.Requests("")
	if _, err := client.Verify(t.Context(), hash); err != nil {
		t.Error(err)
	}
	if _, err := client.Trusted(t.Context(), hash); err != nil {
		t.Error(err)
	}
	if n := server.Requests("") - before; n != 0 {
		t.Errorf("a verified certificate cost %d requests", n)
	}
	if _, err := client.Verify(t.Context(), certificate.Hash{1}); !errors.Is(err, provider.ErrNotFound) {
		t.Errorf("an unknown certificate: got %v, want ErrNotFound", err)
	}
}

func TestCertifies(t *testing.T) {
	c := small(t)
	_, p := serve(t, c.texts)
	client := newClient(t, c, p, new(store.Memory))
	_, err := client.Sync(t.Context(), EveryRecent())
	must(t, err)
	latest, err := client.Latest(t.Context())
	must(t, err)
	root, block := latest.Message["cardano_blocks_transactions_merkle_root"], latest.Message["latest_block_number"]
	if root == "" || block == "" {
		t.Fatalf("the tip has no Merkle root: %v", latest.Message)
	}
	type parts = map[certificate.PartKey]string
	tests := []struct {
		name string
		m    Message
		ok   bool
	}{
		{"signed message", SignedMessage(latest.SignedMessage), true},
		{"root at its block", MessageParts(parts{certificate.CardanoBlocksTransactionsMerkleRoot: root, certificate.LatestBlockNumber: block}), true},
		{"root at another block", MessageParts(parts{certificate.CardanoBlocksTransactionsMerkleRoot: root, certificate.LatestBlockNumber: block + "0"}), false},
		{"another root", MessageParts(parts{certificate.CardanoBlocksTransactionsMerkleRoot: root[1:] + "0", certificate.LatestBlockNumber: block}), false},
		{"root under another name", MessageParts(parts{certificate.CardanoTransactionsMerkleRoot: root}), false},
		{"a part that no certificate has, as empty", MessageParts(parts{certificate.NextAggregateVerificationKeySnark: ""}), false},
		{"nothing", Message{}, false},
		{"no parts", MessageParts(parts{}), false},
		{"another message", SignedMessage(latest.Hash.String()), false},
	}
	for _, test := range tests {
		r, err := client.Certifies(t.Context(), test.m)
		if test.ok && (err != nil || r.Hash != latest.Hash) {
			t.Errorf("%s: got %v, %v", test.name, r, err)
		}
		if !test.ok && (r != nil || !errors.Is(err, ErrNotCertified)) {
			t.Errorf("%s: got %v, %v, want ErrNotCertified", test.name, r, err)
		}
	}
}

func TestOtherKeyIsRefused(t *testing.T) {
	c := small(t)
	_, p := serve(t, c.texts)
	var st store.Memory
	newClient(t, c, p, &st)
	other := c.trust
	other.GenesisKey[0]++
	if _, err := New(t.Context(), other, p, &st); !errors.Is(err, store.ErrOtherIdentity) {
		t.Errorf("another key: got %v, want ErrOtherIdentity", err)
	}
	other = c.trust
	other.Network = "mainnet"
	if _, err := New(t.Context(), other, p, &st); !errors.Is(err, store.ErrOtherIdentity) {
		t.Errorf("another network: got %v, want ErrOtherIdentity", err)
	}
	client := newClient(t, c, p, &st)
	if _, err := client.Sync(t.Context(), Newest()); err != nil {
		t.Fatal(err)
	}
	other = c.trust
	other.GenesisHash = &certificate.Hash{1}
	if _, err := New(t.Context(), other, p, &st); !errors.Is(err, store.ErrOtherIdentity) {
		t.Errorf("another genesis pin: got %v, want ErrOtherIdentity", err)
	}
}

// TestCheckpoint starts a fresh client from a certificate in the middle.
func TestCheckpoint(t *testing.T) {
	c := small(t)
	_, p := serve(t, c.texts)
	full := newClient(t, c, p, new(store.Memory))
	_, err := full.Sync(t.Context(), Newest())
	must(t, err)
	walk := c.walk(t, 0)
	middle, err := full.Trusted(t.Context(), walk[3])
	must(t, err)
	from := *c
	from.trust.Checkpoint, err = NewCheckpoint(middle)
	must(t, err)
	server, p := serve(t, c.texts)
	var st store.Memory
	client := newClient(t, &from, p, &st)
	report, err := client.Sync(t.Context(), Newest())
	must(t, err)
	if report.Added != 3 || server.Requests("") != 4 {
		t.Errorf("got %d added for %d requests, want 3 for 4", report.Added, server.Requests(""))
	}
	if diff := cmp.Diff(walk[:3], hashes(t, &st)); diff != "" {
		t.Errorf("stored (-want +got):\n%s", diff)
	}
}

// TestPrunedStoreGoesOn syncs a chain on top of a store that has forgotten its beginning.
func TestPrunedStoreGoesOn(t *testing.T) {
	c := small(t)
	server, p := serve(t, c.texts[4:])
	var st store.Memory
	client := newClient(t, c, p, &st)
	_, err := client.Sync(t.Context(), Newest())
	must(t, err)
	if n, err := st.Prune(t.Context(), 403); err != nil || n == 0 {
		t.Fatalf("Prune: %d, %v", n, err)
	}
	must(t, server.SetChain(c.texts))
	before := server.Requests("")
	_, err = client.Sync(t.Context(), Newest())
	must(t, err)
	if n := server.Requests("") - before; n != 3 {
		t.Errorf("got %d requests, want 3", n)
	}
	if diff := cmp.Diff(c.walk(t, 0)[:3], hashes(t, &st)); diff != "" {
		t.Errorf("stored (-want +got):\n%s", diff)
	}
}

func TestWatch(t *testing.T) {
	c := small(t)
	server, p := serve(t, c.texts[4:], "status:status=500,route=certificates,times=9")
	var st store.Memory
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var waits []Waiting
	grown := false
	client := newClient(t, c, p, &st, Observe(ObserverFunc(func(e Event) {
		w, ok := e.(Waiting)
		if !ok {
			return
		}
		waits = append(waits, w)
		switch {
		case w.Err == nil && !grown:
			grown = true
			_ = server.SetChain(c.texts)
		case w.Err == nil:
			cancel()
		}
	})))
	err := client.Watch(ctx, Schedule{Interval: time.Millisecond, MinBackoff: time.Millisecond, MaxBackoff: 4 * time.Millisecond})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
	var failures []int
	for _, w := range waits {
		failures = append(failures, w.Failures)
	}
	if want := []int{1, 2, 3, 0, 0}; !slices.Equal(failures, want) { // three requests a sync
		t.Errorf("failures: got %v, want %v", failures, want)
	}
	if diff := cmp.Diff(c.walk(t, 0), hashes(t, &st)); diff != "" {
		t.Errorf("stored (-want +got):\n%s", diff)
	}
}

func TestScheduleGrowsAndIsBounded(t *testing.T) {
	s := Schedule{Interval: 8 * time.Second, MinBackoff: time.Second, MaxBackoff: 5 * time.Second}
	must(t, s.fill())
	for failures, most := range map[int]time.Duration{0: 8 * time.Second, 1: time.Second, 2: 2 * time.Second, 3: 4 * time.Second, 4: 5 * time.Second, 99: 5 * time.Second} {
		for range 50 {
			if got := s.wait(failures); got > most || got < most-most/8-1 {
				t.Fatalf("after %d failures: got %s, want up to %s", failures, got, most)
			}
		}
	}
}

func TestSyncsWaitForOneAnother(t *testing.T) {
	c := small(t)
	server, p := serve(t, c.texts, "latency:delay=2ms")
	client := newClient(t, c, p, new(store.Memory))
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			if _, err := client.Sync(t.Context(), Newest()); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if n := server.Requests(fakeaggregator.RouteCertificate); n != len(c.walk(t, 0)) {
		t.Errorf("got %d fetches, want %d", n, len(c.walk(t, 0)))
	}
}
