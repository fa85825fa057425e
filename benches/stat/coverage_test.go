package stat

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The true figures of the distributions below.
type truth struct{ mean, median, stdDev, mad float64 }

var normal = truth{mean: 100, median: 100, stdDev: 3, mad: 3}

// uniform on [97, 103]: the MAD is a quarter of the width, scaled.
var uniform = truth{mean: 100, median: 100, stdDev: 6 / math.Sqrt(12), mad: 1.5 * madScale}

func drawNormal(rng *rand.Rand) float64  { return 100 + 3*rng.NormFloat64() }
func drawUniform(rng *rand.Rand) float64 { return 97 + 6*rng.Float64() }

// TestCoverage draws many samples with known figures and counts how often the
// 95 % interval holds the truth. Seeds are fixed, so the counts are too.
func TestCoverage(t *testing.T) {
	t.Parallel()
	const trials = 2000
	for _, c := range []struct {
		name string
		n    int
		draw func(*rand.Rand) float64
		want truth
		// spread: whether intervals of spread are held to it too. Those of
		// fewer measurements are off (30 normal ones: standard deviation
		// 92 %, MAD 98 %); the package documentation says so.
		spread bool
	}{
		{"normal, 100 measurements", 100, drawNormal, normal, true},
		{"normal, 30 measurements", 30, drawNormal, normal, false},
		{"normal, 10 measurements", 10, drawNormal, normal, false},
		{"uniform, 100 measurements", 100, drawUniform, uniform, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(20, 26))
			xs := make([]float64, c.n)
			var hits [4]int
			for trial := range trials {
				for i := range xs {
					xs[i] = c.draw(rng)
				}
				u, err := Bootstrap(xs, Resampling{Resamples: 600, Confidence: 0.95, Seed: uint64(trial)})
				if err != nil {
					t.Fatal(err)
				}
				for k, e := range []struct {
					in   Interval
					want float64
				}{{u.Mean, c.want.mean}, {u.Median, c.want.median}, {u.StdDev, c.want.stdDev}, {u.MAD, c.want.mad}} {
					if e.in.Lower <= e.want && e.want <= e.in.Upper {
						hits[k]++
					}
				}
			}
			for k, name := range []string{"mean", "median", "standard deviation", "MAD"} {
				if k >= 2 && !c.spread {
					break
				}
				checkCoverage(t, name, hits[k], trials)
			}
		})
	}
}

func TestCoverageSlope(t *testing.T) {
	t.Parallel()
	const trials, slope = 2000, 42.0
	rng := rand.New(rand.NewPCG(3, 14))
	xs, ys := make([]float64, 100), make([]float64, 100)
	hits := 0
	for trial := range trials {
		for i := range xs {
			xs[i] = float64(i + 1)
			ys[i] = slope*xs[i] + 60*rng.NormFloat64()
		}
		in, _, err := BootstrapSlope(xs, ys, Resampling{Resamples: 600, Confidence: 0.95, Seed: uint64(trial)})
		if err != nil {
			t.Fatal(err)
		}
		if in.Lower <= slope && slope <= in.Upper {
			hits++
		}
	}
	checkCoverage(t, "slope", hits, trials)
}

// TestCoverageChange checks the intervals of relative changes.
func TestCoverageChange(t *testing.T) {
	t.Parallel()
	const trials, n, change = 1000, 60, 0.10
	rng := rand.New(rand.NewPCG(2, 71))
	base, cand := make([]float64, n), make([]float64, n)
	var hits, paired int
	for trial := range trials {
		r := Resampling{Resamples: 500, Confidence: 0.95, Seed: uint64(trial)}
		for i := range base {
			base[i], cand[i] = drawNormal(rng), drawNormal(rng)*(1+change)
		}
		c, err := Compare(base, cand, r)
		if err != nil {
			t.Fatal(err)
		}
		if c.Mean.Lower <= change && change <= c.Mean.Upper {
			hits++
		}
		// Noise that hits both members of a pair cancels.
		for i := range base {
			burden := 1 + rng.ExpFloat64()
			base[i] *= burden
			cand[i] *= burden
		}
		p, err := ComparePaired(base, cand, r)
		if err != nil {
			t.Fatal(err)
		}
		if p.Mean.Lower <= change && change <= p.Mean.Upper {
			paired++
		}
	}
	checkCoverage(t, "change of the mean", hits, trials)
	checkCoverage(t, "paired change", paired, trials)
}

func checkCoverage(t *testing.T, name string, hits, trials int) {
	t.Helper()
	got := 100 * float64(hits) / float64(trials)
	t.Logf("%s: %.1f %%", name, got)
	if got < 93 || got > 97 {
		t.Errorf("%s: the 95 %% interval covers %.1f %%, want 93 to 97", name, got)
	}
}
