package aggregator

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/stmverify/stmverify/certificate"
	"github.com/stmverify/stmverify/internal/fakeaggregator"
	"github.com/stmverify/stmverify/internal/limits"
	"github.com/stmverify/stmverify/light/provider"
	"github.com/stmverify/stmverify/verdict"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// madeUp returns n certificates, newest first, that have nothing but the fields a provider looks at.
func madeUp(n int) [][]byte {
	var out [][]byte
	for i := n - 1; i >= 0; i-- {
		parent, genesis, multi := name(i-1).String(), "", strings.Repeat("ab", 2000)
		if i == 0 {
			parent, genesis, multi = "", "00ff", ""
		}
		out = append(out, fmt.Appendf(nil, `{"hash":%q,"previous_hash":%q,"epoch":%d,"signed_entity_type":{"MithrilStakeDistribution": %d},`+
			`"signed_message":"m%d","metadata":{"signers":[{},{}]},"multi_signature":%q,"genesis_signature":%q}`,
			name(i), parent, 100+i, 100+i, i, multi, genesis))
	}
	return out
}

func name(i int) certificate.Hash { return certificate.Hash{31: byte(i + 1)} }

// start serves a made-up chain and returns a client for it that does not wait long.
func start(t *testing.T, faults []fakeaggregator.Fault, options ...Option) (*fakeaggregator.Server, *Client) {
	t.Helper()
	server, err := fakeaggregator.New(madeUp(30), faults...)
	if err != nil {
		t.Fatal(err)
	}
	h := httptest.NewServer(server)
	t.Cleanup(h.Close)
	options = append([]Option{Backoff(time.Millisecond, 4*time.Millisecond), Retries(3)}, options...)
	return server, client(t, h.URL+"/aggregator", options...)
}

func client(t *testing.T, url string, options ...Option) *Client {
	t.Helper()
	c, err := New(url, options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func TestHonestAnswers(t *testing.T) {
	server, c := start(t, nil)
	want := madeUp(30)

	got, err := c.Certificate(t.Context(), name(7))
	if err != nil || !bytes.Equal(got, want[22]) {
		t.Errorf("Certificate: got %s, %v", got, err)
	}
	got, err = c.Genesis(t.Context())
	if err != nil || !bytes.Equal(got, want[29]) {
		t.Errorf("Genesis: got %s, %v", got, err)
	}
	items, err := c.Recent(t.Context())
	if err != nil || len(items) != 20 {
		t.Fatalf("Recent: got %d items, %v", len(items), err)
	}
	first := provider.Item{
		Hash: name(29), PreviousHash: name(28), Epoch: 129,
		SignedEntityType: `{"MithrilStakeDistribution":129}`, SignedMessage: "m29",
	}
	if diff := cmp.Diff(first, items[0]); diff != "" {
		t.Errorf("first item (-want +got):\n%s", diff)
	}
	if n := server.Requests(""); n != 3 {
		t.Errorf("got %d requests, want 3", n)
	}
}

func TestCodings(t *testing.T) {
	want := madeUp(30)[22]
	for _, coding := range []string{"zstd", "gzip", "identity"} {
		t.Run(coding, func(t *testing.T) {
			server, err := fakeaggregator.New(madeUp(30))
			if err != nil {
				t.Fatal(err)
			}
			h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				r.Header.Set("Accept-Encoding", coding)
				server.ServeHTTP(w, r)
			}))
			defer h.Close()
			got, err := client(t, h.URL).Certificate(t.Context(), name(7))
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("got %s, %v", got, err)
			}
		})
	}
}

func TestHeaders(t *testing.T) {
	var seen http.Header
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen = r.Header
		_, _ = io.WriteString(w, "[]")
	}))
	defer h.Close()
	if _, err := client(t, h.URL, UserAgent("bridge/1"), Origin("BRIDGE")).Recent(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := []string{seen.Get("User-Agent"), seen.Get("Mithril-Origin-Tag"), seen.Get("Accept-Encoding")}
	if diff := cmp.Diff([]string{"bridge/1", "BRIDGE", "zstd, gzip"}, got); diff != "" {
		t.Errorf("headers (-want +got):\n%s", diff)
	}
}

