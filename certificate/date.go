package certificate

import (
	"math"
	"strings"
	"time"
	"unicode"
)

// parseDate reads a date as the reference does (chrono 0.4.45, DateTime::from_str): RFC 3339, but numbers need no leading zeros, white
// space may stand between them, the letter T may be a space, the offset needs no colon and may be the letters UTC, the minus
// sign of the offset may be U+2212, and digits behind the ninth of a second are dropped. A second of 60 is a leap second.
//
// It returns nanoseconds since 1970. The error is errDate, or errDateRange when they do not fit in 64 bits (SPEC 3.2).
func parseDate(text string) (int64, error) {
	p := dateParser{text: text}
	year := p.year()
	p.space()
	p.literal('-')
	month := p.number(2)
	p.space()
	p.literal('-')
	day := p.number(2)
	p.separator()
	hour := p.number(2)
	p.space()
	p.literal(':')
	minute := p.number(2)
	p.space()
	p.literal(':')
	second := p.number(2)
	nano := p.fraction()
	p.space()
	offset := p.offset()
	p.space()
	if p.bad || p.text != "" {
		return 0, errDate
	}
	if month < 1 || month > 12 || day < 1 || day > daysIn(year, month) || hour > 23 || minute > 59 || second > 60 {
		return 0, errDate
	}
	// The seconds of any year that digits returns fit in 64 bits.
	seconds := time.Date(year, time.Month(month), day, hour, minute, second, 0, time.UTC).Unix() - int64(offset)
	return unixNano(seconds, int64(nano))
}

func daysIn(year, month int) int {
	// The zeroth day of the next month is the last of this one. Years repeat their calendar every 400.
	return time.Date(2000+year%400, time.Month(month)+1, 0, 0, 0, 0, 0, time.UTC).Day()
}

// unixNano returns seconds * 10⁹ + nano, or errDateRange. nano is from 0 to 999 999 999.
func unixNano(seconds, nano int64) (int64, error) {
	if seconds < 0 {
		// Go one second up, so that the product of the least seconds does not overflow where the sum would not.
		seconds, nano = seconds+1, nano-1e9
	}
	if seconds > math.MaxInt64/1_000_000_000 || seconds < math.MinInt64/1_000_000_000 {
		return 0, errDateRange
	}
	product := seconds * 1e9
	sum := product + nano
	if (sum < product) != (nano < 0) {
		return 0, errDateRange // the sum has wrapped around
	}
	return sum, nil
}

// dateParser consumes text from the front. Once bad it stays so, and returns zeros.
type dateParser struct {
	text string
	bad  bool
}

func (p *dateParser) space() { p.text = strings.TrimLeftFunc(p.text, unicode.IsSpace) }

func (p *dateParser) first() byte {
	if p.text == "" {
		return 0
	}
	return p.text[0]
}

func (p *dateParser) literal(c byte) {
	if p.first() != c {
		p.fail()
		return
	}
	p.text = p.text[1:]
}

func (p *dateParser) fail() { p.text, p.bad = "", true }

// digits reads up to width digits, and at least one. Numbers too large for a year stay too large.
func (p *dateParser) digits(width int) (n, read int) {
	const tooLarge = 1_000_000_000
	for ; read < width && p.first() >= '0' && p.first() <= '9'; read++ {
		n = int(min(int64(n)*10+int64(p.first()-'0'), tooLarge))
		p.text = p.text[1:]
	}
	if read == 0 {
		p.fail()
	}
	return n, read
}

func (p *dateParser) number(width int) int {
	p.space()
	n, _ := p.digits(width)
	return n
}

// year reads a year of one to four digits, or of any number of them behind a sign.
func (p *dateParser) year() int {
	p.space()
	switch p.first() {
	case '+':
		p.text = p.text[1:]
		n, _ := p.digits(math.MaxInt)
		return n
	case '-':
		p.text = p.text[1:]
		n, _ := p.digits(math.MaxInt)
		return -n
	}
	n, _ := p.digits(4)
	return n
}

func (p *dateParser) separator() {
	switch p.first() {
	case 'T', 't', ' ':
		p.text = p.text[1:]
	default:
		p.fail()
	}
}

// fraction reads the fraction of a second in nanoseconds, 0 when there is none.
func (p *dateParser) fraction() int {
	if p.first() != '.' {
		return 0
	}
	p.text = p.text[1:]
	n, read := p.digits(9)
	for ; read < 9; read++ {
		n *= 10
	}
	p.text = strings.TrimLeft(p.text, "0123456789")
	return n
}

// offset reads the offset from UTC in seconds.
func (p *dateParser) offset() int {
	if len(p.text) >= 3 && strings.EqualFold(p.text[:3], "UTC") {
		p.text = p.text[3:]
		return 0
	}
	if c := p.first(); c == 'Z' || c == 'z' {
		p.text = p.text[1:]
		return 0
	}
	sign := 1
	switch {
	case strings.HasPrefix(p.text, "+"):
		p.text = p.text[1:]
	case strings.HasPrefix(p.text, "-"):
		sign, p.text = -1, p.text[1:]
	case strings.HasPrefix(p.text, "−"):
		sign, p.text = -1, p.text[len("−"):]
	default:
		p.fail()
		return 0
	}
	hours := p.twoDigits()
	p.text = strings.TrimLeftFunc(p.text, func(r rune) bool { return r == ':' || unicode.IsSpace(r) })
	minutes := p.twoDigits()
	if hours > 23 || minutes > 59 {
		p.fail()
	}
	return sign * (hours*3600 + minutes*60)
}

func (p *dateParser) twoDigits() int {
	n, read := p.digits(2)
	if read != 2 {
		p.fail()
	}
	return n
}

// appendDate writes a date as the reference does: RFC 3339 in UTC, with no, three, six or nine digits of fraction.
func appendDate(dst []byte, t time.Time) []byte {
	t = t.UTC()
	layout := "2006-01-02T15:04:05.000000000Z"
	switch n := t.Nanosecond(); {
	case n == 0:
		layout = "2006-01-02T15:04:05Z"
	case n%1e6 == 0:
		layout = "2006-01-02T15:04:05.000Z"
	case n%1e3 == 0:
		layout = "2006-01-02T15:04:05.000000Z"
	}
	return t.AppendFormat(dst, layout)
}
