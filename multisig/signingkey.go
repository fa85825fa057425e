package multisig

import (
	"errors"
	"fmt"

	"github.com/stmverify/stmverify/internal/bls12381"
	"github.com/stmverify/stmverify/internal/bls12381/backend"
)

// SigningKeySize is the length in bytes of an encoded [SigningKey], and the least length of the input key material.
const SigningKeySize = 32

// errSecret is returned where a secret would leave by accident.
var errSecret = errors.New("multisig: a signing key is not encoded; see SigningKey.SecretBytes")

// SigningKey is a secret scalar in [1, r). It prints as "multisig.SigningKey(secret)" in every format and refuses to be
// marshalled. Signing takes constant time with blst; gnark-crypto offers variable time only, so that signers who share a
// machine with others build with cgo.
type SigningKey struct{ secret backend.SecretKey }

// GenerateSigningKey derives a key from input key material of at least [SigningKeySize] bytes, which must be secret and
// uniformly random: KeyGen of draft-irtf-cfrg-bls-signature without key information (SPEC 12).
func GenerateSigningKey(ikm []byte) (*SigningKey, error) {
	if len(ikm) < SigningKeySize {
		return nil, fmt.Errorf("multisig: key material: %w: got %d bytes, want at least %d", ErrLength, len(ikm), SigningKeySize)
	}
	return &SigningKey{backend.KeyGen(ikm)}, nil
}

// SigningKeyFromBytes decodes exactly [SigningKeySize] big-endian bytes. The errors are [ErrLength] and [ErrSecretKey].
func SigningKeyFromBytes(b []byte) (*SigningKey, error) {
	if len(b) != SigningKeySize {
		return nil, lengthError("signing key", len(b), SigningKeySize)
	}
	k := new(SigningKey)
	if !backend.SecretKeyFromBytes(&k.secret, (*[SigningKeySize]byte)(b)) {
		return nil, fmt.Errorf("multisig: signing key: %w", ErrSecretKey)
	}
	return k, nil
}

// SecretBytes returns the secret scalar, big-endian. The caller keeps it secret and overwrites it after use.
func (k *SigningKey) SecretBytes() [SigningKeySize]byte { return backend.SecretKeyBytes(&k.secret) }

// Destroy overwrites the secret. The key is not used afterwards.
func (k *SigningKey) Destroy() { backend.Zeroize(&k.secret) }

// Sign returns the signature of msg, sk·H(msg).
func (k *SigningKey) Sign(msg []byte) *Signature {
	var hash bls12381.G1
	backend.HashToG1(&hash, msg)
	s := new(Signature)
	backend.MulG1(&s.point, &hash, &k.secret)
	s.enc = backend.EncodeG1(&s.point)
	return s
}

// VerificationKey returns the key that verifies k's signatures, sk·g₂.
func (k *SigningKey) VerificationKey() *VerificationKey {
	v := new(VerificationKey)
	backend.PublicKey(&v.point, &k.secret)
	v.enc = backend.EncodeG2(&v.point)
	return v
}

// ProvePossession returns the proof that registration asks for.
func (k *SigningKey) ProvePossession() *ProofOfPossession {
	p := new(ProofOfPossession)
	g1 := bls12381.GeneratorG1()
	backend.HashToG1(&p.k1, []byte(possessionMessage))
	backend.MulG1(&p.k1, &p.k1, &k.secret)
	backend.MulG1(&p.k2, &g1, &k.secret)
	k1, k2 := backend.EncodeG1(&p.k1), backend.EncodeG1(&p.k2)
	copy(p.enc[:], k1[:])
	copy(p.enc[bls12381.G1Size:], k2[:])
	return p
}

// String says that this is a signing key, and no more.
func (k SigningKey) String() string { return "multisig.SigningKey(secret)" }

// Format writes String for every verb and flag, so that no format prints the secret.
func (k SigningKey) Format(f fmt.State, _ rune) { fmt.Fprint(f, k.String()) }

// MarshalText fails: a secret is encoded only by the method whose name says so.
func (k SigningKey) MarshalText() ([]byte, error) { return nil, errSecret }

// MarshalBinary fails like MarshalText.
func (k SigningKey) MarshalBinary() ([]byte, error) { return nil, errSecret }
