package certio

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"iter"
	"os"

	"github.com/stmverify/stmverify/internal/limits"
)

// Index knows where each certificate of an input is and which one it names as its parent. It is for one goroutine, and
// belongs to its [Input]: it ends with it.
type Index struct {
	in           *Input
	entries      []entry
	byHash       map[Hash]int32
	duplicates   int
	skipped      []string
	skippedBytes int      // of objects that are no certificates
	open         *os.File // the file that was read last
}

// entry is one certificate.
type entry struct {
	hash, previous Hash // previous is zero where the certificate names no parent
	offset         int64
	length         int32
	file           int32 // number in Input.files
	element        int32
	spooled        bool // offset is one in the spool
}

func newIndex(in *Input) *Index { return &Index{in: in, byHash: make(map[Hash]int32)} }

// Index reads the whole input and remembers where each certificate is. A certificate that occurs twice counts once; two different
// ones with the same hash are an error. In a folder, JSON objects that are no certificates are skipped. After a Stream of
// standard input it goes on where that stopped.
func (in *Input) Index(ctx context.Context) (*Index, error) {
	x := newIndex(in)
	if in.stdin != nil && in.stdin.index != nil {
		x = in.stdin.index
	}
	for number := range in.files {
		if err := x.addFile(ctx, number); err != nil {
			return nil, err
		}
	}
	if len(x.entries) == 0 {
		return nil, newError(in.path, 0, 0, ErrEmpty)
	}
	return x, nil
}

func (x *Index) addFile(ctx context.Context, number int) error {
	file := x.in.files[number]
	scanner, closer, err := x.in.scan(file)
	if err != nil {
		return err
	}
	defer closer.Close()
	spooled := x.in.stdin != nil || scanner.compressed
	for {
		object, offset, err := scanner.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return x.in.errorAt(file, scanner.Count(), offset, err)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		l := findLink(object)
		if x.in.dir && (l.hash == nil || l.previous == nil) {
			if x.skippedBytes += len(object); x.skippedBytes > limits.MaxSkipped {
				return x.in.errorAt(file, scanner.Count(), offset, errSkipped)
			}
			x.skip(file)
			continue
		}
		if err := x.add(number, scanner.Count()-1, offset, object, l, spooled); err != nil {
			return err
		}
	}
}

func (x *Index) skip(file string) {
	if n := len(x.skipped); n == 0 || x.skipped[n-1] != file {
		x.skipped = append(x.skipped, file)
	}
}

// add takes one certificate. A spooled one is copied to the temporary file; others are read again where they are.
func (x *Index) add(file, element int, offset int64, object []byte, l link, spooled bool) error {
	fail := func(err error) error { return newError(x.in.files[file], element, offset, err) }
	if l.hash == nil || l.previous == nil {
		return fail(errNoHash)
	}
	e := entry{offset: offset, length: int32(len(object)), file: int32(file), element: int32(element), spooled: spooled}
	var ok bool
	if e.hash, ok = parseHash(l.hash); !ok {
		return fail(errHash)
	}
	if e.previous, ok = parseHash(l.previous); !ok && len(l.previous) > 0 {
		return fail(fmt.Errorf("previous_hash: %w", errHash))
	}
	if i, ok := x.byHash[e.hash]; ok {
		return x.duplicate(i, object, fail)
	}
	if len(x.entries) == limits.MaxIndexedCertificates {
		return fail(errTooManyUnordered)
	}
	if spooled {
		var err error
		if e.offset, err = x.in.spool.append(object); err != nil {
			return fail(err)
		}
	}
	x.byHash[e.hash] = int32(len(x.entries))
	x.entries = append(x.entries, e)
	return nil
}

func (x *Index) duplicate(i int32, object []byte, fail func(error) error) error {
	first, err := x.read(i)
	if err != nil {
		return err
	}
	if !bytes.Equal(first, object) {
		return fail(errConflict)
	}
	x.duplicates++
	return nil
}

