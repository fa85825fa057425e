package main

import (
	"fmt"
	"math/big"
)

// emitGoConstants writes the Go file of constants: field elements as limbs in
// Montgomery form and the exponentiation of the square roots.
func emitGoConstants(e *emitter) {
	p := modulus()
	mont := func(x *big.Int) *big.Int {
		x = new(big.Int).Lsh(x, limbs*limbBits)
		return x.Mod(x, p)
	}
	pow2 := func(n uint) *big.Int { return new(big.Int).Lsh(big.NewInt(1), n) }
	reduced := func(x *big.Int) *big.Int { return new(big.Int).Mod(x, p) }

	e.line("package bls12381")
	e.limbs("limbsPlainOne", "1, which takes a value out of Montgomery form", big.NewInt(1))
	e.limbs("limbsFromPlain", "R², which takes a value into Montgomery form", reduced(pow2(2*416)))
	e.limbs("limbsFrom384", "2^448: from radix 2^384 to R", reduced(pow2(448)))
	e.limbs("limbsTo384", "2^384: from R to radix 2^384", reduced(pow2(384)))
	e.limbs("limbsOne", "1", mont(big.NewInt(1)))
	e.limbs("limbsFour", "4", mont(big.NewInt(4)))
	e.limbs("limbsHalf", "1/2", mont(new(big.Int).ModInverse(big.NewInt(2), p)))
	e.limbs("limbsBeta", "β, a cube root of 1: (βx, y) = −[u²](x, y) on G1", mont(cubeRoot(p)))
	c, d := frobenius(p)
	e.limbs("limbsPsiX0", "coordinate 0 of 1/(1+i)^((p−1)/3)", mont(c.re))
	e.limbs("limbsPsiX1", "coordinate 1 of 1/(1+i)^((p−1)/3)", mont(c.im))
	e.limbs("limbsPsiY0", "coordinate 0 of 1/(1+i)^((p−1)/2)", mont(d.re))
	e.limbs("limbsPsiY1", "coordinate 1 of 1/(1+i)^((p−1)/2)", mont(d.im))
	for i, c := range g2Generator() {
		e.limbs(fmt.Sprintf("limbsG2Generator%d", i), "a coordinate of the generator of G2: x₀, x₁, y₀, y₁", mont(c))
	}
	e.words("primeWords", "p in 64-bit words", words(p))
	e.words("halfWords", "(p−1)/2 in 64-bit words", words(new(big.Int).Rsh(p, 1)))
	e.words("montOneWords", "2^384 mod p in 64-bit words", words(reduced(pow2(384))))
	e.limbs("limbsHigh", "R²·2^384, for the upper part of an integer", reduced(pow2(2*416+384)))
	emitHashConstants(e, mont)
	emitRootSteps(e, new(big.Int).Rsh(p, 2))
}

// limbs writes an element as 52-bit limbs.
func (e *emitter) limbs(name, doc string, x *big.Int) {
	e.line("\n// %s is %s.", name, doc)
	e.line("var %s = [8]uint64{", name)
	for _, w := range split(x) {
		e.line("\t0x%013x,", w)
	}
	e.line("}")
}

func hexWord(w uint64) string { return fmt.Sprintf("0x%013x", w) }

// words writes six 64-bit words.
func (e *emitter) words(name, doc string, x []uint64) {
	e.line("\n// %s is %s.", name, doc)
	e.line("var %s = [6]uint64{", name)
	for _, w := range x {
		e.line("\t0x%016x,", w)
	}
	e.line("}")
}

func words(x *big.Int) []uint64 {
	x = new(big.Int).Set(x)
	mask := new(big.Int).SetUint64(1<<64 - 1)
	w := make([]uint64, 6)
	for i := range w {
		w[i] = new(big.Int).And(x, mask).Uint64()
		x.Rsh(x, 64)
	}
	return w
}

// rootWindow is the width of the windows of the square root exponentiation.
const rootWindow = 5

// emitRootSteps writes the sliding windows of the exponent: start with the power
// rootFirst, then for each step square and multiply by the odd power.
func emitRootSteps(e *emitter, exponent *big.Int) {
	type step struct{ squarings, power int }
	var steps []step
	squarings := 0
	for i := exponent.BitLen() - 1; i >= 0; {
		if exponent.Bit(i) == 0 {
			squarings++
			i--
			continue
		}
		low := max(i-rootWindow+1, 0)
		for exponent.Bit(low) == 0 {
			low++
		}
		power := 0
		for j := i; j >= low; j-- {
			power = 2*power + int(exponent.Bit(j))
		}
		steps = append(steps, step{squarings + i - low + 1, power})
		squarings = 0
		i = low - 1
	}
	if squarings != 0 {
		steps = append(steps, step{squarings, 0})
	}
	e.line("\n// rootSteps raises to (p−3)/4: the first step sets its power, every other")
	e.line("// squares and then multiplies by the power of the given odd exponent, if any.")
	e.line("var rootSteps = [...]struct{ squarings, power uint8 }{")
	for _, s := range steps {
		e.line("\t{%d, %d},", s.squarings, s.power)
	}
	e.line("}")
}

