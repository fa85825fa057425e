//go:build !purego && !nolanes

package curve25519

import "sync"

// A point is eight curve points in extended coordinates X, Y, Z, T with
// x = X/Z, y = Y/Z, xy = T/Z, followed by four temporaries of the assembly.
// Z is never zero: the addition is complete on the whole curve.
type point = [8]element

const (
	coordX = iota
	coordY
	coordZ
	coordT
)

// Table shapes, as the assembly reads them: an entry holds four limbs of each
// coordinate, then the fifth limbs of all.
const (
	entryWords       = 20 // Y+X, Y-X, 2Z, 2dT
	entryBytes       = 8 * entryWords
	tableEntries     = 17 // digits -8 to 8
	affineEntryWords = 16 // Y+X, Y-X, 2dT for Z = 1, one word unused
	affineEntryBytes = 8 * affineEntryWords
)

// A laneTable holds, for each lane, the multiples -8 to 8 of its point.
type laneTable [8][tableEntries][entryWords]uint64

// setIdentityEntries writes the entries of digit zero.
func (t *laneTable) setIdentityEntries() {
	for lane := range t {
		e := &t[lane][8]
		*e = [entryWords]uint64{0: 1, 4: 1, 8: 2}
	}
}

// laneOffset returns the offset of a digit's entry for pointAdd.
func laneOffset(lane int, digit int8) uint64 {
	return uint64(lane*tableEntries*entryBytes + (int(digit)+8)*entryBytes)
}

// fill computes the multiples of p, eight points with Z = 1, in fourteen
// stores and additions. It uses q. The entries of digit zero are there already.
func (t *laneTable) fill(p, q *point) {
	tableStore(&t[0][9][0], &t[0][7][0], p)
	*q = *p
	pointDouble(q, 1)
	tableStore(&t[0][10][0], &t[0][6][0], q)
	var offsets [8]uint64
	for lane := range offsets {
		offsets[lane] = laneOffset(lane, 1)
	}
	for digit := 3; digit <= 8; digit++ {
		pointAdd(q, &t[0][0][0], &offsets)
		tableStore(&t[0][8+digit][0], &t[0][8-digit][0], q)
	}
}

// setIdentity sets p to the neutral element in every lane.
func setIdentity(p *point) {
	p[coordX], p[coordT] = element{}, element{}
	broadcast(&p[coordY], &one)
	broadcast(&p[coordZ], &one)
}

// A baseTable holds the multiples -128 to 127 of the base point for
// pointAddAffine. It is shared by all lanes.
type baseTable [256][affineEntryWords]uint64

// baseOffset returns the offset of a digit's entry for pointAddAffine.
func baseOffset(digit int8) uint64 { return uint64(int(digit)+128) * affineEntryBytes }

// Limbs of the base point, y = 4/5 and x even.
var (
	baseX = [5]uint64{0x62d608f25d51a, 0x609525a7b2c95, 0xdd6dc5c692cc7, 0x53fec0a4e231f, 0x216936d3cd6e}
	baseY = [5]uint64{0x6666666666658, 0x6666666666666, 0x6666666666666, 0x6666666666666, 0x666666666666}
)

// base returns the table of the base point, computed at the first call in
// about 40 µs.
var base = sync.OnceValue(func() *baseTable {
	w := new(struct {
		table  baseTable
		lanes  laneTable
		p, q   point
		points [16]point
		prefix [16]element
	})
	w.lanes.setIdentityEntries()
	broadcast(&w.p[coordX], &baseX)
	broadcast(&w.p[coordY], &baseY)
	broadcast(&w.p[coordZ], &one)
	feMul(&w.p[coordT], &w.p[coordX], &w.p[coordY])
	w.lanes.fill(&w.p, &w.q)
	// Lane j of points[g] is (8g+j+1)·B.
	var first, eight [8]uint64
	for lane := range 8 {
		first[lane] = laneOffset(lane, int8(lane+1))
		eight[lane] = laneOffset(lane, 8)
	}
	setIdentity(&w.p)
	pointAdd(&w.p, &w.lanes[0][0][0], &first)
	w.points[0] = w.p
	for g := 1; g < len(w.points); g++ {
		pointAdd(&w.p, &w.lanes[0][0][0], &eight)
		w.points[g] = w.p
	}
	normalize(w.points[:], w.prefix[:])
	w.table[128] = [affineEntryWords]uint64{0: 1, 4: 1}
	for g := range w.points {
		storeAffine(&w.table, &w.points[g], 8*g+1)
	}
	return &w.table
})

