package jsonhex

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/stmverify/stmverify/internal/limits"
)

// floats holds numbers and what the reference (serde_json 1.0.154) writes after reading them.
var floats = []struct{ in, out string }{
	{"0.2", "0.2"},
	{"1", "1.0"},
	{"1.0", "1.0"},
	{"1e-5", "0.00001"},
	{"0.000012345", "0.000012345"},
	{"1e-7", "1e-7"},
	{"1.5e-7", "1.5e-7"},
	{"0.1234567890123456789", "0.12345678901234568"},
	{"0.65", "0.65"},
	{"100000", "100000.0"},
	{"1e15", "1000000000000000.0"},
	{"123456789012345678", "1.2345678901234568e+17"},
	{"1e16", "1e+16"},
	{"1.5e16", "1.5e+16"},
	{"1e21", "1e+21"},
	{"5e-324", "5e-324"},
	{"0.30000000000000004", "0.30000000000000004"},
	{"12345678901234567890123.456", "1.2345678901234568e+22"},
	{"0.000000000000000000000000123456789012345678901234567890", "1.2345678901234566e-25"}, // nearest: ...568e-25
	{"-0", "-0.0"},
	{"-0.0", "-0.0"},
	{"-5", "-5.0"},
	{"9007199254740993", "9007199254740992.0"},
	{"1e300", "1e+300"},
	{"1.7976931348623157e308", "1.7976931348623157e+308"},
	{"123456789.123456789123456789e-30", "1.234567891234568e-22"},
	{"0.1e1", "1.0"},
	{"1E2", "100.0"},
	{"1e+2", "100.0"},
	{"7.2057594037927933e16", "7.205759403792794e+16"},
	{"0e99999999999", "0.0"},
	{"1e-99999999999", "0.0"},
	{"0.69999999999999995559107901499", "0.7"},
	{"3.3333333333333333333e-1", "0.33333333333333337"}, // nearest: 0.3333333333333333
	{"18446744073709551619.0e-7", "1844674407370.955"},
	{"18446744073709551619e-6", "18446744073709.55"},
	{"1e33", "1e+33"},
	{"1e304", "1e+304"},
	{"1e-59", "1e-59"},
}

func TestFloat64AsReference(t *testing.T) {
	for _, c := range floats {
		s := NewScanner([]byte(c.in))
		f, err := s.Float64()
		if err != nil {
			t.Errorf("%s: %v", c.in, err)
			continue
		}
		if err := s.End(); err != nil {
			t.Errorf("%s: %v", c.in, err)
		}
		if got := string(AppendFloat(nil, f)); got != c.out {
			t.Errorf("%s: got %s, want %s", c.in, got, c.out)
		}
	}
}

// TestPowersOfTen holds against the table of the reference, whose entries are the nearest values; math.Pow10 has others for 78 of them.
func TestPowersOfTen(t *testing.T) {
	for n := range 309 {
		text := "1e" + strconv.Itoa(n)
		s := NewScanner([]byte(text))
		got, err := s.Float64()
		if want, _ := strconv.ParseFloat(text, 64); err != nil || got != want {
			t.Errorf("%s: got %v, %v, want %v", text, got, err, want)
		}
	}
}

func TestFloat64Refused(t *testing.T) {
	for _, in := range []string{
		"", "-", "+1", ".5", "1.", "1.e5", "1e", "1e+", "01", "-01", "00", "0x10", "1_000", "NaN", "nan", "Infinity", "-Infinity",
		"1e309", "1e400", "1e99999999999", "1e2147483648", `"0.2"`, "null", "true", "[1]", "--1", "1 1",
	} {
		s := NewScanner([]byte(in))
		_, err := s.Float64()
		if err == nil {
			err = s.End()
		}
		if !errors.Is(err, ErrSyntax) && !errors.Is(err, ErrType) {
			t.Errorf("%s: got %v, want a syntax or type error", in, err)
		}
	}
}

