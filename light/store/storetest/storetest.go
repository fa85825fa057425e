// Package storetest checks that an implementation of store.Store keeps its contract. It serves the stores of this module
// and those of other programs.
package storetest

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stmverify/stmverify/certificate"
	"github.com/stmverify/stmverify/light/store"
)

// Identity is what [Run] ties stores to.
func Identity() store.Identity {
	return store.Identity{GenesisKey: [32]byte{1, 2, 3}, Network: "test"}
}

// Hash returns the hash of the made-up certificate with this name.
func Hash(name string) certificate.Hash {
	var h certificate.Hash
	copy(h[:], name)
	return h
}

// Entry returns a made-up certificate. The parent is empty for a genesis certificate.
func Entry(name, parent string, epoch uint64) store.Entry {
	r := store.Record{
		Hash: Hash(name), Epoch: epoch, Genesis: parent == "", SignedMessage: fmt.Sprintf("%064x", name),
		Message:    map[string]string{"current_epoch": fmt.Sprint(epoch), "snapshot_digest": name},
		AVK:        "7b7d",
		Parameters: store.Parameters{K: 5, M: 100, PhiF: 0.65},
		Unsigned:   store.Unsigned{SignedEntityType: fmt.Sprintf(`{"MithrilStakeDistribution":%d}`, epoch), Network: "test"},
	}
	if parent != "" {
		r.PreviousHash = Hash(parent)
	}
	r.SignedMessage = r.SignedMessage[:64]
	return store.Entry{Record: r, Raw: []byte(`{"hash":"` + r.Hash.String() + `"}`)}
}

// Chain returns a walk from epoch last down to the genesis certificate at epoch first, one certificate an epoch.
func Chain(first, last uint64) store.Segment {
	var s store.Segment
	for epoch := last; epoch > first; epoch-- {
		s = append(s, Entry(fmt.Sprint("c", epoch), fmt.Sprint("c", epoch-1), epoch))
	}
	return append(s, Entry(fmt.Sprint("c", first), "", first))
}

// Run checks the contract on fresh stores from open. A reopen, when it is not nil, closes a store and opens what it left.
func Run(t *testing.T, open func(t *testing.T) store.Store, reopen func(t *testing.T, s store.Store) store.Store) {
	if reopen == nil {
		reopen = func(_ *testing.T, s store.Store) store.Store { return s }
	}
	tests := []struct {
		name string
		run  func(t *testing.T, s store.Store, again func() store.Store)
	}{
		{"empty", testEmpty}, {"bind", testBind}, {"commit", testCommit}, {"grow", testGrow}, {"refuse", testRefuse},
		{"checkpoint", testCheckpoint}, {"prune", testPrune}, {"close", testClose},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := open(t)
			test.run(t, s, func() store.Store {
				s = reopen(t, s)
				return s
			})
			if err := s.Close(); err != nil {
				t.Errorf("Close: %v", err)
			}
		})
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func want(t *testing.T, err, target error) {
	t.Helper()
	if !errors.Is(err, target) {
		t.Errorf("got error %v, want %v", err, target)
	}
}

// names returns the records of a store in order, by name.
func names(t *testing.T, s store.Store) []string {
	t.Helper()
	var out []string
	for r, err := range s.Records(t.Context()) {
		must(t, err)
		out = append(out, r.Message["snapshot_digest"])
	}
	return out
}

func testEmpty(t *testing.T, s store.Store, again func() store.Store) {
	for range 2 {
		_, err := s.Latest(t.Context())
		want(t, err, store.ErrEmpty)
		_, err = s.Record(t.Context(), Hash("c1"))
		want(t, err, store.ErrNotFound)
		_, err = s.Raw(t.Context(), Hash("c1"))
		want(t, err, store.ErrNotFound)
		want(t, s.Commit(t.Context(), Chain(1, 2)), store.ErrSegment) // not bound yet
		if got := names(t, s); got != nil {
			t.Errorf("an empty store has records %v", got)
		}
		s = again()
	}
}

