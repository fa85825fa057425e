package edwards

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"

	oracle "filippo.io/edwards25519"
	"filippo.io/edwards25519/field"
)

// reference returns p as a point of the independent implementation.
func (p *extended) reference(t testing.TB) *oracle.Point {
	t.Helper()
	var c [4]field.Element
	for i, v := range []element{p.x, p.y, p.z, p.t} {
		v.reduce()
		var b [32]byte
		for j, word := range v {
			binary.LittleEndian.PutUint64(b[8*j:], word)
		}
		if _, err := c[i].SetBytes(b[:]); err != nil {
			t.Fatal(err)
		}
	}
	q, err := new(oracle.Point).SetExtendedCoordinates(&c[0], &c[1], &c[2], &c[3])
	if err != nil {
		t.Fatalf("not a point of the curve: %x", *p)
	}
	return q
}

func (p *Point) reference(t testing.TB) *oracle.Point {
	t.Helper()
	var e extended
	e.setAffine(p)
	return e.reference(t)
}

func (s *Scalar) reference(t testing.TB) *oracle.Scalar {
	t.Helper()
	var b [32]byte
	for i, word := range s {
		binary.LittleEndian.PutUint64(b[8*i:], word)
	}
	k, err := oracle.NewScalar().SetCanonicalBytes(b[:])
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// decoded returns the point of an encoding that has one.
func decoded(t testing.TB, encoding []byte) Point {
	t.Helper()
	var p Point
	if !Decode(&p, (*[32]byte)(encoding)) {
		t.Fatalf("%x is not a point", encoding)
	}
	return p
}

// torsionGenerator is a point of order 8.
var torsionGenerator = [32]byte{
	0x26, 0xe8, 0x95, 0x8f, 0xc2, 0xb2, 0x27, 0xb0, 0x45, 0xc3, 0xf4, 0x89, 0xf2, 0xef, 0x98, 0xf0,
	0xd5, 0xdf, 0xac, 0x05, 0xd3, 0xc6, 0x33, 0x39, 0xb1, 0x38, 0x02, 0x88, 0x6d, 0x53, 0xfc, 0x05,
}

// samplePoints returns n points: multiples of the generator with and without a component of small order, the eight
// points of small order, and points that occur twice or with their opposite.
func samplePoints(t testing.TB, r *rand.Rand, n int) []Point {
	t.Helper()
	torsion, err := new(oracle.Point).SetBytes(torsionGenerator[:])
	if err != nil {
		t.Fatal(err)
	}
	var points []Point
	small := oracle.NewIdentityPoint()
	for len(points) < n {
		k := randomScalar(r)
		q := new(oracle.Point).ScalarBaseMult(k.reference(t))
		switch r.IntN(8) {
		case 0:
			q.Add(q, small)
		case 1:
			q.Set(small)
		case 2:
			if len(points) > 0 {
				q = points[r.IntN(len(points))].reference(t)
			}
		case 3:
			if len(points) > 0 {
				q.Negate(points[r.IntN(len(points))].reference(t))
			}
		}
		small.Add(small, torsion)
		points = append(points, decoded(t, q.Bytes()))
	}
	return points
}

func TestBasepoint(t *testing.T) {
	if got := basepoint.reference(t); got.Equal(oracle.NewGeneratorPoint()) != 1 {
		t.Errorf("got %x", got.Bytes())
	}
}

// TestDecode compares with the independent implementation, which follows the same lenient rule, on random strings, on
// all encodings with a y close to 0, to p and to 2²⁵⁵, and in both places of a pair.
func TestDecode(t *testing.T) {
	eachBackend(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(13, 14))
		good := torsionGenerator
		check := func(encoding [32]byte) {
			t.Helper()
			want, err := new(oracle.Point).SetBytes(encoding[:])
			for _, second := range []bool{false, true} {
				var p, other Point
				ok, otherOK := DecodePair(&p, &other, &encoding, &good)
				if second {
					otherOK, ok = DecodePair(&other, &p, &good, &encoding)
				}
				if !otherOK {
					t.Fatalf("%x spoils its neighbour", encoding)
				}
				if ok != (err == nil) {
					t.Fatalf("%x: got %t, want %v", encoding, ok, err)
				}
				if !ok {
					if p != Identity {
						t.Fatalf("%x: a refused encoding leaves %x", encoding, p)
					}
					continue
				}
				if p.reference(t).Equal(want) != 1 {
					t.Fatalf("%x: got %x", encoding, p.reference(t).Bytes())
				}
			}
		}
		for sign := range byte(2) {
			for low := range 256 {
				small, high := [32]byte{0: byte(low), 31: sign << 7}, [32]byte{0: byte(low), 31: 0x7f | sign<<7}
				for i := 1; i < 31; i++ {
					high[i] = 0xff
				}
				check(small)
				check(high)
			}
		}
		for range 500 {
			var encoding [32]byte
			for i := range 4 {
				binary.LittleEndian.PutUint64(encoding[8*i:], r.Uint64())
			}
			check(encoding)
		}
	})
}

