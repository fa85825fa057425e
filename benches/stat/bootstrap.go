package stat

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/aclements/go-moremath/stats"
)

// Interval is an estimate with the bounds of its confidence interval.
type Interval struct {
	Lower float64 `json:"lower_bound"`
	Point float64 `json:"point_estimate"`
	Upper float64 `json:"upper_bound"`
	// StdErr is the standard deviation of the bootstrap distribution.
	StdErr float64 `json:"standard_error"`
}

// Scale returns the interval with every figure multiplied by k > 0.
func (i Interval) Scale(k float64) Interval {
	return Interval{i.Lower * k, i.Point * k, i.Upper * k, i.StdErr * k}
}

// Resampling says how to bootstrap.
type Resampling struct {
	Resamples  int     // number of resamples, at least 1
	Confidence float64 // confidence level, such as 0.95
	Seed       uint64  // seed of the generator: equal seeds give equal results
}

func (r Resampling) rand() *rand.Rand { return rand.New(rand.NewPCG(r.Seed, 0x5bd1e995)) }

// tails returns the two probabilities at which to cut a bootstrap distribution
// of n measurements. The plain percentile interval is too narrow for small n,
// because resampling underestimates the variance by (n-1)/n and uses a normal
// where Student's t is right. The "expanded percentile" interval undoes both
// (Hesterberg, What Teachers Should Know About the Bootstrap, 2015, section
// 5.3); from 100 measurements on it hardly differs.
func (r Resampling) tails(n int) (lo, hi float64) {
	alpha := (1 - r.Confidence) / 2
	if n < 2 {
		return alpha, 1 - alpha
	}
	t := stats.InvCDF(stats.TDist{V: float64(n - 1)})(1 - alpha)
	lo = stats.StdNormal.CDF(-math.Sqrt(float64(n)/float64(n-1)) * t)
	return lo, 1 - lo
}

// interval cuts dist, which it sorts, around the estimate of n measurements.
func (r Resampling) interval(point float64, dist []float64, n int) Interval {
	se := StdDev(dist)
	slices.Sort(dist)
	lo, hi := r.tails(n)
	return Interval{Lower: Quantile(dist, lo), Point: point, Upper: Quantile(dist, hi), StdErr: se}
}

// accelerated cuts dist, which it sorts, with bias correction and acceleration
// (BCa; Efron, 1987). Standard deviations need it: their resamples lie too low,
// and the plain interval of 100 normal measurements covers 93 %, of 30 only
// 90 %. jackknife holds the estimates with each measurement left out.
func (r Resampling) accelerated(point float64, dist, jackknife []float64, n int) Interval {
	in := r.interval(point, dist, n)
	below, _ := slices.BinarySearch(dist, point)
	if below == 0 || below == len(dist) {
		return in
	}
	phi, inv := stats.StdNormal.CDF, stats.InvCDF(stats.StdNormal)
	z0 := inv(float64(below) / float64(len(dist)))
	mean := Mean(jackknife)
	var sq, cube float64
	for _, j := range jackknife {
		d := mean - j
		sq += d * d
		cube += d * d * d
	}
	if sq == 0 {
		return in
	}
	a := cube / (6 * math.Pow(sq, 1.5))
	cut := func(p float64) float64 {
		z := z0 + inv(p)
		return Quantile(dist, phi(z0+z/(1-a*z)))
	}
	lo, hi := r.tails(n)
	in.Lower, in.Upper = cut(lo), cut(hi)
	return in
}

// jackknifeStdDev returns the standard deviations of xs with each value left
// out in turn.
func jackknifeStdDev(xs []float64) []float64 {
	n := float64(len(xs))
	mean := Mean(xs)
	var sq float64
	for _, x := range xs {
		sq += (x - mean) * (x - mean)
	}
	out := make([]float64, len(xs))
	for i, x := range xs {
		d := x - mean
		out[i] = math.Sqrt(math.Max(0, sq-d*d*n/(n-1)) / math.Max(1, n-2))
	}
	return out
}

// Univariate holds the estimates of one sample and their bootstrap
// distributions, each sorted.
type Univariate struct {
	Mean, Median, StdDev, MAD                 Interval
	MeanDist, MedianDist, StdDevDist, MADDist []float64
}