func testBind(t *testing.T, s store.Store, again func() store.Store) {
	must(t, s.Bind(t.Context(), Identity()))
	s = again()
	must(t, s.Bind(t.Context(), Identity()))
	refuseOthers(t, s) // although it is empty: somebody relies on the Bind above
	got, err := s.Identity(t.Context())
	must(t, err)
	if diff := cmp.Diff(Identity(), got); diff != "" {
		t.Errorf("identity (-want +got):\n%s", diff)
	}
	must(t, s.Commit(t.Context(), Chain(1, 2)))
	refuseOthers(t, again())
}

// refuseOthers fails unless the store refuses each identity that differs from [Identity] in one field.
func refuseOthers(t *testing.T, s store.Store) {
	t.Helper()
	for i, change := range []func(*store.Identity){
		func(id *store.Identity) { id.GenesisKey[31]++ },
		func(id *store.Identity) { id.Network = "other" },
		func(id *store.Identity) { id.Checkpoint = Hash("c1") },
	} {
		other := Identity()
		change(&other)
		if err := s.Bind(t.Context(), other); !errors.Is(err, store.ErrOtherIdentity) {
			t.Errorf("change %d: got %v, want ErrOtherIdentity", i, err)
		}
	}
}

func testCommit(t *testing.T, s store.Store, again func() store.Store) {
	chain := Chain(1, 4)
	must(t, s.Bind(t.Context(), Identity()))
	must(t, s.Commit(t.Context(), chain))
	s = again()
	for i := range chain {
		r, err := s.Record(t.Context(), chain[i].Record.Hash)
		must(t, err)
		if diff := cmp.Diff(&chain[i].Record, r); diff != "" {
			t.Errorf("record %d (-want +got):\n%s", i, diff)
		}
		raw, err := s.Raw(t.Context(), chain[i].Record.Hash)
		must(t, err)
		if diff := cmp.Diff(chain[i].Raw, raw); diff != "" {
			t.Errorf("text %d (-want +got):\n%s", i, diff)
		}
	}
	latest, err := s.Latest(t.Context())
	must(t, err)
	if latest.Hash != Hash("c4") {
		t.Errorf("latest: got %s", latest.Message)
	}
	id, err := s.Identity(t.Context())
	must(t, err)
	if id.Genesis != Hash("c1") {
		t.Errorf("genesis: got %s, want %s", id.Genesis, Hash("c1"))
	}
}

func testGrow(t *testing.T, s store.Store, again func() store.Store) {
	must(t, s.Bind(t.Context(), Identity()))
	must(t, s.Commit(t.Context(), Chain(1, 3)))
	must(t, s.Commit(t.Context(), store.Segment{Entry("a", "c3", 4), Entry("b", "c3", 4)}[1:]))
	must(t, s.Commit(t.Context(), store.Segment{Entry("a", "c3", 4)}))
	must(t, s.Commit(t.Context(), store.Segment{Entry("old", "c1", 2)})) // a sibling of an older epoch
	s = again()
	latest, err := s.Latest(t.Context())
	must(t, err)
	if latest.Hash != Hash("a") {
		t.Errorf("latest: got %v, want a", latest.Message)
	}
	if diff := cmp.Diff([]string{"a", "b", "c3", "old", "c2", "c1"}, names(t, s)); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
}

