package bolt

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	bbolt "go.etcd.io/bbolt"

	"github.com/stmverify/stmverify/certificate"
	"github.com/stmverify/stmverify/light/store"
	"github.com/stmverify/stmverify/light/store/storetest"
)

func open(t *testing.T, path string) *Store {
	t.Helper()
	s, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func TestStore(t *testing.T) {
	storetest.Run(t,
		func(t *testing.T) store.Store { return open(t, filepath.Join(t.TempDir(), "store")) },
		func(t *testing.T, s store.Store) store.Store {
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			return open(t, s.(*Store).path)
		})
}

// TestRebindEmpty ties a store to another identity after a first use that stored nothing, and finds that identity again.
func TestRebindEmpty(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store")
	mistyped := store.Identity{GenesisKey: [32]byte{9}, Network: "other", Checkpoint: storetest.Hash("c0")}
	s := open(t, path)
	must(t, s.Bind(t.Context(), mistyped))
	must(t, s.Close())

	s = open(t, path)
	must(t, s.Bind(t.Context(), storetest.Identity()))
	if err := s.Bind(t.Context(), mistyped); !errors.Is(err, store.ErrOtherIdentity) {
		t.Errorf("after another Bind: got %v, want ErrOtherIdentity", err)
	}
	must(t, s.Close())

	s = open(t, path)
	id, err := s.Identity(t.Context())
	must(t, err)
	if diff := cmp.Diff(storetest.Identity(), id); diff != "" {
		t.Errorf("identity (-want +got):\n%s", diff)
	}
	must(t, s.Bind(t.Context(), storetest.Identity()))
	must(t, s.Commit(t.Context(), storetest.Chain(1, 2)))
	must(t, s.Close())

	s = open(t, path)
	if err := s.Bind(t.Context(), mistyped); !errors.Is(err, store.ErrOtherIdentity) {
		t.Errorf("with certificates: got %v, want ErrOtherIdentity", err)
	}
	must(t, s.Close())
}

// filled makes a store with two segments and returns its file.
func filled(t *testing.T) (path string, file []byte) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "store")
	s := open(t, path)
	must(t, s.Bind(t.Context(), storetest.Identity()))
	must(t, s.Commit(t.Context(), storetest.Chain(1, 9)))
	must(t, s.Commit(t.Context(), store.Segment{storetest.Entry("c10", "c9", 10)}))
	must(t, s.Close())
	return path, readFile(t, path)
}

func contentsOf(t *testing.T, path string) []string {
	t.Helper()
	s, err := Open(path)
	must(t, err)
	defer s.Close()
	return list(t, s)
}

// list returns everything a store says, as text.
func list(t *testing.T, s *Store) []string {
	t.Helper()
	id, err := s.Identity(t.Context())
	must(t, err)
	out := []string{fmt.Sprintf("%+v", id)}
	for r, err := range s.Records(t.Context()) {
		must(t, err)
		raw, err := s.Raw(t.Context(), r.Hash)
		must(t, err)
		out = append(out, fmt.Sprintf("%+v %s", *r, raw))
	}
	return out
}

func readFile(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	must(t, err)
	return b
}

