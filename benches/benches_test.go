package benches

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stmverify/stmverify/benches/stat"
)

// fakeSampler takes a fixed time an iteration, with a fixed cost a sample, and
// records who was asked in which order.
type fakeSampler struct {
	name  byte
	perNs float64
	order *[]byte
	fail  error
}

func (f *fakeSampler) Sample(_ context.Context, n uint64) (Measurement, error) {
	if f.order != nil {
		*f.order = append(*f.order, f.name)
	}
	return Measurement{Iterations: n, Nanoseconds: max(1, int64(f.perNs*float64(n)))}, f.fail
}

func (f *fakeSampler) Close() error { return nil }

func quickTestConfig() Config {
	c := QuickConfig()
	c.SampleSize, c.WarmUp, c.Measurement, c.Resamples = 10, time.Microsecond, time.Millisecond, 200
	return c
}

func counting(name string, calls *int) *Benchmark {
	return &Benchmark{
		Group: "test/shape=tiny", Function: name, Input: "n=4", Value: 4, Elements: 4, Unit: "items",
		Setup: func(context.Context, *Env) (*Op, error) {
			sink := 0
			return &Op{
				Run: func() error {
					*calls++
					for i := range 200 {
						sink += i
					}
					return nil
				},
				Counters: map[string]float64{"pairings": 5},
			}, nil
		},
	}
}

func TestPlanSamples(t *testing.T) {
	t.Parallel()
	c := DefaultConfig()
	quick := QuickConfig()
	for _, tc := range []struct {
		name     string
		c        Config
		met      float64
		sampling Sampling
		samples  int
		first    uint64
		warns    bool
	}{
		// 5 s over 5050 steps of 100 ns.
		{"fast", c, 100, Linear, 100, 9900, false},
		{"just linear", c, 1.9e6, Linear, 100, 1, false},
		{"flat", c, 5e6, Flat, 100, 10, false},
		{"slow", c, 1e9, Flat, 100, 1, true},
		{"quick, slow", quick, 1e9, Flat, minSamples, 1, false},
		{"quick, middling", quick, 5e7, Flat, 10, 1, false},
	} {
		p := planSamples(tc.c, tc.met)
		if p.sampling != tc.sampling || len(p.iterations) != tc.samples || p.iterations[0] != tc.first || (p.warning != "") != tc.warns {
			t.Errorf("%s: got %s, %d samples of %d first, warning %q", tc.name, p.sampling, len(p.iterations), p.iterations[0], p.warning)
		}
	}
	p := planSamples(c, 100)
	if p.iterations[99] != 100*p.iterations[0] {
		t.Errorf("linear sampling: last sample does %d iterations, want 100 times %d", p.iterations[99], p.iterations[0])
	}
}

func TestRunnerMeasures(t *testing.T) {
	t.Parallel()
	calls := 0
	var stages []Stage
	r := &Runner{Config: quickTestConfig(), Env: &Env{}, Observe: func(e Event) { stages = append(stages, e.Stage) }}
	run, err := r.Run(t.Context(), []*Benchmark{counting("f", &calls)})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]Stage{Preparing, WarmingUp, Collecting, Analysing, Done}, stages); d != "" {
		t.Error(d)
	}
	res := run.Find("test/shape=tiny/f/n=4")
	if res == nil {
		t.Fatal("the result is missing under its name")
	}
	if got := int(sum(res.Samples.Iterations)); got > calls || got < 10 {
		t.Errorf("%d iterations recorded, %d made", got, calls)
	}
	if res.Estimates.Slope == nil || res.Sampling != Linear {
		t.Errorf("a fast function: got %s sampling, slope %v", res.Sampling, res.Estimates.Slope)
	}
	if res.AllocsPerOp < 0 || res.Counters["pairings"] != 5 {
		t.Errorf("got %v allocations, counters %v", res.AllocsPerOp, res.Counters)
	}
	if run.Machine.Cores == 0 || run.Machine.Go == "" {
		t.Errorf("machine: got %+v", run.Machine)
	}
}

