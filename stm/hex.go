package stm

import "encoding/hex"

// notHex marks the characters that are no hexadecimal digits.
const notHex = 0xff

// digitValue has the value of every hexadecimal digit; upper-case digits have the bit upperCase set besides.
var digitValue = func() (t [256]byte) {
	for i := range t {
		t[i] = notHex
	}
	for i := range byte(10) {
		t['0'+i] = i
	}
	for i := range byte(6) {
		t['a'+i] = 10 + i
		t['A'+i] = 10 + i | upperCase
	}
	return t
}()

const upperCase = 0x10

// decodeHex decodes text, reports whether all its digits are lower-case, and returns nil when it is not hexadecimal. One
// pass does both: most of a certificate is such text.
func decodeHex(text []byte) (data []byte, lower bool) {
	if len(text)%2 != 0 {
		return nil, false
	}
	data = make([]byte, len(text)/2)
	var all byte
	for i := range data {
		high, low := digitValue[text[2*i]], digitValue[text[2*i+1]]
		all |= high | low
		data[i] = high<<4 | low&0x0f
	}
	if all&0xe0 != 0 {
		return nil, false
	}
	return data, all&upperCase == 0
}

// appendHex appends data in lower-case hexadecimal.
func appendHex(dst, data []byte) []byte { return hex.AppendEncode(dst, data) }
