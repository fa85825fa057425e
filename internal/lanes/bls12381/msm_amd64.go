//go:build amd64 && !purego && !nolanes

package bls12381

// words is the number of words of one element of Fp in a record.
const words = 8

// A kernel is the group law of G1 or G2 in lanes: width elements of Fp a
// coordinate, points X, Y, ZZ, ZZZ with x = X/ZZ and y = Y/ZZZ.
type kernel struct {
	width    int
	addMixed func(r, p, q, t []Fp, one *Fp, first uint8) (suspects uint8)
	add      func(r, p, q, t []Fp) (suspects uint8)
	double   func(r, p, t []Fp)
}

var g1Kernel = kernel{
	width: 1,
	addMixed: func(r, p, q, t []Fp, one *Fp, first uint8) uint8 {
		return g1AddMixedXYZZAsm((*[4]Fp)(r), (*[4]Fp)(p), (*[2]Fp)(q), (*[8]Fp)(t), one, first)
	},
	add: func(r, p, q, t []Fp) uint8 {
		return g1AddXYZZAsm((*[4]Fp)(r), (*[4]Fp)(p), (*[4]Fp)(q), (*[8]Fp)(t))
	},
	double: func(r, p, t []Fp) { g1DoubleXYZZAsm((*[4]Fp)(r), (*[4]Fp)(p), (*[8]Fp)(t)) },
}

var g2Kernel = kernel{
	width: 2,
	addMixed: func(r, p, q, t []Fp, one *Fp, first uint8) uint8 {
		return g2AddMixedXYZZAsm((*[8]Fp)(r), (*[8]Fp)(p), (*[4]Fp)(q), (*[16]Fp)(t), one, first)
	},
	add: func(r, p, q, t []Fp) uint8 {
		return g2AddXYZZAsm((*[8]Fp)(r), (*[8]Fp)(p), (*[8]Fp)(q), (*[16]Fp)(t))
	},
	double: func(r, p, t []Fp) { g2DoubleXYZZAsm((*[8]Fp)(r), (*[8]Fp)(p), (*[16]Fp)(t)) },
}

// A Multiplier computes sums of multiples of points by buckets, eight bucket
// additions at a time. It keeps its working space, which grows with the largest
// input (about 300 bytes a point and bucket in G1, 600 in G2), and is not safe for
// concurrent use.
type Multiplier struct {
	*multiplierConstants
	k       *kernel
	table   []uint64 // affine points, one record of 2·width·8 words each
	scalars []uint64
	entries []uint32 // point indices, shifted left once, with the sign of the digit
	places  []uint32 // bucket + 1 and sign of every digit, 0 for a digit 0
	start   []uint32 // first entry of each bucket
	buckets []uint64 // records of 4·width·8 words, then one that stays zero
	digits  []int8
	parts   []uint64 // sums of buckets, the same records

	acc, next, sum, bucket, double, pt, tmp []Fp
}

// multiplierConstants is apart because the allocator puts memory without pointers on cache
// lines.
type multiplierConstants struct {
	one, from384, to384, plainOne Fp
	beta                          Fp
	psi                           [4]Fp
}

// NewMultiplier returns a Multiplier. The caller has made sure that the processor has
// the lanes.
func NewMultiplier() *Multiplier {
	m := &Multiplier{multiplierConstants: new(multiplierConstants)}
	m.one.broadcast(&limbsOne)
	m.from384.broadcast(&limbsFrom384)
	m.to384.broadcast(&limbsTo384)
	m.plainOne.broadcast(&limbsPlainOne)
	m.beta.broadcast(&limbsBeta)
	for i, c := range []*[8]uint64{&limbsPsiX0, &limbsPsiX1, &limbsPsiY0, &limbsPsiY1} {
		m.psi[i].broadcast(c)
	}
	for _, p := range []*[]Fp{&m.acc, &m.next, &m.sum, &m.bucket, &m.double, &m.pt} {
		*p = make([]Fp, 8)
	}
	m.tmp = make([]Fp, 25)
	return m
}

