//go:build amd64 && !purego && !nolanes

package bls12381

import "encoding/binary"

const (
	compressedFlag = 0x80
	infinityFlag   = 0x40
	largestFlag    = 0x20
)

// A Decoder decompresses points of G1 and G2 and checks their subgroup, eight at a
// time. It holds the working space of 100 kB, allocates nothing and is not safe for
// concurrent use.
type Decoder struct {
	exponentiation
	c    constants
	x, y [groups][2]Fp // coordinates
	a    [groups][2]Fp // x³ + b
	acc  [6]Fp
	pt   [4]Fp
	out  [4]Fp
	base [3]Fp
	tmp  [16]Fp
}

// constants are the generated elements, broadcast to the lanes.
type constants struct {
	plainOne, fromPlain, to384 Fp
	four                       [2]Fp
	half, beta                 Fp
	psi                        [4]Fp
}

// NewDecoder returns a Decoder. The caller has made sure that the processor has
// the lanes.
func NewDecoder() *Decoder {
	d := &Decoder{}
	d.c.plainOne.broadcast(&limbsPlainOne)
	d.c.fromPlain.broadcast(&limbsFromPlain)
	d.c.to384.broadcast(&limbsTo384)
	d.c.four[0].broadcast(&limbsFour)
	d.c.four[1].broadcast(&limbsFour)
	d.c.half.broadcast(&limbsHalf)
	d.c.beta.broadcast(&limbsBeta)
	d.c.psi[0].broadcast(&limbsPsiX0)
	d.c.psi[1].broadcast(&limbsPsiX1)
	d.c.psi[2].broadcast(&limbsPsiY0)
	d.c.psi[3].broadcast(&limbsPsiY1)
	return d
}

// field reads 48 bytes, big-endian, clearing the flags of the first byte if
// flagged; ok is false unless the integer is below p.
func field(b []byte, flagged bool) (w fp6, ok bool) {
	_ = b[47]
	for i := range w {
		w[5-i] = binary.BigEndian.Uint64(b[8*i:])
	}
	if flagged {
		w[5] &= 1<<61 - 1
	}
	return w, less(&w, &primeWords)
}

// flags reports whether the first byte says compressed and not infinity, and
// whether it asks for the larger y.
func flags(b byte) (ok, largest bool) {
	return b&(compressedFlag|infinityFlag) == compressedFlag, b&largestFlag != 0
}

// negate6 returns p − x for 0 < x < p, and 0 for 0.
func negate6(x *fp6) fp6 {
	if isZero6(x) {
		return *x
	}
	n, _ := sub6(&primeWords, x)
	return n
}

func isZero6(x *fp6) bool { return x[0]|x[1]|x[2]|x[3]|x[4]|x[5] == 0 }

// isLargest reports whether x is more than (p−1)/2.
func isLargest(x *fp6) bool { return less(&halfWords, x) }
