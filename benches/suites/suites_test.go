package suites

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stmverify/stmverify/benches"
	"github.com/stmverify/stmverify/certificate"
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
func BenchmarkChain(b *testing.B)    { run(b, "chain") }
func BenchmarkStages(b *testing.B)   { run(b, "stages") }
func BenchmarkDecode(b *testing.B)   { run(b, "decode") }
func BenchmarkSigning(b *testing.B)  { run(b, "signing") }
func BenchmarkEd25519(b *testing.B)  { run(b, "ed25519") }

// small leaves out what takes long to set up.
func small(x *benches.Benchmark) bool {
	return x.Value <= 10 && !strings.Contains(x.Group, "k=250") && !strings.Contains(x.ID(), "shape=mainnet")
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
	if strings.HasPrefix(x.Group, "chain/") { // genesis has no pairing
		x = &benches.Benchmark{Function: x.Function, Value: x.Value - 1}
		if x.Value == 0 {
			return 0, true
		}
	}
	if strings.Contains(x.Function, "mode=batch") {
		return x.Value + 1, true
	}
	return 2 * x.Value, true
}

// TestGeneratedProofs checks that skipping lotteries gives the proof that a
// clerk makes of all of them, byte for byte.
func TestGeneratedProofs(t *testing.T) {
	t.Parallel()
	s := shape{"test", 40, 20, 150, 0.4}
	lines, err := makeProofs(t.Context(), &benches.Env{}, s, 0, 2)
	if err != nil {
		t.Fatal(err)
	}
	r, err := register(t.Context(), s, 0)
	if err != nil {
		t.Fatal(err)
	}
	for i, l := range lines {
		msg := seeded("message of "+s.name, i)
		singles, err := r.Sign(t.Context(), msg)
		if err != nil {
			t.Fatal(err)
		}
		want, err := r.Clerk.Aggregate(msg, singles)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(want.AppendJSON(nil)); got != l.Proof {
			t.Errorf("proof %d differs from the clerk's:\n%.200s\n%.200s", i, l.Proof, got)
		}
	}
}

// TestChainCache checks that chains of all lengths come from one file.
func TestChainCache(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "chain")
	made, err := cachedChain(t.Context(), &benches.Env{}, "shape=preprod", 5)
	if err != nil {
		t.Fatal(err)
	}
	if err := writeChain(path, made); err != nil {
		t.Fatal(err)
	}
	read, err := readChain(path, 5)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(made, read); d != "" {
		t.Error(d)
	}
	if c, err := readChain(path, 6); c != nil || err != nil {
		t.Errorf("a chain of another length was read: %v, %v", c, err)
	}
	shorter, err := cachedChain(t.Context(), &benches.Env{}, "shape=preprod", 3)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(made.Certificates[2:], shorter.Certificates); d != "" {
		t.Errorf("a shorter chain is not the end of a longer one: %s", d)
	}
}

// TestMainnetShape holds the chain that stands for mainnet to what mainnet's certificates weigh: what a certificate
// costs is mostly its signatures.
func TestMainnetShape(t *testing.T) {
	t.Parallel()
	c, err := cachedChain(t.Context(), &benches.Env{}, "shape=mainnet", 3)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range c.Certificates[:2] {
		decoded, err := certificate.Decode(text)
		if err != nil {
			t.Fatal(err)
		}
		if n := decoded.MultiSignature.Len(); n < 53 || n > 65 {
			t.Errorf("%d signatures, want about the 59 of mainnet", n)
		}
		if n := len(text); n < 100_000 || n > 130_000 {
			t.Errorf("%d bytes, want about the 113 552 of mainnet", n)
		}
	}
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
