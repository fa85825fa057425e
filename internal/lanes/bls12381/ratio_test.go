//go:build cgo && linux && amd64 && !purego && !nolanes

package bls12381

import (
	"encoding/binary"
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/consensys/gnark-crypto/ecc/bls12-381/fp"
	blst "github.com/supranational/blst/bindings/go"
	"golang.org/x/sys/unix"
)

// ratio runs two ways of the same work in turn, at least eleven times, and reports
// the medians of both, for one of n items, and their quotient. It counts the processor time
// of its thread, so that other work on the machine disturbs it less.
func ratio(b *testing.B, n int, ordinary, lane func()) {
	b.Helper()
	blst.SetMaxProcs(1)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var times [2][]time.Duration
	round := func() {
		for i, f := range []func(){ordinary, lane} {
			start := threadTime(b)
			f()
			times[i] = append(times[i], threadTime(b)-start)
		}
	}
	for b.Loop() {
		round()
	}
	for len(times[0]) < 11 {
		round()
	}
	var median [2]float64
	for i := range times {
		slices.Sort(times[i])
		median[i] = float64(times[i][len(times[i])/2]) / float64(n)
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(median[0], "ordinary-ns")
	b.ReportMetric(median[1], "lanes-ns")
	b.ReportMetric(median[0]/median[1], "ratio")
}

func threadTime(b *testing.B) time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		b.Fatal(err)
	}
	return time.Duration(t.Nano())
}

func BenchmarkRatioFpMul(b *testing.B) {
	requireLanes(b)
	const n = 1000
	var x, y [Lanes]fp.Element
	var u, v Fp
	for l := range Lanes {
		if _, err := x[l].SetRandom(); err != nil {
			b.Fatal(err)
		}
		y[l] = x[l]
		w := fp6(x[l])
		u.setLane(l, &w)
	}
	v = u
	ratio(b, n*Lanes, func() {
		for range n {
			for l := range Lanes {
				x[l].Mul(&x[l], &y[l])
			}
		}
	}, func() {
		for range n {
			mulAsm(&u, &u, &v)
		}
	})
}

func BenchmarkRatioG1Decode(b *testing.B) {
	requireLanes(b)
	const n = 64
	src := make([]byte, 0, 48*n)
	for range n {
		p := g1Point(b)
		e := p.Bytes()
		src = append(src, e[:]...)
	}
	points, done := make([][12]uint64, n), make([]bool, n)
	d := NewDecoder()
	ratio(b, n, func() {
		for i := range n {
			var p blst.P1Affine
			if p.Uncompress(src[48*i:48*i+48]) == nil || !p.InG1() {
				b.Fatal("refused")
			}
		}
	}, func() { d.G1(points, done, src) })
}

func BenchmarkRatioG2Decode(b *testing.B) {
	requireLanes(b)
	const n = 64
	src := make([]byte, 0, 96*n)
	for range n {
		p := g2Point(b)
		e := p.Bytes()
		src = append(src, e[:]...)
	}
	points, done := make([][24]uint64, n), make([]bool, n)
	d := NewDecoder()
	ratio(b, n, func() {
		for i := range n {
			var p blst.P2Affine
			if p.Uncompress(src[96*i:96*i+96]) == nil || !p.InG2() {
				b.Fatal("refused")
			}
		}
	}, func() { d.G2(points, done, src) })
}

func BenchmarkRatioG1Sum(b *testing.B) {
	requireLanes(b)
	for _, n := range []int{2, 8, 60, 300, 1000, 5000, 50_000} {
		affine := distinctG1(b, n)
		words, points := make([][12]uint64, n), make(blst.P1Affines, n)
		for i := range affine {
			words[i] = g1Words(&affine[i])
			e := affine[i].Bytes()
			points[i].Uncompress(e[:])
		}
		k, m := randomScalars(b, n), NewMultiplier()
		scalars := littleEndian(k)
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			ratio(b, n, func() { points.Mult(scalars, 128) }, func() { m.G1(words, k) })
		})
	}
}

func BenchmarkRatioG2Sum(b *testing.B) {
	requireLanes(b)
	for _, n := range []int{2, 8, 60, 300} {
		affine := distinctG2(b, n)
		words, points := make([][24]uint64, n), make(blst.P2Affines, n)
		for i := range affine {
			words[i] = g2Words(&affine[i])
			e := affine[i].Bytes()
			points[i].Uncompress(e[:])
		}
		k, m := randomScalars(b, n), NewMultiplier()
		scalars := littleEndian(k)
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			ratio(b, n, func() { points.Mult(scalars, 128) }, func() { m.G2(words, k) })
		})
	}
}

