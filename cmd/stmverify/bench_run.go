package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"runtime/pprof"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/stmverify/stmverify/benches"
	"github.com/stmverify/stmverify/benches/report"
)

// benchRun is the run command.
type benchRun struct {
	*bench
	list, test           bool
	save, base, lenient  string
	loaded               string
	profileTime          time.Duration
	profile, commandLine string
}

func newBenchRunCommand(b *bench) *cobra.Command {
	r := &benchRun{bench: b}
	cmd := &cobra.Command{
		Use:   "run [regexp]",
		Short: "Measure benchmarks, compare with a baseline, write the report",
		Long: `Measure the benchmarks whose names match the regular expression, all without one, and write a report.

Results go to standard output in criterion's words. Without a baseline, the run is compared with the previous one of the
same settings on the same machine. Inputs are made once and kept in the cache directory.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := r.finish(cmd.Flags()); err != nil {
				return usageError(cmd, err)
			}
			r.commandLine = commandLine(cmd, args)
			return r.run(cmd.Context(), args)
		},
	}
	f := cmd.Flags()
	r.measureFlags(f)
	f.BoolVar(&r.list, "list", false, "list the benchmarks and measure nothing")
	f.BoolVar(&r.test, "test", false, "run every benchmark once and measure nothing")
	f.StringVar(&r.save, "save-baseline", "", "save the run under this `name`")
	f.StringVar(&r.base, "baseline", "", "compare with the run saved under this `name`, which must have every benchmark")
	f.StringVar(&r.lenient, "baseline-lenient", "", "compare with the run of this `name` where it has the benchmark")
	f.StringVar(&r.loaded, "load-baseline", "", "measure nothing: take the run saved under this `name`")
	f.DurationVar(&r.profileTime, "profile-time", 0, "run each benchmark for this `duration` under the CPU profiler and analyse nothing")
	f.StringVar(&r.profile, "profile", "bench.prof", "`file` for the CPU profile of --profile-time")
	cmd.MarkFlagsMutuallyExclusive("baseline", "baseline-lenient", "save-baseline")
	cmd.MarkFlagsMutuallyExclusive("list", "test", "load-baseline", "profile-time")
	return cmd
}

// commandLine is the command as the report names it, with all flags that were given, for a shell to read.
func commandLine(cmd *cobra.Command, args []string) string {
	parts := []string{cmd.CommandPath()}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if f.Value.Type() == "bool" && f.Value.String() == "true" {
			parts = append(parts, "--"+f.Name)
			return
		}
		parts = append(parts, "--"+f.Name+"="+shellQuote(f.Value.String()))
	})
	if slices.ContainsFunc(args, func(a string) bool { return strings.HasPrefix(a, "-") }) {
		parts = append(parts, "--")
	}
	for _, a := range args {
		parts = append(parts, shellQuote(a))
	}
	return strings.Join(parts, " ")
}

var shellSafe = regexp.MustCompile(`^[A-Za-z0-9_@%+:,./-]+$`)

// shellQuote quotes a word for a POSIX shell where it needs that.
func shellQuote(word string) string {
	if shellSafe.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

func (r *benchRun) run(ctx context.Context, args []string) error {
	selected, err := r.selected(args)
	if err != nil {
		return err
	}
	switch {
	case r.list:
		return r.print(benchList(selected))
	case r.test:
		return r.once(ctx, selected)
	case r.profileTime > 0:
		return r.underProfiler(ctx, selected)
	}
	base, err := r.baseRun(selected)
	if err != nil {
		return err
	}
	run, err := r.measured(ctx, selected, base)
	if err != nil {
		return err
	}
	run.Command = r.commandLine
	if err := r.keep(run); err != nil {
		return err
	}
	if err := r.conclude(run); err != nil {
		return err
	}
	history, err := r.store().All()
	if err != nil {
		return err
	}
	if err := r.writePage(report.Input{Run: run, Base: base, History: history}); err != nil {
		return err
	}
	return r.verdict(run)
}

// measured measures, or loads what --load-baseline names and compares that.
func (r *benchRun) measured(ctx context.Context, selected []*benches.Benchmark, base *benches.Run) (*benches.Run, error) {
	if r.loaded == "" {
		runner := r.runner(r.environment())
		runner.Base = base
		r.warnBusy(benches.ThisMachine(""))
		run, err := runner.Run(ctx, selected)
		if err == nil {
			r.printChanges(run)
		}
		return run, err
	}
	run, err := r.load(r.loaded)
	if err != nil {
		return nil, err
	}
	wanted := map[string]bool{}
	for _, b := range selected {
		wanted[b.ID()] = true
	}
	kept := run.Results[:0]
	for _, x := range run.Results {
		if wanted[x.ID()] {
			kept = append(kept, x)
		}
	}
	run.Results = kept
	if base != nil {
		if _, err := benches.Compare(run, base); err != nil {
			return nil, err
		}
	}
	for _, x := range run.Results {
		if !r.json && !r.quiet {
			r.printResult(x)
		}
	}
	return run, nil
}

// keep saves the run for --save-baseline and for the next run.
func (r *benchRun) keep(run *benches.Run) error {
	if r.loaded != "" {
		return nil
	}
	if r.save != "" {
		if err := r.store().Save(r.save, run); err != nil {
			return err
		}
		if path, err := r.store().Path(r.save); err == nil && !r.quiet {
			fmt.Fprintf(r.stderr, "saved: %s\n", path)
		}
	}
	return r.kept().Save(lastRun, run)
}

// baseRun returns the run to compare with; nil without one.
func (r *benchRun) baseRun(selected []*benches.Benchmark) (*benches.Run, error) {
	switch {
	case r.base != "":
		base, err := r.load(r.base)
		if err != nil {
			return nil, err
		}
		for _, b := range selected {
			if base.Find(b.ID()) == nil {
				return nil, fmt.Errorf("baseline %s has no %s; --baseline-lenient skips what is missing", r.base, b.ID())
			}
		}
		return base, nil
	case r.lenient != "":
		return r.load(r.lenient)
	case r.save != "" || r.loaded != "":
		return nil, nil
	}
	last, err := r.kept().Load(lastRun)
	if errors.Is(err, benches.ErrNoBaseline) || errors.Is(err, benches.ErrSchema) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	here := benches.ThisMachine("")
	if last.Config.Quick != r.config.Quick || last.Machine.CPU != here.CPU || last.Machine.GoMaxProcs != here.GoMaxProcs {
		return nil, nil
	}
	last.Name = "the previous run"
	return last, nil
}

// once runs each benchmark a single time, to see that it works.
func (r *benchRun) once(ctx context.Context, selected []*benches.Benchmark) error {
	env := r.environment()
	for _, b := range selected {
		s, _, err := benches.NewSampler(ctx, b, env)
		if err != nil {
			return err
		}
		_, err = s.Sample(ctx, 1)
		s.Close()
		if err != nil {
			return fmt.Errorf("%s: %w", b.ID(), err)
		}
		if !r.quiet {
			fmt.Fprintf(r.stdout, "Testing %s\nSuccess\n", b.ID())
		}
	}
	return nil
}

// underProfiler runs each benchmark for a while under the CPU profiler.
func (r *benchRun) underProfiler(ctx context.Context, selected []*benches.Benchmark) error {
	env := r.environment()
	f, err := os.Create(r.profile)
	if err != nil {
		return err
	}
	defer f.Close()
	started := false
	defer pprof.StopCPUProfile()
	for _, b := range selected {
		s, _, err := benches.NewSampler(ctx, b, env)
		if err != nil {
			return err
		}
		if !started { // setups are not profiled, except those between benchmarks
			if err := pprof.StartCPUProfile(f); err != nil {
				return err
			}
			started = true
		}
		for end := time.Now().Add(r.profileTime); time.Now().Before(end); {
			if _, err := s.Sample(ctx, 1); err != nil {
				s.Close()
				return fmt.Errorf("%s: %w", b.ID(), err)
			}
		}
		s.Close()
	}
	return nil
}

// benchList is the result of --list.
type benchList []*benches.Benchmark

func (l benchList) text(w *writer) {
	for _, b := range l {
		fmt.Fprintf(w, "%s: benchmark\n", b.ID())
	}
}

// MarshalJSON writes the names.
func (l benchList) MarshalJSON() ([]byte, error) {
	doc := struct {
		Schema     string   `json:"schema"`
		Benchmarks []string `json:"benchmarks"`
	}{Schema: "stmverify/bench-list/v1"}
	for _, b := range l {
		doc.Benchmarks = append(doc.Benchmarks, b.ID())
	}
	return json.Marshal(doc)
}
