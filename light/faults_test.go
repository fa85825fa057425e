package light

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stmverify/stmverify/certificate"
	"github.com/stmverify/stmverify/chain"
	"github.com/stmverify/stmverify/light/provider"
	"github.com/stmverify/stmverify/light/store"
	"github.com/stmverify/stmverify/verdict"
)

// TestFaults gives a client each fault of the aggregator and checks the class of the error, who is named, and that the
// store is as it was: empty, and with a part of the chain.
func TestFaults(t *testing.T) {
	c := small(t)
	walk := c.walk(t, 0)
	tests := []struct {
		fault   string
		class   error
		rule    verdict.Rule
		refused bool // the provider is named as one that lied
	}{
		{fault: "status:status=429", class: verdict.ErrUnavailable},
		{fault: "status:status=429,retry-after=9999", class: verdict.ErrUnavailable},
		{fault: "status:status=500", class: verdict.ErrUnavailable},
		{fault: "status:status=412", class: verdict.ErrUnsupported},
		{fault: "not-found", class: verdict.ErrUnavailable, rule: verdict.RuleCertificateNotFound},
		{fault: "reset", class: verdict.ErrUnavailable},
		{fault: "truncate", class: verdict.ErrUnavailable},
		{fault: "broken-gzip", class: verdict.ErrUnavailable},
		{fault: "bad-coding", class: verdict.ErrUnsupported},
		{fault: "redirect:location=http://elsewhere.invalid/", class: verdict.ErrUnavailable},
		{fault: "endless", class: verdict.ErrLimit, rule: verdict.RuleLimitExceeded},
		{fault: "garbage", class: verdict.ErrInvalid, rule: verdict.RuleMalformed, refused: true},
		{fault: "bad-length", class: verdict.ErrInvalid, rule: verdict.RuleMalformed, refused: true},
		{fault: "tamper", class: verdict.ErrInvalid, refused: true},
		{fault: "no-end", class: verdict.ErrInvalid, refused: true},
		{fault: "wrong:with=" + walk[0].String(), class: verdict.ErrInvalid, rule: verdict.RulePreviousHashMismatch, refused: true},
	}
	for _, test := range tests {
		for _, stored := range []int{0, 2} {
			name := test.fault + "/empty"
			if stored > 0 {
				name = test.fault + "/partial"
			}
			t.Run(name, func(t *testing.T) {
				var st store.Memory
				_, honest := serve(t, c.texts)
				if stored > 0 {
					_, err := newClient(t, c, honest, &st).Sync(t.Context(), Exactly(walk[len(walk)-stored]))
					must(t, err)
				}
				before := hashes(t, &st)
				// The last certificate that has to be fetched: all others are good.
				last := walk[len(walk)-stored-1]
				sep := ":"
				if bytes.ContainsRune([]byte(test.fault), ':') {
					sep = ","
				}
				_, p := serve(t, c.texts, test.fault+sep+"route=certificate,hash="+last.String())
				var seen recorder
				_, err := newClient(t, c, p, &st, Observe(&seen)).Sync(t.Context(), Newest())
				if verdict.Class(err) != test.class {
					t.Errorf("got %v, want class %v", err, test.class)
				}
				var refused *RefusedError
				if errors.As(err, &refused) != test.refused || refused != nil && refused.Provider != p.Name() {
					t.Errorf("refused: got %v", err)
				}
				if got := ruleOf(err); test.rule != "" && got != test.rule {
					t.Errorf("got rule %q (%v), want %q", got, err, test.rule)
				}
				if diff := cmp.Diff(before, hashes(t, &st)); diff != "" {
					t.Errorf("the store changed (-before +after):\n%s", diff)
				}
				if got := eventsOf[Committed](&seen); len(got) != 0 {
					t.Errorf("reported as stored: %+v", got)
				}
				if _, err := newClient(t, c, honest, &st).Sync(t.Context(), Newest()); err != nil {
					t.Errorf("the next sync: %v", err)
				}
				if got := len(hashes(t, &st)); got != len(walk) {
					t.Errorf("after the next sync: %d certificates, want %d", got, len(walk))
				}
			})
		}
	}
}

// ruleOf returns the rule that an error names.
func ruleOf(err error) verdict.Rule {
	var c *chain.Error
	var p *provider.Error
	switch {
	case errors.As(err, &c):
		return c.Rule
	case errors.As(err, &p):
		return p.Rule
	}
	return ""
}

// walkBytes returns the bytes of the walk from the first certificate.
func walkBytes(t *testing.T, c *testChain) int {
	t.Helper()
	n := 0
	for _, hash := range c.walk(t, 0) {
		for i, text := range c.texts {
			if c.hash(t, i) == hash {
				n += len(text)
			}
		}
	}
	return n
}

