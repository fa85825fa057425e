package bolt

import (
	"encoding/binary"
	"fmt"
	"io"

	"github.com/stmverify/stmverify/light/store"
)

// The form of pages, after go.etcd.io/bbolt/internal/common. A page is a header and elements; an element says where its
// key and value are, counted from where the element itself begins. All numbers are in the byte order of the machine.
const (
	pageHeader   = 16 // number u64, flags u16, count u16, overflow u32
	elementSize  = 16
	bucketHeader = 16 // root page u64, sequence u64; an inline page follows when the root is 0

	branchPage = 0x01
	leafPage   = 0x02
	bucketLeaf = 0x01 // flag of an element that is a bucket

	maxDepth = 32 // of branch pages; a file of 2^32 pages has fewer
)

// pages reads the key-value pairs of a database file without the database: it trusts no offset, visits no page twice, and
// works on files that were being written. The database itself is only ever shown files that are as they were written.
type pages struct {
	file     io.ReaderAt
	size     int64
	pageSize int64
	seen     map[uint64]bool
}

// visitor is called with the name of a bucket and a pair in it. The slices are valid during the call.
type visitor func(bucket, key, value []byte) error

// readPairs visits every pair of every bucket of a file.
func readPairs(file io.ReaderAt, size int64, visit visitor) error {
	current, err := readMetas(file)
	if err != nil {
		return fmt.Errorf("%w: %w", store.ErrCorrupt, err)
	}
	p := &pages{file: file, size: size, pageSize: current.pageSize, seen: make(map[uint64]bool)}
	return p.page(current.root, 0, func(flags uint32, name, value []byte) error {
		if flags&bucketLeaf == 0 {
			return nil // stores have none
		}
		return p.bucket(name, value, visit)
	})
}

// bucket visits the pairs of a bucket, given what its parent says of it.
func (p *pages) bucket(name, value []byte, visit visitor) error {
	pair := func(_ uint32, key, value []byte) error { return visit(name, key, value) }
	if len(value) < bucketHeader {
		return broken("a bucket of %d bytes", len(value))
	}
	if root := binary.NativeEndian.Uint64(value); root != 0 {
		return p.page(root, 0, pair)
	}
	return p.elements(value[bucketHeader:], 0, pair)
}

// page visits the pairs below a page.
func (p *pages) page(number uint64, depth int, visit func(flags uint32, key, value []byte) error) error {
	switch {
	case p.seen[number]:
		return broken("page %d twice", number)
	case depth > maxDepth:
		return broken("pages nested %d deep", depth)
	case number >= uint64(p.size/p.pageSize):
		return broken("page %d of %d", number, p.size/p.pageSize)
	}
	p.seen[number] = true
	offset := int64(number) * p.pageSize
	var header [pageHeader]byte
	if _, err := p.file.ReadAt(header[:], offset); err != nil {
		return err
	}
	length := (1 + int64(binary.NativeEndian.Uint32(header[12:]))) * p.pageSize
	if length > p.size-offset {
		return broken("page %d of %d bytes", number, length)
	}
	b := make([]byte, length)
	if _, err := p.file.ReadAt(b, offset); err != nil {
		return err
	}
	return p.elements(b, depth, visit)
}

// elements visits the elements of a page.
func (p *pages) elements(b []byte, depth int, visit func(flags uint32, key, value []byte) error) error {
	if len(b) < pageHeader {
		return broken("a page of %d bytes", len(b))
	}
	flags, count := binary.NativeEndian.Uint16(b[8:]), int(binary.NativeEndian.Uint16(b[10:]))
	if pageHeader+count*elementSize > len(b) || flags != branchPage && flags != leafPage {
		return broken("a page with flags %#x and %d elements", flags, count)
	}
	for i := range count {
		e := b[pageHeader+i*elementSize:]
		if flags == branchPage {
			if err := p.page(binary.NativeEndian.Uint64(e[8:]), depth+1, visit); err != nil {
				return err
			}
			continue
		}
		at, keySize, valueSize := uint64(binary.NativeEndian.Uint32(e[4:])), uint64(binary.NativeEndian.Uint32(e[8:])), uint64(binary.NativeEndian.Uint32(e[12:]))
		if at+keySize+valueSize > uint64(len(e)) {
			return broken("an element beyond its page")
		}
		key, value := e[at:at+keySize], e[at+keySize:at+keySize+valueSize]
		if err := visit(binary.NativeEndian.Uint32(e), key, value); err != nil {
			return err
		}
	}
	return nil
}

func broken(format string, args ...any) error {
	return fmt.Errorf("%w: %s", store.ErrCorrupt, fmt.Sprintf(format, args...))
}
