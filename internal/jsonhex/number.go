package jsonhex

import (
	"math"
	"strconv"
)

// Uint64 reads an unsigned integer: digits without sign, leading zero, fraction or exponent, at most 2^64-1.
func (s *Scanner) Uint64() (uint64, error) {
	const want = "an unsigned 64-bit integer"
	c := s.peek()
	if c < '0' || c > '9' {
		return 0, s.mismatch(want)
	}
	start := s.pos
	var n uint64
	for ; s.pos < len(s.data); s.pos++ {
		d := s.data[s.pos] - '0'
		if d > 9 {
			break
		}
		if s.pos == start+1 && s.data[start] == '0' {
			return 0, s.syntaxAt(start, "number with a leading zero")
		}
		if n > math.MaxUint64/10 || n*10 > math.MaxUint64-uint64(d) {
			return 0, s.mismatchAt(start, "a number above 2^64-1", want)
		}
		n = n*10 + uint64(d)
	}
	if s.pos < len(s.data) {
		switch s.data[s.pos] {
		case '.', 'e', 'E':
			return 0, s.mismatchAt(start, "a number with fraction or exponent", want)
		}
	}
	return n, nil
}

// Float64 reads a number as the reference does: at most 19 or 20 significant digits are kept, and the result is
// significand * 10^exponent with one rounding for each operation. That is the nearest value for every number of up to 15
// digits with a small exponent, and may be its neighbour otherwise: strconv.ParseFloat would be more exact, but the
// lottery has to decide on the value that the reference decides on.
func (s *Scanner) Float64() (float64, error) {
	negative := s.peek() == '-'
	start := s.pos
	if negative {
		s.pos++
	}
	if !isDigit(s.at()) {
		if negative {
			return 0, s.syntaxAt(start, "invalid number")
		}
		return 0, s.mismatch("a number")
	}
	significand, exponent, err := s.digits(start)
	if err != nil {
		return 0, err
	}
	e, saturated, err := s.exponent(start)
	if err != nil {
		return 0, err
	}
	if saturated && (significand == 0 || e < 0) {
		return sign(0, negative), nil
	}
	f, ok := scale(float64(significand), exponent+e)
	if !ok {
		return 0, s.syntaxAt(start, "number out of range")
	}
	return sign(f, negative), nil
}

func sign(f float64, negative bool) float64 {
	if negative {
		return -f
	}
	return f
}

// at returns the current byte without skipping white space, 0 at the end.
func (s *Scanner) at() byte {
	if s.pos < len(s.data) {
		return s.data[s.pos]
	}
	return 0
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// digits reads the integer part and the fraction of a number that begins with a digit. Digits that do not fit in 64 bits
// are dropped; those before the point raise the exponent.
func (s *Scanner) digits(start int) (significand uint64, exponent int64, err error) {
	if s.data[s.pos] == '0' && s.pos+1 < len(s.data) && isDigit(s.data[s.pos+1]) {
		return 0, 0, s.syntaxAt(start, "number with a leading zero")
	}
	full := false
	push := func() bool {
		d := uint64(s.data[s.pos] - '0')
		if full || significand > math.MaxUint64/10 || significand*10 > math.MaxUint64-d {
			full = true
			return false
		}
		significand = significand*10 + d
		return true
	}
	for ; isDigit(s.at()); s.pos++ {
		if !push() {
			exponent++
		}
	}
	if s.at() != '.' {
		return significand, exponent, nil
	}
	s.pos++
	if !isDigit(s.at()) {
		return 0, 0, s.syntaxAt(start, "number without digits after its point")
	}
	// The reference forgets that the integer part overflowed and tries each fraction afresh; it stops for good at the
	// first digit of the fraction that does not fit.
	full = false
	for ; isDigit(s.at()); s.pos++ {
		if push() {
			exponent--
		}
	}
	return significand, exponent, nil
}

// exponent reads the exponent part of a number, if there is one. saturated says that its digits do not fit in 31 bits; e
// then only has the right sign.
func (s *Scanner) exponent(start int) (e int64, saturated bool, err error) {
	if c := s.at(); c != 'e' && c != 'E' {
		return 0, false, nil
	}
	s.pos++
	negative := s.at() == '-'
	if negative || s.at() == '+' {
		s.pos++
	}
	if !isDigit(s.at()) {
		return 0, false, s.syntaxAt(start, "number without digits in its exponent")
	}
	for ; isDigit(s.at()); s.pos++ {
		d := int64(s.data[s.pos] - '0')
		if saturated = saturated || e*10+d > math.MaxInt32; !saturated {
			e = e*10 + d
		}
	}
	if negative {
		e = -e
	}
	return e, saturated, nil
}

// scale returns f * 10^exponent, in steps of 308, and false when the result is infinite.
func scale(f float64, exponent int64) (float64, bool) {
	for exponent < -308 {
		if f == 0 {
			return 0, true
		}
		f /= 1e308
		exponent += 308
	}
	if exponent < 0 {
		return f / pow10(-exponent), true
	}
	if exponent > 308 {
		return 0, f == 0
	}
	f *= pow10(exponent)
	return f, !math.IsInf(f, 0)
}

// pow10 returns the value nearest to 10^n for 0 <= n <= 308. math.Pow10 multiplies two table entries and is only that up to
// 10^22.
func pow10(n int64) float64 {
	if n <= 22 {
		return math.Pow10(int(n))
	}
	f, _ := strconv.ParseFloat("1e"+strconv.FormatInt(n, 10), 64)
	return f
}

// skipNumber moves behind a number and checks only its form.
func (s *Scanner) skipNumber() error {
	start := s.pos
	if s.at() == '-' {
		s.pos++
	}
	if !isDigit(s.at()) {
		return s.syntaxAt(start, "invalid number")
	}
	if _, _, err := s.digits(start); err != nil {
		return err
	}
	_, _, err := s.exponent(start)
	return err
}