// TestFaults checks, for each fault that lasts, the class, the rule and how often the client asked; and for those worth a
// retry that two of them are survived.
func TestFaults(t *testing.T) {
	const all, once = 4, 1 // attempts with Retries(3)
	tests := []struct {
		fault    string
		class    error
		rule     verdict.Rule
		attempts int
		options  []Option
	}{
		{fault: "status:status=429", class: verdict.ErrUnavailable, attempts: all},
		{fault: "status:status=429,retry-after=0", class: verdict.ErrUnavailable, attempts: all},
		{fault: "status:status=429,retry-after=3600", class: verdict.ErrUnavailable, attempts: once},
		{fault: "status:status=500", class: verdict.ErrUnavailable, attempts: all},
		{fault: "status:status=503", class: verdict.ErrUnavailable, attempts: all},
		{fault: "status:status=403", class: verdict.ErrUnavailable, attempts: once},
		{fault: "status:status=204", class: verdict.ErrUnavailable, attempts: once},
		{fault: "status:status=412", class: verdict.ErrUnsupported, rule: verdict.RuleUnsupported, attempts: once},
		{fault: "not-found", class: verdict.ErrUnavailable, rule: verdict.RuleCertificateNotFound, attempts: once},
		{fault: "reset", class: verdict.ErrUnavailable, attempts: all},
		{fault: "truncate", class: verdict.ErrUnavailable, attempts: all},
		{fault: "endless", class: verdict.ErrLimit, rule: verdict.RuleLimitExceeded, attempts: once},
		{fault: "bomb", class: verdict.ErrLimit, rule: verdict.RuleLimitExceeded, attempts: once},
		{fault: "drip:delay=5ms", class: verdict.ErrUnavailable, attempts: all, options: []Option{Timeout(30 * time.Millisecond)}},
		{fault: "silent", class: verdict.ErrUnavailable, attempts: all, options: []Option{Timeout(30 * time.Millisecond)}},
		{fault: "broken-gzip", class: verdict.ErrUnavailable, attempts: all},
		{fault: "bad-coding", class: verdict.ErrUnsupported, rule: verdict.RuleUnsupported, attempts: once},
		{fault: "huge-header", class: verdict.ErrUnavailable, attempts: all},
		{fault: "redirect:location=http://elsewhere.invalid/x", class: verdict.ErrUnavailable, attempts: once},
		{fault: "redirect:location=/elsewhere/certificate/genesis", class: verdict.ErrUnavailable, attempts: once},
	}
	for _, test := range tests {
		t.Run(test.fault, func(t *testing.T) {
			f, err := fakeaggregator.ParseFault(test.fault)
			if err != nil {
				t.Fatal(err)
			}
			// One connection a request: net/http itself repeats a request on a kept connection that was reset.
			single := newTransport()
			single.DisableKeepAlives = true
			options := append([]Option{Transport(single)}, test.options...)
			_, c := start(t, []fakeaggregator.Fault{f}, options...)
			body, err := c.Certificate(t.Context(), name(7))
			var failure *provider.Error
			if body != nil || !errors.As(err, &failure) {
				t.Fatalf("got %d bytes, error %v, want a provider.Error", len(body), err)
			}
			if verdict.Class(err) != test.class || failure.Rule != test.rule || failure.Attempts != test.attempts {
				t.Errorf("got class %v, rule %q, %d attempts (%v); want %v, %q, %d",
					verdict.Class(err), failure.Rule, failure.Attempts, err, test.class, test.rule, test.attempts)
			}
			if failure.Provider != c.Name() || failure.Hash != name(7) {
				t.Errorf("the error names %q and %v", failure.Provider, failure.Hash)
			}
			if test.attempts != all {
				return
			}
			f.Times = 2
			// The third answer is honest and must be in time on a busy machine.
			server, c := start(t, []fakeaggregator.Fault{f}, append(options, Timeout(time.Second))...)
			body, err = c.Certificate(t.Context(), name(7))
			if err != nil || !bytes.Equal(body, madeUp(30)[22]) {
				t.Errorf("after two faults: got %d bytes, %v", len(body), err)
			}
			if n := server.Requests(""); n != 3 {
				t.Errorf("after two faults: got %d requests, want 3", n)
			}
		})
	}
}

