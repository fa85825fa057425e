package report

import (
	"fmt"
	"html/template"
	"math"
	"strings"

	"github.com/stmverify/stmverify/benches"
	"github.com/stmverify/stmverify/benches/stat"
)

// Table is a table under a chart. Every row has as many cells as the header.
type Table struct {
	Header []string
	Rows   [][]string
}

// Chart is a drawing with its legend, note and table.
type Chart struct {
	Title  string
	SVG    template.HTML
	Legend []legendItem
	Note   string
	Table  Table
}

// breakdown stacks the stages of every group of kind Breakdown: one bar a
// shape, as shares of the sum. It returns nil when nothing was staged.
func breakdown(groups []*group) *Chart {
	var bars []*group
	var stages []string
	for _, g := range groups {
		if len(g.Results) == 0 || g.Results[0].Kind != benches.Breakdown {
			continue
		}
		bars = append(bars, g)
		for _, f := range g.Functions {
			if !contains(stages, f) {
				stages = append(stages, f)
			}
		}
	}
	if len(bars) == 0 {
		return nil
	}
	const row = 34.0
	h := row*float64(len(bars))*1.35 + 46
	c := &canvas{w: 480, h: h, left: 8, right: 464, top: 6, bottom: h - 40,
		x: newAxis(0, 1, "share of the sum of the stages (%)", 0.01), y: axis{lo: 0, hi: 1, unit: 1}}
	c.open("Cost breakdown")
	c.xAxis(5)
	ch := &Chart{Title: "Cost breakdown", Table: Table{Header: []string{"stage"}}}
	sums := make([]float64, len(bars))
	for i, g := range bars {
		for _, r := range g.Results {
			sums[i] += r.Estimates.Typical().Point
		}
		y := c.top + float64(i)*row*1.35
		fmt.Fprintf(&c.b, `<text class="bl" x="%s" y="%s">%s: %s</text>`, num(c.left+2), num(y+12), g.Name, benches.Duration(sums[i]))
		at := 0.0
		for k, stage := range stages {
			share := 0.0
			for _, r := range g.Results {
				if r.Function == stage {
					share += r.Estimates.Typical().Point / sums[i]
				}
			}
			if share <= 0 {
				continue
			}
			x0, x1 := c.px(at), c.px(at+share)
			fmt.Fprintf(&c.b, `<rect class="%s%s" x="%s" y="%s" width="%s" height="%g"/>`, series(k), hatch(k), num(x0), num(y+17), num(x1-x0), row*0.62)
			at += share
		}
		ch.Table.Header = append(ch.Table.Header, g.Name)
	}
	for k, stage := range stages {
		ch.Legend = append(ch.Legend, legendItem{series(k) + hatch(k), stage})
		cells := []string{stage}
		for i, g := range bars {
			cell := "–"
			if r := g.find(stage, inputOf(g, stage)); r != nil {
				t := r.Estimates.Typical()
				cell = fmt.Sprintf("%s (%.1f %%)", interval(t), 100*t.Point/sums[i])
			}
			cells = append(cells, cell)
		}
		ch.Table.Rows = append(ch.Table.Rows, cells)
	}
	total := []string{"sum"}
	for _, s := range sums {
		total = append(total, benches.Duration(s))
	}
	ch.Table.Rows = append(ch.Table.Rows, total)
	ch.SVG = c.done()
	ch.Note = "Each stage is measured alone, on the data of one certificate of the shape; their sum differs a little from the time of the whole."
	return ch
}

// hatch marks the second round through the eight colours.
func hatch(k int) string {
	if k >= 8 {
		return " again"
	}
	return ""
}

func inputOf(g *group, function string) string {
	for _, r := range g.Results {
		if r.Function == function {
			return r.Input
		}
	}
	return ""
}

func contains(xs []string, x string) bool {
	for _, y := range xs {
		if y == x {
			return true
		}
	}
	return false
}

// scaling draws, for a group of kind Scaling, measured times over n with the
// fitted line a + b·n of every function, and counts pairings beside them. It
// returns nil for other groups and when nothing can be fitted.
func scaling(g *group, re stat.Resampling) *Chart {
	if len(g.Results) == 0 || g.Results[0].Kind != benches.Scaling {
		return nil
	}
	times, _ := g.inputCurves()
	if len(times) == 0 {
		return nil
	}
	ch := &Chart{Title: g.Name, Table: Table{Header: []string{"function", "fixed cost a", "marginal cost b", "R² of the fit"}}}
	unit := "element"
	fits := map[string]stat.Fit{}
	for i := range times {
		k := &times[i]
		f, err := stat.FitIntervals(k.xs, k.ys, re)
		if err != nil {
			continue
		}
		k.fitted = &f
		fits[k.name] = f
		if u := g.of(k.name)[0].Unit; u != "" {
			unit = strings.TrimSuffix(u, "s")
		}
		ch.Table.Rows = append(ch.Table.Rows, []string{k.name, interval(f.A), interval(f.B) + " a " + unit, fmt.Sprintf("%.4f", fitQuality(k))})
	}
	ch.SVG, ch.Legend = lineChart("Batch scaling of "+g.Name, "number of "+unit+"s", times, func(lo, hi float64) axis { return timeAxis(lo, hi, "time") })
	ch.Note = breakEven(g.Functions, fits)
	return ch
}

