//go:build cgo && !purego

package backend

import (
	"encoding/binary"
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/consensys/gnark-crypto/ecc/bls12-381/fp"

	"github.com/stmverify/stmverify/internal/bls12381"
	"github.com/stmverify/stmverify/internal/bls12381/blst"
	"github.com/stmverify/stmverify/internal/bls12381/gnark"
)

// encodings returns compressed encodings of size bytes: of points in the subgroup, of x-coordinates counted up from zero
// (half of which are on the curve, almost none in the subgroup), and of coordinates around the modulus, with every flag.
func encodings(rng *rand.Rand, size int) [][]byte {
	var out [][]byte
	for range 8 {
		k := gnark.KeyGen(randomBytes(rng, 32))
		if size == bls12381.G1Size {
			var p, h bls12381.G1
			gnark.HashToG1(&h, randomBytes(rng, 8))
			gnark.MulG1(&p, &h, &k)
			e := p.Bytes()
			out = append(out, e[:])
			continue
		}
		var p bls12381.G2
		gnark.PublicKey(&p, &k)
		e := p.Bytes()
		out = append(out, e[:])
	}
	for i := range 40 {
		b := make([]byte, size)
		binary.BigEndian.PutUint64(b[size-8:], uint64(i))
		b[0] |= 0x80 | byte(i%2)<<5
		out = append(out, b)
	}
	modulus := fp.Modulus()
	for d := int64(-2); d <= 2; d++ {
		for offset := 0; offset < size; offset += bls12381.G1Size {
			b := make([]byte, size)
			new(big.Int).Add(modulus, big.NewInt(d)).FillBytes(b[offset : offset+bls12381.G1Size])
			b[0] |= 0x80
			out = append(out, b)
		}
	}
	for flags := range 8 {
		b := make([]byte, size)
		b[0] = byte(flags) << 5
		out = append(out, b)
		c := append([]byte{}, out[0]...)
		c[0] = c[0]&0x1f | byte(flags)<<5
		out = append(out, c)
		d := append([]byte{}, b...)
		d[size-1] = 1
		out = append(out, d)
	}
	return out
}

func randomBytes(rng *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(rng.Uint32())
	}
	return b
}

func TestBackendsDecodeAlike(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	seen := map[bls12381.Status]int{}
	for _, size := range []int{bls12381.G1Size, bls12381.G2Size} {
		for i, e := range encodings(rng, size) {
			if s := bls12381.CheckEncoding(e); s != bls12381.OK {
				seen[s]++
				continue
			}
			t.Run(fmt.Sprintf("size=%d/%d", size, i), func(t *testing.T) {
				var a, b bls12381.Status
				var bytesA, bytesB string
				if size == bls12381.G1Size {
					var p, q bls12381.G1
					a, b = blst.DecodeG1(&p, (*[48]byte)(e)), gnark.DecodeG1(&q, (*[48]byte)(e))
					if p != q {
						t.Errorf("points differ: blst %v, gnark %v", p, q)
					}
					x, y := blst.EncodeG1(&p), gnark.EncodeG1(&q)
					bytesA, bytesB = string(x[:]), string(y[:])
				} else {
					var p, q bls12381.G2
					a, b = blst.DecodeG2(&p, (*[96]byte)(e)), gnark.DecodeG2(&q, (*[96]byte)(e))
					if p != q {
						t.Errorf("points differ: blst %v, gnark %v", p, q)
					}
					x, y := blst.EncodeG2(&p), gnark.EncodeG2(&q)
					bytesA, bytesB = string(x[:]), string(y[:])
				}
				seen[a]++
				if a != b {
					t.Errorf("verdicts differ on %x: blst %d, gnark %d", e, a, b)
				}
				if bytesA != bytesB {
					t.Errorf("encodings differ: blst %x, gnark %x", bytesA, bytesB)
				}
				if a == bls12381.OK && bytesA != string(e) {
					t.Errorf("decoding %x and encoding gives %x", e, bytesA)
				}
			})
		}
	}
	for _, s := range []bls12381.Status{bls12381.OK, bls12381.NotCanonical, bls12381.Infinity, bls12381.NotOnCurve, bls12381.NotInSubgroup} {
		if seen[s] == 0 {
			t.Errorf("no input has the status %d", s)
		}
	}
}

func TestBackendsComputeAlike(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for i := range 16 {
		computeAlike(t, randomBytes(rng, 32+i), randomBytes(rng, i*7), 1+i%9)
	}
}

