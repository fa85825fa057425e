//go:build !purego && !nolanes

package curve25519

// A pair is two elements that the operations take together.
type pair = [2]element

// decompress sets one or two points to those encoded in their lanes, with
// Z = 1, and returns which lanes hold a point, lane i in bit i. The y
// coordinate may be any 255-bit number and x may be zero with the sign bit
// set, as in crypto/ed25519: the rules of encodings are the caller's. A lane
// that holds no point is set to the neutral element. used is 8, or at most 4 if
// only the first lanes of one point matter: that is faster.
func decompress(points []point, encodings [][8][32]byte, used int) (valid [2]uint8) {
	var y, u, v, uv, x pair
	for i := range points {
		for lane := range encodings[i] {
			setLane(&y[i], lane, &encodings[i][lane])
		}
	}
	// x² = u/v = (y²-1)/(dy²+1).
	feSquareN2(&u, &y, 1)
	broadcastPair(&x, &edwardsD)
	feMul2(&v, &u, &x)
	var c element
	broadcast(&c, &one)
	for i := range points {
		feSub(&u[i], &u[i], &c)
		feAdd(&v[i], &v[i], &c)
	}
	ratioRoot(&x, &uv, &u, &v, used)
	broadcastPair(&v, &sqrtM1)
	feMul2(&v, &x, &v)
	for i := range points {
		p := &points[i]
		p[coordY], p[coordZ] = y[i], c
		valid[i] = chooseRoot(p, &x[i], &v[i], &uv[i], &u[i], &encodings[i])
		feMul(&p[coordT], &p[coordX], &p[coordY])
	}
	return valid
}

// broadcastPair sets every lane of both elements to the limbs.
func broadcastPair(e *pair, limbs *[5]uint64) {
	broadcast(&e[0], limbs)
	e[1] = e[0]
}

// ratioRoot sets x to uv³(uv⁷)^((p-5)/8), a square root of u/v up to a factor
// sqrt(-1) if there is one, and check to vx².
func ratioRoot(x, check, u, v *pair, used int) {
	var v3, t pair
	feSquareN2(&v3, v, 1)
	feMul2(&v3, &v3, v)
	feSquareN2(&t, &v3, 1)
	feMul2(&t, &t, v)
	feMul2(&t, &t, u)
	if used <= 4 {
		quadPower(&t[0])
	} else {
		pow22523Pair(&t, &t)
	}
	feMul2(&t, &t, &v3)
	feMul2(x, &t, u)
	feSquareN2(&t, x, 1)
	feMul2(check, &t, v)
}

// quadPower raises the first four lanes of e to the power of pow22523Pair.
func quadPower(e *element) {
	var q quad
	for i := range q {
		q[i] = [4]uint64(e[i][:4])
	}
	quadPow22523(&q, &q)
	for i := range q {
		copy(e[i][:4], q[i][:])
	}
}

// chooseRoot sets x of p to root or turned = root·sqrt(-1), whichever is a
// root, with the sign of the encoding, and returns which lanes have one. The
// other lanes become the neutral element. check is v·root².
func chooseRoot(p *point, root, turned, check, u *element, encodings *[8][32]byte) uint8 {
	var t, zero element
	feSub(&t, check, u)
	direct := feZeroLanes(&t)
	feAdd(&t, check, u)
	flipped := feZeroLanes(&t)
	valid := direct | flipped

	x := &p[coordX]
	*x = *root
	feSelect(x, turned, flipped&^direct)
	var signs uint64
	for lane := range encodings {
		signs |= uint64(encodings[lane][31]>>7) << lane
	}
	feSub(&t, &zero, x)
	feSelect(x, &t, feOddLanes(x)^signs)
	if valid != allLanes {
		feSelect(x, &zero, ^valid)
		broadcast(&t, &one)
		feSelect(&p[coordY], &t, ^valid)
	}
	return uint8(valid)
}

// allLanes is the mask of all lanes.
const allLanes = 1<<8 - 1

// pow22523Pair sets dst to a^((p-5)/8) = a^(2^252-3).
func pow22523Pair(dst, a *pair) {
	var t0, t1, t2 pair
	feSquareN2(&t0, a, 1)     // 2
	feSquareN2(&t1, &t0, 2)   // 8
	feMul2(&t1, a, &t1)       // 9
	feMul2(&t0, &t0, &t1)     // 11
	feSquareN2(&t0, &t0, 1)   // 22
	feMul2(&t0, &t1, &t0)     // 2^5 - 1
	feSquareN2(&t1, &t0, 5)   //
	feMul2(&t0, &t1, &t0)     // 2^10 - 1
	feSquareN2(&t1, &t0, 10)  //
	feMul2(&t1, &t1, &t0)     // 2^20 - 1
	feSquareN2(&t2, &t1, 20)  //
	feMul2(&t1, &t2, &t1)     // 2^40 - 1
	feSquareN2(&t1, &t1, 10)  //
	feMul2(&t0, &t1, &t0)     // 2^50 - 1
	feSquareN2(&t1, &t0, 50)  //
	feMul2(&t1, &t1, &t0)     // 2^100 - 1
	feSquareN2(&t2, &t1, 100) //
	feMul2(&t1, &t2, &t1)     // 2^200 - 1
	feSquareN2(&t1, &t1, 50)  //
	feMul2(&t0, &t1, &t0)     // 2^250 - 1
	feSquareN2(&t0, &t0, 2)
	feMul2(dst, &t0, a)
}