// storeAffine writes the entries of the digits ±first to ±(first+7), the
// multiples in the lanes of p with Z = 1. The digit 128 has no entry.
func storeAffine(t *baseTable, p *point, first int) {
	var ypx, ymx, t2d, minus, d2 element
	broadcast(&d2, &edwardsD)
	feAdd(&d2, &d2, &d2)
	feAdd(&ypx, &p[coordY], &p[coordX])
	feSub(&ymx, &p[coordY], &p[coordX])
	feMul(&t2d, &p[coordX], &p[coordY])
	feMul(&t2d, &t2d, &d2)
	feSub(&minus, &element{}, &t2d)
	for lane := range 8 {
		digit := first + lane
		if digit < 128 {
			setAffineEntry(&t[128+digit], lane, &ypx, &ymx, &t2d)
		}
		setAffineEntry(&t[128-digit], lane, &ymx, &ypx, &minus)
	}
}

func setAffineEntry(e *[affineEntryWords]uint64, lane int, a, b, c *element) {
	for i := range 4 {
		e[i], e[4+i], e[8+i] = a[i][lane], b[i][lane], c[i][lane]
	}
	e[12], e[13], e[14] = a[4][lane], b[4][lane], c[4][lane]
}

// normalize brings the points to Z = 1 (X and Y only) with one inversion in
// eight lanes: Montgomery's trick over the points of each lane. It uses as many
// elements of prefix.
func normalize(points []point, prefix []element) {
	var inverse, z element
	prefix[0] = points[0][coordZ]
	for i := 1; i < len(points); i++ {
		feMul(&prefix[i], &prefix[i-1], &points[i][coordZ])
	}
	invert(&inverse, &prefix[len(points)-1])
	for i := len(points) - 1; i >= 0; i-- {
		p := &points[i]
		z = inverse
		if i > 0 {
			feMul(&z, &inverse, &prefix[i-1])
			feMul(&inverse, &inverse, &p[coordZ])
		}
		feMul(&p[coordX], &p[coordX], &z)
		feMul(&p[coordY], &p[coordY], &z)
	}
}

// decompress sets p to the points encoded in the lanes of encodings with Z = 1
// and returns which lanes hold a point, lane i in bit i. The y coordinate may
// be any 255-bit number and x may be zero with the sign bit set, as in
// crypto/ed25519: the rules of encodings are the caller's. A lane that holds
// no point is set to the neutral element.
func decompress(p *point, encodings *[8][32]byte) uint8 {
	x, y := &p[coordX], &p[coordY]
	var u, v, v3, t, c element
	broadcast(&c, &one)
	for lane := range encodings {
		setLane(y, lane, &encodings[lane])
	}
	// x² = u/v = (y²-1)/(dy²+1); the root is uv³(uv⁷)^((p-5)/8), up to sqrt(-1).
	feSquareN(&u, y, 1)
	broadcast(&t, &edwardsD)
	feMul(&v, &u, &t)
	feSub(&u, &u, &c)
	feAdd(&v, &v, &c)
	feSquareN(&v3, &v, 1)
	feMul(&v3, &v3, &v)
	feSquareN(&t, &v3, 1)
	feMul(&t, &t, &v)
	feMul(&t, &t, &u)
	pow22523(&t, &t)
	feMul(&t, &t, &v3)
	feMul(x, &t, &u)
	feSquareN(&t, x, 1)
	feMul(&t, &t, &v) // ±u or ±u·sqrt(-1)
	feSub(&v3, &t, &u)
	feAdd(&u, &t, &u)
	direct, flipped := zeroLanes(&v3), zeroLanes(&u)
	broadcast(&t, &sqrtM1)
	feMul(&t, x, &t)
	feSub(&u, &element{}, x)
	feSub(&v, &element{}, &t)
	for lane := range encodings {
		root, negated := x, &u
		bit := uint8(1) << lane
		if direct&bit == 0 && flipped&bit != 0 {
			root, negated = &t, &v
		}
		if uint8(laneWords(root, lane)[0]&1) != encodings[lane][31]>>7 {
			root = negated
		}
		copyLane(x, root, lane)
	}
	valid := direct | flipped
	for lane := range 8 {
		if valid>>lane&1 == 0 {
			setLaneLimbs(x, lane, &[5]uint64{})
			setLaneLimbs(y, lane, &one)
		}
	}
	p[coordZ] = c
	feMul(&p[coordT], x, y)
	return valid
}

// copyLane copies a lane of src to dst.
func copyLane(dst, src *element, lane int) {
	for i := range dst {
		dst[i][lane] = src[i][lane]
	}
}
