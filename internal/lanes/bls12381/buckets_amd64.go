//go:build amd64 && !purego && !nolanes

package bls12381

import "math/bits"

// A schedule is the shape of one sum: windows of width bits with signed digits, half
// buckets each.
type schedule struct {
	width, windows, half int
}

// newSchedule chooses the width that costs least for n scalars of one word. A bucket takes
// two additions of 14 products, a point one of 10 a window.
func newSchedule(n int) schedule {
	var best schedule
	least := 0
	for width := 2; width <= 16; width++ {
		s := schedule{width, scalarBits/width + 1, 1 << (width - 1)}
		reductions := s.windows * s.half
		if !s.split() {
			reductions = (s.windows + Lanes - 1) / Lanes * Lanes * s.half
		}
		cost := 10*n*s.windows + 2*14*reductions
		if least == 0 || cost < least {
			best, least = s, cost
		}
	}
	return best
}

// split reports whether the lanes share the buckets of one window; otherwise
// each has the buckets of its own.
func (s schedule) split() bool { return s.half >= 64 }

// digits calls f with every nonzero digit of the scalar: |digit|−1 and whether it is
// negative.
func (s schedule) digits(k uint64, f func(window, magnitude int, negative uint32)) {
	carry := uint64(0)
	mask := uint64(1)<<s.width - 1
	for w := range s.windows {
		d := k&mask + carry
		k >>= s.width
		carry = 0
		var negative uint32
		if d > uint64(s.half) {
			d, carry, negative = mask+1-d, 1, 1
		}
		if d != 0 {
			f(w, int(d)-1, negative)
		}
	}
}

// multiply leaves the sum of the table times the scalars in acc, lane 0.
func (m *Multiplier) multiply(scalars []uint64) {
	s := newSchedule(len(scalars))
	m.sort(s, scalars)
	m.fill(s)
	groups := (s.windows + Lanes - 1) / Lanes
	if s.split() {
		m.sumSplit(s, groups)
	} else {
		m.sumWindows(s, groups)
	}
	m.horner(s, groups)
}

// sort lists the entries by bucket; start gets one more element than there are buckets. It
// goes window by window, so that the places it writes to at a time are few.
func (m *Multiplier) sort(s schedule, scalars []uint64) {
	n := s.windows * s.half
	m.start = resize(m.start, n+2)
	clear(m.start)
	m.places = resize(m.places, s.windows*len(scalars))
	clear(m.places)
	for i, k := range scalars {
		s.digits(k, func(w, d int, negative uint32) {
			b := uint32(w*s.half + d + 1)
			m.start[b+1]++
			m.places[w*len(scalars)+i] = b<<1 | negative
		})
	}
	for b := 2; b < n+2; b++ {
		m.start[b] += m.start[b-1]
	}
	m.entries = resize(m.entries, int(m.start[n+1]))
	for w := range s.windows {
		for i, p := range m.places[w*len(scalars):][:len(scalars)] {
			if p == 0 {
				continue
			}
			at := &m.start[p>>1]
			m.entries[*at] = uint32(i)<<1 | p&1
			*at++
		}
	}
}

// A cursor is the place of one lane in the entries.
type cursor struct {
	bucket, last int // current bucket and the one after the last
	pos          uint32
}

// fill adds up every bucket. The lanes take contiguous runs of whole buckets with about
// the same number of entries; each step adds one entry in every lane.
func (m *Multiplier) fill(s schedule) {
	n := s.windows * s.half
	record := 4 * m.k.width * words
	m.buckets = resize(m.buckets, (n+1)*record)
	clear(m.buckets)
	var lanes [Lanes]cursor
	active := m.share(&lanes, n)
	pointBytes := uint64(2 * m.k.width * words * 8)
	clear(m.acc)
	for active != 0 {
		var offsets, following [Lanes]uint64
		var first, negative uint8
		for l := range lanes {
			c := &lanes[l]
			if active>>l&1 == 0 {
				first |= 1 << l
				continue
			}
			if c.pos == m.start[c.bucket] {
				first |= 1 << l
			}
			e := m.entries[c.pos]
			offsets[l] = uint64(e>>1) * pointBytes
			following[l] = uint64(m.entries[min(int(c.pos)+1, len(m.entries)-1)]>>1) * pointBytes
			negative |= uint8(e&1) << l
		}
		m.gatherPoints(&offsets, negative)
		prefetchAsm(&m.table[0], &following, 2*m.k.width)
		m.addMixed(m.next, m.acc, first)
		m.acc, m.next = m.next, m.acc
		for l := range lanes {
			c := &lanes[l]
			if active>>l&1 == 0 {
				continue
			}
			c.pos++
			if c.pos < m.start[c.bucket+1] {
				continue
			}
			m.flush(m.buckets[c.bucket*record:], l)
			if !m.advance(c) {
				active &^= 1 << l
			}
		}
	}
}

// share places the lanes at their first entries and returns those that have any.
func (m *Multiplier) share(lanes *[Lanes]cursor, n int) (active uint8) {
	total := int(m.start[n])
	b := 0
	for l := range lanes {
		c := &lanes[l]
		c.bucket = b
		for b < n && int(m.start[b]) < total*(l+1)/Lanes {
			b++
		}
		c.last = b
		c.bucket--
		if m.advance(c) {
			active |= 1 << l
		}
	}
	return active
}

// advance moves to the next bucket that has entries.
func (m *Multiplier) advance(c *cursor) bool {
	for c.bucket++; c.bucket < c.last; c.bucket++ {
		if m.start[c.bucket] < m.start[c.bucket+1] {
			c.pos = m.start[c.bucket]
			return true
		}
	}
	return false
}