func testRefuse(t *testing.T, s store.Store, again func() store.Store) {
	must(t, s.Bind(t.Context(), Identity()))
	must(t, s.Commit(t.Context(), Chain(1, 3)))
	noMessage := Entry("x", "c3", 4)
	noMessage.Record.Message = nil
	tests := map[string]store.Segment{
		"empty":               nil,
		"already stored":      {Entry("c3", "c2", 3)},
		"unknown parent":      {Entry("x", "y", 4)},
		"broken link":         {Entry("y", "z", 4), Entry("x", "c3", 4)},
		"epoch gap":           {Entry("x", "c3", 5)},
		"epoch gap inside":    {Entry("y", "x", 6), Entry("x", "c3", 4)},
		"epoch decreases":     {Entry("x", "c3", 2)},
		"decreases inside":    {Entry("y", "x", 3), Entry("x", "c3", 4)},
		"other genesis":       {Entry("x", "g", 2), Entry("g", "", 1)},
		"no message":          {noMessage},
		"good, then unstored": {Entry("y", "x", 4), Entry("x", "w", 4)},
	}
	for name, segment := range tests {
		if err := s.Commit(t.Context(), segment); !errors.Is(err, store.ErrSegment) {
			t.Errorf("%s: got %v, want ErrSegment", name, err)
		}
	}
	s = again()
	if diff := cmp.Diff([]string{"c3", "c2", "c1"}, names(t, s)); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
}

func testCheckpoint(t *testing.T, s store.Store, again func() store.Store) {
	id := Identity()
	id.Checkpoint = Hash("c9")
	must(t, s.Bind(t.Context(), id))
	must(t, s.Commit(t.Context(), store.Segment{Entry("c11", "c10", 11), Entry("c10", "c9", 10)}))
	s = again()
	must(t, s.Commit(t.Context(), store.Segment{Entry("other", "c9", 10)}))
	want(t, s.Commit(t.Context(), store.Segment{Entry("x", "c8", 9)}), store.ErrSegment)
	if diff := cmp.Diff([]string{"c11", "other", "c10"}, names(t, s)); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
}

func testPrune(t *testing.T, s store.Store, again func() store.Store) {
	must(t, s.Bind(t.Context(), Identity()))
	must(t, s.Commit(t.Context(), Chain(1, 6)))
	for _, step := range []struct {
		before uint64
		n      int
	}{{0, 0}, {4, 3}, {4, 0}, {100, 2}, {100, 0}} {
		n, err := s.Prune(t.Context(), step.before)
		must(t, err)
		if n != step.n {
			t.Errorf("Prune(%d): removed %d, want %d", step.before, n, step.n)
		}
		s = again()
		if latest, err := s.Latest(t.Context()); err != nil || latest.Hash != Hash("c6") {
			t.Fatalf("after Prune(%d): latest %v, %v", step.before, latest, err)
		}
	}
	must(t, s.Commit(t.Context(), store.Segment{Entry("c7", "c6", 7)}))
	want(t, s.Commit(t.Context(), store.Segment{Entry("h", "g", 2), Entry("g", "", 1)}), store.ErrSegment)
	s = again()
	if diff := cmp.Diff([]string{"c7", "c6"}, names(t, s)); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
	id, err := s.Identity(t.Context())
	must(t, err)
	if id.Genesis != Hash("c1") {
		t.Errorf("genesis after pruning: got %s", id.Genesis)
	}
}

func testClose(t *testing.T, s store.Store, _ func() store.Store) {
	must(t, s.Bind(t.Context(), Identity()))
	must(t, s.Commit(t.Context(), Chain(1, 3)))
	must(t, s.Close())
	ctx := context.Background()
	_, err := s.Latest(ctx)
	want(t, err, store.ErrClosed)
	_, err = s.Record(ctx, Hash("c1"))
	want(t, err, store.ErrClosed)
	_, err = s.Raw(ctx, Hash("c1"))
	want(t, err, store.ErrClosed)
	want(t, s.Commit(ctx, store.Segment{Entry("c4", "c3", 4)}), store.ErrClosed)
	want(t, s.Bind(ctx, Identity()), store.ErrClosed)
	_, err = s.Prune(ctx, 2)
	want(t, err, store.ErrClosed)
	for _, err := range s.Records(ctx) {
		want(t, err, store.ErrClosed)
	}
}
