package stat

// Slope returns the slope of the least-squares line through the origin,
// Σxy / Σx². It is NaN when every x is zero. xs and ys have the same length.
func Slope(xs, ys []float64) float64 {
	var xy, xx float64
	for i, x := range xs {
		xy += x * ys[i]
		xx += x * x
	}
	return xy / xx
}

// RSquared returns how much of the variance of ys the line y = slope·x
// explains, 1 for a perfect fit. As in criterion, the total is taken about the
// mean of ys, so a line through the origin can score below zero.
func RSquared(xs, ys []float64, slope float64) float64 {
	mean := Mean(ys)
	var res, tot float64
	for i, y := range ys {
		d := y - slope*xs[i]
		res += d * d
		tot += (y - mean) * (y - mean)
	}
	return 1 - res/tot
}

// Line is y = A + B·x, fitted by weighted least squares.
type Line struct {
	A, B float64
}

// FitLine fits a line to the points with the given weights. Batch scaling uses
// weights 1/y², because the error of a duration grows with the duration. It
// needs two points with distinct x; otherwise the result is NaN. The three
// slices have the same length.
func FitLine(xs, ys, weights []float64) Line {
	var w, wx, wy, wxx, wxy float64
	for i, x := range xs {
		k := weights[i]
		w += k
		wx += k * x
		wy += k * ys[i]
		wxx += k * x * x
		wxy += k * x * ys[i]
	}
	det := w*wxx - wx*wx
	return Line{A: (wy*wxx - wx*wxy) / det, B: (w*wxy - wx*wy) / det}
}

// Fit is a fitted line with intervals of its coefficients.
type Fit struct {
	A, B Interval
}

// FitIntervals fits y = a + b·x to estimates with weights 1/y² and draws the
// intervals by fitting again to values drawn from each estimate's standard
// error. It needs two estimates with distinct x, else it returns
// ErrSampleSize.
func FitIntervals(xs []float64, ys []Interval, r Resampling) (Fit, error) {
	distinct := false
	points, weights := make([]float64, len(ys)), make([]float64, len(ys))
	for i, y := range ys {
		points[i], weights[i] = y.Point, 1/(y.Point*y.Point)
		distinct = distinct || xs[i] != xs[0]
	}
	if !distinct {
		return Fit{}, ErrSampleSize
	}
	l := FitLine(xs, points, weights)
	as, bs := make([]float64, r.Resamples), make([]float64, r.Resamples)
	rng := r.rand()
	draw := make([]float64, len(ys))
	for k := range as {
		for i, y := range ys {
			draw[i] = y.Point + y.StdErr*rng.NormFloat64()
		}
		d := FitLine(xs, draw, weights)
		as[k], bs[k] = d.A, d.B
	}
	const many = 1 << 20 // the errors are normal already: no widening
	return Fit{A: r.interval(l.A, as, many), B: r.interval(l.B, bs, many)}, nil
}
