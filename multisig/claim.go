package multisig

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"slices"

	"github.com/stmverify/stmverify/internal/bls12381"
	"github.com/stmverify/stmverify/internal/bls12381/backend"
)

// Claim is the statement that every signature is valid for the message under the key of the same position. It is what
// remains of a proof when everything but the pairing has been checked. The zero value claims nothing and is refused.
type Claim struct {
	msg  []byte
	keys []*VerificationKey
	sigs []Signature
}

// NewClaim makes a claim of one message, n ≥ 1 keys and n signatures. It copies the message and keeps the slices, which the
// caller does not change afterwards. It refuses slices that are empty ([ErrEmpty]), of different lengths ([ErrLength]) or
// with zero values ([ErrZeroValue]).
func NewClaim(msg []byte, keys []*VerificationKey, sigs []Signature) (Claim, error) {
	if len(sigs) == 0 {
		return Claim{}, fmt.Errorf("multisig: claim: %w", ErrEmpty)
	}
	if len(keys) != len(sigs) {
		return Claim{}, fmt.Errorf("multisig: claim: %w: got %d keys, want %d", ErrLength, len(keys), len(sigs))
	}
	for i := range sigs {
		if sigs[i].isZero() {
			return Claim{}, &PointError{"signature", i, ErrZeroValue}
		}
		if keys[i].isZero() {
			return Claim{}, &PointError{"verification key", i, ErrZeroValue}
		}
	}
	return Claim{bytes.Clone(msg), keys, sigs}, nil
}

// Len returns the number of signatures.
func (c *Claim) Len() int { return len(c.sigs) }

// Verify returns nil when every signature of the claim is valid. Otherwise the error is a [*ClaimError] with the positions
// of those that are not. One signature costs two Miller loops; n > 1 cost two multi-scalar multiplications of n terms more.
func (c *Claim) Verify() error { return c.VerifyCounting(nil) }

// VerifyCounting is Verify with the operations counted.
func (c *Claim) VerifyCounting(counters *Counters) error {
	if len(c.sigs) == 1 {
		if !c.oneHolds(counters) {
			return &ClaimError{Signatures: []int{0}}
		}
		return nil
	}
	p, err := c.Prepare(counters)
	if err != nil {
		return err
	}
	err = VerifyPrepared(context.Background(), []*Prepared{p}, 1)
	batch, ok := err.(*BatchError)
	if !ok {
		return err
	}
	return batch.Claims[0]
}

// oneHolds decides the only signature, which needs no coefficient: e(-σ, g₂) · e(H, vk) = 1.
func (c *Claim) oneHolds(counters *Counters) bool {
	pair := []bls12381.G1{c.sigs[0].point, {}}
	pair[0].Neg(&pair[0])
	backend.HashToG1(&pair[1], c.msg)
	product, n := backend.MillerLoop(pair, []bls12381.G2{bls12381.GeneratorG2(), c.keys[0].point})
	counters.addHashToCurve(1)
	counters.addMillerLoops(n)
	counters.addFinalExponentiation()
	return backend.FinalExpIsOne(&product)
}

// Prepared is a claim with its coefficients drawn. It serves one verification.
type Prepared struct {
	claim        Claim
	coefficients []bls12381.Coefficient
	counters     *Counters
	ready        bool         // hash and keys are set
	hash         bls12381.G1  // the hashed message; for one signature already multiplied by the coefficient
	keys         bls12381.G2  // the combination of the keys; for one signature the key itself
	sum          *bls12381.G1 // the combination of the signatures, once it was needed
}

// Prepare draws one fresh coefficient for each signature from crypto/rand, hashes the message to the curve and combines the
// keys (SPEC 9.3). A claim with one signature multiplies the hash, in G1, instead of the key, in G2. Where points are
// processed eight at a time (internal/lanes), the work waits until there are several claims to share it. counters may be
// nil. Preparing runs on the caller's goroutine.
func (c *Claim) Prepare(counters *Counters) (*Prepared, error) {
	return c.PrepareInsecurely(rand.Reader, counters)
}

