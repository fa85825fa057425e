package light

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stmverify/stmverify/certificate"
	"github.com/stmverify/stmverify/chain"
	"github.com/stmverify/stmverify/light/provider"
	"github.com/stmverify/stmverify/light/store"
	"github.com/stmverify/stmverify/verdict"
)

// hooked is a provider of which methods do something else.
type hooked struct {
	provider.Provider
	recent  func() // before the answer
	genesis []byte // in place of the answer
}

func (p *hooked) Name() string { return "hooked" }

func (p *hooked) Recent(ctx context.Context) ([]provider.Item, error) {
	if p.recent != nil {
		p.recent()
	}
	return p.Provider.Recent(ctx)
}

func (p *hooked) Genesis(ctx context.Context) ([]byte, error) {
	if p.genesis != nil {
		return p.genesis, nil
	}
	return p.Provider.Genesis(ctx)
}

// synced returns a store with the walk to a certificate.
func synced(t *testing.T, c *testChain, tip certificate.Hash) *store.Memory {
	t.Helper()
	st := new(store.Memory)
	_, p := serve(t, c.texts)
	_, err := newClient(t, c, p, st).Sync(t.Context(), Exactly(tip))
	must(t, err)
	return st
}

// TestVerifyOfAVerifiedCertificateIsNoSync checks that whoever asks for what is known waits for no sync, and starts none.
func TestVerifyOfAVerifiedCertificateIsNoSync(t *testing.T) {
	_, _, c := forged(2)
	tip := c.hash(t, 0)
	_, p := serve(t, c.texts)
	var seen recorder
	client := newClient(t, c, p, synced(t, c, tip), Observe(&seen))
	if r, err := client.Verify(t.Context(), tip); err != nil || r.Hash != tip {
		t.Errorf("got %v, %v", r, err)
	}
	if len(seen.events) != 0 {
		t.Errorf("got events %+v", seen.events)
	}
}

// TestBrokenGenesisOfWitness lets a witness send what is no certificate as its genesis certificate.
func TestBrokenGenesisOfWitness(t *testing.T) {
	_, _, c := forged(2)
	_, p := serve(t, c.texts)
	w := &hooked{Provider: p, genesis: []byte(`{"hash":`)}
	report, err := newClient(t, c, p, new(store.Memory), Witnesses(w)).Sync(t.Context(), Newest())
	must(t, err)
	if got := report.Witnesses[0]; got.Outcome != Faulty || ruleOf(got.Err) != verdict.RuleMalformed {
		t.Errorf("got %+v, want faulty, %s", got, verdict.RuleMalformed)
	}
}

// TestCancelWhileAWitnessAnswers blames no witness for an end that the caller wanted.
func TestCancelWhileAWitnessAnswers(t *testing.T) {
	_, _, c := forged(2)
	_, p := serve(t, c.texts)
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("enough")
	w := &hooked{Provider: p, recent: func() { cancel(why) }}
	var seen recorder
	client := newClient(t, c, p, synced(t, c, c.hash(t, 0)), Witnesses(w), Observe(&seen))
	if report, err := client.Sync(ctx, Newest()); report != nil || !errors.Is(err, why) {
		t.Errorf("got %+v, %v, want the cause", report, err)
	}
	if got := eventsOf[WitnessChecked](&seen); len(got) != 0 {
		t.Errorf("said about a witness: %+v", got)
	}
}

// TestCancelBeforeCommit stores nothing once the caller has enough, also when the store does not ask.
func TestCancelBeforeCommit(t *testing.T) {
	_, _, c := forged(2)
	_, p := serve(t, c.texts)
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("enough")
	var st store.Memory
	client := newClient(t, c, p, &st, Witnesses(&hooked{Provider: p}), Observe(ObserverFunc(func(e Event) {
		if _, ok := e.(WitnessChecked); ok {
			cancel(why)
		}
	})))
	if report, err := client.Sync(ctx, Newest()); report != nil || !errors.Is(err, why) {
		t.Errorf("got %+v, %v, want the cause", report, err)
	}
	if got := hashes(t, &st); got != nil {
		t.Errorf("stored %v", got)
	}
}

// TestScheduleRefusesNegative checks each field below zero, at zero and above.
func TestScheduleRefusesNegative(t *testing.T) {
	for name, schedule := range map[string]func(time.Duration) Schedule{
		"interval":    func(d time.Duration) Schedule { return Schedule{Interval: d} },
		"min backoff": func(d time.Duration) Schedule { return Schedule{MinBackoff: d} },
		"max backoff": func(d time.Duration) Schedule { return Schedule{MaxBackoff: d} },
	} {
		for d, valid := range map[time.Duration]bool{-1: false, 0: true, 1: true} {
			s := schedule(d)
			if err := s.fill(); (err == nil) != valid {
				t.Errorf("%s %s: got %v", name, d, err)
			}
		}
	}
	_, _, c := forged(1)
	_, p := serve(t, c.texts)
	ctx, cancel := context.WithCancel(t.Context())
	client := newClient(t, c, p, new(store.Memory), Observe(ObserverFunc(func(e Event) {
		t.Errorf("it began: %+v", e)
		cancel()
	})))
	if err := client.Watch(ctx, Schedule{Interval: -1}); err == nil {
		t.Error("a watch with a negative interval ended without an error")
	}
}

