package benches

import (
	"context"
	"fmt"
	"regexp"
	"sync"
)

// Kind says which overview of a report a benchmark belongs to, besides its own
// section.
type Kind string

// The kinds.
const (
	Plain     Kind = ""          // own section only
	Breakdown Kind = "breakdown" // a stage: the functions of its group stack up to a whole
	Scaling   Kind = "scaling"   // time over the number of elements: fitted a + b·n
)

// Benchmark is one function measured on one input. Its name has up to three
// parts, and the report draws groups over inputs and functions.
type Benchmark struct {
	Group    string  // what is measured, and its shape: "stm/shape=k25"
	Function string  // which way: "mode=batch"
	Input    string  // on how much: "n=100"; may be empty
	Value    float64 // the input as a number, for axes; 0 without one
	Elements uint64  // elements in one iteration, 0 without throughput
	Unit     string  // what elements are, a plural: "certificates"
	Kind     Kind
	// Parallel says that an iteration uses several cores. Others are pinned
	// to one core at a time when contestants are measured in turn.
	Parallel bool
	// Setup prepares the inputs and returns what to measure. It is not timed.
	Setup func(ctx context.Context, env *Env) (*Op, error)
}

// Op is a prepared benchmark.
type Op struct {
	// Run does one iteration. An error ends the benchmark: figures of
	// failing code would be worthless.
	Run func() error
	// Counters are exact operations in one iteration, such as "pairings".
	Counters map[string]float64
	// Close releases what Setup made; may be nil.
	Close func()
}

// ID returns the full name, parts joined by slashes.
func (b *Benchmark) ID() string {
	id := b.Group + "/" + b.Function
	if b.Input != "" {
		id += "/" + b.Input
	}
	return id
}

// Env is what setups share: where to cache, how to tell progress, and inputs
// already made. It is safe for concurrent use.
type Env struct {
	// Cache is a directory outside of the repository for generated inputs;
	// empty keeps them in memory only.
	Cache string
	// Progress is told how far a long setup is; may be nil.
	Progress func(what string, done, total int)

	mu     sync.Mutex
	shared map[string]any
}

// Report tells progress, if anybody listens.
func (e *Env) Report(what string, done, total int) {
	if e.Progress != nil {
		e.Progress(what, done, total)
	}
}

// Shared returns the value of key, made at its first use, so that benchmarks
// over the same inputs make them once.
func Shared[T any](e *Env, key string, make func() (T, error)) (T, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if v, ok := e.shared[key].(T); ok {
		return v, nil
	}
	v, err := make()
	if err != nil {
		return v, err
	}
	if e.shared == nil {
		e.shared = map[string]any{}
	}
	e.shared[key] = v
	return v, nil
}

// Select returns the benchmarks whose name matches the pattern, a regular
// expression, or equals it when exact is set. An empty pattern selects all.
func Select(all []*Benchmark, pattern string, exact bool) ([]*Benchmark, error) {
	if pattern == "" {
		return all, nil
	}
	match := func(id string) bool { return id == pattern }
	if !exact {
		re, err := regexp.Compile(pattern)
		if err != nil {
			return nil, fmt.Errorf("benches: filter: %w", err)
		}
		match = re.MatchString
	}
	var out []*Benchmark
	for _, b := range all {
		if match(b.ID()) {
			out = append(out, b)
		}
	}
	return out, nil
}
