package stm

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/stmverify/stmverify/internal/limits"
	"github.com/stmverify/stmverify/merkle"
	"github.com/stmverify/stmverify/multisig"
	"github.com/stmverify/stmverify/verdict"
)

// Check returns nil and what remains to be verified, the pairing, when s is otherwise a valid proof that signers of avk with
// enough stake signed msg under the parameters p (SPEC 4). The message of a certificate is the 64 characters of its
// signed_message, not the 32 bytes they stand for; under another message the lotteries are other ones, so that a wrong message
// shows as lottery-lost. Otherwise the error is a [*ProofError] for the first check that
// fails, cheapest checks first, or wraps [ErrParameters]. An index of exactly m is accepted, as in the reference
// (SPEC 11.4). It costs two Blake2b compressions an index and some twenty a signature.
func (s *AggregateSignature) Check(msg []byte, avk *AggregateVerificationKey, p Parameters) (multisig.Claim, error) {
	if err := p.Validate(); err != nil {
		return multisig.Claim{}, err
	}
	for _, check := range []func() error{
		func() error { return s.checkIndexes(p) },
		func() error { return s.checkStakes(avk) },
		func() error { return s.checkMembership(avk) },
	} {
		if err := check(); err != nil {
			return multisig.Claim{}, err
		}
	}
	signed := avk.SignedMessage(msg)
	if err := s.checkLottery(signed, avk, p); err != nil {
		return multisig.Claim{}, err
	}
	keys := make([]*multisig.VerificationKey, len(s.entries))
	for i := range keys {
		keys[i] = s.entries[i].key
	}
	return multisig.NewClaim(signed, keys, s.signatures)
}

// Verify returns nil when s is a valid proof that signers of avk with enough stake signed msg under the parameters p:
// [AggregateSignature.Check] and then the pairing. When the pairing fails, the error is a [*ProofError] with the detail
// [verdict.DetailAggregateInvalid] that wraps a [*multisig.ClaimError].
func (s *AggregateSignature) Verify(msg []byte, avk *AggregateVerificationKey, p Parameters) error {
	claim, err := s.Check(msg, avk, p)
	if err != nil {
		return err
	}
	if err := claim.Verify(); err != nil {
		return AggregateError(err)
	}
	return nil
}

// AggregateError turns the error of a claim that does not hold into a [*ProofError].
func AggregateError(err error) error {
	e := &ProofError{Detail: verdict.DetailAggregateInvalid, Signature: -1, Err: err}
	if c, ok := err.(*multisig.ClaimError); ok {
		e.Signature = c.Signatures[0]
	}
	return e
}

// checkIndexes checks that there are signatures, that the indices are at most m and unique, and that there are at least k.
func (s *AggregateSignature) checkIndexes(p Parameters) error {
	for i := range s.entries {
		for _, index := range s.Indexes(i) {
			if index > p.M {
				return &ProofError{Detail: verdict.DetailIndexOutOfRange, Signature: i, Index: index, HasIndex: true,
					Got: fmt.Sprint(index), Want: fmt.Sprintf("at most %d", p.M)}
			}
		}
	}
	if i, index, found := s.repeatedIndex(p.M); found {
		return &ProofError{Detail: verdict.DetailIndexNotUnique, Signature: i, Index: index, HasIndex: true}
	}
	if n := uint64(len(s.indexes)); n < p.K || len(s.entries) == 0 {
		return &ProofError{Detail: verdict.DetailQuorumNotReached, Signature: -1,
			Got: fmt.Sprintf("%d indices", n), Want: fmt.Sprintf("at least %d", p.K)}
	}
	return nil
}

// repeatedIndex returns the first index that occurred before, all of them being at most m.
func (s *AggregateSignature) repeatedIndex(m uint64) (signature int, index uint64, found bool) {
	if m > 64*limits.MaxIndexes {
		return s.repeatedSparseIndex()
	}
	seen := make([]uint64, m/64+1)
	for i := range s.entries {
		for _, index := range s.Indexes(i) {
			if seen[index/64]>>(index%64)&1 == 1 {
				return i, index, true
			}
			seen[index/64] |= 1 << (index % 64)
		}
	}
	return 0, 0, false
}

// repeatedSparseIndex serves an m for which a set of bits would be too large.
func (s *AggregateSignature) repeatedSparseIndex() (signature int, index uint64, found bool) {
	seen := make(map[uint64]struct{}, len(s.indexes))
	for i := range s.entries {
		for _, index := range s.Indexes(i) {
			if _, found := seen[index]; found {
				return i, index, true
			}
			seen[index] = struct{}{}
		}
	}
	return 0, 0, false
}

// checkStakes checks that the stakes add up to at most the total, which is not zero (SPEC 9.1).
func (s *AggregateSignature) checkStakes(avk *AggregateVerificationKey) error {
	if avk.TotalStake == 0 {
		return &ProofError{Detail: verdict.DetailStakeOutOfRange, Signature: -1, Got: "a total stake of 0", Want: "at least 1"}
	}
	sum := uint64(0)
	for i := range s.entries {
		next, carry := bits.Add64(sum, s.entries[i].stake, 0)
		if carry != 0 || next > avk.TotalStake {
			return &ProofError{Detail: verdict.DetailStakeOutOfRange, Signature: i,
				Got:  fmt.Sprintf("a stake of %d after %d", s.entries[i].stake, sum),
				Want: fmt.Sprintf("at most %d together", avk.TotalStake)}
		}
		sum = next
	}
	return nil
}

// checkMembership checks that the parties are leaves of the tree, in the order of the entries.
func (s *AggregateSignature) checkMembership(avk *AggregateVerificationKey) error {
	if i := slices.IndexFunc(s.oddValues, func(v []byte) bool { return len(v) != merkle.HashSize }); i >= 0 {
		return &ProofError{Detail: verdict.DetailMerklePathInvalid, Signature: -1,
			Got: fmt.Sprintf("value %d of %d bytes", i, len(s.oddValues[i])), Want: fmt.Sprint(merkle.HashSize)}
	}
	leaves := make([]merkle.Hash, len(s.entries))
	for i := range leaves {
		key := s.entries[i].key.Bytes()
		leaves[i] = merkle.LeafHash(&key, s.entries[i].stake)
	}
	if err := s.path.Verify(&avk.Root, avk.NrLeaves, leaves); err != nil {
		return &ProofError{Detail: verdict.DetailMerklePathInvalid, Signature: -1, Err: err}
	}
	return nil
}

// checkLottery checks that every index won the lottery under the stake of its signer. signed is msg ‖ root.
func (s *AggregateSignature) checkLottery(signed []byte, avk *AggregateVerificationKey, p Parameters) error {
	lottery, err := NewLottery(p.PhiF, avk.TotalStake)
	if err != nil {
		return &ProofError{Detail: verdict.DetailStakeOutOfRange, Signature: -1, Err: err}
	}
	e := newEvaluation(signed)
	for i := range s.entries {
		threshold, err := lottery.Threshold(s.entries[i].stake)
		if err != nil {
			return &ProofError{Detail: verdict.DetailStakeOutOfRange, Signature: i, Err: err}
		}
		e.setSignature(&s.signatures[i])
		if index, lost := e.firstLost(s.Indexes(i), &threshold); lost {
			return &ProofError{Detail: verdict.DetailLotteryLost, Signature: i, Index: index, HasIndex: true}
		}
	}
	return nil
}
