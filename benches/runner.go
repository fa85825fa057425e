package benches

import (
	"context"
	"fmt"
	"runtime"
	"time"
)

// Stage tells an observer what the runner is doing.
type Stage uint8

// The stages of one benchmark, in order.
const (
	Preparing Stage = iota
	WarmingUp
	Collecting
	Analysing
	Done
)

// Event is one step of a run. Result is set for [Done] only.
type Event struct {
	Stage      Stage
	ID         string
	Index, Of  int           // of the benchmark in the run, from 0
	Duration   time.Duration // warm-up time, or expected time of collecting
	Samples    int
	Iterations uint64
	Result     *Result
}

// Runner measures benchmarks one after the other.
type Runner struct {
	Config Config
	Env    *Env
	// Base, when not nil, is compared with at the end of the run: Holm's
	// correction needs all p-values. Results that Observe sees have no change.
	Base *Run
	// Observe is called with every step; may be nil.
	Observe func(Event)
	// Backend names the curve library in the run's machine description.
	Backend string
}

func (r *Runner) observe(e Event) {
	if r.Observe != nil {
		r.Observe(e)
	}
}

// Run measures all benchmarks. It stops at the first error, or when ctx ends,
// and returns what is complete so far with the error.
func (r *Runner) Run(ctx context.Context, all []*Benchmark) (*Run, error) {
	if err := r.Config.Validate(); err != nil {
		return nil, err
	}
	start := time.Now()
	run := &Run{
		Schema: Schema, Started: start.UTC().Truncate(time.Second),
		Machine: ThisMachine(r.Backend), Config: r.Config,
	}
	var failed error
	for i, b := range all {
		res, err := r.one(ctx, b, Event{ID: b.ID(), Index: i, Of: len(all)})
		if err != nil {
			failed = err
			break
		}
		run.Results = append(run.Results, res)
	}
	run.Seconds = time.Since(start).Seconds()
	if r.Base != nil {
		if _, err := Compare(run, r.Base); err != nil && failed == nil {
			failed = err
		}
	}
	return run, failed
}

func (r *Runner) one(ctx context.Context, b *Benchmark, e Event) (*Result, error) {
	e.Stage = Preparing
	r.observe(e)
	s, op, err := NewSampler(ctx, b, r.Env)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	runtime.GC() // the setup's garbage is not the benchmark's

	e.Stage, e.Duration = WarmingUp, r.Config.WarmUp
	r.observe(e)
	met, err := warmUp(ctx, s, r.Config.WarmUp)
	if err != nil {
		return nil, fmt.Errorf("benches: %s: %w", b.ID(), err)
	}
	p := planSamples(r.Config, met)
	e.Stage, e.Duration, e.Samples = Collecting, p.expected, len(p.iterations)
	for _, n := range p.iterations {
		e.Iterations += n
	}
	r.observe(e)

	res := newResult(b, op)
	res.Sampling = p.sampling
	if err := res.collect(ctx, s, p); err != nil {
		return nil, fmt.Errorf("benches: %s: %w", b.ID(), err)
	}
	e.Stage = Analysing
	r.observe(e)
	if err := res.analyse(r.Config); err != nil {
		return nil, err
	}
	e.Stage, e.Result = Done, res
	r.observe(e)
	return res, nil
}

func newResult(b *Benchmark, op *Op) *Result {
	res := &Result{
		Group: b.Group, Function: b.Function, Input: b.Input, Value: b.Value,
		Elements: b.Elements, Unit: b.Unit, Kind: b.Kind, OtherLoad: -1,
	}
	if op != nil {
		res.Counters = op.Counters
	}
	return res
}

func (r *Result) collect(ctx context.Context, s Sampler, p plan) error {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	clock, start := readCPUClock(), time.Now()
	for _, n := range p.iterations {
		m, err := s.Sample(ctx, n)
		if err != nil {
			return err
		}
		r.Samples.add(m)
	}
	r.OtherLoad = clock.otherLoad(time.Since(start).Seconds())
	runtime.ReadMemStats(&after)
	r.GC = GC{Cycles: uint64(after.NumGC - before.NumGC), PauseNs: after.PauseTotalNs - before.PauseTotalNs}
	if p.warning != "" {
		r.Warnings = append(r.Warnings, p.warning)
	}
	r.warnBusy()
	return nil
}

// Busy reports whether others used the machine while the result was measured:
// more than a quarter of a core.
func (r *Result) Busy() bool { return r.OtherLoad > busyLoad }

func (r *Result) warnBusy() {
	if r.Busy() {
		r.Warnings = append(r.Warnings, fmt.Sprintf("the machine was busy: others used %.1f cores", r.OtherLoad))
	}
}