// TestGroupLaw compares every operation on pairs of points with the independent implementation.
func TestGroupLaw(t *testing.T) {
	eachBackend(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(15, 16))
		points := samplePoints(t, r, 60)
		for i := range points {
			for j := range points {
				p, q := &points[i], &points[j]
				want := p.reference(t)
				var e extended
				e.setAffine(p)
				check := func(name string, got *extended, want *oracle.Point) {
					t.Helper()
					if got.reference(t).Equal(want) != 1 {
						t.Fatalf("%s of points %d and %d: wrong", name, i, j)
					}
				}
				sum, difference := new(oracle.Point).Add(want, q.reference(t)), new(oracle.Point).Subtract(want, q.reference(t))
				f := e
				f.addAffine(q)
				check("addAffine", &f, sum)
				f = e
				f.subAffine(q)
				check("subAffine", &f, difference)
				var g, h extended
				g.setAffine(q)
				g.double() // so that Z is not a constant
				h.setAffine(q)
				h.double()
				h.subAffine(q)
				f = e
				f.add(&h)
				check("add", &f, sum)
				f = e
				var c cached
				c.set(&h)
				f.subCached(&c)
				check("subCached", &f, difference)
				f = e
				f.double()
				check("double", &f, new(oracle.Point).Add(want, want))
				if got, want := e.isSmallOrder(), new(oracle.Point).MultByCofactor(want).Equal(oracle.NewIdentityPoint()) == 1; got != want {
					t.Fatalf("isSmallOrder of point %d: got %t", i, got)
				}
			}
		}
	})
}

// terms collects the terms of a sum.
type terms struct {
	long, short  []Point
	longScalars  []Scalar
	shortScalars []Short
	base         []Scalar // at most one
}

func (l *terms) add(p *Point, k *Scalar) {
	l.long, l.longScalars = append(l.long, *p), append(l.longScalars, *k)
}

func (l *terms) addShort(p *Point, k *Short) {
	l.short, l.shortScalars = append(l.short, *p), append(l.shortScalars, *k)
}

// set makes s the sum of the terms.
func (l *terms) set(s *Sum) {
	s.Expect(len(l.long)+len(l.base), len(l.short))
	for i := range l.long {
		s.Set(i, &l.long[i], &l.longScalars[i])
	}
	for i := range l.short {
		s.SetShort(i, &l.short[i], &l.shortScalars[i])
	}
	for i := range l.base {
		s.SetBase(len(l.long), &l.base[i])
	}
}

// setOrdinary does it without lanes.
func (l *terms) setOrdinary(s *Sum) {
	*s = Sum{long: slices.Clone(l.long), longScalars: slices.Clone(l.longScalars)}
	s.short, s.shortScalars = make([]Point, len(l.short)), make([]shortScalar, len(l.short))
	for i := range l.short {
		s.SetShort(i, &l.short[i], &l.shortScalars[i])
	}
}

// times returns k·p. A point may have a component of small order, for which k must not be reduced modulo L.
func (k *Short) times(t *testing.T, p *Point) *oracle.Point {
	size := k.abs()
	q := new(oracle.Point).ScalarMult((&Scalar{size[0], size[1]}).reference(t), p.reference(t))
	if k.negative() {
		q.Negate(q)
	}
	return q
}

// value runs all tasks of the sum.
func value(s *Sum, workers int) Total {
	var scratch Scratch
	for task := range s.Plan(workers) {
		s.Do(task, &scratch)
	}
	return s.Finish()
}

// TestSum compares sums of every kind with the independent implementation: around each threshold, with all scalars
// long, all short, both.
func TestSum(t *testing.T) {
	eachBackend(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(17, 18))
		points := samplePoints(t, r, 1100)
		sizes := []int{0, 1, 2, 3, 31, 32, 33, 64, 65, 97}
		for n := 2; n < len(points); n++ {
			if windowFor(n) != windowFor(n-1) {
				sizes = append(sizes, n-1, n, n+1)
			}
		}
		var s Sum
		for _, n := range sizes {
			for _, long := range []int{0, n / 2, n} {
				var l terms
				want := oracle.NewIdentityPoint()
				for i := range n {
					p := &points[i]
					k := randomScalar(r)
					if i >= long {
						z := Short{edgeWords[r.IntN(len(edgeWords))], edgeWords[r.IntN(len(edgeWords))]}
						l.addShort(p, &z)
						want.Add(want, z.times(t, p))
						continue
					}
					l.add(p, &k)
					want.Add(want, new(oracle.Point).ScalarMult(k.reference(t), p.reference(t)))
				}
				k := randomScalar(r)
				l.base = append(l.base, k)
				l.set(&s)
				want.Add(want, new(oracle.Point).ScalarBaseMult(k.reference(t)))
				got := value(&s, 1+r.IntN(3))
				if got.p.reference(t).Equal(want) != 1 {
					t.Fatalf("%d terms, %d of them long: wrong sum", n, long)
				}
			}
		}
	})
}

// TestSumWindows checks every window on one small sum, those for large sums included.
func TestSumWindows(t *testing.T) {
	r := rand.New(rand.NewPCG(19, 20))
	points := samplePoints(t, r, 40)
	want := oracle.NewIdentityPoint()
	var l terms
	for i := range points {
		k := randomScalar(r)
		if i%2 == 0 {
			z := Short{k[0], k[1]}
			l.addShort(&points[i], &z)
			want.Add(want, z.times(t, &points[i]))
			continue
		}
		l.add(&points[i], &k)
		want.Add(want, new(oracle.Point).ScalarMult(k.reference(t), points[i].reference(t)))
	}
	for w := uint(2); w <= maxWindow; w++ {
		var s Sum
		l.setOrdinary(&s)
		s.window = w
		s.partial = make([]extended, s.planColumns())
		var scratch Scratch
		for task := range s.partial {
			s.Do(task, &scratch)
		}
		if got := s.Finish(); got.p.reference(t).Equal(want) != 1 {
			t.Errorf("window %d: wrong sum", w)
		}
	}
}
