package stm

import (
	"fmt"

	"github.com/stmverify/stmverify/keyreg"
	"github.com/stmverify/stmverify/multisig"
	"github.com/stmverify/stmverify/verdict"
)

// ErrLotteryLost says that a signer won no lottery for a message, so that it has nothing to contribute.
var ErrLotteryLost = verdict.Sentinel(verdict.ErrInvalid, "no lottery won")

// NewAggregateVerificationKey returns the key that commits to a closed registration.
func NewAggregateVerificationKey(r *keyreg.Closed) *AggregateVerificationKey {
	return &AggregateVerificationKey{Root: r.Root(), NrLeaves: r.NrLeaves(), TotalStake: r.TotalStake()}
}

// Signer signs messages for one registered party under fixed parameters. It is safe for concurrent use.
type Signer struct {
	key         *multisig.SigningKey
	avk         *AggregateVerificationKey
	parameters  Parameters
	threshold   Threshold
	signerIndex uint64
}

// NewSigner returns a signer for the owner of key. It refuses parameters out of range ([ErrParameters]) and a key that is not
// registered ([keyreg.ErrNotRegistered]).
func NewSigner(key *multisig.SigningKey, r *keyreg.Closed, p Parameters) (*Signer, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	index, err := r.Index(key.VerificationKey())
	var party keyreg.Entry
	if err == nil {
		party, err = r.Entry(index)
	}
	var threshold *Threshold
	if err == nil {
		threshold, err = NewThreshold(p.PhiF, party.Stake, r.TotalStake())
	}
	if err != nil {
		return nil, fmt.Errorf("stm: signer: %w", err)
	}
	return &Signer{key, NewAggregateVerificationKey(r), p, *threshold, index}, nil
}

// SignerIndex returns the signer's position in the registration order.
func (s *Signer) SignerIndex() uint64 { return s.signerIndex }

// Sign signs msg and plays the lotteries 0 to m-1 (SPEC 12). A signer that wins none gets [ErrLotteryLost], which is no
// fault: with another message it may win. It costs one signature and two Blake2b compressions a lottery.
func (s *Signer) Sign(msg []byte) (*SingleSignature, error) {
	signed := s.avk.SignedMessage(msg)
	single := &SingleSignature{sigma: *s.key.Sign(signed), signerIndex: s.signerIndex}
	e := newEvaluation(signed)
	e.setSignature(&single.sigma)
	single.indexes = e.appendWon(nil, s.parameters.M, &s.threshold)
	if len(single.indexes) == 0 {
		return nil, fmt.Errorf("stm: signer %d: %w", s.signerIndex, ErrLotteryLost)
	}
	return single, nil
}
