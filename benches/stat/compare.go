package stat

import (
	"errors"
	"math"
	"slices"

	"github.com/aclements/go-moremath/stats"
)

// Comparison is the outcome of comparing candidate measurements with a base.
// Changes are relative: 0.1 is 10 % more.
type Comparison struct {
	Mean   Interval `json:"mean"`
	Median Interval `json:"median"`
	// T is the statistic of the main test and P its p-value: a bootstrapped
	// Welch t test, or Wilcoxon's signed ranks when measurements are paired.
	T float64 `json:"t"`
	P float64 `json:"p"`
	// MannWhitney is a second opinion that assumes no distribution; 1 when
	// all measurements are equal.
	MannWhitney float64 `json:"mann_whitney_p"`
	Paired      bool    `json:"paired"`

	MeanDist   []float64 `json:"-"` // sorted bootstrap distributions
	MedianDist []float64 `json:"-"`
	TDist      []float64 `json:"-"` // t under the hypothesis of no change; nil when paired
}

// Compare compares two independent samples as criterion does: relative changes
// of mean and median from resampling both, and a p-value from t statistics
// of resamples of the pooled measurements. It returns ErrSampleSize for fewer
// than two measurements on either side.
func Compare(base, candidate []float64, r Resampling) (*Comparison, error) {
	if len(base) < 2 || len(candidate) < 2 {
		return nil, ErrSampleSize
	}
	c := &Comparison{
		T:           welch(candidate, base),
		MannWhitney: mannWhitney(base, candidate),
		MeanDist:    make([]float64, r.Resamples),
		MedianDist:  make([]float64, r.Resamples),
		TDist:       make([]float64, r.Resamples),
	}
	rng := r.rand()
	b, m := newResampler(base), newResampler(candidate)
	for k := range r.Resamples {
		bMean, bMedian := b.draw(rng.IntN)
		mMean, mMedian := m.draw(rng.IntN)
		c.MeanDist[k] = mMean/bMean - 1
		c.MedianDist[k] = mMedian/bMedian - 1
	}
	pool := slices.Concat(base, candidate)
	x, y := make([]float64, len(candidate)), make([]float64, len(base))
	extreme := 0
	for k := range c.TDist {
		for i := range x {
			x[i] = pool[rng.IntN(len(pool))]
		}
		for i := range y {
			y[i] = pool[rng.IntN(len(pool))]
		}
		c.TDist[k] = welch(x, y)
		if math.Abs(c.TDist[k]) >= math.Abs(c.T) {
			extreme++
		}
	}
	// Counting the observed statistic keeps p above zero, so that Holm's
	// factors bite (Davison and Hinkley, 1997, section 4.2.3).
	c.P = float64(extreme+1) / float64(r.Resamples+1)
	n := min(len(base), len(candidate))
	c.Mean = r.interval(Mean(candidate)/Mean(base)-1, c.MeanDist, n)
	c.Median = r.interval(Median(candidate)/Median(base)-1, c.MedianDist, n)
	slices.Sort(c.TDist)
	return c, nil
}

// ComparePaired compares measurements taken in turn, base[i] next to
// candidate[i], through the logarithms of their ratios, so that drift and
// noise common to a pair cancel. Mean is the change of the geometric mean.
// The p-value is Wilcoxon's signed-rank test. It returns ErrSampleSize for
// fewer than two pairs, and needs positive measurements.
func ComparePaired(base, candidate []float64, r Resampling) (*Comparison, error) {
	n := len(base)
	if n < 2 || len(candidate) != n {
		return nil, ErrSampleSize
	}
	logs := make([]float64, n)
	for i := range logs {
		logs[i] = math.Log(candidate[i] / base[i])
	}
	u, err := Bootstrap(logs, r)
	if err != nil {
		return nil, err
	}
	c := &Comparison{
		Mean:        expm1(u.Mean),
		Median:      expm1(u.Median),
		MannWhitney: mannWhitney(base, candidate),
		Paired:      true,
		MeanDist:    u.MeanDist,
		MedianDist:  u.MedianDist,
	}
	for _, d := range [][]float64{c.MeanDist, c.MedianDist} {
		for i, x := range d {
			d[i] = math.Expm1(x)
		}
	}
	c.T, c.P = SignedRank(logs)
	return c, nil
}

func expm1(i Interval) Interval {
	return Interval{math.Expm1(i.Lower), math.Expm1(i.Point), math.Expm1(i.Upper), i.StdErr}
}

// welch returns Welch's t statistic of two samples, 0 when both are constant
// and equal.
func welch(x, y []float64) float64 {
	mx, my := Mean(x), Mean(y)
	sx, sy := StdDev(x), StdDev(y)
	d := mx - my
	if d == 0 {
		return 0
	}
	return d / math.Sqrt(sx*sx/float64(len(x))+sy*sy/float64(len(y)))
}