// read returns the bytes of certificate i.
func (x *Index) read(i int32) ([]byte, error) {
	e := &x.entries[i]
	object := make([]byte, e.length)
	if e.spooled {
		return object, x.in.spool.read(object, e.offset)
	}
	name := x.in.files[e.file]
	if x.open == nil || x.open.Name() != name {
		x.close()
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		x.open = f
	}
	if _, err := x.open.ReadAt(object, e.offset); err != nil {
		return nil, fmt.Errorf("%s: changed while it was read: %w", name, err)
	}
	return object, nil
}

func (x *Index) close() {
	if x.open != nil {
		x.open.Close() // It was only read.
		x.open = nil
	}
}

// Len returns how many different certificates the input holds.
func (x *Index) Len() int { return len(x.entries) }

// Duplicates returns how many certificates were left out because they occurred before.
func (x *Index) Duplicates() int { return x.duplicates }

// Skipped returns the files of the folder that hold JSON objects which are no certificates.
func (x *Index) Skipped() []string { return x.skipped }

// First returns the hash of the certificate that was read first.
func (x *Index) First() Hash { return x.entries[0].hash }

// All returns the hashes of all certificates in the order in which they were read.
func (x *Index) All() []Hash {
	all := make([]Hash, len(x.entries))
	for i := range x.entries {
		all[i] = x.entries[i].hash
	}
	return all
}

// Has reports whether the input holds a certificate with this hash.
func (x *Index) Has(hash Hash) bool {
	_, ok := x.byHash[hash]
	return ok
}

// Get returns the certificate with this hash, or nil when the input does not hold it.
func (x *Index) Get(hash Hash) ([]byte, error) {
	i, ok := x.byHash[hash]
	if !ok {
		return nil, nil
	}
	defer x.close()
	return x.read(i)
}

// Tips returns the hashes of the certificates that no other one names as its parent, in the order in which they were read.
// There is at least one: where each certificate has a child they form loops, and the first certificate stands for all.
func (x *Index) Tips() []Hash {
	parents := make(map[Hash]bool, len(x.entries))
	for i := range x.entries {
		if e := &x.entries[i]; e.previous != e.hash && e.previous != (Hash{}) {
			parents[e.previous] = true
		}
	}
	var tips []Hash
	for i := range x.entries {
		if h := x.entries[i].hash; !parents[h] {
			tips = append(tips, h)
		}
	}
	if len(tips) == 0 {
		return []Hash{x.entries[0].hash}
	}
	return tips
}

// Reachable returns how many different certificates lie on the walks from these tips.
func (x *Index) Reachable(tips ...Hash) int {
	seen := make([]bool, len(x.entries))
	count := 0
	for _, h := range tips {
		for i, ok := x.byHash[h]; ok && !seen[i]; i, ok = x.parent(i) {
			seen[i] = true
			count++
		}
	}
	return count
}

// parent returns the certificate that certificate i names as its parent. A previous hash of zeros names none, even where some
// certificate claims that hash.
func (x *Index) parent(i int32) (int32, bool) {
	previous := x.entries[i].previous
	if previous == (Hash{}) {
		return 0, false
	}
	j, ok := x.byHash[previous]
	return j, ok
}

// Parent returns the hash that the certificate names as its parent, which the input may not hold; it is zero for none.
func (x *Index) Parent(hash Hash) Hash {
	i, ok := x.byHash[hash]
	if !ok {
		return Hash{}
	}
	return x.entries[i].previous
}

// Walk yields the certificates from tip to the one whose parent the input does not hold. Each slice is the receiver's. An
// error is the last thing yielded.
func (x *Index) Walk(ctx context.Context, tip Hash) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		defer x.close()
		seen := make([]bool, len(x.entries))
		for i, ok := x.byHash[tip]; ok; i, ok = x.parent(i) {
			e := &x.entries[i]
			if seen[i] {
				yield(nil, newError(x.in.files[e.file], int(e.element), e.offset, errLoop))
				return
			}
			seen[i] = true
			object, err := x.read(i)
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(object, nil) {
				return
			}
		}
	}
}
