package report

import (
	"bytes"
	"encoding/csv"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"

	"github.com/stmverify/stmverify/benches"
)

func renderHTML(t *testing.T, in Input) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := HTML(&b, in); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestGolden(t *testing.T) {
	t.Parallel()
	if runtime.GOARCH != "amd64" {
		t.Skip("other processors fuse multiplications and additions: coordinates may differ in the last digit")
	}
	in := sampleInput(t)
	for _, c := range []struct {
		name  string
		write func(io.Writer) error
	}{
		{"report.html", func(w io.Writer) error { return HTML(w, in) }},
		{"report.md", func(w io.Writer) error { return Markdown(w, in) }},
		{"report.bench", func(w io.Writer) error { return Benchfmt(w, in.Run) }},
		{"bencher.txt", func(w io.Writer) error { return Bencher(w, in.Run.Results[0]) }},
		{"rewritten.json", func(w io.Writer) error { return in.Run.WriteJSON(w) }},
	} {
		var b bytes.Buffer
		if err := c.write(&b); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if c.name == "rewritten.json" { // reading and writing changes nothing
			c.name = "run.json"
		}
		golden(t, c.name, b.Bytes())
	}
}

// TestWarnings checks that no form of the report hides a busy machine.
func TestWarnings(t *testing.T) {
	t.Parallel()
	in := sampleInput(t)
	for _, w := range []func(io.Writer, Input) error{HTML, Markdown} {
		for _, busy := range []bool{false, true} {
			in.Run.Machine.LoadBefore, in.Run.Results[0].OtherLoad = 0.4, 0
			if busy {
				in.Run.Machine.LoadBefore, in.Run.Results[0].OtherLoad = 3, 0.5
			}
			var b bytes.Buffer
			if err := w(&b, in); err != nil {
				t.Fatal(err)
			}
			for _, want := range []string{"The load average was 3.0", fmt.Sprintf("1 of %d benchmarks were measured while others", len(in.Run.Results))} {
				if strings.Contains(b.String(), want) != busy {
					t.Errorf("busy %v: %q is there: %v", busy, want, !busy)
				}
			}
		}
	}
}

