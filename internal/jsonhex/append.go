package jsonhex

import "strconv"

// AppendString appends text as a JSON string, spelled as serde_json does: only the quote, the backslash and control characters
// are escaped. text must be valid UTF-8.
func AppendString(dst []byte, text string) []byte {
	const digits = "0123456789abcdef"
	dst = append(dst, '"')
	plain := 0
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c >= 0x20 && c != '"' && c != '\\' {
			continue
		}
		dst = append(dst, text[plain:i]...)
		plain = i + 1
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\b':
			dst = append(dst, '\\', 'b')
		case '\f':
			dst = append(dst, '\\', 'f')
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\r':
			dst = append(dst, '\\', 'r')
		case '\t':
			dst = append(dst, '\\', 't')
		default:
			dst = append(dst, '\\', 'u', '0', '0', digits[c>>4], digits[c&15])
		}
	}
	dst = append(dst, text[plain:]...)
	return append(dst, '"')
}

// AppendFloat appends a finite number, spelled as serde_json does: the shortest digits that read back as f, with a point
// (1.0) for 1e-5 <= |f| < 1e16 and with an exponent (1e-7) otherwise.
func AppendFloat(dst []byte, f float64) []byte {
	if f == 0 || (abs(f) >= 1e-5 && abs(f) < 1e16) {
		start := len(dst)
		dst = strconv.AppendFloat(dst, f, 'f', -1, 64)
		for _, c := range dst[start:] {
			if c == '.' {
				return dst
			}
		}
		return append(dst, ".0"...)
	}
	start := len(dst)
	dst = strconv.AppendFloat(dst, f, 'e', -1, 64)
	// strconv writes at least two digits of exponent, 1e-07, and the reference as many as needed.
	if n := len(dst); n-start >= 4 && dst[n-2] == '0' && (dst[n-3] == '-' || dst[n-3] == '+') {
		dst = append(dst[:n-2], dst[n-1])
	}
	return dst
}

func abs(f float64) float64 {
	if f < 0 {
		return -f
	}
	return f
}

// IsLowerHex reports whether text holds only the digits 0 to 9 and a to f.
func IsLowerHex(text string) bool {
	for i := range len(text) {
		if c := text[i]; !isDigit(c) && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}