// TestRunnerJudgesOnce checks that a result has no verdict before all are
// there, and that rows which were not measured do not weigh on it.
func TestRunnerJudgesOnce(t *testing.T) {
	t.Parallel()
	calls := 0
	b := counting("f", &calls)
	base := sampleRun("base", 1)
	mine := *base.Results[0]
	mine.Group, mine.Function, mine.Input = b.Group, b.Function, b.Input
	base.Results = append(base.Results, &mine)
	observed := 0
	r := &Runner{Config: quickTestConfig(), Env: &Env{}, Base: base, Observe: func(e Event) {
		if e.Stage == Done {
			observed++
			if e.Result.Change != nil {
				t.Errorf("a verdict before the end: %+v", e.Result.Change)
			}
		}
	}}
	run, err := r.Run(t.Context(), []*Benchmark{b, counting("g", &calls)})
	if err != nil {
		t.Fatal(err)
	}
	ch := run.Results[0].Change
	if observed != 2 || ch == nil || run.Results[1].Change != nil {
		t.Fatalf("%d results observed, changes %v, %v", observed, ch, run.Results[1].Change)
	}
	if ch.HolmP != ch.P || ch.Outcome != "improved" {
		t.Errorf("one compared of three: p = %v corrected to %v, %s", ch.P, ch.HolmP, ch.Outcome)
	}
}

func TestRunnerStopsAtErrors(t *testing.T) {
	t.Parallel()
	boom := errors.New("boom")
	calls := 0
	bad := &Benchmark{Group: "g", Function: "bad", Setup: func(context.Context, *Env) (*Op, error) {
		return &Op{Run: func() error { return boom }}, nil
	}}
	r := &Runner{Config: quickTestConfig(), Env: &Env{}}
	run, err := r.Run(t.Context(), []*Benchmark{counting("f", &calls), bad, counting("g", &calls)})
	if !errors.Is(err, boom) || !strings.Contains(err.Error(), "g/bad") {
		t.Errorf("got %v, want an error naming g/bad", err)
	}
	if len(run.Results) != 1 {
		t.Errorf("got %d results, want the one before the error", len(run.Results))
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.Run(ctx, []*Benchmark{counting("f", &calls)}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: got %v", err)
	}
}

func TestInterleaveTakesTurns(t *testing.T) {
	t.Parallel()
	var order []byte
	c := quickTestConfig()
	c.SampleSize, c.Quick = 6, false
	samples, err := Interleave(t.Context(), c, []Sampler{
		&fakeSampler{'A', 1e6, &order, nil}, &fakeSampler{'B', 2e6, &order, nil},
	}, true)
	if err != nil {
		t.Fatal(err)
	}
	if got := string(order); got != "AB"+"ABBABAABBAAB" { // one warm-up each
		t.Errorf("order: got %s", got)
	}
	if len(samples[0].Nanoseconds) != 6 || samples[1].Nanoseconds[0] != 2e6 {
		t.Errorf("got %+v", samples)
	}
	seen := map[int]int{}
	for round := range 6 {
		for k := range 3 {
			seen[k*10+turn(round, k, 3)]++
		}
	}
	if len(seen) != 9 {
		t.Errorf("three contestants: places taken %v, want every one in every place", seen)
	}
	boom := errors.New("boom")
	if _, err := Interleave(t.Context(), c, []Sampler{&fakeSampler{'A', 1, nil, boom}}, false); !errors.Is(err, boom) {
		t.Errorf("got %v, want %v", err, boom)
	}
}

// coreSampler is slower in its first sample on a core, as with cold caches, and
// in a sample that follows another's.
type coreSampler struct {
	name       byte
	perNs      float64
	cold, late float64 // factors
	last       *byte   // who sampled last
	core       int
	moved      bool
	cores      map[int]int // samples by core
	samples    int
}

func (s *coreSampler) pin(core int) { s.moved, s.core = s.moved || core != s.core, core }

func (s *coreSampler) Sample(_ context.Context, n uint64) (Measurement, error) {
	ns := s.perNs * float64(n)
	if s.moved {
		ns *= s.cold
	}
	if *s.last != s.name {
		ns *= s.late
	}
	ns *= 1 + 0.001*math.Sin(float64(s.samples*s.samples)+float64(s.name))
	s.moved, *s.last = false, s.name
	s.cores[s.core]++
	s.samples++
	return Measurement{Iterations: n, Nanoseconds: int64(ns)}, nil
}

func (s *coreSampler) Close() error { return nil }

// TestInterleaveIsUnbiased compares equals on a machine where going first, or
// after oneself, is of influence, and a slower one with it.
func TestInterleaveIsUnbiased(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name             string
		cold, late, slow float64
		want             string
	}{
		{"cold cores", 1.5, 1, 1, "no-change"},
		{"caches of another", 1, 1.05, 1, "no-change"},
		{"both", 1.5, 1.05, 1, "no-change"},
		{"both, and slower", 1.5, 1.05, 1.1, "regressed"},
		{"both, and faster", 1.5, 1.05, 0.9, "improved"},
	} {
		c := quickTestConfig()
		c.SampleSize, c.Quick, c.Measurement = 64, false, 128*time.Millisecond
		last := byte(0)
		a := &coreSampler{'A', 1e6, tc.cold, tc.late, &last, -1, false, map[int]int{}, 0}
		b := &coreSampler{'B', 1e6 * tc.slow, tc.cold, tc.late, &last, -1, false, map[int]int{}, 0}
		samples, err := Interleave(t.Context(), c, []Sampler{a, b}, true)
		if err != nil {
			t.Fatal(err)
		}
		for i, s := range samples {
			if got := slices.Max(s.PerIteration()) / slices.Min(s.PerIteration()); got > tc.late*1.003 {
				t.Errorf("%s: samples of %d differ by a factor of %v: a cold one counts", tc.name, i, got)
			}
		}
		if d := cmp.Diff(a.cores, b.cores); d != "" || len(a.cores) < 4 {
			t.Errorf("%s: samples by core %v, %v, want the same on several", tc.name, a.cores, b.cores)
		}
		base, run := sampleRun("base", 1), sampleRun("candidate", 1)
		base.Results, run.Results = base.Results[:1], run.Results[:1]
		base.Results[0].Samples, run.Results[0].Samples = samples[0], samples[1]
		if _, err := ComparePaired(run, base); err != nil {
			t.Fatal(err)
		}
		if ch := run.Results[0].Change; ch.Outcome != tc.want || math.Abs(ch.Mean.Point-(tc.slow-1)) > 2e-3 {
			t.Errorf("%s: got %s, %+v, want %s", tc.name, ch.Outcome, ch.Mean, tc.want)
		}
	}
}

