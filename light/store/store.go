// Package store keeps verified certificates.
//
// A [Store] holds what a light client has verified under one [Identity]: one genesis key, one network. It is filled by
// segments, each a walk from a new certificate down to one that the store already holds, or to a genesis certificate or a
// checkpoint; a segment is stored whole or not at all. Nothing in a store was verified by the store: only verified
// certificates may be committed to it, and whoever can write its file can make it hold anything.
//
// [Memory] is the implementation without a file; light/store/bolt keeps one file.
package store

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/stmverify/stmverify/certificate"
)

// Store keeps verified certificates. Implementations are safe for concurrent use by one process, and refuse a second
// process rather than let both write.
type Store interface {
	// Bind ties the store to an identity, or checks that it is tied to this one: the error wraps [ErrOtherIdentity] when
	// it is tied to another. A store that holds no certificate lets go of an identity from before it was opened. The
	// Genesis field is not compared.
	Bind(ctx context.Context, id Identity) error

	// Identity returns what the store is tied to: the zero Identity before the first Bind.
	Identity(ctx context.Context) (Identity, error)

	// Record returns a certificate, or an error that wraps [ErrNotFound]. The caller must not change it.
	Record(ctx context.Context, hash certificate.Hash) (*Record, error)

	// Raw returns the JSON text of a certificate as its provider sent it, or an error that wraps [ErrNotFound].
	Raw(ctx context.Context, hash certificate.Hash) ([]byte, error)

	// Latest returns the tip of the newest segment, or an error that wraps [ErrEmpty].
	Latest(ctx context.Context) (*Record, error)

	// Records returns every certificate, highest epoch first and within an epoch the last stored first, as of the call.
	Records(ctx context.Context) iter.Seq2[*Record, error]

	// Commit stores a segment, all of it or, on an error, nothing. The error wraps [ErrSegment] when the segment does not
	// connect to the store.
	Commit(ctx context.Context, segment Segment) error

	// Prune removes the certificates of epochs before the given one, except the latest certificate, and returns how
	// many. Which genesis certificate the chain had stays known.
	Prune(ctx context.Context, before uint64) (int, error)

	// Close releases the store. Every later call fails.
	Close() error
}

// The errors of a store. They belong to no class of package verdict: they say nothing about a certificate.
var (
	ErrNotFound      = errors.New("store: no such certificate")
	ErrEmpty         = errors.New("store: no certificate yet: run a sync first")
	ErrOtherIdentity = errors.New("store: made for another chain")
	ErrSegment       = errors.New("store: segment does not connect")
	ErrCorrupt       = errors.New("store: corrupt")
	ErrSchema        = errors.New("store: written by another version")
	ErrLocked        = errors.New("store: in use by another process")
	ErrClosed        = errors.New("store: closed")
)

// Identity is what a store is tied to.
type Identity struct {
	GenesisKey [32]byte
	Network    string
	Checkpoint certificate.Hash // the checkpoint the chain rests on; zero when it rests on a genesis certificate
	Genesis    certificate.Hash // the genesis certificate that was reached; zero until then
}

// Matches returns nil when both identities are of one chain, and an error that wraps [ErrOtherIdentity] and says what
// differs otherwise. Genesis is not compared.
func (id Identity) Matches(other Identity) error {
	switch {
	case id.GenesisKey != other.GenesisKey:
		return fmt.Errorf("%w: genesis key %x, want %x", ErrOtherIdentity, id.GenesisKey, other.GenesisKey)
	case id.Network != other.Network:
		return fmt.Errorf("%w: network %q, want %q", ErrOtherIdentity, id.Network, other.Network)
	case id.Checkpoint != other.Checkpoint:
		return fmt.Errorf("%w: checkpoint %s, want %s", ErrOtherIdentity, orNone(id.Checkpoint), orNone(other.Checkpoint))
	}
	return nil
}

func orNone(h certificate.Hash) string {
	if h.IsZero() {
		return "none"
	}
	return h.String()
}

// Entry is a verified certificate with its text.
type Entry struct {
	Record Record
	Raw    []byte // as the provider sent it; the store keeps a copy
}

// Segment is a walk of verified certificates, the newest first: each one's PreviousHash is the next one's Hash, and the
// last is a genesis certificate, or names a certificate of the store or its checkpoint.
type Segment []Entry

// WithoutRaw returns a copy of the segment without the texts.
func (s Segment) WithoutRaw() Segment {
	out := make(Segment, len(s))
	for i := range s {
		out[i].Record = s[i].Record
	}
	return out
}

// check reports why the segment cannot be committed on top of what known reports as stored.
func (s Segment) check(id Identity, known func(certificate.Hash) (epoch uint64, ok bool)) error {
	if len(s) == 0 {
		return fmt.Errorf("%w: it is empty", ErrSegment)
	}
	for i := range s {
		r := &s[i].Record
		if err := r.check(); err != nil {
			return fmt.Errorf("%w: certificate %d: %w", ErrSegment, i, err)
		}
		if _, ok := known(r.Hash); ok {
			return fmt.Errorf("%w: certificate %d, %s, is already stored", ErrSegment, i, r.Hash)
		}
		if i == len(s)-1 {
			break
		}
		next := &s[i+1].Record
		if r.PreviousHash != next.Hash {
			return fmt.Errorf("%w: certificate %d names %s, followed by %s", ErrSegment, i, r.PreviousHash, next.Hash)
		}
		if err := checkEpochs(r.Epoch, next.Epoch); err != nil {
			return fmt.Errorf("%w: certificate %d: %w", ErrSegment, i, err)
		}
	}
	last := &s[len(s)-1].Record
	if last.Genesis {
		return id.checkGenesis(last.Hash)
	}
	if !id.Checkpoint.IsZero() && last.PreviousHash == id.Checkpoint {
		return nil
	}
	parent, ok := known(last.PreviousHash)
	if !ok {
		return fmt.Errorf("%w: it ends at %s, whose parent is not stored", ErrSegment, last.Hash)
	}
	if err := checkEpochs(last.Epoch, parent); err != nil {
		return fmt.Errorf("%w: certificate %d: %w", ErrSegment, len(s)-1, err)
	}
	return nil
}

func (id Identity) checkGenesis(hash certificate.Hash) error {
	if !id.Genesis.IsZero() && id.Genesis != hash {
		return fmt.Errorf("%w: it ends at genesis certificate %s, the store rests on %s", ErrSegment, hash, id.Genesis)
	}
	return nil
}

func checkEpochs(child, parent uint64) error {
	if child < parent || child-parent > 1 {
		return fmt.Errorf("epoch %d on top of epoch %d", child, parent)
	}
	return nil
}