func TestUint64(t *testing.T) {
	for _, c := range []struct {
		in   string
		want uint64
		err  error
	}{
		{"0", 0, nil},
		{" \t\r\n7 ", 7, nil},
		{"18446744073709551615", math.MaxUint64, nil},
		{"18446744073709551616", 0, ErrType},
		{"99999999999999999999999999", 0, ErrType},
		{"-1", 0, ErrType},
		{"-0", 0, ErrType},
		{"1.0", 0, ErrType},
		{"1e3", 0, ErrType},
		{"0e0", 0, ErrType},
		{"1E0", 0, ErrType},
		{"01", 0, ErrSyntax},
		{"00", 0, ErrSyntax},
		{"+1", 0, ErrSyntax},
		{"0x1", 0, ErrSyntax},
		{"1 2", 0, ErrSyntax},
		{`"1"`, 0, ErrType},
		{"null", 0, ErrType},
		{"true", 0, ErrType},
		{"[1]", 0, ErrType},
		{"{}", 0, ErrType},
		{"", 0, ErrSyntax},
		{"\u00a01", 0, ErrSyntax},
		{"\x001", 0, ErrSyntax},
		{"1\x00", 0, ErrSyntax},
	} {
		s := NewScanner([]byte(c.in))
		got, err := s.Uint64()
		if err == nil {
			err = s.End()
		}
		if c.err == nil && (err != nil || got != c.want) {
			t.Errorf("%q: got %d, %v, want %d", c.in, got, err, c.want)
		}
		if c.err != nil && !errors.Is(err, c.err) {
			t.Errorf("%q: got %v, want %v", c.in, err, c.err)
		}
	}
}

func TestString(t *testing.T) {
	for _, c := range []struct {
		name, in, want string
		skippable      bool // the reference accepts it in a field that it ignores
	}{
		{"plain", `"abc"`, "abc", true},
		{"empty", `""`, "", true},
		{"more than a word", `"0123456789abcdef0123456789abcdef"`, "0123456789abcdef0123456789abcdef", true},
		{"escapes", `"\"\\\/\b\f\n\r\t"`, "\"\\/\b\f\n\r\t", true},
		{"escaped letter", `"\u0061\u00E9\u20ac"`, "aé€", true},
		{"surrogate pair", `"\ud83d\ude00"`, "😀", true},
		{"escaped NUL", `"\u0000"`, "\x00", true},
		{"raw UTF-8", `"é€😀"`, "é€😀", true},
		{"DEL", "\"\x7f\"", "\x7f", true},
		{"escape behind eight bytes", `"01234567\n89"`, "01234567\n89", true},
		{"lone leading surrogate", `"\ud83d"`, "", true},
		{"lone trailing surrogate", `"\ude00"`, "", true},
		{"two leading surrogates", `"\ud83d\ud83d"`, "", true},
		{"leading surrogate and letter", `"\ud83dx12345"`, "", true},
		{"leading surrogate and other escape", `"\ud83d\n12345"`, "", true},
		{"invalid byte", "\"\xff\"", "", true},
		{"invalid byte behind eight", "\"01234567\xff\"", "", true},
		{"overlong", "\"\xc0\xaf\"", "", true},
		{"encoded surrogate", "\"\xed\xa0\x80\"", "", true},
		{"truncated UTF-8", "\"\xe2\x82\"", "", true},
		{"unknown escape", `"\x"`, "", false},
		{"capital U", `"\U0061"`, "", false},
		{"short hex", `"\u006"`, "", false},
		{"bad hex", `"\u00g0"`, "", false},
		{"newline", "\"a\nb\"", "", false},
		{"NUL", "\"a\x00b\"", "", false},
		{"control behind eight bytes", "\"01234567\x1f\"", "", false},
		{"unterminated", `"abc`, "", false},
		{"unterminated escape", `"abc\`, "", false},
		{"escaped quote at the end", `"abc\"`, "", false},
		{"single quotes", `'abc'`, "", false},
		{"no string", `5`, "", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			ok := c.want != "" || c.name == "empty"
			s := NewScanner([]byte(c.in))
			got, err := s.String(1000)
			if err == nil {
				err = s.End()
			}
			if ok != (err == nil) {
				t.Fatalf("got error %v", err)
			}
			if ok && string(got) != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			s = NewScanner([]byte(c.in))
			if err := s.Skip(); c.skippable != (err == nil) {
				t.Errorf("skip: got error %v", err)
			}
			if !ok {
				return
			}
			s = NewScanner(AppendString(nil, c.want))
			if again, err := s.String(1000); err != nil || string(again) != c.want {
				t.Errorf("written and read again: got %q, %v", again, err)
			}
		})
	}
}

