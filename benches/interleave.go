package benches

import (
	"context"
	"errors"
	"time"
)

// Interleave measures contestants in turn: in each round every contestant
// takes one flat sample, and the order is rotated and reversed from round to
// round, so that slow drift favours nobody. Sample i of all contestants belongs
// to the same round, for [ComparePaired].
//
// Each contestant does as many iterations a sample as fill its share of the
// configured time; a slow one does a single iteration.
func Interleave(ctx context.Context, c Config, contestants []Sampler) ([]Samples, error) {
	if len(contestants) == 0 {
		return nil, errors.New("benches: nobody to measure")
	}
	if err := c.Validate(); err != nil {
		return nil, err
	}
	iters := make([]uint64, len(contestants))
	rounds := c.SampleSize
	slice := float64(c.Measurement.Nanoseconds()) / float64(c.SampleSize*len(contestants))
	slowest := 0.0
	for i, s := range contestants {
		met, err := warmUp(ctx, s, c.WarmUp/time.Duration(len(contestants)))
		if err != nil {
			return nil, err
		}
		iters[i] = uint64(max(1, slice/met))
		slowest += met * float64(iters[i])
	}
	if c.Quick {
		rounds = min(rounds, max(minSamples, int(2*float64(c.Measurement.Nanoseconds())/slowest)))
	}
	out := make([]Samples, len(contestants))
	for round := range rounds {
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
