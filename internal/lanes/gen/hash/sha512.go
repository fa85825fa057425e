package main

import (
	"math/big"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/stmverify/stmverify/internal/lanes/gen/output"
)

// roundConstants computes the 80 constants of FIPS 180-4 section 4.2.3: the
// first 64 bits of the fractional parts of the cube roots of the first primes.
func roundConstants() [80]uint64 {
	var k [80]uint64
	n := 0
	for p := int64(2); n < len(k); p++ {
		if !big.NewInt(p).ProbablyPrime(0) {
			continue
		}
		k[n] = cubeRootFraction(p)
		n++
	}
	return k
}

// cubeRootFraction returns floor(2^64 * cbrt(p)) mod 2^64.
func cubeRootFraction(p int64) uint64 {
	target := new(big.Int).Lsh(big.NewInt(p), 192)
	root := new(big.Int)
	for bit := 70; bit >= 0; bit-- {
		try := new(big.Int).SetBit(root, bit, 1)
		cube := new(big.Int).Exp(try, big.NewInt(3), nil)
		if cube.Cmp(target) <= 0 {
			root = try
		}
	}
	return new(big.Int).And(root, new(big.Int).SetUint64(^uint64(0))).Uint64()
}

// Truth tables of VPTERNLOGQ with the destination as first input.
const (
	xor3   = operand.U8(0x96)
	choose = operand.U8(0xca) // first ? second : third
	major  = operand.U8(0xe8)
)

func sha512(c *build.Context) {
	k := c.StaticGlobal("sha512K")
	c.DataAttributes(attr.RODATA | attr.NOPTR)
	for i, w := range roundConstants() {
		c.AddDatum(8*i, operand.U64(w))
	}
	swap := c.StaticGlobal("sha512Swap")
	c.DataAttributes(attr.RODATA | attr.NOPTR)
	c.AddDatum(0, operand.U64(0x0001020304050607))
	c.AddDatum(8, operand.U64(0x08090a0b0c0d0e0f))

	output.Text(c, "sha512Compress", "func(h *[8][8]uint64, blocks *[8]*byte)")
	c.Doc("sha512Compress absorbs one 128-byte block of each lane into h, whose row i holds",
		"word i of the eight states.")
	h := c.Load(c.Param("h"), c.GP64())
	ptrs := c.Load(c.Param("blocks"), c.GP64())
	w := loadBlocks(c, ptrs, zmm[8:24], zmm[:8])
	c.VBROADCASTI64X2(swap, zmm[24])
	for _, r := range w {
		c.VPSHUFB(zmm[24], r, r)
	}
	s := append([]reg.VecPhysical(nil), zmm[:8]...)
	for i := range 8 {
		c.VMOVDQU64(operand.Mem{Base: h, Disp: 64 * i}, s[i])
	}
	kp, n := c.GP64(), c.GP64()
	c.LEAQ(k, kp)
	c.MOVQ(operand.U32(4), n)
	c.Label("schedule")
	for i := range 16 {
		sha512Round(c, rotate(s, i), w[i], operand.Mem{Base: kp, Disp: 8 * i})
		sha512Schedule(c, w, i)
	}
	c.ADDQ(operand.U32(128), kp)
	c.DECQ(n)
	c.JNZ(operand.LabelRef("schedule"))
	for i := range 16 {
		sha512Round(c, rotate(s, i), w[i], operand.Mem{Base: kp, Disp: 8 * i})
	}
	for i := range 8 {
		c.VPADDQ(operand.Mem{Base: h, Disp: 64 * i}, s[i], s[i])
		c.VMOVDQU64(s[i], operand.Mem{Base: h, Disp: 64 * i})
	}
	c.VZEROUPPER()
	c.RET()

	sha512Digests(c, swap)
}

func sha512Digests(c *build.Context, swap operand.Mem) {
	output.Text(c, "sha512Digests", "func(out *[8][64]byte, h *[8][8]uint64)")
	c.Doc("sha512Digests writes the eight digests of the states h.")
	out := c.Load(c.Param("out"), c.GP64())
	h := c.Load(c.Param("h"), c.GP64())
	d := append([]reg.VecPhysical(nil), zmm[:8]...)
	c.VBROADCASTI64X2(swap, zmm[24])
	for i := range 8 {
		c.VMOVDQU64(operand.Mem{Base: h, Disp: 64 * i}, d[i])
		c.VPSHUFB(zmm[24], d[i], d[i])
	}
	storeDigests(c, out, d, append([]reg.VecPhysical(nil), zmm[8:16]...))
	c.VZEROUPPER()
	c.RET()
}

// rotate returns the registers of a to h as round i names them.
func rotate(s []reg.VecPhysical, i int) [8]reg.VecPhysical {
	var out [8]reg.VecPhysical
	for j := range out {
		out[j] = s[(j-i%8+8)%8]
	}
	return out
}

// rotations emits dst = x>>>r1 ^ x>>>r2 ^ (x>>>r3 or x>>r3).
func rotations(c *build.Context, x, dst, t1, t2 reg.VecPhysical, r1, r2, r3 uint8, shift bool) {
	c.VPRORQ(operand.U8(r1), x, dst)
	c.VPRORQ(operand.U8(r2), x, t1)
	if shift {
		c.VPSRLQ(operand.U8(r3), x, t2)
	} else {
		c.VPRORQ(operand.U8(r3), x, t2)
	}
	c.VPTERNLOGQ(xor3, t2, t1, dst)
}

func sha512Round(c *build.Context, s [8]reg.VecPhysical, w reg.VecPhysical, k operand.Mem) {
	a, b, cc, d, e, f, g, h := s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7]
	t0, t1, t2, t3 := zmm[24], zmm[25], zmm[26], zmm[27]
	c.VPADDQ_BCST(k, h, h)
	c.VPADDQ(w, h, h)
	c.VMOVDQA64(e, t3)
	c.VPTERNLOGQ(choose, g, f, t3)
	c.VPADDQ(t3, h, h)
	rotations(c, e, t0, t1, t2, 14, 18, 41, false)
	c.VPADDQ(t0, h, h)
	c.VPADDQ(h, d, d)
	c.VMOVDQA64(a, t3)
	c.VPTERNLOGQ(major, cc, b, t3)
	c.VPADDQ(t3, h, h)
	rotations(c, a, t0, t1, t2, 28, 34, 39, false)
	c.VPADDQ(t0, h, h)
}

// sha512Schedule replaces word i by word i+16.
func sha512Schedule(c *build.Context, w []reg.VecPhysical, i int) {
	t0, t1, t2 := zmm[28], zmm[29], zmm[30]
	rotations(c, w[(i+1)%16], t0, t1, t2, 1, 8, 7, true)
	c.VPADDQ(t0, w[i], w[i])
	c.VPADDQ(w[(i+9)%16], w[i], w[i])
	rotations(c, w[(i+14)%16], t0, t1, t2, 19, 61, 6, true)
	c.VPADDQ(t0, w[i], w[i])
}