func TestStringLimit(t *testing.T) {
	text := `"` + strings.Repeat("a", 100) + `"`
	s := NewScanner([]byte(text))
	if _, err := s.String(100); err != nil {
		t.Errorf("string of 100 bytes, limit 100: %v", err)
	}
	s = NewScanner([]byte(text))
	if _, err := s.String(99); !errors.Is(err, ErrLimit) {
		t.Errorf("string of 100 bytes, limit 99: got %v, want %v", err, ErrLimit)
	}
}

func TestAppendStringAsReference(t *testing.T) {
	got := string(AppendString(nil, "\"\\/\b\f\n\r\t\x01\x1f\x7fé€"))
	if want := `"\"\\/\b\f\n\r\t\u0001\u001f` + "\x7fé€\""; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestSkip(t *testing.T) {
	nested := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	objects := func(n int) string { return strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n) }
	for _, c := range []struct {
		name, in string
		err      error
	}{
		{"scalars", `[null,true,false,0,-1.5e-7,"x",{},[]]`, nil},
		{"nested", `{"a":[{"b":[[],{}]},[1,[2,{"c":null}]]],"d":1}`, nil},
		{"duplicate keys", `{"a":1,"a":2}`, nil},
		{"number out of range", `1e999`, nil},
		{"deepest arrays", nested(limits.MaxNesting), nil},
		{"deepest objects", objects(limits.MaxNesting), nil},
		{"too deep", nested(limits.MaxNesting + 1), ErrLimit},
		{"objects too deep", objects(limits.MaxNesting + 1), ErrLimit},
		{"far too deep, unclosed", strings.Repeat(`[{"a":`, 1_000_000), ErrLimit},
		{"trailing comma", `[1,]`, ErrSyntax},
		{"trailing comma in object", `{"a":1,}`, ErrSyntax},
		{"leading comma", `[,1]`, ErrSyntax},
		{"no comma", `[1 2]`, ErrSyntax},
		{"no colon", `{"a" 1}`, ErrSyntax},
		{"no key", `{1:2}`, ErrSyntax},
		{"no value", `{"a":}`, ErrSyntax},
		{"wrong end", `[1}`, ErrSyntax},
		{"wrong end of object", `{"a":1]`, ErrSyntax},
		{"unclosed", `[1,[2]`, ErrSyntax},
		{"misspelt", `nul`, ErrSyntax},
		{"capital", `True`, ErrSyntax},
		{"NaN", `NaN`, ErrSyntax},
		{"comment", `/* */ 1`, ErrSyntax},
		{"leading zero", `-012`, ErrSyntax},
		{"trailing point", `1.`, ErrSyntax},
		{"byte order mark", "\ufeff1", ErrSyntax},
		{"nothing", ` `, ErrSyntax},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := NewScanner([]byte(c.in))
			err := s.Skip()
			if err == nil {
				err = s.End()
			}
			if !errors.Is(err, c.err) {
				t.Errorf("got %v, want %v", err, c.err)
			}
		})
	}
}

func TestValueChecksWhatSkipIgnores(t *testing.T) {
	for _, in := range []string{`["\ud800"]`, "[\"\xff\"]", `[1e999]`, "{\"\xff\":1}"} {
		s := NewScanner([]byte(in))
		if err := s.Skip(); err != nil {
			t.Errorf("%s: skip: %v", in, err)
		}
		s = NewScanner([]byte(in))
		if _, err := s.Value(1000); !errors.Is(err, ErrSyntax) {
			t.Errorf("%s: value: got %v, want a syntax error", in, err)
		}
	}
	s := NewScanner([]byte(` {"a": [1, 2]} ,`))
	if got, err := s.Value(1000); err != nil || string(got) != `{"a": [1, 2]}` {
		t.Errorf("got %s, %v", got, err)
	}
}

// pair reads {"a":n,"b":[n,...],"c":n} with a and b required and c not positional.
func pair(in string) (a, c uint64, b []uint64, err error) {
	s := NewScanner([]byte(in))
	f := &Fields{Names: []string{"a", "b", "c"}, Positional: 2, Required: Required(2)}
	err = s.Struct(f, func(i int) (err error) {
		switch i {
		case 0:
			a, err = s.Uint64()
		case 1:
			err = s.Array(func(int) error {
				n, err := s.Uint64()
				b = append(b, n)
				return err
			})
		case 2:
			c, err = s.Uint64()
		}
		return err
	})
	if err == nil {
		err = s.End()
	}
	return a, c, b, err
}

