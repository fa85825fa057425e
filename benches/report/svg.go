package report

import (
	"cmp"
	"fmt"
	"html"
	"html/template"
	"math"
	"slices"
	"strconv"
	"strings"
)

// canvas draws one SVG: a plot area with an axis below and one to the left.
// Paths are written in tenths of a unit with relative integer coordinates,
// which keeps a report of a hundred benchmarks under a megabyte.
type canvas struct {
	b                        strings.Builder
	w, h                     float64
	left, right, top, bottom float64 // edges of the plot area
	x, y                     axis
}

// point is a position in data coordinates.
type point struct{ x, y float64 }

// newPlot returns a canvas of the usual size.
func newPlot(title string, x, y axis) *canvas {
	c := &canvas{w: 480, h: 270, left: 54, right: 462, top: 12, bottom: 224, x: x, y: y}
	c.open(title)
	return c
}

// newSmall returns a canvas for one of the additional plots: no y axis.
func newSmall(title string, x, y axis) *canvas {
	c := &canvas{w: 240, h: 116, left: 18, right: 222, top: 6, bottom: 82, x: x, y: y}
	c.open(title)
	return c
}

func (c *canvas) open(title string) {
	fmt.Fprintf(&c.b, `<svg viewBox="0 0 %g %g" role="img" aria-label="%s">`, c.w, c.h, html.EscapeString(title))
}

func (c *canvas) done() template.HTML {
	c.b.WriteString("</svg>")
	return template.HTML(c.b.String())
}

func (c *canvas) px(x float64) float64 { return c.x.pos(x, c.left, c.right) }
func (c *canvas) py(y float64) float64 { return c.y.pos(y, c.bottom, c.top) }

// axes draws grid lines and labels of both axes.
func (c *canvas) axes(xTicks, yTicks int) {
	c.xAxis(xTicks)
	c.yAxis(yTicks)
}

func (c *canvas) xAxis(n int) {
	ticks := c.x.ticks(n)
	c.b.WriteString(`<path class="g" d="`)
	for _, v := range ticks {
		fmt.Fprintf(&c.b, "M%s %gV%g", num(c.px(v)), c.top, c.bottom)
	}
	c.b.WriteString(`"/><g class="x">`)
	for _, v := range ticks {
		c.label(c.px(v), c.bottom+15, c.x.tickLabel(v))
	}
	c.b.WriteString(`</g>`)
	fmt.Fprintf(&c.b, `<path class="ax" d="M%g %gH%g"/>`, c.left, c.bottom, c.right)
	fmt.Fprintf(&c.b, `<text class="al" x="%g" y="%g">%s</text>`, (c.left+c.right)/2, c.h-6, html.EscapeString(c.x.label))
}

func (c *canvas) yAxis(n int) {
	ticks := c.y.ticks(n)
	c.b.WriteString(`<path class="g" d="`)
	for _, v := range ticks {
		fmt.Fprintf(&c.b, "M%g %sH%g", c.left, num(c.py(v)), c.right)
	}
	c.b.WriteString(`"/><g class="y">`)
	for _, v := range ticks {
		c.label(c.left-5, c.py(v)+4, c.y.tickLabel(v))
	}
	c.b.WriteString(`</g>`)
	fmt.Fprintf(&c.b, `<text class="al" transform="translate(11 %g)rotate(-90)">%s</text>`, (c.top+c.bottom)/2, html.EscapeString(c.y.label))
}

func (c *canvas) label(x, y float64, s string) {
	fmt.Fprintf(&c.b, `<text x="%s" y="%s">%s</text>`, num(x), num(y), html.EscapeString(s))
}

// line draws a polyline through the points.
func (c *canvas) line(class string, pts []point) {
	if len(pts) == 0 {
		return
	}
	c.path(class, c.relative(pts))
}

// area fills the polygon through the points.
func (c *canvas) area(class string, pts []point) {
	if len(pts) < 3 {
		return
	}
	c.path(class, c.relative(pts)+"z")
}

