package light

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"testing"

	"github.com/stmverify/stmverify/certificate"
	"github.com/stmverify/stmverify/light/provider"
	"github.com/stmverify/stmverify/light/store"
	"github.com/stmverify/stmverify/verdict"
)

func TestOptionsAreChecked(t *testing.T) {
	c := small(t)
	p := &moody{texts: c.texts, shown: len(c.texts)}
	for name, option := range map[string]func(int) Option{"certificates": MaxCertificates, "bytes": MaxBytes, "jobs": Jobs} {
		for n, valid := range map[int]bool{-1: false, 0: false, 1: true} {
			if _, err := New(t.Context(), c.trust, p, new(store.Memory), option(n)); (err == nil) != valid {
				t.Errorf("%d %s: got %v", n, name, err)
			}
		}
	}
	if _, err := New(t.Context(), c.trust, nil, new(store.Memory)); err == nil {
		t.Error("no provider is accepted")
	}
	if _, err := New(t.Context(), c.trust, p, nil); err == nil {
		t.Error("no store is accepted")
	}
}

// TestPinOfStore opens a store under pins: none, the right one, another one; and an empty store under a pin.
func TestPinOfStore(t *testing.T) {
	c := small(t)
	_, p := serve(t, c.texts)
	var st store.Memory
	if _, err := newClient(t, c, p, &st).Sync(t.Context(), Newest()); err != nil {
		t.Fatal(err)
	}
	genesis, other := c.hash(t, len(c.texts)-1), certificate.Hash{1}
	for name, test := range map[string]struct {
		store store.Store
		pin   *certificate.Hash
		valid bool
	}{
		"no pin": {&st, nil, true}, "right pin": {&st, &genesis, true}, "another pin": {&st, &other, false}, "empty store": {new(store.Memory), &other, true},
	} {
		trust := c.trust
		trust.GenesisHash = test.pin
		if _, err := New(t.Context(), trust, p, test.store); (err == nil) != test.valid || err != nil && !errors.Is(err, store.ErrOtherIdentity) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// failing is a store of which one method fails.
type failing struct {
	store.Store
	method string
}

var errDisk = errors.New("disk")

func (f *failing) fails(method string) error {
	if f.method == method {
		return errDisk
	}
	return nil
}

func (f *failing) Bind(ctx context.Context, id store.Identity) error {
	return errors.Join(f.fails("bind"), f.Store.Bind(ctx, id))
}

func (f *failing) Identity(ctx context.Context) (store.Identity, error) {
	id, err := f.Store.Identity(ctx)
	return id, errors.Join(f.fails("identity"), err)
}

func (f *failing) Record(ctx context.Context, h certificate.Hash) (*store.Record, error) {
	if err := f.fails("record"); err != nil {
		return nil, err
	}
	return f.Store.Record(ctx, h)
}

func (f *failing) Latest(ctx context.Context) (*store.Record, error) {
	if err := f.fails("latest"); err != nil {
		return nil, err
	}
	return f.Store.Latest(ctx)
}

func (f *failing) Records(ctx context.Context) iter.Seq2[*store.Record, error] {
	if err := f.fails("records"); err != nil {
		return func(yield func(*store.Record, error) bool) { yield(nil, err) }
	}
	return f.Store.Records(ctx)
}

func (f *failing) Commit(ctx context.Context, s store.Segment) error {
	if err := f.fails("commit"); err != nil {
		return err
	}
	return f.Store.Commit(ctx, s)
}

// TestFailingStore returns what a store fails with, from New and from whatever reads or writes it.
func TestFailingStore(t *testing.T) {
	c := small(t)
	_, p := serve(t, c.texts)
	for _, method := range []string{"bind", "identity"} {
		if _, err := New(t.Context(), c.trust, p, &failing{new(store.Memory), method}); !errors.Is(err, errDisk) {
			t.Errorf("New, %s: got %v", method, err)
		}
	}
	for _, method := range []string{"identity", "record", "latest", "records", "commit"} {
		st := &failing{Store: new(store.Memory)}
		client := newClient(t, c, p, st)
		st.method = method
		if _, err := client.Sync(t.Context(), Newest()); !errors.Is(err, errDisk) {
			t.Errorf("Sync, %s: got %v", method, err)
		}
	}
	st := &failing{Store: new(store.Memory)}
	client := newClient(t, c, p, st)
	if _, err := client.Sync(t.Context(), Newest()); err != nil {
		t.Fatal(err)
	}
	st.method = "record"
	if r, err := client.Verify(t.Context(), c.hash(t, 0)); !errors.Is(err, errDisk) || r != nil {
		t.Errorf("Verify: got %v, %v", r, err)
	}
	st.method = "records"
	if r, err := client.Certifies(t.Context(), SignedMessage("x")); !errors.Is(err, errDisk) || r != nil {
		t.Errorf("Certifies: got %v, %v", r, err)
	}
}

// corrupt is a store whose records have lost their keys.
type corrupt struct{ store.Store }

func (s corrupt) Record(ctx context.Context, h certificate.Hash) (*store.Record, error) {
	r, err := s.Store.Record(ctx, h)
	if err == nil {
		r = r.Clone()
		r.AVK = ""
	}
	return r, err
}

// TestCorruptStoreIsNotTheProvidersFault syncs on top of a record that cannot be read.
func TestCorruptStoreIsNotTheProvidersFault(t *testing.T) {
	_, _, c := forged(3)
	_, p := serve(t, c.texts)
	_, err := newClient(t, c, p, corrupt{synced(t, c, c.hash(t, 2))}).Sync(t.Context(), Newest())
	if refused := (*RefusedError)(nil); !errors.Is(err, store.ErrCorrupt) || verdict.Class(err) != nil || errors.As(err, &refused) {
		t.Errorf("got %v, want %v and nothing about the provider", err, store.ErrCorrupt)
	}
}

// links is a provider of texts that say who they are and no more.
type links map[certificate.Hash]string

func link(hash, previous byte, epoch int) string {
	return fmt.Sprintf(`{"hash":"%s","previous_hash":"%s","epoch":%d,"signed_entity_type":{"MithrilStakeDistribution":1}}`,
		certificate.Hash{hash}, certificate.Hash{previous}, epoch)
}

func (l links) Name() string                                    { return "links" }
func (l links) Genesis(context.Context) ([]byte, error)         { return nil, provider.ErrNotFound }
func (l links) Recent(context.Context) ([]provider.Item, error) { return nil, nil }
func (l links) Certificate(_ context.Context, h certificate.Hash) ([]byte, error) {
	if text, ok := l[h]; ok {
		return []byte(text), nil
	}
	return nil, provider.ErrNotFound
}

// TestFetchStopsEarly ends a walk at the first certificate that cannot belong to it, before any signature is looked at.
func TestFetchStopsEarly(t *testing.T) {
	h := func(n byte) certificate.Hash { return certificate.Hash{n} }
	for name, test := range map[string]struct {
		links links
		texts int
		rule  verdict.Rule
	}{
		"another than asked for":  {links{h(1): link(9, 2, 5)}, 1, verdict.RuleRequestedHashMismatch},
		"another than the parent": {links{h(1): link(1, 2, 5), h(2): link(9, 3, 5)}, 2, verdict.RulePreviousHashMismatch},
		"circle":                  {links{h(1): link(1, 2, 5), h(2): link(2, 1, 5)}, 2, verdict.RuleChainLoop},
		"its own parent":          {links{h(1): link(1, 1, 5)}, 1, verdict.RuleChainLoop},
		"parent is newer":         {links{h(1): link(1, 2, 5), h(2): link(2, 3, 6)}, 2, verdict.RuleEpochDecreases},
		"no certificate":          {links{h(1): `{"hash":"x"}`}, 1, verdict.RuleMalformed},
		"too many of an epoch": {links{h(1): link(1, 2, 5), h(2): link(2, 3, 5), h(3): link(3, 4, 5), h(4): link(4, 5, 5)}, 4,
			verdict.RuleChainTooLong},
	} {
		c := small(t)
		client := newClient(t, c, test.links, new(store.Memory))
		f := &fetch{client: client, provider: test.links, tip: h(1), known: func(certificate.Hash) bool { return false }, pieces: make(chan []byte, 99)}
		err := f.run(t.Context())
		var judged *judgement
		if !errors.As(err, &judged) || judged.err.Rule != test.rule || len(f.texts) != test.texts {
			t.Errorf("%s: got %v after %d texts, want %s after %d", name, err, len(f.texts), test.rule, test.texts)
		}
	}
}

// TestFetchBounds asks for walks as long as they may be, and longer.
func TestFetchBounds(t *testing.T) {
	c := small(t)
	p := links{}
	client := newClient(t, c, p, new(store.Memory), MaxCertificates(10), MaxBytes(1000))
	at := func(epoch uint64) provider.Item { return provider.Item{Epoch: epoch} }
	for name, test := range map[string]struct {
		texts, size       int
		first, last, item uint64
		rule              verdict.Rule
	}{
		"all at their bounds":     {10, 1000, 20, 13, 13, ""},
		"a certificate more":      {11, 1000, 20, 12, 12, verdict.RuleChainTooLong},
		"a byte more":             {10, 1001, 20, 13, 13, verdict.RuleLimitExceeded},
		"an epoch less":           {10, 1000, 20, 14, 14, verdict.RuleChainTooLong},
		"an epoch that increases": {5, 100, 20, 15, 16, verdict.RuleEpochDecreases},
	} {
		f := &fetch{client: client, provider: p, texts: make([][]byte, test.texts)}
		err := f.checkBounds(at(test.first), at(test.last), at(test.item), test.size)
		var judged *judgement
		if (err == nil) != (test.rule == "") || err != nil && (!errors.As(err, &judged) || judged.err.Rule != test.rule) {
			t.Errorf("%s: got %v, want %q", name, err, test.rule)
		}
	}
}

// TestEmptyList asks a provider that lists nothing.
func TestEmptyList(t *testing.T) {
	c := small(t)
	if r, err := newClient(t, c, links{}, new(store.Memory)).Sync(t.Context(), Newest()); err == nil {
		t.Errorf("got %v", r)
	}
}