func TestStruct(t *testing.T) {
	for _, c := range []struct {
		name, in, text string
		err            error
	}{
		{"object", `{"a":1,"b":[2,3],"c":4}`, "", nil},
		{"any order, unknown fields", `{"z":[{"a":5}],"b":[2,3],"c":4,"a":1,"z":0}`, "", nil},
		{"escaped key", `{"\u0061":1,"b":[2,3],"c":4}`, "", nil},
		{"twice", `{"a":1,"b":[2,3],"a":1}`, "a: field occurs twice (byte 21)", ErrDuplicate},
		{"missing", `{"a":1,"c":4}`, "b: missing field (byte 0)", ErrMissing},
		{"place", `{"a":1,"b":[2,"x"]}`, "b[1]: got a string, want an unsigned 64-bit integer (byte 14)", ErrType},
		{"place of unknown key", `{"a b":tru`, `"a b": invalid literal (byte 7)`, ErrSyntax},
		{"array too short", `[1]`, "b: missing field (byte 0)", ErrMissing},
		{"array too long", `[1,[2,3],4]`, "[2]: more than 2 elements (byte 9)", ErrType},
		{"scalar", `5`, "got a number, want an object (byte 0)", ErrType},
		{"null", `null`, "got null, want an object (byte 0)", ErrType},
		{"boolean", ` false`, "got a boolean, want an object (byte 1)", ErrType},
		{"words that begin like literals", `not json`, "want an object (byte 0)", ErrSyntax},
		{"a word that begins like a boolean", `{"a":text`, "a: want an unsigned 64-bit integer (byte 5)", ErrSyntax},
		{"trailing text", `{"a":1,"b":[]} x`, "trailing characters after the value (byte 15)", ErrSyntax},
		{"cut", `{"a":1,"b":[`, "b[0]: unexpected end of the text (byte 12)", ErrSyntax},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, cc, b, err := pair(c.in)
			if c.err == nil {
				if err != nil || a != 1 || len(b) != 2 || cc != 4 {
					t.Errorf("got %d %v %d, %v", a, b, cc, err)
				}
				return
			}
			if !errors.Is(err, c.err) || err.Error() != c.text {
				t.Errorf("got %v, want %s", err, c.text)
			}
		})
	}
	if a, _, b, err := pair(`[1,[2,3]]`); err != nil || a != 1 || len(b) != 2 {
		t.Errorf("as an array: got %d %v, %v", a, b, err)
	}
}

func TestHostileKeyIsShortened(t *testing.T) {
	_, _, _, err := pair(`{"` + strings.Repeat("\x7f", 900) + `":tru`)
	if err == nil || len(err.Error()) > 400 {
		t.Errorf("got an error of %d bytes", len(err.Error()))
	}
	_, _, _, err = pair(`{"` + strings.Repeat("k", 5000) + `":1}`)
	if !errors.Is(err, ErrLimit) {
		t.Errorf("key of 5000 bytes: got %v, want %v", err, ErrLimit)
	}
}

func FuzzSkipAndValue(f *testing.F) {
	for _, in := range []string{`{"a":[1,-2.5e7,"\u00e9\ud83d\ude00",null,true,{}]}`, `[[[`, `{"a":1,}`, "\"\xff\"", "1e999", " "} {
		f.Add([]byte(in))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		s := NewScanner(in)
		skipErr := s.Skip()
		if skipErr == nil && (s.pos > len(in) || s.depth != 0) {
			t.Fatalf("skip ends at byte %d of %d, depth %d", s.pos, len(in), s.depth)
		}
		v := NewScanner(in)
		text, err := v.Value(len(in))
		if err == nil && skipErr != nil {
			t.Fatalf("value accepts what skip refuses: %v", skipErr)
		}
		if err == nil && (len(text) == 0 || v.pos != s.pos) {
			t.Fatalf("value ends at byte %d, skip at %d", v.pos, s.pos)
		}
	})
}
