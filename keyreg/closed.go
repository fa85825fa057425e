package keyreg

import (
	"fmt"
	"iter"
	"slices"

	"github.com/stmverify/stmverify/merkle"
	"github.com/stmverify/stmverify/multisig"
)

// Closed is a closed registration: the parties in registration order, their total stake, which is not 0, and the tree
// over them. It is immutable and safe for concurrent use.
type Closed struct {
	entries    []Entry
	index      map[keyBytes]uint64
	totalStake uint64
	tree       *merkle.Tree
}

// Len returns the number of parties, at least 1.
func (c *Closed) Len() int { return len(c.entries) }

// Entries yields the index and the entry of every party, in registration order: by stake and then by the bytes of the
// key.
func (c *Closed) Entries() iter.Seq2[int, Entry] { return slices.All(c.entries) }

// Entry returns the party with the given index, or an [*Error] that wraps [ErrNotRegistered].
func (c *Closed) Entry(index uint64) (Entry, error) {
	if index >= uint64(len(c.entries)) {
		err := fmt.Errorf("%w: index %d of %d", ErrNotRegistered, index, len(c.entries))
		return Entry{}, &Error{Position: -1, Err: err}
	}
	return c.entries[index], nil
}

// Index returns the index of the party with the given key, or an [*Error] that wraps [ErrNotRegistered].
func (c *Closed) Index(key *multisig.VerificationKey) (uint64, error) {
	if key == nil {
		return 0, &Error{Position: -1, Err: ErrNotRegistered}
	}
	index, ok := c.index[key.Bytes()]
	if !ok {
		return 0, &Error{Position: -1, Err: fmt.Errorf("%w: %x", ErrNotRegistered, key.Bytes())}
	}
	return index, nil
}

// TotalStake returns the sum of all stakes.
func (c *Closed) TotalStake() uint64 { return c.totalStake }

// NrLeaves returns the number of parties, as an aggregate verification key holds it.
func (c *Closed) NrLeaves() uint64 { return uint64(len(c.entries)) }

// Root returns the root of the Merkle tree.
func (c *Closed) Root() merkle.Hash { return c.tree.Root() }

// Path returns the Merkle path for the parties with the given indices, see [merkle.Tree.Path].
func (c *Closed) Path(indices []uint64) (*merkle.BatchPath, error) { return c.tree.Path(indices) }
