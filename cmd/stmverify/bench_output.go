package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"github.com/stmverify/stmverify/benches"
	"github.com/stmverify/stmverify/benches/report"
)

// observer prints what a run does: progress on standard error if that is a terminal, each result on standard output.
func (b *bench) observer() func(benches.Event) {
	chatty := !b.quiet && isTerminal(b.stderr)
	return func(e benches.Event) {
		if chatty {
			benches.WriteProgress(b.stderr, e)
		}
		if e.Stage == benches.Done && !b.json && !b.quiet {
			b.printResult(e.Result)
		}
	}
}

func (b *bench) printResult(r *benches.Result) {
	switch b.format {
	case "bencher":
		report.Bencher(b.stdout, r)
	case "json":
		json.NewEncoder(b.stdout).Encode(message{Reason: "benchmark-complete", ID: r.ID(), Result: r})
	default:
		benches.WriteResult(b.stdout, r, b.config)
	}
}

// printChanges prints the verdicts on results that were printed while they were measured.
func (b *bench) printChanges(r *benches.Run) {
	switch {
	case b.json, b.quiet, b.format == "bencher":
	case b.format == "json":
		for _, x := range r.Results {
			if x.Change != nil {
				json.NewEncoder(b.stdout).Encode(message{Reason: "benchmark-compared", ID: x.ID(), Change: x.Change})
			}
		}
	default:
		benches.WriteChanges(b.stdout, r)
	}
}

// message is one line of --output-format json, named as cargo-criterion names them.
type message struct {
	Reason string          `json:"reason"` // benchmark-complete, benchmark-compared, run-complete
	ID     string          `json:"id,omitempty"`
	Result *benches.Result `json:"result,omitempty"`
	Change *benches.Change `json:"change,omitempty"`
	Counts map[string]int  `json:"counts,omitempty"`
	Seed   uint64          `json:"seed,omitempty"`
}

// conclude prints the end of a run or comparison: everything as one document with --json.
func (b *bench) conclude(r *benches.Run) error {
	switch {
	case b.json:
		b.printed = true
		return r.WriteJSON(b.stdout)
	case b.quiet:
		return nil
	case b.format == "json":
		counts := map[string]int{}
		for _, x := range r.Results {
			if x.Change != nil {
				counts[x.Change.Outcome]++
			}
		}
		return json.NewEncoder(b.stdout).Encode(message{Reason: "run-complete", Counts: counts, Seed: r.Config.Seed})
	case b.format == "bencher":
		return nil
	}
	return benches.WriteSummary(b.stdout, r)
}

// writePage writes the HTML page unless --noplot was given.
func (b *bench) writePage(in report.Input) error {
	if b.noPlot {
		return nil
	}
	if err := writeFile(b.report, func(w io.Writer) error { return report.HTML(w, in) }); err != nil {
		return err
	}
	if !b.quiet {
		fmt.Fprintf(b.stderr, "report: %s\n", b.report)
	}
	return nil
}

// writeFile writes a file that appears whole or not at all, making its folder.
func writeFile(path string, write func(io.Writer) error) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".writing-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	if err := write(f); err != nil {
		f.Close()
		return err
	}
	if err := f.Chmod(0o644); err != nil {
		f.Close()
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// setupBar shows one bar for each data set while it is made.
type setupBar struct {
	*app
	mu        sync.Mutex
	container *mpb.Progress
	bar       *mpb.Bar
	what      string
}

func (s *setupBar) report(what string, done, total int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.what != what {
		s.what = what
		s.container = mpb.New(mpb.WithOutput(s.stderr), mpb.WithWidth(40))
		s.bar = s.container.AddBar(int64(total),
			mpb.PrependDecorators(decor.Name("making "+what+" ")),
			mpb.AppendDecorators(decor.CountersNoUnit("%d / %d"), decor.Elapsed(decor.ET_STYLE_MMSS, decor.WCSyncSpace)),
			mpb.BarRemoveOnComplete())
	}
	s.bar.SetCurrent(int64(done))
	if done >= total {
		s.container.Wait()
		s.what = ""
	}
}
