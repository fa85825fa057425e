package bolt

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"hash/fnv"
	"io"
	"os"

	"github.com/stmverify/stmverify/light/store"
)

// bbolt has two meta pages and writes them in turn; the one with the higher transaction number counts. Of each page it
// uses the first 80 bytes and writes zeros after them. The seal is in the last bytes of the page that counts: a mark, the
// number of the transaction, and the SHA-256 digest of the file with zeros in the place of the seal. Zeros at the end of
// the file are not digested, because the database makes its file longer when it likes.
const (
	sealSize = 8 + 8 + sha256.Size
	sealMark = "stmvseal"

	metaAt      = 16 // where the meta begins in its page, and its fields from there
	metaMagic   = 0xED0CDAED
	magicAt     = 0
	pageSizeAt  = 8
	rootAt      = 16
	txidAt      = 48
	checksumAt  = 56
	metaSize    = 64
	maxPageSize = 64 << 10
)

var errNoMeta = errors.New("no valid meta page")

// meta is what the seal needs of a meta page.
type meta struct {
	page     int64 // 0 or 1
	pageSize int64
	root     uint64 // page of the root bucket
	txid     uint64
}

func (m meta) sealAt() int64 { return (m.page+1)*m.pageSize - sealSize }

// readMeta reads the meta page at the given offset.
func readMeta(f io.ReaderAt, offset int64) (meta, error) {
	var b [metaSize]byte
	if _, err := f.ReadAt(b[:], offset+metaAt); err != nil {
		return meta{}, errNoMeta
	}
	sum := fnv.New64a()
	_, _ = sum.Write(b[:checksumAt])
	native := binary.NativeEndian
	pageSize := int64(native.Uint32(b[pageSizeAt:]))
	if native.Uint32(b[magicAt:]) != metaMagic || native.Uint64(b[checksumAt:]) != sum.Sum64() ||
		pageSize < 1024 || pageSize > maxPageSize {
		return meta{}, errNoMeta
	}
	return meta{pageSize: pageSize, root: native.Uint64(b[rootAt:]), txid: native.Uint64(b[txidAt:])}, nil
}

// readMetas returns the meta page that counts. Both must be valid: with one of them damaged, the other is the state before
// the last transaction.
func readMetas(f io.ReaderAt) (meta, error) {
	first, err := readMeta(f, 0)
	if err != nil {
		return meta{}, err
	}
	second, err := readMeta(f, first.pageSize)
	if err != nil {
		return meta{}, err
	}
	second.page = 1
	switch {
	case first.pageSize != second.pageSize:
		return meta{}, errNoMeta
	case second.txid > first.txid:
		return second, nil
	}
	return first, nil
}

// checkSeal reports whether the file is sealed. It returns an error that wraps store.ErrCorrupt when it was changed
// since, or is no database.
func checkSeal(f *os.File) (sealed bool, err error) {
	current, err := readMetas(f)
	if err != nil {
		return false, fmt.Errorf("%w: %w", store.ErrCorrupt, err)
	}
	var found, zero [sealSize]byte
	if _, err := f.ReadAt(found[:], current.sealAt()); err != nil {
		return false, fmt.Errorf("%w: %w", store.ErrCorrupt, err)
	}
	if found == zero {
		return false, nil
	}
	want, err := makeSeal(f, current)
	if err != nil {
		return false, err
	}
	if found != want {
		return false, fmt.Errorf("%w: the file is not what was written: its digest differs", store.ErrCorrupt)
	}
	return true, nil
}

// makeSeal computes the seal of a file.
func makeSeal(f *os.File, current meta) ([sealSize]byte, error) {
	var seal [sealSize]byte
	d := digester{hash: sha256.New()}
	buf := make([]byte, maxPageSize)
	for offset := int64(0); ; {
		n, err := f.ReadAt(buf, offset)
		if at := current.sealAt() - offset; at >= 0 && at+sealSize <= int64(n) {
			clear(buf[at : at+sealSize])
		}
		d.write(buf[:n])
		offset += int64(n)
		if err == io.EOF {
			break
		}
		if err != nil {
			return seal, err
		}
	}
	copy(seal[:], sealMark)
	binary.BigEndian.PutUint64(seal[8:], current.txid)
	d.hash.Sum(seal[:16])
	return seal, nil
}

// digester digests what is written to it without the zeros at the end.
type digester struct {
	hash  hash.Hash
	zeros int64
}

func (d *digester) write(b []byte) {
	used := bytes.TrimRight(b, "\x00")
	if len(used) == 0 {
		d.zeros += int64(len(b))
		return
	}
	var zeros [4096]byte
	for d.zeros > 0 {
		n := min(d.zeros, int64(len(zeros)))
		_, _ = d.hash.Write(zeros[:n])
		d.zeros -= n
	}
	_, _ = d.hash.Write(used)
	d.zeros = int64(len(b) - len(used))
}

// clearSeal marks the file as being written.
func clearSeal(f *os.File) error {
	return putSeal(f, func(meta) (s [sealSize]byte, err error) { return })
}

// writeSeal marks the file as complete.
func writeSeal(f *os.File) error {
	return putSeal(f, func(m meta) ([sealSize]byte, error) { return makeSeal(f, m) })
}

func putSeal(f *os.File, seal func(meta) ([sealSize]byte, error)) error {
	current, err := readMetas(f)
	if err != nil {
		return err
	}
	s, err := seal(current)
	if err != nil {
		return err
	}
	if _, err := f.WriteAt(s[:], current.sealAt()); err != nil {
		return err
	}
	return f.Sync()
}