// TestSelfContained checks that the page needs neither network nor scripts.
func TestSelfContained(t *testing.T) {
	t.Parallel()
	page := string(renderHTML(t, sampleInput(t)))
	for _, banned := range []string{"<script", "javascript:", "<link", "<iframe", "<img", "@import", "url(", "http:", "https:", " src=", " on"} {
		if i := strings.Index(page, banned); i >= 0 && banned != " on" {
			t.Errorf("the page has %q: …%s…", banned, page[max(0, i-40):min(len(page), i+60)])
		}
	}
	if m := regexp.MustCompile(`<[a-z]+[^>]* on[a-z]+=`).FindString(page); m != "" {
		t.Errorf("the page has an event handler: %s", m)
	}
	for _, want := range []string{"prefers-color-scheme:dark", "@media print", `name="viewport"`} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

// TestSections checks that every section and plot that criterion's users expect
// is there, with its table.
func TestSections(t *testing.T) {
	t.Parallel()
	page := string(renderHTML(t, sampleInput(t)))
	for _, want := range []string{
		`id="index"`, `id="changes"`, `id="breakdown"`, `id="scaling"`, `id="history"`, `id="groups"`, `id="explained"`,
		"Violin plot", "Time over input size", "Throughput over input size", "Distribution", "Regression", "Iteration times",
		"Additional plots", "typical: slope", "median absolute deviation", "Change since main: Performance has regressed.",
		"Performance has improved.", "lower bound", "R²", "outliers among", "fixed cost a", "mode=batch beats mode=single from", "seed 20260101",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	in := sampleInput(t)
	in.Base, in.History = nil, nil
	for _, r := range in.Run.Results {
		r.Change = nil
	}
	page = string(renderHTML(t, in))
	if strings.Contains(page, `id="changes"`) || !strings.Contains(page, "No other run of these benchmarks is saved") {
		t.Error("a first run: want no changes, and a word on the missing history")
	}
}

// TestDrawings parses every SVG and checks that nothing is drawn outside of it
// or from numbers that are none.
func TestDrawings(t *testing.T) {
	t.Parallel()
	page := string(renderHTML(t, sampleInput(t)))
	svgs := regexp.MustCompile(`(?s)<svg.*?</svg>`).FindAllString(page, -1)
	if len(svgs) < 60 {
		t.Fatalf("%d drawings, want at least 60", len(svgs))
	}
	size := regexp.MustCompile(`viewBox="0 0 ([0-9.]+) ([0-9.]+)"`)
	for _, s := range svgs {
		d := xml.NewDecoder(strings.NewReader(s))
		marks := 0
		for {
			tok, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("not XML: %v\n%.200s", err, s)
			}
			if e, ok := tok.(xml.StartElement); ok && (e.Name.Local == "path" || e.Name.Local == "rect") {
				marks++
			}
		}
		if marks < 3 {
			t.Errorf("an empty plot: %.300s", s)
		}
		if strings.Contains(s, "NaN") || strings.Contains(s, "Inf") {
			t.Errorf("a number that is none in %.200s", s)
		}
		var w, h float64
		m := size.FindStringSubmatch(s)
		fmt.Sscan(m[1], &w)
		fmt.Sscan(m[2], &h)
		for _, p := range regexp.MustCompile(`scale\(\.1\)" d="([^"]*)"`).FindAllStringSubmatch(s, -1) {
			if x0, y0, x1, y1 := extent(t, p[1]); x0 < -1 || y0 < -1 || x1 > w+1 || y1 > h+1 {
				t.Errorf("a path from (%g, %g) to (%g, %g) leaves the %g by %g of %.120s", x0, y0, x1, y1, w, h, s)
			}
		}
	}
}

// extent follows a path of relative moves in tenths.
func extent(t *testing.T, d string) (x0, y0, x1, y1 float64) {
	t.Helper()
	x0, y0, x1, y1 = math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	var x, y int
	for _, seg := range regexp.MustCompile(`[Mml][-0-9 ]+`).FindAllString(d, -1) {
		nums := regexp.MustCompile(`-?[0-9]+`).FindAllString(seg[1:], -1)
		for i := 0; i+1 < len(nums); i += 2 {
			var dx, dy int
			fmt.Sscan(nums[i], &dx)
			fmt.Sscan(nums[i+1], &dy)
			if seg[0] == 'M' {
				x, y = 0, 0
			}
			x, y = x+dx, y+dy
			x0, x1 = math.Min(x0, float64(x)/10), math.Max(x1, float64(x)/10)
			y0, y1 = math.Min(y0, float64(y)/10), math.Max(y1, float64(y)/10)
		}
	}
	return x0, y0, x1, y1
}

// TestSize holds the report of all suites, with a comparison and a history,
// under a megabyte.
func TestSize(t *testing.T) {
	t.Parallel()
	base, err := synthetic("main", fullRows(), 100, 3, constant(1))
	if err != nil {
		t.Fatal(err)
	}
	run, err := synthetic("", fullRows(), 100, 4, constant(1.01))
	if err != nil {
		t.Fatal(err)
	}
	page := renderHTML(t, Input{Run: run, History: []*benches.Run{base}})
	t.Logf("%d benchmarks: %d bytes", len(run.Results), len(page))
	if len(page) > 1e6 {
		t.Errorf("%d bytes, want at most a million", len(page))
	}
	if _, err := benches.Compare(run, base); err != nil {
		t.Fatal(err)
	}
	page = renderHTML(t, Input{Run: run, Base: base, History: []*benches.Run{base}})
	t.Logf("compared: %d bytes", len(page))
	if len(page) > 1e6 {
		t.Errorf("compared: %d bytes, want at most a million", len(page))
	}
}

// TestBenchfmtReadsBack reads our text the way benchstat does.
func TestBenchfmtReadsBack(t *testing.T) {
	t.Parallel()
	in := sampleInput(t)
	var b bytes.Buffer
	if err := Benchfmt(&b, in.Run); err != nil {
		t.Fatal(err)
	}
	rd := benchfmt.NewReader(&b, "report")
	n := 0
	for rd.Scan() {
		res, ok := rd.Result().(*benchfmt.Result)
		if !ok {
			t.Fatalf("record %d: %v", n, rd.Result())
		}
		r := in.Run.Results[n/30]
		want := r.Samples.PerIteration()[n%30] / 1e9
		if got, _ := res.Value("sec/op"); math.Abs(got-want) > want*1e-9 {
			t.Fatalf("sample %d: got %v s, want %v", n, got, want)
		}
		if n == 0 && (res.Name.String() != "STM/shape=small/mode=single/n=1-2" || res.GetConfig("cpu") == "") {
			t.Errorf("got name %s, processor %q", res.Name, res.GetConfig("cpu"))
		}
		n++
	}
	if err := rd.Err(); err != nil || n != 30*len(in.Run.Results) {
		t.Errorf("%d samples read, %v, want %d", n, err, 30*len(in.Run.Results))
	}
}

func TestCSV(t *testing.T) {
	t.Parallel()
	in := sampleInput(t)
	var b bytes.Buffer
	if err := CSV(&b, in.Run); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&b).ReadAll()
	if err != nil || len(rows) != 1+30*len(in.Run.Results) {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	if rows[1][0] != "stm/shape=small" || rows[1][6] != "1" {
		t.Errorf("got %v", rows[1])
	}
}

func TestTicks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		a    axis
		want string
	}{
		{"linear", newAxis(0, 10, "", 1), "0 2 4 6 8 10"},
		{"small steps", newAxis(1.001, 1.004, "", 1), "1.001 1.002 1.003 1.004"},
		{"unit", newAxis(0, 5e6, "", 1e6), "0 1 2 3 4 5"},
		{"around zero", newAxis(-0.02, 0.02, "", 0.01), "-2 -1 0 1 2"},
		{"decades", newAxis(1, 16384, "", 1).logarithmic(), "1 10 100 1000 10000"},
		{"two decades", newAxis(1, 100, "", 1).logarithmic(), "1 10 100"},
		{"no extent", newAxis(5, 5, "", 1), "4.96 4.98 5.00 5.02 5.04"},
	} {
		var got []string
		for _, v := range c.a.ticks(5) {
			got = append(got, c.a.tickLabel(v))
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%s: got %s, want %s", c.name, s, c.want)
		}
	}
}

// TestDegenerate renders runs at the edges: constant samples, one benchmark,
// hostile names.
func TestDegenerate(t *testing.T) {
	t.Parallel()
	c := benches.QuickConfig()
	c.Resamples = 200
	same := benches.Samples{Iterations: []float64{1, 1, 1, 1, 1, 1}, Nanoseconds: []float64{5, 5, 5, 5, 5, 5}}
	b := benches.Benchmark{Group: `<script>alert("x")</script>`, Function: `f"&<`}
	r, err := benches.NewResult(&b, benches.Flat, same, c)
	if err != nil {
		t.Fatal(err)
	}
	run := &benches.Run{Config: c, Results: []*benches.Result{r}}
	page := string(renderHTML(t, Input{Run: run}))
	if strings.Contains(page, "<script") {
		t.Error("a name became markup")
	}
	if strings.Contains(page, "NaN") {
		t.Error("constant samples gave NaN")
	}
	if page = string(renderHTML(t, Input{Run: &benches.Run{Config: c}})); !strings.Contains(page, `id="index"`) {
		t.Error("an empty run: no page")
	}
}
