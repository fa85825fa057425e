package store

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"sync"

	"github.com/stmverify/stmverify/certificate"
)

// Memory is a store without a file. The zero value is an empty store.
type Memory struct {
	mu     sync.RWMutex
	closed bool
	tied   bool // by a Bind of this value, not only by what Restore was given
	state  State
	items  map[certificate.Hash]*item
}

// item is a stored certificate.
type item struct {
	record *Record
	raw    []byte
	seq    uint64
}

var _ Store = (*Memory)(nil)

// State is what a store knows besides its certificates.
type State struct {
	Identity Identity
	Latest   certificate.Hash // zero in an empty store
	Floor    uint64           // certificates of epochs before this one may have been pruned
	Seq      uint64           // number of the certificate stored last, from 1
	Bound    bool
}

// Bind implements [Store].
func (m *Memory) Bind(_ context.Context, id Identity) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	next, err := m.planBind(id)
	if err != nil {
		return err
	}
	m.state, m.tied = next, true
	return nil
}

// PlanBind returns the state after Bind, or why the store cannot be tied to the identity. It changes nothing.
func (m *Memory) PlanBind(id Identity) (State, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.planBind(id)
}

// planBind lets go of an identity under which nothing was ever verified, such as a mistyped one. It keeps one that was
// bound since the store was opened: whoever did that relies on it for what it commits and reads.
func (m *Memory) planBind(id Identity) (State, error) {
	if m.closed {
		return State{}, ErrClosed
	}
	next := m.state
	err := next.Identity.Matches(id)
	if next.Bound && (err == nil || m.tied || !next.Latest.IsZero()) {
		return next, err
	}
	id.Genesis = certificate.Hash{}
	next.Identity, next.Bound = id, true
	return next, nil
}

// Identity implements [Store].
func (m *Memory) Identity(context.Context) (Identity, error) {
	s, err := m.State()
	return s.Identity, err
}

// State returns what the store knows besides its certificates.
func (m *Memory) State() (State, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if m.closed {
		return State{}, ErrClosed
	}
	return m.state, nil
}

// Record implements [Store].
func (m *Memory) Record(_ context.Context, hash certificate.Hash) (*Record, error) {
	it, err := m.get(hash)
	if err != nil {
		return nil, err
	}
	return it.record, nil
}

// Raw implements [Store].
func (m *Memory) Raw(_ context.Context, hash certificate.Hash) ([]byte, error) {
	it, err := m.get(hash)
	if err != nil {
		return nil, err
	}
	return it.raw, nil
}

func (m *Memory) get(hash certificate.Hash) (*item, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if m.closed {
		return nil, ErrClosed
	}
	it, ok := m.items[hash]
	if !ok {
		return nil, fmt.Errorf("%w: %s", ErrNotFound, hash)
	}
	return it, nil
}

// Latest implements [Store].
func (m *Memory) Latest(ctx context.Context) (*Record, error) {
	s, err := m.State()
	if err != nil {
		return nil, err
	}
	if s.Latest.IsZero() {
		return nil, ErrEmpty
	}
	return m.Record(ctx, s.Latest)
}

// Records implements [Store].
func (m *Memory) Records(ctx context.Context) iter.Seq2[*Record, error] {
	m.mu.RLock()
	closed := m.closed
	items := make([]*item, 0, len(m.items))
	for _, it := range m.items {
		items = append(items, it)
	}
	m.mu.RUnlock()
	slices.SortFunc(items, func(a, b *item) int {
		return cmp.Or(cmp.Compare(b.record.Epoch, a.record.Epoch), cmp.Compare(b.seq, a.seq))
	})
	return func(yield func(*Record, error) bool) {
		if closed {
			yield(nil, ErrClosed)
			return
		}
		for _, it := range items {
			if err := ctx.Err(); err != nil {
				yield(nil, err)
				return
			}
			if !yield(it.record, nil) {
				return
			}
		}
	}
}

// Commit implements [Store].
func (m *Memory) Commit(_ context.Context, segment Segment) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	next, err := m.plan(segment)
	if err != nil {
		return err
	}
	m.apply(segment, next)
	return nil
}

// Plan returns the state after a commit of the segment, or why it cannot be committed. It changes nothing; a store with a
// file of its own calls it before it writes.
func (m *Memory) Plan(segment Segment) (State, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.plan(segment)
}

