package benches

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/stmverify/stmverify/benches/stat"
)

// Schema names the JSON form of a [Run] and its version. The version changes
// when a field changes its meaning or goes away; new fields leave it.
const Schema = "stmverify/bench-run/v1"

// ErrSchema is returned when a file is not a run this version can read.
var ErrSchema = errors.New("benches: not a benchmark run of a known schema version")

// maxRunBytes bounds what is read as a run: a full one has about 2 MB.
const maxRunBytes = 256 << 20

// Run is everything one invocation measured. Estimates can be computed again
// from the samples, the configuration and its seed.
type Run struct {
	Schema  string    `json:"schema"`
	Name    string    `json:"name,omitempty"` // of the baseline
	Started time.Time `json:"started"`
	Seconds float64   `json:"seconds"`
	Command string    `json:"command,omitempty"`
	Machine Machine   `json:"machine"`
	Config  Config    `json:"config"`
	Results []*Result `json:"results"`
}

// Config says how to measure and judge. Durations are in nanoseconds in JSON.
type Config struct {
	SampleSize   int           `json:"sample_size"`
	WarmUp       time.Duration `json:"warm_up_ns"`
	Measurement  time.Duration `json:"measurement_ns"`
	Resamples    int           `json:"resamples"`
	Confidence   float64       `json:"confidence_level"`
	Significance float64       `json:"significance_level"`
	Noise        float64       `json:"noise_threshold"`
	Seed         uint64        `json:"seed"`
	// Quick lets slow benchmarks take fewer samples, down to minSamples, so
	// that a whole suite ends in minutes.
	Quick bool `json:"quick"`
}

// DefaultConfig returns criterion's defaults: 100 samples in 5 s after a
// warm-up of 3 s, 100 000 resamples.
func DefaultConfig() Config {
	return Config{
		SampleSize: 100, WarmUp: 3 * time.Second, Measurement: 5 * time.Second,
		Resamples: 100_000, Confidence: 0.95, Significance: 0.05, Noise: 0.01, Seed: 20260101,
	}
}

// QuickConfig returns a configuration for a look in passing: 20 samples in
// 0.25 s, fewer where one iteration is slow: all benchmarks then take less than
// four minutes on two cores, the making of all inputs included.
func QuickConfig() Config {
	c := DefaultConfig()
	c.SampleSize, c.WarmUp, c.Measurement = 20, 60*time.Millisecond, 250*time.Millisecond
	c.Resamples, c.Quick = 10_000, true
	return c
}

// Validate reports the first setting out of range.
func (c Config) Validate() error {
	switch {
	case c.SampleSize < minSamples || c.SampleSize > 10_000:
		return fmt.Errorf("benches: sample size %d, want %d to 10000", c.SampleSize, minSamples)
	case c.WarmUp < 0 || c.Measurement <= 0:
		return errors.New("benches: warm-up and measurement time must be positive")
	case c.Resamples < 100 || c.Resamples > 10_000_000:
		return fmt.Errorf("benches: %d resamples, want 100 to 10000000", c.Resamples)
	case !(c.Confidence > 0 && c.Confidence < 1):
		return fmt.Errorf("benches: confidence level %v, want between 0 and 1", c.Confidence)
	case !(c.Significance > 0 && c.Significance < 1):
		return fmt.Errorf("benches: significance level %v, want between 0 and 1", c.Significance)
	case !(c.Noise >= 0):
		return fmt.Errorf("benches: noise threshold %v, want 0 or more", c.Noise)
	}
	return nil
}

func (c Config) resampling() stat.Resampling {
	return stat.Resampling{Resamples: c.Resamples, Confidence: c.Confidence, Seed: c.Seed}
}

// Sampling is how iterations were spread over samples.
type Sampling string

// Linear samples do d, 2d, 3d… iterations, which separates the cost of an
// iteration from the cost of measuring. Flat samples all do the same number.
const (
	Linear Sampling = "linear"
	Flat   Sampling = "flat"
)

// Samples holds measurements by column; index i of each belongs together.
type Samples struct {
	Iterations  []float64 `json:"iterations"`
	Nanoseconds []float64 `json:"nanoseconds"`
	Allocs      []float64 `json:"allocs,omitempty"`
	Bytes       []float64 `json:"bytes,omitempty"`
	CPU         []float64 `json:"cpu_nanoseconds,omitempty"` // of the process; 0 when unknown
}

// PerIteration returns nanoseconds per iteration of each sample.
func (s *Samples) PerIteration() []float64 {
	out := make([]float64, len(s.Nanoseconds))
	for i, ns := range s.Nanoseconds {
		out[i] = ns / s.Iterations[i]
	}
	return out
}

func (s *Samples) add(m Measurement) {
	s.Iterations = append(s.Iterations, float64(m.Iterations))
	s.Nanoseconds = append(s.Nanoseconds, float64(m.Nanoseconds))
	if m.CPU > 0 {
		s.CPU = append(s.CPU, float64(m.CPU))
	}
	if m.HasAllocs {
		s.Allocs = append(s.Allocs, float64(m.Allocs))
		s.Bytes = append(s.Bytes, float64(m.Bytes))
	}
}

