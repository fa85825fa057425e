package stat

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestHolm(t *testing.T) {
	t.Parallel()
	got := Holm([]float64{0.01, 0.04, 0.03, 0.005, 0.9})
	want := []float64{0.04, 0.09, 0.09, 0.025, 0.9}
	if d := cmp.Diff(want, got, cmpopts.EquateApprox(0, 1e-12)); d != "" {
		t.Error(d)
	}
	if len(Holm(nil)) != 0 {
		t.Error("no p-values: want none back")
	}
}

func TestSignedRank(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		ds   []float64
		want float64
	}{
		// All eight of one sign: 2/2^8.
		{"exact, all positive", []float64{1, 2, 3, 4, 5, 6, 7, 8}, 2.0 / 256},
		// Rank sum 1 below: {} and {1}, twice, of 2^5.
		{"exact, smallest negative", []float64{-1, 2, 3, 4, 5}, 4.0 / 32},
		{"zeros are dropped", []float64{0, 0, -1, 2, 3, 4, 5}, 4.0 / 32},
		{"nothing left", []float64{0, 0}, 1},
		{"balanced", []float64{1, -2, -3, 4}, 1},
	} {
		if _, p := SignedRank(c.ds); math.Abs(p-c.want) > 1e-12 {
			t.Errorf("%s: got p = %v, want %v", c.name, p, c.want)
		}
	}
	// The normal approximation agrees with the exact count at its border.
	ds := make([]float64, signedRankExact)
	for i := range ds {
		ds[i] = float64(i + 1)
		if i%3 == 0 {
			ds[i] = -ds[i]
		}
	}
	z, exact := SignedRank(ds)
	ds[19] = 19.0 // a tie forces the approximation, and moves the sum by half a rank
	_, tied := SignedRank(ds)
	if math.Abs(exact-tied) > 0.005 || z < 0 {
		t.Errorf("exact p = %v (z = %v), approximate p = %v", exact, z, tied)
	}
}

func TestJudge(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		lo, hi float64
		p      float64
		want   Verdict
	}{
		{"slower", 0.05, 0.12, 0.001, Regressed},
		{"faster", -0.12, -0.05, 0.001, Improved},
		{"p too large", 0.05, 0.12, 0.05, NoChange},
		{"touches the noise band", 0.009, 0.12, 0.001, NoiseThreshold},
		{"inside the noise band", 0.001, 0.002, 0.001, NoiseThreshold},
		{"undefined p", 0.05, 0.12, math.NaN(), NoChange},
	} {
		if got := Judge(Interval{Lower: c.lo, Upper: c.hi}, c.p, 0.05, 0.01); got != c.want {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}

// TestFalseAlarms counts how often samples of one distribution are called
// different at 5 %, and how often a 5 % change under 3 % noise is missed.
func TestFalseAlarms(t *testing.T) {
	t.Parallel()
	const trials, n = 400, 40
	rng := rand.New(rand.NewPCG(9, 9))
	var alarms, pairedAlarms, whitney, missed, pairedMissed int
	base, same, slow := make([]float64, n), make([]float64, n), make([]float64, n)
	for trial := range trials {
		for i := range base {
			base[i], same[i] = drawNormal(rng), drawNormal(rng)
			slow[i] = drawNormal(rng) * 1.05
		}
		r := Resampling{Resamples: 400, Confidence: 0.95, Seed: uint64(trial)}
		count := func(cmp func(a, b []float64, r Resampling) (*Comparison, error), other []float64) *Comparison {
			c, err := cmp(base, other, r)
			if err != nil {
				t.Fatal(err)
			}
			return c
		}
		if c := count(Compare, same); c.P < 0.05 {
			alarms++
			if c.MannWhitney < 0.05 {
				whitney++
			}
		}
		if count(ComparePaired, same).P < 0.05 {
			pairedAlarms++
		}
		if count(Compare, slow).P >= 0.05 {
			missed++
		}
		if count(ComparePaired, slow).P >= 0.05 {
			pairedMissed++
		}
	}
	t.Logf("of %d: false alarms %d, paired %d; missed %d, paired %d", trials, alarms, pairedAlarms, missed, pairedMissed)
	for name, got := range map[string]int{"t test": alarms, "signed ranks": pairedAlarms} {
		// Binomial(400, 0.05) lies in [8, 34] with probability 0.999.
		if got < 8 || got > 34 {
			t.Errorf("%s: %d false alarms in %d trials at 5 %%, want 8 to 34", name, got, trials)
		}
	}
	if whitney == 0 {
		t.Error("the Mann–Whitney test never shares an alarm: is it computed?")
	}
	if missed > 2 || pairedMissed > 2 {
		t.Errorf("a change of 5 %% under 3 %% noise was missed %d and %d times in %d", missed, pairedMissed, trials)
	}
}

func TestCompareRefusesTooFew(t *testing.T) {
	t.Parallel()
	one, two := []float64{1}, []float64{1, 2}
	r := Resampling{Resamples: 10, Confidence: 0.95}
	if _, err := Compare(one, two, r); err != ErrSampleSize {
		t.Errorf("got %v, want %v", err, ErrSampleSize)
	}
	if _, err := ComparePaired(two, one, r); err != ErrSampleSize {
		t.Errorf("unpaired lengths: got %v, want %v", err, ErrSampleSize)
	}
	c, err := Compare([]float64{5, 5, 5}, []float64{5, 5, 5}, r)
	if err != nil || c.MannWhitney != 1 || c.P < 0.9 {
		t.Errorf("equal constants: got %+v, %v, want p = 1", c, err)
	}
}
