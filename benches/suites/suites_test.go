package suites

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stmverify/stmverify/benches"
)

// testEnv caches inputs where the command does, so that `go test -bench` makes
// them once.
func testEnv(b *testing.B) *benches.Env {
	b.Helper()
	dir, err := os.UserCacheDir()
	if err != nil {
		return &benches.Env{}
	}
	return &benches.Env{Cache: filepath.Join(dir, "stmverify", "bench")}
}

// run runs the benchmarks whose name starts with prefix and a slash as
// sub-benchmarks named by the rest, so that benchstat can project its parts.
func run(b *testing.B, prefix string) {
	b.Helper()
	env := testEnv(b)
	for _, x := range All() {
		rest, ok := strings.CutPrefix(x.ID(), prefix+"/")
		if !ok {
			continue
		}
		b.Run(rest, func(b *testing.B) {
			op, err := x.Setup(b.Context(), env)
			if err != nil {
				b.Fatal(err)
			}
			if op.Close != nil {
				defer op.Close()
			}
			b.ReportAllocs()
			for b.Loop() {
				if err := op.Run(); err != nil {
					b.Fatal(err)
				}
			}
			if x.Elements > 0 {
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(x.Elements), "ns/"+strings.TrimSuffix(x.Unit, "s"))
			}
			for name, v := range op.Counters {
				b.ReportMetric(v, name+"/op")
			}
		})
	}
}

func BenchmarkMultiSig(b *testing.B) { run(b, "multisig") }
func BenchmarkBLS(b *testing.B)      { run(b, "bls") }
func BenchmarkSTM(b *testing.B)      { run(b, "stm") }
func BenchmarkSelftest(b *testing.B) { run(b, "selftest") }

// small leaves out what takes long to set up.
func small(x *benches.Benchmark) bool {
	return x.Value <= 10 && !strings.Contains(x.Group, "k=250")
}

// TestSuitesRun sets up and runs the smaller benchmarks once: they verify what
// they say, and count what they claim.
func TestSuitesRun(t *testing.T) {
	env := &benches.Env{}
	seen := map[string]bool{}
	for _, x := range All() {
		if seen[x.ID()] {
			t.Errorf("two benchmarks are named %s", x.ID())
		}
		seen[x.ID()] = true
		if !small(x) {
			continue
		}
		op, err := x.Setup(t.Context(), env)
		if err != nil {
			t.Fatalf("%s: %v", x.ID(), err)
		}
		if err := op.Run(); err != nil {
			t.Errorf("%s: %v", x.ID(), err)
		}
		if op.Close != nil {
			op.Close()
		}
		want, ok := wantPairings(x)
		if got := op.Counters["pairings"]; ok && got != want {
			t.Errorf("%s: %v pairings, want %v", x.ID(), got, want)
		}
	}
}

// wantPairings is 2n one by one and n+1 together: the deterministic side of
// every timing.
func wantPairings(x *benches.Benchmark) (float64, bool) {
	if x.Kind != benches.Scaling {
		return 0, false
	}
	if strings.Contains(x.Function, "mode=batch") {
		return x.Value + 1, true
	}
	return 2 * x.Value, true
}

func TestCacheGrows(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	made := 0
	get := func(n int) []line {
		t.Helper()
		lines, err := cached(&benches.Env{Cache: dir}, "things", n, func(have, want int) ([]line, error) {
			made += want - have
			out := make([]line, want-have)
			for i := range out {
				out[i].Message = string(rune('a' + have + i))
			}
			return out, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return lines
	}
	for _, c := range []struct{ n, made int }{{2, 2}, {5, 5}, {3, 5}, {5, 5}} {
		lines := get(c.n)
		if len(lines) != c.n || made != c.made || lines[c.n-1].Message != string(rune('a'+c.n-1)) {
			t.Errorf("%d lines: got %d, %d made so far, want %d", c.n, len(lines), made, c.made)
		}
	}
}