func mannWhitney(x, y []float64) float64 {
	res, err := stats.MannWhitneyUTest(x, y, stats.LocationDiffers)
	if errors.Is(err, stats.ErrSamplesEqual) {
		return 1
	}
	if err != nil {
		return math.NaN()
	}
	return math.Min(1, res.P)
}

// resampler draws mean and median of resamples without sorting them.
type resampler struct {
	ys    []float64
	count []int
}

func newResampler(xs []float64) *resampler {
	return &resampler{ys: sorted(xs), count: make([]int, len(xs))}
}

func (r *resampler) draw(intN func(int) int) (mean, median float64) {
	n := len(r.ys)
	clear(r.count)
	for range n {
		r.count[intN(n)]++
	}
	for i, c := range r.count {
		mean += float64(c) * r.ys[i]
	}
	median, _ = countedMedian(r.ys, r.count, n)
	return mean / float64(n), median
}

// signedRankExact is the largest number of pairs for which the distribution of
// the rank sum is counted exactly: its table has n(n+1)/2+1 entries, all of
// which are sums of at most 2^n, exact in a float64.
const signedRankExact = 40

// SignedRank is Wilcoxon's signed-rank test of whether ds is symmetric about
// zero. It returns the normalised statistic and the two-sided p-value, exact
// for up to 40 differences without ties, else by the normal approximation with
// corrections for ties and continuity. Zeros are dropped.
func SignedRank(ds []float64) (z, p float64) {
	type ranked struct {
		abs      float64
		positive bool
	}
	rs := make([]ranked, 0, len(ds))
	for _, d := range ds {
		if d != 0 {
			rs = append(rs, ranked{math.Abs(d), d > 0})
		}
	}
	n := len(rs)
	if n == 0 {
		return 0, 1
	}
	slices.SortFunc(rs, func(a, b ranked) int {
		switch {
		case a.abs < b.abs:
			return -1
		case a.abs > b.abs:
			return 1
		}
		return 0
	})
	var w, ties float64
	for i := 0; i < n; {
		j := i
		for j < n && rs[j].abs == rs[i].abs {
			j++
		}
		rank, t := float64(i+j+1)/2, float64(j-i)
		ties += t*t*t - t
		for ; i < j; i++ {
			if rs[i].positive {
				w += rank
			}
		}
	}
	f := float64(n)
	mean := f * (f + 1) / 4
	sd := math.Sqrt(f*(f+1)*(2*f+1)/24 - ties/48)
	diff := w - mean
	if n <= signedRankExact && ties == 0 {
		return diff / sd, signedRankP(n, int(math.Min(w, 2*mean-w)))
	}
	z = math.Max(0, math.Abs(diff)-0.5) / sd
	return math.Copysign(z, diff), math.Min(1, 2*stats.StdNormal.CDF(-z))
}

// signedRankP returns the two-sided probability of a rank sum of at most w
// among n signs, by counting subsets of {1…n}.
func signedRankP(n, w int) float64 {
	count := make([]float64, n*(n+1)/2+1)
	count[0] = 1
	for rank := 1; rank <= n; rank++ {
		for s := len(count) - 1; s >= rank; s-- {
			count[s] += count[s-rank]
		}
	}
	var below float64
	for s := 0; s <= w; s++ {
		below += count[s]
	}
	return math.Min(1, 2*below/math.Exp2(float64(n)))
}

// Holm returns p-values corrected for having been tested together (Holm,
// 1979): the chance that any of them falls below α by accident is at most α.
// The order of ps is kept.
func Holm(ps []float64) []float64 {
	order := make([]int, len(ps))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case ps[a] < ps[b]:
			return -1
		case ps[a] > ps[b]:
			return 1
		}
		return 0
	})
	out := make([]float64, len(ps))
	running := 0.0
	for k, i := range order {
		running = math.Max(running, math.Min(1, ps[i]*float64(len(ps)-k)))
		out[i] = running
	}
	return out
}

// Verdict is criterion's conclusion from a comparison.
type Verdict uint8

// The verdicts. NoiseThreshold means a change was detected, but it is too small
// to matter.
const (
	NoChange Verdict = iota
	Improved
	Regressed
	NoiseThreshold
)

// String returns the sentence criterion prints.
func (v Verdict) String() string {
	return [...]string{
		"No change in performance detected.",
		"Performance has improved.",
		"Performance has regressed.",
		"Change within noise threshold.",
	}[v]
}

// Judge returns the verdict on a relative change of durations: p at least alpha
// is no change; an interval that reaches into ±noise is within the noise.
func Judge(change Interval, p, alpha, noise float64) Verdict {
	switch {
	case !(p < alpha):
		return NoChange
	case change.Lower > noise && change.Upper > noise:
		return Regressed
	case change.Lower < -noise && change.Upper < -noise:
		return Improved
	}
	return NoiseThreshold
}