// TestInterleaveEvenIterations checks that contestants of about one speed do
// equally many iterations, whatever the warm-up made of them.
func TestInterleaveEvenIterations(t *testing.T) {
	t.Parallel()
	c := quickTestConfig()
	for _, tc := range []struct {
		name  string
		ratio float64
		even  bool
	}{{"alike", 1.3, true}, {"unlike", 30, false}} {
		samples, err := Interleave(t.Context(), c, []Sampler{
			&fakeSampler{'A', 100, nil, nil}, &fakeSampler{'B', 100 * tc.ratio, nil, nil},
		}, false)
		if err != nil {
			t.Fatal(err)
		}
		if got := samples[0].Iterations[0] == samples[1].Iterations[0]; got != tc.even {
			t.Errorf("%s: %v and %v iterations a sample", tc.name, samples[0].Iterations[0], samples[1].Iterations[0])
		}
	}
}

func TestWorkerProtocol(t *testing.T) {
	t.Parallel()
	calls := 0
	in := strings.NewReader(`{"list":true}
{"sample":"test/shape=tiny/f/n=4","iterations":3}
{"prepare":"nothing"}
{"prepare":"test/shape=tiny/f/n=4"}
{"sample":"test/shape=tiny/f/n=4","iterations":3}
`)
	var out bytes.Buffer
	if err := Serve(t.Context(), []*Benchmark{counting("f", &calls)}, &Env{}, in, &out); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	for i, want := range []string{`"ids":["test/shape=tiny/f/n=4"]`, "is not prepared", "no benchmark", `"ok":true`, `"iterations":3`} {
		if i >= len(lines) || !strings.Contains(lines[i], want) {
			t.Fatalf("answer %d: want %s in\n%s", i, want, out.String())
		}
	}
	if calls != 3 {
		t.Errorf("%d calls, want 3", calls)
	}
}

