//go:build !purego && !nolanes

package curve25519

import (
	"encoding/binary"

	"github.com/stmverify/stmverify/internal/lanes/hash"
)

// groupsPerRun is how many groups of eight share the inversions of a run.
const groupsPerRun = 8

// fewItems is the largest number of items that are faster one by one.
const fewItems = 2

// Workspace is the working memory of [Workspace.VerifyStrict] and the other
// methods, about 100 KB. The zero value is ready for use. Allocated by itself
// it is large enough to be aligned to pages, which keeps vectors within cache
// lines. A Workspace is not safe for concurrent use.
type Workspace struct {
	tables  [2]laneTable
	acc     [2]point
	aux     [2]point
	results [groupsPerRun]point
	prefix  [groupsPerRun]element
	key     [64][2][8]uint64 // entry offsets of the digits of k, per window
	base    [32][2][8]uint64 // entry offsets of the digits of S, per window
	keys    [2][8][32]byte
	group   groupInput
}

// groupInput is what the hashes of one group read and write.
type groupInput struct {
	prefix   [8][64]byte
	messages [8][]byte
	digests  [8][hash.Size]byte
}

// verify sets ok[i] for each item; strict says whether A and R of small order
// are refused.
func (w *Workspace) verify(ok []bool, items []Item, strict bool) {
	w.tables[0].setIdentityEntries()
	w.tables[1].setIdentityEntries()
	for len(items) > 0 {
		if len(items) <= fewItems {
			for i := range items {
				ok[i] = verifyOne(&items[i], strict)
			}
			break
		}
		n := min(len(items), 8*groupsPerRun)
		w.run(ok[:n], items[:n], strict)
		ok, items = ok[n:], items[n:]
	}
	w.group.messages = [8][]byte{} // they are the caller's
}

// run verifies up to groupsPerRun groups, two at a time.
func (w *Workspace) run(ok []bool, items []Item, strict bool) {
	groups := (len(items) + 7) / 8
	for g := 0; g < groups; g += 2 {
		pairItems := items[8*g : min(8*g+16, len(items))]
		count := (len(pairItems) + 7) / 8
		valid := w.equation(w.results[g:g+count], pairItems, strict)
		for i := range pairItems {
			ok[8*g+i] = valid>>i&1 == 1
		}
	}
	normalize(w.results[:groups], w.prefix[:groups])
	for i := range items {
		ok[i] = ok[i] && encodesTo(&w.results[i/8], i%8, items[i].Signature)
	}
}

// encodesTo reports whether the point in a lane of p, Z = 1, encodes to the
// first half of sig.
func encodesTo(p *point, lane int, sig *[64]byte) bool {
	y := laneWords(&p[coordY], lane)
	y[3] |= laneWords(&p[coordX], lane)[0] << 63
	return y == wordsOf(sig[:32])
}

// wordsOf returns 32 bytes as little-endian words.
func wordsOf(b []byte) (w [4]uint64) {
	for i := range w {
		w[i] = binary.LittleEndian.Uint64(b[8*i:])
	}
	return w
}

// equation sets one or two points to [S]B - [k]A in the lanes of up to sixteen
// items and returns which items passed the checks of encodings. Unused lanes
// repeat an item; lanes that failed hold some point of the curve.
func (w *Workspace) equation(points []point, items []Item, strict bool) uint16 {
	count := len(points)
	var valid uint16
	for g := range count {
		valid |= uint16(w.load(g, items[8*g:min(8*g+8, len(items))], strict)) << (8 * g)
	}
	decoded := decompress(w.aux[:count], w.keys[:count], 8)
	valid &= uint16(decoded[0]) | uint16(decoded[1])<<8
	for g := range count {
		p := &w.aux[g]
		feSub(&p[coordX], &element{}, &p[coordX])
		feSub(&p[coordT], &element{}, &p[coordT])
	}
	fill(w.tables[:count], w.aux[:count], w.acc[:count])
	w.multiply(points)
	return valid
}

// load takes the items of group g: the keys, the digits of S and of k. It
// returns which lanes have a canonical S and, if strict, no small-order A or R.
// S counts as zero in a lane where it is not canonical.
func (w *Workspace) load(g int, items []Item, strict bool) uint8 {
	var valid uint8
	in := &w.group
	var scalars [8]scalar
	for lane := range 8 {
		item := &items[min(lane, len(items)-1)]
		w.keys[g][lane] = *item.Key
		copy(in.prefix[lane][:32], item.Signature[:32])
		copy(in.prefix[lane][32:], item.Key[:])
		in.messages[lane] = item.Message
		s := &scalars[lane]
		if !s.setBytes(item.Signature[32:]) {
			*s = scalar{}
			continue
		}
		if strict && (smallOrder(item.Key[:]) || smallOrder(item.Signature[:32])) {
			continue
		}
		valid |= 1 << lane
	}
	hash.SHA512(&in.digests, &in.prefix, &in.messages)
	for lane := range 8 {
		var k scalar
		k.setWide(&in.digests[lane])
		w.setDigits(g, lane, &k, &scalars[lane])
	}
	return valid
}

// setDigits writes the table offsets of one lane.
func (w *Workspace) setDigits(g, lane int, k, s *scalar) {
	start := laneOffset(g, lane, 0)
	for i, word := range k.biased(0x8888888888888888) {
		for j := range 16 {
			w.key[16*i+j][g][lane] = start + word&15*entryBytes
			word >>= 4
		}
	}
	for i, word := range s.biased(0x8080808080808080) {
		for j := range 8 {
			w.base[8*i+j][g][lane] = baseOffset(word & 255)
			word >>= 8
		}
	}
}

// multiply sets points to the sum of the digits' entries: windows of four bits
// for the lane tables, of eight for the base point.
func (w *Workspace) multiply(points []point) {
	b := base()
	for i := range points {
		setIdentity(&points[i])
	}
	for i := 63; i >= 0; i-- {
		if i < 63 {
			double(points, 4)
		}
		withBase := i%2 == 0
		add(points, &w.tables[0], &w.key[i], withBase)
		if withBase {
			addBase(points, b, &w.base[i/2])
		}
	}
}
