//go:build amd64 && !purego && !nolanes

package bls12381

// maxNormalized is the number of points that share one inversion in each lane, so that the
// working space is bounded.
const maxNormalized = 32 * Lanes

// A Normalizer turns Jacobian into affine coordinates, with one exponentiation for up to 256
// points. It keeps its working space of up to 150 kB and is not safe for concurrent use.
type Normalizer struct {
	*normalizerWork
	acc          [][6]Fp // coordinates of eight points each
	norm, prefix []Fp    // to be inverted, and their products up to each
}

// normalizerWork is apart because the allocator puts memory without pointers on cache lines.
type normalizerWork struct {
	exponentiation
	from384, to384 Fp
	inv            Fp
	out            [4]Fp
	tmp            [6]Fp
}

// NewNormalizer returns a Normalizer. The caller has made sure that the processor has the
// lanes.
func NewNormalizer() *Normalizer {
	n := &Normalizer{normalizerWork: new(normalizerWork)}
	n.from384.broadcast(&limbsFrom384)
	n.to384.broadcast(&limbsTo384)
	return n
}

// G1 sets dst[i] to the affine coordinates of src[i]: those of infinity are all 0. Both are
// in radix 2^384 with coordinates below p. It requires len(dst) = len(src).
func (n *Normalizer) G1(dst [][12]uint64, src [][18]uint64) {
	for len(src) > 0 {
		k := min(len(src), maxNormalized)
		n.batch(k, 3, func(i int) []uint64 { return src[i][:] }, func(i int) []uint64 { return dst[i][:] })
		dst, src = dst[k:], src[k:]
	}
}

// G2 is [Normalizer.G1] on the twist.
func (n *Normalizer) G2(dst [][24]uint64, src [][36]uint64) {
	for len(src) > 0 {
		k := min(len(src), maxNormalized)
		n.batch(k, 6, func(i int) []uint64 { return src[i][:] }, func(i int) []uint64 { return dst[i][:] })
		dst, src = dst[k:], src[k:]
	}
}

// batch converts count points of the given number of coordinates.
func (n *Normalizer) batch(count, coordinates int, src, dst func(i int) []uint64) {
	blocks := (count + Lanes - 1) / Lanes
	n.acc, n.norm, n.prefix = resize(n.acc, blocks), resize(n.norm, blocks), resize(n.prefix, blocks)
	for b := range blocks {
		n.load(b, coordinates, min(Lanes, count-b*Lanes), func(l int) []uint64 { return src(b*Lanes + l) })
		if b == 0 {
			n.prefix[0] = n.norm[0]
			continue
		}
		mulAsm(&n.prefix[b], &n.prefix[b-1], &n.norm[b])
	}
	n.in[0] = n.prefix[blocks-1]
	n.invert(1)
	n.inv = n.root[0]
	for b := blocks - 1; b >= 0; b-- {
		t := &n.root[1]
		*t = n.inv
		if b > 0 {
			mulAsm(t, &n.inv, &n.prefix[b-1])
			mulAsm(&n.inv, &n.inv, &n.norm[b])
		}
		if coordinates == 3 {
			g1AffineAsm((*[2]Fp)(n.out[:2]), (*[3]Fp)(n.acc[b][:3]), t, &n.tmp[0])
		} else {
			g2AffineAsm(&n.out, &n.acc[b], t, &n.tmp)
		}
		n.store(coordinates/3*2, min(Lanes, count-b*Lanes), func(l int) []uint64 { return dst(b*Lanes + l) })
	}
}

// load reads up to eight points into block b and sets what is to be inverted: Z, or its
// norm. Infinity and absent points become (0, 0, 1).
func (n *Normalizer) load(b, coordinates, count int, point func(l int) []uint64) {
	acc := &n.acc[b]
	clear(acc[:])
	z := coordinates / 3 * 2 // index of Z
	for l := range Lanes {
		if l >= count || isZero(point(l)[6*z:]) {
			acc[z].setLane(l, &montOneWords)
			continue
		}
		for i, p := 0, point(l); i < coordinates; i++ {
			acc[i].setLane(l, (*fp6)(p[6*i:6*i+6]))
		}
	}
	for i := range coordinates {
		mulAsm(&acc[i], &acc[i], &n.from384)
	}
	if coordinates == 3 {
		n.norm[b] = acc[2]
		return
	}
	fp2NormAsm(&n.norm[b], (*[2]Fp)(acc[4:]))
}

func isZero(words []uint64) bool {
	var or uint64
	for _, w := range words {
		or |= w
	}
	return or == 0
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
