package stat

import (
	"math"

	"github.com/aclements/go-moremath/stats"
)

// Density is a kernel density estimate on evenly spaced points.
type Density struct {
	X, Y []float64
}

// KDE estimates the density of xs at n points with a Gaussian kernel and
// Silverman's bandwidth, as criterion does, over the range of xs widened by
// three bandwidths on either side. A sample without spread gets a bandwidth of
// a thousandth of its value, so that it still draws as a spike. n is at least
// 2 and xs is not empty.
func KDE(xs []float64, n int) Density {
	s := stats.Sample{Xs: xs}
	h := 0.0
	if len(xs) > 1 {
		h = stats.BandwidthSilverman(s)
	}
	if !(h > 0) {
		h = math.Max(math.Abs(xs[0])/1000, math.SmallestNonzeroFloat32)
	}
	k := stats.KDE{Sample: s, Kernel: stats.GaussianKernel, Bandwidth: h}
	lo, hi := stats.Bounds(xs)
	lo, hi = lo-3*h, hi+3*h
	d := Density{X: make([]float64, n), Y: make([]float64, n)}
	for i := range n {
		x := lo + (hi-lo)*float64(i)/float64(n-1)
		d.X[i], d.Y[i] = x, k.PDF(x)
	}
	return d
}

// At returns the density at x by linear interpolation, 0 outside of the range.
func (d Density) At(x float64) float64 {
	n := len(d.X)
	if n < 2 || x < d.X[0] || x > d.X[n-1] {
		return 0
	}
	step := (d.X[n-1] - d.X[0]) / float64(n-1)
	i := min(int((x-d.X[0])/step), n-2)
	f := (x - d.X[i]) / step
	return d.Y[i] + f*(d.Y[i+1]-d.Y[i])
}
