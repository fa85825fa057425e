//go:build amd64 && !purego && !nolanes

package bls12381

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/consensys/gnark-crypto/ecc/bls12-381/fp"
)

// valueBits is the length of the largest input of the field operations: 2^17·p is below
// 2^398.
const valueBits = 397

// setBig stores an integer below 2^416 into lane l.
func setBig(z *Fp, l int, x *big.Int) {
	mask := big.NewInt(limbMask)
	x = new(big.Int).Set(x)
	for i := range z {
		z[i][l] = new(big.Int).And(x, mask).Uint64()
		x.Rsh(x, 52)
	}
}

// bigLane returns the value of lane l as an integer, not reduced.
func bigLane(z *Fp, l int) *big.Int {
	x := new(big.Int)
	for i := len(z) - 1; i >= 0; i-- {
		x.Lsh(x, 52)
		x.Add(x, new(big.Int).SetUint64(z[i][l]))
	}
	return x
}

// edgeValues are integers at and next to the bounds and the multiples of p, and some with
// all limbs at their maximum.
func edgeValues() []*big.Int {
	p := fp.Modulus()
	one := big.NewInt(1)
	bound := new(big.Int).Lsh(one, valueBits)
	values := []*big.Int{big.NewInt(0), one, new(big.Int).Sub(bound, one), new(big.Int).Sub(bound, big.NewInt(2))}
	for _, k := range []uint{0, 1, 2, 8, 16} {
		m := new(big.Int).Lsh(p, k)
		values = append(values, m, new(big.Int).Sub(m, one), new(big.Int).Add(m, one))
	}
	for i := uint(52); i < valueBits; i += 52 {
		low := new(big.Int).Lsh(one, i)
		values = append(values, low, new(big.Int).Sub(low, one), new(big.Int).Sub(bound, low))
	}
	r := new(big.Int).Lsh(one, 416)
	return append(values, r.Mod(r, p))
}

func randomValue(r *rand.Rand) *big.Int {
	words := make([]big.Word, 7)
	for i := range words {
		words[i] = big.Word(r.Uint64())
	}
	x := new(big.Int).SetBits(words)
	return x.And(x, new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), uint(valueBits-r.IntN(30))), big.NewInt(1)))
}

// checkLimbs fails unless every limb is below 2^52 and the value is at most bound.
func checkLimbs(t *testing.T, z *Fp, l int, bound *big.Int) {
	t.Helper()
	for i := range z {
		if z[i][l] > limbMask {
			t.Fatalf("lane %d: limb %d is %#x", l, i, z[i][l])
		}
	}
	if bigLane(z, l).Cmp(bound) > 0 {
		t.Fatalf("lane %d: value %x above %x", l, bigLane(z, l), bound)
	}
}

// fieldOps are the operations with their definitions over the integers.
var fieldOps = []struct {
	name  string
	lanes func(z, x, y *Fp)
	want  func(z, x, y *big.Int)
	bound int64 // of the result, in p
	shift uint  // inputs are this many bits shorter
}{
	{"mul", mulAsm, func(z, x, y *big.Int) { z.Mul(x, y).Mul(z, inverseR()) }, 3, 0},
	{"sqr", func(z, x, _ *Fp) { sqrnAsm(z, x, 1) }, func(z, x, _ *big.Int) { z.Mul(x, x).Mul(z, inverseR()) }, 3, 0},
	{"add", addAsm, func(z, x, y *big.Int) { z.Add(x, y) }, 1 << 16, 2},
	{"sub", subAsm, func(z, x, y *big.Int) { z.Sub(x, y) }, 1 << 16, 2},
}

func inverseR() *big.Int {
	r := new(big.Int).Lsh(big.NewInt(1), 416)
	return r.ModInverse(r, fp.Modulus())
}

func checkOp(t *testing.T, op int, x, y *[Lanes]*big.Int) {
	t.Helper()
	o, p := fieldOps[op], fp.Modulus()
	var a, b, c Fp
	for l := range Lanes {
		setBig(&a, l, new(big.Int).Rsh(x[l], o.shift))
		setBig(&b, l, new(big.Int).Rsh(y[l], o.shift))
	}
	o.lanes(&c, &a, &b)
	bound := new(big.Int).Mul(p, big.NewInt(o.bound))
	for l := range Lanes {
		checkLimbs(t, &c, l, bound)
		got, want := bigLane(&c, l), new(big.Int)
		o.want(want, bigLane(&a, l), bigLane(&b, l))
		if got.Mod(got, p).Cmp(want.Mod(want, p)) != 0 {
			t.Fatalf("%s of %x and %x: got %x, want %x", o.name, bigLane(&a, l), bigLane(&b, l), got, want)
		}
	}
	inPlace := a
	o.lanes(&inPlace, &inPlace, &b)
	if inPlace != c {
		t.Fatalf("%s in place differs", o.name)
	}
}

// TestFieldEdges takes every pair of edge values through every operation, in a lane that
// moves.
func TestFieldEdges(t *testing.T) {
	requireLanes(t)
	edges := edgeValues()
	for op := range fieldOps {
		var x, y [Lanes]*big.Int
		n := 0
		for _, a := range edges {
			for _, b := range edges {
				x[n%Lanes], y[n%Lanes] = a, b
				if n++; n >= Lanes {
					checkOp(t, op, &x, &y)
				}
			}
		}
	}
}