func TestRedirects(t *testing.T) {
	var elsewhere atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { elsewhere.Add(1) }))
	defer other.Close()
	mux := http.NewServeMux()
	mux.HandleFunc("/a/certificates", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/b", http.StatusFound) })
	mux.HandleFunc("/b", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "[]") })
	mux.HandleFunc("/c/certificates", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL, http.StatusFound)
	})
	mux.HandleFunc("/d/certificates", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/d/certificates", http.StatusFound)
	})
	h := httptest.NewServer(mux)
	defer h.Close()

	if _, err := client(t, h.URL+"/a").Recent(t.Context()); err != nil {
		t.Errorf("within the origin: %v", err)
	}
	for _, path := range []string{"/c", "/d"} {
		_, err := client(t, h.URL+path, Retries(0)).Recent(t.Context())
		if !errors.Is(err, errRedirect) {
			t.Errorf("%s: got %v, want a refused redirect", path, err)
		}
	}
	if n := elsewhere.Load(); n != 0 {
		t.Errorf("the other origin got %d requests", n)
	}
}

func TestEndpoints(t *testing.T) {
	tests := []struct {
		endpoint string
		plain    bool
		ok       bool
	}{
		{endpoint: "https://aggregator.example/aggregator", ok: true},
		{endpoint: "http://127.0.0.1:8080", ok: true},
		{endpoint: "http://[::1]:8080/x/", ok: true},
		{endpoint: "http://localhost:8080", ok: true},
		{endpoint: "http://aggregator.example"},
		{endpoint: "http://localhost.example"},
		{endpoint: "http://aggregator.example", plain: true, ok: true},
		{endpoint: "ftp://aggregator.example", plain: true},
		{endpoint: "aggregator.example"},
		{endpoint: "https://aggregator.example?x=1"},
		{endpoint: ""},
	}
	for _, test := range tests {
		var options []Option
		if test.plain {
			options = append(options, PlainHTTP())
		}
		if _, err := New(test.endpoint, options...); (err == nil) != test.ok {
			t.Errorf("New(%q, plain %v): got %v", test.endpoint, test.plain, err)
		}
	}
	c := client(t, "https://user:secret@aggregator.example")
	if strings.Contains(c.Name(), "secret") {
		t.Errorf("the name holds the password: %s", c.Name())
	}
}

func TestNoAggregatorThere(t *testing.T) {
	h := httptest.NewServer(http.NotFoundHandler())
	defer h.Close()
	_, err := client(t, h.URL).Recent(t.Context())
	if !errors.Is(err, verdict.ErrUnavailable) || errors.Is(err, provider.ErrNotFound) {
		t.Errorf("got %v, want an unexpected status", err)
	}
}

func TestListRefused(t *testing.T) {
	item := `{"hash":"` + name(1).String() + `","previous_hash":"","epoch":1,"signed_entity_type":{"MithrilStakeDistribution":1}}`
	tests := []struct {
		name, body string
		class      error
	}{
		{"not JSON", "<html>", verdict.ErrInvalid},
		{"an object", "{}", verdict.ErrInvalid},
		{"short hash", `[{"hash":"ab","signed_entity_type":1}]`, verdict.ErrInvalid},
		{"bad previous hash", strings.Replace("["+item+"]", `"previous_hash":""`, `"previous_hash":"x"`, 1), verdict.ErrInvalid},
		{"no entity type", strings.Replace("["+item+"]", "signed_entity_type", "other", 1), verdict.ErrInvalid},
		{"too many", "[" + strings.Repeat(item+",", limits.MaxListItems) + item + "]", verdict.ErrLimit},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, test.body) }))
			defer h.Close()
			items, err := client(t, h.URL).Recent(t.Context())
			if items != nil || verdict.Class(err) != test.class {
				t.Errorf("got %d items, %v, want class %v", len(items), err, test.class)
			}
		})
	}
}

