//go:build !purego && !nolanes

package curve25519

import (
	"encoding/binary"
	"sync"

	"github.com/stmverify/stmverify/internal/lanes/hash"
)

// groupsPerRun is how many groups of eight share the inversions of a run.
const groupsPerRun = 8

// A workspace is the memory of one run: nothing of it outlives a call. It is
// above the size from which the allocator aligns objects to pages, which keeps
// vectors within cache lines.
type workspace struct {
	table   laneTable
	acc     point
	aux     point
	results [groupsPerRun]point
	prefix  [groupsPerRun]element
	key     [64][8]uint64 // entry offsets of the digits of k, per window
	base    [32][8]uint64 // entry offsets of the digits of S, per window
	inputs  lanesInput
}

type lanesInput struct {
	keys     [8][32]byte
	prefix   [8][64]byte
	messages [8][]byte
	digests  [8][hash.Size]byte
}

var workspaces = sync.Pool{New: func() any {
	w := new(workspace)
	w.table.setIdentityEntries()
	return w
}}

// verifyStrict sets ok[i] for each item.
func verifyStrict(ok []bool, items []Item) {
	w := workspaces.Get().(*workspace)
	for len(items) > 0 {
		n := min(len(items), 8*groupsPerRun)
		w.run(ok[:n], items[:n])
		ok, items = ok[n:], items[n:]
	}
	w.inputs.messages = [8][]byte{}
	workspaces.Put(w)
}

// run verifies up to eight groups.
func (w *workspace) run(ok []bool, items []Item) {
	groups := (len(items) + 7) / 8
	for g := range groups {
		group := items[8*g : min(8*g+8, len(items))]
		valid := w.equation(&w.results[g], group)
		for i := range group {
			ok[8*g+i] = valid>>i&1 == 1
		}
	}
	normalize(w.results[:groups], w.prefix[:groups])
	for i := range items {
		p := &w.results[i/8]
		ok[i] = ok[i] && encodesTo(p, i%8, items[i].Signature)
	}
}

// encodesTo reports whether the point in a lane of p, Z = 1, encodes to the
// first half of sig.
func encodesTo(p *point, lane int, sig *[64]byte) bool {
	y := laneWords(&p[coordY], lane)
	y[3] |= laneWords(&p[coordX], lane)[0] << 63
	return y[0] == binary.LittleEndian.Uint64(sig[0:]) &&
		y[1] == binary.LittleEndian.Uint64(sig[8:]) &&
		y[2] == binary.LittleEndian.Uint64(sig[16:]) &&
		y[3] == binary.LittleEndian.Uint64(sig[24:])
}

// equation sets p to [S]B - [k]A in the lanes of up to eight items and returns
// which lanes passed the checks of encodings. Unused lanes repeat the first
// item; lanes that failed hold some point of the curve.
func (w *workspace) equation(p *point, items []Item) uint8 {
	var scalars [8]scalar
	valid := w.load(items, &scalars)
	valid &= decompress(&w.aux, &w.inputs.keys)
	hash.SHA512(&w.inputs.digests, &w.inputs.prefix, &w.inputs.messages)
	for lane := range 8 {
		var k scalar
		k.setWide(&w.inputs.digests[lane])
		w.setDigits(lane, &k, &scalars[lane])
	}
	negate(&w.aux)
	w.table.fill(&w.aux, &w.acc)
	w.multiply()
	*p = w.acc
	return valid
}

// load copies the encodings of the items and returns which lanes have a
// canonical S, in scalars, and no small-order A or R. S of other lanes is zero.
func (w *workspace) load(items []Item, scalars *[8]scalar) uint8 {
	var valid uint8
	in := &w.inputs
	for lane := range 8 {
		item := &items[0]
		if lane < len(items) {
			item = &items[lane]
		}
		in.keys[lane] = *item.Key
		copy(in.prefix[lane][:32], item.Signature[:32])
		copy(in.prefix[lane][32:], item.Key[:])
		in.messages[lane] = item.Message
		s := &scalars[lane]
		if !s.setBytes(item.Signature[32:]) {
			*s = scalar{}
			continue
		}
		if smallOrder(item.Key[:]) || smallOrder(item.Signature[:32]) {
			continue
		}
		valid |= 1 << lane
	}
	return valid
}

// setDigits writes the table offsets of one lane.
func (w *workspace) setDigits(lane int, k, s *scalar) {
	var digits16 [64]int8
	k.digits16(&digits16)
	for i, d := range digits16 {
		w.key[i][lane] = laneOffset(lane, d)
	}
	var digits256 [32]int8
	s.digits256(&digits256)
	for i, d := range digits256 {
		w.base[i][lane] = baseOffset(d)
	}
}

// negate negates eight points with Z = 1.
func negate(p *point) {
	feSub(&p[coordX], &element{}, &p[coordX])
	feSub(&p[coordT], &element{}, &p[coordT])
}

// multiply sets acc to the sum of the digits' entries: windows of four bits
// for the lane tables, of eight for the base point.
func (w *workspace) multiply() {
	b := base()
	setIdentity(&w.acc)
	for i := 63; i >= 0; i-- {
		if i < 63 {
			pointDouble(&w.acc, 4)
		}
		pointAdd(&w.acc, &w.table[0][0][0], &w.key[i])
		if i%2 == 0 {
			pointAddAffine(&w.acc, &b[0][0], &w.base[i/2])
		}
	}
}
