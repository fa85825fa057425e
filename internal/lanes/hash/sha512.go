package hash

import "crypto/sha512"

// SHA512 sets out[i] to the SHA-512 of prefix[i] ‖ msgs[i]. The messages may
// have any lengths; the cost is that of the longest for all eight, so callers
// group messages of similar lengths.
func SHA512(out *[8][Size]byte, prefix *[8][64]byte, msgs *[8][]byte) {
	if available() {
		sha512Lanes(out, prefix, msgs)
		return
	}
	h := sha512.New()
	for i := range msgs {
		h.Reset()
		h.Write(prefix[i][:])
		h.Write(msgs[i])
		h.Sum(out[i][:0])
	}
}
