package curve25519

import (
	"math/bits"
	"slices"
)

// A Point is a decoded point of the curve as Y+X, Y-X and 2dXY for Z = 1, each
// in four little-endian words, any number below 2^256 modulo p. The zero value
// is not a point; [Workspace.Decode] makes one.
type Point [3][4]uint64

// A term is a point as the assembly adds it to buckets: five limbs of form N
// each of Y+X, Y-X, 2dXY and -2dXY.
type term [20]uint64

// setPoint sets t to p.
func (t *term) setPoint(p *Point) {
	for i := range p {
		setLimbs(t[5*i:5*i+5], &p[i])
	}
	// 2^256 - 38 = 2p, and 2dXY may exceed it by 37: then -38 is added again.
	minus := scalar{}
	minus.subtract((*scalar)(&p[2]))
	if (*scalar)(&p[2]).less(&twoPrime) {
		minus.subtract(&scalar{38})
	} else {
		minus.subtract(&scalar{76})
	}
	setLimbs(t[15:], (*[4]uint64)(&minus))
}

// twoPrime is 2p.
var twoPrime = scalar{1<<64 - 38, 1<<64 - 1, 1<<64 - 1, 1<<64 - 1}

// setLimbs sets five limbs to a number below 2^256 modulo p.
func setLimbs(l []uint64, w *[4]uint64) {
	// The bit of value 2^255 = 19 goes to limb 0.
	w0, c := bits.Add64(w[0], w[3]>>63*19, 0)
	w1, c := bits.Add64(w[1], 0, c)
	w2, c := bits.Add64(w[2], 0, c)
	w3 := w[3]&(1<<63-1) + c
	const mask = 1<<52 - 1
	l[0] = w0 & mask
	l[1] = (w0>>52 | w1<<12) & mask
	l[2] = (w1>>40 | w2<<24) & mask
	l[3] = (w2>>28 | w3<<36) & mask
	l[4] = w3 >> 16
}

// Decode sets points[i] to the point that encodings[i] stands for and ok[i] to
// whether there is one, by the rule of ZIP 215: the low 255 bits are y, which
// may be p or more; the high bit is the low bit of x and counts for nothing
// when x is zero. Without a point, points[i] is the neutral element. Requires
// [Available] and three slices of one length. The cost is that of whole groups
// of sixteen.
func (w *Workspace) Decode(points []*Point, ok []bool, encodings []*[32]byte) {
	for len(points) > 0 {
		n := min(len(points), 16)
		w.decode(points[:n], ok[:n], encodings[:n])
		points, ok, encodings = points[n:], ok[n:], encodings[n:]
	}
}

// A Sum is a sum of points with scalars, of which one thing can be asked:
// whether it has small order.
//
// [Sum.Expect] fixes the number of terms; [Sum.Set] and [Sum.SetShort] set each,
// different ones at the same time if the caller likes; [Sum.Plan] divides the
// work into tasks; [Sum.Do] carries them out in any order and, each with its own
// [Scratch], at the same time; [Sum.Finish] puts the results together. Buffers
// are kept from one sum to the next. The zero value is an empty sum. All methods
// require [Available].
type Sum struct {
	long         []term
	longScalars  []scalar // recoded
	short        []term
	shortScalars []scalar // recoded

	window    int    // bits of a digit
	bias      scalar // what recoding adds to a long scalar
	shortBias scalar
	groups    int // groups of eight digit positions
	spans     int // parts of the terms
	partial   []partialSum
}

// Expect makes the sum one of so many long and short terms, all of which are to
// be set.
func (s *Sum) Expect(long, short int) {
	s.long, s.longScalars = slices.Grow(s.long[:0], long)[:long], slices.Grow(s.longScalars[:0], long)[:long]
	s.short, s.shortScalars = slices.Grow(s.short[:0], short)[:short], slices.Grow(s.shortScalars[:0], short)[:short]
	s.setWindow(windowFor(long + short))
}