// G1 returns Σ scalars[i]·points[i] in Jacobian coordinates X, Y, Z. The points are as
// [Decoder.G1] gives them: affine, finite, in the subgroup. A scalar is two words a, b that
// stand for a + b·u², where u is the curve's parameter: an endomorphism multiplies by u². The
// sum of no points, like any sum that is infinity, has Z = 0.
//
// It requires len(scalars) = len(points) and len(points) < 2^31.
func (m *Multiplier) G1(points [][12]uint64, scalars [][2]uint64) (sum [18]uint64) {
	if len(points) == 0 {
		return sum
	}
	m.k = &g1Kernel
	m.load(len(points), func(i int) []uint64 { return points[i][:] })
	m.total(len(points), m.split(scalars), g1Straus)
	m.jacobian(1, func(int) []uint64 { return sum[:] })
	return sum
}

// G2 is [Multiplier.G1] on the twist, with coordinates as [Decoder.G2] gives them.
func (m *Multiplier) G2(points [][24]uint64, scalars [][2]uint64) (sum [36]uint64) {
	if len(points) == 0 {
		return sum
	}
	m.k = &g2Kernel
	m.load(len(points), func(i int) []uint64 { return points[i][:] })
	m.total(len(points), m.split(scalars), g2Straus)
	m.jacobian(1, func(int) []uint64 { return sum[:] })
	return sum
}

// load converts the points into the table; a second half of the same length, also whole
// blocks of lanes, has their multiples by u².
func (m *Multiplier) load(n int, point func(i int) []uint64) {
	elements := 2 * m.k.width
	record := elements * words
	blocks := (n + Lanes - 1) / Lanes
	m.table = resize(m.table, 2*blocks*Lanes*record)
	var offsets [Lanes]uint64
	for l := range offsets {
		offsets[l] = uint64(8 * record * l)
	}
	for b := range blocks {
		for l := range min(Lanes, n-Lanes*b) {
			p := point(Lanes*b + l)
			for e := range elements {
				m.pt[e].setLane(l, (*fp6)(p[6*e:6*e+6]))
			}
		}
		for e := range elements {
			mulAsm(&m.pt[e], &m.pt[e], &m.from384)
		}
		scatterAsm(&m.table[b*Lanes*record], &m.pt[0], &offsets, elements)
		m.image()
		scatterAsm(&m.table[(blocks+b)*Lanes*record], &m.next[0], &offsets, elements)
	}
}

// image sets next to [u²]pt: (βx, −y) in G1, ψ² in G2.
func (m *Multiplier) image() {
	if m.k.width == 1 {
		mulAsm(&m.next[0], &m.pt[0], &m.beta)
		m.next[1] = m.pt[1]
		negateLanesAsm(&m.next[1], 0xff)
		mulAsm(&m.next[1], &m.next[1], &m.one) // Small enough to be negated again.
		return
	}
	once, twice := (*[4]Fp)(m.bucket[:4]), (*[4]Fp)(m.next[:4])
	g2PsiAsm(once, (*[4]Fp)(m.pt[:4]), &m.psi, (*[2]Fp)(m.tmp[:2]))
	g2PsiAsm(twice, once, &m.psi, (*[2]Fp)(m.tmp[:2]))
}

// scalarBits is the length of the two words of a scalar.
const scalarBits = 64

// split lists the first words of all scalars, then, for the second half of the table, their
// second words.
func (m *Multiplier) split(scalars [][2]uint64) []uint64 {
	half := (len(scalars) + Lanes - 1) / Lanes * Lanes
	m.scalars = resize(m.scalars, half+len(scalars))
	clear(m.scalars)
	for i, k := range scalars {
		m.scalars[i], m.scalars[half+i] = k[0], k[1]
	}
	return m.scalars
}

// resize returns a slice of length n with unspecified contents.
func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// The largest numbers of points for which sharing doublings costs less than buckets.
const (
	g1Straus = 32
	g2Straus = 8
)

// total leaves the sum over the table in lane 0 of acc.
func (m *Multiplier) total(n int, scalars []uint64, straus int) {
	if n > straus {
		m.multiply(scalars)
		return
	}
	blocks := make([]int, (len(scalars)+Lanes-1)/Lanes)
	for b := range blocks {
		blocks[b] = b
	}
	m.straus(blocks, scalars)
	m.fold()
}

