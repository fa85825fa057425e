//go:build amd64 && !purego && !nolanes

package curve25519

import (
	"crypto/sha512"
	"fmt"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"testing"
	"time"

	"filippo.io/edwards25519"
	"filippo.io/edwards25519/field"
)

// run computes a sum with the given number of workers, one after the other.
func (s *Sum) run(workers int, scratch *Scratch) Total {
	for task := range s.Plan(workers) {
		s.Do(task, scratch)
	}
	return s.Finish()
}

// isSmallOrder reports whether eight times the total is the neutral element.
func (t *Total) isSmallOrder() bool {
	var c, y, z element
	broadcast(&c, &one)
	p := t.p
	pointDouble(&p, 3)
	feMul(&p[coordX], &p[coordX], &c)
	feMul(&y, &p[coordY], &c)
	feMul(&z, &p[coordZ], &c)
	feSub(&y, &y, &z)
	return feZeroLanes(&p[coordX])&feZeroLanes(&y)&1 == 1
}

// longTerm and shortTerm are terms of a sum in tests.
type longTerm struct {
	p *Point
	k [4]uint64
}

type shortTerm struct {
	p *Point
	k [2]uint64
}

// set sets the terms of the sum, and as the last long one k·B if k is not nil.
func (s *Sum) set(long []longTerm, short []shortTerm, k *[4]uint64) {
	n := len(long)
	if k != nil {
		n++
	}
	s.Expect(n, len(short))
	for i := range long {
		s.Set(i, long[i].p, &long[i].k)
	}
	for i := range short {
		s.SetShort(i, short[i].p, &short[i].k)
	}
	if k != nil {
		s.SetBase(len(long), k)
	}
}

// terms returns n points, random multiples of the base point plus a point of
// small order for some, with their edwards25519 form.
func terms(t testing.TB, r *rand.ChaCha8, n int) ([]*Point, []*edwards25519.Point) {
	t.Helper()
	points, want := make([]*Point, n), make([]*edwards25519.Point, n)
	encodings, ok := make([]*[32]byte, n), make([]bool, n)
	torsion, err := new(edwards25519.Point).SetBytes(smallOrderY[5][:])
	if err != nil {
		t.Fatal(err)
	}
	for i := range points {
		points[i] = new(Point)
		want[i] = new(edwards25519.Point).ScalarBaseMult(randomScalar(r))
		if r.Uint64()%4 == 0 {
			want[i].Add(want[i], torsion)
		}
		if r.Uint64()%16 == 0 {
			want[i] = edwards25519.NewIdentityPoint()
		}
		encodings[i] = (*[32]byte)(want[i].Bytes())
	}
	new(Workspace).Decode(points, ok, encodings)
	for i := range ok {
		if !ok[i] {
			t.Fatalf("point %d not decoded", i)
		}
	}
	return points, want
}

func randomScalar(r *rand.ChaCha8) *edwards25519.Scalar {
	var b [64]byte
	r.Read(b[:])
	s, err := edwards25519.NewScalar().SetUniformBytes(b[:])
	if err != nil {
		panic(err)
	}
	return s
}

// toBytes returns the encoding of the total, from its extended coordinates, of
// which XY = ZT must hold.
func (t *Total) toBytes(tb testing.TB) [32]byte {
	tb.Helper()
	x, y, z, xy := t.Extended()
	var e [4]*field.Element
	for i, w := range [][4]uint64{x, y, z, xy} {
		var b [32]byte
		for j := range b {
			b[j] = byte(w[j/8] >> (8 * (j % 8)))
		}
		v, err := new(field.Element).SetBytes(b[:])
		if err != nil {
			tb.Fatal(err)
		}
		e[i] = v
	}
	p, err := new(edwards25519.Point).SetExtendedCoordinates(e[0], e[1], e[2], e[3])
	if err != nil {
		tb.Fatal(err)
	}
	return [32]byte(p.Bytes())
}