func writeFile(t *testing.T, path string, b []byte) {
	t.Helper()
	must(t, os.WriteFile(path, b, 0o600))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestEveryFlippedByteIsFound flips bytes of a sealed file, a spread of all of them and each of those that the database
// and the seal rest on. STMVERIFY_ALL_BYTES=1 flips each byte of the file.
func TestEveryFlippedByteIsFound(t *testing.T) {
	path, file := filled(t)
	want := contentsOf(t, path)
	all := os.Getenv("STMVERIFY_ALL_BYTES") != ""
	flipped := 0
	for i := range file {
		near := i%4096 < 96 || i%4096 >= 4096-sealSize
		if !all && !(near && i < 2*4096) && i%397 != 0 {
			continue
		}
		flipped++
		changed := bytes.Clone(file)
		changed[i] ^= 1 << (i % 8)
		writeFile(t, path, changed)
		s, err := Open(path)
		if err == nil {
			_ = s.Close()
			t.Fatalf("byte %d of %d: not found", i, len(file))
		}
		if !errors.Is(err, store.ErrCorrupt) {
			t.Fatalf("byte %d: got %v, want ErrCorrupt", i, err)
		}
		if got := readFile(t, path); !bytes.Equal(got, changed) {
			t.Fatalf("byte %d: the file was changed by a refused Open", i)
		}
	}
	t.Logf("flipped %d of %d bytes", flipped, len(file))
	writeFile(t, path, file)
	if diff := cmp.Diff(want, contentsOf(t, path)); diff != "" {
		t.Errorf("the restored file (-want +got):\n%s", diff)
	}
}

// TestFlippedByteInUnsealedFile does the same to a file whose writer was killed. A byte outside of what is used may go
// unnoticed there, but then everything the store says is what was stored.
func TestFlippedByteInUnsealedFile(t *testing.T) {
	path, _ := filled(t)
	want := contentsOf(t, path)
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	must(t, err)
	must(t, clearSeal(f))
	must(t, f.Close())
	file := readFile(t, path)
	if got := contentsOf(t, path); !cmp.Equal(want, got) {
		t.Fatalf("the file as it is: other contents (-want +got):\n%s", cmp.Diff(want, got))
	}
	clean, err := load(bytes.NewReader(file), int64(len(file)))
	must(t, err)
	found := 0
	for i := range file {
		if near := i%4096 < 160 && i < 12*4096; !near && i%29 != 0 {
			continue
		}
		changed := bytes.Clone(file)
		changed[i] ^= 1 << (i % 8)
		got, err := load(bytes.NewReader(changed), int64(len(changed)))
		if err != nil {
			if !errors.Is(err, store.ErrCorrupt) && !errors.Is(err, store.ErrSchema) {
				t.Fatalf("byte %d: got %v", i, err)
			}
			found++
			continue
		}
		if got.state != clean.state || !maps.Equal(got.sums, clean.sums) {
			t.Fatalf("byte %d: other contents", i)
		}
	}
	if found == 0 {
		t.Error("no flipped byte was found")
	}
	t.Logf("%d flipped bytes mattered", found)
}

// FuzzLoad reads files that the database may never see.
func FuzzLoad(f *testing.F) {
	path := filepath.Join(f.TempDir(), "store")
	s, err := Open(path)
	if err != nil {
		f.Fatal(err)
	}
	if err := errors.Join(s.Bind(f.Context(), storetest.Identity()), s.Commit(f.Context(), storetest.Chain(1, 3)), s.Close()); err != nil {
		f.Fatal(err)
	}
	file, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(bytes.TrimRight(file, "\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if _, err := load(bytes.NewReader(data), int64(len(data))); err != nil && !errors.Is(err, store.ErrCorrupt) && !errors.Is(err, store.ErrSchema) && !errors.Is(err, io.EOF) {
			t.Errorf("got %v", err)
		}
	})
}

func TestTruncatedFileIsFound(t *testing.T) {
	path, file := filled(t)
	for _, n := range []int{1, 100, 4096, 8192, len(file) / 2, len(bytes.TrimRight(file, "\x00")) - 1} {
		writeFile(t, path, file[:n])
		if _, err := Open(path); !errors.Is(err, store.ErrCorrupt) {
			t.Errorf("first %d bytes: got %v, want ErrCorrupt", n, err)
		}
	}
}

// TestOldStateIsNotTakenForNew puts back the first meta page, as if the last transaction had not happened.
func TestOldStateIsNotTakenForNew(t *testing.T) {
	path, file := filled(t)
	s := open(t, path)
	must(t, s.Commit(t.Context(), store.Segment{storetest.Entry("c11", "c10", 11)}))
	must(t, s.Close())
	changed := readFile(t, path)
	copy(changed[:2*4096], file[:2*4096])
	writeFile(t, path, changed)
	if _, err := Open(path); !errors.Is(err, store.ErrCorrupt) {
		t.Errorf("got %v, want ErrCorrupt", err)
	}
}