// BenchmarkRatioG2Sums is 64 sums of n points.
func BenchmarkRatioG2Sums(b *testing.B) {
	requireLanes(b)
	const sums = 64
	for _, n := range []int{1, 2, 3, 8, 20} {
		affine := distinctG2(b, sums*n)
		words, points := make([][24]uint64, sums*n), make(blst.P2Affines, sums*n)
		for i := range affine {
			words[i] = g2Words(&affine[i])
			e := affine[i].Bytes()
			points[i].Uncompress(e[:])
		}
		k, m := randomScalars(b, sums*n), NewMultiplier()
		scalars := littleEndian(k)
		dst, counts := make([][36]uint64, sums), slices.Repeat([]int{n}, sums)
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			ratio(b, sums*n, func() {
				for j := range sums {
					points[j*n:j*n+n].Mult(scalars[16*j*n:16*(j*n+n)], 128)
				}
			}, func() { m.G2Sums(dst, counts, words, k) })
		})
	}
}

func littleEndian(k [][2]uint64) []byte {
	var b []byte
	for _, s := range k {
		b = binary.LittleEndian.AppendUint64(b, s[0])
		b = binary.LittleEndian.AppendUint64(b, s[1])
	}
	return b
}

func BenchmarkRatioG1Each(b *testing.B) {
	requireLanes(b)
	const n = 64
	affine, k, m := distinctG1(b, n), randomScalars(b, n), NewMultiplier()
	words, points, dst := make([][12]uint64, n), make(blst.P1Affines, n), make([][18]uint64, n)
	for i := range affine {
		words[i] = g1Words(&affine[i])
		e := affine[i].Bytes()
		points[i].Uncompress(e[:])
	}
	scalars := littleEndian(k)
	ratio(b, n, func() {
		for i := range points {
			var p blst.P1
			p.FromAffine(&points[i])
			p.MultAssign(scalars[16*i:16*i+16], 128)
		}
	}, func() { m.G1Each(dst, words, k) })
}

func BenchmarkRatioG2Each(b *testing.B) {
	requireLanes(b)
	const n = 64
	affine, k, m := distinctG2(b, n), randomScalars(b, n), NewMultiplier()
	words, points, dst := make([][24]uint64, n), make(blst.P2Affines, n), make([][36]uint64, n)
	for i := range affine {
		words[i] = g2Words(&affine[i])
		e := affine[i].Bytes()
		points[i].Uncompress(e[:])
	}
	scalars := littleEndian(k)
	ratio(b, n, func() {
		for i := range points {
			var p blst.P2
			p.FromAffine(&points[i])
			p.MultAssign(scalars[16*i:16*i+16], 128)
		}
	}, func() { m.G2Each(dst, words, k) })
}

func BenchmarkRatioMiller(b *testing.B) {
	requireLanes(b)
	for _, n := range []int{8, 64, 256} {
		g1, g2 := distinctG1(b, n), distinctG2(b, n)
		p, q := make([]blst.P1Affine, n), make([]blst.P2Affine, n)
		for i := range n {
			e1, e2 := g1[i].Bytes(), g2[i].Bytes()
			p[i].Uncompress(e1[:])
			q[i].Uncompress(e2[:])
		}
		w1, w2 := pairWords(g1, g2)
		m := NewMiller()
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			ratio(b, n, func() { blst.Fp12MillerLoopN(q, p) }, func() { m.Product(w1, w2) })
		})
	}
}

func BenchmarkRatioHashG1(b *testing.B) {
	requireLanes(b)
	const n = 64
	messages := make([][]byte, n)
	for i := range messages {
		messages[i] = make([]byte, 96)
		messages[i][0] = byte(i)
	}
	points, done, h := make([][12]uint64, n), make([]bool, n), NewHasher()
	ratio(b, n, func() {
		for _, m := range messages {
			blst.HashToG1(m, nil).ToAffine()
		}
	}, func() { h.G1(points, done, messages, nil) })
}

func BenchmarkRatioNormalizeG2(b *testing.B) {
	requireLanes(b)
	const n = 64
	src, dst, z := make([][36]uint64, n), make([][24]uint64, n), NewNormalizer()
	points := make([]*blst.P2, n)
	for i, p := range distinctG2(b, n) {
		e := p.Bytes()
		points[i] = new(blst.P2)
		points[i].FromAffine(new(blst.P2Affine).Uncompress(e[:]))
		points[i].AddAssign(points[i])
		words := g2Words(&p)
		copy(src[i][:], words[:])
		copy(src[i][24:], montOneWords[:])
	}
	ratio(b, n, func() { blst.P2sToAffine(points) }, func() { z.G2(dst, src) })
}
