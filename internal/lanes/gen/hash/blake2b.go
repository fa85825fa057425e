package main

import (
	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/stmverify/stmverify/internal/lanes/gen/output"
)

// iv is the initial value of Blake2b and SHA-512.
var iv = [8]uint64{
	0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
	0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179,
}

// sigma is the message schedule of RFC 7693 section 2.7; rounds 10 and 11
// repeat rounds 0 and 1.
var sigma = [10][16]int{
	{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
	{14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
	{11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4},
	{7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
	{9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13},
	{2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
	{12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11},
	{13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
	{6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5},
	{10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0},
}

// columns and diagonals are the state words each half round mixes.
var (
	columns   = [4][4]int{{0, 4, 8, 12}, {1, 5, 9, 13}, {2, 6, 10, 14}, {3, 7, 11, 15}}
	diagonals = [4][4]int{{0, 5, 10, 15}, {1, 6, 11, 12}, {2, 7, 8, 13}, {3, 4, 9, 14}}
)

// adder adds message word i to a register; it may do nothing for a word known
// to be zero.
type adder func(i int, dst reg.VecPhysical)

// mix emits the mixing function G on the given groups of state words, the
// groups interleaved step by step because they are independent.
func mix(c *build.Context, v []reg.VecPhysical, groups [][4]int, words [][2]int, add adder) {
	step := func(f func(a, b, c, d reg.VecPhysical, w [2]int)) {
		for i, g := range groups {
			f(v[g[0]], v[g[1]], v[g[2]], v[g[3]], words[i])
		}
	}
	half := func(word int, r1, r2 uint8) {
		step(func(a, _, _, _ reg.VecPhysical, w [2]int) { add(w[word], a) })
		step(func(a, b, _, _ reg.VecPhysical, _ [2]int) { c.VPADDQ(b, a, a) })
		step(func(a, _, _, d reg.VecPhysical, _ [2]int) { c.VPXORQ(a, d, d) })
		step(func(_, _, _, d reg.VecPhysical, _ [2]int) { c.VPRORQ(operand.U8(r1), d, d) })
		step(func(_, _, x, d reg.VecPhysical, _ [2]int) { c.VPADDQ(d, x, x) })
		step(func(_, b, x, _ reg.VecPhysical, _ [2]int) { c.VPXORQ(x, b, b) })
		step(func(_, b, _, _ reg.VecPhysical, _ [2]int) { c.VPRORQ(operand.U8(r2), b, b) })
	}
	half(0, 32, 24)
	half(1, 16, 63)
}

// rounds emits rounds first to 11.
func rounds(c *build.Context, v []reg.VecPhysical, first int, add adder) {
	for r := first; r < 12; r++ {
		s := sigma[r%10]
		for half, groups := range [][4][4]int{columns, diagonals} {
			var words [][2]int
			for i := range 4 {
				words = append(words, [2]int{s[8*half+2*i], s[8*half+2*i+1]})
			}
			mix(c, v, groups[:], words, add)
		}
	}
}

func blake2b(c *build.Context) {
	table := c.StaticGlobal("blake2bIV")
	c.DataAttributes(attr.RODATA | attr.NOPTR)
	for i, w := range iv {
		c.AddDatum(8*i, operand.U64(w))
	}
	blake2bCompress(c, table)
	blake2bDigests(c)
	lotteryEval(c, table)
}

func blake2bCompress(c *build.Context, table operand.Mem) {
	output.Text(c, "blake2bCompress", "func(h *[8][8]uint64, blocks *[8]*byte, length, final uint64)")
	c.Doc("blake2bCompress absorbs one 128-byte block of each lane into h, whose row i holds",
		"word i of the eight states. length counts the bytes absorbed with this block; final",
		"is all ones for the last block and zero for the others.")
	h := c.Load(c.Param("h"), c.GP64())
	ptrs := c.Load(c.Param("blocks"), c.GP64())
	length := c.Load(c.Param("length"), c.GP64())
	final := c.Load(c.Param("final"), c.GP64())

	v := append([]reg.VecPhysical(nil), zmm[:16]...)
	m := loadBlocks(c, ptrs, zmm[16:32], zmm[:8])
	for i := range 8 {
		c.VMOVDQU64(operand.Mem{Base: h, Disp: 64 * i}, v[i])
		c.VPBROADCASTQ(table.Offset(8*i), v[8+i])
	}
	// No register is free here: v[0] serves as a temporary and is loaded again.
	c.VPBROADCASTQ(length, v[0])
	c.VPXORQ(v[0], v[12], v[12])
	c.VPBROADCASTQ(final, v[0])
	c.VPXORQ(v[0], v[14], v[14])
	c.VMOVDQU64(operand.Mem{Base: h}, v[0])

	rounds(c, v, 0, func(i int, dst reg.VecPhysical) { c.VPADDQ(m[i], dst, dst) })
	for i := range 8 {
		c.VPXORQ(v[8+i], v[i], v[i])
		c.VPXORQ(operand.Mem{Base: h, Disp: 64 * i}, v[i], v[i])
		c.VMOVDQU64(v[i], operand.Mem{Base: h, Disp: 64 * i})
	}
	c.VZEROUPPER()
	c.RET()
}

func blake2bDigests(c *build.Context) {
	output.Text(c, "blake2bDigests", "func(out *[8][64]byte, h *[8][8]uint64)")
	c.Doc("blake2bDigests writes the eight digests of the states h.")
	out := c.Load(c.Param("out"), c.GP64())
	h := c.Load(c.Param("h"), c.GP64())
	w := append([]reg.VecPhysical(nil), zmm[:8]...)
	for i := range 8 {
		c.VMOVDQU64(operand.Mem{Base: h, Disp: 64 * i}, w[i])
	}
	storeDigests(c, out, w, append([]reg.VecPhysical(nil), zmm[8:16]...))
	c.VZEROUPPER()
	c.RET()
}

// Offsets of the fields of type lotteryState in package hash.
const (
	lotteryFirst  = 0            // 16 words of block one, index bits zero
	lotterySecond = 16 * 8       // 4 words of block two
	lotteryMixed  = (16 + 4) * 8 // 16 state words
)

func lotteryEval(c *build.Context, table operand.Mem) {
	output.Text(c, "lotteryEval8", "func(out *[8][64]byte, s *[36]uint64, indices *[8]uint64)")
	c.Doc("lotteryEval8 hashes the eight messages that differ in their index only.",
		"s is a lotteryState.")
	frame := c.AllocLocal(8 * 64)
	out := c.Load(c.Param("out"), c.GP64())
	s := c.Load(c.Param("s"), c.GP64())
	indices := c.Load(c.Param("indices"), c.GP64())
	v := append([]reg.VecPhysical(nil), zmm[:16]...)
	m12, m13, mask := zmm[16], zmm[17], zmm[18]
	at := func(off int) operand.Mem { return operand.Mem{Base: s, Disp: off} }

	// Block one. The index starts at byte 99: its low five bytes are the high
	// ones of word 12, its high three the low ones of word 13.
	c.VMOVDQU64(operand.Mem{Base: indices}, mask)
	c.VPSLLQ(operand.U8(24), mask, m12)
	c.VPSRLQ(operand.U8(40), mask, m13)
	c.VPORQ_BCST(at(lotteryFirst+8*12), m12, m12)
	c.VPORQ_BCST(at(lotteryFirst+8*13), m13, m13)
	for i := range 16 {
		c.VPBROADCASTQ(at(lotteryMixed+8*i), v[i])
	}
	first := func(i int, dst reg.VecPhysical) {
		switch i {
		case 12:
			c.VPADDQ(m12, dst, dst)
		case 13:
			c.VPADDQ(m13, dst, dst)
		default:
			c.VPADDQ_BCST(at(lotteryFirst+8*i), dst, dst)
		}
	}
	// Of round 0 only the third diagonal takes words 12 and 13: the prepared
	// state already holds the other seven mixings.
	mix(c, v, diagonals[2:3], [][2]int{{12, 13}}, first)
	rounds(c, v, 1, first)
	for i := range 8 {
		word := iv[i]
		if i == 0 {
			word ^= 0x01010040 // sequential mode, no key, 64-byte digest
		}
		c.VPXORQ(v[8+i], v[i], v[i])
		if i == 0 {
			t := c.GP64()
			c.MOVQ(operand.U64(word), t)
			c.VPBROADCASTQ(t, v[8])
			c.VPXORQ(v[8], v[0], v[0])
		} else {
			c.VPXORQ_BCST(table.Offset(8*i), v[i], v[i])
		}
		c.VMOVDQU64(v[i], frame.Offset(64*i))
	}

	// Block two: 27 bytes, words 4 to 15 are zero.
	const lotteryLength = 155
	for i := range 8 {
		switch i {
		case 4, 6:
			word := iv[i] ^ lotteryLength
			if i == 6 {
				word = ^iv[i]
			}
			t := c.GP64()
			c.MOVQ(operand.U64(word), t)
			c.VPBROADCASTQ(t, v[8+i])
		default:
			c.VPBROADCASTQ(table.Offset(8*i), v[8+i])
		}
	}
	rounds(c, v, 0, func(i int, dst reg.VecPhysical) {
		if i < 4 {
			c.VPADDQ_BCST(at(lotterySecond+8*i), dst, dst)
		}
	})
	for i := range 8 {
		c.VPXORQ(v[8+i], v[i], v[i])
		c.VPXORQ(frame.Offset(64*i), v[i], v[i])
	}
	storeDigests(c, out, v[:8], append([]reg.VecPhysical(nil), zmm[16:24]...))
	c.VZEROUPPER()
	c.RET()
}
