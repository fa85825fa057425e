package store_test

import (
	"errors"
	"testing"

	"github.com/stmverify/stmverify/light/store"
	"github.com/stmverify/stmverify/light/store/storetest"
)

func TestMemory(t *testing.T) {
	storetest.Run(t, func(*testing.T) store.Store { return new(store.Memory) }, nil)
}

// TestRestoredRebinds ties a store that was read back to another identity, which is for an empty one only.
func TestRestoredRebinds(t *testing.T) {
	other := store.Identity{GenesisKey: [32]byte{9}, Network: "other", Checkpoint: storetest.Hash("c0")}
	empty := store.State{Identity: storetest.Identity(), Bound: true}
	m, err := store.Restore(empty, nil)
	if err != nil {
		t.Fatal(err)
	}
	if next, err := m.PlanBind(other); err != nil || next.Identity != other {
		t.Errorf("PlanBind: got %v, %v", next, err)
	}
	if id, err := m.Identity(t.Context()); err != nil || id != empty.Identity {
		t.Errorf("PlanBind changed the identity to %v, %v", id, err)
	}
	if err := m.Bind(t.Context(), other); err != nil {
		t.Errorf("Bind: %v", err)
	}
	if id, err := m.Identity(t.Context()); err != nil || id != other {
		t.Errorf("identity: got %v, %v", id, err)
	}
	if err := m.Bind(t.Context(), storetest.Identity()); !errors.Is(err, store.ErrOtherIdentity) {
		t.Errorf("a second Bind: got %v, want ErrOtherIdentity", err)
	}

	genesis := storetest.Entry("c1", "", 1)
	filled := empty
	filled.Identity.Genesis, filled.Latest = genesis.Record.Hash, genesis.Record.Hash
	m, err = store.Restore(filled, []store.Restored{{Record: genesis.Record, Seq: 1}})
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Bind(t.Context(), other); !errors.Is(err, store.ErrOtherIdentity) {
		t.Errorf("a store with a certificate: got %v, want ErrOtherIdentity", err)
	}
}

// TestRestoreRefuses gives Restore what no sequence of commits and prunings leaves behind.
func TestRestoreRefuses(t *testing.T) {
	id := storetest.Identity()
	id.Genesis = storetest.Hash("c1")
	restored := func(entries ...store.Entry) []store.Restored {
		var out []store.Restored
		for i, e := range entries {
			out = append(out, store.Restored{Record: e.Record, Seq: uint64(i + 1)})
		}
		return out
	}
	genesis := storetest.Entry("c1", "", 1)
	child := storetest.Entry("c2", "c1", 2)
	state := store.State{Identity: id, Latest: child.Record.Hash, Bound: true}
	if _, err := store.Restore(state, restored(genesis, child)); err != nil {
		t.Fatalf("a good store: %v", err)
	}
	pruned := state
	pruned.Floor = 2
	if _, err := store.Restore(pruned, restored(child)); err != nil {
		t.Fatalf("a pruned store: %v", err)
	}
	otherLatest, empty := state, state
	otherLatest.Latest = storetest.Hash("x")
	empty.Latest = [32]byte{}
	tests := map[string]struct {
		state store.State
		items []store.Restored
	}{
		"missing parent":    {state, restored(child)},
		"other genesis":     {state, restored(child, genesis, storetest.Entry("g", "", 1))},
		"epoch gap":         {state, restored(genesis, storetest.Entry("c2", "c1", 3))},
		"missing latest":    {otherLatest, restored(genesis, child)},
		"no latest":         {empty, restored(genesis, child)},
		"latest of nothing": {state, nil},
	}
	for name, test := range tests {
		if _, err := store.Restore(test.state, test.items); !errors.Is(err, store.ErrCorrupt) {
			t.Errorf("%s: got %v, want ErrCorrupt", name, err)
		}
	}
}
