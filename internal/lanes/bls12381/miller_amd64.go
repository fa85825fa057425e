//go:build amd64 && !purego && !nolanes

package bls12381

// maxRounds is the number of pairs that a lane takes through one loop, sharing the
// squarings; more pairs take further loops, so that the working space is bounded.
const maxRounds = 16

// A Miller computes products of Miller loops, eight lanes at a time. It keeps its working
// space of up to 130 kB and is not safe for concurrent use.
type Miller struct {
	*millerWork
	pairs       []millerPair
	f, g, total *[12]Fp
}

// millerWork is apart because the allocator puts memory without pointers on cache lines.
type millerWork struct {
	from384, to384 Fp
	line           [6]Fp
	tmp            [24]Fp
}

// A millerPair is one round of pairs: p holds −x and y of the points of G1.
type millerPair struct {
	p   [2]Fp
	q   [4]Fp
	acc [6]Fp
}

// NewMiller returns a Miller. The caller has made sure that the processor has the lanes.
func NewMiller() *Miller {
	m := &Miller{millerWork: new(millerWork), f: new([12]Fp), g: new([12]Fp), total: new([12]Fp)}
	m.from384.broadcast(&limbsFrom384)
	m.to384.broadcast(&limbsTo384)
	return m
}

// Product returns Π f(p[i], q[i]) for the Miller function f of the optimal ate pairing, up
// to factors that the final exponentiation removes. The points are affine and finite, as
// [Decoder] gives them, and in their subgroups; that of no pairs is 1. The result is an
// element of Fp12 = Fp6[w]/(w² − v), Fp6 = Fp2[v]/(v³ − 1 − i): coefficients of 1, v, v², w,
// vw, v²w, two coordinates each, in radix 2^384.
//
// It requires len(p) = len(q).
func (m *Miller) Product(p [][12]uint64, q [][24]uint64) (product [72]uint64) {
	setOne(m.total)
	for len(p) > 0 {
		n := min(len(p), maxRounds*Lanes)
		m.load(p[:n], q[:n])
		m.loop()
		towerMulAsm(m.g, m.total, m.f, (*[10]Fp)(m.tmp[:10]))
		m.total, m.g = m.g, m.total
		p, q = p[n:], q[n:]
	}
	m.fold()
	for i := range m.total {
		mulAsm(&m.tmp[0], &m.total[i], &m.to384)
		w := m.tmp[0].lane(0)
		if i >= 6 { // conjugate: the parameter is negative
			w = negate6(&w)
		}
		*(*fp6)(product[6*i : 6*i+6]) = w
	}
	return product
}

func setOne(f *[12]Fp) {
	clear(f[:])
	f[0].broadcast(&limbsOne)
}

// load converts the pairs, pair i to lane i mod 8 of round i/8. A place without a pair gets
// (0, 0) and the generator of G2: its lines are constants of Fp2, which the final
// exponentiation removes.
func (m *Miller) load(p [][12]uint64, q [][24]uint64) {
	rounds := (len(p) + Lanes - 1) / Lanes
	m.pairs = resize(m.pairs, rounds)
	for r := range m.pairs {
		c := &m.pairs[r]
		c.p = [2]Fp{}
		for i, g := range []*[8]uint64{&limbsG2Generator0, &limbsG2Generator1, &limbsG2Generator2, &limbsG2Generator3} {
			c.q[i].broadcast(g)
		}
		for i := range c.p {
			c.p[i] = Fp{}
		}
		m.convert(c, p[r*Lanes:], q[r*Lanes:])
		copy(c.acc[:4], c.q[:])
		c.acc[4].broadcast(&limbsOne)
		c.acc[5] = Fp{}
	}
}

// convert writes up to eight pairs into a round.
func (m *Miller) convert(c *millerPair, p [][12]uint64, q [][24]uint64) {
	n := min(len(p), Lanes)
	for i := range 6 {
		t := &m.tmp[i]
		*t = Fp{}
		for l := range n {
			switch i {
			case 0:
				x := negate6((*fp6)(p[l][:6]))
				t.setLane(l, &x)
			case 1:
				t.setLane(l, (*fp6)(p[l][6:]))
			default:
				t.setLane(l, (*fp6)(q[l][6*(i-2):6*(i-1)]))
			}
		}
		mulAsm(t, t, &m.from384)
	}
	for l := range n {
		copyLane(c.p[:], m.tmp[:2], l)
		copyLane(c.q[:], m.tmp[2:6], l)
	}
}

// loop leaves in f the product of the loops of each lane.
func (m *Miller) loop() {
	setOne(m.f)
	last := len(blockLengths) - 1
	for i, n := range blockLengths {
		for j := range n {
			if i+j > 0 {
				towerSquareAsm(m.g, m.f, &m.tmp)
				m.f, m.g = m.g, m.f
			}
			for r := range m.pairs {
				c := &m.pairs[r]
				lineDoubleAsm(&m.line, &c.acc, &c.p, (*[18]Fp)(m.tmp[:18]))
				m.timesLine()
			}
		}
		if i == last {
			return
		}
		for r := range m.pairs {
			c := &m.pairs[r]
			lineAddAsm(&m.line, &c.acc, &c.q, &c.p, (*[14]Fp)(m.tmp[:14]))
			m.timesLine()
		}
	}
}

func (m *Miller) timesLine() {
	towerLineAsm(m.g, m.f, &m.line, (*[4]Fp)(m.tmp[:4]))
	m.f, m.g = m.g, m.f
}

// fold leaves the product of all lanes of total in lane 0.
func (m *Miller) fold() {
	for d := Lanes / 2; d > 0; d /= 2 {
		for i := range m.f {
			for j := range m.f[i] {
				for l := range Lanes {
					m.f[i][j][l] = m.total[i][j][l^d]
				}
			}
		}
		towerMulAsm(m.g, m.total, m.f, (*[10]Fp)(m.tmp[:10]))
		m.total, m.g = m.g, m.total
	}
}
