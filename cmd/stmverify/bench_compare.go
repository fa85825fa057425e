package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stmverify/stmverify/benches"
	"github.com/stmverify/stmverify/benches/report"
	"github.com/stmverify/stmverify/benches/suites"
)

func newBenchCompareCommand(b *bench) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "compare base candidate [regexp]",
		Short: "Compare two saved runs, or two programs measured in turn",
		Long: `Compare two runs: base and candidate are names of baselines, files of runs, or programs.

Two programs of this command are both started and measured in turn on the same inputs and cores, so that drift of the
machine cancels; samples are then compared in pairs.`,
		Args: cobra.RangeArgs(2, 3),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := b.finish(cmd.Flags()); err != nil {
				return usageError(cmd, err)
			}
			return b.compare(cmd.Context(), args, commandLine(cmd, args))
		},
	}
	b.measureFlags(cmd.Flags())
	return cmd
}

func (b *bench) compare(ctx context.Context, args []string, command string) error {
	programs := 0
	for _, name := range args[:2] {
		if isProgram(name) {
			programs++
		}
	}
	if programs == 1 {
		for _, name := range args[:2] { // one that is neither is a mistake of its own
			if isProgram(name) {
				continue
			}
			if _, err := b.load(name); err != nil {
				return err
			}
		}
		return fmt.Errorf("cannot compare a program with a saved run: %s and %s", args[0], args[1])
	}
	var base, run *benches.Run
	var err error
	if programs == 2 {
		if base, run, err = b.inTurn(ctx, args); err == nil {
			base.Command, run.Command = command, command
		}
	} else {
		base, run, err = b.saved(args)
	}
	if err != nil {
		return err
	}
	if err := b.conclude(run); err != nil {
		return err
	}
	if err := b.writePage(report.Input{Run: run, Base: base, History: []*benches.Run{base}}); err != nil {
		return err
	}
	return b.verdict(run)
}

// isProgram reports whether a path leads to an executable file.
func isProgram(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 && !strings.HasSuffix(path, ".json")
}

// saved compares two saved runs under the thresholds given now.
func (b *bench) saved(args []string) (base, run *benches.Run, err error) {
	if base, err = b.load(args[0]); err != nil {
		return nil, nil, err
	}
	if run, err = b.load(args[1]); err != nil {
		return nil, nil, err
	}
	if len(args) == 3 {
		if run.Results, err = matching(run.Results, args[2], b.exact); err != nil {
			return nil, nil, err
		}
	}
	c := b.config
	run.Config.Resamples, run.Config.Confidence, run.Config.Significance = c.Resamples, c.Confidence, c.Significance
	run.Config.Noise, run.Config.Seed = c.Noise, c.Seed
	for _, x := range []*benches.Run{base, run} {
		for _, warning := range report.Warnings(x) {
			b.warn("%s: %s", x.Name, warning)
		}
	}
	n, err := benches.Compare(run, base)
	if err != nil {
		return nil, nil, err
	}
	if n == 0 {
		return nil, nil, fmt.Errorf("%s and %s have no benchmark in common", args[0], args[1])
	}
	for _, r := range run.Results {
		if r.Change != nil && !b.json && !b.quiet {
			b.printResult(r)
		}
	}
	return base, run, nil
}

func matching(results []*benches.Result, pattern string, exact bool) ([]*benches.Result, error) {
	var names []*benches.Benchmark
	for _, r := range results {
		names = append(names, &benches.Benchmark{Group: r.Group, Function: r.Function, Input: r.Input})
	}
	selected, err := benches.Select(names, pattern, exact)
	if err != nil {
		return nil, err
	}
	keep := map[string]bool{}
	for _, s := range selected {
		keep[s.ID()] = true
	}
	var out []*benches.Result
	for _, r := range results {
		if keep[r.ID()] {
			out = append(out, r)
		}
	}
	return out, nil
}

// inTurn measures two programs in turn.
func (b *bench) inTurn(ctx context.Context, args []string) (base, run *benches.Run, err error) {
	selected, err := b.selected(args[2:])
	if err != nil {
		return nil, nil, err
	}
	// Inputs are made here, once, and read by both.
	if err := b.prepare(ctx, selected); err != nil {
		return nil, nil, err
	}
	var workers [2]*benches.Worker
	for i, path := range args[:2] {
		if path, err = filepath.Abs(path); err != nil {
			return nil, nil, err
		}
		w, err := benches.StartWorker(ctx, b.stderr, path, "bench", "worker", "--cache-dir", b.cacheDir)
		if err != nil {
			return nil, nil, err
		}
		defer w.Close()
		workers[i] = w
	}
	runner := b.runner(nil)
	m := benches.ThisMachine("")
	b.warnBusy(m)
	base, run, err = benches.CompareWorkers(ctx, runner, workers[0], workers[1], selected)
	if err != nil {
		return nil, nil, err
	}
	base.Name, run.Name = "base", "candidate"
	b.printChanges(run)
	return base, run, nil
}

func (b *bench) prepare(ctx context.Context, selected []*benches.Benchmark) error {
	env := b.environment()
	for _, x := range selected {
		op, err := x.Setup(ctx, env)
		if err != nil {
			return fmt.Errorf("%s: setup: %w", x.ID(), err)
		}
		if op.Close != nil {
			op.Close()
		}
	}
	return nil
}

func newBenchWorkerCommand(b *bench) *cobra.Command {
	cmd := &cobra.Command{
		Use:    "worker",
		Short:  "Measure for another process, over standard input and output",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := b.finish(cmd.Flags()); err != nil {
				return usageError(cmd, err)
			}
			env := &benches.Env{Cache: filepath.Join(b.cacheDir, "inputs")}
			return benches.Serve(cmd.Context(), suites.All(), env, b.stdin, b.stdout)
		},
	}
	b.measureFlags(cmd.Flags())
	return cmd
}
