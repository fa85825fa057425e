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

// laneOffset returns the offset of a digit's entry for pointAdd, the digit
// plus eight being given, in the first of two tables or the second.
func laneOffset(table, lane int, digit8 uint64) uint64 {
	return uint64(table*8+lane)*tableEntries*entryBytes + digit8*entryBytes
}

// fill computes the multiples of points with Z = 1 for one or two tables. It
// uses sums, as many points. The entries of digit zero are there already.
func fill(tables []laneTable, points, sums []point) {
	var offsets [2][8]uint64
	for i := range points {
		for lane := range offsets[i] {
			offsets[i][lane] = laneOffset(i, lane, 8+1)
		}
	}
	store := func(digit int, points []point) {
		for i := range points {
			tableStore(&tables[i][0][8+digit][0], &tables[i][0][8-digit][0], &points[i])
		}
	}
	store(1, points)
	copy(sums, points)
	double(sums, 1)
	store(2, sums)
	for digit := 3; digit <= 8; digit++ {
		add(sums, &tables[0], &offsets, true)
		store(digit, sums)
	}
}

// double doubles one or two points n times.
func double(points []point, n uint64) {
	if len(points) == 2 {
		pointDouble2((*[2]point)(points), n)
		return
	}
	pointDouble(&points[0], n)
}

// add adds entries of the lane tables to one or two points; t says whether T
// of the sums is needed.
func add(points []point, table *laneTable, offsets *[2][8]uint64, t bool) {
	if len(points) == 2 {
		pointAdd2((*[2]point)(points), &table[0][0][0], offsets, asFlag(t))
		return
	}
	pointAdd(&points[0], &table[0][0][0], &offsets[0], asFlag(t))
}

// addBase adds entries of the table of the base point to one or two points,
// and leaves T undefined.
func addBase(points []point, table *baseTable, offsets *[2][8]uint64) {
	if len(points) == 2 {
		pointAddAffine2((*[2]point)(points), &table[0][0], offsets, 0)
		return
	}
	pointAddAffine(&points[0], &table[0][0], &offsets[0], 0)
}

// asFlag returns t as the assembly takes it.
func asFlag(t bool) uint64 {
	if t {
		return 1
	}
	return 0
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

// baseOffset returns the offset of a digit's entry for pointAddAffine, the
// digit plus 128 being given.
func baseOffset(digit128 uint64) uint64 { return digit128 * affineEntryBytes }

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
		lanes  [1]laneTable
		p, q   [1]point
		points [16]point
		prefix [16]element
	})
	w.lanes[0].setIdentityEntries()
	p := &w.p[0]
	broadcast(&p[coordX], &baseX)
	broadcast(&p[coordY], &baseY)
	broadcast(&p[coordZ], &one)
	feMul(&p[coordT], &p[coordX], &p[coordY])
	fill(w.lanes[:], w.p[:], w.q[:])
	// Lane j of points[g] is (8g+j+1)·B.
	var first, eight [2][8]uint64
	for lane := range 8 {
		first[0][lane] = laneOffset(0, lane, uint64(8+lane+1))
		eight[0][lane] = laneOffset(0, lane, 8+8)
	}
	setIdentity(p)
	add(w.p[:], &w.lanes[0], &first, true)
	w.points[0] = *p
	for g := 1; g < len(w.points); g++ {
		add(w.p[:], &w.lanes[0], &eight, true)
		w.points[g] = *p
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
