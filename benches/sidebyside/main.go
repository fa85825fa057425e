package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"time"

	"github.com/stmverify/stmverify/benches"
	"github.com/stmverify/stmverify/benches/suites"
	"github.com/stmverify/stmverify/multisig"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintf(os.Stderr, "sidebyside: error: %v\n", err)
		os.Exit(1)
	}
}

// settings are the flags.
type settings struct {
	cache, folder string
	filter        string
	json          string
	update        []string
	seconds       float64
	noMultiSig    bool
	noBuild       bool
	busy          bool
	command       string
}

func parse(args []string, stderr io.Writer) (*settings, error) {
	s := &settings{}
	f := flag.NewFlagSet("sidebyside", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.StringVar(&s.cache, "cache-dir", "", "`directory` of inputs and builds (default in the user's cache)")
	f.StringVar(&s.folder, "sources", filepath.FromSlash("benches/sidebyside"), "`directory` of the reference programs")
	f.StringVar(&s.filter, "filter", "", "measure only the rows whose names match this regular `expression`")
	f.StringVar(&s.json, "json", "", "write both runs to this `file`")
	f.Func("update", "put the table between the marks of this `file`; may be repeated", func(v string) error { s.update = append(s.update, v); return nil })
	f.Float64Var(&s.seconds, "seconds", 8, "how long to measure each row")
	f.BoolVar(&s.noMultiSig, "no-multisig", false, "leave out the rows that need the crate's proving system, which takes minutes to build")
	f.BoolVar(&s.noBuild, "no-build", false, "run the reference programs as they were built before")
	f.BoolVar(&s.busy, "busy", false, "update files although the machine is busy")
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	if s.cache == "" {
		dir, err := os.UserCacheDir()
		if err != nil {
			return nil, err
		}
		s.cache = filepath.Join(dir, "stmverify", "bench")
	}
	s.command = "go run ./benches/sidebyside"
	return s, nil
}

var errNoCargo = errors.New("cargo is missing: it builds the reference from its published crates (https://rustup.rs); nothing was measured")

// errBusy refuses to publish what a busy machine measures: the longer a sample,
// the more of it others take, so that the slower side looks slower than it is.
var errBusy = errors.New("the machine is busy: wait, or give -busy")

// busyLoad is the load average above which a table is not published.
const busyLoad = 1.0

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	s, err := parse(args, stderr)
	if err != nil {
		return err
	}
	if _, err := exec.LookPath("cargo"); err != nil && !s.noBuild {
		return errNoCargo
	}
	m := &measurer{settings: s, stderr: stderr, workers: map[string]*benches.Worker{}}
	defer m.close()
	if load := benches.ThisMachine("").LoadBefore; len(s.update) > 0 && !s.busy && load > busyLoad {
		return fmt.Errorf("%w: load average %.1f", errBusy, load)
	}
	rows, err := selected(s)
	if err != nil {
		return err
	}
	if len(rows) == 0 {
		return fmt.Errorf("no row matches %q", s.filter)
	}
	r := &results{machine: benches.ThisMachine(multisig.Backend()), date: time.Now().UTC(), command: s.command}
	for i, row := range rows {
		fmt.Fprintf(stderr, "%d of %d: %s\n", i+1, len(rows), row.name)
		x, err := m.measure(ctx, row)
		if err != nil {
			return fmt.Errorf("%s: %w", row.name, err)
		}
		r.rows = append(r.rows, x)
		fmt.Fprintln(stderr, x.line())
	}
	table := r.markdown()
	fmt.Fprint(stdout, table)
	for _, path := range s.update {
		if err := replaceMarked(path, table); err != nil {
			return err
		}
	}
	if s.json != "" {
		return r.writeJSON(s.json)
	}
	return nil
}

// row is one line of the table: the same inputs three ways.
type row struct {
	name            string
	batched, single string // benchmarks of package suites
	reference       string // of the reference program
	program         string // the folder of that program
}

