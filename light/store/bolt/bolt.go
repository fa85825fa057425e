package bolt

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"github.com/klauspost/compress/zstd"
	bbolt "go.etcd.io/bbolt"

	"github.com/stmverify/stmverify/certificate"
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

// Exists reports whether there is a store at path, without opening it.
func Exists(path string) (bool, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && info.Size() > 0, err
}

// Size returns the length of the store's file in bytes.
func (s *Store) Size() (int64, error) {
	info, err := os.Stat(s.path)
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// Sealed reports whether the store at path was closed or at rest when its process ended, without opening it. The error wraps
// store.ErrCorrupt when the file is not what was written.
func Sealed(path string) (bool, error) {
	f, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	return checkSeal(f)
}

// Remove deletes the store at path, whatever its state. The error wraps store.ErrLocked when it is open.
func Remove(path string) error {
	lock, err := acquire(path + ".lock")
	if err != nil {
		return err
	}
	defer lock.Close()
	return os.Remove(path)
}

func acquire(path string) (*os.File, error) {
	lock, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	free, err := tryLock(lock)
	if err == nil && !free {
		err = fmt.Errorf("%w: %s", store.ErrLocked, path)
	}
	if err != nil {
		_ = lock.Close()
		return nil, err
	}
	return lock, nil
}

// open brings the file into a sealed state, if it can, and opens it.
func (s *Store) open() error {
	exists, err := Exists(s.path)
	if err != nil {
		return err
	}
	if !exists {
		if err := s.replace(nil); err != nil {
			return err
		}
	} else if err := s.checkFile(); err != nil {
		return err
	}
	return s.attach()
}

// checkFile checks the seal, and makes a new file from a file without one.
func (s *Store) checkFile() error {
	f, err := os.Open(s.path)
	if err != nil {
		return err
	}
	defer f.Close()
	sealed, err := checkSeal(f)
	if err != nil {
		return fmt.Errorf("%s: %w", s.path, err)
	}
	if sealed {
		return nil
	}
	c, err := loadFile(f)
	if err != nil {
		return fmt.Errorf("%s: %w", s.path, err)
	}
	return s.replace(&source{file: f, state: c.state, sums: c.sums})
}

func loadFile(f *os.File) (*contents, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	return load(f, info.Size())
}

// attach opens the sealed file.
func (s *Store) attach() error {
	db, file, err := openDB(s.path)
	if err != nil {
		return fmt.Errorf("%s: %w", s.path, err)
	}
	c, err := loadFile(file)
	if err != nil {
		_ = db.Close()
		return fmt.Errorf("%s: %w", s.path, err)
	}
	s.db, s.file, s.contents = db, file, c
	return nil
}

// growth is by how much the file grows at a time, in bytes.
const growth = 64 << 10

// mapSize is how much address space to map. A database that outgrows it in a transaction copies what the transaction has
// written so far, so that a first sync would need half as much memory more. On Windows the file would be made that long.
func mapSize() int {
	if runtime.GOOS == "windows" {
		return 0
	}
	return 256 << 20
}

// openDB opens the database and returns its file too. The file is the database's to close.
func openDB(path string) (*bbolt.DB, *os.File, error) {
	var file *os.File
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{
		Timeout: 1, // do not wait: the lock file says whether somebody else is there
		OpenFile: func(name string, flag int, mode os.FileMode) (*os.File, error) {
			var err error
			file, err = os.OpenFile(name, flag, mode)
			return file, err
		},
		NoStatistics:    true,
		InitialMmapSize: mapSize(),
	})
	if err == nil {
		db.AllocSize = growth
	}
	return db, file, err
}

// source is what a new file is made from: the state, and the certificates of another file that are in sums.
type source struct {
	file  *os.File
	state store.State
	sums  map[certificate.Hash]pair
}

// replace writes a new file, sealed, and puts it in the place of the old one.
func (s *Store) replace(from *source) error {
	temporary := s.path + ".new"
	if err := os.Remove(temporary); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	db, file, err := openDB(temporary)
	if err != nil {
		return err
	}
	err = db.Update(func(tx *bbolt.Tx) error {
		if err := initialise(tx); err != nil {
			return err
		}
		if from == nil {
			return putState(tx, store.State{}, nil)
		}
		return from.copyTo(tx)
	})
	if err == nil {
		err = writeSeal(file)
	}
	if err = errors.Join(err, db.Close()); err != nil {
		return errors.Join(err, os.Remove(temporary))
	}
	if err := os.Rename(temporary, s.path); err != nil {
		return err
	}
	return syncDir(filepath.Dir(s.path))
}

func (from *source) copyTo(tx *bbolt.Tx) error {
	info, err := from.file.Stat()
	if err != nil {
		return err
	}
	err = readPairs(from.file, info.Size(), func(bucket, key, value []byte) error {
		if bytes.Equal(bucket, bucketMeta) {
			return nil
		}
		if _, keep := from.sums[certificate.Hash(key)]; !keep {
			return nil
		}
		return tx.Bucket(bucket).Put(key, bytes.Clone(value))
	})
	if err != nil {
		return err
	}
	return putState(tx, from.state, from.sums)
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
	if s.contents.state.Bound {
		return s.contents.state.Identity.Matches(id)
	}
	var bound store.Memory
	if err := bound.Bind(ctx, id); err != nil {
		return err
	}
	state, err := bound.State()
	if err != nil {
		return err
	}
	if err := s.update(func(tx *bbolt.Tx) error { return putState(tx, state, s.contents.sums) }); err != nil {
		return err
	}
	s.contents.state = state
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

// maxText bounds a text after decompression. What is in the file was bounded before it was stored.
const maxText = 16 << 20

// newEncoder returns an encoder for texts, which have no use for more memory than their length.
func newEncoder() (*zstd.Encoder, error) {
	return zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(1<<20), zstd.WithLowerEncoderMem(true))
}

func decompress(text []byte) ([]byte, error) {
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxText))
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
