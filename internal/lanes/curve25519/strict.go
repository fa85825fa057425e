// Package curve25519 verifies Ed25519 signatures in eight lanes of AVX-512.
//
// README.md has the representation of field elements and the bounds of every
// limb. Everything here is variable time: the inputs are public.
package curve25519

import "github.com/stmverify/stmverify/internal/lanes"

//go:generate go -C ../gen run ./curve25519 -dir ../curve25519

// An Item is one signature to verify. The verifier reads the three fields and
// keeps none.
type Item struct {
	Key       *[32]byte
	Signature *[64]byte
	Message   []byte
}

// Available reports whether this package may be used. The other functions
// require it.
func Available() bool { return lanes.Enabled() && compiled }

// VerifyStrict sets ok[i] to whether items[i] is valid by the strict rule: S
// below the group order, A and R none of the fourteen encodings of small-order
// points, A a point, and [S]B - [k]A encoding to the bytes of R. Each verdict
// depends on its item alone. Requires [Available] and len(ok) = len(items).
// The cost is that of whole groups of eight, and least a signature from 64 on.
func (w *Workspace) VerifyStrict(ok []bool, items []Item) { w.verify(ok, items, true) }

// VerifyCofactorless is [Workspace.VerifyStrict] without the rule on small-order A and
// R: the verdicts of crypto/ed25519.
func (w *Workspace) VerifyCofactorless(ok []bool, items []Item) { w.verify(ok, items, false) }

// VerifyOne decides one item by the strict rule, or by that of crypto/ed25519,
// faster than eight lanes would. It needs no working memory but 12 KB of the
// stack. Requires [Available].
func VerifyOne(item *Item, strict bool) bool { return verifyOne(item, strict) }

// VerifyOneCofactored decides one item by the equation multiplied by the
// cofactor, the rule of ZIP 215: S below the group order, A and R any encodings
// of points. Requires [Available].
func VerifyOneCofactored(item *Item) bool { return verifyOneCofactored(item) }

// smallOrder reports whether the 32 bytes are one of the fourteen encodings,
// canonical or not, of a point whose order divides eight.
func smallOrder(b []byte) bool {
	switch b[0] {
	case 0x00, 0x01, 0xec, 0xed, 0xee, 0x26, 0xc7:
	default:
		return false // no first byte of smallOrderY
	}
	e := [32]byte(b)
	e[31] &= 0x7f
	for i := range smallOrderY {
		if e == smallOrderY[i] {
			return true
		}
	}
	return false
}

// smallOrderY are the encodings of the y coordinates of the small-order
// points: 0, 1, -1, p, p+1 and those of order eight. With either sign bit they
// are the fourteen encodings.
var smallOrderY = [7][32]byte{
	{},
	{0: 1},
	filled(0xec),
	filled(0xed),
	filled(0xee),
	{
		0x26, 0xe8, 0x95, 0x8f, 0xc2, 0xb2, 0x27, 0xb0, 0x45, 0xc3, 0xf4, 0x89, 0xf2, 0xef, 0x98, 0xf0,
		0xd5, 0xdf, 0xac, 0x05, 0xd3, 0xc6, 0x33, 0x39, 0xb1, 0x38, 0x02, 0x88, 0x6d, 0x53, 0xfc, 0x05,
	},
	{
		0xc7, 0x17, 0x6a, 0x70, 0x3d, 0x4d, 0xd8, 0x4f, 0xba, 0x3c, 0x0b, 0x76, 0x0d, 0x10, 0x67, 0x0f,
		0x2a, 0x20, 0x53, 0xfa, 0x2c, 0x39, 0xcc, 0xc6, 0x4e, 0xc7, 0xfd, 0x77, 0x92, 0xac, 0x03, 0x7a,
	},
}

// filled returns first, then 30 bytes of ones, then 0x7f.
func filled(first byte) [32]byte {
	b := [32]byte{0: first, 31: 0x7f}
	for i := 1; i < 31; i++ {
		b[i] = 0xff
	}
	return b
}
