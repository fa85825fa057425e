package jsonhex

import "testing"

// TestUnknownValues skips the values of unknown keys, checked and not: a number out of range and half a surrogate pair are errors
// only where a value is used, or collected to be used.
func TestUnknownValues(t *testing.T) {
	fields := Fields{Names: []string{"a"}, Required: Required(1)}
	for _, c := range []struct {
		name, value      string
		skipped, checked bool
	}{
		{"number", "1e300", true, true},
		{"number out of range", "1e400", true, false},
		{"nested number out of range", `[{"c":-1e400}]`, true, false},
		{"surrogate pair", `"\ud83d\ude00"`, true, true},
		{"half a surrogate pair", `"\ud83d"`, true, false},
		{"no UTF-8", "\"\xff\"", true, false},
		{"half a surrogate pair in a key", `{"\ud83d":1}`, true, false},
		{"no number", "1e", false, false},
	} {
		for _, check := range []bool{false, true} {
			s := NewScanner([]byte(`{"a":1,"b":` + c.value + `}`))
			if check {
				s.CheckUnknown()
			}
			err := s.Struct(&fields, func(int) error {
				_, err := s.Uint64()
				return err
			})
			if want := check && c.checked || !check && c.skipped; (err == nil) != want {
				t.Errorf("%s, checked %v: got %v", c.name, check, err)
			}
		}
	}
}
