package backend

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stmverify/stmverify/internal/bls12381"
)

// The functions for many points against those for one, with lanes or without, as the build and the machine have it.

func keyPoints(rng *rand.Rand, n int) ([]bls12381.G1, []bls12381.G2) {
	p, q := make([]bls12381.G1, n), make([]bls12381.G2, n)
	for i := range n {
		ikm := make([]byte, 32)
		for j := range ikm {
			ikm[j] = byte(rng.Uint32())
		}
		k := KeyGen(ikm)
		HashToG1(&p[i], ikm)
		PublicKey(&q[i], &k)
	}
	return p, q
}

func coefficients(rng *rand.Rand, n int) []bls12381.Coefficient {
	k := make([]bls12381.Coefficient, n)
	for i := range k {
		k[i] = bls12381.Coefficient{A0: rng.Uint64(), A1: rng.Uint64()}
		switch rng.IntN(8) {
		case 0:
			k[i].A0 = 0
		case 1:
			k[i].A1 = 0
		case 2:
			k[i] = bls12381.Coefficient{A0: 1<<64 - 1, A1: 1<<64 - 1}
		}
	}
	return k
}

func TestSumsAgree(t *testing.T) {
	t.Logf("lanes: %v", Lanes())
	rng := rand.New(rand.NewPCG(3, 3))
	allP, allQ := keyPoints(rng, 70)
	for _, n := range []int{1, 2, 3, 4, 8, 9, 24, 25, 33, 70} {
		p, q, k := append([]bls12381.G1{}, allP[:n]...), append([]bls12381.G2{}, allQ[:n]...), coefficients(rng, n)
		if n > 2 { // Equal and opposite points.
			p[1], q[1], k[1] = p[0], q[0], k[0]
			p[2].Neg(&p[0])
			q[2].Neg(&q[0])
		}
		var got1, want1 bls12381.G1
		var got2, want2 bls12381.G2
		MultiExpG1(&got1, p, k)
		bls12381.MultiExpG1(&want1, p, k)
		MultiExpG2(&got2, q, k)
		bls12381.MultiExpG2(&want2, q, k)
		if got1 != want1 || got2 != want2 {
			t.Errorf("n=%d: sums differ", n)
		}
		scaled := make([]bls12381.G1, n)
		ScaleG1s(scaled, p, k)
		for i := range p {
			if bls12381.MultiExpG1(&want1, p[i:i+1], k[i:i+1]); scaled[i] != want1 {
				t.Errorf("n=%d: product %d differs", n, i)
			}
		}
	}
	// Sums that cancel, and the sums of several groups at once.
	cancelling, one := []bls12381.G1{allP[0], allP[0], allP[1], allP[1]}, bls12381.Coefficient{A0: 5, A1: 7}
	cancelling[1].Neg(&allP[0])
	cancelling[3].Neg(&allP[1])
	var sum bls12381.G1
	if MultiExpG1(&sum, cancelling, []bls12381.Coefficient{one, one, one, one}); !sum.IsInfinity() {
		t.Error("a sum that cancels is not the point at infinity")
	}
	counts := []int{1, 3, 0, 25, 2, 2, 24, 1, 1, 1, 4}
	k := coefficients(rng, 64)
	sums := make([]bls12381.G2, len(counts))
	MultiExpG2s(sums, counts, allQ[:64], k)
	first := 0
	for j, n := range counts {
		var want bls12381.G2
		if bls12381.MultiExpG2(&want, allQ[first:first+n], k[first:first+n]); sums[j] != want {
			t.Errorf("sum %d of %d points differs", j, n)
		}
		first += n
	}
}

func TestHashesAndMillerLoopsAgree(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	var messages [][]byte
	for i := range 19 {
		messages = append(messages, make([]byte, 9*i))
	}
	hashes := make([]bls12381.G1, len(messages))
	HashToG1s(hashes, messages)
	for i := range messages {
		var want bls12381.G1
		if HashToG1(&want, messages[i]); hashes[i] != want {
			t.Errorf("hash %d differs", i)
		}
	}
	p, q := keyPoints(rng, 19)
	for _, n := range []int{1, 3, 4, 5, 8, 19} {
		// e(p, q) many at a time times e(-p, q) one by one is one.
		product, count := MillerLoop(p[:n], q[:n])
		if count != n {
			t.Errorf("n=%d: %d Miller loops", n, count)
		}
		for i := range n {
			var negated bls12381.G1
			negated.Neg(&p[i])
			single := millerLoop([]bls12381.G1{negated}, q[i:i+1])
			if i == n-1 {
				if FinalExpIsOne(&product) {
					t.Errorf("n=%d: one before the last factor", n)
				}
			}
			Mul(&product, &product, &single)
		}
		if !FinalExpIsOne(&product) {
			t.Errorf("n=%d: not one", n)
		}
	}
}

