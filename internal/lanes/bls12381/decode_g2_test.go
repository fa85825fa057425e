//go:build amd64 && !purego && !nolanes

package bls12381

import (
	"crypto/rand"
	"math/big"
	"testing"

	gnark "github.com/consensys/gnark-crypto/ecc/bls12-381"
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fp"
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"
)

// g2Point returns a random point of the subgroup.
func g2Point(t testing.TB) gnark.G2Affine {
	t.Helper()
	_, _, _, g := gnark.Generators()
	var p gnark.G2Affine
	return *p.ScalarMultiplication(&g, randomScalar(t))
}

// g2PointAt returns the point of the twist with the given abscissa, or the first
// one above it.
func g2PointAt(x gnark.E2) gnark.G2Affine {
	four, one := fp.NewElement(4), fp.One()
	for {
		p := gnark.G2Affine{X: x}
		p.Y.Square(&x).Mul(&p.Y, &x)
		p.Y.A0.Add(&p.Y.A0, &four)
		p.Y.A1.Add(&p.Y.A1, &four)
		if p.Y.Legendre() >= 0 {
			p.Y.Sqrt(&p.Y)
			return p
		}
		x.A0.Add(&x.A0, &one)
	}
}

func randomE2(t testing.TB) (x gnark.E2) {
	t.Helper()
	if _, err := x.SetRandom(); err != nil {
		t.Fatal(err)
	}
	return x
}

// mulTwist multiplies a point of the twist by k.
func mulTwist(p gnark.G2Affine, k *big.Int) gnark.G2Affine {
	var acc, j gnark.G2Jac
	j.FromAffine(&p)
	for i := k.BitLen() - 1; i >= 0; i-- {
		acc.DoubleAssign()
		if k.Bit(i) == 1 {
			acc.AddAssign(&j)
		}
	}
	var r gnark.G2Affine
	return *r.FromJacobian(&acc)
}

// g2Cofactor is the order of the twist divided by r.
func g2Cofactor() *big.Int {
	h, _ := new(big.Int).SetString("5d543a95414e7f1091d50792876a202cd91de4547085abaa68a205b2e5a7ddfa628f1cb4d9e82ef21537e293a6691ae1616ec6e786f0c70cf1c38e31c7238e5", 16)
	return h
}

// g2SmallOrder returns a point whose order is the prime 13, a divisor of the cofactor
// 13²·23²·….
func g2SmallOrder(t testing.TB, order int64) gnark.G2Affine {
	t.Helper()
	k := new(big.Int).Mul(g2Cofactor(), fr.Modulus())
	for n := big.NewInt(order); new(big.Int).Mod(k, n).Sign() == 0; {
		k.Div(k, n)
	}
	for {
		p := mulTwist(g2PointAt(randomE2(t)), k)
		for !p.IsInfinity() {
			q := mulTwist(p, big.NewInt(order))
			if q.IsInfinity() {
				return p
			}
			p = q
		}
	}
}

