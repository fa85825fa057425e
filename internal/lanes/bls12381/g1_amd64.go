//go:build amd64 && !purego && !nolanes

package bls12381

// G1 decodes compressed points of 48 bytes each and checks that they are on the
// curve and in the subgroup of order r. points[i] receives the coordinates x, y of
// encoding i, as 64-bit words, least significant first, in Montgomery form with
// radix 2^384, below p; done[i] says whether it was decoded. Every encoding not done
// (malformed, infinity, no point of the subgroup, or an exceptional case of the
// formulas) is for the ordinary backend to judge, and points[i] is then zero.
//
// It requires len(src) = 48·len(points) and len(done) = len(points).
func (d *Decoder) G1(points [][12]uint64, done []bool, src []byte) {
	for len(points) > 0 {
		n := min(len(points), groups*Lanes)
		d.g1(points[:n], done[:n], src[:48*n])
		points, done, src = points[n:], done[n:], src[48*n:]
	}
}

// g1 decodes at most 16 points.
func (d *Decoder) g1(points [][12]uint64, done []bool, src []byte) {
	n := (len(points) + Lanes - 1) / Lanes
	var good [groups]uint8
	for g := range n {
		good[g] = d.g1Load(g, src[48*Lanes*g:])
	}
	d.power(n)
	for g := range n {
		part := points[Lanes*g : min(len(points), Lanes*(g+1))]
		good[g] &= d.g1Finish(g)
		d.g1Store(g, part, src[48*Lanes*g:])
		for i := range part {
			done[Lanes*g+i] = good[g]>>i&1 == 1
			if !done[Lanes*g+i] {
				part[i] = [12]uint64{}
			}
		}
	}
}

// g1Load reads up to eight abscissas and sets in[g] to x³ + 4. The lanes whose
// encoding is not a canonical finite point are 0 in the result; they hold x = 0.
func (d *Decoder) g1Load(g int, src []byte) (good uint8) {
	for l := range Lanes {
		var w fp6
		if b := 48 * l; b < len(src) {
			x, ok := field(src[b:b+48], true)
			if finite, _ := flags(src[b]); ok && finite {
				w = x
				good |= 1 << l
			}
		}
		d.x[g][0].setLane(l, &w)
	}
	x := &d.x[g][0]
	mulAsm(x, x, &d.c.fromPlain)
	g1CurveAsm(&d.in[g], x, &d.c.four[0])
	return good
}

// g1Finish completes the square root of group g and checks curve and subgroup.
func (d *Decoder) g1Finish(g int) (good uint8) {
	y := &d.y[g][0]
	g1RootAsm(y, &d.out[0], &d.root[g], &d.in[g])
	good = zeroLanes(&d.out[0], &d.c.plainOne, &d.tmp[0])
	d.pt[0], d.pt[1] = d.x[g][0], *y
	return good & d.g1InSubgroup()
}

// blockLengths are the numbers of doublings between the ones of |u|, the parameter
// of the curve, from the top: |u| = 0xd201000000010000.
var blockLengths = [...]int{1, 2, 3, 9, 32, 16}

// g1InSubgroup returns the lanes in which the point pt satisfies φ(P) = −[u²]P,
// which on E(Fp) holds exactly in the subgroup: φ² + φ + 1 = 0, so that it implies
// (u⁴ − u² + 1)P = rP = 0; see Scott, A note on group membership tests for G1, G2 and
// GT on BLS pairing-friendly curves. The formulas meet an exceptional case only
// outside the subgroup, and the third coordinate is then 0 until the end.
func (d *Decoder) g1InSubgroup() uint8 {
	acc, tmp := (*[3]Fp)(d.acc[:3]), &d.tmp
	pt := (*[2]Fp)(d.pt[:2])
	acc[0], acc[1] = pt[0], pt[1]
	acc[2].broadcast(&limbsOne)
	last := len(blockLengths) - 1
	for i, n := range blockLengths {
		g1DoubleAsm(acc, (*[5]Fp)(tmp[:5]), n)
		if i < last {
			g1AddMixedAsm(acc, pt, (*[6]Fp)(tmp[:6]))
		}
	}
	d.base = *acc
	for i, n := range blockLengths {
		g1DoubleAsm(acc, (*[5]Fp)(tmp[:5]), n)
		if i < last {
			g1AddAsm(acc, &d.base, (*[8]Fp)(tmp[:8]))
		}
	}
	out := (*[2]Fp)(d.out[:2])
	g1CompareAsm(out, acc, pt, &d.c.beta, (*[2]Fp)(tmp[:2]))
	one := &d.c.plainOne
	return zeroLanes(&out[0], one, &tmp[0]) & zeroLanes(&out[1], one, &tmp[0]) &^ zeroLanes(&acc[2], one, &tmp[0])
}

// g1Store writes the coordinates of group g, y with the sign of the encoding.
func (d *Decoder) g1Store(g int, points [][12]uint64, src []byte) {
	plain, x, y := &d.tmp[0], &d.tmp[1], &d.tmp[2]
	mulAsm(plain, &d.y[g][0], &d.c.plainOne)
	mulAsm(x, &d.x[g][0], &d.c.to384)
	mulAsm(y, &d.y[g][0], &d.c.to384)
	for l := range points {
		_, largest := flags(src[48*l])
		wx, wy, sign := x.lane(l), y.lane(l), plain.lane(l)
		if isLargest(&sign) != largest {
			wy = negate6(&wy)
		}
		*(*fp6)(points[l][0:6]) = wx
		*(*fp6)(points[l][6:12]) = wy
	}
}