// tableRows are the shapes of the reference's own benchmarks, and whole chains.
func tableRows() []row {
	var rows []row
	add := func(program, group, reference string, ns ...int) {
		for _, n := range ns {
			in := fmt.Sprintf("n=%d", n)
			rows = append(rows, row{
				name: group + "/" + in, program: program,
				batched: group + "/mode=batch/jobs=2/" + in, single: group + "/mode=single/jobs=1/" + in, reference: reference + "/" + in,
			})
		}
	}
	add("reference", "chain/shape=mainnet", "chain/shape=mainnet", 4, 16, 64)
	add("reference", "chain/shape=preprod", "chain/shape=preprod", 4, 16, 64, 256)
	add("reference", "stm/k=25", "stm/k=25/mode=batch", 1, 10, 20, 100)
	add("reference", "stm/k=250", "stm/k=250/mode=batch", 1, 10, 20, 100)
	add("reference-multisig", "multisig/sigs=300", "multisig", 1, 10, 20, 50, 100)
	return append(rows, row{
		name: "bls/sigs=1000", batched: "bls/sigs=1000/mode=aggregated/jobs=2", single: "bls/sigs=1000/mode=single/jobs=1",
		reference: "bls", program: "reference-multisig",
	})
}

func selected(s *settings) ([]row, error) {
	filter, err := regexp.Compile(s.filter)
	if err != nil {
		return nil, fmt.Errorf("-filter: %w", err)
	}
	var out []row
	for _, r := range tableRows() {
		if filter.MatchString(r.name) && !(s.noMultiSig && r.program == "reference-multisig") {
			out = append(out, r)
		}
	}
	return out, nil
}

// measurer builds and runs the reference programs.
type measurer struct {
	*settings
	stderr  io.Writer
	env     *benches.Env
	workers map[string]*benches.Worker
}

func (m *measurer) close() {
	for _, w := range m.workers {
		w.Close()
	}
}

// worker returns the running program of a folder, building it at first use.
func (m *measurer) worker(ctx context.Context, program string) (*benches.Worker, error) {
	if w := m.workers[program]; w != nil {
		return w, nil
	}
	target := filepath.Join(m.cache, "sidebyside", program)
	if !m.noBuild {
		fmt.Fprintf(m.stderr, "building %s\n", program)
		build := exec.CommandContext(ctx, "cargo", "build", "--release", "--locked", "--quiet",
			"--manifest-path", filepath.Join(m.folder, program, "Cargo.toml"), "--target-dir", target)
		build.Stdout, build.Stderr = m.stderr, m.stderr
		if err := build.Run(); err != nil {
			return nil, fmt.Errorf("building the reference: %w", err)
		}
	}
	inputs := filepath.Dir(suites.CachePath(m.inputs(), "x"))
	w, err := benches.StartWorker(ctx, m.stderr, filepath.Join(target, "release", program), inputs)
	if err != nil {
		return nil, err
	}
	m.workers[program] = w
	return w, nil
}

func (m *measurer) inputs() string { return filepath.Join(m.cache, "inputs") }

// measure takes samples of ours batched, ours one by one and the reference in
// turn.
func (m *measurer) measure(ctx context.Context, r row) (*rowResult, error) {
	if m.env == nil {
		m.env = &benches.Env{Cache: m.inputs()}
	}
	contestants := make([]benches.Sampler, 0, 3)
	var pairings [2]float64
	for i, id := range []string{r.batched, r.single} {
		b, err := find(id)
		if err != nil {
			return nil, err
		}
		s, op, err := benches.NewSampler(ctx, b, m.env)
		if err != nil {
			return nil, err
		}
		defer s.Close()
		pairings[i] = op.Counters["pairings"]
		contestants = append(contestants, benches.TimeProcess(s, os.Getpid()))
	}
	w, err := m.worker(ctx, r.program)
	if err != nil {
		return nil, err
	}
	peer, err := w.Prepare(r.reference)
	if err != nil {
		return nil, err
	}
	c := config(m.seconds)
	samples, err := benches.Interleave(ctx, c, append(contestants, benches.TimeProcess(peer, w.PID())), false)
	if err != nil {
		return nil, err
	}
	return newRowResult(r, samples, pairings, c)
}

// config gives slow rows fewer rounds, but never fewer than make an interval.
func config(seconds float64) benches.Config {
	c := benches.QuickConfig()
	c.SampleSize = 30
	c.WarmUp = 300 * time.Millisecond
	c.Measurement = time.Duration(seconds * float64(time.Second))
	c.Resamples = 20_000
	return c
}

func find(id string) (*benches.Benchmark, error) {
	found, err := benches.Select(suites.All(), id, true)
	if err != nil {
		return nil, err
	}
	if len(found) != 1 {
		return nil, fmt.Errorf("%d benchmarks are named %s", len(found), id)
	}
	return found[0], nil
}