// g2Cases are encodings of every kind.
func g2Cases(t testing.TB) []encoding {
	t.Helper()
	compress := func(p gnark.G2Affine) []byte { b := p.Bytes(); return b[:] }
	good := compress(g2Point(t))
	with := func(f func(b []byte)) []byte {
		b := append([]byte(nil), good...)
		f(b)
		return b
	}
	outside := g2PointAt(randomE2(t))
	cofactor := mulTwist(outside, fr.Modulus())
	mixed := g2Point(t)
	mixed.Add(&mixed, &cofactor)
	small := g2SmallOrder(t, 13)
	smallMixed := g2Point(t)
	smallMixed.Add(&smallMixed, &small)
	x0PlusP := with(func(b []byte) {
		x := new(big.Int).SetBytes(b[48:])
		x.Add(x, fp.Modulus()).FillBytes(b[48:])
	})
	x1PlusP := plusModulus(func() []byte { return compress(g2Point(t)) })
	cases := []encoding{
		{"valid", good},
		{"valid, other sign", with(func(b []byte) { b[0] ^= largestFlag })},
		{"generator", func() []byte { _, _, _, g := gnark.Generators(); return compress(g) }()},
		{"not compressed flag", with(func(b []byte) { b[0] &^= compressedFlag })},
		{"infinity flag on a point", with(func(b []byte) { b[0] |= infinityFlag })},
		{"infinity", append([]byte{0xc0}, make([]byte, 95)...)},
		{"infinity with sign", append([]byte{0xe0}, make([]byte, 95)...)},
		{"zero", make([]byte, 96)},
		{"compressed zero", append([]byte{0x80}, make([]byte, 95)...)},
		{"x₁ + p, of a valid point", x1PlusP},
		{"x₀ + p, of a valid point", x0PlusP},
		{"on the twist, outside the subgroup", compress(outside)},
		{"order dividing the cofactor", compress(cofactor)},
		{"subgroup plus cofactor component", compress(mixed)},
		{"order 13", compress(small)},
		{"subgroup plus order 13", compress(smallMixed)},
		{"order 23", compress(g2SmallOrder(t, 23))},
		{"real abscissa", compress(g2PointAt(gnark.E2{A0: fp.NewElement(7)}))},
		{"imaginary abscissa", compress(g2PointAt(gnark.E2{A1: fp.NewElement(7)}))},
	}
	for range 48 {
		b := make([]byte, 96)
		if _, err := rand.Read(b); err != nil {
			t.Fatal(err)
		}
		b[0] = b[0]&0x0f | compressedFlag | b[0]&largestFlag
		b[48] &= 0x0f
		cases = append(cases, encoding{"random x", b})
	}
	return cases
}

func checkG2(t *testing.T, cases []encoding) {
	t.Helper()
	var src []byte
	for _, c := range cases {
		src = append(src, c.b...)
	}
	points, done := make([][24]uint64, len(cases)), make([]bool, len(cases))
	NewDecoder().G2(points, done, src)
	for i, c := range cases {
		var want gnark.G2Affine
		ok := c.b[0]&compressedFlag != 0
		if ok {
			_, err := want.SetBytes(c.b)
			ok = err == nil && !want.IsInfinity()
		}
		if !ok {
			want = gnark.G2Affine{}
		}
		if done[i] != ok {
			t.Errorf("%s (%d): done = %v, want %v", c.name, i, done[i], ok)
		}
		p := &points[i]
		got := gnark.G2Affine{
			X: gnark.E2{A0: fp.Element(p[:6]), A1: fp.Element(p[6:12])},
			Y: gnark.E2{A0: fp.Element(p[12:18]), A1: fp.Element(p[18:])},
		}
		if got != want {
			t.Errorf("%s (%d): got %x, want %x", c.name, i, got, want)
		}
	}
}

func TestG2Decode(t *testing.T) {
	requireLanes(t)
	cases := g2Cases(t)
	checkG2(t, cases)
	for n := range 20 {
		checkG2(t, cases[:n])
	}
}

// TestG2ManyPoints meets every branch of the square root with both signs.
func TestG2ManyPoints(t *testing.T) {
	requireLanes(t)
	p := g2Point(t)
	q := p
	var cases []encoding
	for range 200 {
		q.Add(&q, &p)
		b := q.Bytes()
		cases = append(cases, encoding{"multiple", b[:]})
	}
	checkG2(t, cases)
}

// TestG2LaneIsolation is TestG1LaneIsolation for G2.
func TestG2LaneIsolation(t *testing.T) {
	requireLanes(t)
	cases := g2Cases(t)[:19]
	p := g2Point(t)
	b := p.Bytes()
	good := encoding{"good neighbour", b[:]}
	for _, c := range cases {
		for l := range Lanes {
			batch := make([]encoding, Lanes)
			for i := range batch {
				batch[i] = good
			}
			batch[l] = c
			checkG2(t, batch)
			for i := range batch {
				batch[i] = c
			}
			batch[l] = good
			checkG2(t, batch)
		}
	}
}

func BenchmarkG2Decode(b *testing.B) {
	requireLanes(b)
	const n = 64
	var src []byte
	for range n {
		p := g2Point(b)
		e := p.Bytes()
		src = append(src, e[:]...)
	}
	points, done := make([][24]uint64, n), make([]bool, n)
	d := NewDecoder()
	for b.Loop() {
		d.G2(points, done, src)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/point")
}
