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
