package report

import (
	"embed"
	"fmt"
	"html/template"
	"io"
	"math"
	"strings"

	"github.com/stmverify/stmverify/benches"
	"github.com/stmverify/stmverify/benches/stat"
)

//go:embed report.html.tmpl style.css
var files embed.FS

// Input is what a report is made from.
type Input struct {
	Run *benches.Run
	// Base is the run its changes were computed from; nil without one.
	Base *benches.Run
	// History holds saved runs, oldest first, for the history section. The
	// run itself is added as the newest.
	History []*benches.Run
}

// curveResamples is how many resamples distribution plots are drawn from.
// Estimates keep those of the run.
const curveResamples = 4000

type page struct {
	Title, Style string
	CSS          template.CSS
	Run          *benches.Run
	Machine      []fact
	Warnings     []string
	Changes      *Table
	Summary      string
	Index        []indexGroup
	Breakdown    *Chart
	Scaling      []scalingView
	History      []*Chart
	Groups       []groupView
	Omitted      int // benchmarks without additional plots
}

type fact struct{ Name, Value string }

type indexGroup struct {
	Name, Anchor string
	Table        indexTable
}

// indexTable is functions × inputs, every cell a link.
type indexTable struct {
	Inputs []string
	Rows   []indexRow
}

type indexRow struct {
	Function string
	Cells    []indexCell
}

type indexCell struct{ Text, Anchor, Outcome string }

type scalingView struct {
	*Chart
	Points Table
}

type groupView struct {
	Name, Anchor string
	Violin       template.HTML
	ViolinNote   string
	Lines        []*Chart
	Table        Table
	Members      []*memberView
}

type memberView struct {
	Name, Anchor, Time, Outcome string
	PDF, Regression             template.HTML
	RegressionNote              string
	Table                       Table
	Facts                       []fact
	Additional                  []template.HTML
	Outliers                    string
	Warnings                    []string
	Change                      *changeView
}

type changeView struct {
	Verdict, Note   string
	PDF, Regression template.HTML
	Table           Table
	T, Mean, Median template.HTML
	BaseName        string
}

// HTML writes the report as one self-contained page.
func HTML(w io.Writer, in Input) error {
	p, err := newPage(in)
	if err != nil {
		return err
	}
	t, err := template.New("report.html.tmpl").ParseFS(files, "report.html.tmpl")
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	if err := p.fit(t); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	return t.Execute(w, p)
}

func newPage(in Input) (*page, error) {
	css, err := files.ReadFile("style.css")
	if err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	run := in.Run
	p := &page{Title: "stmverify benchmarks", CSS: template.CSS(css), Run: run, Machine: machineFacts(run), Warnings: Warnings(run)}
	groups := groupsOf(run)
	re := stat.Resampling{Resamples: curveResamples, Confidence: run.Config.Confidence, Seed: run.Config.Seed}
	runs := historyRuns(in)
	for i, g := range groups {
		anchor := fmt.Sprintf("g%d", i)
		p.Index = append(p.Index, indexOf(g, anchor))
		if s := scaling(g, re); s != nil {
			p.Scaling = append(p.Scaling, scalingView{s, scalingPoints(g)})
		}
		if h := history(g, runs); h != nil {
			p.History = append(p.History, h)
		}
		v := groupView{Name: g.Name, Anchor: anchor, Table: groupTable(g), Lines: groupLines(g)}
		v.Violin, v.ViolinNote = violinPlot(g.Results)
		for k, r := range g.Results {
			m, err := member(r, run.Config, fmt.Sprintf("%s-%d", anchor, k))
			if err != nil {
				return nil, err
			}
			if r.Change != nil && in.Base != nil {
				if m.Change, err = changeOf(r, in.Base.Find(r.ID()), run, in.Base.Name); err != nil {
					return nil, err
				}
			}
			v.Members = append(v.Members, m)
		}
		p.Groups = append(p.Groups, v)
	}
	p.Breakdown = breakdown(groups)
	p.Changes, p.Summary = changesTable(run)
	return p, nil
}

// historyRuns appends the run to the saved ones, unless it is one of them.
func historyRuns(in Input) []*benches.Run {
	runs := append([]*benches.Run(nil), in.History...)
	for _, r := range runs {
		if r.Started.Equal(in.Run.Started) && r.Name == in.Run.Name {
			return runs
		}
	}
	return append(runs, in.Run)
}

