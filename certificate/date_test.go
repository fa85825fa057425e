package certificate

import (
	"errors"
	"math"
	"testing"
	"time"
)

// dates holds texts and what the reference (chrono 0.4.45) writes after reading them, or an error.
var dates = []struct {
	text, want string
	err        error
}{
	{"2026-07-14T22:39:53.563359782Z", "2026-07-14T22:39:53.563359782Z", nil},
	{"2026-07-14T22:39:53Z", "2026-07-14T22:39:53Z", nil},
	{"2026-07-14T22:39:53.000Z", "2026-07-14T22:39:53Z", nil},
	{"2026-07-14T22:39:53.120Z", "2026-07-14T22:39:53.120Z", nil},
	{"2026-07-14T22:39:53.5Z", "2026-07-14T22:39:53.500Z", nil},
	{"2026-07-14T22:39:53.1234Z", "2026-07-14T22:39:53.123400Z", nil},
	{"2026-07-14T22:39:53.000000001Z", "2026-07-14T22:39:53.000000001Z", nil},
	{"2026-07-14T22:39:53.56335978299999Z", "2026-07-14T22:39:53.563359782Z", nil},
	{"2026-07-14t22:39:53z", "2026-07-14T22:39:53Z", nil},
	{"2026-07-14 22:39:53 UTC", "2026-07-14T22:39:53Z", nil},
	{"2026-07-14 22:39:53utc", "2026-07-14T22:39:53Z", nil},
	{"2026-7-4T2:9:3Z", "2026-07-04T02:09:03Z", nil},
	{" 2026 - 07 - 14T22 : 39 : 53 Z ", "2026-07-14T22:39:53Z", nil},
	{"2026-07-14T22:39:53\u00a0Z", "2026-07-14T22:39:53Z", nil},
	{"2026-07-14T22:39:53+01:00", "2026-07-14T21:39:53Z", nil},
	{"2026-07-14T22:39:53+0100", "2026-07-14T21:39:53Z", nil},
	{"2026-07-14T22:39:53+01 : 30", "2026-07-14T21:09:53Z", nil},
	{"2026-07-14T22:39:53-01:30", "2026-07-15T00:09:53Z", nil},
	{"2026-07-14T22:39:53−01:30", "2026-07-15T00:09:53Z", nil},
	{"2026-07-14T22:39:53+23:59", "2026-07-13T22:40:53Z", nil},
	{"+2026-07-14T22:39:53Z", "2026-07-14T22:39:53Z", nil},
	{"+0002026-07-14T22:39:53Z", "2026-07-14T22:39:53Z", nil},
	{"2024-02-29T00:00:00Z", "2024-02-29T00:00:00Z", nil},
	{"2000-02-29T00:00:00Z", "2000-02-29T00:00:00Z", nil},
	{"1969-12-31T23:59:59.999999999Z", "1969-12-31T23:59:59.999999999Z", nil},
	// A leap second has the nanoseconds of the second after it. The reference would write it as it was.
	{"2026-07-14T23:59:60.5Z", "2026-07-15T00:00:00.500Z", nil},
	// The least and the greatest date of 64 bits of nanoseconds.
	{"1677-09-21T00:12:43.145224192Z", "1677-09-21T00:12:43.145224192Z", nil},
	{"2262-04-11T23:47:16.854775807Z", "2262-04-11T23:47:16.854775807Z", nil},
	{"2262-04-12T00:47:16.854775807+01:00", "2262-04-11T23:47:16.854775807Z", nil},
	{"1677-09-21T00:12:43.145224191Z", "", errDateRange},
	{"2262-04-11T23:47:16.854775808Z", "", errDateRange},
	{"2262-04-11T23:47:17Z", "", errDateRange},
	{"2300-01-01T00:00:00Z", "", errDateRange},
	{"0026-01-01T00:00:00Z", "", errDateRange},
	{"-2026-01-01T00:00:00Z", "", errDateRange},
	{"+262142-01-01T00:00:00Z", "", errDateRange},
	// The least and the greatest year that is read as such, and years that are read as these.
	{"-1000000000-01-01T00:00:00+23:59", "", errDateRange},
	{"+1000000000-12-31T23:59:60-23:59", "", errDateRange},
	{"-99999999999999999999-01-01T00:00:00Z", "", errDateRange},
	{"+99999999999999999999-01-01T00:00:00Z", "", errDateRange},
	{"+584554051279-07-14T22:39:53Z", "", errDateRange}, // about 2⁶⁴ seconds after 2026
	{"", "", errDate},
	{"2026-07-14", "", errDate},
	{"2026-07-14T22:39Z", "", errDate},
	{"2026-07-14T22:39:53", "", errDate},
	{"2026-07-14T22:39:53.Z", "", errDate},
	{"2026-07-14T22:39:53 .5Z", "", errDate},
	{"2026-07-14T22:39:53,5Z", "", errDate},
	{"2026-07-14T22:39:61Z", "", errDate},
	{"2026-07-14T22:60:00Z", "", errDate},
	{"2026-07-14T24:00:00Z", "", errDate},
	{"2026-07-14T22:39:53+01", "", errDate},
	{"2026-07-14T22:39:53+1:00", "", errDate},
	{"2026-07-14T22:39:53+01:60", "", errDate},
	{"2026-07-14T22:39:53+24:00", "", errDate},
	{"2026-07-14T22:39:53+01000", "", errDate},
	{"2026-07-14T22:39:53GMT", "", errDate},
	{"2026-07-14T22:39:53Zx", "", errDate},
	{"2026-07-14X22:39:53Z", "", errDate},
	{"2026-07-14\t22:39:53Z", "", errDate},
	{"2026-02-29T00:00:00Z", "", errDate},
	{"2100-02-29T00:00:00Z", "", errDate},
	{"2026-04-31T00:00:00Z", "", errDate},
	{"2026-00-10T00:00:00Z", "", errDate},
	{"2026-13-10T00:00:00Z", "", errDate},
	{"2026-01-00T00:00:00Z", "", errDate},
	{"20266-01-01T00:00:00Z", "", errDate},
	{"2026-07-014T22:39:53Z", "", errDate},
	{"2026/07/14T22:39:53Z", "", errDate},
	{"２０２６-07-14T22:39:53Z", "", errDate},
}

