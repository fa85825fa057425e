package bolt

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	bbolt "go.etcd.io/bbolt"

	"github.com/stmverify/stmverify/certificate"
	"github.com/stmverify/stmverify/light/store"
)

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
