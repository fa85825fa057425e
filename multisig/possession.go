package multisig

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"

	"github.com/stmverify/stmverify/internal/bls12381"
	"github.com/stmverify/stmverify/internal/bls12381/backend"
)

// ProofOfPossessionSize is the length in bytes of an encoded [ProofOfPossession].
const ProofOfPossessionSize = 2 * bls12381.G1Size

// possessionMessage is what a proof of possession signs: these three bytes and not the key (SPEC 4.4).
const possessionMessage = "PoP"

// ProofOfPossession shows that the owner of a verification key holds its secret key: k₁ = sk·H("PoP") and k₂ = sk·g₁. Both
// points are in the subgroup and not at infinity; the reference does not look at the subgroup (SPEC 4.4).
type ProofOfPossession struct {
	k1, k2 bls12381.G1
	enc    [ProofOfPossessionSize]byte
}

// ProofOfPossessionFromBytes decodes k₁ ‖ k₂, two compressed points, of exactly [ProofOfPossessionSize] bytes.
func ProofOfPossessionFromBytes(b []byte) (*ProofOfPossession, error) {
	if len(b) != ProofOfPossessionSize {
		return nil, lengthError("proof of possession", len(b), ProofOfPossessionSize)
	}
	p := &ProofOfPossession{enc: [ProofOfPossessionSize]byte(b)}
	for i, k := range []*bls12381.G1{&p.k1, &p.k2} {
		enc := [bls12381.G1Size]byte(b[i*bls12381.G1Size:])
		if err := statusError(backend.DecodeG1(k, &enc)); err != nil {
			return nil, fmt.Errorf("multisig: proof of possession: k%d: %w", i+1, err)
		}
	}
	return p, nil
}

// Bytes returns the canonical encoding.
func (p *ProofOfPossession) Bytes() [ProofOfPossessionSize]byte { return p.enc }

// Verify returns nil when p was made with the secret key of key, and [ErrPossession] otherwise:
// e(k₁, g₂) = e(H("PoP"), key) and e(g₁, key) = e(k₂, g₂). It costs three Miller loops, see [VerifyPossessions].
func (p *ProofOfPossession) Verify(key *VerificationKey) error {
	err := VerifyPossessions(context.Background(), []*VerificationKey{key}, []*ProofOfPossession{p})
	if _, ok := err.(*PossessionError); ok {
		return fmt.Errorf("multisig: %w", ErrPossession)
	}
	return err
}

// PossessionError lists the positions of the proofs that do not verify, ascending, at least one.
type PossessionError struct{ Positions []int }

func (e *PossessionError) Error() string {
	return fmt.Sprintf("multisig: registrations %v: %v", e.Positions, ErrPossession)
}

// Unwrap returns [ErrPossession].
func (e *PossessionError) Unwrap() error { return ErrPossession }

// VerifyPossessions returns nil when every proof was made with the secret key of the key at its position, and otherwise a
// [*PossessionError] that names those that were not. One random combination of both equations of all proofs,
//
//	e(-Σ (ρ k₁ + τ k₂), g₂) · e(H("PoP"), Σ ρ vk) · e(g₁, Σ τ vk) = 1,
//
// costs three Miller loops and one final exponentiation for any number of proofs; culprits are found by halves. It refuses
// slices that are empty ([ErrEmpty]), of different lengths ([ErrLength]) or with zero values ([ErrZeroValue]).
func VerifyPossessions(ctx context.Context, keys []*VerificationKey, proofs []*ProofOfPossession) error {
	return verifyPossessions(ctx, rand.Reader, keys, proofs)
}

func verifyPossessions(ctx context.Context, random io.Reader, keys []*VerificationKey, proofs []*ProofOfPossession) error {
	if len(proofs) == 0 {
		return fmt.Errorf("multisig: proofs of possession: %w", ErrEmpty)
	}
	if len(keys) != len(proofs) {
		return fmt.Errorf("multisig: proofs of possession: %w: got %d keys, want %d", ErrLength, len(keys), len(proofs))
	}
	for i := range keys {
		if keys[i].isZero() {
			return &PointError{"verification key", i, ErrZeroValue}
		}
		if proofs[i] == nil || proofs[i].enc[0] == 0 {
			return &PointError{"proof of possession", i, ErrZeroValue}
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	coefficients, err := drawCoefficients(random, 2*len(keys))
	if err != nil {
		return fmt.Errorf("multisig: coefficients: %w", err)
	}
	c := &possessions{keys: keys, proofs: proofs, first: coefficients[:len(keys)], second: coefficients[len(keys):]}
	backend.HashToG1(&c.hash, []byte(possessionMessage))
	if c.hold(0, len(keys)) {
		return nil
	}
	positions, err := bisect(ctx, len(keys), c.hold)
	if err != nil {
		return err
	}
	return &PossessionError{positions}
}

// possessions is one call of VerifyPossessions.
type possessions struct {
	keys          []*VerificationKey
	proofs        []*ProofOfPossession
	first, second []bls12381.Coefficient // ρ and τ
	hash          bls12381.G1
}

// hold decides the equation over the proofs first to last-1.
func (c *possessions) hold(first, last int) bool {
	n := last - first
	points := make([]bls12381.G1, 0, 2*n)
	keys := make([]bls12381.G2, n)
	for i := range n {
		points = append(points, c.proofs[first+i].k1)
		keys[i] = c.keys[first+i].point
	}
	for i := range n {
		points = append(points, c.proofs[first+i].k2)
	}
	coefficients := make([]bls12381.Coefficient, 0, 2*n)
	coefficients = append(coefficients, c.first[first:last]...)
	coefficients = append(coefficients, c.second[first:last]...)

	var sum bls12381.G1
	var forHash, forGenerator bls12381.G2
	backend.MultiExpG1(&sum, points, coefficients)
	backend.MultiExpG2(&forHash, keys, c.first[first:last])
	backend.MultiExpG2(&forGenerator, keys, c.second[first:last])
	sum.Neg(&sum)
	product, _ := backend.MillerLoop([]bls12381.G1{sum, c.hash, bls12381.GeneratorG1()}, []bls12381.G2{bls12381.GeneratorG2(), forHash, forGenerator})
	return backend.FinalExpIsOne(&product)
}
