package benches

import (
	"fmt"
	"io"
	"strings"

	"github.com/stmverify/stmverify/benches/stat"
)

// column is where the figures of a terminal line start.
const column = 24

// WriteResult writes the lines of one result as criterion words them: time,
// throughput, change with verdict if it was compared, outliers, and our own
// warnings.
func WriteResult(w io.Writer, r *Result, c Config) error {
	var b strings.Builder
	writeHead(&b, r.ID())
	t := r.Estimates.Typical()
	fmt.Fprintf(&b, "time:   [%s %s %s]\n", Duration(t.Lower), Duration(t.Point), Duration(t.Upper))
	if r.Elements > 0 {
		rate := func(ns float64) string { return Rate(float64(r.Elements)*1e9/ns, r.Unit) }
		fmt.Fprintf(&b, "%sthrpt:  [%s %s %s]\n", indent, rate(t.Upper), rate(t.Point), rate(t.Lower))
	}
	if r.Change != nil {
		writeChange(&b, r, c)
	}
	writeOutliers(&b, r)
	for _, warning := range r.Warnings {
		fmt.Fprintf(&b, "Warning: %s\n", warning)
	}
	b.WriteByte('\n')
	_, err := io.WriteString(w, b.String())
	return err
}

var indent = strings.Repeat(" ", column)

// writeHead puts long names on a line of their own.
func writeHead(b *strings.Builder, id string) {
	if len(id) >= column {
		b.WriteString(id + "\n" + indent)
		return
	}
	b.WriteString(id + indent[len(id):])
}

func writeChange(b *strings.Builder, r *Result, c Config) {
	ch := r.Change
	m := ch.Judged()
	p := judgement(ch, c)
	if r.Elements == 0 {
		fmt.Fprintf(b, "%schange: [%s %s %s] %s\n", indent, Percent(m.Lower), Percent(m.Point), Percent(m.Upper), p)
	} else {
		rate := func(x float64) string { return Percent(1/(1+x) - 1) }
		fmt.Fprintf(b, "%schange:\n", indent[:column-7])
		fmt.Fprintf(b, "%stime:   [%s %s %s] %s\n", indent, Percent(m.Lower), Percent(m.Point), Percent(m.Upper), p)
		fmt.Fprintf(b, "%sthrpt:  [%s %s %s]\n", indent, rate(m.Upper), rate(m.Point), rate(m.Lower))
	}
	fmt.Fprintf(b, "%s%s\n", indent, ch.Verdict)
}

func writeOutliers(b *strings.Builder, r *Result) {
	o, n := r.Outliers, len(r.Samples.Nanoseconds)
	if o.Total() == 0 {
		return
	}
	percent := func(k int) float64 { return 100 * float64(k) / float64(n) }
	fmt.Fprintf(b, "Found %d outliers among %d measurements (%.2f%%)\n", o.Total(), n, percent(o.Total()))
	for _, x := range []struct {
		count int
		class stat.Class
	}{{o.LowSevere, stat.LowSevere}, {o.LowMild, stat.LowMild}, {o.HighMild, stat.HighMild}, {o.HighSevere, stat.HighSevere}} {
		if x.count > 0 {
			fmt.Fprintf(b, "  %d (%.2f%%) %s\n", x.count, percent(x.count), x.class)
		}
	}
}

// WriteChanges writes the change and the verdict of every compared result, for
// runs whose lines were written before all results, which Holm's correction
// needs, were there.
func WriteChanges(w io.Writer, r *Run) error {
	var b strings.Builder
	for _, x := range r.Results {
		if x.Change == nil {
			continue
		}
		m := x.Change.Judged()
		writeHead(&b, x.ID())
		fmt.Fprintf(&b, "change: [%s %s %s] %s\n", Percent(m.Lower), Percent(m.Point), Percent(m.Upper), judgement(x.Change, r.Config))
		fmt.Fprintf(&b, "%s%s\n", indent, x.Change.Verdict)
	}
	if b.Len() > 0 {
		b.WriteByte('\n')
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// judgement is the corrected p-value beside the significance level.
func judgement(ch *Change, c Config) string {
	sign := ">"
	if ch.HolmP < c.Significance {
		sign = "<"
	}
	return fmt.Sprintf("(p = %.2f %s %.2f)", ch.HolmP, sign, c.Significance)
}

// WriteProgress writes criterion's progress line for an event, or nothing for
// stages it does not announce.
func WriteProgress(w io.Writer, e Event) error {
	var err error
	switch e.Stage {
	case Preparing:
		_, err = fmt.Fprintf(w, "Benchmarking %s (%d of %d)\n", e.ID, e.Index+1, e.Of)
	case WarmingUp:
		_, err = fmt.Fprintf(w, "Benchmarking %s: Warming up for %s\n", e.ID, Duration(float64(e.Duration.Nanoseconds())))
	case Collecting:
		_, err = fmt.Fprintf(w, "Benchmarking %s: Collecting %d samples in estimated %s (%d iterations)\n",
			e.ID, e.Samples, Duration(float64(e.Duration.Nanoseconds())), e.Iterations)
	case Analysing:
		_, err = fmt.Fprintf(w, "Benchmarking %s: Analyzing\n", e.ID)
	}
	return err
}

// WriteSummary writes the end of a run: how many of each verdict, after Holm's
// correction, and the seed.
func WriteSummary(w io.Writer, r *Run) error {
	compared := 0
	for _, x := range r.Results {
		if x.Change != nil {
			compared++
		}
	}
	_, err := fmt.Fprintf(w, "%d benchmarks in %.1f s, bootstrap seed %d, %d resamples, %.0f %% confidence\n",
		len(r.Results), r.Seconds, r.Config.Seed, r.Config.Resamples, 100*r.Config.Confidence)
	if err != nil || compared == 0 {
		return err
	}
	if _, err = fmt.Fprintf(w, "%d compared: %d improved, %d regressed, %d without change, %d within noise (p corrected by Holm)\n",
		compared, r.Count("improved"), r.Count("regressed"), r.Count("no-change"), r.Count("noise")); err != nil {
		return err
	}
	for _, x := range r.Results {
		if x.Change == nil || x.Change.Outcome != "regressed" {
			continue
		}
		m := x.Change.Judged()
		if _, err := fmt.Fprintf(w, "regressed: %s [%s %s %s] (p = %.4f)\n", x.ID(), Percent(m.Lower), Percent(m.Point), Percent(m.Upper), x.Change.HolmP); err != nil {
			return err
		}
	}
	return nil
}