// jacobian writes the first n lanes of acc, or all, as X·ZZ, Y·ZZZ, ZZ in radix 2^384.
func (m *Multiplier) jacobian(n int, dst func(l int) []uint64) {
	w := m.k.width
	x, y, zz, zzz := m.acc[:w], m.acc[w:2*w], m.acc[2*w:3*w], m.acc[3*w:4*w]
	infinite := m.zeros(zz)
	out := m.pt[:3*w]
	if w == 1 {
		mulAsm(&out[0], &x[0], &zz[0])
		mulAsm(&out[1], &y[0], &zzz[0])
	} else {
		fp2MulAsm((*[2]Fp)(out[0:2]), (*[2]Fp)(x), (*[2]Fp)(zz))
		fp2MulAsm((*[2]Fp)(out[2:4]), (*[2]Fp)(y), (*[2]Fp)(zzz))
	}
	copy(out[2*w:], zz)
	for i := range out {
		mulAsm(&out[i], &out[i], &m.to384)
	}
	for l := range min(n, Lanes) {
		words := dst(l)
		clear(words)
		if infinite>>l&1 == 1 {
			continue
		}
		for i := range out {
			*(*fp6)(words[6*i : 6*i+6]) = out[i].lane(l)
		}
	}
}

// zeros returns the lanes in which a coordinate is 0 modulo p. It uses the last element
// of the working space.
func (m *Multiplier) zeros(z []Fp) uint8 {
	set := uint8(0xff)
	for i := range z {
		set &= zeroLanes(&z[i], &m.plainOne, &m.tmp[len(m.tmp)-1])
	}
	return set
}

// add sets r = p + q in all lanes; r overlaps neither.
func (m *Multiplier) add(r, p, q []Fp) {
	if s := m.k.add(r, p, q, m.tmp); s != 0 {
		m.repair(r, p, q, s)
	}
}

// addMixed sets r = p + pt with the affine points pt, and r = pt in the lanes of first.
func (m *Multiplier) addMixed(r, p []Fp, first uint8) {
	s := m.k.addMixed(r, p, m.pt, m.tmp, &m.one, first) &^ first
	if s == 0 {
		return
	}
	w := m.k.width
	q := m.tmp[16 : 16+4*w]
	copy(q, m.pt[:2*w])
	clear(q[2*w:])
	q[2*w], q[3*w] = m.one, m.one
	m.repair(r, p, q, s)
}

// repair completes r = p + q in the suspect lanes: a point is infinity, or the two have
// equal x, which makes the sum 2p or infinity. The working space still holds the
// differences of x and of y.
func (m *Multiplier) repair(r, p, q []Fp, suspects uint8) {
	w := m.k.width
	r, p, q = r[:4*w], p[:4*w], q[:4*w]
	infiniteP, infiniteQ := m.zeros(p[2*w:3*w]), m.zeros(q[2*w:3*w])
	var sameX, sameY uint8
	if suspects&^(infiniteP|infiniteQ) != 0 {
		sameX, sameY = m.zeros(m.tmp[:w]), m.zeros(m.tmp[w:2*w])
	}
	if suspects&sameX&sameY&^(infiniteP|infiniteQ) != 0 {
		m.k.double(m.double, p, m.tmp)
	}
	for l := range Lanes {
		switch bit := uint8(1) << l; {
		case suspects&bit == 0:
		case infiniteP&bit != 0:
			copyLane(r, q, l)
		case infiniteQ&bit != 0:
			copyLane(r, p, l)
		case sameX&bit == 0:
		case sameY&bit == 0:
			clearLane(r, l)
		default:
			copyLane(r, m.double[:4*w], l)
		}
	}
}

func copyLane(dst, src []Fp, l int) {
	for i := range dst {
		for j := range dst[i] {
			dst[i][j][l] = src[i][j][l]
		}
	}
}

func clearLane(dst []Fp, l int) {
	for i := range dst {
		for j := range dst[i] {
			dst[i][j][l] = 0
		}
	}
}
