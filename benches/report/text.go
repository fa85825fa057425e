package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"

	"golang.org/x/perf/benchfmt"

	"github.com/stmverify/stmverify/benches"
)

// Markdown writes a summary for a pull request: machine, changes (the worst
// first) and one table a group.
func Markdown(w io.Writer, in Input) error {
	var b strings.Builder
	run := in.Run
	fmt.Fprintf(&b, "## Benchmarks\n\n")
	for _, f := range machineFacts(run) {
		if f.Name == "command" {
			f.Value = codeSpan(f.Value)
		}
		fmt.Fprintf(&b, "- %s: %s\n", f.Name, f.Value)
	}
	for _, warning := range Warnings(run) {
		fmt.Fprintf(&b, "\n> **Warning:** %s\n", warning)
	}
	if t, summary := changesTable(run); t != nil {
		fmt.Fprintf(&b, "\n### Changes\n\n%s\n\n", summary)
		writeTable(&b, *t)
	}
	for _, g := range groupsOf(run) {
		fmt.Fprintf(&b, "\n### %s\n\n", g.Name)
		t := groupTable(g)
		for i := range t.Rows { // the last columns are for the full report
			t.Rows[i] = t.Rows[i][:6]
		}
		t.Header = t.Header[:6]
		writeTable(&b, t)
	}
	fmt.Fprintf(&b, "\nIntervals: %.0f %% bootstrap, seed %d, %d resamples.\n", 100*run.Config.Confidence, run.Config.Seed, run.Config.Resamples)
	_, err := io.WriteString(w, b.String())
	return err
}

// codeSpan keeps Markdown from reading a command: its stars and underscores.
func codeSpan(s string) string {
	if strings.Contains(s, "`") {
		return "`` " + s + " ``"
	}
	return "`" + s + "`"
}

func writeTable(b *strings.Builder, t Table) {
	row := func(cells []string) {
		b.WriteString("|")
		for _, c := range cells {
			b.WriteString(" " + strings.ReplaceAll(c, "|", "\\|") + " |")
		}
		b.WriteString("\n")
	}
	row(t.Header)
	b.WriteString("|---|" + strings.Repeat("---:|", len(t.Header)-1) + "\n")
	for _, r := range t.Rows {
		row(r)
	}
}

// Benchfmt writes every sample as one line of `go test -bench` output, which
// benchstat reads: a saved baseline can be compared with a fresh native run.
func Benchfmt(w io.Writer, run *benches.Run) error {
	out := benchfmt.NewWriter(w)
	config := func(res *benchfmt.Result) {
		for _, kv := range [][2]string{
			{"goos", run.Machine.OS}, {"goarch", run.Machine.Arch}, {"pkg", "github.com/stmverify/stmverify/benches/suites"},
			{"cpu", run.Machine.CPU}, {"backend", run.Machine.Backend}, {"commit", run.Machine.Commit},
		} {
			if kv[1] != "" {
				res.SetConfig(kv[0], kv[1])
				res.Config[len(res.Config)-1].File = true
			}
		}
	}
	for _, r := range run.Results {
		name := testName(r.ID())
		if run.Machine.GoMaxProcs > 1 {
			name += "-" + strconv.Itoa(run.Machine.GoMaxProcs)
		}
		for i, ns := range r.Samples.Nanoseconds {
			n := r.Samples.Iterations[i]
			res := &benchfmt.Result{Name: benchfmt.Name(name), Iters: int(n)}
			config(res)
			res.Values = []benchfmt.Value{{Value: ns / n / 1e9, Unit: "sec/op", OrigValue: ns / n, OrigUnit: "ns/op"}}
			if len(r.Samples.Allocs) > 0 {
				res.Values = append(res.Values,
					benchfmt.Value{Value: r.Samples.Bytes[i] / n, Unit: "B/op"},
					benchfmt.Value{Value: r.Samples.Allocs[i] / n, Unit: "allocs/op"})
			}
			for _, c := range sortedKeys(r.Counters) {
				res.Values = append(res.Values, benchfmt.Value{Value: r.Counters[c], Unit: c + "/op"})
			}
			if err := out.Write(res); err != nil {
				return fmt.Errorf("report: benchfmt: %w", err)
			}
		}
	}
	return nil
}

// testName turns an ID into the name its BenchmarkX has under `go test`: the
// first part is the function, in the spelling of [TestFunction].
func testName(id string) string {
	first, rest, ok := strings.Cut(id, "/")
	if !ok {
		return TestFunction(first)
	}
	return TestFunction(first) + "/" + rest
}

// TestFunction returns the second half of the name of the Benchmark function
// for the first part of an ID: "stm" is measured by BenchmarkSTM.
func TestFunction(first string) string {
	switch first {
	case "stm", "bls":
		return strings.ToUpper(first)
	case "multisig":
		return "MultiSig"
	}
	if first == "" {
		return first
	}
	return strings.ToUpper(first[:1]) + first[1:]
}

// Bencher writes the lines of Rust's built-in harness, criterion's
// `--output-format bencher`.
func Bencher(w io.Writer, r *benches.Result) error {
	t := r.Estimates.Typical()
	_, err := fmt.Fprintf(w, "test %s ... bench: %11.0f ns/iter (+/- %.0f)\n", r.ID(), t.Point, (t.Upper-t.Lower)/2)
	return err
}

// CSV writes the raw samples, one a line.
func CSV(w io.Writer, run *benches.Run) error {
	out := csv.NewWriter(w)
	if err := out.Write([]string{"group", "function", "input", "elements", "unit", "sample", "iterations", "nanoseconds", "allocs", "bytes"}); err != nil {
		return err
	}
	f := func(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
	for _, r := range run.Results {
		for i := range r.Samples.Nanoseconds {
			allocs, bytes := "", ""
			if len(r.Samples.Allocs) > 0 {
				allocs, bytes = f(r.Samples.Allocs[i]), f(r.Samples.Bytes[i])
			}
			if err := out.Write([]string{r.Group, r.Function, r.Input, strconv.FormatUint(r.Elements, 10), r.Unit, strconv.Itoa(i),
				f(r.Samples.Iterations[i]), f(r.Samples.Nanoseconds[i]), allocs, bytes}); err != nil {
				return err
			}
		}
	}
	out.Flush()
	return out.Error()
}
