package bls12381

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/consensys/gnark-crypto/ecc"
	curve "github.com/consensys/gnark-crypto/ecc/bls12-381"
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"
)

// parameterSquared is x², computed from the curve's parameter and not from the code under test.
func parameterSquared() *big.Int {
	x, _ := new(big.Int).SetString("d201000000010000", 16)
	return x.Mul(x, x)
}

func (k Coefficient) scalar() fr.Element {
	v := new(big.Int).SetUint64(k.A1)
	v.Mul(v, parameterSquared())
	v.Add(v, new(big.Int).SetUint64(k.A0))
	var s fr.Element
	s.SetBigInt(v)
	return s
}

func randomPoints(rng *rand.Rand, n int) ([]G1, []G2) {
	_, _, base1, base2 := curve.Generators()
	p, q := make([]G1, n), make([]G2, n)
	for i := range n {
		k := new(big.Int).SetUint64(rng.Uint64() | 1)
		p[i].ScalarMultiplication(&base1, k)
		q[i].ScalarMultiplication(&base2, k)
	}
	return p, q
}

func randomCoefficients(rng *rand.Rand, n int) []Coefficient {
	edges := []uint64{0, 1, 2, 15, 16, 17, 1 << 63, 1<<64 - 1, 1<<63 - 1, 0x5555555555555555}
	k := make([]Coefficient, n)
	for i := range k {
		k[i] = Coefficient{rng.Uint64(), rng.Uint64()}
		if rng.IntN(4) == 0 {
			k[i].A0 = edges[rng.IntN(len(edges))]
		}
		if rng.IntN(4) == 0 {
			k[i].A1 = edges[rng.IntN(len(edges))]
		}
	}
	return k
}

func TestEndomorphisms(t *testing.T) {
	_, _, base1, base2 := curve.Generators()
	var got1, want1 G1
	mulX2G1(&got1, &base1)
	if want1.ScalarMultiplication(&base1, parameterSquared()); !got1.Equal(&want1) {
		t.Errorf("G1: got %v, want %v", got1, want1)
	}
	var got2, want2 G2
	mulX2G2(&got2, &base2)
	if want2.ScalarMultiplication(&base2, parameterSquared()); !got2.Equal(&want2) {
		t.Errorf("G2: got %v, want %v", got2, want2)
	}
}

// TestMultiExp compares with gnark-crypto on every size around the thresholds, with coefficients at the edges of the
// digits, equal points and opposite points.
func TestMultiExp(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	allP, allQ := randomPoints(rng, 300)
	for _, n := range []int{1, 2, 3, 7, 8, 9, 10, 16, 33, 60, 150, 300} {
		for _, kind := range []string{"random", "equal", "opposite", "cancelling", "zero"} {
			t.Run(fmt.Sprintf("n=%d/%s", n, kind), func(t *testing.T) {
				p, q := append([]G1{}, allP[:n]...), append([]G2{}, allQ[:n]...)
				k := randomCoefficients(rng, n)
				for i := range n {
					switch {
					case kind == "equal":
						p[i], q[i] = p[0], q[0]
					case kind == "opposite" && i%2 == 1:
						p[i].Neg(&p[i-1])
						q[i].Neg(&q[i-1])
					case kind == "cancelling" && i%2 == 1:
						p[i].Neg(&p[i-1])
						q[i].Neg(&q[i-1])
						k[i] = k[i-1]
					case kind == "zero":
						k[i] = Coefficient{}
					}
				}
				checkMultiExp(t, p, q, k)
			})
		}
	}
}

func checkMultiExp(t *testing.T, p []G1, q []G2, k []Coefficient) {
	t.Helper()
	scalars := make([]fr.Element, len(k))
	for i := range k {
		scalars[i] = k[i].scalar()
	}
	var got1, want1 G1
	MultiExpG1(&got1, p, k)
	if _, err := want1.MultiExp(p, scalars, ecc.MultiExpConfig{NbTasks: 1}); err != nil {
		t.Fatal(err)
	}
	if !got1.Equal(&want1) {
		t.Errorf("G1: got %v, want %v", got1, want1)
	}
	var got2, want2 G2
	MultiExpG2(&got2, q, k)
	if _, err := want2.MultiExp(q, scalars, ecc.MultiExpConfig{NbTasks: 1}); err != nil {
		t.Fatal(err)
	}
	if !got2.Equal(&want2) {
		t.Errorf("G2: got %v, want %v", got2, want2)
	}
}

func BenchmarkMultiExp(b *testing.B) {
	rng := rand.New(rand.NewPCG(3, 4))
	p, q := randomPoints(rng, 3000)
	k := make([]Coefficient, len(p))
	for i := range k {
		k[i] = Coefficient{rng.Uint64(), rng.Uint64()}
	}
	for _, n := range []int{1, 2, 3, 4, 8, 9, 16, 60, 300, 3000} {
		b.Run(fmt.Sprintf("group=G1/n=%d", n), func(b *testing.B) {
			var dst G1
			for b.Loop() {
				MultiExpG1(&dst, p[:n], k[:n])
			}
		})
		b.Run(fmt.Sprintf("group=G2/n=%d", n), func(b *testing.B) {
			var dst G2
			for b.Loop() {
				MultiExpG2(&dst, q[:n], k[:n])
			}
		})
	}
}
