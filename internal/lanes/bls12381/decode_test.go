//go:build amd64 && !purego && !nolanes

package bls12381

import (
	"crypto/rand"
	"math/big"
	"testing"

	gnark "github.com/consensys/gnark-crypto/ecc/bls12-381"
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fp"
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"

	"github.com/stmverify/stmverify/internal/lanes"
)

// encoding is one input of a decoder with its name.
type encoding struct {
	name string
	b    []byte
}

// g1Point returns a random point of the subgroup.
func g1Point(t testing.TB) gnark.G1Affine {
	t.Helper()
	_, _, g, _ := gnark.Generators()
	var p gnark.G1Affine
	return *p.ScalarMultiplication(&g, randomScalar(t))
}

func randomScalar(t testing.TB) *big.Int {
	t.Helper()
	k, err := rand.Int(rand.Reader, fr.Modulus())
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// g1CurvePoint returns a random point of the curve, almost never in the subgroup.
func g1CurvePoint(t testing.TB) gnark.G1Affine {
	t.Helper()
	four := fp.NewElement(4)
	for {
		var p gnark.G1Affine
		if _, err := p.X.SetRandom(); err != nil {
			t.Fatal(err)
		}
		p.Y.Square(&p.X).Mul(&p.Y, &p.X).Add(&p.Y, &four)
		if p.Y.Sqrt(&p.Y) != nil {
			return p
		}
	}
}

// g1Cases are encodings of every kind.
func g1Cases(t testing.TB) []encoding {
	t.Helper()
	compress := func(p gnark.G1Affine) []byte { b := p.Bytes(); return b[:] }
	good := compress(g1Point(t))
	with := func(f func(b []byte)) []byte {
		b := append([]byte(nil), good...)
		f(b)
		return b
	}
	outside := g1CurvePoint(t)
	cofactor := mulCurve(outside, fr.Modulus()) // order divides the cofactor
	mixed := g1Point(t)
	mixed.Add(&mixed, &cofactor)
	order3 := gnark.G1Affine{}
	order3.Y.SetUint64(2)
	var order3b gnark.G1Affine
	order3b.Neg(&order3)
	third := g1Point(t)
	third.Add(&third, &order3)
	p := fp.Modulus()
	xPlusP := plusModulus(func() []byte { return compress(g1Point(t)) })
	pMinusOne := p.Sub(p, big.NewInt(1)).FillBytes(make([]byte, 48))
	pMinusOne[0] |= compressedFlag
	cases := []encoding{
		{"valid", good},
		{"valid, other sign", with(func(b []byte) { b[0] ^= largestFlag })},
		{"generator", func() []byte { _, _, g, _ := gnark.Generators(); return compress(g) }()},
		{"not compressed flag", with(func(b []byte) { b[0] &^= compressedFlag })},
		{"infinity flag on a point", with(func(b []byte) { b[0] |= infinityFlag })},
		{"all flags", with(func(b []byte) { b[0] |= 0xe0 })},
		{"infinity", append([]byte{0xc0}, make([]byte, 47)...)},
		{"infinity with sign", append([]byte{0xe0}, make([]byte, 47)...)},
		{"infinity with junk", append([]byte{0xc0}, append(make([]byte, 46), 1)...)},
		{"zero", make([]byte, 48)},
		{"x + p, of a valid point", xPlusP},
		{"x = p − 1", pMinusOne},
		{"x all ones", func() []byte {
			b := make([]byte, 48)
			for i := range b {
				b[i] = 0xff
			}
			b[0] = 0x9f
			return b
		}()},
		{"on the curve, outside the subgroup", compress(outside)},
		{"order dividing the cofactor", compress(cofactor)},
		{"subgroup plus cofactor component", compress(mixed)},
		{"order 3", compress(order3)},
		{"order 3, other", compress(order3b)},
		{"subgroup plus order 3", compress(third)},
		{"order 11", compress(g1SmallOrder(t, 11))},
	}
	for i := range 24 {
		b := make([]byte, 48)
		if _, err := rand.Read(b); err != nil {
			t.Fatal(err)
		}
		b[0] = b[0]&0x1f | compressedFlag
		cases = append(cases, encoding{"random x", b}, encoding{"small x", encodingWithX(t, uint64(i))})
	}
	return cases
}

// plusModulus adds p to the first coordinate of the first encoding for which that leaves the
// flags alone, about one in four.
func plusModulus(encode func() []byte) []byte {
	for {
		b := encode()
		sign := b[0] & 0xe0
		b[0] &= 0x1f
		x := new(big.Int).SetBytes(b[:48])
		if x.Add(x, fp.Modulus()).BitLen() <= 381 {
			x.FillBytes(b[:48])
			b[0] |= sign
			return b
		}
	}
}

// g1SmallOrder returns a point whose order is a prime factor of the cofactor. The ladder of
// the subgroup check computes 12P for it and adds P, which are equal if the order is 11: all
// three coordinates are 0 then.
func g1SmallOrder(t testing.TB, order int64) gnark.G1Affine {
	t.Helper()
	h, _ := new(big.Int).SetString("396c8c005555e1568c00aaab0000aaab", 16)
	k := new(big.Int).Mul(h, fr.Modulus())
	for n := big.NewInt(order); new(big.Int).Mod(k, n).Sign() == 0; {
		k.Div(k, n)
	}
	for {
		p := mulCurve(g1CurvePoint(t), k)
		for !p.IsInfinity() {
			q := mulCurve(p, big.NewInt(order))
			if q.IsInfinity() {
				return p
			}
			p = q
		}
	}
}

// encodingWithX is the compressed form of a small abscissa, point or not.
func encodingWithX(t testing.TB, x uint64) []byte {
	t.Helper()
	b := new(big.Int).SetUint64(x).FillBytes(make([]byte, 48))
	b[0] |= compressedFlag
	return b
}

// mulCurve multiplies a point of E(Fp) by k, without the endomorphism that holds
// only in the subgroup.
func mulCurve(p gnark.G1Affine, k *big.Int) gnark.G1Affine {
	var acc, j gnark.G1Jac
	j.FromAffine(&p)
	for i := k.BitLen() - 1; i >= 0; i-- {
		acc.DoubleAssign()
		if k.Bit(i) == 1 {
			acc.AddAssign(&j)
		}
	}
	var r gnark.G1Affine
	return *r.FromJacobian(&acc)
}

// wantG1 is the verdict of gnark-crypto: decoded, in the subgroup and finite.
func wantG1(b []byte) (p gnark.G1Affine, ok bool) {
	if b[0]&compressedFlag == 0 {
		return p, false
	}
	_, err := p.SetBytes(b)
	if err != nil || p.IsInfinity() {
		return gnark.G1Affine{}, false
	}
	return p, true
}

func checkG1(t *testing.T, cases []encoding) {
	t.Helper()
	var src []byte
	for _, c := range cases {
		src = append(src, c.b...)
	}
	points, done := make([][12]uint64, len(cases)), make([]bool, len(cases))
	NewDecoder().G1(points, done, src)
	for i, c := range cases {
		want, ok := wantG1(c.b)
		if done[i] != ok {
			t.Errorf("%s (%d): done = %v, want %v", c.name, i, done[i], ok)
		}
		if got := [2]fp.Element{fp.Element(points[i][:6]), fp.Element(points[i][6:])}; got != [2]fp.Element{want.X, want.Y} {
			t.Errorf("%s (%d): got %x, want %x", c.name, i, got, want)
		}
	}
}

func TestG1Decode(t *testing.T) {
	requireLanes(t)
	cases := g1Cases(t)
	checkG1(t, cases)
	for n := range 20 {
		checkG1(t, cases[:n])
	}
}

// TestG1LaneIsolation puts every bad encoding into every lane among good ones, and
// every good one among bad ones.
func TestG1LaneIsolation(t *testing.T) {
	requireLanes(t)
	cases := g1Cases(t)[:20]
	good := encoding{"good neighbour", nil}
	for _, c := range cases {
		for l := range Lanes {
			batch := make([]encoding, Lanes)
			for i := range batch {
				p := g1Point(t)
				b := p.Bytes()
				good.b = b[:]
				batch[i] = good
			}
			batch[l] = c
			checkG1(t, batch)
			for i := range batch {
				batch[i] = c
			}
			batch[l] = good
			checkG1(t, batch)
		}
	}
}

// requireLanes skips a test on a processor without the instructions.
func requireLanes(t testing.TB) {
	t.Helper()
	if !lanes.Enabled() {
		t.Skip("this machine has no lanes")
	}
}

func BenchmarkG1Decode(b *testing.B) {
	requireLanes(b)
	const n = 64
	var src []byte
	for range n {
		p := g1Point(b)
		e := p.Bytes()
		src = append(src, e[:]...)
	}
	points, done := make([][12]uint64, n), make([]bool, n)
	d := NewDecoder()
	for b.Loop() {
		d.G1(points, done, src)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/point")
}
