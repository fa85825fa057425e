package benches

import (
	"context"
	"fmt"
	"runtime"
	"time"
)

// Measurement is the cost of a number of iterations.
type Measurement struct {
	Iterations  uint64 `json:"iterations"`
	Nanoseconds int64  `json:"nanoseconds"`
	Allocs      uint64 `json:"allocs"`
	Bytes       uint64 `json:"bytes"`
	HasAllocs   bool   `json:"has_allocs"`
	// CPU is the processor time of the whole process in nanoseconds, 0 when
	// unknown. Time in which others had the core does not count.
	CPU int64 `json:"cpu,omitempty"`
}

// Sampler measures iterations of one prepared benchmark: here, or in another
// process.
type Sampler interface {
	Sample(ctx context.Context, iterations uint64) (Measurement, error)
	Close() error
}

// pinner is a sampler that can keep to one core. Contestants that sit on
// different cores would be compared by who else uses those.
type pinner interface {
	pin(core int) // from 0, modulo the number of cores; negative: any core
}

// TimeProcess wraps a sampler so that it also measures the processor time of a
// process: the one in which the sampler's work runs.
func TimeProcess(s Sampler, pid int) Sampler { return &timedSampler{s, pid} }

type timedSampler struct {
	Sampler
	pid int
}

func (s *timedSampler) Sample(ctx context.Context, iterations uint64) (Measurement, error) {
	before, ok := processNanoseconds(s.pid)
	m, err := s.Sampler.Sample(ctx, iterations)
	if after, ok2 := processNanoseconds(s.pid); ok && ok2 && after > before {
		m.CPU = after - before
	}
	return m, err
}

// localSampler measures in this process.
type localSampler struct {
	op   *Op
	core int
}

func (s *localSampler) pin(core int) { s.core = core }

// NewSampler prepares a benchmark in this process.
func NewSampler(ctx context.Context, b *Benchmark, env *Env) (Sampler, *Op, error) {
	op, err := b.Setup(ctx, env)
	if err != nil {
		return nil, nil, fmt.Errorf("benches: %s: setup: %w", b.ID(), err)
	}
	return &localSampler{op: op, core: -1}, op, nil
}

func (s *localSampler) Sample(ctx context.Context, iterations uint64) (Measurement, error) {
	if err := ctx.Err(); err != nil {
		return Measurement{}, err
	}
	if s.core >= 0 {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		defer pinThread(s.core)()
	}
	// ReadMemStats stops the world, so it stays outside of the timed part.
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	run := s.op.Run
	start := time.Now()
	for range iterations {
		if err := run(); err != nil {
			return Measurement{}, err
		}
	}
	elapsed := time.Since(start)
	runtime.ReadMemStats(&after)
	return Measurement{
		Iterations:  iterations,
		Nanoseconds: max(1, elapsed.Nanoseconds()),
		Allocs:      after.Mallocs - before.Mallocs,
		Bytes:       after.TotalAlloc - before.TotalAlloc,
		HasAllocs:   true,
	}, nil
}

func (s *localSampler) Close() error {
	if s.op.Close != nil {
		s.op.Close()
	}
	return nil
}

// warmUp runs doubling numbers of iterations until d has passed and returns the
// time of one iteration in nanoseconds. It runs at least one.
func warmUp(ctx context.Context, s Sampler, d time.Duration) (float64, error) {
	var total Measurement
	for n := uint64(1); ; n *= 2 {
		m, err := s.Sample(ctx, n)
		if err != nil {
			return 0, err
		}
		total.Iterations += m.Iterations
		total.Nanoseconds += m.Nanoseconds
		if total.Nanoseconds >= d.Nanoseconds() {
			return float64(total.Nanoseconds) / float64(total.Iterations), nil
		}
	}
}

// minSamples is the least number of samples from which intervals are made.
const minSamples = 6

// plan says how many iterations each sample does.
type plan struct {
	sampling   Sampling
	iterations []uint64
	expected   time.Duration
	warning    string
}

// planSamples spreads iterations of met nanoseconds over samples: linear when
// that holds the target time, else flat, as criterion's automatic mode does.
func planSamples(c Config, met float64) plan {
	n := c.SampleSize
	target := float64(c.Measurement.Nanoseconds())
	total := float64(n) * float64(n+1) / 2
	if linear := met * total; linear <= 2*target {
		d := uint64(max(1, target/linear))
		p := plan{sampling: Linear, expected: time.Duration(met * total * float64(d))}
		for i := range uint64(n) {
			p.iterations = append(p.iterations, d*(i+1))
		}
		return p
	}
	if c.Quick {
		n = min(n, max(minSamples, int(2*target/met)))
	}
	per := uint64(max(1, target/(met*float64(n))))
	p := plan{sampling: Flat, expected: time.Duration(met * float64(n) * float64(per))}
	for range n {
		p.iterations = append(p.iterations, per)
	}
	if !c.Quick && p.expected > 2*c.Measurement {
		p.warning = fmt.Sprintf("unable to complete %d samples in %s: the target time would have to be %s, or the sample size %d",
			n, Duration(target), Duration(float64(p.expected.Nanoseconds())), max(minSamples, int(target/met)))
	}
	return p
}
