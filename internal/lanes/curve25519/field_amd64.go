//go:build !purego && !nolanes

package curve25519

import (
	"encoding/binary"
	"math/bits"
)

// An element is eight field elements modulo p = 2^255-19: limb i of lane j is
// word [i][j], of weight 2^(52i). In memory limbs 0 to 3 are below 2^52 and
// limb 4 is at most 2^47+2^12 (form N of README.md), so the value is below
// 2p but need not be below p.
type element = [5][8]uint64

const (
	limbBits = 52
	limbMask = 1<<limbBits - 1
	topMask  = 1<<47 - 1
)

// Limbs of constants below p.
var (
	one = [5]uint64{1}
	// d of the curve -x²+y² = 1+dx²y², -121665/121666.
	edwardsD = [5]uint64{0xb4dca135978a3, 0x4d4141d8ab75e, 0x779e89800700a, 0xfe738cc740797, 0x52036cee2b6f}
	// sqrtM1 is the square root of -1 that is 2^((p-1)/4).
	sqrtM1 = [5]uint64{0xe1b274a0ea0b0, 0x6ad2fe478c4e, 0xdfbd7a72f4318, 0xdf0b2b4d00993, 0x2b8324804fc1}
)

// broadcast sets every lane of e to the limbs.
func broadcast(e *element, limbs *[5]uint64) {
	for i, l := range limbs {
		for lane := range e[i] {
			e[i][lane] = l
		}
	}
}

// setLane sets a lane of e to the 255-bit little-endian number in b; the
// highest bit is ignored. Numbers from p on are taken modulo p.
func setLane(e *element, lane int, b *[32]byte) {
	w0 := binary.LittleEndian.Uint64(b[0:])
	w1 := binary.LittleEndian.Uint64(b[8:])
	w2 := binary.LittleEndian.Uint64(b[16:])
	w3 := binary.LittleEndian.Uint64(b[24:])
	e[0][lane] = w0 & limbMask
	e[1][lane] = (w0>>52 | w1<<12) & limbMask
	e[2][lane] = (w1>>40 | w2<<24) & limbMask
	e[3][lane] = (w2>>28 | w3<<36) & limbMask
	e[4][lane] = w3 >> 16 & topMask
}

// setLaneLimbs sets a lane of e to the limbs.
func setLaneLimbs(e *element, lane int, limbs *[5]uint64) {
	for i, l := range limbs {
		e[i][lane] = l
	}
}

// laneWords returns the value of a lane, reduced below p, as four
// little-endian words. Requires form N.
func laneWords(e *element, lane int) [4]uint64 {
	l0, l1, l2, l3, l4 := e[0][lane], e[1][lane], e[2][lane], e[3][lane], e[4][lane]
	// The value is below 2p: q = floor((value+19)/2^255) says whether to
	// subtract p, which is adding 19q and dropping bit 255.
	q := (l0 + 19) >> limbBits
	q = (l1 + q) >> limbBits
	q = (l2 + q) >> limbBits
	q = (l3 + q) >> limbBits
	q = (l4 + q) >> 47
	var w [4]uint64
	var c uint64
	w[0], c = bits.Add64(l0|l1<<52, 19*q, 0)
	w[1], c = bits.Add64(l1>>12|l2<<40, 0, c)
	w[2], c = bits.Add64(l2>>24|l3<<28, 0, c)
	w[3], _ = bits.Add64(l3>>36|l4<<16, 0, c)
	w[3] &= 1<<63 - 1
	return w
}

// invert sets dst to 1/a, and to zero where a is zero: a^(p-2), p-2 = 2^255-21.
func invert(dst, a *element) {
	var t0, t1 element
	powCommon(&t0, a)
	feSquareN(&t0, &t0, 2)
	feMul(&t0, &t0, a)     // 2^252 - 3
	feSquareN(&t0, &t0, 3) // 2^255 - 24
	feSquareN(&t1, a, 1)
	feMul(&t1, &t1, a) // 3
	feMul(dst, &t0, &t1)
}

// powCommon sets dst to a^(2^250-1). dst and a differ.
func powCommon(dst, a *element) {
	var t0, t1, t2 element
	feSquareN(&t0, a, 1)     // 2
	feSquareN(&t1, &t0, 2)   // 8
	feMul(&t1, a, &t1)       // 9
	feMul(&t0, &t0, &t1)     // 11
	feSquareN(&t0, &t0, 1)   // 22
	feMul(&t0, &t1, &t0)     // 2^5 - 1
	feSquareN(&t1, &t0, 5)   //
	feMul(&t0, &t1, &t0)     // 2^10 - 1
	feSquareN(&t1, &t0, 10)  //
	feMul(&t1, &t1, &t0)     // 2^20 - 1
	feSquareN(&t2, &t1, 20)  //
	feMul(&t1, &t2, &t1)     // 2^40 - 1
	feSquareN(&t1, &t1, 10)  //
	feMul(&t0, &t1, &t0)     // 2^50 - 1
	feSquareN(&t1, &t0, 50)  //
	feMul(&t1, &t1, &t0)     // 2^100 - 1
	feSquareN(&t2, &t1, 100) //
	feMul(&t1, &t2, &t1)     // 2^200 - 1
	feSquareN(&t1, &t1, 50)  //
	feMul(dst, &t1, &t0)     // 2^250 - 1
}
