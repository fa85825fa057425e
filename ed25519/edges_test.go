package ed25519

import (
	"bytes"
	"crypto/sha512"
	"encoding/binary"
	"errors"
	"fmt"
	"math/big"
	"testing"

	"filippo.io/edwards25519"

	"github.com/stmverify/stmverify/verdict"
)

// torsionPoints returns the eight points of small order.
func torsionPoints() []*edwards25519.Point {
	// A point of order 8 has y = ±sqrt((1 ± sqrt(1+d))/d) up to sign; instead of square roots, take any point and
	// multiply it by the group order L = 8·m + 5, that is by (L-1) and once more.
	for y := byte(2); ; y++ {
		p, err := new(edwards25519.Point).SetBytes(append([]byte{y}, make([]byte, 31)...))
		if err != nil {
			continue
		}
		minusOne := edwards25519.NewScalar().Subtract(edwards25519.NewScalar(), scalarOf(1))
		generator := new(edwards25519.Point).ScalarMult(minusOne, p)
		generator.Add(generator, p)
		points := []*edwards25519.Point{edwards25519.NewIdentityPoint()}
		for len(points) < 8 {
			points = append(points, new(edwards25519.Point).Add(points[len(points)-1], generator))
		}
		if points[4].Equal(points[0]) == 0 { // of order 8, not less
			return points
		}
	}
}

// scalarOf returns n as a scalar.
func scalarOf(n uint64) *edwards25519.Scalar {
	var b [32]byte
	binary.LittleEndian.PutUint64(b[:], n)
	s, err := edwards25519.NewScalar().SetCanonicalBytes(b[:])
	if err != nil {
		panic(err)
	}
	return s
}

// encodings returns every 32-byte string that a lenient decoder takes for p.
func encodings(p *edwards25519.Point) (all [][]byte) {
	canonical := p.Bytes()
	candidates := [][]byte{canonical}
	y := littleEndian(canonical)
	y.SetBit(y, 255, 0)
	y.Add(y, fieldPrime())
	if y.BitLen() <= 255 {
		second := make([]byte, 32)
		for i, c := range y.FillBytes(make([]byte, 32)) {
			second[31-i] = c
		}
		second[31] |= canonical[31] & 0x80
		candidates = append(candidates, second)
	}
	for _, c := range candidates {
		flipped := bytes.Clone(c)
		flipped[31] ^= 0x80
		all = append(all, c)
		if q, err := new(edwards25519.Point).SetBytes(flipped); err == nil && q.Equal(p) == 1 {
			all = append(all, flipped)
		}
	}
	return all
}

func fieldPrime() *big.Int {
	return new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 255), big.NewInt(19))
}

func littleEndian(b []byte) *big.Int {
	reversed := make([]byte, len(b))
	for i := range b {
		reversed[len(b)-1-i] = b[i]
	}
	return new(big.Int).SetBytes(reversed)
}

// secretPoint is a multiple of the generator plus a point of small order, in one of its encodings.
type secretPoint struct {
	name     string
	secret   *edwards25519.Scalar
	encoding []byte
}

// secretPoints returns, for a secret and for 0, the multiple of the generator plus each point of small order, in every
// encoding.
func secretPoints(secret uint64) (all []secretPoint) {
	for _, n := range []uint64{0, secret} {
		k := scalarOf(n)
		for i, small := range torsionPoints() {
			p := new(edwards25519.Point).ScalarBaseMult(k)
			for j, encoding := range encodings(p.Add(p, small)) {
				all = append(all, secretPoint{fmt.Sprintf("%d·B+%d·T encoding %d", n, i, j), k, encoding})
			}
		}
	}
	return all
}

// edgeCase is a signature at the border of a rule set.
type edgeCase struct {
	name string
	signed
}

