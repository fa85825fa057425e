//go:build amd64 && !purego && !nolanes

package curve25519

import (
	"testing"
	"time"
)

// BenchmarkMinimum reports the shortest of many short runs of each part, in
// ns for eight lanes: on a shared machine the minimum is what repeats.
func BenchmarkMinimum(b *testing.B) {
	needLanes(b)
	w := new(Workspace)
	items := signed(b, 64, 128)
	ok := make([]bool, len(items))
	w.VerifyStrict(ok, items)
	w.equation(w.results[:2], items[:16], true)
	t := base()
	f := new([3]element)
	h := new([3]pair)
	parts := []struct {
		name string
		n    int
		f    func()
	}{
		{"mul", 20, func() {
			for range 20 {
				feMul(&f[0], &f[1], &f[2])
			}
		}},
		{"square", 250, func() { feSquareN(&f[0], &f[1], 250) }},
		{"square2", 500, func() { feSquareN2(&h[0], &h[1], 250) }},
		{"double", 20, func() { double(w.acc[:1], 20) }},
		{"double2", 40, func() { double(w.acc[:], 20) }},
		{"add", 20, func() {
			for i := range 20 {
				add(w.acc[:1], &w.tables[0], &w.key[i], true)
			}
		}},
		{"add2", 40, func() {
			for i := range 20 {
				add(w.acc[:], &w.tables[0], &w.key[i], true)
			}
		}},
		{"addbase", 20, func() {
			for i := range 20 {
				addBase(w.acc[:1], t, &w.base[i])
			}
		}},
		{"addbase2", 40, func() {
			for i := range 20 {
				addBase(w.acc[:], t, &w.base[i])
			}
		}},
		{"decompress2", 2, func() { decompress(w.aux[:], w.keys[:], 8) }},
		{"fill2", 2, func() { fill(w.tables[:], w.aux[:], w.acc[:]) }},
		{"load", 1, func() { w.load(0, items[:8], true) }},
		{"normalize", 8, func() { normalize(w.results[:], w.prefix[:]) }},
		{"multiply", 1, func() { w.multiply(w.results[:1]) }},
		{"multiply2", 2, func() { w.multiply(w.results[:2]) }},
		{"strict8", 1, func() { w.VerifyStrict(ok[:8], items[:8]) }},
		{"strict64", 8, func() { w.VerifyStrict(ok, items) }},
	}
	for _, p := range parts {
		b.Run(p.name, func(b *testing.B) {
			least := time.Duration(1 << 62)
			for b.Loop() {
				start := time.Now()
				p.f()
				least = min(least, time.Since(start))
			}
			b.ReportMetric(float64(least.Nanoseconds())/float64(p.n), "min-ns")
		})
	}
}
