package benches

import (
	"fmt"

	"github.com/stmverify/stmverify/benches/stat"
)

// analyse fills the estimates of a result from its samples.
func (r *Result) analyse(c Config) error {
	per := r.Samples.PerIteration()
	u, err := stat.Bootstrap(per, c.resampling())
	if err != nil {
		return fmt.Errorf("benches: %s: %w", r.ID(), err)
	}
	r.Estimates = Estimates{Mean: u.Mean, Median: u.Median, StdDev: u.StdDev, MAD: u.MAD}
	if r.Sampling == Linear {
		xs, ys := r.Samples.Iterations, r.Samples.Nanoseconds
		slope, _, err := stat.BootstrapSlope(xs, ys, c.resampling())
		if err != nil {
			return fmt.Errorf("benches: %s: %w", r.ID(), err)
		}
		r.Estimates.Slope = &slope
		r.Estimates.RSquared = &stat.Interval{
			Lower: stat.RSquared(xs, ys, slope.Lower),
			Point: stat.RSquared(xs, ys, slope.Point),
			Upper: stat.RSquared(xs, ys, slope.Upper),
		}
	}
	r.Fences, r.Outliers = stat.Tukey(per)
	r.AllocsPerOp, r.BytesPerOp = -1, -1
	if len(r.Samples.Allocs) > 0 {
		iters := sum(r.Samples.Iterations)
		r.AllocsPerOp = sum(r.Samples.Allocs) / iters
		r.BytesPerOp = sum(r.Samples.Bytes) / iters
	}
	return nil
}

func sum(xs []float64) float64 {
	t := 0.0
	for _, x := range xs {
		t += x
	}
	return t
}

// Distributions are the bootstrap distributions behind a result's estimates,
// drawn again from its samples and the run's seed.
type Distributions struct {
	*stat.Univariate
	Slope []float64 // nil for flat sampling
}

// Distributions computes the bootstrap distributions of a result with at most
// limit resamples; reports draw curves that need fewer than estimates do.
func (r *Result) Distributions(c Config, limit int) (*Distributions, error) {
	re := c.resampling()
	re.Resamples = min(re.Resamples, limit)
	u, err := stat.Bootstrap(r.Samples.PerIteration(), re)
	if err != nil {
		return nil, err
	}
	d := &Distributions{Univariate: u}
	if r.Sampling == Linear {
		_, d.Slope, err = stat.BootstrapSlope(r.Samples.Iterations, r.Samples.Nanoseconds, re)
	}
	return d, err
}

// Compare sets the change of every result of run that base has too, under the
// thresholds of run's configuration. Verdicts use p-values corrected by Holm
// over all compared results. It returns how many were compared.
func Compare(run, base *Run) (int, error) {
	compare := func(b, r *Result) (*stat.Comparison, error) {
		return stat.Compare(b.Samples.PerIteration(), r.Samples.PerIteration(), run.Config.resampling())
	}
	return compareRuns(run, base, compare)
}

// ComparePaired is [Compare] for runs whose samples were taken in turn, as
// [Interleave] takes them.
func ComparePaired(run, base *Run) (int, error) {
	compare := func(b, r *Result) (*stat.Comparison, error) {
		return stat.ComparePaired(b.Samples.PerIteration(), r.Samples.PerIteration(), run.Config.resampling())
	}
	return compareRuns(run, base, compare)
}

func compareRuns(run, base *Run, compare func(base, candidate *Result) (*stat.Comparison, error)) (int, error) {
	var changed []*Result
	var ps []float64
	for _, r := range run.Results {
		b := base.Find(r.ID())
		if b == nil {
			r.Change = nil
			continue
		}
		c, err := compare(b, r)
		if err != nil {
			return 0, fmt.Errorf("benches: %s: compare: %w", r.ID(), err)
		}
		r.Change = &Change{Base: base.Name, Comparison: *c, BaseTypical: b.Estimates.Typical()}
		changed = append(changed, r)
		ps = append(ps, c.P)
	}
	for i, p := range stat.Holm(ps) {
		ch := changed[i].Change
		ch.HolmP = p
		v := stat.Judge(ch.Judged(), p, run.Config.Significance, run.Config.Noise)
		ch.Verdict, ch.Outcome = v.String(), outcome(v)
	}
	return len(changed), nil
}

// Judged is the change the verdict is about: of the mean, as in criterion; of
// the median for pairs, of which a busy machine spoils some altogether.
func (c *Change) Judged() stat.Interval {
	if c.Paired {
		return c.Median
	}
	return c.Mean
}

func outcome(v stat.Verdict) string {
	return [...]string{"no-change", "improved", "regressed", "noise"}[v]
}

// Count returns how many results have that outcome.
func (r *Run) Count(outcome string) int {
	n := 0
	for _, x := range r.Results {
		if x.Change != nil && x.Change.Outcome == outcome {
			n++
		}
	}
	return n
}