func (m *Memory) plan(segment Segment) (State, error) {
	if m.closed {
		return State{}, ErrClosed
	}
	next := m.state
	if !next.Bound {
		return State{}, fmt.Errorf("%w: the store is not tied to a chain yet", ErrSegment)
	}
	if err := segment.check(next.Identity, m.epochOf); err != nil {
		return State{}, err
	}
	first, last := &segment[0].Record, &segment[len(segment)-1].Record
	if last.Genesis {
		next.Identity.Genesis = last.Hash
	}
	if latest, ok := m.epochOf(next.Latest); !ok || first.Epoch >= latest {
		next.Latest = first.Hash
	}
	next.Seq += uint64(len(segment))
	return next, nil
}

func (m *Memory) epochOf(hash certificate.Hash) (uint64, bool) {
	it, ok := m.items[hash]
	if !ok {
		return 0, false
	}
	return it.record.Epoch, true
}

// apply stores a segment that was planned. The oldest certificate gets the lowest number.
func (m *Memory) apply(segment Segment, next State) {
	if m.items == nil {
		m.items = make(map[certificate.Hash]*item)
	}
	for i := range segment {
		m.items[segment[i].Record.Hash] = &item{
			record: segment[i].Record.Clone(), raw: bytes.Clone(segment[i].Raw), seq: next.Seq - uint64(i),
		}
	}
	m.state = next
}

// Prune implements [Store].
func (m *Memory) Prune(_ context.Context, before uint64) (int, error) {
	victims, next, err := m.PlanPrune(before)
	if err != nil {
		return 0, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, hash := range victims {
		delete(m.items, hash)
	}
	m.state = next
	return len(victims), nil
}

// PlanPrune returns what Prune would remove and the state after it. It changes nothing.
func (m *Memory) PlanPrune(before uint64) ([]certificate.Hash, State, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if m.closed {
		return nil, State{}, ErrClosed
	}
	next := m.state
	if latest, ok := m.epochOf(next.Latest); ok {
		before = min(before, latest)
	}
	next.Floor = max(next.Floor, before)
	var victims []certificate.Hash
	for hash, it := range m.items {
		if it.record.Epoch < before {
			victims = append(victims, hash)
		}
	}
	return victims, next, nil
}

// Close implements [Store].
func (m *Memory) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
	m.items = nil
	return nil
}

// Restore returns a store with the given certificates, which a store with a file of its own read back. It checks that
// they form what commits and prunings can have left, and returns an error that wraps [ErrCorrupt] otherwise.
func Restore(state State, certificates []Restored) (*Memory, error) {
	m := &Memory{state: state, items: make(map[certificate.Hash]*item, len(certificates))}
	for i := range certificates {
		c := &certificates[i]
		if err := c.Record.check(); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrCorrupt, err)
		}
		m.items[c.Record.Hash] = &item{record: &c.Record, seq: c.Seq}
	}
	for _, it := range m.items {
		if err := m.checkRooted(it.record); err != nil {
			return nil, fmt.Errorf("%w: certificate %s: %w", ErrCorrupt, it.record.Hash, err)
		}
	}
	if _, ok := m.items[state.Latest]; ok == state.Latest.IsZero() || (len(m.items) > 0) == state.Latest.IsZero() {
		return nil, fmt.Errorf("%w: the latest certificate, %s, is not among %d", ErrCorrupt, orNone(state.Latest), len(m.items))
	}
	return m, nil
}

// Restored is a certificate read back, with the number it was stored under.
type Restored struct {
	Record Record `json:"record"`
	Seq    uint64 `json:"seq"`
}

// checkRooted reports a certificate that rests on nothing.
func (m *Memory) checkRooted(r *Record) error {
	id := m.state.Identity
	if r.Genesis {
		if r.Hash != id.Genesis {
			return fmt.Errorf("a genesis certificate, and not the store's, %s", orNone(id.Genesis))
		}
		return nil
	}
	if parent, ok := m.epochOf(r.PreviousHash); ok {
		return checkEpochs(r.Epoch, parent)
	}
	if r.PreviousHash == id.Checkpoint || r.Epoch <= m.state.Floor {
		return nil
	}
	return fmt.Errorf("its parent %s is missing", r.PreviousHash)
}
