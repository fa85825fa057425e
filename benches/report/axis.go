package report

import (
	"math"
	"strconv"
)

// axis maps values to a range of drawing units.
type axis struct {
	lo, hi float64
	log    bool
	label  string
	unit   float64 // tick labels show value/unit
	whole  bool    // ticks at whole numbers only
}

// newAxis returns an axis over [lo, hi] with some air. A range without extent
// is widened, so that pos never divides by zero.
func newAxis(lo, hi float64, label string, unit float64) axis {
	if !(hi > lo) {
		pad := math.Max(math.Abs(lo)*0.01, unit*1e-3)
		lo, hi = lo-pad, hi+pad
	}
	return axis{lo: lo, hi: hi, label: label, unit: unit}
}

// logarithmic turns the axis into a logarithmic one if all values are positive
// and span more than a factor of 20.
func (a axis) logarithmic() axis {
	if a.lo > 0 && a.hi/a.lo > 20 {
		a.log = true
		a.lo, a.hi = a.lo/1.15, a.hi*1.15
	}
	return a
}

// pos returns where v lies between from and to.
func (a axis) pos(v, from, to float64) float64 {
	lo, hi := a.lo, a.hi
	if a.log {
		v, lo, hi = math.Log(v), math.Log(lo), math.Log(hi)
	}
	return from + (to-from)*(v-lo)/(hi-lo)
}

// ticks returns about n round values within the axis.
func (a axis) ticks(n int) []float64 {
	if a.log {
		return a.logTicks(n)
	}
	lo, hi := a.lo/a.unit, a.hi/a.unit
	step := roundStep((hi - lo) / float64(n))
	if a.whole {
		step = math.Max(1, step)
	}
	var out []float64
	for k := math.Ceil(lo/step - 1e-9); k*step <= hi+step*1e-9; k++ {
		out = append(out, k*step*a.unit)
	}
	return out
}

func (a axis) logTicks(n int) []float64 {
	lo, hi := a.lo/a.unit, a.hi/a.unit
	decades := math.Log10(hi / lo)
	factors := []float64{1}
	if decades < float64(n)/3 {
		factors = []float64{1, 2, 5}
	}
	stride := math.Max(1, math.Ceil(decades/float64(n)))
	var out []float64
	for e := math.Floor(math.Log10(lo)); e <= math.Ceil(math.Log10(hi)); e += stride {
		for _, f := range factors {
			if v := f * math.Pow(10, e); v >= lo*(1-1e-9) && v <= hi*(1+1e-9) {
				out = append(out, v*a.unit)
			}
		}
	}
	return out
}

// roundStep returns the step of 1, 2 or 5 times a power of ten next above x.
func roundStep(x float64) float64 {
	p := math.Pow(10, math.Floor(math.Log10(x)))
	for _, f := range []float64{1, 2, 5} {
		if f*p >= x*(1-1e-9) {
			return f * p
		}
	}
	return 10 * p
}

// tickLabel formats v in the unit of the axis, with no more digits than a
// step needs.
func (a axis) tickLabel(v float64) string {
	v /= a.unit
	if a.log {
		if v >= 1e3 && v < 1e6 {
			return strconv.FormatFloat(v, 'f', 0, 64)
		}
		return strconv.FormatFloat(v, 'g', 4, 64)
	}
	step := roundStep((a.hi - a.lo) / a.unit / 5)
	if a.whole {
		step = math.Max(1, step)
	}
	digits := max(0, int(-math.Floor(math.Log10(step)+1e-9)))
	s := strconv.FormatFloat(v, 'f', min(digits, 6), 64)
	if s == "-0" {
		return "0"
	}
	return s
}

// timeUnit picks the unit in which ns reads well.
func timeUnit(ns float64) (unit float64, name string) {
	switch {
	case ns < 1e3:
		return 1, "ns"
	case ns < 1e6:
		return 1e3, "µs"
	case ns < 1e9:
		return 1e6, "ms"
	}
	return 1e9, "s"
}

// timeAxis is an axis over durations in nanoseconds.
func timeAxis(lo, hi float64, label string) axis {
	unit, name := timeUnit(hi)
	return newAxis(lo, hi, label+" ("+name+")", unit)
}

// percentAxis is an axis over relative changes.
func percentAxis(lo, hi float64, label string) axis {
	return newAxis(lo, hi, label+" (%)", 0.01)
}
