//go:build amd64 && !purego && !nolanes

package bls12381

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"testing"

	"github.com/consensys/gnark-crypto/ecc"
	gnark "github.com/consensys/gnark-crypto/ecc/bls12-381"
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fp"
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"
)

func g1Words(p *gnark.G1Affine) (w [12]uint64) {
	copy(w[:6], p.X[:])
	copy(w[6:], p.Y[:])
	return w
}

func g2Words(p *gnark.G2Affine) (w [24]uint64) {
	for i, e := range []fp.Element{p.X.A0, p.X.A1, p.Y.A0, p.Y.A1} {
		copy(w[6*i:], e[:])
	}
	return w
}

func randomScalars(t testing.TB, n int) [][2]uint64 {
	t.Helper()
	b := make([]byte, 16*n)
	if _, err := rand.Read(b); err != nil {
		t.Fatal(err)
	}
	k := make([][2]uint64, n)
	for i := range k {
		k[i] = [2]uint64{binary.LittleEndian.Uint64(b[16*i:]), binary.LittleEndian.Uint64(b[16*i+8:])}
	}
	return k
}

func frScalars(k [][2]uint64) []fr.Element {
	s := make([]fr.Element, len(k))
	u := new(big.Int).SetUint64(0xd201000000010000)
	for i := range k {
		v := new(big.Int).SetUint64(k[i][1])
		v.Mul(v, u).Mul(v, u).Add(v, new(big.Int).SetUint64(k[i][0]))
		s[i].SetBigInt(v)
	}
	return s
}

// distinctG1 returns n points of the subgroup.
func distinctG1(t testing.TB, n int) []gnark.G1Affine {
	t.Helper()
	base, step := g1Point(t), g1Point(t)
	jac := make([]gnark.G1Jac, n)
	var j gnark.G1Jac
	j.FromAffine(&base)
	for i := range jac {
		jac[i] = j
		j.AddMixed(&step)
	}
	return gnark.BatchJacobianToAffineG1(jac)
}

func distinctG2(t testing.TB, n int) []gnark.G2Affine {
	t.Helper()
	points := make([]gnark.G2Affine, n)
	base, step := g2Point(t), g2Point(t)
	for i := range points {
		points[i] = base
		base.Add(&base, &step)
	}
	return points
}

func checkG1Sum(t *testing.T, m *Multiplier, points []gnark.G1Affine, k [][2]uint64) {
	t.Helper()
	words := make([][12]uint64, len(points))
	for i := range points {
		words[i] = g1Words(&points[i])
	}
	got := m.G1(words, k)
	var have, want gnark.G1Affine
	have.FromJacobian(g1Jacobian(&got))
	if len(points) > 0 {
		if _, err := want.MultiExp(points, frScalars(k), ecc.MultiExpConfig{}); err != nil {
			t.Fatal(err)
		}
	}
	if have != want {
		t.Errorf("%d points: got %v, want %v", len(points), have, want)
	}
}

func checkG2Sum(t *testing.T, m *Multiplier, points []gnark.G2Affine, k [][2]uint64) {
	t.Helper()
	words := make([][24]uint64, len(points))
	for i := range points {
		words[i] = g2Words(&points[i])
	}
	got := m.G2(words, k)
	var have, want gnark.G2Affine
	have.FromJacobian(g2Jacobian(&got))
	if len(points) > 0 {
		if _, err := want.MultiExp(points, frScalars(k), ecc.MultiExpConfig{}); err != nil {
			t.Fatal(err)
		}
	}
	if have != want {
		t.Errorf("%d points: got %v, want %v", len(points), have, want)
	}
}

// edgeScalars are scalars whose digits carry, vanish or are all extreme.
func edgeScalars() [][2]uint64 {
	const top = uint64(math.MaxUint64)
	return [][2]uint64{
		{0, 0}, {1, 0}, {2, 0}, {0, 1}, {top, top}, {top - 1, top}, {0, 1 << 63}, {1 << 63, 0}, {top, 0}, {0, top},
		{0x8888888888888888, 0x8888888888888888}, {0x7777777777777777, 0x7777777777777777},
		{0x1084210842108421, 0x8421084210842108}, {0xaaaaaaaaaaaaaaaa, 0xaaaaaaaaaaaaaaaa},
	}
}

