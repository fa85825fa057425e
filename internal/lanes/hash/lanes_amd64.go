//go:build !purego && !nolanes

package hash

import (
	"encoding/binary"
	"math/bits"

	"github.com/stmverify/stmverify/internal/lanes"
)

// available reports whether the assembly may run.
func available() bool { return lanes.Enabled() }

// iv is the initial value of Blake2b (RFC 7693) and SHA-512 (FIPS 180-4).
var iv = [8]uint64{
	0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
	0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179,
}

var blake2bIV = iv

// blake2bParameters is exclusive-ored to the first state word: a 64-byte
// digest, no key, sequential hashing.
const blake2bParameters = 0x01010000 ^ Size

// mix is the mixing function G of RFC 7693 section 3.1.
func mix(v *[16]uint64, a, b, c, d int, x, y uint64) {
	v[a] += v[b] + x
	v[d] = bits.RotateLeft64(v[d]^v[a], -32)
	v[c] += v[d]
	v[b] = bits.RotateLeft64(v[b]^v[c], -24)
	v[a] += v[b] + y
	v[d] = bits.RotateLeft64(v[d]^v[a], -16)
	v[c] += v[d]
	v[b] = bits.RotateLeft64(v[b]^v[c], -63)
}

// states returns the initial value in eight lanes.
func states() *[8][8]uint64 {
	h := new([8][8]uint64)
	for i := range h {
		for lane := range h[i] {
			h[i][lane] = iv[i]
		}
	}
	return h
}

// prepare fills the state: the words of the message and round 0 of its first
// block without the mixing of state words 2, 7, 8 and 13, the only one that
// takes the message words 12 and 13 with the index.
func (l *Lottery) prepare() {
	var padded [2 * blockSize]byte
	copy(padded[:], l.message[:])
	m := l.state[:20]
	for i := range m {
		m[i] = binary.LittleEndian.Uint64(padded[8*i:])
	}
	v := (*[16]uint64)(l.state[20:])
	copy(v[:8], blake2bIV[:])
	copy(v[8:], blake2bIV[:])
	v[0] ^= blake2bParameters
	v[12] ^= blockSize
	mix(v, 0, 4, 8, 12, m[0], m[1])
	mix(v, 1, 5, 9, 13, m[2], m[3])
	mix(v, 2, 6, 10, 14, m[4], m[5])
	mix(v, 3, 7, 11, 15, m[6], m[7])
	mix(v, 0, 5, 10, 15, m[8], m[9])
	mix(v, 1, 6, 11, 12, m[10], m[11])
	mix(v, 3, 4, 9, 14, m[14], m[15])
}

// blake2bLanes hashes eight messages of one length.
func blake2bLanes(out *[8][Size]byte, msgs *[8][]byte) {
	h := states()
	for lane := range h[0] {
		h[0][lane] ^= blake2bParameters
	}
	var blocks [8]*byte
	n := len(msgs[0])
	done := 0
	for ; n-done > blockSize; done += blockSize {
		for lane, m := range msgs {
			blocks[lane] = &m[done]
		}
		blake2bCompress(h, &blocks, uint64(done+blockSize), 0)
	}
	var last [8][blockSize]byte
	for lane, m := range msgs {
		copy(last[lane][:], m[done:])
		blocks[lane] = &last[lane][0]
	}
	blake2bCompress(h, &blocks, uint64(n), ^uint64(0))
	blake2bDigests(out, h)
}

// sha512Lanes hashes prefix[i] ‖ msgs[i] in eight lanes. The lanes run for as
// many blocks as the longest message has; a lane that has ended absorbs its
// last block again, and its digest was taken before.
func sha512Lanes(out *[8][Size]byte, prefix *[8][64]byte, msgs *[8][]byte) {
	h := states()
	var blocks [8]*byte
	var scratch [8][blockSize]byte
	var counts [8]int
	most := 0
	for lane, m := range msgs {
		counts[lane] = sha512Blocks(len(prefix[lane]) + len(m))
		most = max(most, counts[lane])
	}
	var digests [8][Size]byte
	for i := range most {
		ends := false
		for lane, m := range msgs {
			if i < counts[lane] {
				blocks[lane] = sha512Block(&scratch[lane], prefix[lane][:], m, i)
			}
			ends = ends || i == counts[lane]-1
		}
		sha512Compress(h, &blocks)
		if !ends {
			continue
		}
		sha512Digests(&digests, h)
		for lane := range counts {
			if i == counts[lane]-1 {
				out[lane] = digests[lane]
			}
		}
	}
}

// sha512Blocks returns how many blocks n bytes fill with padding.
func sha512Blocks(n int) int { return (n + 1 + 16 + blockSize - 1) / blockSize }

// sha512Block returns block i of prefix ‖ m with its padding: a pointer into m
// when the block lies there, else into scratch.
func sha512Block(scratch *[blockSize]byte, prefix, m []byte, i int) *byte {
	total := len(prefix) + len(m)
	start, end := i*blockSize, (i+1)*blockSize
	if start >= len(prefix) && end <= total {
		return &m[start-len(prefix)]
	}
	clear(scratch[:])
	at := 0
	if start < len(prefix) {
		at = copy(scratch[:], prefix[start:])
	}
	if from := start + at - len(prefix); from < len(m) {
		at += copy(scratch[at:], m[from:])
	}
	if start+at == total && at < blockSize {
		scratch[at] = 0x80
	}
	if i == sha512Blocks(total)-1 {
		binary.BigEndian.PutUint64(scratch[blockSize-16:], uint64(total)>>61)
		binary.BigEndian.PutUint64(scratch[blockSize-8:], uint64(total)<<3)
	}
	return &scratch[0]
}
