package benches

import (
	"fmt"
	"math"
	"strconv"
)

// Duration formats nanoseconds with five significant digits and a unit, as
// criterion does: "12.345 ms".
func Duration(ns float64) string {
	v, unit := ns, "ns"
	switch a := math.Abs(ns); {
	case a < 1:
		v, unit = ns*1e3, "ps"
	case a < 1e3:
	case a < 1e6:
		v, unit = ns/1e3, "µs"
	case a < 1e9:
		v, unit = ns/1e6, "ms"
	default:
		v, unit = ns/1e9, "s"
	}
	return significant(v) + " " + unit
}

// Rate formats elements per second: "8.0123 Kelem/s", or with another unit
// "8.0123 K certificates/s". unit is a plural.
func Rate(perSecond float64, unit string) string {
	v, prefix := perSecond, ""
	switch {
	case perSecond >= 1e9:
		v, prefix = perSecond/1e9, "G"
	case perSecond >= 1e6:
		v, prefix = perSecond/1e6, "M"
	case perSecond >= 1e3:
		v, prefix = perSecond/1e3, "K"
	}
	if unit == "" {
		return significant(v) + " " + prefix + "elem/s"
	}
	if prefix != "" {
		prefix += " "
	}
	return significant(v) + " " + prefix + unit + "/s"
}

// Percent formats a relative change with its sign: "+1.2345%".
func Percent(x float64) string {
	s := significant(100 * math.Abs(x))
	if math.Signbit(x) {
		return "-" + s + "%"
	}
	return "+" + s + "%"
}

// significant prints five significant digits for numbers from 1 to 9999, four
// decimals below, none above.
func significant(v float64) string {
	switch a := math.Abs(v); {
	case a < 10:
		return strconv.FormatFloat(v, 'f', 4, 64)
	case a < 100:
		return strconv.FormatFloat(v, 'f', 3, 64)
	case a < 1000:
		return strconv.FormatFloat(v, 'f', 2, 64)
	case a < 10000:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'f', 0, 64)
}

// Bytes formats a number of bytes: "1.5 KB".
func Bytes(n float64) string {
	switch {
	case n < 0:
		return "–"
	case n < 1e3:
		return fmt.Sprintf("%.0f B", n)
	case n < 1e6:
		return fmt.Sprintf("%.1f KB", n/1e3)
	}
	return fmt.Sprintf("%.1f MB", n/1e6)
}
