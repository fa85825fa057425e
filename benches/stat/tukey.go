package stat

// Class says where a measurement lies among Tukey's fences.
type Class uint8

// The classes, from the lowest measurements to the highest.
const (
	LowSevere Class = iota
	LowMild
	Normal
	HighMild
	HighSevere
)

// String returns the class in criterion's words.
func (c Class) String() string {
	return [...]string{"low severe", "low mild", "normal", "high mild", "high severe"}[c]
}

// Fences are Tukey's fences of a sample: the quartiles, 1.5 and 3 interquartile
// ranges away.
type Fences struct {
	LowSevere  float64 `json:"low_severe"`
	LowMild    float64 `json:"low_mild"`
	HighMild   float64 `json:"high_mild"`
	HighSevere float64 `json:"high_severe"`
}

// Outliers counts the measurements outside the fences, by class.
type Outliers struct {
	LowSevere  int `json:"low_severe"`
	LowMild    int `json:"low_mild"`
	HighMild   int `json:"high_mild"`
	HighSevere int `json:"high_severe"`
}

// Total returns the number of outliers of all classes.
func (o Outliers) Total() int { return o.LowSevere + o.LowMild + o.HighMild + o.HighSevere }

// Tukey returns the fences of xs and the number of measurements outside of
// them. Outliers are counted, never dropped from an estimate.
func Tukey(xs []float64) (Fences, Outliers) {
	ys := sorted(xs)
	q1, q3 := Quantile(ys, 0.25), Quantile(ys, 0.75)
	iqr := q3 - q1
	f := Fences{
		LowSevere:  q1 - 3*iqr,
		LowMild:    q1 - 1.5*iqr,
		HighMild:   q3 + 1.5*iqr,
		HighSevere: q3 + 3*iqr,
	}
	var o Outliers
	for _, x := range xs {
		switch f.Class(x) {
		case LowSevere:
			o.LowSevere++
		case LowMild:
			o.LowMild++
		case HighMild:
			o.HighMild++
		case HighSevere:
			o.HighSevere++
		}
	}
	return f, o
}

// Class returns where x lies.
func (f Fences) Class(x float64) Class {
	switch {
	case x < f.LowSevere:
		return LowSevere
	case x < f.LowMild:
		return LowMild
	case x > f.HighSevere:
		return HighSevere
	case x > f.HighMild:
		return HighMild
	}
	return Normal
}
