package edwards

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"
)

func BenchmarkMul(b *testing.B) {
	x, y := d, d2
	for b.Loop() {
		mul(&x, &d, &y)
	}
}

func BenchmarkSquareN2(b *testing.B) {
	x := [2]element{d, d2}
	for b.Loop() {
		squareN2(&x, &x, 100)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/200, "ns/square")
}

func BenchmarkAddAffine(b *testing.B) {
	p := identity
	for b.Loop() {
		p.addAffine(&basepoint)
	}
}

func BenchmarkDouble(b *testing.B) {
	p := identity
	p.addAffine(&basepoint)
	for b.Loop() {
		p.double()
	}
}

func BenchmarkDecodePair(b *testing.B) {
	y := [32]byte{0: 0x58}
	for i := 1; i < len(y); i++ {
		y[i] = 0x66
	}
	var p, q Point
	for b.Loop() {
		DecodePair(&p, &q, &y, &y)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/2, "ns/point")
}

// BenchmarkSum sums n long and n short terms, the shape of a batch of n signatures, with each window.
func BenchmarkSum(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	points := samplePoints(b, r, 100)
	for _, n := range []int{8, 16, 32, 64, 96, 128, 192, 256, 512, 1024, 2048, 4096, 8192} {
		for _, w := range []uint{0, 5, 6, 7, 8, 9, 10} {
			if w == 0 && n > 256 || w > 0 && (n < 1<<w/16 || n > 1<<w*32) {
				continue
			}
			b.Run(fmt.Sprintf("signatures=%d/window=%d", n, w), func(b *testing.B) {
				var s Sum
				var scratch Scratch
				var wide [64]byte
				for b.Loop() {
					var l terms
					for i := range n {
						for j := range 4 {
							binary.LittleEndian.PutUint64(wide[8*j:], r.Uint64())
						}
						var k Scalar
						k.SetWide(&wide)
						l.add(&points[i%len(points)], &k)
						l.addShort(&points[(i+1)%len(points)], &Short{k[0], k[1]})
					}
					l.setOrdinary(&s)
					s.window, s.span = w, 2*n
					tasks := 1
					if w > 0 {
						tasks = s.planColumns()
					}
					s.partial = make([]extended, tasks)
					for task := range tasks {
						s.Do(task, &scratch)
					}
					s.Finish()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/signature")
			})
		}
	}
}