// TestDigestsAreChecked removes the seal and rewrites parts of the contents through the database, so that only the digests
// inside can tell.
func TestDigestsAreChecked(t *testing.T) {
	key := storetest.Hash("c5")
	tests := map[string]func(*bbolt.Tx) error{
		"record": func(tx *bbolt.Tx) error {
			b := tx.Bucket(bucketRecords)
			return b.Put(key[:], bytes.Replace(b.Get(key[:]), []byte(`"epoch":5`), []byte(`"epoch":6`), 1))
		},
		"text": func(tx *bbolt.Tx) error {
			return tx.Bucket(bucketTexts).Put(key[:], make([]byte, 64))
		},
		"moved record": func(tx *bbolt.Tx) error {
			other := storetest.Hash("c6")
			b := tx.Bucket(bucketRecords)
			return b.Put(key[:], bytes.Clone(b.Get(other[:])))
		},
		"removed record": func(tx *bbolt.Tx) error {
			return errors.Join(tx.Bucket(bucketRecords).Delete(key[:]), tx.Bucket(bucketTexts).Delete(key[:]))
		},
		"added record with a digest of its own": func(tx *bbolt.Tx) error {
			e := storetest.Entry("forged", "c9", 10)
			return put(tx, &e.Record, nil, 99, map[certificate.Hash]pair{})
		},
		"state": func(tx *bbolt.Tx) error {
			return tx.Bucket(bucketMeta).Put(keyState, wrap(bucketMeta, keyState, []byte(`{"Bound":true}`)))
		},
		"bucket": func(tx *bbolt.Tx) error { return tx.DeleteBucket(bucketTexts) },
	}
	for name, change := range tests {
		t.Run(name, func(t *testing.T) {
			path, _ := filled(t)
			db, file, err := openDB(path)
			must(t, err)
			must(t, clearSeal(file))
			must(t, db.Update(change))
			must(t, db.Close())
			if _, err := Open(path); !errors.Is(err, store.ErrCorrupt) {
				t.Errorf("got %v, want ErrCorrupt", err)
			}
		})
	}
}

// TestTextIsCheckedWhenRead changes a text in the file of an open store.
func TestTextIsCheckedWhenRead(t *testing.T) {
	path, file := filled(t)
	s := open(t, path)
	hash := storetest.Hash("c5")
	var text []byte
	must(t, s.db.View(func(tx *bbolt.Tx) error {
		text = bytes.Clone(tx.Bucket(bucketTexts).Get(hash[:]))
		return nil
	}))
	if _, err := s.Raw(t.Context(), hash); err != nil {
		t.Fatal(err)
	}
	for at := bytes.Index(file, text); at >= 0; at = bytes.Index(file, text) { // old pages have it too
		file[at+40] ^= 1
		_, err := s.file.WriteAt(file[at+40:at+41], int64(at+40))
		must(t, err)
	}
	if _, err := s.Raw(t.Context(), hash); !errors.Is(err, store.ErrCorrupt) || !strings.Contains(err.Error(), fmt.Sprintf("%x", hash[:])) {
		t.Errorf("got %v, want ErrCorrupt that names %s", err, hash)
	}
}

func TestOtherSchemaIsRefused(t *testing.T) {
	path, _ := filled(t)
	db, file, err := openDB(path)
	must(t, err)
	must(t, clearSeal(file))
	must(t, db.Update(func(tx *bbolt.Tx) error { return tx.Bucket(bucketMeta).Put(keySchema, []byte("2")) }))
	must(t, writeSeal(file))
	must(t, db.Close())
	if _, err := Open(path); !errors.Is(err, store.ErrSchema) {
		t.Errorf("got %v, want ErrSchema", err)
	}
}

func TestSecondOpenIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store")
	s := open(t, path)
	if _, err := Open(path); !errors.Is(err, store.ErrLocked) {
		t.Errorf("second Open: got %v, want ErrLocked", err)
	}
	if err := Remove(path); !errors.Is(err, store.ErrLocked) {
		t.Errorf("Remove of an open store: got %v, want ErrLocked", err)
	}
	must(t, s.Close())
	must(t, open(t, path).Close())
	must(t, Remove(path))
	if exists, err := Exists(path); exists || err != nil {
		t.Errorf("after Remove: exists %v, %v", exists, err)
	}
}

func TestForeignFilesAreRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store")
	writeFile(t, path, bytes.Repeat([]byte("not a database\n"), 4096))
	if _, err := Open(path); !errors.Is(err, store.ErrCorrupt) {
		t.Errorf("text: got %v, want ErrCorrupt", err)
	}
	must(t, os.Remove(path))
	db, err := bbolt.Open(path, 0o600, nil)
	must(t, err)
	must(t, db.Update(func(tx *bbolt.Tx) error { _, err := tx.CreateBucket([]byte("other")); return err }))
	must(t, db.Close())
	if _, err := Open(path); !errors.Is(err, store.ErrCorrupt) {
		t.Errorf("another database: got %v, want ErrCorrupt", err)
	}
}

// TestLeftoverIsIgnored opens a store beside the file that a killed process was making.
func TestLeftoverIsIgnored(t *testing.T) {
	path, _ := filled(t)
	want := contentsOf(t, path)
	writeFile(t, path+".new", []byte("half a file"))
	s := open(t, path)
	if _, err := s.Prune(t.Context(), 3); err != nil {
		t.Fatal(err)
	}
	if got := list(t, s); len(got) != len(want)-2 {
		t.Errorf("got %d lines, want %d", len(got), len(want)-2)
	}
}