// fitQuality is R² on the logarithms, so that small inputs count.
func fitQuality(k *curve) float64 {
	var obs, fit []float64
	for i, x := range k.xs {
		obs = append(obs, math.Log(k.ys[i].Point))
		fit = append(fit, math.Log(math.Max(1, k.fitted.A.Point+k.fitted.B.Point*x)))
	}
	mean := stat.Mean(obs)
	var res, tot float64
	for i := range obs {
		res += (obs[i] - fit[i]) * (obs[i] - fit[i])
		tot += (obs[i] - mean) * (obs[i] - mean)
	}
	return 1 - res/tot
}

// breakEven says from how many elements on each other function beats the
// first, by the fitted lines.
func breakEven(functions []string, fits map[string]stat.Fit) string {
	first, ok := fits[functions[0]]
	if !ok {
		return ""
	}
	var notes []string
	for _, f := range functions[1:] {
		l, ok := fits[f]
		if !ok {
			continue
		}
		n := (l.A.Point - first.A.Point) / (first.B.Point - l.B.Point)
		switch {
		case first.B.Point <= l.B.Point && l.A.Point >= first.A.Point:
			notes = append(notes, fmt.Sprintf("%s never beats %s", f, functions[0]))
		case first.B.Point <= l.B.Point:
			notes = append(notes, fmt.Sprintf("%s beats %s only below n = %.1f", f, functions[0], n))
		default:
			notes = append(notes, fmt.Sprintf("%s beats %s from n = %.0f on", f, functions[0], math.Max(1, math.Ceil(n))))
		}
	}
	if len(notes) == 0 {
		return ""
	}
	return "By the fitted lines, " + strings.Join(notes, "; ") + "."
}

// scalingPoints is the table of measured times and counted pairings by n.
func scalingPoints(g *group) Table {
	t := Table{Header: []string{"n"}}
	for _, f := range g.Functions {
		t.Header = append(t.Header, f, f+": pairings")
	}
	for _, in := range g.Inputs {
		row := []string{strings.TrimPrefix(in, "n=")}
		for _, f := range g.Functions {
			r := g.find(f, in)
			if r == nil {
				row = append(row, "–", "–")
				continue
			}
			pairings := "–"
			if p, ok := r.Counters["pairings"]; ok {
				pairings = fmt.Sprintf("%.0f", p)
			}
			row = append(row, interval(r.Estimates.Typical()), pairings)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// maxHistoryRuns and maxHistoryLines bound a history chart: the newest runs,
// and as many lines as there are colours.
const (
	maxHistoryRuns  = 12
	maxHistoryLines = 8
)

// history draws the benchmarks of a group over saved runs, oldest first,
// relative to the oldest run that has them. It returns nil with fewer than two
// runs.
func history(g *group, runs []*benches.Run) *Chart {
	runs = runs[max(0, len(runs)-maxHistoryRuns):]
	ch := &Chart{Title: g.Name, Table: Table{Header: []string{"benchmark"}}}
	for _, run := range runs {
		ch.Table.Header = append(ch.Table.Header, run.Name)
	}
	var curves []curve
	for _, r := range g.Results {
		k := curve{name: label(r)}
		row := []string{label(r)}
		first := 0.0
		for i, run := range runs {
			old := run.Find(r.ID())
			if old == nil {
				row = append(row, "–")
				continue
			}
			t := old.Estimates.Typical()
			if first == 0 {
				first = t.Point
			}
			k.xs, k.ys = append(k.xs, float64(i+1)), append(k.ys, t.Scale(1/first))
			row = append(row, benches.Duration(t.Point))
		}
		if len(k.xs) < 2 {
			continue
		}
		ch.Table.Rows = append(ch.Table.Rows, row)
		if len(curves) < maxHistoryLines {
			curves = append(curves, k)
		}
	}
	if len(curves) == 0 {
		return nil
	}
	ch.SVG, ch.Legend = lineChart("History of "+g.Name, "saved run, oldest first", curves, func(lo, hi float64) axis {
		return newAxis(lo, hi, "time relative to the oldest run", 1)
	})
	return ch
}

// interval formats an interval of durations.
func interval(i stat.Interval) string {
	return benches.Duration(i.Point) + " [" + benches.Duration(i.Lower) + ", " + benches.Duration(i.Upper) + "]"
}
