package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/stmverify/stmverify/benches"
	"github.com/stmverify/stmverify/benches/suites"
	"github.com/stmverify/stmverify/multisig"
)

func newBenchCommand(a *app) *cobra.Command {
	b := &bench{app: a}
	return group("bench", "Measure this program, compare runs and write reports",
		newBenchRunCommand(b), newBenchReportCommand(b), newBenchCompareCommand(b), newBenchWorkerCommand(b))
}

// lastRun is the baseline in which each run is kept, as criterion keeps the previous one.
const lastRun = "last"

// bench is what the bench commands share.
type bench struct {
	*app
	config benches.Config
	quick  bool

	exact       bool
	baselineDir string
	cacheDir    string
	failOn      string
	format      string // of result lines
	report      string // path of the HTML page
	noPlot      bool
}

// measureFlags defines the flags of the commands that measure.
func (b *bench) measureFlags(f *pflag.FlagSet) {
	c := benches.DefaultConfig()
	f.BoolVar(&b.quick, "quick", false, "measure in minutes instead of an hour: fewer and shorter samples")
	f.BoolVar(&b.exact, "exact", false, "select the benchmark of exactly this name, not by regular expression")
	f.IntVar(&b.config.SampleSize, "sample-size", c.SampleSize, "`samples` to take of each benchmark")
	f.DurationVar(&b.config.Measurement, "measurement-time", c.Measurement, "how long to sample each benchmark")
	f.DurationVar(&b.config.WarmUp, "warm-up-time", c.WarmUp, "how long to warm up before")
	f.StringVar(&b.failOn, "fail-on", "", "exit with an error on this `outcome`: regressed")
	f.StringVar(&b.format, "output-format", "criterion", "lines to print: criterion, bencher or json")
	f.StringVar(&b.cacheDir, "cache-dir", "", "`directory` of generated inputs (default in the user's cache)")
	b.judgeFlags(f)
}

// judgeFlags defines the flags of the commands that compare.
func (b *bench) judgeFlags(f *pflag.FlagSet) {
	c := benches.DefaultConfig()
	f.IntVar(&b.config.Resamples, "nresamples", c.Resamples, "bootstrap `resamples`")
	f.Float64Var(&b.config.Confidence, "confidence-level", c.Confidence, "confidence of intervals")
	f.Float64Var(&b.config.Significance, "significance-level", c.Significance, "p-value, corrected for the number of benchmarks, below which a change is one")
	f.Float64Var(&b.config.Noise, "noise-threshold", c.Noise, "relative change that is too small to matter")
	f.Uint64Var(&b.config.Seed, "seed", c.Seed, "seed of the bootstrap")
	f.StringVar(&b.baselineDir, "baseline-dir", "", "`directory` of saved runs (default benches/baselines if it exists, else in the user's cache)")
	f.StringVar(&b.report, "report", "", "write the HTML page to this `file` (default in the user's cache)")
	f.BoolVar(&b.noPlot, "noplot", false, "write no HTML page")
}

// finish completes the configuration once the flags are parsed: --quick changes the defaults, not what was given.
func (b *bench) finish(f *pflag.FlagSet) error {
	if b.quick {
		q := benches.QuickConfig()
		b.config.Quick = true
		for name, set := range map[string]func(){
			"sample-size":      func() { b.config.SampleSize = q.SampleSize },
			"measurement-time": func() { b.config.Measurement = q.Measurement },
			"warm-up-time":     func() { b.config.WarmUp = q.WarmUp },
			"nresamples":       func() { b.config.Resamples = q.Resamples },
		} {
			if !f.Changed(name) {
				set()
			}
		}
	}
	switch b.format {
	case "", "criterion", "bencher", "json":
	default:
		return fmt.Errorf("--output-format: got %q, want criterion, bencher or json", b.format)
	}
	if b.failOn != "" && b.failOn != "regressed" {
		return fmt.Errorf("--fail-on: got %q, want regressed", b.failOn)
	}
	if b.cacheDir == "" {
		dir, err := os.UserCacheDir()
		if err != nil {
			return fmt.Errorf("no cache directory, give --cache-dir: %w", err)
		}
		b.cacheDir = filepath.Join(dir, "stmverify", "bench")
	}
	if b.baselineDir == "" {
		b.baselineDir = filepath.Join("benches", "baselines")
		if info, err := os.Stat(b.baselineDir); err != nil || !info.IsDir() {
			b.baselineDir = filepath.Join(b.cacheDir, "baselines")
		}
	}
	if b.report == "" {
		b.report = filepath.Join(b.cacheDir, "report.html")
	}
	return b.config.Validate()
}

func (b *bench) store() benches.Store { return benches.Store{Dir: b.baselineDir} }

// kept is the store of the previous run, which is no baseline anybody named.
func (b *bench) kept() benches.Store { return benches.Store{Dir: filepath.Join(b.cacheDir, "runs")} }

// load reads a run by the name of a baseline or by its path.
func (b *bench) load(name string) (*benches.Run, error) {
	if name == lastRun {
		return b.kept().Load(lastRun)
	}
	path, err := b.store().Path(name)
	if err != nil { // no baseline is called that
		return benches.LoadFile(name)
	}
	if _, err := os.Stat(path); err == nil {
		return b.store().Load(name)
	}
	r, err := benches.LoadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: %q in %s; a file %s does not exist either", benches.ErrNoBaseline, name, b.baselineDir, name)
	}
	return r, err
}

// selected returns the benchmarks that the arguments name: all without any.
func (b *bench) selected(args []string) ([]*benches.Benchmark, error) {
	all := suites.All()
	if len(args) == 0 {
		return all, nil
	}
	selected, err := benches.Select(all, args[0], b.exact)
	if err != nil {
		return nil, err
	}
	if len(selected) == 0 {
		return nil, fmt.Errorf("no benchmark matches %q; --list prints all", args[0])
	}
	return selected, nil
}

// environment prepares the cache and the bar that shows how inputs are made.
func (b *bench) environment() *benches.Env {
	env := &benches.Env{Cache: filepath.Join(b.cacheDir, "inputs")}
	if b.quiet || !isTerminal(b.stderr) {
		return env
	}
	env.Progress = (&setupBar{app: b.app}).report
	return env
}

func (b *bench) runner(env *benches.Env) *benches.Runner {
	return &benches.Runner{Config: b.config, Env: env, Backend: multisig.Backend(), Observe: b.observer()}
}

// verdict returns an error when --fail-on asks for one.
func (b *bench) verdict(r *benches.Run) error {
	n := r.Count("regressed")
	if b.failOn != "regressed" || n == 0 {
		return nil
	}
	compared := 0
	for _, x := range r.Results {
		if x.Change != nil {
			compared++
		}
	}
	return fmt.Errorf("%d of %d benchmarks regressed", n, compared)
}

var errNoRun = errors.New("nothing has been measured yet; run 'stmverify bench run'")

// busyWait is how long a warning about a busy machine looks back: the kernel's one-minute load average.
const busyWait = time.Minute

func (b *bench) warnBusy(m benches.Machine) {
	if m.Busy() {
		b.warn("the machine is busy: load average %.1f over the last %v on %d cores", m.LoadBefore, busyWait, m.Cores)
	}
}