func TestTimeProcess(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells the processor time of another process")
	}
	calls := 0
	s, _, err := NewSampler(t.Context(), counting("f", &calls), &Env{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := TimeProcess(s, os.Getpid()).Sample(t.Context(), 2_000_000)
	if err != nil || m.CPU <= 0 || m.Iterations != 2_000_000 {
		t.Errorf("got %+v, %v, want processor time", m, err)
	}
	m, err = TimeProcess(s, -1).Sample(t.Context(), 1)
	if err != nil || m.CPU != 0 {
		t.Errorf("no such process: got %+v, %v, want no processor time", m, err)
	}
}

func TestCompareCorrectsByHolm(t *testing.T) {
	t.Parallel()
	base, run := sampleRun("base", 1), sampleRun("new", 1)
	// One of two slows down by a tenth; the other stays.
	for i := range run.Results[0].Samples.Nanoseconds {
		run.Results[0].Samples.Nanoseconds[i] *= 1.1
	}
	for _, compare := range []func(run, base *Run) (int, error){Compare, ComparePaired} {
		n, err := compare(run, base)
		if err != nil || n != 2 {
			t.Fatalf("got %d compared, %v", n, err)
		}
		slow, same := run.Results[0].Change, run.Results[1].Change
		if slow.Outcome != "regressed" || math.Abs(slow.Mean.Point-0.1) > 1e-9 {
			t.Errorf("slower: got %+v", slow.Mean)
		}
		if same.Outcome != "no-change" {
			t.Errorf("same: got %s", same.Outcome)
		}
		if slow.HolmP < slow.P || slow.HolmP != math.Min(1, 2*slow.P) {
			t.Errorf("p = %v corrected to %v, want twice", slow.P, slow.HolmP)
		}
		if run.Count("regressed") != 1 {
			t.Errorf("%d regressed, want 1", run.Count("regressed"))
		}
	}
	run.Results[1].Function = "new"
	if n, err := Compare(run, base); n != 1 || err != nil || run.Results[1].Change != nil {
		t.Errorf("a benchmark without base: got %d compared, %v", n, err)
	}
}

// sampleRun makes a run of two benchmarks from fixed numbers.
func sampleRun(name string, scale float64) *Run {
	c := DefaultConfig()
	c.SampleSize, c.Resamples = 30, 400
	run := &Run{Schema: Schema, Name: name, Config: c, Started: time.Unix(1.7e9, 0).UTC()}
	for k, f := range []string{"a", "b"} {
		r := &Result{Group: "g", Function: f, Elements: 10, Unit: "certificates", Sampling: Linear, OtherLoad: -1}
		for i := range c.SampleSize {
			n := float64(i + 1)
			wobble := 1 + 0.01*math.Sin(float64(7*i+k))
			r.Samples.Iterations = append(r.Samples.Iterations, n)
			r.Samples.Nanoseconds = append(r.Samples.Nanoseconds, n*1e6*wobble*scale)
		}
		if err := r.analyse(c); err != nil {
			panic(err)
		}
		run.Results = append(run.Results, r)
	}
	return run
}

func TestStore(t *testing.T) {
	t.Parallel()
	s := Store{Dir: filepath.Join(t.TempDir(), "new")}
	if runs, err := s.All(); err != nil || len(runs) != 0 {
		t.Errorf("an empty store: got %v, %v", runs, err)
	}
	run := sampleRun("", 1)
	if err := s.Save("main", run); err != nil {
		t.Fatal(err)
	}
	got, err := s.Load("main")
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(run, got); d != "" {
		t.Errorf("round trip: %s", d)
	}
	if _, err := s.Load("other"); !errors.Is(err, ErrNoBaseline) {
		t.Errorf("got %v, want %v", err, ErrNoBaseline)
	}
	for _, name := range []string{"", "../main", "a/b", ".hidden", strings.Repeat("x", 65)} {
		if err := s.Save(name, run); err == nil {
			t.Errorf("baseline name %q was accepted", name)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(s.Dir, ".saving-*")); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestReadRunRefuses(t *testing.T) {
	t.Parallel()
	valid := func() *Run { return sampleRun("x", 1) }
	for _, tc := range []struct {
		name   string
		change func(*Run)
	}{
		{"one sample", func(r *Run) {
			r.Results[0].Samples.Iterations = []float64{1}
			r.Results[0].Samples.Nanoseconds = []float64{1}
		}},
		{"unequal columns", func(r *Run) { r.Results[0].Samples.Nanoseconds = r.Results[0].Samples.Nanoseconds[1:] }},
		{"zero iterations", func(r *Run) { r.Results[0].Samples.Iterations[3] = 0 }},
		{"negative duration", func(r *Run) { r.Results[0].Samples.Nanoseconds[3] = -1 }},
		{"allocations of another length", func(r *Run) { r.Results[0].Samples.Allocs = []float64{1} }},
		{"no resamples", func(r *Run) { r.Config.Resamples = 0 }},
	} {
		r := valid()
		tc.change(r)
		var b bytes.Buffer
		if err := r.WriteJSON(&b); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadRun(&b); !errors.Is(err, ErrSchema) {
			t.Errorf("%s: got %v, want %v", tc.name, err, ErrSchema)
		}
	}
	for _, text := range []string{"", "{}", `{"schema":"stmverify/bench-run/v2"}`, `{"schema":"other"}`} {
		if _, err := ReadRun(strings.NewReader(text)); !errors.Is(err, ErrSchema) {
			t.Errorf("%q: got %v, want %v", text, err, ErrSchema)
		}
	}
	var b bytes.Buffer
	if err := valid().WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadRun(&b); err != nil {
		t.Errorf("a valid run: %v", err)
	}
}

func TestSelect(t *testing.T) {
	t.Parallel()
	calls := 0
	all := []*Benchmark{counting("mode=batch", &calls), counting("mode=single", &calls)}
	for _, tc := range []struct {
		pattern string
		exact   bool
		want    int
	}{
		{"", false, 2}, {"batch", false, 1}, {"^test/", false, 2}, {"mode=batch", true, 0},
		{"test/shape=tiny/mode=batch/n=4", true, 1}, {"zzz", false, 0},
	} {
		got, err := Select(all, tc.pattern, tc.exact)
		if err != nil || len(got) != tc.want {
			t.Errorf("%q: got %d, %v, want %d", tc.pattern, len(got), err, tc.want)
		}
	}
	if _, err := Select(all, "(", false); err == nil {
		t.Error("a broken expression was accepted")
	}
}

func TestShared(t *testing.T) {
	t.Parallel()
	e := &Env{}
	made := 0
	make := func() (int, error) { made++; return 7, nil }
	for range 3 {
		if v, err := Shared(e, "k", make); v != 7 || err != nil {
			t.Fatal(v, err)
		}
	}
	if made != 1 {
		t.Errorf("made %d times, want once", made)
	}
	if _, err := Shared(e, "bad", func() (int, error) { return 0, io.EOF }); err != io.EOF {
		t.Errorf("got %v, want %v", err, io.EOF)
	}
}

func TestTerminalLines(t *testing.T) {
	t.Parallel()
	base, run := sampleRun("main", 1), sampleRun("", 1.1)
	if _, err := Compare(run, base); err != nil {
		t.Fatal(err)
	}
	r := run.Results[0]
	r.Outliers = stat.Outliers{HighMild: 1, HighSevere: 2}
	r.Warnings = []string{"the machine was busy: others used 1.0 cores"}
	var b bytes.Buffer
	if err := WriteResult(&b, r, run.Config); err != nil {
		t.Fatal(err)
	}
	if err := WriteChanges(&b, run); err != nil {
		t.Fatal(err)
	}
	r.Elements, r.Change.Outcome = 0, "regressed"
	if err := WriteResult(&b, r, run.Config); err != nil {
		t.Fatal(err)
	}
	if err := WriteSummary(&b, run); err != nil {
		t.Fatal(err)
	}
	golden(t, "terminal.txt", b.Bytes())
}

func TestFormat(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ got, want string }{
		{Duration(0.25), "250.00 ps"}, {Duration(1.5), "1.5000 ns"}, {Duration(12345), "12.345 µs"},
		{Duration(123.4e6), "123.40 ms"}, {Duration(2.5e9), "2.5000 s"},
		{Rate(1234, ""), "1.2340 Kelem/s"}, {Rate(12, "certificates"), "12.000 certificates/s"},
		{Rate(2.5e6, "hashes"), "2.5000 M hashes/s"},
		{Percent(0.1), "+10.000%"}, {Percent(-0.00123), "-0.1230%"},
		{Bytes(-1), "–"}, {Bytes(999), "999 B"}, {Bytes(1500), "1.5 KB"}, {Bytes(2.5e6), "2.5 MB"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

func TestProcessorTimes(t *testing.T) {
	t.Parallel()
	if got, ok := systemBusy("cpu  10 20 30 1000 40 50 60 70 0 0"); !ok || got != 240 {
		t.Errorf("got %v, %v, want 240", got, ok)
	}
	line := "42 (a (b) c) S 1 2 3 4 5 6 7 8 9 10 100 20 3 1 20 0"
	if got, ok := processTime(line); !ok || got != 124 {
		t.Errorf("got %v, %v, want 124", got, ok)
	}
	for _, bad := range []string{"", "cpu 1 2", "intr 1 2 3 4 5 6 7 8", "cpu a b c d e f g h"} {
		if _, ok := systemBusy(bad); ok {
			t.Errorf("%q was read", bad)
		}
		if _, ok := processTime(bad); ok {
			t.Errorf("%q was read as a process", bad)
		}
	}
}

// golden compares with a file under testdata; UPDATE_GOLDEN=1 rewrites it.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), string(got)); d != "" {
		t.Errorf("%s: %s", name, d)
	}
}