// PrepareInsecurely is Prepare with another source of randomness. It exists for tests that show what the randomness
// protects from: whoever predicts the coefficients makes signatures pass that are not valid.
func (c *Claim) PrepareInsecurely(random io.Reader, counters *Counters) (*Prepared, error) {
	if len(c.sigs) == 0 {
		return nil, fmt.Errorf("multisig: claim: %w", ErrEmpty)
	}
	p := &Prepared{claim: *c, counters: counters}
	var err error
	if p.coefficients, err = drawCoefficients(random, len(c.sigs)); err != nil {
		return nil, fmt.Errorf("multisig: coefficients: %w", err)
	}
	if !backend.Lanes() {
		compute([]*Prepared{p})
	}
	return p, nil
}

// compute hashes the messages and combines the keys of the claims for which this has not been done.
func compute(claims []*Prepared) {
	claims = slices.DeleteFunc(slices.Clone(claims), func(p *Prepared) bool { return p.ready })
	if len(claims) == 0 {
		return
	}
	hashes := make([]bls12381.G1, len(claims))
	messages := make([][]byte, len(claims))
	for i, p := range claims {
		messages[i] = p.claim.msg
	}
	backend.HashToG1s(hashes, messages)
	var single, several []*Prepared
	for i, p := range claims {
		p.hash, p.ready = hashes[i], true
		p.counters.addHashToCurve(1)
		if len(p.claim.sigs) == 1 {
			single = append(single, p)
		} else {
			several = append(several, p)
		}
	}
	scaleHashes(single)
	combineAllKeys(several)
}

// scaleHashes multiplies the hashes of claims with one signature by their coefficients.
func scaleHashes(claims []*Prepared) {
	points := make([]bls12381.G1, len(claims))
	coefficients := make([]bls12381.Coefficient, len(claims))
	for i, p := range claims {
		points[i], coefficients[i] = p.hash, p.coefficients[0]
		p.counters.addG1(1)
	}
	backend.ScaleG1s(points, points, coefficients)
	for i, p := range claims {
		p.hash, p.keys = points[i], p.claim.keys[0].point
	}
}

// combineAllKeys combines the keys of claims with several signatures.
func combineAllKeys(claims []*Prepared) {
	var points []bls12381.G2
	var coefficients []bls12381.Coefficient
	counts := make([]int, len(claims))
	for i, p := range claims {
		counts[i] = len(p.claim.keys)
		for _, k := range p.claim.keys {
			points = append(points, k.point)
		}
		coefficients = append(coefficients, p.coefficients...)
		p.counters.addG2(counts[i])
	}
	sums := make([]bls12381.G2, len(claims))
	backend.MultiExpG2s(sums, counts, points, coefficients)
	for i, p := range claims {
		p.keys = sums[i]
	}
}

// combineKeys sets dst to the combination of the keys first to last-1.
func (p *Prepared) combineKeys(dst *bls12381.G2, first, last int) {
	points := make([]bls12381.G2, last-first)
	for i := range points {
		points[i] = p.claim.keys[first+i].point
	}
	backend.MultiExpG2(dst, points, p.coefficients[first:last])
	p.counters.addG2(len(points))
}

// combineSignatures sets dst to the combination of the signatures first to last-1.
func (p *Prepared) combineSignatures(dst *bls12381.G1, first, last int) {
	points := make([]bls12381.G1, last-first)
	for i := range points {
		points[i] = p.claim.sigs[first+i].point
	}
	backend.MultiExpG1(dst, points, p.coefficients[first:last])
	p.counters.addG1(len(points))
}

// signatureSum returns the combination of all signatures, computed once.
func (p *Prepared) signatureSum() *bls12381.G1 {
	if p.sum == nil {
		p.sum = new(bls12381.G1)
		p.combineSignatures(p.sum, 0, len(p.claim.sigs))
	}
	return p.sum
}
