//go:build amd64 && !purego && !nolanes

package curve25519

import (
	"math/big"
	"testing"
	"time"
)

// TestSingleVectors decides every vector alone.
func TestSingleVectors(t *testing.T) {
	needLanes(t)
	vectors, items := loadVectors(t)
	for i, v := range vectors {
		if got := VerifyOne(&items[i], true); got != v.Strict {
			t.Errorf("strict: %s %s: got %v, want %v", v.Set, v.ID, got, v.Strict)
		}
		if got := VerifyOne(&items[i], false); got != v.StdLib {
			t.Errorf("stdlib: %s %s: got %v, want %v", v.Set, v.ID, got, v.StdLib)
		}
		if got := VerifyOneCofactored(&items[i]); got != v.ZIP215 {
			t.Errorf("zip215: %s %s: got %v, want %v", v.Set, v.ID, got, v.ZIP215)
		}
	}
}

func TestNonAdjacent(t *testing.T) {
	r := source(30)
	for range 5000 {
		var b [64]byte
		r.Read(b[:])
		var s scalar
		s.setWide(&b)
		if r.Uint64()%8 == 0 {
			s = order
			s[0] -= 1 + r.Uint64()%64
		}
		var digits [256]int8
		s.nonAdjacent(&digits)
		sum, last := new(big.Int), -nafWidth
		for i, d := range digits {
			if d == 0 {
				continue
			}
			if d%2 == 0 || d > 15 || d < -15 || i-last < nafWidth {
				t.Fatalf("digit %d at %d after %d", d, i, last)
			}
			last = i
			sum.Add(sum, new(big.Int).Lsh(big.NewInt(int64(d)), uint(i)))
		}
		if sum.Cmp(s.big()) != 0 {
			t.Fatalf("digits of %x: %x", s.big(), sum)
		}
	}
}

func BenchmarkSingle(b *testing.B) {
	needLanes(b)
	items := signed(b, 1, 128)
	var p quad
	for i := range p {
		p[i] = [4]uint64{0, one[i], one[i], 0}
	}
	parts := map[string]func(){
		"verify":    func() { VerifyOne(&items[0], true) },
		"double100": func() { quadDouble(&p, 100) },
		"add":       func() { quadAdd(&p, &quadBase()[200]) },
	}
	for name, f := range parts {
		b.Run(name, func(b *testing.B) {
			least := time.Duration(1 << 62)
			for b.Loop() {
				start := time.Now()
				f()
				least = min(least, time.Since(start))
			}
			b.ReportMetric(float64(least.Nanoseconds()), "min-ns")
		})
	}
}
