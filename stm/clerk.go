package stm

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/stmverify/stmverify/keyreg"
	"github.com/stmverify/stmverify/multisig"
	"github.com/stmverify/stmverify/verdict"
)

// NotEnoughError says that the valid single signatures hold fewer indices than the quorum.
type NotEnoughError struct{ Got, Want uint64 }

func (e *NotEnoughError) Error() string {
	return fmt.Sprintf("stm: aggregation: not enough indices: got %d, want %d", e.Got, e.Want)
}

// Unwrap returns [verdict.ErrInvalid].
func (e *NotEnoughError) Unwrap() error { return verdict.ErrInvalid }

// Clerk aggregates single signatures of a registration. It is safe for concurrent use.
type Clerk struct {
	registration *keyreg.Closed
	parameters   Parameters
	avk          *AggregateVerificationKey
}

// NewClerk returns a clerk. It refuses parameters out of range ([ErrParameters]).
func NewClerk(r *keyreg.Closed, p Parameters) (*Clerk, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	return &Clerk{r, p, NewAggregateVerificationKey(r)}, nil
}

// AVK returns the key that the aggregates of this clerk verify under.
func (c *Clerk) AVK() *AggregateVerificationKey { return c.avk }

// Aggregate makes an aggregate signature on msg. The choice is the reference's, so that from the same single signatures it
// makes the same bytes (SPEC 12): those that are not valid are left out; where two claim an index, the smaller signature
// keeps it; then the owners of the indices are taken, from the lowest index on, each with all it kept, until there are k.
// When there are not, the error is a [*NotEnoughError]. Of several signatures of one signer the first counts; the reference
// leaves them all out.
func (c *Clerk) Aggregate(msg []byte, singles []*SingleSignature) (*AggregateSignature, error) {
	valid, err := c.valid(msg, singles)
	if err != nil {
		return nil, err
	}
	chosen, got := c.choose(valid)
	if got < c.parameters.K {
		return nil, &NotEnoughError{got, c.parameters.K}
	}
	slices.SortFunc(chosen, func(a, b *candidate) int { return cmp.Compare(a.single.signerIndex, b.single.signerIndex) })
	return c.assemble(chosen)
}

// candidate is a valid single signature with its party and the indices it keeps.
type candidate struct {
	single *SingleSignature
	party  keyreg.Entry
	kept   []uint64
	taken  bool
}

// valid returns the valid single signatures, the first of each signer. All pairings are checked together.
func (c *Clerk) valid(msg []byte, singles []*SingleSignature) ([]*candidate, error) {
	signed := c.avk.SignedMessage(msg)
	e := newEvaluation(signed)
	var candidates []*candidate
	var keys []*multisig.VerificationKey
	var sigmas []multisig.Signature
	for _, s := range singles {
		party, err := c.registration.Entry(s.signerIndex)
		if err != nil || s.checkIndexes(e, party.Stake, c.avk, c.parameters) != nil {
			continue
		}
		candidates = append(candidates, &candidate{single: s, party: party})
		keys = append(keys, party.Key)
		sigmas = append(sigmas, s.sigma)
	}
	if len(candidates) == 0 {
		return nil, nil
	}
	claim, err := multisig.NewClaim(signed, keys, sigmas)
	if err != nil {
		return nil, err
	}
	if err := claim.Verify(); err != nil {
		var failed *multisig.ClaimError
		if !errors.As(err, &failed) {
			return nil, err
		}
		for _, i := range failed.Signatures {
			candidates[i] = nil
		}
	}
	seen := make(map[uint64]struct{}, len(candidates))
	return slices.DeleteFunc(candidates, func(c *candidate) bool {
		if c == nil {
			return true
		}
		_, repeated := seen[c.single.signerIndex]
		seen[c.single.signerIndex] = struct{}{}
		return repeated
	}), nil
}

// choose returns the candidates to aggregate and how many indices they keep.
func (c *Clerk) choose(candidates []*candidate) ([]*candidate, uint64) {
	owner := map[uint64]*candidate{}
	var indexes []uint64
	for _, k := range candidates {
		for _, index := range k.single.indexes {
			previous, claimed := owner[index]
			switch {
			case !claimed:
				indexes = append(indexes, index)
				owner[index] = k
			case k.single.sigma.Compare(&previous.single.sigma) < 0:
				owner[index] = k
			}
		}
	}
	for _, k := range candidates {
		listed := map[uint64]int{}
		for _, index := range k.single.indexes {
			listed[index]++
		}
		// Of an index that a signature lists twice, the reference keeps none.
		for _, index := range k.single.indexes {
			if owner[index] == k && listed[index] == 1 {
				k.kept = append(k.kept, index)
			}
		}
	}
	slices.Sort(indexes)
	var chosen []*candidate
	var count uint64
	for _, index := range indexes {
		k := owner[index]
		if k.taken {
			continue
		}
		k.taken = true
		chosen = append(chosen, k)
		if count += uint64(len(k.kept)); count >= c.parameters.K {
			break
		}
	}
	return chosen, count
}

// assemble makes the proof of candidates in registration order.
func (c *Clerk) assemble(chosen []*candidate) (*AggregateSignature, error) {
	s := new(AggregateSignature)
	positions := make([]uint64, len(chosen))
	for i, k := range chosen {
		s.signatures = append(s.signatures, k.single.sigma)
		s.indexes = append(s.indexes, k.kept...)
		s.entries = append(s.entries, entry{k.party.Key, k.party.Stake, k.single.signerIndex, len(s.indexes)})
		positions[i] = k.single.signerIndex
	}
	path, err := c.registration.Path(positions)
	if err != nil {
		return nil, fmt.Errorf("stm: aggregation: %w", err)
	}
	s.path = *path
	return s, nil
}