func TestSumMatchesEdwards(t *testing.T) {
	needLanes(t)
	r := source(20)
	scratch := new(Scratch)
	var s Sum
	for _, n := range []int{1, 2, 3, 8, 40, 49, 51, 100, 299, 301, 600} {
		for _, workers := range []int{1, 2, 64} {
			var long []longTerm
			var shorts []shortTerm
			points, expected := terms(t, r, n)
			want := edwards25519.NewIdentityPoint()
			for i := range points {
				k := randomScalar(r)
				switch r.Uint64() % 8 {
				case 0:
					k = edwards25519.NewScalar()
				case 1:
					k.Subtract(edwards25519.NewScalar(), edwards25519.NewScalar().Set(one25519(t)))
				}
				var words scalar
				words.setBytes(k.Bytes())
				short := [2]uint64{r.Uint64(), r.Uint64()}
				switch r.Uint64() % 8 {
				case 0:
					short = [2]uint64{^uint64(0), ^uint64(0)} // -1
				case 1:
					short = [2]uint64{0, 1 << 63} // the least
				case 2:
					short = [2]uint64{^uint64(0), 1<<63 - 1} // the greatest
				}
				long = append(long, longTerm{points[i], words})
				shorts = append(shorts, shortTerm{points[i], short})
				want.Add(want, multiply(t, expected[i], k.Bytes()))
				want.Add(want, multiplyShort(t, expected[i], short))
			}
			var kb scalar
			k := randomScalar(r)
			kb.setBytes(k.Bytes())
			s.set(long, shorts, (*[4]uint64)(&kb))
			want.Add(want, new(edwards25519.Point).ScalarBaseMult(k))
			total := s.run(workers, scratch)
			if got := total.toBytes(t); got != [32]byte(want.Bytes()) {
				t.Fatalf("n %d workers %d: got %x, want %x", n, workers, got, want.Bytes())
			}
			if total.isSmallOrder() {
				t.Errorf("n %d: a random sum has small order", n)
			}
		}
	}
}