func TestRetryAfterForms(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	tests := map[string]time.Duration{
		"":                              0,
		"0":                             0,
		"120":                           2 * time.Minute,
		"-1":                            0,
		"1e3":                           0,
		"99999999999999999999":          0,
		"Mon, 30 Nov 2026 12:00:30 GMT": 30 * time.Second,
		"Mon, 30 Nov 2026 11:00:00 GMT": 0,
	}
	for text, want := range tests {
		if got := parseRetryAfter(text, now); got != want {
			t.Errorf("parseRetryAfter(%q): got %s, want %s", text, got, want)
		}
	}
}

func TestRetryAfterIsWaitedFor(t *testing.T) {
	var waits []time.Duration
	fault := fakeaggregator.Fault{Kind: fakeaggregator.Status, Status: 429, RetryAfter: "1", Times: 1}
	_, c := start(t, []fakeaggregator.Fault{fault}, OnRetry(func(r Retry) { waits = append(waits, r.Wait) }))
	if _, err := c.Genesis(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(waits) != 1 || waits[0] != time.Second {
		t.Errorf("waited %v, want once for 1s", waits)
	}
}

func TestBackoffGrowsAndIsBounded(t *testing.T) {
	c := client(t, "https://aggregator.example", Backoff(100*time.Millisecond, time.Second))
	for n, most := range map[int]time.Duration{1: 100 * time.Millisecond, 2: 200 * time.Millisecond, 4: 800 * time.Millisecond, 5: time.Second, 100: time.Second} {
		for range 100 {
			if got := c.backoff(n); got < most/2 || got > most {
				t.Fatalf("backoff(%d): got %s, want from %s to %s", n, got, most/2, most)
			}
		}
	}
}

func TestCancelEndsARequest(t *testing.T) {
	for _, fault := range []string{"silent", "endless", "drip:delay=1h", "latency:delay=1h", "status:status=429,retry-after=50"} {
		t.Run(fault, func(t *testing.T) {
			f, err := fakeaggregator.ParseFault(fault)
			if err != nil {
				t.Fatal(err)
			}
			waiting := make(chan struct{}, 1)
			_, c := start(t, []fakeaggregator.Fault{f}, OnRetry(func(Retry) { waiting <- struct{}{} }))
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if fault == "status:status=429,retry-after=50" {
				go func() { <-waiting; cancel() }()
			} else {
				go func() { time.Sleep(20 * time.Millisecond); cancel() }()
			}
			if _, err := c.Certificate(ctx, name(3)); fault != "endless" && !errors.Is(err, context.Canceled) {
				t.Errorf("got %v, want context.Canceled", err)
			}
		})
	}
}

// TestBombMemory holds the memory of a body that expands without end to a few times the body limit.
func TestBombMemory(t *testing.T) {
	_, c := start(t, []fakeaggregator.Fault{{Kind: fakeaggregator.Bomb}})
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	if _, err := c.Certificate(t.Context(), name(3)); !errors.Is(err, verdict.ErrLimit) {
		t.Fatalf("got %v", err)
	}
	runtime.ReadMemStats(&after)
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 64<<20 {
		t.Errorf("allocated %d MiB for a bomb", grown>>20)
	}
}

func TestRateIsBounded(t *testing.T) {
	_, c := start(t, nil, Rate(0.001))
	for range 10 { // the burst
		if _, err := c.Genesis(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := c.Genesis(ctx); err == nil {
		t.Error("an eleventh request within the second was made")
	}
}

func FuzzParseList(f *testing.F) {
	server, err := fakeaggregator.New(madeUp(2))
	if err != nil {
		f.Fatal(err)
	}
	w := httptest.NewRecorder()
	server.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/certificates", nil))
	f.Add(w.Body.Bytes())
	f.Add([]byte(`[{"hash":null,"epoch":-1}]`))
	f.Fuzz(func(t *testing.T, body []byte) {
		items, err := parseList(body)
		if err != nil {
			if verdict.Class(err) == nil {
				t.Errorf("error without a class: %v", err)
			}
			return
		}
		for _, item := range items {
			if !json.Valid([]byte(item.SignedEntityType)) {
				t.Errorf("entity type %q is not JSON", item.SignedEntityType)
			}
		}
	})
}
