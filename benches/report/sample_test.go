package report

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stmverify/stmverify/benches"
)

// row is one benchmark of a synthetic run.
type row struct {
	b        benches.Benchmark
	ns       float64
	linear   bool
	pairings float64
}

// smallRows are the rows of the committed sample set: a scaling group, two
// breakdowns and a group without inputs.
func smallRows() []row {
	var rows []row
	for _, n := range []uint64{1, 10, 100} {
		for _, f := range []struct {
			name             string
			fixed, each, per float64
			pairs            float64
		}{{"mode=single", 0, 1.4e6, 2, 0}, {"mode=batch", 6e5, 4e5, 1, 1}} {
			rows = append(rows, row{
				b: benches.Benchmark{Group: "stm/shape=small", Function: f.name, Input: fmt.Sprintf("n=%d", n), Value: float64(n),
					Elements: n, Unit: "certificates", Kind: benches.Scaling},
				ns: f.fixed + f.each*float64(n), linear: n == 1, pairings: f.per*float64(n) + f.pairs,
			})
		}
	}
	for _, shape := range []struct {
		name string
		ns   []float64
	}{{"mainnet", []float64{6.2e6, 1e6, 2.1e6, 1.3e5}}, {"preprod", []float64{1.5e5, 2e4, 1.5e5, 1.3e5}}} {
		for i, stage := range []string{"decode", "lottery", "combine", "miller"} {
			rows = append(rows, row{
				b:  benches.Benchmark{Group: "stages/shape=" + shape.name, Function: "stage=" + stage, Kind: benches.Breakdown},
				ns: shape.ns[i], linear: true,
			})
		}
	}
	return append(rows, row{b: benches.Benchmark{Group: "register", Function: "close"}, ns: 812, linear: true})
}

// synthetic makes a run of the rows with samples drawn from a seed: a little
// noise with a tail, times scale.
func synthetic(name string, rows []row, samples int, seed uint64, scale func(i int) float64) (*benches.Run, error) {
	rng := rand.New(rand.NewPCG(seed, 1))
	c := benches.DefaultConfig()
	c.SampleSize, c.Resamples = samples, 2000
	run := &benches.Run{
		Name: name, Started: time.Date(2026, 11, int(seed), 12, 0, 0, 0, time.UTC), Seconds: 61.5, Command: "stmverify bench run",
		Machine: benches.Machine{CPU: "Example CPU @ 3.0 GHz", Cores: 2, GoMaxProcs: 2, OS: "linux", Arch: "amd64", Go: "go1.26.8",
			Backend: "blst v0.3.17", LoadBefore: 0.4, Commit: "0123456789abcdef0123"},
		Config: c,
	}
	for i, w := range rows {
		var s benches.Samples
		sampling := benches.Flat
		for k := range samples {
			n := 4.0
			if w.linear {
				n, sampling = float64(k+1), benches.Linear
			}
			noise := 1 + 0.008*rng.NormFloat64()
			if rng.IntN(15) == 0 {
				noise += 0.05 * rng.ExpFloat64()
			}
			s.Iterations = append(s.Iterations, n)
			s.Nanoseconds = append(s.Nanoseconds, math.Round(w.ns*n*noise*scale(i)))
			s.Allocs = append(s.Allocs, 12*n)
			s.Bytes = append(s.Bytes, 2048*n)
		}
		r, err := benches.NewResult(&w.b, sampling, s, c)
		if err != nil {
			return nil, err
		}
		if w.pairings > 0 {
			r.Counters = map[string]float64{"pairings": w.pairings}
		}
		run.Results = append(run.Results, r)
	}
	return run, nil
}

func constant(v float64) func(int) float64 { return func(int) float64 { return v } }

// sampleInput reads the committed sample set: a base and a run in which one
// benchmark regressed and one improved. UPDATE_GOLDEN=1 draws it again.
func sampleInput(t *testing.T) Input {
	t.Helper()
	const basePath, runPath = "testdata/base.json", "testdata/run.json"
	if os.Getenv("UPDATE_GOLDEN") != "" {
		base, err := synthetic("main", smallRows(), 30, 1, constant(1))
		if err != nil {
			t.Fatal(err)
		}
		run, err := synthetic("", smallRows(), 30, 2, func(i int) float64 {
			return map[int]float64{1: 1.12, 5: 0.8}[i] + map[bool]float64{true: 1}[i != 1 && i != 5]
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := benches.Compare(run, base); err != nil {
			t.Fatal(err)
		}
		for path, r := range map[string]*benches.Run{basePath: base, runPath: run} {
			var b bytes.Buffer
			if err := r.WriteJSON(&b); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	base, err := benches.LoadFile(basePath)
	if err != nil {
		t.Fatal(err)
	}
	run, err := benches.LoadFile(runPath)
	if err != nil {
		t.Fatal(err)
	}
	return Input{Run: run, Base: base, History: []*benches.Run{base}}
}

// golden compares with a file under testdata; UPDATE_GOLDEN=1 rewrites it.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(want, got) {
		t.Errorf("%s differs:\n%s", name, cmp.Diff(string(want), string(got)))
	}
}

// fullRows has the size of a run of all suites.
func fullRows() []row {
	var rows []row
	for _, g := range []string{"multisig/sigs=300", "stm/shape=k25", "stm/shape=k250", "chain/shape=mainnet", "chain/shape=preprod", "bls/sigs=1000"} {
		for _, f := range []string{"mode=single", "mode=batch", "mode=batch+cores"} {
			for i, n := range []uint64{1, 4, 16, 64, 256} {
				rows = append(rows, row{b: benches.Benchmark{Group: g, Function: f, Input: fmt.Sprintf("n=%d", n), Value: float64(n), Elements: n,
					Unit: "certificates", Kind: benches.Scaling}, ns: 4e5 * float64(n) * float64(1+i%2), linear: i < 2})
			}
		}
	}
	for _, g := range []string{"stages/shape=mainnet", "stages/shape=preprod"} {
		for i, f := range []string{"decode", "lottery", "merkle", "hash-to-curve", "combine-g1", "combine-g2", "miller", "final"} {
			rows = append(rows, row{b: benches.Benchmark{Group: g, Function: "stage=" + f, Kind: benches.Breakdown}, ns: 1e5 * float64(i+1), linear: true})
		}
	}
	for _, f := range []string{"impl=strict", "impl=zip215", "impl=stdlib", "impl=voi", "impl=consensus"} {
		for n := uint64(1); n <= 16384; n *= 4 {
			rows = append(rows, row{b: benches.Benchmark{Group: "ed25519/rules=all", Function: f, Input: fmt.Sprintf("n=%d", n), Value: float64(n),
				Elements: n, Unit: "signatures"}, ns: 2.5e4 * float64(n), linear: n < 16})
		}
	}
	return rows
}
