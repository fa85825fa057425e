package edwards

import "math/bits"

// shortBits is the length of a short scalar and longBits that of a long one: L < 2²⁵³.
const (
	shortBits = 128
	longBits  = 253
)

// maxWindow is the largest number of bits of a digit.
const maxWindow = 10

// columnsFor returns the number of signed digits of w bits in a scalar of n bits. The last digit takes what the others
// leave, fewer than w bits, and their carry, so that it is at most 2^(w-1).
func columnsFor(n, w int) int { return n/w + 1 }

// planColumns recodes the scalars into signed digits of s.window bits and returns their number. A digit in
// [-2^(w-1), 2^(w-1)) plus 2^(w-1) is a plain digit: once 2^(w-1) is added to every digit but the last, each digit can
// be read by itself.
func (s *Sum) planColumns() int {
	w := int(s.window)
	var offset Scalar
	var offsetShort shortScalar
	columns, columnsShort := columnsFor(longBits, w), columnsFor(shortBits, w)
	for i := range columns - 1 {
		bit := i*w + w - 1
		offset[bit/64] |= 1 << (bit % 64)
		if i < columnsShort-1 {
			offsetShort[bit/64] |= 1 << (bit % 64)
		}
	}
	for i := range s.longScalars {
		addWords(s.longScalars[i][:], offset[:])
	}
	for i := range s.shortScalars {
		addWords(s.shortScalars[i][:], offsetShort[:])
	}
	return columns
}

// addWords adds b to a, which has as many words and room for the sum.
func addWords(a, b []uint64) {
	var c uint64
	for i := range a {
		a[i], c = bits.Add64(a[i], b[i], c)
	}
}

// column sums the digits of one position, by buckets: bucket i collects the points with the digit ±(i+1).
func (s *Sum) column(position int, scratch *Scratch) {
	b := scratch.reset(s.window)
	columns, columnsShort := columnsFor(longBits, int(s.window)), columnsFor(shortBits, int(s.window))
	for i := range s.long {
		b.add(digit(s.longScalars[i][:], position, columns, s.window), &s.long[i])
	}
	if position < columnsShort {
		for i := range s.short {
			b.add(digit(s.shortScalars[i][:], position, columnsShort, s.window), &s.short[i])
		}
	}
	b.total(&s.partial[position])
}

// digit returns the signed digit at the given position of a recoded scalar.
func digit(words []uint64, position, columns int, w uint) int {
	bit := uint(position) * w
	i, shift := bit/64, bit%64
	v := words[i] >> shift
	if shift+w > 64 && int(i)+1 < len(words) {
		v |= words[i+1] << (64 - shift)
	}
	if position == columns-1 {
		return int(v)
	}
	return int(v&(1<<w-1)) - 1<<(w-1)
}

// buckets are the buckets of one column. A bucket beyond top is empty, whatever it contains.
type buckets struct {
	points []extended
	used   []bool
	top    int
}

// reset returns empty buckets for digits of w bits.
func (s *Scratch) reset(w uint) *buckets {
	n := 1 << (w - 1)
	if cap(s.buckets.points) < n {
		s.buckets.points = make([]extended, 1<<(maxWindow-1))
		s.buckets.used = make([]bool, 1<<(maxWindow-1))
	}
	s.buckets.points, s.buckets.used = s.buckets.points[:n], s.buckets.used[:n]
	clear(s.buckets.used)
	s.buckets.top = 0
	return &s.buckets
}

// add adds d·q to the column.
func (b *buckets) add(d int, q *Point) {
	switch {
	case d > 0:
		p := &b.points[d-1]
		if b.used[d-1] {
			p.addAffine(q)
			return
		}
		p.setAffine(q)
		b.used[d-1] = true
		b.top = max(b.top, d)
	case d < 0:
		p := &b.points[-d-1]
		if !b.used[-d-1] {
			*p = identity
			b.used[-d-1] = true
			b.top = max(b.top, -d)
		}
		p.subAffine(q)
	}
}

// total sets p to the sum of the buckets, bucket i taken i+1 times: the sum of the sums from the top down.
func (b *buckets) total(p *extended) {
	running := identity
	*p = identity
	for i := b.top - 1; i >= 0; i-- {
		if b.used[i] {
			running.add(&b.points[i])
		}
		p.add(&running)
	}
}
