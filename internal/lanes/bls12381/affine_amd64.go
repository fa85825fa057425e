//go:build amd64 && !purego && !nolanes

package bls12381

// A Normalizer turns Jacobian into affine coordinates, by one exponentiation for eight
// points. It keeps its working space and is not safe for concurrent use.
type Normalizer struct {
	exponentiation
	from384, to384 Fp
	acc            [groups][6]Fp
	out            [4]Fp
	tmp            [8]Fp
}

// NewNormalizer returns a Normalizer. The caller has made sure that the processor has the
// lanes.
func NewNormalizer() *Normalizer {
	n := &Normalizer{}
	n.from384.broadcast(&limbsFrom384)
	n.to384.broadcast(&limbsTo384)
	return n
}

// G1 sets dst[i] to the affine coordinates of src[i]: those of infinity are all 0. Both are
// in radix 2^384 with coordinates below p. It requires len(dst) = len(src).
func (n *Normalizer) G1(dst [][12]uint64, src [][18]uint64) {
	for len(src) > 0 {
		k := min(len(src), groups*Lanes)
		used := (k + Lanes - 1) / Lanes
		for g := range used {
			part := src[g*Lanes : min(k, (g+1)*Lanes)]
			n.load(g, 3, len(part), func(l int) []uint64 { return part[l][:] })
			n.in[g] = n.acc[g][2]
		}
		n.power(used)
		for g := range used {
			part := dst[g*Lanes : min(k, (g+1)*Lanes)]
			g1AffineAsm((*[2]Fp)(n.out[:2]), (*[3]Fp)(n.acc[g][:3]), &n.root[g], (*[2]Fp)(n.tmp[:2]))
			n.store(2, len(part), func(l int) []uint64 { return part[l][:] })
		}
		dst, src = dst[k:], src[k:]
	}
}

// G2 is [Normalizer.G1] on the twist.
func (n *Normalizer) G2(dst [][24]uint64, src [][36]uint64) {
	for len(src) > 0 {
		k := min(len(src), groups*Lanes)
		used := (k + Lanes - 1) / Lanes
		for g := range used {
			part := src[g*Lanes : min(k, (g+1)*Lanes)]
			n.load(g, 6, len(part), func(l int) []uint64 { return part[l][:] })
			fp2NormAsm(&n.in[g], (*[2]Fp)(n.acc[g][4:]))
		}
		n.power(used)
		for g := range used {
			part := dst[g*Lanes : min(k, (g+1)*Lanes)]
			g2AffineAsm(&n.out, &n.acc[g], &n.in[g], &n.root[g], &n.tmp)
			n.store(4, len(part), func(l int) []uint64 { return part[l][:] })
		}
		dst, src = dst[k:], src[k:]
	}
}

// load reads the coordinates of up to eight points into group g.
func (n *Normalizer) load(g, coordinates, count int, point func(l int) []uint64) {
	for i := range coordinates {
		t := &n.acc[g][i]
		for l := range count {
			t.setLane(l, (*fp6)(point(l)[6*i:6*i+6]))
		}
		mulAsm(t, t, &n.from384)
	}
}

// store writes the affine coordinates out.
func (n *Normalizer) store(coordinates, count int, point func(l int) []uint64) {
	for i := range coordinates {
		mulAsm(&n.tmp[0], &n.out[i], &n.to384)
		for l := range count {
			*(*fp6)(point(l)[6*i : 6*i+6]) = n.tmp[0].lane(l)
		}
	}
}
