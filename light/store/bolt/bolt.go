package bolt

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"os"
	"sync"

	"github.com/klauspost/compress/zstd"
	bbolt "go.etcd.io/bbolt"

	"github.com/stmverify/stmverify/certificate"
	"github.com/stmverify/stmverify/internal/limits"
	"github.com/stmverify/stmverify/light/store"
)

// Store is a store in one file. It implements store.Store and is safe for concurrent use.
type Store struct {
	path string
	lock *os.File

	mu       sync.RWMutex // held for writing by whatever replaces the fields below or writes the file
	db       *bbolt.DB
	file     *os.File // the file of db
	contents *contents
}

var _ store.Store = (*Store)(nil)

// Open opens the store at path, and makes an empty one when there is none. Its folder must exist.
//
// The error wraps store.ErrLocked when another process has it open, store.ErrCorrupt when any part of the file is not what
// was written, and store.ErrSchema when another version of this package wrote it.
func Open(path string) (*Store, error) {
	lock, err := acquire(path + ".lock")
	if err != nil {
		return nil, err
	}
	s := &Store{path: path, lock: lock}
	if err := s.open(); err != nil {
		_ = lock.Close()
		return nil, err
	}
	return s, nil
}

// update runs a transaction between clearing the seal and renewing it.
func (s *Store) update(f func(*bbolt.Tx) error) error {
	if err := clearSeal(s.file); err != nil {
		return err
	}
	return errors.Join(s.db.Update(f), writeSeal(s.file))
}

// Bind implements store.Store.
func (s *Store) Bind(ctx context.Context, id store.Identity) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.db == nil {
		return store.ErrClosed
	}
	next, err := s.contents.memory.PlanBind(id)
	if err != nil {
		return err
	}
	if next != s.contents.state {
		if err := s.update(func(tx *bbolt.Tx) error { return putState(tx, next, s.contents.sums) }); err != nil {
			return err
		}
	}
	s.contents.state = next
	return s.contents.memory.Bind(ctx, id)
}

// Commit implements store.Store.
func (s *Store) Commit(ctx context.Context, segment store.Segment) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.db == nil {
		return store.ErrClosed
	}
	next, err := s.contents.memory.Plan(segment)
	if err != nil {
		return err
	}
	if err := context.Cause(ctx); err != nil {
		return err
	}
	enc, err := newEncoder()
	if err != nil {
		return err
	}
	defer enc.Close()
	sums := maps.Clone(s.contents.sums)
	var text []byte
	err = s.update(func(tx *bbolt.Tx) error {
		for i := range segment {
			text = enc.EncodeAll(segment[i].Raw, text[:0])
			if err := put(tx, &segment[i].Record, text, next.Seq-uint64(i), sums); err != nil {
				return err
			}
		}
		return putState(tx, next, sums)
	})
	if err != nil {
		return err
	}
	s.contents.state, s.contents.sums = next, sums
	return s.contents.memory.Commit(ctx, segment.WithoutRaw())
}

// put writes a record and its compressed text, and adds their digests to sums.
func put(tx *bbolt.Tx, r *store.Record, text []byte, seq uint64, sums map[certificate.Hash]pair) error {
	record, err := json.Marshal(store.Restored{Record: *r, Seq: seq})
	if err != nil {
		return err
	}
	key := r.Hash[:]
	if err := tx.Bucket(bucketRecords).Put(key, wrap(bucketRecords, key, record)); err != nil {
		return err
	}
	sums[r.Hash] = pair{sumOf(bucketRecords, key, record), sumOf(bucketTexts, key, text)}
	return tx.Bucket(bucketTexts).Put(key, wrap(bucketTexts, key, text))
}

// Prune implements store.Store. It writes a new file, so that the space is given back.
func (s *Store) Prune(ctx context.Context, before uint64) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.db == nil {
		return 0, store.ErrClosed
	}
	victims, next, err := s.contents.memory.PlanPrune(before)
	if err != nil || len(victims) == 0 {
		return 0, err
	}
	sums := maps.Clone(s.contents.sums)
	for _, hash := range victims {
		delete(sums, hash)
	}
	if err := s.replace(&source{file: s.file, state: next, sums: sums}); err != nil {
		return 0, err
	}
	if err := s.db.Close(); err != nil {
		return 0, err
	}
	s.db = nil
	return len(victims), s.attach()
}

// Raw implements store.Store.
func (s *Store) Raw(_ context.Context, hash certificate.Hash) ([]byte, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.db == nil {
		return nil, store.ErrClosed
	}
	var raw []byte
	err := s.db.View(func(tx *bbolt.Tx) error {
		wrapped := tx.Bucket(bucketTexts).Get(hash[:])
		if wrapped == nil {
			return fmt.Errorf("%w: %s", store.ErrNotFound, hash)
		}
		text, _, err := unwrap(bucketTexts, hash[:], wrapped)
		if err != nil {
			return err
		}
		raw, err = decompress(text)
		return err
	})
	return raw, err
}

// Record implements store.Store.
func (s *Store) Record(ctx context.Context, hash certificate.Hash) (*store.Record, error) {
	m, err := s.memory()
	if err != nil {
		return nil, err
	}
	return m.Record(ctx, hash)
}

// Latest implements store.Store.
func (s *Store) Latest(ctx context.Context) (*store.Record, error) {
	m, err := s.memory()
	if err != nil {
		return nil, err
	}
	return m.Latest(ctx)
}

// Records implements store.Store.
func (s *Store) Records(ctx context.Context) iter.Seq2[*store.Record, error] {
	m, err := s.memory()
	if err != nil {
		return func(yield func(*store.Record, error) bool) { yield(nil, err) }
	}
	return m.Records(ctx)
}

// Identity implements store.Store.
func (s *Store) Identity(ctx context.Context) (store.Identity, error) {
	m, err := s.memory()
	if err != nil {
		return store.Identity{}, err
	}
	return m.Identity(ctx)
}

func (s *Store) memory() (*store.Memory, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.db == nil {
		return nil, store.ErrClosed
	}
	return s.contents.memory, nil
}

// Close implements store.Store.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.db == nil {
		return nil
	}
	err := errors.Join(s.db.Close(), s.lock.Close())
	s.db, s.file = nil, nil
	return err
}

// newEncoder returns an encoder for texts, which have no use for more memory than their length.
func newEncoder() (*zstd.Encoder, error) {
	return zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(1<<20), zstd.WithLowerEncoderMem(true))
}

func decompress(text []byte) ([]byte, error) {
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(limits.MaxStoredText))
	if err != nil {
		return nil, err
	}
	defer dec.Close()
	raw, err := dec.DecodeAll(text, nil)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", store.ErrCorrupt, err)
	}
	return raw, nil
}
