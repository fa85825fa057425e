package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stmverify/stmverify/benches"
)

// TestRowsExist checks that every row names benchmarks there are.
func TestRowsExist(t *testing.T) {
	t.Parallel()
	for _, r := range tableRows() {
		for _, id := range []string{r.batched, r.single} {
			if _, err := find(id); err != nil {
				t.Errorf("%s: %v", r.name, err)
			}
		}
		if _, err := os.Stat(filepath.Join(r.program, "Cargo.toml")); err != nil {
			t.Errorf("%s: %v", r.name, err)
		}
	}
}

func TestMissingCargo(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	var out, errs bytes.Buffer
	if err := run(t.Context(), []string{"-cache-dir", t.TempDir()}, &out, &errs); !errors.Is(err, errNoCargo) {
		t.Errorf("got %v, want %v", err, errNoCargo)
	}
}

// TestTable checks ratios and the replaced part of a file on samples whose
// ratio is known.
func TestTable(t *testing.T) {
	t.Parallel()
	samples := make([]benches.Samples, 3)
	for round := range 12 {
		burden := 1 + float64(round%5) // noise common to a round cancels
		for i, ns := range []float64{1e6, 2e6, 5e6} {
			samples[i].Iterations = append(samples[i].Iterations, 1)
			samples[i].Nanoseconds = append(samples[i].Nanoseconds, ns*burden)
			samples[i].CPU = append(samples[i].CPU, ns*float64(i+1))
		}
	}
	x, err := newRowResult(row{name: "stm/k=25/n=1"}, samples, [2]float64{2, 2}, config(1))
	if err != nil {
		t.Fatal(err)
	}
	if got := ratio(x.ReferenceToBatch); got != "5.00 [5.00, 5.00]" {
		t.Errorf("ratio: got %s", got)
	}
	r := &results{date: time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC), rows: []*rowResult{x}, machine: benches.Machine{CPU: "Example", Cores: 2}}
	path := filepath.Join(t.TempDir(), "README.md")
	if err := os.WriteFile(path, []byte("above\n"+markBegin+"\nold\n"+markEnd+"\nbelow\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := replaceMarked(path, r.markdown()); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"above\n" + markBegin, "| stm/k=25/n=1 |", "| 5.00 [5.00, 5.00] | 15.00 [15.00, 15.00] | 3.75 [3.75, 3.75] |", markEnd + "\nbelow\n", "1 December 2026"} {
		if !strings.Contains(string(got), want) {
			t.Errorf("the file lacks %q:\n%s", want, got)
		}
	}
	if strings.Contains(string(got), "old") {
		t.Error("the old table is still there")
	}
	if err := os.WriteFile(path, []byte("no marks"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := replaceMarked(path, "x"); err == nil {
		t.Error("a file without marks was changed")
	}
}

func TestShort(t *testing.T) {
	t.Parallel()
	for ns, want := range map[float64]string{1.234e9: "1.23 s", 12.34e6: "12.3 ms", 123.4e6: "123 ms", 5.678e3: "5.68 µs", 12: "12 ns"} {
		if got := short(ns); got != want {
			t.Errorf("%v: got %s, want %s", ns, got, want)
		}
	}
}
