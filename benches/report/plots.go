package report

import (
	"html/template"
	"math"

	"github.com/stmverify/stmverify/benches"
	"github.com/stmverify/stmverify/benches/stat"
)

// curvePoints is the resolution of density curves.
const curvePoints = 56

func densityPoints(d stat.Density) []point {
	pts := make([]point, len(d.X))
	for i := range d.X {
		pts[i] = point{d.X[i], d.Y[i]}
	}
	return pts
}

func peak(ds ...stat.Density) float64 {
	top := 0.0
	for _, d := range ds {
		for _, y := range d.Y {
			top = math.Max(top, y)
		}
	}
	return top
}

// densityAxis is a y axis for densities with room for the marks of samples
// below the curve: densities have no figures anybody reads.
func densityAxis(top float64) axis {
	return axis{lo: -0.14 * top, hi: 1.06 * top, unit: top, label: "density"}
}

// pdfPlot draws the density of time per iteration with the mean, its interval,
// the samples by outlier class and the fences.
func pdfPlot(r *benches.Result) template.HTML {
	per := r.Samples.PerIteration()
	d := stat.KDE(per, curvePoints)
	top := peak(d)
	c := newPlot("Density of the time per iteration", timeAxis(d.X[0], d.X[len(d.X)-1], "time per iteration"), densityAxis(top))
	c.xAxis(5)
	c.under("f l s0", densityPoints(d))
	mean := r.Estimates.Mean
	c.band("ci", mean.Lower, mean.Upper)
	c.vertical("mean", mean.Point)
	c.vertical("fence mild", r.Fences.LowMild, r.Fences.HighMild)
	c.vertical("fence severe", r.Fences.LowSevere, r.Fences.HighSevere)
	var normal, mild, severe []point
	for _, x := range per {
		p := point{x, -0.07 * top}
		switch r.Fences.Class(x) {
		case stat.Normal:
			normal = append(normal, p)
		case stat.LowMild, stat.HighMild:
			mild = append(mild, p)
		default:
			severe = append(severe, p)
		}
	}
	c.dots("s0", normal)
	c.dots("mild", mild)
	c.dots("severe", severe)
	return c.done()
}

// regressionPlot draws total time over iterations with the fitted line and its
// band for linear sampling, and the time of each sample for flat sampling.
func regressionPlot(r *benches.Result) template.HTML {
	if r.Sampling != benches.Linear || r.Estimates.Slope == nil {
		return iterationTimesPlot(r)
	}
	xs, ys := r.Samples.Iterations, r.Samples.Nanoseconds
	maxX, maxY := maxOf(xs), maxOf(ys)
	s := *r.Estimates.Slope
	unit, prefix := countUnit(maxX)
	c := newPlot("Total time over iterations", newAxis(0, maxX*1.03, "iterations"+prefix, unit), timeAxis(0, math.Max(maxY, s.Upper*maxX)*1.05, "total time"))
	c.axes(5, 5)
	c.area("ci", []point{{0, 0}, {maxX, s.Lower * maxX}, {maxX, s.Upper * maxX}})
	c.line("l s0", []point{{0, 0}, {maxX, s.Point * maxX}})
	c.dots("s0", zip(xs, ys))
	return c.done()
}

// countUnit scales iteration counts for tick labels.
func countUnit(n float64) (unit float64, label string) {
	switch {
	case n >= 1e7:
		return 1e6, " (millions)"
	case n >= 1e4:
		return 1e3, " (thousands)"
	}
	return 1, ""
}

func iterationTimesPlot(r *benches.Result) template.HTML {
	per := r.Samples.PerIteration()
	lo, hi := minOf(per), maxOf(per)
	air := (hi - lo) * 0.1
	n := float64(len(per))
	c := newPlot("Time per iteration of each sample", newAxis(0.5, n+0.5, "sample", 1), timeAxis(lo-air, hi+air, "time per iteration"))
	c.axes(6, 5)
	mean := r.Estimates.Mean
	c.area("ci", []point{{0.5, mean.Lower}, {n + 0.5, mean.Lower}, {n + 0.5, mean.Upper}, {0.5, mean.Upper}})
	c.line("mean", []point{{0.5, mean.Point}, {n + 0.5, mean.Point}})
	pts := make([]point, len(per))
	for i, y := range per {
		pts[i] = point{float64(i + 1), y}
	}
	c.dots("s0", pts)
	return c.done()
}

// smallPoints is the resolution of curves in small plots.
const smallPoints = 36

// thinned returns the density of a sorted bootstrap distribution, from 250
// evenly spaced quantiles of it: the curve needs no more.
func thinned(dist []float64) stat.Density {
	const n = 250
	thin := make([]float64, n)
	for i := range thin {
		thin[i] = stat.Quantile(dist, (float64(i)+0.5)/n)
	}
	return stat.KDE(thin, smallPoints)
}

// distributionPlot draws a bootstrap distribution with its interval shaded.
func distributionPlot(title string, dist []float64, in stat.Interval, x func(lo, hi float64, label string) axis) template.HTML {
	d := thinned(dist)
	top := peak(d)
	c := newSmall(title, x(d.X[0], d.X[len(d.X)-1], title), axis{lo: 0, hi: 1.06 * top, unit: 1})
	c.xAxis(3)
	c.under("ci", clip(d, in.Lower, in.Upper))
	c.line("l s0", densityPoints(d))
	c.vertical("mean", in.Point)
	return c.done()
}