// edgeCases returns signatures of which the component of order L is right, for every kind of A and R: 14 encodings of
// small order, 8 mixed orders. Then the same with S at least L, and encodings of large order that are not canonical or
// no point at all.
func edgeCases() (all []edgeCase) {
	for _, a := range secretPoints(123456789) {
		for _, r := range secretPoints(987654321) {
			for message := range byte(3) {
				msg := []byte{message}
				sig := finish(a, r, msg)
				all = append(all, edgeCase{fmt.Sprintf("A %s, R %s, message %d", a.name, r.name, message), signed{a.encoding, msg, sig}})
			}
		}
	}
	honest := sign(1, "edge")
	for n := uint64(0); n < 16; n++ {
		s := signed{honest.pub, honest.msg, bytes.Clone(honest.sig)}
		addOrder(s.sig[32:], n)
		all = append(all, edgeCase{fmt.Sprintf("S + %d·L", n), s})
	}
	for y := range 19 {
		encoding := bytes.Repeat([]byte{0xff}, 32)
		encoding[0] = byte(0xed + y)
		for _, sign := range []byte{0x7f, 0xff} {
			encoding = bytes.Clone(encoding)
			encoding[31] = sign
			all = append(all,
				edgeCase{fmt.Sprintf("A = p+%d, sign %x", y, sign), signed{encoding, honest.msg, honest.sig}},
				edgeCase{fmt.Sprintf("R = p+%d, sign %x", y, sign), signed{honest.pub, honest.msg, append(bytes.Clone(encoding), honest.sig[32:]...)}})
		}
	}
	for y := byte(0); y < 32; y++ { // half of these are no points
		encoding := append([]byte{y}, make([]byte, 31)...)
		all = append(all,
			edgeCase{fmt.Sprintf("A = %d", y), signed{encoding, honest.msg, honest.sig}},
			edgeCase{fmt.Sprintf("R = %d", y), signed{honest.pub, honest.msg, append(bytes.Clone(encoding), honest.sig[32:]...)}})
	}
	return all
}

// finish returns the signature of msg with the given R.
func finish(a, r secretPoint, msg []byte) []byte {
	hash := sha512.New()
	hash.Write(r.encoding)
	hash.Write(a.encoding)
	hash.Write(msg)
	k, err := edwards25519.NewScalar().SetUniformBytes(hash.Sum(nil))
	if err != nil {
		panic(err)
	}
	s := edwards25519.NewScalar().MultiplyAdd(k, a.secret, r.secret)
	return append(bytes.Clone(r.encoding), s.Bytes()...)
}

// addOrder adds n·L to the little-endian 256-bit integer s.
func addOrder(s []byte, n uint64) {
	order := new(big.Int).Lsh(big.NewInt(1), 252)
	tail, _ := new(big.Int).SetString("27742317777372353535851937790883648493", 10)
	order.Add(order, tail)
	sum := littleEndian(s)
	sum.Add(sum, order.Mul(order, new(big.Int).SetUint64(n)))
	sum.SetBit(sum, 256, 0)
	for i, c := range sum.FillBytes(make([]byte, 33))[1:] {
		s[31-i] = c
	}
}

// TestEdgeCases compares with the independent implementation, singly and in batches of several sizes.
func TestEdgeCases(t *testing.T) {
	t.Parallel()
	cases := edgeCases()
	all := make([]signed, len(cases))
	for i := range cases {
		all[i] = cases[i].signed
	}
	for _, mode := range modes {
		t.Run(mode.String(), func(t *testing.T) {
			t.Parallel()
			r := newRand(4)
			valid := 0
			for _, i := range r.Perm(len(cases))[:less(len(cases))] {
				c := &cases[i]
				want := accepts(mode, c.signed)
				if want {
					valid++
				}
				if err := Verify(mode, c.pub, c.msg, c.sig); (err == nil) != want {
					t.Errorf("%s: got %v, want valid = %t", c.name, err, want)
				}
			}
			if valid == 0 || valid == len(cases) {
				t.Errorf("%d of %d cases are valid: the set tells nothing", valid, len(cases))
			}
			b := newBatch(t, mode, Options{Workers: 2})
			for _, n := range []int{3, 17, 100, less(500)} {
				part := make([]signed, n)
				for i := range part {
					part[i] = all[r.IntN(len(all))]
				}
				checkBatch(t, b, part)
			}
		})
	}
}