func indexOf(g *group, anchor string) indexGroup {
	ig := indexGroup{Name: g.Name, Anchor: anchor, Table: indexTable{Inputs: g.Inputs}}
	for _, f := range g.Functions {
		row := indexRow{Function: f}
		for _, in := range g.Inputs {
			cell := indexCell{Text: "–"}
			for k, r := range g.Results {
				if r.Function == f && r.Input == in {
					cell = indexCell{Text: benches.Duration(r.Estimates.Typical().Point), Anchor: fmt.Sprintf("%s-%d", anchor, k)}
					if r.Change != nil {
						cell.Outcome = r.Change.Outcome
					}
				}
			}
			row.Cells = append(row.Cells, cell)
		}
		ig.Table.Rows = append(ig.Table.Rows, row)
	}
	return ig
}

func groupLines(g *group) []*Chart {
	times, rates := g.inputCurves()
	if len(times) == 0 {
		return nil
	}
	x := strings.SplitN(g.Results[0].Input, "=", 2)[0]
	time := &Chart{Title: "Time over input size"}
	time.SVG, time.Legend = lineChart("Time over input size", x, times, func(lo, hi float64) axis { return timeAxis(lo, hi, "time per iteration") })
	charts := []*Chart{time}
	if len(rates) > 0 {
		rate := &Chart{Title: "Throughput over input size"}
		rate.SVG, rate.Legend = lineChart("Throughput over input size", x, rates, rateAxis(g.Results[0].Unit))
		charts = append(charts, rate)
	}
	return charts
}

func groupTable(g *group) Table {
	t := Table{Header: []string{"benchmark", "time", "throughput", "median", "allocs/op", "B/op", "GC cycles", "outliers"}}
	for _, r := range g.Results {
		e := r.Estimates.Typical()
		rate := "–"
		if r.Elements > 0 {
			rate = benches.Rate(float64(r.Elements)*1e9/e.Point, r.Unit)
		}
		t.Rows = append(t.Rows, []string{
			label(r), interval(e), rate, benches.Duration(r.Estimates.Median.Point),
			allocs(r.AllocsPerOp), benches.Bytes(r.BytesPerOp), fmt.Sprint(r.GC.Cycles),
			fmt.Sprintf("%d of %d", r.Outliers.Total(), len(r.Samples.Nanoseconds)),
		})
	}
	return t
}

func allocs(n float64) string {
	if n < 0 {
		return "–"
	}
	return fmt.Sprintf("%.0f", n)
}

func member(r *benches.Result, c benches.Config, anchor string) (*memberView, error) {
	m := &memberView{
		Name: r.ID(), Anchor: anchor, Time: interval(r.Estimates.Typical()),
		PDF: pdfPlot(r), Regression: regressionPlot(r), Table: estimatesTable(r), Facts: memberFacts(r),
		Outliers: outliersText(r), Warnings: r.Warnings,
	}
	if r.Change != nil {
		m.Outcome = r.Change.Outcome
	}
	if r.Sampling == benches.Flat {
		m.RegressionNote = "One iteration is slow or was interleaved with others, so every sample did the same number of iterations: there is no slope to fit."
	}
	d, err := r.Distributions(c, curveResamples)
	if err != nil {
		return nil, fmt.Errorf("report: %s: %w", r.ID(), err)
	}
	add := func(title string, dist []float64, in stat.Interval) {
		m.Additional = append(m.Additional, distributionPlot(title, dist, in, timeAxis))
	}
	e := r.Estimates
	if d.Slope != nil && e.Slope != nil {
		add("typical: slope", d.Slope, *e.Slope)
	}
	add("mean", d.MeanDist, e.Mean)
	add("median", d.MedianDist, e.Median)
	add("standard deviation", d.StdDevDist, e.StdDev)
	add("median absolute deviation", d.MADDist, e.MAD)
	return m, nil
}

func memberFacts(r *benches.Result) []fact {
	facts := []fact{
		{"sampling", fmt.Sprintf("%s, %d samples, %.0f iterations", r.Sampling, len(r.Samples.Nanoseconds), total(r.Samples.Iterations))},
		{"allocations", allocs(r.AllocsPerOp) + " a run, " + benches.Bytes(r.BytesPerOp)},
		{"garbage collections", fmt.Sprintf("%d, pauses of %s in all", r.GC.Cycles, benches.Duration(float64(r.GC.PauseNs)))},
	}
	for _, name := range sortedKeys(r.Counters) {
		facts = append(facts, fact{name, fmt.Sprintf("%.0f, counted exactly", r.Counters[name])})
	}
	if r.OtherLoad >= 0 {
		facts = append(facts, fact{"cores used by others", fmt.Sprintf("%.2f", r.OtherLoad)})
	}
	return facts
}

