package report

import (
	"html/template"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/stmverify/stmverify/benches"
	"github.com/stmverify/stmverify/benches/stat"
)

// group is the results of one group, in the order of the run.
type group struct {
	Name      string
	Results   []*benches.Result
	Functions []string
	Inputs    []string
}

// groupsOf splits a run into its groups, keeping the order of first
// appearance.
func groupsOf(run *benches.Run) []*group {
	var out []*group
	byName := map[string]*group{}
	for _, r := range run.Results {
		g := byName[r.Group]
		if g == nil {
			g = &group{Name: r.Group}
			byName[r.Group] = g
			out = append(out, g)
		}
		g.Results = append(g.Results, r)
		if !slices.Contains(g.Functions, r.Function) {
			g.Functions = append(g.Functions, r.Function)
		}
		if !slices.Contains(g.Inputs, r.Input) {
			g.Inputs = append(g.Inputs, r.Input)
		}
	}
	return out
}

func (g *group) find(function, input string) *benches.Result {
	for _, r := range g.Results {
		if r.Function == function && r.Input == input {
			return r
		}
	}
	return nil
}

// of returns the results of a function that have a numeric input, ascending.
func (g *group) of(function string) []*benches.Result {
	var out []*benches.Result
	for _, r := range g.Results {
		if r.Function == function && r.Value > 0 {
			out = append(out, r)
		}
	}
	slices.SortStableFunc(out, func(a, b *benches.Result) int {
		switch {
		case a.Value < b.Value:
			return -1
		case a.Value > b.Value:
			return 1
		}
		return 0
	})
	return out
}

// maxViolins bounds the rows of one violin plot, violinLabel the length of their
// labels in characters.
const (
	maxViolins  = 24
	violinLabel = 32
)

// spread is how far apart the medians of a violin plot may lie before each
// violin is drawn relative to its own median.
const spread = 3

// violinPlot draws one violin a result. When medians are far apart, a common
// axis would show nothing of the shapes, so each is relative to its median.
func violinPlot(results []*benches.Result) (svg template.HTML, note string) {
	results = results[:min(len(results), maxViolins)]
	medians := make([]float64, len(results))
	for i, r := range results {
		medians[i] = r.Estimates.Median.Point
	}
	relative := maxOf(medians) > spread*minOf(medians)
	densities := make([]stat.Density, len(results))
	lo, hi := math.Inf(1), math.Inf(-1)
	for i, r := range results {
		per := r.Samples.PerIteration()
		if relative {
			for k := range per {
				per[k] = per[k]/medians[i] - 1
			}
		}
		densities[i] = stat.KDE(per, curvePoints)
		lo, hi = math.Min(lo, densities[i].X[0]), math.Max(hi, densities[i].X[curvePoints-1])
	}
	x := timeAxis(lo, hi, "time per iteration")
	if relative {
		x = percentAxis(math.Max(lo, -1), math.Min(hi, 1), "deviation from the median")
	}
	const row = 26.0
	h := row*float64(len(results)) + 52
	longest := 0
	for _, r := range results {
		longest = max(longest, min(violinLabel, utf8.RuneCountInString(label(r))))
	}
	c := &canvas{w: 480, h: h, left: 16 + 6.6*float64(longest), right: 464, top: 6, bottom: h - 46, x: x, y: axis{lo: float64(len(results)), hi: 0, unit: 1}}
	c.open("Violin plot")
	c.xAxis(5)
	c.b.WriteString(`<g class="y">`)
	for i, r := range results {
		c.label(c.left-6, c.py(float64(i)+0.5)+4, short(label(r), violinLabel))
	}
	c.b.WriteString(`</g>`)
	for i, d := range densities {
		top := peak(d)
		var upper, lower []point
		for k, v := range d.X {
			if v < x.lo || v > x.hi {
				continue
			}
			half := 0.42 * d.Y[k] / top
			upper = append(upper, point{v, float64(i) + 0.5 - half})
			lower = append(lower, point{v, float64(i) + 0.5 + half})
		}
		slices.Reverse(lower)
		c.area("f l "+series(i), append(upper, lower...))
		m := medians[i]
		if relative {
			m = 0
		}
		c.line("mean", []point{{m, float64(i) + 0.2}, {m, float64(i) + 0.8}})
	}
	if relative {
		note = "Each violin is relative to its own median, because the medians are more than three times apart."
	}
	return c.done(), note
}