// TestSmallOrderEncodings derives the 14 encodings from the curve and compares.
func TestSmallOrderEncodings(t *testing.T) {
	list := make(map[string]bool)
	for _, p := range torsionPoints() {
		for _, encoding := range encodings(p) {
			list[string(encoding)] = true
		}
	}
	if len(list) != 14 {
		t.Fatalf("got %d encodings, want 14", len(list))
	}
	for encoding := range list {
		if !isSmallOrder([]byte(encoding)) {
			t.Errorf("%x is missing in the list", encoding)
		}
		for bit := range 256 {
			near := []byte(encoding)
			near[bit/8] ^= 1 << (bit % 8)
			if isSmallOrder(near) != list[string(near)] {
				t.Errorf("%x: got %t", near, isSmallOrder(near))
			}
		}
	}
}

// TestIsCanonical compares with the definition around p and at random.
func TestIsCanonical(t *testing.T) {
	r := newRand(5)
	check := func(encoding []byte) {
		t.Helper()
		y := littleEndian(encoding)
		y.SetBit(y, 255, 0)
		if got, want := isCanonical(encoding), y.Cmp(fieldPrime()) < 0; got != want {
			t.Errorf("%x: got %t, want %t", encoding, got, want)
		}
	}
	for low := range 256 {
		for position := range 32 {
			encoding := bytes.Repeat([]byte{0xff}, 32)
			encoding[0] = byte(low)
			check(encoding)
			encoding[position] -= byte(r.IntN(2))
			check(encoding)
		}
	}
}

// TestIsReduced compares with the definition around multiples of L.
func TestIsReduced(t *testing.T) {
	order := make([]byte, 32)
	addOrder(order, 1)
	for position := range 32 {
		for _, delta := range []int{-1, 0, 1} {
			s := bytes.Clone(order)
			s[position] += byte(delta)
			if got, want := isReduced(s), littleEndian(s).Cmp(littleEndian(order)) < 0; got != want {
				t.Errorf("%x: got %t, want %t", s, got, want)
			}
		}
	}
}

