package stm

import "math/bits"

// fraction is a number of [0, 1) in units of 2⁻¹²⁸.
type fraction struct{ hi, lo uint64 }

func (f fraction) less(g fraction) bool { return f.hi < g.hi || f.hi == g.hi && f.lo < g.lo }

// plus returns f + g modulo 1 and the carry.
func (f fraction) plus(g fraction) (fraction, uint64) {
	lo, carry := bits.Add64(f.lo, g.lo, 0)
	hi, carry := bits.Add64(f.hi, g.hi, carry)
	return fraction{hi, lo}, carry
}

// minus returns f − g modulo 1 and the borrow.
func (f fraction) minus(g fraction) (fraction, uint64) {
	lo, borrow := bits.Sub64(f.lo, g.lo, 0)
	hi, borrow := bits.Sub64(f.hi, g.hi, borrow)
	return fraction{hi, lo}, borrow
}

// times returns f · g, rounded down.
func (f fraction) times(g fraction) fraction {
	carry1, _ := bits.Mul64(f.lo, g.lo)
	carry2, mid2 := bits.Mul64(f.hi, g.lo)
	carry3, mid3 := bits.Mul64(f.lo, g.hi)
	hi, lo := bits.Mul64(f.hi, g.hi)
	var c uint64
	mid2, c = bits.Add64(mid2, carry1, 0)
	lo, c = bits.Add64(lo, carry2, c)
	hi += c
	_, c = bits.Add64(mid2, mid3, 0)
	lo, c = bits.Add64(lo, carry3, c)
	return fraction{hi + c, lo}
}

// shift returns f · 2⁻ᵏ, rounded down, k < 64.
func (f fraction) shift(k uint) fraction {
	return fraction{f.hi >> k, f.lo>>k | f.hi<<(64-k)} // a shift by 64 gives 0
}

// exponent is a non-negative number with 128 fractional bits.
type exponent struct {
	whole uint64
	fraction
}

// ln2 is ln 2, rounded down.
var ln2 = fraction{0xb17217f7d1cf79ab, 0xc9e3b39803f2f6af}

// inverseFactorials are 1/n! for n = 2 … 33, rounded down.
var inverseFactorials = [...]fraction{
	{0x8000000000000000, 0x0000000000000000}, // 1/2!
	{0x2aaaaaaaaaaaaaaa, 0xaaaaaaaaaaaaaaaa}, // 1/3!
	{0x0aaaaaaaaaaaaaaa, 0xaaaaaaaaaaaaaaaa}, // 1/4!
	{0x0222222222222222, 0x2222222222222222}, // 1/5!
	{0x005b05b05b05b05b, 0x05b05b05b05b05b0}, // 1/6!
	{0x000d00d00d00d00d, 0x00d00d00d00d00d0}, // 1/7!
	{0x0001a01a01a01a01, 0xa01a01a01a01a01a}, // 1/8!
	{0x00002e3bc74aad8e, 0x671f5583911ca002}, // 1/9!
	{0x0000049f93edde27, 0xd71cbbc05b4fa999}, // 1/10!
	{0x0000006b99159fd5, 0x138e3f9d1f92e0df}, // 1/11!
	{0x00000008f76c77fc, 0x6c4bdaa26d4c3d67}, // 1/12!
	{0x00000000b092309d, 0x43684be51c198e91}, // 1/13!
	{0x000000000c9cba54, 0x603e4e905d6f8a2e}, // 1/14!
	{0x0000000000d73f9f, 0x399dc0f88ec32b58}, // 1/15!
	{0x00000000000d73f9, 0xf399dc0f88ec32b5}, // 1/16!
	{0x000000000000ca96, 0x3b81856a53593028}, // 1/17!
	{0x0000000000000b41, 0x3c31dcbecbbdd802}, // 1/18!
	{0x0000000000000097, 0xa4da340a0ab92650}, // 1/19!
	{0x0000000000000007, 0x950ae900808941ea}, // 1/20!
	{0x0000000000000000, 0x5c6e3bdb73d5c62f}, // 1/21!
	{0x0000000000000000, 0x04338e5b6dfe14a5}, // 1/22!
	{0x0000000000000000, 0x002ec368262c7033}, // 1/23!
	{0x0000000000000000, 0x0001f2cf01972f57}, // 1/24!
	{0x0000000000000000, 0x000013f3ccdd165f}, // 1/25!
	{0x0000000000000000, 0x000000c4742fe352}, // 1/26!
	{0x0000000000000000, 0x0000000746ac70b7}, // 1/27!
	{0x0000000000000000, 0x0000000042862898}, // 1/28!
	{0x0000000000000000, 0x00000000024b3f31}, // 1/29!
	{0x0000000000000000, 0x000000000013932c}, // 1/30!
	{0x0000000000000000, 0x000000000000a1a6}, // 1/31!
	{0x0000000000000000, 0x000000000000050d}, // 1/32!
	{0x0000000000000000, 0x0000000000000027}, // 1/33!
}

// slack bounds the error of [oneMinusExp] in units of 2⁻¹²⁸; the proof there gives 7.
const slack = 16

// oneMinusExp returns bounds lo <= 1 − e⁻ˣ <= hi that hold for every x of [floor, floor + 2⁻¹²⁸), floor < 40. They are
// at most 32 units of 2⁻¹²⁸ apart.
//
// Let k be an integer and r = floor − k·ln2 the remainder, so that 1 − e⁻ˣ = 1 − 2⁻ᵏ + 2⁻ᵏ·(1 − e⁻ʳ). All errors below are in
// units of 2⁻¹²⁸.
//
//   - The remainder is off by less than k, since ln2 is rounded down, and by less than 1, since x is.
//   - 1 − e⁻ʳ = r − r·(r·p₂) with pₙ = 1/n! − r·pₙ₊₁, and p₃₃ = 1/33!. Each step loses less than 1 in the product and less
//     than 1 in the coefficient, and takes over r < 0.6932 times the error before: in all less than 2/(1 − 0.6932) < 6.6. The
//     two last products make this 5.6, then 4.9; the terms left out are below 10⁻³.
//   - So 1 − e⁻ʳ is off by less than 6 + k. Scaling divides this by 2ᵏ and rounds once more: less than (6 + k)/2ᵏ + 1 <= 7.
func oneMinusExp(floor exponent) (lo, hi fraction) {
	// floor/ln2 from 30 bits of floor: the result is k or, close below the next multiple of ln2, one less, which keeps
	// 0 <= r < ln2 + 2⁻²³.
	const inverseLn2 = 1549082004 // 2³⁰/ln2, rounded down
	k := (floor.whole<<24 | floor.hi>>40) * inverseLn2 >> 54

	carry, low := bits.Mul64(k, ln2.lo)
	r, _ := floor.minus(fraction{k*ln2.hi + carry, low}) // modulo 1: r < 1 is what is left

	p := inverseFactorials[len(inverseFactorials)-1]
	for n := len(inverseFactorials) - 2; n >= 0; n-- {
		p, _ = inverseFactorials[n].minus(r.times(p))
	}
	v, _ := r.minus(r.times(r.times(p)))

	// 1 − 2⁻ᵏ·(1 − v), where ^v is 1 − v less one unit, which exists also for v = 0.
	rest := fraction{^v.hi, ^v.lo}.shift(uint(k))
	v = fraction{^rest.hi, ^rest.lo}

	lo, borrow := v.minus(fraction{0, slack})
	if borrow != 0 {
		lo = fraction{}
	}
	hi, _ = v.plus(fraction{0, slack}) // v <= 1 − 2⁻⁵⁸
	return lo, hi
}