func one25519(t testing.TB) *edwards25519.Scalar {
	t.Helper()
	s, err := edwards25519.NewScalar().SetCanonicalBytes(append([]byte{1}, make([]byte, 31)...))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// multiplyShort computes k·p for k in two's complement.
func multiplyShort(t testing.TB, p *edwards25519.Point, k [2]uint64) *edwards25519.Point {
	t.Helper()
	negative := k[1]>>63 == 1
	if negative {
		var carry uint64
		k[0], carry = bits.Add64(^k[0], 1, 0)
		k[1] = ^k[1] + carry
	}
	b := make([]byte, 32)
	for i := range 16 {
		b[i] = byte(k[i/8] >> (8 * (i % 8)))
	}
	q := multiply(t, p, b)
	if negative {
		q.Negate(q)
	}
	return q
}

// multiply computes k·p bit by bit: the points may have a component of small
// order, for which scalars must not be reduced.
func multiply(t testing.TB, p *edwards25519.Point, k []byte) *edwards25519.Point {
	t.Helper()
	q := edwards25519.NewIdentityPoint()
	for i := 255; i >= 0; i-- {
		q.Add(q, q)
		if k[i/8]>>(i%8)&1 == 1 {
			q.Add(q, p)
		}
	}
	return q
}

// TestTermForms sets terms from every representation of numbers around 0, p and
// 2p: the limbs are in form N and have the value, and the last five its negative.
func TestTermForms(t *testing.T) {
	bases := []*big.Int{new(big.Int), prime, new(big.Int).Lsh(prime, 1), new(big.Int).Lsh(big.NewInt(1), 255)}
	for _, b := range bases {
		for d := int64(-40); d <= 40; d++ {
			v := new(big.Int).Add(b, big.NewInt(d))
			if v.Sign() < 0 || v.BitLen() > 256 {
				continue
			}
			var p Point
			words := new(big.Int).Set(v)
			for i := range 4 {
				p[2][i] = new(big.Int).And(words, new(big.Int).SetUint64(^uint64(0))).Uint64()
				words.Rsh(words, 64)
			}
			p[0] = p[2]
			var got term
			got.setPoint(&p)
			e := new(element)
			for i, sign := range []int64{1, 0, 1, -1} {
				setLaneLimbs(e, 0, (*[5]uint64)(got[5*i:5*i+5]))
				checkForm(t, "term", e)
				want := new(big.Int).Mul(v, big.NewInt(sign))
				if x := value(e, 0); x.Sub(x, want).Mod(x, prime).Sign() != 0 {
					t.Errorf("%x: coordinate %d is %x", v, i, value(e, 0))
				}
			}
		}
	}
}

// TestSmallOrderTotal sums points of small order: isSmallOrder must hold for
// each, and not when the base point is added.
func TestSmallOrderTotal(t *testing.T) {
	needLanes(t)
	scratch := new(Scratch)
	var s Sum
	for i := range smallOrderY {
		for sign := range 2 {
			e := smallOrderY[i]
			e[31] |= byte(sign << 7)
			p, ok := new(Point), []bool{false}
			new(Workspace).Decode([]*Point{p}, ok, []*[32]byte{&e})
			if !ok[0] {
				t.Errorf("encoding %x not decoded", e)
			}
			s.set([]longTerm{{p, [4]uint64{5}}}, nil, nil)
			if total := s.run(1, scratch); !total.isSmallOrder() {
				t.Errorf("encoding %x: sum not of small order", e)
			}
			s.set(nil, []shortTerm{{p, [2]uint64{7}}}, &[4]uint64{8})
			if total := s.run(1, scratch); total.isSmallOrder() {
				t.Errorf("encoding %x: sum with the base point of small order", e)
			}
		}
	}
}

// TestDecodeMatchesEdwards decodes random strings, about half of them points.
func TestDecodeMatchesEdwards(t *testing.T) {
	needLanes(t)
	r := source(21)
	const n = 333
	points, ok, encodings := make([]*Point, n), make([]bool, n), make([]*[32]byte, n)
	for i := range points {
		points[i], encodings[i] = new(Point), new([32]byte)
		r.Read(encodings[i][:])
		if i%3 == 0 { // near p, both sides
			*encodings[i] = filled(byte(r.Uint64()))
			encodings[i][31] |= byte(r.Uint64() << 7)
		}
	}
	new(Workspace).Decode(points, ok, encodings)
	var s Sum
	scratch := new(Scratch)
	for i := range points {
		want, err := new(edwards25519.Point).SetBytes(encodings[i][:])
		if ok[i] != (err == nil) {
			t.Errorf("%x: ok %v, want %v", *encodings[i], ok[i], err == nil)
			continue
		}
		if err != nil {
			want = edwards25519.NewIdentityPoint()
		}
		if i%16 != 0 {
			continue
		}
		s.set([]longTerm{{points[i], [4]uint64{1}}}, nil, nil)
		if total := s.run(1, scratch); total.toBytes(t) != [32]byte(want.Bytes()) {
			t.Errorf("%x: another point", *encodings[i])
		}
	}
}

// BenchmarkSum sums n long and n short terms, the shape of a batch of n
// signatures, and reports the shortest of its runs.
func BenchmarkSum(b *testing.B) {
	needLanes(b)
	r := source(22)
	points, _ := terms(b, r, 64)
	scratch := new(Scratch)
	for _, n := range []int{16, 32, 64, 128, 256, 512, 1024, 4096} {
		for _, w := range []int{4, 5, 6, 7, 8} {
			b.Run(fmt.Sprintf("signatures=%d/window=%d", n, w), func(b *testing.B) {
				least := time.Duration(1 << 62)
				var s Sum
				for b.Loop() {
					s.Expect(n, n)
					s.setWindow(w)
					start := time.Now()
					for i := range n {
						k := [4]uint64{r.Uint64(), r.Uint64(), r.Uint64(), r.Uint64() >> 4}
						s.Set(i, points[i%64], &k)
						s.SetShort(i, points[(i+1)%64], &[2]uint64{k[0] - 0x8080808080808080, k[1] - 0x8080808080808080})
					}
					s.spans = 1
					s.partial = make([]partialSum, s.groups)
					for task := range s.groups {
						s.Do(task, scratch)
					}
					s.Finish()
					least = min(least, time.Since(start))
				}
				b.ReportMetric(float64(least.Nanoseconds())/float64(n), "min-ns/signature")
			})
		}
	}
}

func BenchmarkDecode(b *testing.B) {
	needLanes(b)
	r := source(23)
	points, want := terms(b, r, 64)
	encodings, ok := make([]*[32]byte, 64), make([]bool, 64)
	for i := range want {
		encodings[i] = (*[32]byte)(want[i].Bytes())
	}
	least := time.Duration(1 << 62)
	w := new(Workspace)
	for b.Loop() {
		start := time.Now()
		w.Decode(points, ok, encodings)
		least = min(least, time.Since(start))
	}
	b.ReportMetric(float64(least.Nanoseconds())/64, "min-ns/point")
}

// TestCofactoredVectors decides every vector by one equation with cofactor, the
// rule of ZIP 215.
func TestCofactoredVectors(t *testing.T) {
	needLanes(t)
	vectors, items := loadVectors(t)
	r := source(24)
	scratch := new(Scratch)
	var s Sum
	a, nonce, ok := new(Point), new(Point), make([]bool, 2)
	for i, v := range vectors {
		item := items[i]
		new(Workspace).Decode([]*Point{a, nonce}, ok, []*[32]byte{item.Key, (*[32]byte)(item.Signature[:32])})
		var sc, k scalar
		got := sc.setBytes(item.Signature[32:]) && ok[0] && ok[1]
		if got {
			h := sha512.New()
			h.Write(item.Signature[:32])
			h.Write(item.Key[:])
			h.Write(item.Message)
			k.setWide((*[64]byte)(h.Sum(nil)))
			z := [2]uint64{r.Uint64(), r.Uint64() >> 1}
			k.mulShort(&z, &k)
			sc.mulShort(&z, &sc)
			minus := order
			minus.subtract(&sc)
			s.set([]longTerm{{a, k}}, []shortTerm{{nonce, z}}, (*[4]uint64)(&minus))
			total := s.run(1, scratch)
			got = total.isSmallOrder()
		}
		if got != v.ZIP215 {
			t.Errorf("%s %s: got %v, want %v", v.Set, v.ID, got, v.ZIP215)
		}
	}
}
