package edwards

import (
	"math/big"
	"math/rand/v2"
	"testing"
)

// prime is p = 2²⁵⁵ - 19.
var prime = new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 255), big.NewInt(19))

// eachBackend runs test on the generic code and, where there is one, on the assembly.
func eachBackend(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	if hasAssembly() {
		t.Run("assembly", test)
	}
	t.Run("generic", func(t *testing.T) {
		defer disableAssembly()()
		test(t)
	})
}

func toBig(words []uint64) *big.Int {
	x := new(big.Int)
	for i := len(words) - 1; i >= 0; i-- {
		x.Lsh(x, 64).Or(x, new(big.Int).SetUint64(words[i]))
	}
	return x
}

func (v *element) big() *big.Int { return toBig(v[:]) }

// edgeWords are the words at which a carry, a borrow or a fold changes.
var edgeWords = [...]uint64{
	0, 1, 18, 19, 20, 37, 38, 39, 75, 76, 1 << 32, 1<<63 - 1, 1 << 63, 1<<63 + 1, 1<<63 - 19, 1<<63 - 20,
	^uint64(0), ^uint64(0) - 1, ^uint64(0) - 18, ^uint64(0) - 19, ^uint64(0) - 37, ^uint64(0) - 38, ^uint64(0) - 75,
}

// randomElement returns an element of uniform words, of edge words, or of both.
func randomElement(r *rand.Rand) (v element) {
	kind := r.IntN(3)
	for i := range v {
		v[i] = r.Uint64()
		if kind == 1 || kind == 2 && r.IntN(2) == 0 {
			v[i] = edgeWords[r.IntN(len(edgeWords))]
		}
	}
	return v
}

// sparseElements returns every element of which each word is among the few that make the longest carries.
func sparseElements() (all []element) {
	few := [...]uint64{0, 1, 38, ^uint64(0), ^uint64(0) - 37, 1 << 63}
	for i := range len(few) * len(few) * len(few) * len(few) {
		all = append(all, element{few[i%6], few[i/6%6], few[i/36%6], few[i/216]})
	}
	return all
}

// checkField checks every field operation on a and b against math/big.
func checkField(t *testing.T, a, b element) {
	t.Helper()
	x, y := a.big(), b.big()
	check := func(name string, got element, want *big.Int) {
		t.Helper()
		want.Mod(want, prime)
		if new(big.Int).Mod(got.big(), prime).Cmp(want) != 0 {
			t.Fatalf("%s of %x and %x: got %x, want %x", name, a, b, got, want)
		}
		got.reduce()
		if got.big().Cmp(want) != 0 {
			t.Fatalf("%s of %x and %x, reduced: got %x, want %x", name, a, b, got, want)
		}
	}
	var v element
	mul(&v, &a, &b)
	check("mul", v, new(big.Int).Mul(x, y))
	v.add(&a, &b)
	check("add", v, new(big.Int).Add(x, y))
	v.sub(&a, &b)
	check("sub", v, new(big.Int).Sub(x, y))
	v.neg(&a)
	check("neg", v, new(big.Int).Neg(x))
	pair := [2]element{a, b}
	squareN2(&pair, &pair, 1)
	check("first square", pair[0], new(big.Int).Mul(x, x))
	check("second square", pair[1], new(big.Int).Mul(y, y))
	v = a
	mul(&v, &v, &v)
	check("aliased mul", v, new(big.Int).Mul(x, x))
	if got, want := a.equal(&b), new(big.Int).Mod(x, prime).Cmp(new(big.Int).Mod(y, prime)) == 0; got != want {
		t.Fatalf("equal of %x and %x: got %t, want %t", a, b, got, want)
	}
}

func TestField(t *testing.T) {
	eachBackend(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 2))
		for range 20_000 {
			checkField(t, randomElement(r), randomElement(r))
		}
		sparse := sparseElements()
		for i, a := range sparse {
			checkField(t, a, sparse[len(sparse)-1-i])
			checkField(t, a, sparse[r.IntN(len(sparse))])
		}
	})
}

// TestFieldEqualRepresentations checks that the representations of one residue are equal.
func TestFieldEqualRepresentations(t *testing.T) {
	for small := range uint64(38) {
		a, b, c := element{small}, element{}, element{}
		b.add(&a, &element{0xffffffffffffffed, ^uint64(0), ^uint64(0), 1<<63 - 1})
		c.add(&b, &element{0xffffffffffffffed, ^uint64(0), ^uint64(0), 1<<63 - 1})
		for _, other := range []element{b, c} {
			if !a.equal(&other) {
				t.Errorf("%x and %x are not equal", a, other)
			}
		}
	}
}

func TestFieldConstants(t *testing.T) {
	inverse := new(big.Int).ModInverse(big.NewInt(121666), prime)
	want := new(big.Int).Mul(big.NewInt(-121665), inverse)
	if want.Mod(want, prime); d.big().Cmp(want) != 0 {
		t.Errorf("d is %x, want %x", d.big(), want)
	}
	if want.Lsh(want, 1).Mod(want, prime); d2.big().Cmp(want) != 0 {
		t.Errorf("2d is %x, want %x", d2.big(), want)
	}
	if want.Mul(d.big(), invD.big()).Mod(want, prime).Cmp(big.NewInt(1)) != 0 {
		t.Errorf("d·%x is %x, want 1", invD.big(), want)
	}
	root := sqrtM1.big()
	if root.Mul(root, root).Add(root, big.NewInt(1)).Mod(root, prime).Sign() != 0 {
		t.Errorf("the square of %x is not -1", sqrtM1.big())
	}
}

func TestPower250(t *testing.T) {
	eachBackend(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(3, 4))
		exponent := new(big.Int).Lsh(big.NewInt(1), 250)
		exponent.Sub(exponent, big.NewInt(1))
		for range 50 {
			x := [2]element{randomElement(r), randomElement(r)}
			var v, x11 [2]element
			power250(&v, &x, &x11)
			for i := range x {
				v[i].reduce()
				if want := new(big.Int).Exp(x[i].big(), exponent, prime); v[i].big().Cmp(want) != 0 {
					t.Fatalf("%x: got %x, want %x", x[i], v[i], want)
				}
			}
		}
	})
}
