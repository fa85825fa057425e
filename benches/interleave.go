package benches

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
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

// roundsPerCore is how many rounds pinned contestants stay on a core. In four
// rounds of two contestants, [turn] lets each go first twice, and each follow
// itself once. The first sample of each on a new core is discarded.
const roundsPerCore = 4

// alike is the ratio of speeds up to which contestants do equally many
// iterations a sample, so that what a sample costs once weighs the same in all.
const alike = 2

// Interleave measures contestants in turn: in each round every contestant
// takes one flat sample, and the order changes from round to round, so that
// neither slow drift nor going first favours anybody. Sample i of all
// contestants belongs to the same round, for [ComparePaired].
//
// The configured time is divided into as many rounds as give samples of a
// millisecond, at least the sample size; a slow contestant does a single
// iteration. With pinned set, all contestants of a round use the same core, and
// the cores are taken in turn, four rounds each. What a contestant measures
// first on a new core, with cold caches, is discarded.
func Interleave(ctx context.Context, c Config, contestants []Sampler, pinned bool) ([]Samples, error) {
	if len(contestants) == 0 {
		return nil, errors.New("benches: nobody to measure")
	}
	if err := c.Validate(); err != nil {
		return nil, err
	}
	rounds, iters, err := planRounds(ctx, c, contestants, pinned)
	if err != nil {
		return nil, err
	}
	out := make([]Samples, len(contestants))
	for round := range rounds {
		if pinned && round%roundsPerCore == 0 {
			if err := changeCore(ctx, contestants, iters, round); err != nil {
				return nil, err
			}
		}
		for k := range contestants {
			i := turn(round, k, len(contestants))
			m, err := contestants[i].Sample(ctx, iters[i])
			if err != nil {
				return nil, err
			}
			out[i].add(m)
		}
	}
	return out, nil
}

// planRounds warms all contestants up and returns how many rounds to take, and
// how many iterations a sample of each does.
func planRounds(ctx context.Context, c Config, contestants []Sampler, pinned bool) (rounds int, iters []uint64, err error) {
	total := float64(c.Measurement.Nanoseconds())
	if pinned { // a share is discarded
		total *= roundsPerCore / (roundsPerCore + 1.0)
	}
	rounds = int(total / float64(len(contestants)) / float64(shortSlice.Nanoseconds()))
	rounds = max(c.SampleSize, min(maxRounds, rounds))
	slice := total / float64(rounds*len(contestants))
	met := make([]float64, len(contestants))
	for i, s := range contestants {
		if met[i], err = warmUp(ctx, s, c.WarmUp/time.Duration(len(contestants))); err != nil {
			return 0, nil, err
		}
	}
	iters = make([]uint64, len(contestants))
	slowest := slices.Max(met)
	perRound := 0.0
	for i := range iters {
		by := met[i]
		if slowest <= alike*slices.Min(met) {
			by = slowest
		}
		iters[i] = uint64(max(1, slice/by))
		perRound += met[i] * float64(iters[i])
	}
	if affordable := int(total / perRound); affordable < rounds {
		rounds = max(c.SampleSize, affordable)
	}
	if c.Quick {
		rounds = min(rounds, max(minSamples, int(2*total/perRound)))
	}
	return rounds, iters, nil
}

// changeCore moves all contestants to the next core, where each takes a sample
// that does not count.
func changeCore(ctx context.Context, contestants []Sampler, iters []uint64, round int) error {
	for k := range contestants {
		i := turn(round, k, len(contestants))
		p, ok := contestants[i].(pinner)
		if !ok {
			continue
		}
		p.pin(round / roundsPerCore)
		if _, err := contestants[i].Sample(ctx, iters[i]); err != nil {
			return err
		}
	}
	return nil
}

// turn returns who is k-th in a round. Two follow the sequence of Thue and
// Morse, A B, B A, B A, A B, which begins every run of 2^i rounds swapped after
// as many: so each goes first equally often on every core, if their number is
// a power of two. More take rotations and reversed rotations.
func turn(round, k, n int) int {
	if n == 2 {
		return (bits.OnesCount(uint(round)) + k) % 2
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
// all lists, and returns a run of each, the candidate's with its changes. The
// runner observes the candidate's results before they are compared.
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
	clock, start := readCPUClock(workers[0].PID(), workers[1].PID()), time.Now()
	samples, err := Interleave(ctx, r.Config, samplers, !b.Parallel)
	if err != nil {
		return results, err
	}
	load := clock.otherLoad(time.Since(start).Seconds())
	for i := range results {
		if results[i], err = NewResult(b, Flat, samples[i], r.Config); err != nil {
			return results, err
		}
		results[i].OtherLoad = load
		results[i].warnBusy()
	}
	e.Stage, e.Result = Done, results[1]
	r.observe(e)
	return results, nil
}
