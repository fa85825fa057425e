//go:build amd64 && !purego && !nolanes

package bls12381

import (
	"fmt"
	"testing"

	gnark "github.com/consensys/gnark-crypto/ecc/bls12-381"
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fp"
)

func pairWords(p []gnark.G1Affine, q []gnark.G2Affine) (a [][12]uint64, b [][24]uint64) {
	for i := range p {
		a, b = append(a, g1Words(&p[i])), append(b, g2Words(&q[i]))
	}
	return a, b
}

// gtOf reads an element of Fp12.
func gtOf(w *[72]uint64) (z gnark.GT) {
	for i, c := range []*fp.Element{
		&z.C0.B0.A0, &z.C0.B0.A1, &z.C0.B1.A0, &z.C0.B1.A1, &z.C0.B2.A0, &z.C0.B2.A1,
		&z.C1.B0.A0, &z.C1.B0.A1, &z.C1.B1.A0, &z.C1.B1.A1, &z.C1.B2.A0, &z.C1.B2.A1,
	} {
		copy(c[:], w[6*i:6*i+6])
	}
	return z
}

// TestMiller compares pairings with gnark-crypto for every number of pairs up to two full
// rounds, and for numbers that take several loops.
func TestMiller(t *testing.T) {
	requireLanes(t)
	m := NewMiller()
	p, q := distinctG1(t, 300), distinctG2(t, 300)
	numbers := []int{63, 128, 129, 300}
	for n := range 18 {
		numbers = append(numbers, n)
	}
	for _, n := range numbers {
		a, b := pairWords(p[:n], q[:n])
		product := m.Product(a, b)
		var want gnark.GT
		want.SetOne()
		if n > 0 {
			var err error
			if want, err = gnark.Pair(p[:n], q[:n]); err != nil {
				t.Fatal(err)
			}
		}
		z := gtOf(&product)
		if got := gnark.FinalExponentiation(&z); !got.Equal(&want) {
			t.Errorf("%d pairs: the pairing differs", n)
		}
	}
}

// TestMillerLanes changes one pair in every lane: the product must change.
func TestMillerLanes(t *testing.T) {
	requireLanes(t)
	m := NewMiller()
	p, q := g1Point(t), g2Point(t)
	var np gnark.G1Affine
	np.Neg(&p)
	points, keys := make([]gnark.G1Affine, 2*Lanes), make([]gnark.G2Affine, 2*Lanes)
	for i := range points {
		points[i], keys[i] = p, q
		if i%2 == 1 {
			points[i] = np
		}
	}
	one := func() bool {
		a, b := pairWords(points, keys)
		w := m.Product(a, b)
		z := gtOf(&w)
		r := gnark.FinalExponentiation(&z)
		return r.IsOne()
	}
	if !one() {
		t.Fatal("the pairs do not cancel")
	}
	other := g1Point(t)
	for i := range points {
		saved := points[i]
		points[i] = other
		if one() {
			t.Errorf("pair %d has no effect", i)
		}
		points[i] = saved
	}
}

func BenchmarkMiller(b *testing.B) {
	requireLanes(b)
	for _, n := range []int{8, 64, 256} {
		p, q := pairWords(distinctG1(b, n), distinctG2(b, n))
		m := NewMiller()
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			for b.Loop() {
				m.Product(p, q)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/pair")
		})
	}
}
