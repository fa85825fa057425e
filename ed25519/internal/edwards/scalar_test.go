package edwards

import (
	"encoding/binary"
	"math/big"
	"math/rand/v2"
	"testing"
)

var bigOrder = toBig(order[:])

func (s *Scalar) big() *big.Int { return toBig(s[:]) }

// randomScalar returns a uniform scalar or one near 0, near L, near a power of two.
func randomScalar(r *rand.Rand) Scalar {
	var wide [64]byte
	for i := range 8 {
		binary.LittleEndian.PutUint64(wide[8*i:], r.Uint64())
	}
	var s, small Scalar
	s.SetWide(&wide)
	small[0] = r.Uint64N(4)
	switch r.IntN(6) {
	case 0:
		return small
	case 1:
		s.Neg(&small)
	case 2:
		s = Scalar{}
		bit := r.IntN(252)
		s[bit/64] = 1 << (bit % 64)
	case 3:
		for i := range 3 {
			s[i] = ^uint64(0)
		}
		s[3] = 1<<60 - 1
	}
	return s
}

// TestScalarSetWide reduces random integers, and integers near multiples of L and of powers of two.
func TestScalarSetWide(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	limit := new(big.Int).Lsh(big.NewInt(1), 512)
	check := func(x *big.Int) {
		t.Helper()
		if x.Sign() < 0 || x.Cmp(limit) >= 0 {
			return
		}
		var b [64]byte
		x.FillBytes(b[:])
		for i := range 32 {
			b[i], b[63-i] = b[63-i], b[i]
		}
		var s Scalar
		s.SetWide(&b)
		if want := new(big.Int).Mod(x, bigOrder); s.big().Cmp(want) != 0 {
			t.Fatalf("%x: got %x, want %x", x, s.big(), want)
		}
	}
	for bit := range uint(513) {
		for off := int64(-2); off <= 2; off++ {
			x := new(big.Int).Lsh(big.NewInt(1), bit)
			check(x.Add(x, big.NewInt(off)))
			x.Lsh(bigOrder, bit)
			check(x.Add(x, big.NewInt(off)))
		}
	}
	for range 20_000 {
		words := make([]uint64, 8)
		for i := range words {
			words[i] = r.Uint64()
			if r.IntN(3) == 0 {
				words[i] = edgeWords[r.IntN(len(edgeWords))]
			}
		}
		check(toBig(words))
	}
}

func TestScalarArithmetic(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 10_000 {
		a, b := randomScalar(r), randomScalar(r)
		z := Short{r.Uint64(), edgeWords[r.IntN(len(edgeWords))]}
		check := func(name string, got Scalar, want *big.Int) {
			t.Helper()
			if got.big().Cmp(want.Mod(want, bigOrder)) != 0 {
				t.Fatalf("%s of %x, %x, %x: got %x, want %x", name, a, b, z, got.big(), want)
			}
		}
		var s Scalar
		s.Add(&a, &b)
		check("Add", s, new(big.Int).Add(a.big(), b.big()))
		s.Neg(&a)
		check("Neg", s, new(big.Int).Neg(a.big()))
		s.MulShort(&z, &a)
		check("MulShort", s, new(big.Int).Mul(signed(&z), a.big()))
	}
}

// TestNonAdjacentForm checks the value and the shape of the digits.
func TestNonAdjacentForm(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for range 2_000 {
		s := randomScalar(r)
		var digits [digitsNAF]int8
		nonAdjacentForm(&digits, s[:])
		sum, last := new(big.Int), -nafWidth
		for i := range digits {
			d := int64(digits[i])
			if d == 0 {
				continue
			}
			if d%2 == 0 || d >= 1<<(nafWidth-1) || -d >= 1<<(nafWidth-1) || i-last < nafWidth {
				t.Fatalf("%x: digit %d at %d, the last one at %d", s, d, i, last)
			}
			last = i
			sum.Add(sum, new(big.Int).Lsh(big.NewInt(d), uint(i)))
		}
		if sum.Cmp(s.big()) != 0 {
			t.Fatalf("%x: digits sum to %x", s, sum)
		}
	}
}

// TestDigits checks value and range of the digits for every window.
func TestDigits(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	value := func(words []uint64, columns int, w uint) *big.Int {
		sum := new(big.Int)
		for i := range columns {
			d := digit(words, i, columns, w)
			if d > 1<<(w-1) || d < -1<<(w-1) {
				t.Fatalf("%x, window %d: digit %d at %d", words, w, d, i)
			}
			sum.Add(sum, new(big.Int).Lsh(big.NewInt(int64(d)), uint(i)*w))
		}
		return sum
	}
	for w := uint(4); w <= maxWindow; w++ {
		for range 500 {
			k := randomScalar(r)
			z := Short{edgeWords[r.IntN(len(edgeWords))], edgeWords[r.IntN(len(edgeWords))]}
			var l terms
			l.add(&Identity, &k)
			l.addShort(&Identity, &z)
			var s Sum
			l.setOrdinary(&s)
			s.window = w
			s.planColumns()
			if got := value(s.longScalars[0][:], columnsFor(longBits, int(w)), w); got.Cmp(k.big()) != 0 {
				t.Fatalf("window %d, %x: digits sum to %x", w, k, got)
			}
			if got := value(s.shortScalars[0][:], columnsFor(shortBits, int(w)), w); got.Cmp(size(&z)) != 0 {
				t.Fatalf("window %d, %x: digits sum to %x", w, z, got)
			}
		}
	}
}

// size returns the absolute value of z.
func size(z *Short) *big.Int { return new(big.Int).Abs(signed(z)) }

// signed returns z.
func signed(z *Short) *big.Int {
	v := toBig(z[:])
	if z[1]>>63 == 1 {
		v.Sub(v, new(big.Int).Lsh(big.NewInt(1), 128))
	}
	return v
}

// TestBalance checks that the sixteen bytes are the digits, less 128 each, and the product with a scalar.
func TestBalance(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	for range 2000 {
		z := Short{edgeWords[r.IntN(len(edgeWords))], r.Uint64()}
		if r.IntN(2) == 0 {
			z[0], z[1] = z[1], z[0]
		}
		want := new(big.Int)
		for i := range 16 {
			digit := int64(z[i/8]>>(8*(i%8))&0xff) - 128
			want.Add(want, new(big.Int).Lsh(big.NewInt(digit), uint(8*i)))
		}
		before := z
		z.Balance()
		// Some reach below -2¹²⁷, which is another number of 128 bits, and the same modulo 2¹²⁸.
		modulus := new(big.Int).Lsh(big.NewInt(1), 128)
		if new(big.Int).Mod(new(big.Int).Sub(signed(&z), want), modulus).Sign() != 0 {
			t.Fatalf("%x: got %d, want %d", before, signed(&z), want)
		}
		k := randomScalar(r)
		var got Scalar
		got.MulShort(&z, &k)
		product := new(big.Int).Mul(signed(&z), k.big())
		if product.Mod(product, bigOrder).Cmp(got.big()) != 0 {
			t.Fatalf("%x·%x: got %x, want %x", z, k, got, product)
		}
	}
}