// setWindow fixes the bits of a digit.
func (s *Sum) setWindow(w int) {
	s.window, s.groups = w, groupsFor(longBits, w)
	s.bias, s.shortBias = biasFor(longBits, w), biasFor(shortBits, w)
}

// Set sets long term i to k·p, k < L in four little-endian words.
func (s *Sum) Set(i int, p *Point, k *[4]uint64) {
	s.long[i].setPoint(p)
	s.SetScalar(i, k)
}

// SetScalar sets the scalar of long term i again, k < L in four little-endian words.
func (s *Sum) SetScalar(i int, k *[4]uint64) { s.longScalars[i] = (*scalar)(k).plus(&s.bias) }

// SetShort sets short term i to k·p at half the cost of [Sum.Set]. k is a 128-bit
// integer in two's complement.
func (s *Sum) SetShort(i int, p *Point, k *[2]uint64) {
	s.short[i].setPoint(p)
	sign := uint64(int64(k[1]) >> 63)
	s.shortScalars[i] = (&scalar{k[0], k[1], sign, sign}).plus(&s.shortBias)
}

// maxSpans bounds the parts of the terms: every part sums its own buckets.
const maxSpans = 16

// Plan divides the work for the given number of workers and returns the number
// of tasks. The groups with digits of short terms cost twice the others, so that
// many workers need parts of groups.
func (s *Sum) Plan(workers int) int {
	s.spans = max(1, min(2*workers/s.groups, len(s.long)/256, maxSpans))
	tasks := s.groups * s.spans
	s.partial = slices.Grow(s.partial[:0], tasks)[:tasks]
	return tasks
}

const (
	shortBits = 128
	longBits  = 253 // L < 2^253
)

// windowFor returns the bits of a digit for n terms, half of them short. The
// bounds are measured (BenchmarkSum).
func windowFor(n int) int {
	switch {
	case n < 100:
		return 4
	case n < 200:
		return 5
	case n < 400:
		return 6
	}
	return 8
}

// columnsFor returns how many digits of w bits a scalar of n bits has. The
// last digit takes the carry, so it has fewer than w bits of its own.
func columnsFor(n, w int) int { return n/w + 1 }

// groupsFor returns how many groups of eight lanes the columns fill.
func groupsFor(n, w int) int { return (columnsFor(n, w) + 7) / 8 }

// biasFor returns 2^(w-1) in the place of every digit but the last of a scalar
// of n bits. When it is added, each digit can be read by itself and has 2^(w-1)
// subtracted.
func biasFor(n, w int) (bias scalar) {
	for i := range columnsFor(n, w) - 1 {
		bit := i*w + w - 1
		bias[bit/64] |= 1 << (bit % 64)
	}
	return bias
}

// zeroDigits is a word of eight digits that are zero.
const zeroDigits = 0x8080808080808080

// digitWord returns the digits of group g of a recoded scalar of n bits, digit
// plus 128 in the byte of its lane.
func (s *scalar) digitWord(g, n, w int) uint64 {
	if w == 8 && 8*(g+1) < columnsFor(n, w) {
		return s[g]
	}
	word := uint64(zeroDigits)
	columns := columnsFor(n, w)
	if w == 8 && 8*g == columns-1 && s[g] == 0 {
		return word // nearly all short scalars
	}
	for lane := range min(8, columns-8*g) {
		column := 8*g + lane
		bit := column * w
		v := s[bit/64] >> (bit % 64)
		if bit%64+w > 64 && bit/64+1 < len(s) {
			v |= s[bit/64+1] << (64 - bit%64)
		}
		v &= 1<<w - 1
		switch {
		case column < columns-1:
			v -= 1 << (w - 1)
		case v >= 1<<(w-1): // the last digit has the sign of the scalar
			v -= 1 << w
		}
		word ^= zeroDigits & (0xff << (8 * lane))
		word |= (v + 128) & 0xff << (8 * lane)
	}
	return word
}