// computeAlike derives a key, hashes a message, signs it and pairs n signatures with blst and with gnark-crypto, once as they
// should be and once with another message's hash.
func computeAlike(t *testing.T, ikm, msg []byte, n int) {
	t.Helper()
	a, b := blst.KeyGen(ikm), gnark.KeyGen(ikm)
	if x, y := blst.SecretKeyBytes(&a), gnark.SecretKeyBytes(&b); x != y {
		t.Fatalf("secret key of %x: blst %x, gnark %x", ikm, x, y)
	}
	var keyA, keyB bls12381.G2
	blst.PublicKey(&keyA, &a)
	gnark.PublicKey(&keyB, &b)
	var hashA, hashB, sigA, sigB bls12381.G1
	blst.HashToG1(&hashA, msg)
	gnark.HashToG1(&hashB, msg)
	blst.MulG1(&sigA, &hashA, &a)
	gnark.MulG1(&sigB, &hashB, &b)
	if keyA != keyB || hashA != hashB || sigA != sigB {
		t.Fatalf("ikm %x, message %x: key, hash or signature differ", ikm, msg)
	}
	for _, wrong := range []bool{false, true} {
		p, q := negatedPairs(sigA, hashA, keyA, n, wrong)
		x, y := blst.MillerLoop(p, q), gnark.MillerLoop(p, q)
		z, _ := MillerLoop(p, q)
		first, second, third := blst.FinalExpIsOne(&x), gnark.FinalExpIsOne(&y), FinalExpIsOne(&z)
		if first == wrong || second == wrong || third == wrong {
			t.Errorf("%d pairs, wrong %v: blst %v, gnark %v, backend %v", n, wrong, first, second, third)
		}
	}
}

// negatedPairs returns n times the pairs (-σ, g₂), (H, key); when wrong is set, once more (-σ, g₂).
func negatedPairs(sig, hash bls12381.G1, key bls12381.G2, n int, wrong bool) ([]bls12381.G1, []bls12381.G2) {
	var p []bls12381.G1
	var q []bls12381.G2
	sig.Neg(&sig)
	for range n {
		p, q = append(p, sig, hash), append(q, bls12381.GeneratorG2(), key)
	}
	if wrong {
		p, q = append(p, sig), append(q, bls12381.GeneratorG2())
	}
	return p, q
}

func TestSecretKeyRange(t *testing.T) {
	order, _ := new(big.Int).SetString("73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001", 16)
	for name, test := range map[string]struct {
		value *big.Int
		want  bool
	}{
		"zero":    {big.NewInt(0), false},
		"one":     {big.NewInt(1), true},
		"r-1":     {new(big.Int).Sub(order, big.NewInt(1)), true},
		"r":       {order, false},
		"r+1":     {new(big.Int).Add(order, big.NewInt(1)), false},
		"maximum": {new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 256), big.NewInt(1)), false},
	} {
		var b [32]byte
		test.value.FillBytes(b[:])
		var x blst.SecretKey
		var y gnark.SecretKey
		if got := blst.SecretKeyFromBytes(&x, &b); got != test.want {
			t.Errorf("blst: %s: got %v", name, got)
		}
		if got := gnark.SecretKeyFromBytes(&y, &b); got != test.want {
			t.Errorf("gnark: %s: got %v", name, got)
		}
	}
}

// TestPointAtInfinityContributesOne covers pairs on which the libraries differ, so that they never see them.
func TestPointAtInfinityContributesOne(t *testing.T) {
	var hash, zero1 bls12381.G1
	var zero2 bls12381.G2
	HashToG1(&hash, []byte("message"))
	for name, pair := range map[string]struct {
		p bls12381.G1
		q bls12381.G2
	}{"left": {zero1, bls12381.GeneratorG2()}, "right": {hash, zero2}, "both": {zero1, zero2}} {
		f, n := MillerLoop([]bls12381.G1{pair.p}, []bls12381.G2{pair.q})
		if !FinalExpIsOne(&f) || n != 0 {
			t.Errorf("%s: not one, or %d Miller loops", name, n)
		}
	}
	var negated bls12381.G1
	negated.Neg(&hash)
	f, n := MillerLoop([]bls12381.G1{hash, zero1, negated}, []bls12381.G2{bls12381.GeneratorG2(), bls12381.GeneratorG2(), bls12381.GeneratorG2()})
	if !FinalExpIsOne(&f) || n != 2 {
		t.Errorf("among others: not one, or %d Miller loops", n)
	}
}