func TestBounds(t *testing.T) {
	c := small(t)
	tests := []struct {
		name   string
		option Option
		rule   verdict.Rule
	}{
		{"certificates", MaxCertificates(5), verdict.RuleChainTooLong},
		{"bytes", MaxBytes(10_000), verdict.RuleLimitExceeded},
		{"bytes, by the last certificate", MaxBytes(walkBytes(t, c) - 1), verdict.RuleLimitExceeded},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, p := serve(t, c.texts)
			var st store.Memory
			_, err := newClient(t, c, p, &st, test.option).Sync(t.Context(), Newest())
			if !errors.Is(err, verdict.ErrLimit) || ruleOf(err) != test.rule {
				t.Errorf("got %v, want %s", err, test.rule)
			}
			if refused := (*RefusedError)(nil); !errors.As(err, &refused) || refused.Provider != p.Name() {
				t.Errorf("got %v, want a RefusedError for %s", err, p.Name())
			}
			if got := hashes(t, &st); got != nil {
				t.Errorf("stored %v", got)
			}
		})
	}
}

// TestNoEndIsStopped lets a provider go on for ever; it must not be asked more than a few times.
func TestNoEndIsStopped(t *testing.T) {
	c := small(t)
	for _, stored := range []bool{false, true} {
		var st store.Memory
		_, honest := serve(t, c.texts)
		if stored {
			_, err := newClient(t, c, honest, &st).Sync(t.Context(), Exactly(c.hash(t, 10)))
			must(t, err)
		}
		server, p := serve(t, c.texts, "no-end:route=certificate")
		_, err := newClient(t, c, p, &st).Sync(t.Context(), Exactly(certificate.Hash{31: 1}))
		if !errors.Is(err, verdict.ErrInvalid) && !errors.Is(err, verdict.ErrLimit) {
			t.Errorf("stored %v: got %v", stored, err)
		}
		if n := server.Requests(""); n > 2*fetchAhead {
			t.Errorf("stored %v: got %d requests", stored, n)
		}
	}
}

// TestFallback takes what the primary provider does not deliver from the witness.
func TestFallback(t *testing.T) {
	c := small(t)
	_, broken := serve(t, c.texts, "status:status=503,route=certificate,after=2")
	_, good := serve(t, c.texts)
	var seen recorder
	report, err := newClient(t, c, broken, new(store.Memory), Witnesses(good), Observe(&seen)).Sync(t.Context(), Newest())
	must(t, err)
	if report.Provider != good.Name() || report.Added != len(c.walk(t, 0)) {
		t.Errorf("got %+v", report)
	}
	if got := eventsOf[SourceFailed](&seen); len(got) != 1 || got[0].Provider != broken.Name() || got[0].Next != good.Name() {
		t.Errorf("events: got %+v", got)
	}
}

// TestLyingPrimaryIsNotReplaced keeps a refusal a refusal.
func TestLyingPrimaryIsNotReplaced(t *testing.T) {
	c := small(t)
	_, liar := serve(t, c.texts, "tamper:route=certificate")
	_, good := serve(t, c.texts)
	_, err := newClient(t, c, liar, new(store.Memory), Witnesses(good)).Sync(t.Context(), Newest())
	var refused *RefusedError
	if !errors.As(err, &refused) || refused.Provider != liar.Name() {
		t.Errorf("got %v, want a RefusedError for %s", err, liar.Name())
	}
}

func TestCancelReturnsSoon(t *testing.T) {
	c := small(t)
	for _, fault := range []string{"silent:route=certificate,after=2", "drip:delay=1h,route=certificate", "latency:delay=1h", "silent:route=certificates"} {
		t.Run(fault, func(t *testing.T) {
			_, p := serve(t, c.texts, fault)
			ctx, cancel := context.WithCancelCause(t.Context())
			why := errors.New("enough")
			reached := make(chan struct{}, 100)
			client := newClient(t, c, p, new(store.Memory), Observe(ObserverFunc(func(Event) { reached <- struct{}{} })))
			done := make(chan error, 1)
			go func() {
				_, err := client.Sync(ctx, Newest())
				done <- err
			}()
			<-reached
			time.Sleep(30 * time.Millisecond)
			cancel(why)
			select {
			case err := <-done:
				if !errors.Is(err, why) {
					t.Errorf("got %v, want the cause", err)
				}
			case <-time.After(time.Second): // 100 ms are promised; this machine may be busy
				t.Error("still running after a second")
			}
		})
	}
}