var sizes = []int{0, 1, 2, 3, 7, 8, 9, 16, 17, 60, 63, 64, 300, 1000}

func TestG1Sum(t *testing.T) {
	requireLanes(t)
	m := NewMultiplier()
	points := distinctG1(t, 5000)
	for _, n := range append(sizes, 5000) {
		checkG1Sum(t, m, points[:n], randomScalars(t, n))
	}
	for _, k := range edgeScalars() {
		checkG1Sum(t, m, points[:1], [][2]uint64{k})
		same := make([][2]uint64, 20)
		for i := range same {
			same[i] = k
		}
		checkG1Sum(t, m, points[:20], same)
	}
	edge := edgeScalars()
	checkG1Sum(t, m, points[:len(edge)], edge)
}

func TestG2Sum(t *testing.T) {
	requireLanes(t)
	m := NewMultiplier()
	points := distinctG2(t, 1000)
	for _, n := range sizes {
		checkG2Sum(t, m, points[:n], randomScalars(t, n))
	}
	for _, k := range edgeScalars() {
		checkG2Sum(t, m, points[:1], [][2]uint64{k})
		same := make([][2]uint64, 20)
		for i := range same {
			same[i] = k
		}
		checkG2Sum(t, m, points[:20], same)
	}
}

// TestSumExceptional feeds equal and opposite points, whose additions are doublings or
// infinity in every lane, and points that meet their own partial sums.
func TestSumExceptional(t *testing.T) {
	requireLanes(t)
	m := NewMultiplier()
	p, q := g1Point(t), g2Point(t)
	var np gnark.G1Affine
	var nq gnark.G2Affine
	np.Neg(&p)
	nq.Neg(&q)
	for _, n := range []int{2, 3, 8, 60, 400, 2000} {
		kinds := map[string]func(i int) (gnark.G1Affine, gnark.G2Affine){
			"equal": func(int) (gnark.G1Affine, gnark.G2Affine) { return p, q },
			"opposite": func(i int) (gnark.G1Affine, gnark.G2Affine) {
				if i%2 == 1 {
					return np, nq
				}
				return p, q
			},
		}
		multiples := func(i int) (gnark.G1Affine, gnark.G2Affine) {
			i = i%5 + 1
			a, b := p, q
			for range i - 1 {
				a.Add(&a, &p)
				b.Add(&b, &q)
			}
			return a, b
		}
		kinds["small multiples"] = multiples
		for name, kind := range kinds {
			g1, g2 := make([]gnark.G1Affine, n), make([]gnark.G2Affine, n)
			for i := range n {
				g1[i], g2[i] = kind(i)
			}
			same := make([][2]uint64, n)
			for i := range same {
				same[i] = [2]uint64{0x123456789abcdef0, 0xfedcba9876543210}
			}
			for _, k := range [][][2]uint64{randomScalars(t, n), same} {
				t.Run(fmt.Sprintf("%s/%d", name, n), func(t *testing.T) {
					checkG1Sum(t, m, g1, k)
					if n <= 400 {
						checkG2Sum(t, m, g2, k)
					}
				})
			}
		}
	}
}