// Bootstrap estimates mean, median, standard deviation and median absolute
// deviation of xs. It returns ErrSampleSize for fewer than two measurements.
//
// A resample is drawn as multiplicities over the sorted measurements, so that
// no resample is sorted: 100 000 resamples of 100 measurements take about 0.1 s.
func Bootstrap(xs []float64, r Resampling) (*Univariate, error) {
	n := len(xs)
	if n < 2 {
		return nil, ErrSampleSize
	}
	ys := sorted(xs)
	u := &Univariate{
		MeanDist:   make([]float64, r.Resamples),
		MedianDist: make([]float64, r.Resamples),
		StdDevDist: make([]float64, r.Resamples),
		MADDist:    make([]float64, r.Resamples),
	}
	rng := r.rand()
	count := make([]int, n)
	// Subtracting the mean keeps the sum of squares from cancelling.
	centre := Mean(ys)
	for k := range r.Resamples {
		clear(count)
		for range n {
			count[rng.IntN(n)]++
		}
		var sum, sq float64
		for i, c := range count {
			d := ys[i] - centre
			sum += float64(c) * d
			sq += float64(c) * d * d
		}
		u.MeanDist[k] = centre + sum/float64(n)
		u.StdDevDist[k] = math.Sqrt(math.Max(0, sq-sum*sum/float64(n)) / float64(n-1))
		median, at := countedMedian(ys, count, n)
		u.MedianDist[k] = median
		u.MADDist[k] = madScale * countedMAD(ys, count, n, median, at)
	}
	u.Mean = r.interval(Mean(xs), u.MeanDist, n)
	u.Median = r.interval(medianSorted(ys), u.MedianDist, n)
	u.StdDev = r.accelerated(StdDev(xs), u.StdDevDist, jackknifeStdDev(xs), n)
	u.MAD = r.interval(MAD(xs), u.MADDist, n)
	return u, nil
}

// countedMedian returns the median of a multiset of n values given as
// multiplicities of ascending ys, and the position of its lower middle value.
func countedMedian(ys []float64, count []int, n int) (median float64, at int) {
	seen, lower := 0, (n-1)/2
	for i, c := range count {
		seen += c
		if seen <= lower {
			continue
		}
		if n%2 == 1 || seen > lower+1 {
			return ys[i], i
		}
		j := i + 1
		for count[j] == 0 {
			j++
		}
		return (ys[i] + ys[j]) / 2, i
	}
	panic("stat: multiplicities do not add up")
}

// countedMAD returns the median of the distances from the median, walking
// outwards from it in both directions at once.
func countedMAD(ys []float64, count []int, n int, median float64, at int) float64 {
	lo, hi := at, at+1
	seen, lower := 0, (n-1)/2
	first := math.NaN()
	for {
		var d float64
		var c int
		if hi >= len(ys) || (lo >= 0 && median-ys[lo] <= ys[hi]-median) {
			d, c = median-ys[lo], count[lo]
			lo--
		} else {
			d, c = ys[hi]-median, count[hi]
			hi++
		}
		if c == 0 {
			continue
		}
		if !math.IsNaN(first) {
			return (first + d) / 2
		}
		seen += c
		if seen <= lower {
			continue
		}
		if n%2 == 1 || seen > lower+1 {
			return d
		}
		first = d
	}
}

// BootstrapSlope estimates the slope through the origin of the points (xs, ys)
// by resampling points; the distribution is sorted. It returns ErrSampleSize
// for fewer than two points.
func BootstrapSlope(xs, ys []float64, r Resampling) (slope Interval, dist []float64, err error) {
	n := len(xs)
	if n < 2 {
		return Interval{}, nil, ErrSampleSize
	}
	xy, xx := make([]float64, n), make([]float64, n)
	for i, x := range xs {
		xy[i], xx[i] = x*ys[i], x*x
	}
	rng := r.rand()
	dist = make([]float64, r.Resamples)
	for k := range dist {
		var num, den float64
		for range n {
			i := rng.IntN(n)
			num += xy[i]
			den += xx[i]
		}
		dist[k] = num / den
	}
	return r.interval(Slope(xs, ys), dist, n), dist, nil
}