func TestDatesAsReference(t *testing.T) {
	for _, c := range dates {
		ns, err := parseDate(c.text)
		if !errors.Is(err, c.err) {
			t.Errorf("%q: got %v, want %v", c.text, err, c.err)
			continue
		}
		if err != nil {
			continue
		}
		if got := string(appendDate(nil, time.Unix(0, ns))); got != c.want {
			t.Errorf("%q: got %s, want %s", c.text, got, c.want)
		}
	}
}

func TestUnixNano(t *testing.T) {
	for _, c := range []struct {
		seconds, nano, want int64
		err                 error
	}{
		{0, 0, 0, nil},
		{-1, 999_999_999, -1, nil},
		{9223372036, 854775807, math.MaxInt64, nil},
		{9223372036, 854775808, 0, errDateRange},
		{-9223372037, 145224192, math.MinInt64, nil},
		{-9223372037, 145224191, 0, errDateRange},
		{-9223372038, 0, 0, errDateRange},
		{math.MaxInt64, 0, 0, errDateRange},
		{math.MinInt64, 0, 0, errDateRange},
	} {
		if got, err := unixNano(c.seconds, c.nano); got != c.want || !errors.Is(err, c.err) {
			t.Errorf("%d s + %d ns: got %d, %v, want %d, %v", c.seconds, c.nano, got, err, c.want, c.err)
		}
	}
}

func FuzzParseDate(f *testing.F) {
	for _, c := range dates {
		f.Add(c.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		ns, err := parseDate(text)
		if err != nil {
			return
		}
		written := string(appendDate(nil, time.Unix(0, ns)))
		if again, err := parseDate(written); err != nil || again != ns {
			t.Errorf("%q is %d, written as %s, which is %d, %v", text, ns, written, again, err)
		}
	})
}