func estimatesTable(r *benches.Result) Table {
	t := Table{Header: []string{"", "lower bound", "estimate", "upper bound"}}
	add := func(name string, i stat.Interval, format func(float64) string) {
		t.Rows = append(t.Rows, []string{name, format(i.Lower), format(i.Point), format(i.Upper)})
	}
	e := r.Estimates
	if e.Slope != nil {
		add("slope", *e.Slope, benches.Duration)
	}
	if r.Elements > 0 {
		rate := rateOf(r, e.Typical())
		add("throughput", rate, func(v float64) string { return benches.Rate(v, r.Unit) })
	}
	if e.RSquared != nil {
		add("R²", *e.RSquared, func(v float64) string { return fmt.Sprintf("%.7f", v) })
	}
	add("mean", e.Mean, benches.Duration)
	add("standard deviation", e.StdDev, benches.Duration)
	add("median", e.Median, benches.Duration)
	add("median absolute deviation", e.MAD, benches.Duration)
	return t
}

func outliersText(r *benches.Result) string {
	o, n := r.Outliers, len(r.Samples.Nanoseconds)
	if o.Total() == 0 {
		return fmt.Sprintf("No outliers among %d measurements.", n)
	}
	return fmt.Sprintf("%d outliers among %d measurements (%.1f %%): %d low severe, %d low mild, %d high mild, %d high severe.",
		o.Total(), n, 100*float64(o.Total())/float64(n), o.LowSevere, o.LowMild, o.HighMild, o.HighSevere)
}

func changeOf(r, base *benches.Result, run *benches.Run, baseName string) (*changeView, error) {
	if base == nil {
		return nil, nil
	}
	ch := r.Change
	re := stat.Resampling{Resamples: min(curveResamples, run.Config.Resamples), Confidence: run.Config.Confidence, Seed: run.Config.Seed}
	compare := stat.Compare
	if ch.Paired {
		compare = stat.ComparePaired
	}
	c, err := compare(base.Samples.PerIteration(), r.Samples.PerIteration(), re)
	if err != nil {
		return nil, fmt.Errorf("report: %s: %w", r.ID(), err)
	}
	v := &changeView{
		Verdict: ch.Verdict, BaseName: baseName,
		PDF: pdfOverlay(base, r), Regression: regressionOverlay(base, r),
		Mean:   changePlot("change of the mean", c.MeanDist, ch.Mean, run.Config.Noise),
		Median: changePlot("change of the median", c.MedianDist, ch.Median, run.Config.Noise),
		Note:   fmt.Sprintf("p = %.4f after Holm's correction (%.4f before it), Mann–Whitney p = %.4f.", ch.HolmP, ch.P, ch.MannWhitney),
	}
	if ch.Paired {
		v.Note += " Samples were taken in turn with the base, so the p-value is that of Wilcoxon's signed ranks, and the verdict is about the median."
	} else {
		v.T = tTestPlot(c)
	}
	v.Table = Table{Header: []string{"change", "lower bound", "estimate", "upper bound"}}
	for _, x := range []struct {
		name string
		in   stat.Interval
	}{{"mean", ch.Mean}, {"median", ch.Median}} {
		v.Table.Rows = append(v.Table.Rows, []string{x.name, benches.Percent(x.in.Lower), benches.Percent(x.in.Point), benches.Percent(x.in.Upper)})
	}
	return v, nil
}

// changesTable lists what changed most first; it is nil when nothing was
// compared.
func changesTable(run *benches.Run) (*Table, string) {
	rows := changed(run)
	if len(rows) == 0 {
		return nil, ""
	}
	t := &Table{Header: []string{"benchmark", "before", "now", "change", "p (Holm)", "verdict"}}
	for _, r := range rows {
		ch := r.Change
		m := ch.Judged()
		t.Rows = append(t.Rows, []string{
			r.ID(), benches.Duration(ch.BaseTypical.Point), benches.Duration(r.Estimates.Typical().Point),
			fmt.Sprintf("%s [%s, %s]", benches.Percent(m.Point), benches.Percent(m.Lower), benches.Percent(m.Upper)),
			fmt.Sprintf("%.4f", ch.HolmP), strings.TrimSuffix(ch.Verdict, "."),
		})
	}
	return t, fmt.Sprintf("Compared with %s: %d regressed, %d improved, %d without change, %d within the noise threshold of %.1f %%. Geometric mean of all changes: %s.",
		rows[0].Change.Base, run.Count("regressed"), run.Count("improved"), run.Count("no-change"), run.Count("noise"), 100*run.Config.Noise, benches.Percent(geomean(rows)))
}

func geomean(rows []*benches.Result) float64 {
	t := 0.0
	for _, r := range rows {
		t += math.Log1p(r.Change.Judged().Point)
	}
	return math.Expm1(t / float64(len(rows)))
}
