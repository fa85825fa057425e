package report

import (
	"html/template"
	"unicode/utf8"
)

// maxPage is the size a page is kept under: a megabyte opens on a phone and
// fits an attachment. sparePage is left for the markup around optional plots.
const (
	maxPage   = 1_000_000
	sparePage = 10_000
)

// fit drops optional drawings until the page is small enough: additional plots
// and overlays of benchmarks that did not change go first, in the order of the
// page from its end. Figures are never dropped: every table stays.
func (p *page) fit(t *template.Template) error {
	type optional struct {
		size    int
		restore func()
	}
	var first, second, third []optional
	for i := range p.Groups {
		for _, m := range p.Groups[i].Members {
			plots := optional{size: sizeOf(m.Additional...)}
			if m.Change != nil {
				c, kept := m.Change, *m.Change
				drawings := optional{
					size:    sizeOf(kept.PDF, kept.Regression, kept.T, kept.Mean, kept.Median),
					restore: func() { *c = kept },
				}
				c.PDF, c.Regression, c.T, c.Mean, c.Median = "", "", "", "", ""
				if m.Outcome == "regressed" || m.Outcome == "improved" {
					first = append(first, drawings)
				} else {
					third = append(third, drawings)
				}
			}
			kept := m.Additional
			m.Additional = nil
			p.Omitted++
			plots.restore = func() { m.Additional = kept; p.Omitted-- }
			second = append(second, plots)
		}
	}
	var n counter
	if err := t.Execute(&n, p); err != nil {
		return err
	}
	left := maxPage - sparePage - int(n)
	for _, list := range [][]optional{first, second, third} {
		for _, o := range list {
			if o.size > left {
				continue
			}
			left -= o.size
			o.restore()
		}
	}
	return nil
}

// optionalMarkup is the size of the elements around one optional drawing.
const optionalMarkup = 60

func sizeOf(drawings ...template.HTML) int {
	n := 0
	for _, d := range drawings {
		n += len(d) + optionalMarkup
	}
	return n
}

// counter counts bytes.
type counter int

func (c *counter) Write(b []byte) (int, error) {
	*c += counter(len(b))
	return len(b), nil
}

// short cuts text to n characters.
func short(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n-1]) + "…"
}