// TestDecodingManyAgrees puts every kind of bad point into every position among good ones.
func TestDecodingManyAgrees(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	p, q := keyPoints(rng, 17)
	var good1, good2 []byte
	for i := range p {
		b1, b2 := EncodeG1(&p[i]), EncodeG2(&q[i])
		good1, good2 = append(good1, b1[:]...), append(good2, b2[:]...)
	}
	for _, n := range []int{0, 1, 2, 7, 8, 9, 16, 17} {
		got1, got2 := make([]bls12381.G1, n), make([]bls12381.G2, n)
		if i, s := DecodeG1s(got1, good1[:n*bls12381.G1Size]); i != -1 || s != bls12381.OK {
			t.Errorf("n=%d: refuses %d: %d", n, i, s)
		}
		if i, s := DecodeG2s(got2, good2[:n*bls12381.G2Size]); i != -1 || s != bls12381.OK {
			t.Errorf("n=%d: refuses %d: %d", n, i, s)
		}
		for i := range n {
			if got1[i] != p[i] || got2[i] != q[i] {
				t.Errorf("n=%d: point %d differs", n, i)
			}
		}
	}
	for name, bad := range badEncodings() {
		t.Run(name, func(t *testing.T) {
			size, good := len(bad), good1
			if size == bls12381.G2Size {
				good = good2
			}
			for position := range 17 {
				enc := append([]byte{}, good...)
				copy(enc[position*size:], bad)
				var i int
				var s, want bls12381.Status
				if size == bls12381.G1Size {
					i, s = DecodeG1s(make([]bls12381.G1, 17), enc)
					want = DecodeG1(new(bls12381.G1), (*[bls12381.G1Size]byte)(bad))
				} else {
					i, s = DecodeG2s(make([]bls12381.G2, 17), enc)
					want = DecodeG2(new(bls12381.G2), (*[bls12381.G2Size]byte)(bad))
				}
				if i != position || s != want || s == bls12381.OK {
					t.Errorf("position %d: got %d, status %d, want status %d", position, i, s, want)
				}
			}
		})
	}
}

func badEncodings() map[string][]byte {
	bad := map[string][]byte{}
	for _, size := range []int{bls12381.G1Size, bls12381.G2Size} {
		infinity, uncompressed, modulus := make([]byte, size), make([]byte, size), make([]byte, size)
		infinity[0] = 0xc0
		uncompressed[0] = 0x01
		modulus[0] = 0x9f
		bad[fmt.Sprintf("infinity of %d bytes", size)] = infinity
		bad[fmt.Sprintf("flag missing, %d bytes", size)] = uncompressed
		bad[fmt.Sprintf("above the modulus, %d bytes", size)] = modulus
		for x := range byte(6) { // Off the curve, or outside the subgroup.
			b := make([]byte, size)
			b[0], b[size-1] = 0x80, x
			bad[fmt.Sprintf("x=%d, %d bytes", x, size)] = b
		}
	}
	return bad
}

// BenchmarkLanes shows from which number on the lanes pay; STMVERIFY_LANES=off is the other side.
func BenchmarkLanes(b *testing.B) {
	rng := rand.New(rand.NewPCG(6, 6))
	p, q := keyPoints(rng, 16)
	k := coefficients(rng, 16)
	var enc1, enc2 []byte
	for i := range p {
		b1, b2 := EncodeG1(&p[i]), EncodeG2(&q[i])
		enc1, enc2 = append(enc1, b1[:]...), append(enc2, b2[:]...)
	}
	for _, n := range []int{1, 2, 3, 4, 8, 16} {
		for name, f := range map[string]func(){
			"decode-G1": func() { DecodeG1s(make([]bls12381.G1, n), enc1[:n*bls12381.G1Size]) },
			"decode-G2": func() { DecodeG2s(make([]bls12381.G2, n), enc2[:n*bls12381.G2Size]) },
			"sum-G1":    func() { MultiExpG1(new(bls12381.G1), p[:n], k[:n]) },
			"sum-G2":    func() { MultiExpG2(new(bls12381.G2), q[:n], k[:n]) },
			"scale-G1":  func() { ScaleG1s(make([]bls12381.G1, n), p[:n], k[:n]) },
			"miller":    func() { MillerLoop(p[:n], q[:n]) },
			"hash":      func() { HashToG1s(make([]bls12381.G1, n), make([][]byte, n)) },
		} {
			b.Run(fmt.Sprintf("%s/n=%d", name, n), func(b *testing.B) {
				for b.Loop() {
					f()
				}
			})
		}
	}
}