// TestVerifyReasons checks which reason is given, and that it is the same in a batch.
func TestVerifyReasons(t *testing.T) {
	honest := sign(2, "reasons")
	zeroes := make([]byte, 64)
	notCanonical := append([]byte{0xf0}, bytes.Repeat([]byte{0xff}, 31)...) // p + 3
	notOnCurve := append([]byte{2}, zeroes[:31]...)
	tooLarge := bytes.Clone(honest.sig)
	addOrder(tooLarge[32:], 1)
	withR := func(r []byte) []byte { return append(bytes.Clone(r), honest.sig[32:]...) }
	for _, c := range []struct {
		name     string
		pub, sig []byte
		want     [modeCount]error // in the order of modes
	}{
		{"valid", honest.pub, honest.sig, [modeCount]error{}},
		{"no key", nil, honest.sig, [modeCount]error{ErrPublicKeyLength, ErrPublicKeyLength, ErrPublicKeyLength, ErrPublicKeyLength}},
		{"short key", honest.pub[:31], honest.sig, [modeCount]error{ErrPublicKeyLength, ErrPublicKeyLength, ErrPublicKeyLength, ErrPublicKeyLength}},
		{"long key", append(bytes.Clone(honest.pub), 0), honest.sig, [modeCount]error{ErrPublicKeyLength, ErrPublicKeyLength, ErrPublicKeyLength, ErrPublicKeyLength}},
		{"no signature", honest.pub, nil, [modeCount]error{ErrSignatureLength, ErrSignatureLength, ErrSignatureLength, ErrSignatureLength}},
		{"short signature", honest.pub, honest.sig[:63], [modeCount]error{ErrSignatureLength, ErrSignatureLength, ErrSignatureLength, ErrSignatureLength}},
		{"long signature", honest.pub, append(bytes.Clone(honest.sig), 0), [modeCount]error{ErrSignatureLength, ErrSignatureLength, ErrSignatureLength, ErrSignatureLength}},
		{"S + L", honest.pub, tooLarge, [modeCount]error{ErrScalarRange, ErrScalarRange, ErrScalarRange, ErrScalarRange}},
		{"another message's", honest.pub, sign(2, "other").sig, [modeCount]error{ErrEquation, ErrEquation, ErrEquation, ErrEquation}},
		{"zero key", zeroes[:32], honest.sig, [modeCount]error{ErrPublicKeySmallOrder, ErrPublicKeySmallOrder, ErrEquation, ErrEquation}},
		{"zero key and signature", zeroes[:32], zeroes, [modeCount]error{ErrPublicKeySmallOrder, ErrPublicKeySmallOrder, nil, Verify(StdLib, zeroes[:32], []byte("reasons"), zeroes)}},
		{"zero R", honest.pub, withR(zeroes[:32]), [modeCount]error{ErrNonceSmallOrder, ErrNonceSmallOrder, ErrEquation, ErrEquation}},
		{"key not canonical", notCanonical, honest.sig, [modeCount]error{ErrEquation, ErrPublicKeyNonCanonical, ErrEquation, ErrEquation}},
		{"R not canonical", honest.pub, withR(notCanonical), [modeCount]error{ErrEquation, ErrNonceNonCanonical, ErrEquation, ErrEquation}},
		{"key not on curve", notOnCurve, honest.sig, [modeCount]error{ErrPublicKeyNotOnCurve, ErrPublicKeyNotOnCurve, ErrPublicKeyNotOnCurve, ErrPublicKeyNotOnCurve}},
		{"R not on curve", honest.pub, withR(notOnCurve), [modeCount]error{ErrEquation, ErrNonceNotOnCurve, ErrNonceNotOnCurve, ErrEquation}},
		{"nothing on curve", notOnCurve, withR(notOnCurve), [modeCount]error{ErrPublicKeyNotOnCurve, ErrPublicKeyNotOnCurve, ErrPublicKeyNotOnCurve, ErrPublicKeyNotOnCurve}},
	} {
		for _, mode := range modes {
			if got := Verify(mode, c.pub, honest.msg, c.sig); got != c.want[mode] {
				t.Errorf("%s, %v: got %v, want %v", c.name, mode, got, c.want[mode])
			} else if got != nil && !errors.Is(got, verdict.ErrInvalid) {
				t.Errorf("%s, %v: %v does not wrap verdict.ErrInvalid", c.name, mode, got)
			}
			checkBatch(t, newBatch(t, mode, Options{}), []signed{{c.pub, honest.msg, c.sig}, honest})
		}
	}
}

func TestModes(t *testing.T) {
	for _, mode := range modes {
		if got, err := ParseMode(mode.String()); got != mode || err != nil {
			t.Errorf("ParseMode(%q): got %v, %v", mode, got, err)
		}
	}
	for _, text := range []string{"", "unknown", "Strict", "zip-215"} {
		if _, err := ParseMode(text); err != ErrMode {
			t.Errorf("ParseMode(%q): got %v, want %v", text, err, ErrMode)
		}
	}
	honest := sign(3, "mode")
	if err := Verify(modeCount, honest.pub, honest.msg, honest.sig); err != ErrMode || errors.Is(err, verdict.ErrInvalid) {
		t.Errorf("Verify with an unknown mode: got %v, want %v", err, ErrMode)
	}
	if got := modeCount.String(); got != "unknown" {
		t.Errorf("the name of an unknown mode is %q", got)
	}
}
