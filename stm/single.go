package stm

import (
	"fmt"
	"slices"

	"github.com/stmverify/stmverify/internal/jsonhex"
	"github.com/stmverify/stmverify/internal/limits"
	"github.com/stmverify/stmverify/multisig"
	"github.com/stmverify/stmverify/verdict"
)

const singleObject = "single signature"

// SingleSignature is what one signer contributes to an aggregate: a signature with the lottery indices it won. Its point was
// validated when it was decoded.
type SingleSignature struct {
	sigma       multisig.Signature
	indexes     []uint64
	signerIndex uint64
}

// Sigma returns the signature itself.
func (s *SingleSignature) Sigma() *multisig.Signature { return &s.sigma }

// Indexes returns the lottery indices. The caller does not change them.
func (s *SingleSignature) Indexes() []uint64 { return s.indexes }

// SignerIndex returns the signer's position in the registration order, as claimed.
func (s *SingleSignature) SignerIndex() uint64 { return s.signerIndex }

// Verify returns nil when the party with the given key and stake, registered under avk, signed msg and won the lottery at
// every index (SPEC 4). It does not look at the signer index, nor whether the party is in the tree: whoever aggregates takes
// key and stake from the registration. Otherwise the error is a [*ProofError] with Signature 0, or wraps [ErrParameters].
func (s *SingleSignature) Verify(msg []byte, key *multisig.VerificationKey, stake uint64, avk *AggregateVerificationKey, p Parameters) error {
	if err := p.Validate(); err != nil {
		return err
	}
	signed := avk.SignedMessage(msg)
	if err := s.checkIndexes(newEvaluation(signed), stake, avk, p); err != nil {
		return err
	}
	if err := s.sigma.Verify(signed, key); err != nil {
		return AggregateError(err)
	}
	return nil
}

// checkIndexes checks that every index is at most m and won the lottery.
func (s *SingleSignature) checkIndexes(e *evaluation, stake uint64, avk *AggregateVerificationKey, p Parameters) error {
	lottery, err := NewLottery(p.PhiF, avk.TotalStake)
	if err != nil {
		return &ProofError{Detail: verdict.DetailStakeOutOfRange, Err: err}
	}
	threshold, err := lottery.Threshold(stake)
	if err != nil {
		return &ProofError{Detail: verdict.DetailStakeOutOfRange, Err: err}
	}
	e.setSignature(&s.sigma)
	for _, index := range s.indexes {
		if index > p.M {
			return &ProofError{Detail: verdict.DetailIndexOutOfRange, Index: index, HasIndex: true,
				Got: fmt.Sprint(index), Want: fmt.Sprintf("at most %d", p.M)}
		}
	}
	if index, lost := e.firstLost(s.indexes, &threshold); lost {
		return &ProofError{Detail: verdict.DetailLotteryLost, Index: index, HasIndex: true}
	}
	return nil
}

// ParseSingleSignatureJSON decodes the JSON form. The error is a [*DecodeError].
func ParseSingleSignatureJSON(data []byte) (*SingleSignature, error) {
	if len(data) > limits.MaxProofBytes {
		return nil, &DecodeError{Object: singleObject, Err: ErrTooLarge}
	}
	var raw rawProof
	s := jsonhex.NewScanner(data)
	s.CheckUnknown() // The reference collects the fields, which belong to two structures.
	err := raw.scanSingle(&s)
	if err == nil {
		err = s.End()
	}
	if err != nil {
		return nil, jsonError(singleObject, err)
	}
	return raw.single()
}

// SingleSignatureFromBytes decodes the CBOR form, which begins with the byte 1, or the legacy form. Like the reference it
// ignores bytes after the object.
func SingleSignatureFromBytes(b []byte) (*SingleSignature, error) {
	if len(b) > limits.MaxProofBytes {
		return nil, &DecodeError{Object: singleObject, Err: ErrTooLarge}
	}
	var raw rawProof
	if err := raw.readSingle(b); err != nil {
		return nil, &DecodeError{singleObject, "", malformed(err)}
	}
	return raw.single()
}

// single validates the one signature that was read.
func (r *rawProof) single() (*SingleSignature, error) {
	sigma, err := multisig.SignatureFromBytes(r.sigmas)
	if err != nil {
		return nil, &DecodeError{singleObject, "sigma", malformed(err)}
	}
	return &SingleSignature{*sigma, r.indexes, r.signerIndex[0]}, nil
}

// AppendJSON appends the canonical JSON form.
func (s *SingleSignature) AppendJSON(dst []byte) []byte {
	return appendSingleJSON(dst, &s.sigma, s.indexes, s.signerIndex)
}

// AppendCBOR appends the version byte and the CBOR form.
func (s *SingleSignature) AppendCBOR(dst []byte) []byte {
	return appendSingleCBOR(dst, &s.sigma, s.indexes, s.signerIndex)
}

// AppendLegacy appends the legacy form.
func (s *SingleSignature) AppendLegacy(dst []byte) []byte {
	return appendSingleLegacy(dst, &s.sigma, s.indexes, s.signerIndex)
}

// Equal reports whether s and t have the same parts.
func (s *SingleSignature) Equal(t *SingleSignature) bool {
	return s.sigma.Equal(&t.sigma) && s.signerIndex == t.signerIndex && slices.Equal(s.indexes, t.indexes)
}