// A complex is an element re + im·i of Fp2.
type complexInt struct{ re, im *big.Int }

func (a complexInt) mul(b complexInt, p *big.Int) complexInt {
	re := new(big.Int).Mul(a.re, b.re)
	re.Sub(re, new(big.Int).Mul(a.im, b.im))
	im := new(big.Int).Mul(a.re, b.im)
	im.Add(im, new(big.Int).Mul(a.im, b.re))
	return complexInt{re.Mod(re, p), im.Mod(im, p)}
}

func (a complexInt) exp(n, p *big.Int) complexInt {
	r := complexInt{big.NewInt(1), big.NewInt(0)}
	for i := n.BitLen() - 1; i >= 0; i-- {
		r = r.mul(r, p)
		if n.Bit(i) == 1 {
			r = r.mul(a, p)
		}
	}
	return r
}

func (a complexInt) inverse(p *big.Int) complexInt {
	norm := new(big.Int).Mul(a.re, a.re)
	norm.Add(norm, new(big.Int).Mul(a.im, a.im))
	norm.ModInverse(norm, p)
	re := new(big.Int).Mul(a.re, norm)
	im := new(big.Int).Mul(a.im, norm)
	return complexInt{re.Mod(re, p), im.Neg(im).Mod(im, p)}
}

// frobenius returns the constants of ψ(x, y) = (c·x̄, d·ȳ).
func frobenius(p *big.Int) (c, d complexInt) {
	xi := complexInt{big.NewInt(1), big.NewInt(1)}.inverse(p)
	n := new(big.Int).Sub(p, big.NewInt(1))
	c = xi.exp(new(big.Int).Div(n, big.NewInt(3)), p)
	d = xi.exp(new(big.Int).Div(n, big.NewInt(2)), p)
	return c, d
}

// cubeRoot returns the primitive cube root of 1 whose endomorphism (βx, y) is
// −[u²] on G1, checked on the generator: u² = −(0xd201000000010000)².
func cubeRoot(p *big.Int) *big.Int {
	n := new(big.Int).Sub(p, big.NewInt(1))
	n.Div(n, big.NewInt(3))
	for g := int64(2); ; g++ {
		b := new(big.Int).Exp(big.NewInt(g), n, p)
		if b.Cmp(big.NewInt(1)) == 0 {
			continue
		}
		if endomorphismIsSquare(b, p) {
			return b
		}
		return b.Mul(b, b).Mod(b, p)
	}
}

// endomorphismIsSquare reports whether (βx, −y) = [u²](x, y) for the generator.
func endomorphismIsSquare(beta, p *big.Int) bool {
	x, _ := new(big.Int).SetString("17f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb", 16)
	y, _ := new(big.Int).SetString("08b3f481e3aaa0f1a09e30ed741d8ae4fcf5e095d5d00af600db18cb2c04b3edd03cc744a2888ae40caa232946c5e7e1", 16)
	u := new(big.Int).SetUint64(0xd201000000010000)
	k := new(big.Int).Mul(u, u)
	px, py := x, y
	for i := k.BitLen() - 2; i >= 0; i-- {
		px, py = affineAdd(px, py, px, py, p)
		if k.Bit(i) == 1 {
			px, py = affineAdd(px, py, x, y, p)
		}
	}
	bx := new(big.Int).Mul(beta, x)
	if new(big.Int).Mod(new(big.Int).Add(py, y), p).Sign() != 0 {
		panic(fmt.Sprint("[u²] is not ± an endomorphism: ", py))
	}
	return bx.Mod(bx, p).Cmp(px) == 0
}

// affineAdd adds two points of y² = x³ + 4 that are equal or have different x.
func affineAdd(ax, ay, bx, by, p *big.Int) (x, y *big.Int) {
	num, den := new(big.Int).Sub(by, ay), new(big.Int).Sub(bx, ax)
	if ax.Cmp(bx) == 0 {
		num.Mul(ax, ax).Mul(num, big.NewInt(3))
		den.Lsh(ay, 1)
	}
	l := den.Mod(den, p).ModInverse(den, p)
	l.Mul(l, num).Mod(l, p)
	x = new(big.Int).Mul(l, l)
	x.Sub(x, ax).Sub(x, bx).Mod(x, p)
	y = new(big.Int).Sub(ax, x)
	y.Mul(y, l).Sub(y, ay).Mod(y, p)
	return x, y
}

// g2Generator returns the coordinates x₀, x₁, y₀, y₁ of the standard generator.
func g2Generator() [4]*big.Int {
	var c [4]*big.Int
	for i, s := range []string{
		"024aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d1770bac0326a805bbefd48056c8c121bdb8",
		"13e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049334cf11213945d57e5ac7d055d042b7e",
		"0ce5d527727d6e118cc9cdc6da2e351aadfd9baa8cbdd3a76d429a695160d12c923ac9cc3baca289e193548608b82801",
		"0606c4a02ea734cc32acd2b02bc28b99cb3e287e85a763af267492ab572e99ab3f370d275cec1da1aaa9075ff05f79be",
	} {
		c[i], _ = new(big.Int).SetString(s, 16)
	}
	return c
}