// under fills between a curve and zero, or the bottom of the plot area.
func (c *canvas) under(class string, pts []point) {
	if len(pts) < 2 {
		return
	}
	closed := make([]point, 0, len(pts)+2)
	floor := math.Max(0, c.y.lo)
	closed = append(closed, point{pts[0].x, floor})
	closed = append(closed, pts...)
	closed = append(closed, point{pts[len(pts)-1].x, floor})
	c.area(class, closed)
}

// dots draws a dot at each point: strokes of no length with round caps. Dots
// that would cover each other are drawn once.
func (c *canvas) dots(class string, pts []point) {
	if len(pts) == 0 {
		return
	}
	type spot struct{ x, y int }
	spots := make([]spot, 0, len(pts))
	for _, p := range pts {
		spots = append(spots, spot{grid(c.px(p.x)), grid(c.py(p.y))})
	}
	slices.SortFunc(spots, func(a, b spot) int { return cmp.Or(a.x-b.x, a.y-b.y) })
	spots = slices.Compact(spots)
	var d strings.Builder
	fmt.Fprintf(&d, "M%d %dz", spots[0].x, spots[0].y)
	for i, s := range spots[1:] {
		d.WriteString("m" + pair(s.x-spots[i].x, s.y-spots[i].y) + "z")
	}
	c.path("d "+class, d.String())
}

// grid rounds to a tenth of the size of a dot, in tenths of a unit.
func grid(v float64) int { return (tenth(v) + 2) / 5 * 5 }

// vertical draws vertical lines over the plot area at those xs that are in it.
func (c *canvas) vertical(class string, xs ...float64) {
	var d strings.Builder
	for _, x := range xs {
		if x >= c.x.lo && x <= c.x.hi {
			fmt.Fprintf(&d, "M%s %gV%g", num(c.px(x)), c.top, c.bottom)
		}
	}
	if d.Len() > 0 {
		fmt.Fprintf(&c.b, `<path class="%s" d="%s"/>`, class, d.String())
	}
}

// band fills the plot area between two values of x, clipped to the axis.
func (c *canvas) band(class string, lo, hi float64) {
	lo, hi = math.Max(lo, c.x.lo), math.Min(hi, c.x.hi)
	if hi <= lo {
		return
	}
	fmt.Fprintf(&c.b, `<path class="%s" d="M%s %gH%sV%gH%sz"/>`, class, num(c.px(lo)), c.top, num(c.px(hi)), c.bottom, num(c.px(lo)))
}

func (c *canvas) path(class, d string) {
	fmt.Fprintf(&c.b, `<path class="%s" transform="scale(.1)" d="%s"/>`, class, d)
}

// relative writes the points as a path of relative moves in tenths of a unit.
func (c *canvas) relative(pts []point) string {
	var d strings.Builder
	px, py := 0, 0
	for i, p := range pts {
		x, y := tenth(c.px(p.x)), tenth(c.py(p.y))
		switch i {
		case 0:
			fmt.Fprintf(&d, "M%d %d", x, y)
		case 1:
			d.WriteString("l" + pair(x-px, y-py))
		default:
			s := pair(x-px, y-py)
			if s[0] != '-' {
				d.WriteByte(' ')
			}
			d.WriteString(s)
		}
		px, py = x, y
	}
	return d.String()
}

func pair(x, y int) string {
	if y < 0 {
		return strconv.Itoa(x) + strconv.Itoa(y)
	}
	return strconv.Itoa(x) + " " + strconv.Itoa(y)
}

// tenth rounds to tenths of a unit. Values far outside, which only broken
// input can cause, are clamped so that paths stay valid.
func tenth(v float64) int {
	if math.IsNaN(v) {
		return 0
	}
	return int(math.Round(math.Max(-1e5, math.Min(1e5, v*10))))
}

// num formats a coordinate with at most one decimal.
func num(v float64) string {
	return strconv.FormatFloat(math.Round(v*10)/10, 'f', -1, 64)
}

// series returns the CSS class of the i-th line of a chart: eight colours that
// colour-blind readers can tell apart.
func series(i int) string { return "s" + strconv.Itoa(i%8) }

// legendItem is one entry of a legend, which is HTML below the plot so that it
// wraps on narrow screens.
type legendItem struct{ Class, Text string }
