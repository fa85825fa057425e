package ed25519

import (
	"bytes"
	"crypto/sha512"

	"filippo.io/edwards25519"
)

// accepts is an independent implementation of the four rule sets: by points instead of lists of encodings, without
// tables or thresholds, on filippo.io/edwards25519.
func accepts(mode Mode, s signed) bool {
	if len(s.pub) != PublicKeySize || len(s.sig) != SignatureSize {
		return false
	}
	encodedR := s.sig[:32]
	bigS, err := edwards25519.NewScalar().SetCanonicalBytes(s.sig[32:])
	if err != nil {
		return false
	}
	a, err := new(edwards25519.Point).SetBytes(s.pub)
	if err != nil {
		return false
	}
	r, errR := new(edwards25519.Point).SetBytes(encodedR)
	hash := sha512.New()
	hash.Write(encodedR)
	hash.Write(s.pub)
	hash.Write(s.msg)
	k, err := edwards25519.NewScalar().SetUniformBytes(hash.Sum(nil))
	if err != nil {
		panic(err)
	}
	// want is S·B - k·A, which should be R.
	want := new(edwards25519.Point).ScalarBaseMult(bigS)
	want.Subtract(want, new(edwards25519.Point).ScalarMult(k, a))

	isSmall := func(p *edwards25519.Point) bool {
		return new(edwards25519.Point).MultByCofactor(p).Equal(edwards25519.NewIdentityPoint()) == 1
	}
	isCanonical := func(p *edwards25519.Point, encoding []byte) bool { return bytes.Equal(p.Bytes(), encoding) }
	switch mode {
	case Strict:
		return errR == nil && !isSmall(a) && !isSmall(r) && bytes.Equal(want.Bytes(), encodedR)
	case StdLib:
		return bytes.Equal(want.Bytes(), encodedR)
	case CofactoredStrict:
		if errR != nil || isSmall(a) || isSmall(r) || !isCanonical(a, s.pub) || !isCanonical(r, encodedR) {
			return false
		}
	case ZIP215:
		if errR != nil {
			return false
		}
	}
	return isSmall(new(edwards25519.Point).Subtract(want, r))
}
