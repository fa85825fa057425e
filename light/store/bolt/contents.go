package bolt

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	bbolt "go.etcd.io/bbolt"

	"github.com/stmverify/stmverify/certificate"
	"github.com/stmverify/stmverify/light/store"
)

// schema is the version of the layout below. It changes whenever an older program could misread a newer file.
const schema = "1"

// The buckets and the keys of the meta bucket. A value of the records and texts buckets, keyed by certificate hash, and the
// state are preceded by their SHA-256 digest, see [seal].
var (
	bucketMeta    = []byte("meta")
	bucketRecords = []byte("records") // JSON of store.Restored
	bucketTexts   = []byte("texts")   // zstd of the text as the provider sent it

	keySchema = []byte("schema")
	keyState  = []byte("state")  // JSON of store.State
	keyDigest = []byte("digest") // see contents.digest
)

// pair holds the digests of a record and of its text.
type pair struct{ record, text [sha256.Size]byte }

// contents is what a store file says.
type contents struct {
	state  store.State
	sums   map[certificate.Hash]pair
	memory *store.Memory
}

// wrap returns a value preceded by its digest, in which its bucket and key take part.
func wrap(bucket, key, value []byte) []byte {
	sum := sumOf(bucket, key, value)
	return append(sum[:], value...)
}

// unwrap returns the value of a wrapped one and its digest, or an error when they do not agree.
func unwrap(bucket, key, wrapped []byte) ([]byte, [sha256.Size]byte, error) {
	if len(wrapped) < sha256.Size {
		return nil, [sha256.Size]byte{}, fmt.Errorf("%w: %s %x: too short", store.ErrCorrupt, bucket, key)
	}
	value := wrapped[sha256.Size:]
	sum := sumOf(bucket, key, value)
	if !bytes.Equal(sum[:], wrapped[:sha256.Size]) {
		return nil, sum, fmt.Errorf("%w: %s %x: its digest differs", store.ErrCorrupt, bucket, key)
	}
	return value, sum, nil
}

func sumOf(bucket, key, value []byte) (sum [sha256.Size]byte) {
	h := sha256.New()
	for _, part := range [][]byte{bucket, {0}, key, value} { // the keys of a bucket all have the same length but in meta
		_, _ = h.Write(part)
	}
	h.Sum(sum[:0])
	return sum
}

// digest is that of the whole contents: the state and, in the order of the hashes, the digests of all values.
func digest(state []byte, sums map[certificate.Hash]pair) [sha256.Size]byte {
	hashes := make([]certificate.Hash, 0, len(sums))
	for hash := range sums {
		hashes = append(hashes, hash)
	}
	slices.SortFunc(hashes, func(a, b certificate.Hash) int { return bytes.Compare(a[:], b[:]) })
	h := sha256.New()
	for _, hash := range hashes {
		p := sums[hash]
		_, _ = h.Write(p.record[:])
		_, _ = h.Write(p.text[:])
	}
	_, _ = h.Write(state)
	return [sha256.Size]byte(h.Sum(nil))
}

// putState writes the state and the digest of the contents.
func putState(tx *bbolt.Tx, state store.State, sums map[certificate.Hash]pair) error {
	text, err := json.Marshal(state)
	if err != nil {
		return err
	}
	d := digest(text, sums)
	b := tx.Bucket(bucketMeta)
	if err := b.Put(keyState, wrap(bucketMeta, keyState, text)); err != nil {
		return err
	}
	return b.Put(keyDigest, d[:])
}

// initialise makes the buckets of an empty store.
func initialise(tx *bbolt.Tx) error {
	for _, name := range [][]byte{bucketMeta, bucketRecords, bucketTexts} {
		if _, err := tx.CreateBucket(name); err != nil {
			return err
		}
	}
	return tx.Bucket(bucketMeta).Put(keySchema, []byte(schema))
}

// load reads and checks the contents of a file.
func load(file io.ReaderAt, size int64) (*contents, error) {
	l := &loader{meta: make(map[string][]byte), records: make(map[certificate.Hash]loaded), texts: make(map[certificate.Hash][sha256.Size]byte)}
	if err := readPairs(file, size, l.visit); err != nil {
		return nil, err
	}
	return l.contents()
}

// loader collects what a file holds. Of the texts it keeps the digests only.
type loader struct {
	meta    map[string][]byte
	records map[certificate.Hash]loaded
	texts   map[certificate.Hash][sha256.Size]byte
}

// loaded is a record that was read, and its digest.
type loaded struct {
	restored store.Restored
	sum      [sha256.Size]byte
}

func (l *loader) visit(bucket, key, wrapped []byte) error {
	if bytes.Equal(bucket, bucketMeta) {
		l.meta[string(key)] = bytes.Clone(wrapped)
		return nil
	}
	if len(key) != certificate.HashSize {
		return fmt.Errorf("%w: bucket %q with the key %x", store.ErrCorrupt, bucket, key)
	}
	value, sum, err := unwrap(bucket, key, wrapped)
	if err != nil {
		return err
	}
	hash := certificate.Hash(key)
	switch {
	case bytes.Equal(bucket, bucketTexts):
		l.texts[hash] = sum
	case bytes.Equal(bucket, bucketRecords):
		r := loaded{sum: sum}
		if err := json.Unmarshal(value, &r.restored); err != nil {
			return fmt.Errorf("%w: record %s: %w", store.ErrCorrupt, hash, err)
		}
		if r.restored.Record.Hash != hash {
			return fmt.Errorf("%w: record %s holds certificate %s", store.ErrCorrupt, hash, r.restored.Record.Hash)
		}
		l.records[hash] = r
	default:
		return fmt.Errorf("%w: a bucket %q", store.ErrCorrupt, bucket)
	}
	return nil
}

// contents checks what was collected as a whole.
func (l *loader) contents() (*contents, error) {
	if len(l.meta) == 0 {
		return nil, fmt.Errorf("%w: not a store of certificates", store.ErrCorrupt)
	}
	if got := l.meta[string(keySchema)]; string(got) != schema {
		return nil, fmt.Errorf("%w: layout %q, want %q", store.ErrSchema, got, schema)
	}
	text, _, err := unwrap(bucketMeta, keyState, l.meta[string(keyState)])
	if err != nil {
		return nil, err
	}
	c := &contents{sums: make(map[certificate.Hash]pair)}
	if err := json.Unmarshal(text, &c.state); err != nil {
		return nil, fmt.Errorf("%w: state: %w", store.ErrCorrupt, err)
	}
	restored := make([]store.Restored, 0, len(l.records))
	for hash, r := range l.records {
		c.sums[hash] = pair{r.sum, l.texts[hash]}
		restored = append(restored, r.restored)
	}
	want := digest(text, c.sums)
	if len(l.texts) != len(l.records) || !bytes.Equal(want[:], l.meta[string(keyDigest)]) {
		return nil, fmt.Errorf("%w: the digest of its contents differs", store.ErrCorrupt)
	}
	c.memory, err = store.Restore(c.state, restored)
	return c, err
}