// label names a result within its group.
func label(r *benches.Result) string {
	name := strings.ReplaceAll(r.Function, "/", " ")
	if r.Input == "" {
		return name
	}
	return name + " " + r.Input
}

// curve is one line of a line chart with its interval.
type curve struct {
	name   string
	xs     []float64
	ys     []stat.Interval
	fitted *stat.Fit
}

// lineChart draws curves with bands. Axes become logarithmic when values span
// a factor of 20. y converts a range to an axis.
func lineChart(title, xLabel string, curves []curve, y func(lo, hi float64) axis) (template.HTML, []legendItem) {
	xLo, xHi, yLo, yHi := math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	for _, k := range curves {
		for i, v := range k.xs {
			xLo, xHi = math.Min(xLo, v), math.Max(xHi, v)
			yLo, yHi = math.Min(yLo, k.ys[i].Lower), math.Max(yHi, k.ys[i].Upper)
		}
	}
	if !(yLo > 0) {
		yLo = math.Min(yLo, 0)
	}
	air := (yHi - yLo) * 0.05
	xa := newAxis(xLo, xHi, xLabel, 1).logarithmic()
	if !xa.log {
		xa = newAxis(xLo-(xHi-xLo)*0.04, xHi+(xHi-xLo)*0.04, xLabel, 1)
	}
	xa.whole = !xa.log
	ya := y(yLo, yHi).logarithmic()
	if !ya.log {
		ya = y(yLo-air, yHi+air)
	}
	c := newPlot(title, xa, ya)
	c.axes(6, 5)
	var legend []legendItem
	for i, k := range curves {
		class := series(i)
		var mid, lower, upper []point
		for j, v := range k.xs {
			mid = append(mid, point{v, k.ys[j].Point})
			lower = append(lower, point{v, math.Max(k.ys[j].Lower, ya.lo)})
			upper = append(upper, point{v, k.ys[j].Upper})
		}
		slices.Reverse(lower)
		c.area("ci "+class, append(upper, lower...))
		if k.fitted != nil {
			c.line("fit "+class, fitPoints(k.fitted, xa, ya))
		} else {
			c.line("l "+class, mid)
		}
		c.dots(class, mid)
		legend = append(legend, legendItem{class, k.name})
	}
	return c.done(), legend
}

// fitPoints draws a + b·x over the axis, which is a curve on logarithmic axes.
func fitPoints(f *stat.Fit, x, y axis) []point {
	var pts []point
	lo, hi := x.lo, x.hi
	for i := range 49 {
		t := float64(i) / 48
		v := lo + (hi-lo)*t
		if x.log {
			v = lo * math.Pow(hi/lo, t)
		}
		if w := f.A.Point + f.B.Point*v; w >= y.lo && w <= y.hi {
			pts = append(pts, point{v, w})
		}
	}
	return pts
}

// inputCurves returns a curve of typical times for every function with at
// least two numeric inputs, and the same as throughput.
func (g *group) inputCurves() (times, rates []curve) {
	for _, f := range g.Functions {
		rs := g.of(f)
		if len(rs) < 2 {
			continue
		}
		t, q := curve{name: f}, curve{name: f}
		for _, r := range rs {
			e := r.Estimates.Typical()
			t.xs, t.ys = append(t.xs, r.Value), append(t.ys, e)
			if r.Elements > 0 {
				q.xs, q.ys = append(q.xs, r.Value), append(q.ys, rateOf(r, e))
			}
		}
		times = append(times, t)
		if len(q.xs) >= 2 {
			rates = append(rates, q)
		}
	}
	return times, rates
}

// rateOf turns a time per iteration into elements a second.
func rateOf(r *benches.Result, t stat.Interval) stat.Interval {
	k := float64(r.Elements) * 1e9
	return stat.Interval{Lower: k / t.Upper, Point: k / t.Point, Upper: k / t.Lower, StdErr: k * t.StdErr / (t.Point * t.Point)}
}

func rateAxis(unit string) func(lo, hi float64) axis {
	return func(lo, hi float64) axis {
		name, k := unit+" a second", 1.0
		switch {
		case hi >= 1e6:
			name, k = "million "+name, 1e6
		case hi >= 1e4:
			name, k = "thousand "+name, 1e3
		}
		return newAxis(lo, hi, name, k)
	}
}
