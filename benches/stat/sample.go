package stat

import (
	"errors"
	"math"
	"slices"

	"github.com/aclements/go-moremath/stats"
)

// ErrSampleSize is returned when there are too few measurements for an
// estimate.
var ErrSampleSize = errors.New("stat: too few measurements")

// madScale makes the median absolute deviation of a normal distribution equal
// to its standard deviation: 1/Φ⁻¹(3/4). Criterion uses the same factor.
const madScale = 1.4826

// Mean returns the arithmetic mean of xs, NaN when xs is empty.
func Mean(xs []float64) float64 { return stats.Mean(xs) }

// StdDev returns the standard deviation of xs with Bessel's correction. It is 0
// for fewer than two values.
func StdDev(xs []float64) float64 {
	if len(xs) < 2 {
		return 0
	}
	return stats.StdDev(xs)
}

// Median returns the middle value of xs, the mean of the two middle ones when
// their number is even, NaN when xs is empty.
func Median(xs []float64) float64 {
	return medianSorted(sorted(xs))
}

// MAD returns the median absolute deviation of xs from its median, scaled to
// estimate the standard deviation of a normal distribution.
func MAD(xs []float64) float64 {
	m := Median(xs)
	dev := make([]float64, len(xs))
	for i, x := range xs {
		dev[i] = math.Abs(x - m)
	}
	return madScale * Median(dev)
}

// Quantile returns the q-quantile of ascending xs by linear interpolation
// between closest ranks (type 7, which criterion uses too). It is NaN when xs
// is empty.
func Quantile(xs []float64, q float64) float64 {
	if len(xs) == 0 {
		return math.NaN()
	}
	rank := q * float64(len(xs)-1)
	lo := int(math.Floor(rank))
	if lo < 0 {
		return xs[0]
	}
	if lo >= len(xs)-1 {
		return xs[len(xs)-1]
	}
	frac := rank - float64(lo)
	return xs[lo] + frac*(xs[lo+1]-xs[lo])
}

func sorted(xs []float64) []float64 {
	ys := slices.Clone(xs)
	slices.Sort(ys)
	return ys
}

func medianSorted(xs []float64) float64 {
	n := len(xs)
	if n == 0 {
		return math.NaN()
	}
	if n%2 == 1 {
		return xs[n/2]
	}
	return (xs[n/2-1] + xs[n/2]) / 2
}