// clip returns the part of a density between lo and hi.
func clip(d stat.Density, lo, hi float64) []point {
	pts := []point{{lo, d.At(lo)}}
	for i, x := range d.X {
		if x > lo && x < hi {
			pts = append(pts, point{x, d.Y[i]})
		}
	}
	return append(pts, point{hi, d.At(hi)})
}

// pdfOverlay draws the densities of a base and a candidate over each other.
func pdfOverlay(base, r *benches.Result) template.HTML {
	b := stat.KDE(base.Samples.PerIteration(), curvePoints)
	d := stat.KDE(r.Samples.PerIteration(), curvePoints)
	n := len(d.X) - 1
	c := newPlot("Densities before and after", timeAxis(math.Min(b.X[0], d.X[0]), math.Max(b.X[n], d.X[n]), "time per iteration"),
		axis{lo: 0, hi: 1.06 * peak(b, d), unit: 1})
	c.xAxis(5)
	c.under("f l base", densityPoints(b))
	c.under("f l s0", densityPoints(d))
	c.vertical("mean base", base.Estimates.Mean.Point)
	c.vertical("mean", r.Estimates.Mean.Point)
	return c.done()
}

// regressionOverlay draws both fitted lines, or both series of samples when one
// of the runs was sampled flat.
func regressionOverlay(base, r *benches.Result) template.HTML {
	if base.Estimates.Slope == nil || r.Estimates.Slope == nil {
		return iterationOverlay(base, r)
	}
	maxX := math.Max(maxOf(base.Samples.Iterations), maxOf(r.Samples.Iterations))
	sb, sr := *base.Estimates.Slope, *r.Estimates.Slope
	unit, prefix := countUnit(maxX)
	c := newPlot("Fitted lines before and after", newAxis(0, maxX*1.03, "iterations"+prefix, unit),
		timeAxis(0, math.Max(sb.Upper, sr.Upper)*maxX*1.05, "total time"))
	c.axes(5, 5)
	for _, l := range []struct {
		s     stat.Interval
		class string
		dots  *benches.Result
	}{{sb, "base", base}, {sr, "s0", r}} {
		c.area("ci "+l.class, []point{{0, 0}, {maxX, l.s.Lower * maxX}, {maxX, l.s.Upper * maxX}})
		c.line("l "+l.class, []point{{0, 0}, {maxX, l.s.Point * maxX}})
	}
	return c.done()
}

func iterationOverlay(base, r *benches.Result) template.HTML {
	pb, pr := base.Samples.PerIteration(), r.Samples.PerIteration()
	lo, hi := math.Min(minOf(pb), minOf(pr)), math.Max(maxOf(pb), maxOf(pr))
	air := (hi - lo) * 0.1
	n := float64(max(len(pb), len(pr)))
	c := newPlot("Samples before and after", newAxis(0.5, n+0.5, "sample", 1), timeAxis(lo-air, hi+air, "time per iteration"))
	c.axes(6, 5)
	c.dots("base", indexed(pb))
	c.dots("s0", indexed(pr))
	return c.done()
}

// tTestPlot draws the t statistics expected without a change, and the one
// observed.
func tTestPlot(ch *stat.Comparison) template.HTML {
	d := thinned(ch.TDist)
	lo, hi := d.X[0], d.X[len(d.X)-1]
	t := math.Max(-60, math.Min(60, ch.T)) // beyond, only the side matters
	air := (hi - lo) * 0.05
	c := newSmall("t without a change, and observed", newAxis(math.Min(lo, t-air), math.Max(hi, t+air), "t score", 1), axis{lo: 0, hi: 1.06 * peak(d), unit: 1})
	c.xAxis(4)
	c.under("f l base", densityPoints(d))
	c.vertical("mean", t)
	return c.done()
}

// changePlot draws the distribution of a relative change with its interval and
// the band of the noise threshold.
func changePlot(title string, dist []float64, in stat.Interval, noise float64) template.HTML {
	d := thinned(dist)
	lo, hi := math.Min(d.X[0], -1.2*noise), math.Max(d.X[len(d.X)-1], 1.2*noise)
	c := newSmall(title, percentAxis(lo, hi, title), axis{lo: 0, hi: 1.06 * peak(d), unit: 1})
	c.xAxis(4)
	c.band("noise", -noise, noise)
	c.under("ci", clip(d, in.Lower, in.Upper))
	c.line("l s0", densityPoints(d))
	c.vertical("mean", in.Point)
	return c.done()
}

func zip(xs, ys []float64) []point {
	pts := make([]point, len(xs))
	for i := range xs {
		pts[i] = point{xs[i], ys[i]}
	}
	return pts
}

func indexed(ys []float64) []point {
	pts := make([]point, len(ys))
	for i, y := range ys {
		pts[i] = point{float64(i + 1), y}
	}
	return pts
}

func minOf(xs []float64) float64 {
	m := math.Inf(1)
	for _, x := range xs {
		m = math.Min(m, x)
	}
	return m
}

func maxOf(xs []float64) float64 {
	m := math.Inf(-1)
	for _, x := range xs {
		m = math.Max(m, x)
	}
	return m
}
