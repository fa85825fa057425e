package benches

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// shortSlice is the least duration of an interleaved sample, and maxRounds the
// most rounds. Short samples and many rounds leave most pairs undisturbed on a
// busy machine: a scheduler's time slice is several milliseconds.
const (
	shortSlice = time.Millisecond
	maxRounds  = 1000
)

// Interleave measures contestants in turn: in each round every contestant
// takes one flat sample, and the order is rotated and reversed from round to
// round, so that slow drift favours nobody. Sample i of all contestants belongs
// to the same round, for [ComparePaired].
//
// The configured time is divided into as many rounds as give samples of a
// millisecond, at least the sample size; a slow contestant does a single
// iteration. With pinned set, all contestants of a round use the same core, and
// rounds take the cores in turn.
func Interleave(ctx context.Context, c Config, contestants []Sampler, pinned bool) ([]Samples, error) {
	if len(contestants) == 0 {
		return nil, errors.New("benches: nobody to measure")
	}
	if err := c.Validate(); err != nil {
		return nil, err
	}
	total := float64(c.Measurement.Nanoseconds())
	rounds := int(total / float64(len(contestants)) / float64(shortSlice.Nanoseconds()))
	rounds = max(c.SampleSize, min(maxRounds, rounds))
	slice := total / float64(rounds*len(contestants))
	iters := make([]uint64, len(contestants))
	perRound := 0.0
	for i, s := range contestants {
		met, err := warmUp(ctx, s, c.WarmUp/time.Duration(len(contestants)))
		if err != nil {
			return nil, err
		}
		iters[i] = uint64(max(1, slice/met))
		perRound += met * float64(iters[i])
	}
	if affordable := int(total / perRound); affordable < rounds {
		rounds = max(c.SampleSize, affordable)
	}
	if c.Quick {
		rounds = min(rounds, max(minSamples, int(2*total/perRound)))
	}
	out := make([]Samples, len(contestants))
	for round := range rounds {
		for k := range contestants {
			i := turn(round, k, len(contestants))
			if p, ok := contestants[i].(pinner); ok && pinned {
				p.pin(round / 2)
			}
			m, err := contestants[i].Sample(ctx, iters[i])
			if err != nil {
				return nil, err
			}
			out[i].add(m)
		}
	}
	return out, nil
}

// turn returns who is k-th in a round: A B, B A, A B… for two; rotations and
// reversed rotations for more.
func turn(round, k, n int) int {
	if n == 2 {
		return (round + k) % 2
	}
	i := (round/2 + k) % n
	if round%2 == 1 {
		return n - 1 - i
	}
	return i
}

// NewResult estimates the figures of samples measured elsewhere, such as by
// [Interleave], which samples flat.
func NewResult(b *Benchmark, sampling Sampling, s Samples, c Config) (*Result, error) {
	r := newResult(b, nil)
	r.Sampling, r.Samples = sampling, s
	if err := r.check(); err != nil {
		return nil, err
	}
	if err := r.analyse(c); err != nil {
		return nil, err
	}
	return r, nil
}

// CompareWorkers measures in turn every benchmark that both workers have and
// all lists, and returns a run of each, the candidate's with its changes.
func CompareWorkers(ctx context.Context, r *Runner, base, candidate *Worker, all []*Benchmark) (baseRun, run *Run, err error) {
	if err := r.Config.Validate(); err != nil {
		return nil, nil, err
	}
	common, err := commonIDs(base, candidate)
	if err != nil {
		return nil, nil, err
	}
	all = slices.DeleteFunc(slices.Clone(all), func(b *Benchmark) bool { return !slices.Contains(common, b.ID()) })
	start := time.Now()
	m := ThisMachine(r.Backend)
	m.Commit, m.Dirty = "", false // of this program, not of those that are measured
	runs := [2]*Run{}
	for i, name := range []string{"base", "candidate"} {
		runs[i] = &Run{Schema: Schema, Name: name, Started: start.UTC().Truncate(time.Second), Machine: m, Config: r.Config}
	}
	for i, b := range all {
		results, err := r.turns(ctx, [2]*Worker{base, candidate}, b, Event{ID: b.ID(), Index: i, Of: len(all)})
		if err != nil {
			return nil, nil, fmt.Errorf("benches: %s: %w", b.ID(), err)
		}
		for k := range runs {
			runs[k].Results = append(runs[k].Results, results[k])
		}
	}
	for _, x := range runs {
		x.Seconds = time.Since(start).Seconds()
	}
	_, err = ComparePaired(runs[1], runs[0])
	return runs[0], runs[1], err
}

func commonIDs(a, b *Worker) ([]string, error) {
	as, err := a.List()
	if err != nil {
		return nil, err
	}
	bs, err := b.List()
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(as, func(id string) bool { return !slices.Contains(bs, id) }), nil
}

func (r *Runner) turns(ctx context.Context, workers [2]*Worker, b *Benchmark, e Event) ([2]*Result, error) {
	var results [2]*Result
	e.Stage = Preparing
	r.observe(e)
	samplers := make([]Sampler, len(workers))
	for i, w := range workers {
		s, err := w.Prepare(b.ID())
		if err != nil {
			return results, err
		}
		samplers[i] = s
	}
	e.Stage, e.Duration, e.Samples = Collecting, r.Config.Measurement, r.Config.SampleSize
	r.observe(e)
	samples, err := Interleave(ctx, r.Config, samplers, !b.Parallel)
	if err != nil {
		return results, err
	}
	for i := range results {
		if results[i], err = NewResult(b, Flat, samples[i], r.Config); err != nil {
			return results, err
		}
	}
	one := &Run{Config: r.Config, Results: []*Result{results[1]}}
	if _, err := ComparePaired(one, &Run{Name: "base", Results: []*Result{results[0]}}); err != nil {
		return results, err
	}
	e.Stage, e.Result = Done, results[1]
	r.observe(e)
	return results, nil
}