func TestFieldRandom(t *testing.T) {
	requireLanes(t)
	r := rand.New(rand.NewPCG(1, 2))
	for op := range fieldOps {
		for range 2000 {
			var x, y [Lanes]*big.Int
			for l := range Lanes {
				x[l], y[l] = randomValue(r), randomValue(r)
			}
			checkOp(t, op, &x, &y)
		}
	}
}

// TestFieldLong takes ten million operations in four chains side by side with
// gnark-crypto: z ← z·x, then z ← z², z + y and z − x by turns.
func TestFieldLong(t *testing.T) {
	requireLanes(t)
	rounds := 10_000_000 / (2 * Lanes)
	if testing.Short() {
		rounds /= 100
	}
	from, to, plain := new(Fp), new(Fp), new(Fp)
	from.broadcast(&limbsFrom384)
	to.broadcast(&limbsTo384)
	plain.broadcast(&limbsPlainOne)
	var x, y, z [Lanes]fp.Element
	var u, v, w, tmp Fp
	for l := range Lanes {
		for _, e := range []*fp.Element{&x[l], &y[l], &z[l]} {
			if _, err := e.SetRandom(); err != nil {
				t.Fatal(err)
			}
		}
		u.setLane(l, (*fp6)(&x[l]))
		v.setLane(l, (*fp6)(&y[l]))
		w.setLane(l, (*fp6)(&z[l]))
	}
	mulAsm(&u, &u, from)
	mulAsm(&v, &v, from)
	mulAsm(&w, &w, from)
	for i := range rounds {
		mulAsm(&w, &w, &u)
		for l := range Lanes {
			z[l].Mul(&z[l], &x[l])
		}
		switch i % 4 {
		case 0, 1:
			sqrnAsm(&w, &w, 1)
		case 2:
			addAsm(&w, &w, &v)
		case 3:
			subAsm(&w, &w, &u)
		}
		for l := range Lanes {
			switch i % 4 {
			case 0, 1:
				z[l].Square(&z[l])
			case 2:
				z[l].Add(&z[l], &y[l])
			case 3:
				z[l].Sub(&z[l], &x[l])
			}
		}
		if i%64 != 0 {
			continue
		}
		mulAsm(&tmp, &w, to)
		for l := range Lanes {
			if got := tmp.lane(l); got != fp6(z[l]) {
				t.Fatalf("round %d, lane %d: got %x, want %x", i, l, got, z[l])
			}
		}
	}
}

// TestZeroLanes tells every multiple of p from its neighbours, in every lane.
func TestZeroLanes(t *testing.T) {
	requireLanes(t)
	one := new(Fp)
	one.broadcast(&limbsPlainOne)
	var tmp Fp
	for k := range int64(1 << 10) {
		for l := range Lanes {
			multiple := new(big.Int).Mul(big.NewInt(k), fp.Modulus())
			var z Fp
			for i := range Lanes {
				setBig(&z, i, new(big.Int).Add(multiple, big.NewInt(1)))
			}
			setBig(&z, l, multiple)
			if got := zeroLanes(&z, one, &tmp); got != 1<<l {
				t.Fatalf("%d·p in lane %d: lanes %08b", k, l, got)
			}
		}
	}
}

func BenchmarkFpMul(b *testing.B) { benchmarkField(b, mulAsm) }
func BenchmarkFpSub(b *testing.B) { benchmarkField(b, subAsm) }
func BenchmarkFpSquare(b *testing.B) {
	benchmarkField(b, func(z, x, _ *Fp) { sqrnAsm(z, x, 1) })
}

// BenchmarkFpSquareChain2 is two chains of 100 squarings.
func BenchmarkFpSquareChain2(b *testing.B) {
	requireLanes(b)
	x := new([2]Fp)
	for b.Loop() {
		sqrn2Asm(x, x, 100)
	}
}

func benchmarkField(b *testing.B, op func(z, x, y *Fp)) {
	requireLanes(b)
	x, y := new(Fp), new(Fp)
	x.broadcast(&limbsOne)
	y.broadcast(&limbsFour)
	for b.Loop() {
		op(x, x, y)
	}
}

func BenchmarkKernels(b *testing.B) {
	requireLanes(b)
	f := make([]Fp, 64)
	for _, k := range []struct {
		name string
		run  func()
	}{
		{"Fp2Mul", func() { fp2MulAsm((*[2]Fp)(f), (*[2]Fp)(f[2:]), (*[2]Fp)(f[4:])) }},
		{"G1Double", func() { g1DoubleAsm((*[3]Fp)(f), (*[5]Fp)(f[8:]), 1) }},
		{"G2Double", func() { g2DoubleAsm((*[6]Fp)(f), (*[14]Fp)(f[8:]), 1) }},
		{"G1AddMixedXYZZ", func() {
			g1AddMixedXYZZAsm((*[4]Fp)(f), (*[4]Fp)(f[8:]), (*[2]Fp)(f[16:]), (*[8]Fp)(f[24:]), &f[40], 0)
		}},
		{"G2AddMixedXYZZ", func() {
			g2AddMixedXYZZAsm((*[8]Fp)(f), (*[8]Fp)(f[8:]), (*[4]Fp)(f[16:]), (*[16]Fp)(f[24:]), &f[40], 0)
		}},
		{"Gather4", func() { gatherAsm(&f[0], &f[32][0][0], new([8]uint64), 4) }},
	} {
		b.Run(k.name, func(b *testing.B) {
			for b.Loop() {
				k.run()
			}
		})
	}
}
