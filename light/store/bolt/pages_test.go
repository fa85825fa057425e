package bolt

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"testing"

	"github.com/stmverify/stmverify/light/store"
)

// impatient is a file that can be read a number of times.
type impatient struct {
	io.ReaderAt
	left int
}

func (r *impatient) ReadAt(b []byte, offset int64) (int, error) {
	if r.left--; r.left < 0 {
		return 0, errors.New("read too often")
	}
	return r.ReaderAt.ReadAt(b, offset)
}

// TestSharedPages gives a branch with two ways to a branch with two ways, and so on: visiting each page as often as there
// are ways to it would take for ever.
func TestSharedPages(t *testing.T) {
	_, file := filled(t)
	current, err := readMetas(bytes.NewReader(file))
	must(t, err)
	const pages = 20
	first := int64(len(file)) / current.pageSize
	file = append(file, make([]byte, pages*current.pageSize)...)
	native := binary.NativeEndian
	for i := range int64(pages) {
		number := first + i - 1
		if i == 0 {
			number = int64(current.root)
		}
		page := file[number*current.pageSize:]
		native.PutUint16(page[8:], branchPage)
		native.PutUint16(page[10:], 2)
		native.PutUint32(page[12:], 0)
		native.PutUint64(page[pageHeader+8:], uint64(first+i))
		native.PutUint64(page[pageHeader+elementSize+8:], uint64(first+i))
	}
	native.PutUint16(file[int64(len(file))-current.pageSize+8:], leafPage)
	r := &impatient{bytes.NewReader(file), 200}
	if _, err := load(r, int64(len(file))); !errors.Is(err, store.ErrCorrupt) {
		t.Errorf("got %v, want ErrCorrupt", err)
	}
}

// TestPagesInACircle gives pages that lead to each other. Following them all would take for ever.
func TestPagesInACircle(t *testing.T) {
	_, file := filled(t)
	current, err := readMetas(bytes.NewReader(file))
	must(t, err)
	root := file[int64(current.root)*current.pageSize:][:current.pageSize]
	native := binary.NativeEndian
	for name, page := range map[string]func(){
		"a branch to itself": func() {
			native.PutUint16(root[8:], branchPage)
			native.PutUint16(root[10:], 2)
			native.PutUint64(root[pageHeader+8:], current.root)
			native.PutUint64(root[pageHeader+elementSize+8:], current.root)
		},
		"two buckets in one page": func() {
			clear(root[8:])
			native.PutUint16(root[8:], leafPage)
			native.PutUint16(root[10:], 2)
			for i := range 2 {
				e := root[pageHeader+i*elementSize:]
				native.PutUint32(e, bucketLeaf)
				native.PutUint32(e[4:], 100)
				native.PutUint32(e[12:], bucketHeader)
				native.PutUint64(e[100:], 2+1000) // beyond the file
			}
		},
		"a page longer than the file": func() { native.PutUint32(root[12:], 1<<31) },
		"more elements than fit":      func() { native.PutUint16(root[10:], 1<<15) },
	} {
		page()
		r := &impatient{bytes.NewReader(file), 100}
		if _, err := load(r, int64(len(file))); !errors.Is(err, store.ErrCorrupt) {
			t.Errorf("%s: got %v, want ErrCorrupt", name, err)
		}
	}
}
