//go:build amd64 && !purego && !nolanes

package bls12381

// G2 is [Decoder.G1] for compressed points of 96 bytes; points[i] receives x₀, x₁,
// y₀, y₁.
//
// It requires len(src) = 96·len(points) and len(done) = len(points).
func (d *Decoder) G2(points [][24]uint64, done []bool, src []byte) {
	for len(points) > 0 {
		n := min(len(points), groups*Lanes)
		d.g2(points[:n], done[:n], src[:96*n])
		points, done, src = points[n:], done[n:], src[96*n:]
	}
}

// g2 decodes at most 16 points. The square root y of a = x³ + 4(1 + i) follows the
// norm: with s = √(a₀² + a₁²), d = (a₀ + s)/2 and t = d^((p−3)/4), d·t² is 1 or −1
// and y is (d·t, a₁t/2) or (a₁t/2, −d·t). Everything else, d = 0 too, fails y² = a.
func (d *Decoder) g2(points [][24]uint64, done []bool, src []byte) {
	n := (len(points) + Lanes - 1) / Lanes
	var good [groups]uint8
	for g := range n {
		good[g] = d.g2Load(g, src[96*Lanes*g:])
		fp2NormAsm(&d.in[g], &d.a[g])
	}
	d.power(n)
	for g := range n {
		fp2HalfAsm(&d.in[g], &d.a[g], &d.in[g], &d.root[g], &d.c.half)
	}
	d.power(n)
	for g := range n {
		part := points[Lanes*g : min(len(points), Lanes*(g+1))]
		good[g] &= d.g2Finish(g)
		d.g2Store(g, part, src[96*Lanes*g:])
		for i := range part {
			done[Lanes*g+i] = good[g]>>i&1 == 1
			if !done[Lanes*g+i] {
				part[i] = [24]uint64{}
			}
		}
	}
}

// g2Load reads up to eight abscissas, x₁ before x₀ in the encoding, and sets a[g] to
// x³ + 4(1 + i). The lanes whose encoding is not a canonical finite point are 0 in
// the result; they hold x = 0.
func (d *Decoder) g2Load(g int, src []byte) (good uint8) {
	x := &d.x[g]
	for l := range Lanes {
		var w [2]fp6
		if b := 96 * l; b < len(src) {
			x1, ok1 := field(src[b:b+48], true)
			x0, ok0 := field(src[b+48:b+96], false)
			if finite, _ := flags(src[b]); ok0 && ok1 && finite {
				w = [2]fp6{x0, x1}
				good |= 1 << l
			}
		}
		x[0].setLane(l, &w[0])
		x[1].setLane(l, &w[1])
	}
	mulAsm(&x[0], &x[0], &d.c.fromPlain)
	mulAsm(&x[1], &x[1], &d.c.fromPlain)
	g2CurveAsm(&d.a[g], x, &d.c.four, (*[2]Fp)(d.tmp[:2]))
	return good
}

// g2Finish completes the square root of group g and checks curve and subgroup.
func (d *Decoder) g2Finish(g int) (good uint8) {
	y, minus, square := &d.y[g], &d.out[0], &d.out[1]
	fp2RootAsm(y, minus, square, &d.in[g], &d.root[g], &d.a[g], &d.c.half)
	mulAsm(square, square, &d.c.plainOne)
	for l := range Lanes {
		if w := square.lane(l); w == (fp6{1}) {
			continue
		}
		for i := range y[0] {
			y[0][i][l], y[1][i][l] = y[1][i][l], minus[i][l]
		}
	}
	out, one := &d.out, &d.c.plainOne
	fp2CheckAsm((*[2]Fp)(out[:2]), y, &d.a[g], (*[2]Fp)(d.tmp[:2]))
	good = zeroLanes(&out[0], one, &d.tmp[0]) & zeroLanes(&out[1], one, &d.tmp[0])
	d.pt[0], d.pt[1], d.pt[2], d.pt[3] = d.x[g][0], d.x[g][1], y[0], y[1]
	return good & d.g2InSubgroup()
}

// g2InSubgroup returns the lanes in which the point pt satisfies ψ(P) = [u]P, u
// being negative, which on the twist holds exactly in the subgroup (Scott, as for
// g1InSubgroup). A third coordinate of 0 stays 0 until the end.
func (d *Decoder) g2InSubgroup() uint8 {
	acc, pt, tmp := &d.acc, &d.pt, &d.tmp
	copy(acc[:4], pt[:])
	acc[4].broadcast(&limbsOne)
	acc[5] = Fp{}
	last := len(blockLengths) - 1
	for i, n := range blockLengths {
		g2DoubleAsm(acc, (*[14]Fp)(tmp[:14]), n)
		if i < last {
			g2AddMixedAsm(acc, pt, (*[14]Fp)(tmp[:14]))
		}
	}
	out, one := &d.out, &d.c.plainOne
	g2CompareAsm(out, acc, pt, &d.c.psi, (*[8]Fp)(tmp[:8]))
	good := ^(zeroLanes(&acc[4], one, &tmp[0]) & zeroLanes(&acc[5], one, &tmp[0]))
	for i := range out {
		good &= zeroLanes(&out[i], one, &tmp[0])
	}
	return good
}

// g2Store writes the coordinates of group g, y with the sign of the encoding: the
// sign of y₁ or, if that is 0, of y₀.
func (d *Decoder) g2Store(g int, points [][24]uint64, src []byte) {
	plain0, plain1, x0, x1, y0, y1 := &d.tmp[0], &d.tmp[1], &d.tmp[2], &d.tmp[3], &d.tmp[4], &d.tmp[5]
	mulAsm(plain0, &d.y[g][0], &d.c.plainOne)
	mulAsm(plain1, &d.y[g][1], &d.c.plainOne)
	mulAsm(x0, &d.x[g][0], &d.c.to384)
	mulAsm(x1, &d.x[g][1], &d.c.to384)
	mulAsm(y0, &d.y[g][0], &d.c.to384)
	mulAsm(y1, &d.y[g][1], &d.c.to384)
	for l := range points {
		_, largest := flags(src[96*l])
		w0, w1, sign := y0.lane(l), y1.lane(l), plain1.lane(l)
		if isZero6(&sign) {
			sign = plain0.lane(l)
		}
		if isLargest(&sign) != largest {
			w0, w1 = negate6(&w0), negate6(&w1)
		}
		p := &points[l]
		*(*fp6)(p[0:6]) = x0.lane(l)
		*(*fp6)(p[6:12]) = x1.lane(l)
		*(*fp6)(p[12:18]) = w0
		*(*fp6)(p[18:24]) = w1
	}
}