// gatherPoints loads a point for every lane, negated in the lanes of negative.
func (m *Multiplier) gatherPoints(offsets *[Lanes]uint64, negative uint8) {
	w := m.k.width
	gatherAsm(&m.pt[0], &m.table[0], offsets, 2*w)
	if negative != 0 {
		for i := w; i < 2*w; i++ {
			negateLanesAsm(&m.pt[i], negative)
		}
	}
}

// flush writes lane l of acc to a record.
func (m *Multiplier) flush(record []uint64, l int) {
	l &= Lanes - 1
	for i := range m.acc[:4*m.k.width] {
		r := (*[words]uint64)(record[words*i:])
		for j := range r {
			r[j] = m.acc[i][j][l]
		}
	}
}

// gatherRecords loads one accumulator for every lane.
func (m *Multiplier) gatherRecords(dst []Fp, base []uint64, index *[Lanes]int) {
	record := uint64(4 * m.k.width * words * 8)
	var offsets [Lanes]uint64
	for l, i := range index {
		offsets[l] = uint64(i) * record
	}
	gatherAsm(&dst[0], &base[0], &offsets, 4*m.k.width)
}

// scatterRecords stores acc as records first, first+stride, ….
func (m *Multiplier) scatterRecords(base []uint64, src []Fp, first, stride int) {
	record := uint64(4 * m.k.width * words * 8)
	var offsets [Lanes]uint64
	for l := range offsets {
		offsets[l] = uint64(first+l*stride) * record
	}
	scatterAsm(&base[0], &src[0], &offsets, 4*m.k.width)
}

// running adds count records to sum and every sum to acc, so that from zero acc
// ends as Σ (i+1)·record(i); index(l, i) is record i of lane l.
func (m *Multiplier) running(count int, base []uint64, index func(l, i int) int) {
	var at [Lanes]int
	for i := count - 1; i >= 0; i-- {
		for l := range at {
			at[l] = index(l, i)
		}
		if i == count-1 {
			m.gatherRecords(m.sum, base, &at)
			copy(m.acc, m.sum)
			continue
		}
		m.gatherRecords(m.bucket, base, &at)
		m.add(m.next, m.sum, m.bucket)
		m.sum, m.next = m.next, m.sum
		m.add(m.next, m.acc, m.sum)
		m.acc, m.next = m.next, m.acc
	}
}

// sumWindows leaves Σ digit·bucket of window w in parts[w], a lane a window.
func (m *Multiplier) sumWindows(s schedule, groups int) {
	m.parts = resize(m.parts, groups*Lanes*4*m.k.width*words)
	empty := s.windows * s.half
	for g := range groups {
		m.running(s.half, m.buckets, func(l, i int) int {
			if w := Lanes*g + l; w < s.windows {
				return w*s.half + i
			}
			return empty
		})
		m.scatterRecords(m.parts, m.acc, Lanes*g, 1)
	}
}

// sumSplit is sumWindows with the buckets of each window shared by all lanes: lane l
// gives Tₗ, counting from its own first bucket, and the plain sum Sₗ, and the window is
// Σ Tₗ + (half/8)·Σ l·Sₗ.
func (m *Multiplier) sumSplit(s schedule, groups int) {
	record := 4 * m.k.width * words
	slots := groups * Lanes
	m.parts = resize(m.parts, slots*(1+2*Lanes)*record)
	clear(m.parts)
	plain, counted := slots, slots+slots*Lanes // records of S and T
	span := s.half / Lanes
	for w := range s.windows {
		m.running(span, m.buckets, func(l, i int) int { return w*s.half + l*span + i })
		m.scatterRecords(m.parts, m.sum, plain+w*Lanes, 1)
		m.scatterRecords(m.parts, m.acc, counted+w*Lanes, 1)
	}
	for g := range groups {
		m.running(Lanes-1, m.parts, func(l, i int) int { return plain + (Lanes*g+l)*Lanes + i + 1 })
		m.doubleTimes(bits.Len(uint(span)) - 1)
		for i := range Lanes {
			m.addRecord(m.parts, func(l int) int { return counted + (Lanes*g+l)*Lanes + i })
		}
		m.scatterRecords(m.parts, m.acc, Lanes*g, 1)
	}
}

// doubleTimes doubles acc n times.
func (m *Multiplier) doubleTimes(n int) {
	for range n {
		m.k.double(m.next, m.acc, m.tmp)
		m.acc, m.next = m.next, m.acc
	}
}

// addRecord adds one record a lane to acc.
func (m *Multiplier) addRecord(base []uint64, index func(l int) int) {
	var at [Lanes]int
	for l := range at {
		at[l] = index(l)
	}
	m.gatherRecords(m.bucket, base, &at)
	m.add(m.next, m.acc, m.bucket)
	m.acc, m.next = m.next, m.acc
}

// loadRecord sets acc to one record a lane.
func (m *Multiplier) loadRecord(base []uint64, index func(l int) int) {
	var at [Lanes]int
	for l := range at {
		at[l] = index(l)
	}
	m.gatherRecords(m.acc, base, &at)
}

// horner leaves Σ 2^(width·w)·parts[w] in lane 0 of acc: first every lane its run of
// groups windows, then the lanes one after the other, in all lanes alike.
func (m *Multiplier) horner(s schedule, groups int) {
	m.loadRecord(m.parts, func(l int) int { return l*groups + groups - 1 })
	for g := groups - 2; g >= 0; g-- {
		m.doubleTimes(s.width)
		m.addRecord(m.parts, func(l int) int { return l*groups + g })
	}
	m.scatterRecords(m.parts, m.acc, 0, 1)
	last := (s.windows - 1) / groups
	m.loadRecord(m.parts, func(int) int { return last })
	for l := last - 1; l >= 0; l-- {
		m.doubleTimes(s.width * groups)
		m.addRecord(m.parts, func(int) int { return l })
	}
}