// TestEach compares the products one by one, exceptional scalars among them.
func TestEach(t *testing.T) {
	requireLanes(t)
	m := NewMultiplier()
	for _, n := range []int{0, 1, 5, 8, 9, 30} {
		p, q := distinctG1(t, n), distinctG2(t, n)
		k := append(edgeScalars(), randomScalars(t, n)...)[:n]
		w1, w2 := make([][12]uint64, n), make([][24]uint64, n)
		for i := range n {
			w1[i], w2[i] = g1Words(&p[i]), g2Words(&q[i])
		}
		d1, d2 := make([][18]uint64, n), make([][36]uint64, n)
		m.G1Each(d1, w1, k)
		m.G2Each(d2, w2, k)
		for i, s := range frScalars(k) {
			var have1, want1 gnark.G1Affine
			var have2, want2 gnark.G2Affine
			have1.FromJacobian(g1Jacobian(&d1[i]))
			have2.FromJacobian(g2Jacobian(&d2[i]))
			want1.ScalarMultiplication(&p[i], s.BigInt(new(big.Int)))
			want2.ScalarMultiplication(&q[i], s.BigInt(new(big.Int)))
			if have1 != want1 || have2 != want2 {
				t.Errorf("%d of %d, scalar %x: G1 %v, G2 %v", i, n, k[i], have1 == want1, have2 == want2)
			}
		}
	}
}

// TestG2Sums compares many sums of all lengths with the single ones.
func TestG2Sums(t *testing.T) {
	requireLanes(t)
	m := NewMultiplier()
	for _, counts := range [][]int{nil, {0}, {1}, {0, 0, 1}, {3, 1, 0, 2, 24, 25, 1, 1, 7, 1}, {2, 2, 2, 2, 2, 2, 2, 2, 2}} {
		n := 0
		for _, c := range counts {
			n += c
		}
		points := distinctG2(t, n)
		words := make([][24]uint64, n)
		for i := range points {
			words[i] = g2Words(&points[i])
		}
		k := append(edgeScalars(), randomScalars(t, n)...)[:n]
		dst := make([][36]uint64, len(counts))
		for i := range dst {
			dst[i][0] = 1
		}
		m.G2Sums(dst, counts, words, k)
		for j, first := 0, 0; j < len(counts); j++ {
			last := first + counts[j]
			var want gnark.G2Affine
			if last > first {
				if _, err := want.MultiExp(points[first:last], frScalars(k[first:last]), ecc.MultiExpConfig{}); err != nil {
					t.Fatal(err)
				}
			}
			var have gnark.G2Affine
			have.FromJacobian(g2Jacobian(&dst[j]))
			if have != want {
				t.Errorf("counts %v, sum %d differs", counts, j)
			}
			first = last
		}
	}
}

func g1Jacobian(w *[18]uint64) *gnark.G1Jac {
	return &gnark.G1Jac{X: fp.Element(w[:6]), Y: fp.Element(w[6:12]), Z: fp.Element(w[12:])}
}

func g2Jacobian(w *[36]uint64) *gnark.G2Jac {
	e2 := func(i int) gnark.E2 {
		return gnark.E2{A0: fp.Element(w[12*i : 12*i+6]), A1: fp.Element(w[12*i+6 : 12*i+12])}
	}
	return &gnark.G2Jac{X: e2(0), Y: e2(1), Z: e2(2)}
}

func TestG1SumLarge(t *testing.T) {
	requireLanes(t)
	if testing.Short() {
		t.Skip("50 000 points")
	}
	checkG1Sum(t, NewMultiplier(), distinctG1(t, 50_000), randomScalars(t, 50_000))
}

func BenchmarkG1Sum(b *testing.B) {
	requireLanes(b)
	for _, n := range []int{1, 2, 8, 60, 300, 1000, 5000, 50_000} {
		points := distinctG1(b, n)
		words := make([][12]uint64, n)
		for i := range points {
			words[i] = g1Words(&points[i])
		}
		k, m := randomScalars(b, n), NewMultiplier()
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			for b.Loop() {
				m.G1(words, k)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/point")
		})
	}
}

func BenchmarkG2Sum(b *testing.B) {
	requireLanes(b)
	for _, n := range []int{1, 2, 8, 60, 300} {
		points := distinctG2(b, n)
		words := make([][24]uint64, n)
		for i := range points {
			words[i] = g2Words(&points[i])
		}
		k, m := randomScalars(b, n), NewMultiplier()
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			for b.Loop() {
				m.G2(words, k)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/point")
		})
	}
}