// TestWatchEndsWhenTheStoreFails does not go on with a store that cannot keep anything.
func TestWatchEndsWhenTheStoreFails(t *testing.T) {
	_, _, c := forged(1)
	_, p := serve(t, c.texts)
	ctx, cancel := context.WithCancel(t.Context())
	client := newClient(t, c, p, &failing{new(store.Memory), "commit"}, Observe(ObserverFunc(func(e Event) {
		if _, ok := e.(Waiting); ok {
			cancel()
		}
	})))
	if err := client.Watch(ctx, Schedule{}); !errors.Is(err, errDisk) {
		t.Errorf("got %v, want the error of the store", err)
	}
}

// TestWatchDoesNothingAfterItsEnd cancels a watch at the end of a sync, and as it begins to wait: nothing follows. A sync would win
// against the end only now and then, so that there are some rounds.
func TestWatchDoesNothingAfterItsEnd(t *testing.T) {
	_, _, c := forged(1)
	_, p := serve(t, c.texts)
	st := synced(t, c, c.hash(t, 0))
	for name, ends := range map[string]func(Event) bool{
		"synced":  func(e Event) bool { _, ok := e.(SyncFinished); return ok },
		"waiting": func(e Event) bool { _, ok := e.(Waiting); return ok },
	} {
		for range 20 {
			ctx, cancel := context.WithCancel(t.Context())
			client := newClient(t, c, p, st, Observe(ObserverFunc(func(e Event) {
				if ctx.Err() != nil {
					t.Errorf("%s: then came %T", name, e)
				}
				if ends(e) {
					cancel()
				}
			})))
			if err := client.Watch(ctx, Schedule{}); !errors.Is(err, context.Canceled) {
				t.Errorf("%s: got %v", name, err)
			}
		}
	}
}

// TestRefusalNamesTheCertificate takes the word of package chain for what is wrong with a walk on top of a store: it says for
// which certificate the parent is wrong.
func TestRefusalNamesTheCertificate(t *testing.T) {
	_, _, c := forged(4)
	_, p := serve(t, c.texts, "wrong:route=certificate,hash="+c.hash(t, 1).String()+",with="+c.hash(t, 0).String())
	_, err := newClient(t, c, p, synced(t, c, c.hash(t, 3))).Sync(t.Context(), Newest())
	var said *chain.Error
	if !errors.As(err, &said) || said.Rule != verdict.RulePreviousHashMismatch || said.Hash != c.hash(t, 0) {
		t.Errorf("got %v, want %s at the tip", err, verdict.RulePreviousHashMismatch)
	}
}

func TestNewCheckpointRefuses(t *testing.T) {
	_, _, c := forged(2)
	r, err := synced(t, c, c.hash(t, 0)).Latest(t.Context())
	must(t, err)
	next := certificate.NextAggregateVerificationKey.String()
	for name, test := range map[string]struct {
		change func(*store.Record)
		valid  bool
	}{
		"as stored":       {func(*store.Record) {}, true},
		"no next key":     {func(r *store.Record) { delete(r.Message, next) }, true},
		"no key":          {func(r *store.Record) { r.AVK = "" }, false},
		"broken key":      {func(r *store.Record) { r.AVK = r.AVK[:len(r.AVK)-2] }, false},
		"broken next key": {func(r *store.Record) { r.Message[next] = r.Message[next][:len(r.Message[next])-2] }, false},
	} {
		changed := r.Clone()
		test.change(changed)
		if checkpoint, err := NewCheckpoint(changed); (err == nil) != test.valid || (checkpoint != nil) != test.valid {
			t.Errorf("%s: got %v, %v", name, checkpoint, err)
		}
	}
}

// TestSegmentNeedsATextForEachCertificate stores no certificate with the text of another.
func TestSegmentNeedsATextForEachCertificate(t *testing.T) {
	_, _, c := forged(3)
	verified, err := chain.VerifyEncoded(t.Context(), each(c.texts), c.trust)
	must(t, err)
	for n, valid := range map[int]bool{2: false, 3: true, 4: false} {
		texts := append(append([][]byte{}, c.texts...), c.texts[0])[:n]
		got, err := segment(verified, &fetch{provider: links{}, texts: texts})
		if (err == nil) != valid || (got != nil) != valid || err != nil && !errors.Is(err, errOther) {
			t.Errorf("%d texts: got %d entries, %v", n, len(got), err)
		}
	}
}