// Estimates are the figures of one benchmark in nanoseconds per iteration.
type Estimates struct {
	Mean     stat.Interval  `json:"mean"`
	Median   stat.Interval  `json:"median"`
	StdDev   stat.Interval  `json:"std_dev"`
	MAD      stat.Interval  `json:"median_abs_dev"`
	Slope    *stat.Interval `json:"slope,omitempty"` // linear sampling only
	RSquared *stat.Interval `json:"r_squared,omitempty"`
}

// Typical returns the slope where there is one, else the mean: the figure the
// terminal line shows, as in criterion.
func (e *Estimates) Typical() stat.Interval {
	if e.Slope != nil {
		return *e.Slope
	}
	return e.Mean
}

// Result is one measured benchmark.
type Result struct {
	Group    string             `json:"group"`
	Function string             `json:"function"`
	Input    string             `json:"input,omitempty"`
	Value    float64            `json:"value,omitempty"`
	Elements uint64             `json:"elements,omitempty"`
	Unit     string             `json:"unit,omitempty"`
	Kind     Kind               `json:"kind,omitempty"`
	Counters map[string]float64 `json:"counters,omitempty"`

	Sampling  Sampling      `json:"sampling"`
	Samples   Samples       `json:"samples"`
	Estimates Estimates     `json:"estimates"`
	Fences    stat.Fences   `json:"tukey"`
	Outliers  stat.Outliers `json:"outliers"`
	// AllocsPerOp and BytesPerOp are means over all samples, -1 when unknown.
	AllocsPerOp float64 `json:"allocs_per_op"`
	BytesPerOp  float64 `json:"bytes_per_op"`
	GC          GC      `json:"gc"`
	// OtherLoad is how many cores others used meanwhile, -1 when unknown.
	OtherLoad float64  `json:"other_load"`
	Warnings  []string `json:"warnings,omitempty"`
	Change    *Change  `json:"change,omitempty"`
}

// GC is what the garbage collector did while sampling.
type GC struct {
	Cycles  uint64 `json:"cycles"`
	PauseNs uint64 `json:"pause_ns"`
}

// Change is a comparison with the same benchmark of a base run.
type Change struct {
	Base string `json:"base"`
	stat.Comparison
	// HolmP is P corrected for the number of benchmarks compared together;
	// the verdict is made from it.
	HolmP   float64 `json:"holm_p"`
	Verdict string  `json:"verdict"`
	// Outcome is the verdict in one word: "no-change", "improved",
	// "regressed" or "noise".
	Outcome string `json:"outcome"`
	// BaseTypical is the base's estimate, for tables.
	BaseTypical stat.Interval `json:"base_typical"`
}

// ID returns the full name, as [Benchmark.ID].
func (r *Result) ID() string {
	b := Benchmark{Group: r.Group, Function: r.Function, Input: r.Input}
	return b.ID()
}

// Find returns the result of that name, or nil.
func (r *Run) Find(id string) *Result {
	for _, x := range r.Results {
		if x.ID() == id {
			return x
		}
	}
	return nil
}

// WriteJSON writes the run with its schema version, indented by one space so
// that saved baselines have reviewable diffs.
func (r *Run) WriteJSON(w io.Writer) error {
	r.Schema = Schema
	enc := json.NewEncoder(w)
	enc.SetIndent("", " ")
	return enc.Encode(r)
}

// ReadRun reads a run. It returns an error wrapping [ErrSchema] for other
// files and for newer schema versions, and refuses samples that do not match.
func ReadRun(rd io.Reader) (*Run, error) {
	var r Run
	if err := json.NewDecoder(io.LimitReader(rd, maxRunBytes)).Decode(&r); err != nil {
		return nil, fmt.Errorf("%w: %v", ErrSchema, err)
	}
	if r.Schema != Schema {
		return nil, fmt.Errorf("%w: got %q, want %q", ErrSchema, r.Schema, Schema)
	}
	if err := r.Config.Validate(); err != nil {
		return nil, fmt.Errorf("%w: %v", ErrSchema, err)
	}
	for _, x := range r.Results {
		if err := x.check(); err != nil {
			return nil, err
		}
	}
	return &r, nil
}

// check refuses results that would break the estimators.
func (r *Result) check() error {
	s := &r.Samples
	n := len(s.Iterations)
	if n < 2 || len(s.Nanoseconds) != n {
		return fmt.Errorf("%w: %s: %d iteration counts, %d durations", ErrSchema, r.ID(), n, len(s.Nanoseconds))
	}
	if len(s.Allocs) != len(s.Bytes) || (len(s.Allocs) != 0 && len(s.Allocs) != n) {
		return fmt.Errorf("%w: %s: %d allocation counts for %d samples", ErrSchema, r.ID(), len(s.Allocs), n)
	}
	for i := range n {
		if !(s.Iterations[i] > 0) || !(s.Nanoseconds[i] > 0) {
			return fmt.Errorf("%w: %s: sample %d is not positive", ErrSchema, r.ID(), i)
		}
	}
	return nil
}
