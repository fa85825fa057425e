package keyreg

import (
	"context"
	"fmt"
	"math/bits"
	"slices"

	"github.com/stmverify/stmverify/internal/limits"
	"github.com/stmverify/stmverify/merkle"
	"github.com/stmverify/stmverify/multisig"
)

// Entry is a registered party.
type Entry struct {
	Key   *multisig.VerificationKey
	Stake uint64
}

// compare orders entries as the reference does: by stake, then by the bytes of the key.
func compare(a, b Entry) int {
	switch {
	case a.Stake < b.Stake:
		return -1
	case a.Stake > b.Stake:
		return 1
	}
	return a.Key.Compare(b.Key)
}

// leaf returns the entry's leaf in the Merkle tree.
func (e Entry) leaf() merkle.Hash {
	vk := e.Key.Bytes()
	return merkle.LeafHash(&vk, e.Stake)
}

type keyBytes = [multisig.VerificationKeySize]byte

// Registration is an open registration. The zero value is empty and ready. It is not safe for concurrent use.
type Registration struct {
	entries []Entry
	keys    map[keyBytes]struct{}
	closed  bool
}

// Register adds one party, after verifying its proof of possession. It is [Registration.RegisterAll] of that party.
func (r *Registration) Register(p Party) error {
	return r.RegisterAll(context.Background(), []Party{p})
}

// RegisterAll adds all parties or none. It returns an [*Error] that names the first party which is incomplete or whose
// key is registered already, and otherwise, when proofs of possession do not verify, an error that wraps
// [*multisig.PossessionError], which names all of those. Positions count in parties.
//
// All proofs are verified in one combination, which costs three Miller loops (see [multisig.VerifyPossessions]).
func (r *Registration) RegisterAll(ctx context.Context, parties []Party) error {
	if r.closed {
		return &Error{Position: -1, Err: ErrClosed}
	}
	if len(parties) == 0 {
		return nil
	}
	if len(parties) > limits.MaxLeaves-len(r.entries) {
		return &Error{Position: -1, Err: fmt.Errorf("%w: more than %d", ErrTooManyParties, limits.MaxLeaves)}
	}
	fresh := make(map[keyBytes]struct{}, len(parties))
	keys := make([]*multisig.VerificationKey, len(parties))
	proofs := make([]*multisig.ProofOfPossession, len(parties))
	for i, p := range parties {
		if p.Key == nil || p.Possession == nil {
			return &Error{Position: i, Err: ErrIncomplete}
		}
		key := p.Key.Bytes()
		_, registered := r.keys[key]
		_, repeated := fresh[key]
		if registered || repeated {
			return &Error{Position: i, Err: ErrDuplicateKey}
		}
		fresh[key] = struct{}{}
		keys[i], proofs[i] = p.Key, p.Possession
	}
	if err := multisig.VerifyPossessions(ctx, keys, proofs); err != nil {
		return fmt.Errorf("keyreg: %w", err)
	}
	r.add(parties, fresh)
	return nil
}

// add stores parties that passed every check.
func (r *Registration) add(parties []Party, keys map[keyBytes]struct{}) {
	if r.keys == nil {
		r.keys = make(map[keyBytes]struct{}, len(parties))
	}
	for key := range keys {
		r.keys[key] = struct{}{}
	}
	for _, p := range parties {
		r.entries = append(r.entries, Entry{p.Key, p.Stake})
	}
}

// Close orders the parties, adds up their stakes and builds the Merkle tree. It refuses, with an [*Error], a total stake
// of 0, as without parties, and one beyond 64 bits; the registration then stays open. After a success it refuses every
// further call, of [Registration.Register] too.
func (r *Registration) Close() (*Closed, error) {
	if r.closed {
		return nil, &Error{Position: -1, Err: ErrClosed}
	}
	entries := slices.SortedFunc(slices.Values(r.entries), compare)
	c := &Closed{entries: entries, index: make(map[keyBytes]uint64, len(entries))}
	leaves := make([]merkle.Hash, len(entries))
	for i, e := range entries {
		sum, carry := bits.Add64(c.totalStake, e.Stake, 0)
		if carry != 0 {
			err := fmt.Errorf("%w: %d and %d more", ErrStakeOverflow, c.totalStake, e.Stake)
			return nil, &Error{Position: -1, Err: err}
		}
		c.totalStake = sum
		c.index[e.Key.Bytes()] = uint64(i)
		leaves[i] = e.leaf()
	}
	if c.totalStake == 0 {
		return nil, &Error{Position: -1, Err: ErrNoStake}
	}
	tree, err := merkle.NewTree(leaves)
	if err != nil {
		return nil, fmt.Errorf("keyreg: %w", err)
	}
	c.tree = tree
	r.closed = true
	return c, nil
}
