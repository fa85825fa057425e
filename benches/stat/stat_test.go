package stat

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// boundary tests: figures checked by hand.
func TestLocationAndSpread(t *testing.T) {
	t.Parallel()
	xs := []float64{4, 1, 3, 2, 100}
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"mean", Mean(xs), 22},
		{"median, odd", Median(xs), 3},
		{"median, even", Median([]float64{1, 2, 3, 10}), 2.5},
		{"standard deviation", StdDev([]float64{2, 4, 4, 4, 5, 5, 7, 9}), math.Sqrt(32.0 / 7)},
		{"standard deviation of one", StdDev([]float64{7}), 0},
		{"MAD", MAD(xs), 1.4826},
		{"quantile between ranks", Quantile([]float64{10, 20, 30, 40}, 0.25), 17.5},
		{"quantile 0", Quantile([]float64{10, 20}, 0), 10},
		{"quantile 1", Quantile([]float64{10, 20}, 1), 20},
		{"slope", Slope([]float64{1, 2, 3}, []float64{2, 4, 6}), 2},
		{"slope weighs large x", Slope([]float64{1, 10}, []float64{0, 10}), 100.0 / 101},
		{"R² of a perfect line", RSquared([]float64{1, 2, 3}, []float64{2, 4, 6}, 2), 1},
		{"R² of a flat line", RSquared([]float64{1, 1, 1}, []float64{1, 2, 3}, 2), 0},
	} {
		if math.Abs(c.got-c.want) > 1e-12 {
			t.Errorf("%s: got %v, want %v", c.name, c.got, c.want)
		}
	}
	if !math.IsNaN(Median(nil)) || !math.IsNaN(Quantile(nil, 0.5)) {
		t.Error("median and quantile of nothing: want NaN")
	}
	if !slices.Equal(xs, []float64{4, 1, 3, 2, 100}) {
		t.Error("the sample was modified")
	}
}

func TestTukey(t *testing.T) {
	t.Parallel()
	xs := []float64{-100, -2, 10, 11, 12, 13, 14, 15, 16, 27, 200}
	f, o := Tukey(xs)
	// Quartiles 10.5 and 15.5: fences at 1.5 and 3 times 5.
	want := Fences{LowSevere: -4.5, LowMild: 3, HighMild: 23, HighSevere: 30.5}
	if f != want {
		t.Errorf("fences: got %+v, want %+v", f, want)
	}
	if (o != Outliers{1, 1, 1, 1}) || o.Total() != 4 {
		t.Errorf("outliers: got %+v, want one of each class", o)
	}
	for _, c := range []struct {
		x    float64
		want Class
	}{{-4.5, LowMild}, {3, Normal}, {23, Normal}, {23.1, HighMild}, {30.5, HighMild}, {31, HighSevere}, {-5, LowSevere}} {
		if got := f.Class(c.x); got != c.want {
			t.Errorf("class of %v: got %v, want %v", c.x, got, c.want)
		}
	}
}

func TestFitLine(t *testing.T) {
	t.Parallel()
	xs, ys, w := []float64{1, 10, 100}, []float64{5, 23, 203}, []float64{1, 2, 0.5}
	l := FitLine(xs, ys, w)
	if math.Abs(l.A-3) > 1e-9 || math.Abs(l.B-2) > 1e-9 {
		t.Errorf("got %+v, want y = 3 + 2x", l)
	}
}

func TestFitIntervals(t *testing.T) {
	t.Parallel()
	r := Resampling{Resamples: 4000, Confidence: 0.95, Seed: 1}
	xs := []float64{1, 10, 100}
	ys := []Interval{{Point: 5, StdErr: 0.05}, {Point: 23, StdErr: 0.2}, {Point: 203, StdErr: 2}}
	f, err := FitIntervals(xs, ys, r)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(f.A.Point-3) > 1e-9 || math.Abs(f.B.Point-2) > 1e-9 {
		t.Errorf("got %+v, want 3 + 2x", f)
	}
	for _, in := range []Interval{f.A, f.B} {
		if !(in.Lower < in.Point && in.Point < in.Upper) || in.Upper-in.Lower > 0.5 {
			t.Errorf("interval %+v does not hold its estimate, or is wide", in)
		}
	}
	if _, err := FitIntervals([]float64{4, 4}, ys[:2], r); err != ErrSampleSize {
		t.Errorf("one x: got %v, want %v", err, ErrSampleSize)
	}
}

func TestKDE(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	xs := make([]float64, 2000)
	for i := range xs {
		xs[i] = 5 + 2*rng.NormFloat64()
	}
	d := KDE(xs, 400)
	area, step := 0.0, d.X[1]-d.X[0]
	for _, y := range d.Y {
		area += y * step
	}
	if math.Abs(area-1) > 0.01 {
		t.Errorf("area under the density: got %v, want 1", area)
	}
	for _, x := range []float64{2, 5, 8} {
		want := math.Exp(-(x-5)*(x-5)/8) / (2 * math.Sqrt(2*math.Pi))
		if got := d.At(x); math.Abs(got-want) > 0.02 {
			t.Errorf("density at %v: got %v, want %v", x, got, want)
		}
	}
	if d.At(1e9) != 0 {
		t.Error("density outside of the range: want 0")
	}
	for _, same := range [][]float64{{7}, {7, 7, 7}, {0, 0}} {
		for _, y := range KDE(same, 16).Y {
			if math.IsNaN(y) || math.IsInf(y, 0) {
				t.Errorf("density of %v: got %v", same, y)
			}
		}
	}
}

// TestResampleMatchesSorting checks that medians and deviations read off
// multiplicities are those of the sorted resample.
func TestResampleMatchesSorting(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		ys := rapid.SliceOfN(rapid.Float64Range(-1e3, 1e3), 2, 30).Draw(t, "ys")
		slices.Sort(ys)
		count := make([]int, len(ys))
		var flat []float64
		for range ys {
			i := rapid.IntRange(0, len(ys)-1).Draw(t, "i")
			count[i]++
			flat = append(flat, ys[i])
		}
		median, at := countedMedian(ys, count, len(ys))
		if want := Median(flat); median != want {
			t.Fatalf("median: got %v, want %v", median, want)
		}
		got, want := madScale*countedMAD(ys, count, len(ys), median, at), MAD(flat)
		if math.Abs(got-want) > 1e-9 {
			t.Fatalf("MAD: got %v, want %v", got, want)
		}
	})
}

func TestBootstrapIsReproducible(t *testing.T) {
	t.Parallel()
	xs := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 30}
	r := Resampling{Resamples: 1000, Confidence: 0.95, Seed: 7}
	a, err := Bootstrap(xs, r)
	if err != nil {
		t.Fatal(err)
	}
	b, _ := Bootstrap(xs, r)
	if a.Mean != b.Mean || a.MAD != b.MAD {
		t.Error("equal seeds gave different intervals")
	}
	r.Seed++
	c, _ := Bootstrap(xs, r)
	if a.Mean == c.Mean {
		t.Error("different seeds gave the same interval")
	}
	if !slices.IsSorted(a.MeanDist) || !slices.IsSorted(a.MADDist) {
		t.Error("distributions are not sorted")
	}
	if _, err := Bootstrap(xs[:1], r); err != ErrSampleSize {
		t.Errorf("one measurement: got %v, want %v", err, ErrSampleSize)
	}
	if _, _, err := BootstrapSlope(xs[:1], xs[:1], r); err != ErrSampleSize {
		t.Errorf("one point: got %v, want %v", err, ErrSampleSize)
	}
}
