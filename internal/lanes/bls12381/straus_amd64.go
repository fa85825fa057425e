//go:build amd64 && !purego && !nolanes

package bls12381

// digitWidth is the width of the signed digits of [Multiplier.straus], multiplesOf the
// number of multiples in its tables.
const (
	digitWidth  = 4
	multiplesOf = 1 << (digitWidth - 1)
)

// G1Each sets dst[i] to scalars[i]·points[i], in Jacobian coordinates, under the same
// conditions as [Multiplier.G1]; the three lengths are equal. It takes eight points at a
// time.
func (m *Multiplier) G1Each(dst [][18]uint64, points [][12]uint64, scalars [][2]uint64) {
	if len(points) == 0 {
		return
	}
	m.k = &g1Kernel
	m.load(len(points), func(i int) []uint64 { return points[i][:] })
	halves := m.split(scalars)
	blocks := (len(points) + Lanes - 1) / Lanes
	for b := range blocks {
		m.straus([]int{b, blocks + b}, halves)
		m.jacobian(len(points)-b*Lanes, func(l int) []uint64 { return dst[b*Lanes+l][:] })
	}
}

// G2Each is [Multiplier.G1Each] on the twist, with coordinates as [Decoder.G2] gives them.
func (m *Multiplier) G2Each(dst [][36]uint64, points [][24]uint64, scalars [][2]uint64) {
	if len(points) == 0 {
		return
	}
	m.k = &g2Kernel
	m.load(len(points), func(i int) []uint64 { return points[i][:] })
	halves := m.split(scalars)
	blocks := (len(points) + Lanes - 1) / Lanes
	for b := range blocks {
		m.straus([]int{b, blocks + b}, halves)
		m.jacobian(len(points)-b*Lanes, func(l int) []uint64 { return dst[b*Lanes+l][:] })
	}
}

// straus leaves in each lane of acc the sum over the given blocks of the table of the
// point in that lane times its scalar: all blocks share the doublings.
func (m *Multiplier) straus(blocks []int, scalars []uint64) {
	s := schedule{digitWidth, scalarBits/digitWidth + 1, multiplesOf}
	m.tabulate(blocks)
	m.digits = resize(m.digits, s.windows*len(blocks)*Lanes)
	clear(m.digits)
	for r, b := range blocks {
		for l := range Lanes {
			if i := b*Lanes + l; i < len(scalars) {
				s.digits(scalars[i], func(w, d int, negative uint32) {
					m.digits[(w*len(blocks)+r)*Lanes+l] = int8(d+1) * (1 - 2*int8(negative))
				})
			}
		}
	}
	clear(m.acc)
	for w := s.windows - 1; w >= 0; w-- {
		if w < s.windows-1 {
			m.doubleTimes(digitWidth)
		}
		for r := range blocks {
			m.addDigits(r, m.digits[(w*len(blocks)+r)*Lanes:][:Lanes])
		}
	}
}

// tabulate writes the multiples 1 to 8 of the points of every block: multiple j of lane l
// of block r is record (8r + j − 1)·8 + l of the parts.
func (m *Multiplier) tabulate(blocks []int) {
	w := m.k.width
	m.parts = resize(m.parts, len(blocks)*multiplesOf*Lanes*4*w*words)
	pointBytes := uint64(2 * w * words * 8)
	for r, b := range blocks {
		var offsets [Lanes]uint64
		for l := range offsets {
			offsets[l] = uint64(b*Lanes+l) * pointBytes
		}
		gatherAsm(&m.pt[0], &m.table[0], &offsets, 2*w)
		for j := range multiplesOf {
			switch j {
			case 0:
				m.addMixed(m.next, m.acc, 0xff)
			case 1:
				m.k.double(m.next, m.acc, m.tmp)
			default:
				m.addMixed(m.next, m.acc, 0)
			}
			m.acc, m.next = m.next, m.acc
			m.scatterRecords(m.parts, m.acc, (r*multiplesOf+j)*Lanes, 1)
		}
	}
}

// addDigits adds to every lane of acc the multiple of its point of block r that the digit
// names; a digit 0 leaves the lane.
func (m *Multiplier) addDigits(r int, digits []int8) {
	var at [Lanes]int
	var negative, idle uint8
	for l, d := range digits {
		switch {
		case d == 0:
			idle |= 1 << l
			d = 1
		case d < 0:
			negative |= 1 << l
			d = -d
		}
		at[l] = (r*multiplesOf+int(d)-1)*Lanes + l
	}
	if idle == 0xff {
		return
	}
	w := m.k.width
	m.gatherRecords(m.bucket, m.parts, &at)
	if negative != 0 {
		for i := w; i < 2*w; i++ {
			negateLanesAsm(&m.bucket[i], negative)
		}
	}
	if s := m.k.add(m.next, m.acc, m.bucket, m.tmp) &^ idle; s != 0 {
		m.repair(m.next, m.acc, m.bucket, s)
	}
	for l := range Lanes {
		if idle>>l&1 == 1 {
			copyLane(m.next[:4*w], m.acc[:4*w], l)
		}
	}
	m.acc, m.next = m.next, m.acc
}

// fold leaves the sum of all lanes of acc in every lane.
func (m *Multiplier) fold() {
	m.parts = resize(m.parts, Lanes*4*m.k.width*words)
	for d := Lanes / 2; d > 0; d /= 2 {
		m.scatterRecords(m.parts, m.acc, 0, 1)
		m.addRecord(m.parts, func(l int) int { return l ^ d })
	}
}
