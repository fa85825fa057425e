package keyreg

import (
	"errors"
	"fmt"

	"github.com/stmverify/stmverify/internal/jsonhex"
	"github.com/stmverify/stmverify/internal/limits"
)

// Signer is a party with the name that the ledger knows it by. The name is not part of the registration.
type Signer struct {
	PartyID string
	Party   Party
}

// StakeDistribution is the part of a Mithril stake distribution, as aggregators publish it, that a registration is
// rebuilt from. Nothing in it is authenticated before the rebuilt aggregate verification key was compared with the one
// that a verified certificate signs: the next_aggregate_verification_key of the certificate of its epoch.
type StakeDistribution struct {
	Epoch           uint64
	CertificateHash string
	Signers         []Signer
}

// Parties returns the parties of all signers, in the order of Signers.
func (d *StakeDistribution) Parties() []Party {
	parties := make([]Party, len(d.Signers))
	for i, s := range d.Signers {
		parties[i] = s.Party
	}
	return parties
}

var (
	distributionFields = jsonhex.Fields{Names: []string{"epoch", "signers", "certificate_hash"}, Required: jsonhex.Required(3)}
	signerFields       = jsonhex.Fields{Names: []string{"party_id", "verification_key", "stake"}, Required: jsonhex.Required(3)}
)

// ParseStakeDistribution decodes the JSON text of one Mithril stake distribution. Fields that are not needed are skipped.
// It decodes every key and proof of possession, see [ParseParty], and verifies no proof: that is for
// [Registration.RegisterAll]. Errors are [*Error]; the position is that of the signer.
func ParseStakeDistribution(data []byte) (*StakeDistribution, error) {
	d := new(StakeDistribution)
	var keys [][]byte // of the signers, not decoded before the text is known to be well-formed
	s := jsonhex.NewScanner(data)
	err := s.Struct(&distributionFields, func(i int) (err error) {
		switch i {
		case 0:
			d.Epoch, err = s.Uint64()
		case 1:
			err = s.Array(func(i int) error {
				if i == limits.MaxSigners {
					return &Error{Position: i, Err: fmt.Errorf("%w: more than %d", ErrTooManyParties, limits.MaxSigners)}
				}
				signer, key, err := scanSigner(&s)
				if err != nil {
					return &Error{Position: i, Err: malformed(err)}
				}
				d.Signers, keys = append(d.Signers, signer), append(keys, key)
				return nil
			})
		case 2:
			d.CertificateHash, err = scanString(&s, limits.MaxStringBytes)
		}
		return err
	})
	if err == nil {
		err = s.End()
	}
	if err != nil {
		return nil, placed(err)
	}
	for i, key := range keys {
		party := &d.Signers[i].Party
		if *party, err = ParseParty(key, party.Stake); err != nil {
			return nil, &Error{Position: i, Err: errors.Unwrap(err)}
		}
	}
	return d, nil
}

// placed returns the error about a signer inside err, or else err as an error about the whole.
func placed(err error) error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	return &Error{Position: -1, Err: malformed(err)}
}

// scanSigner reads a signer, all but the points, and returns the text of those.
func scanSigner(s *jsonhex.Scanner) (signer Signer, key []byte, err error) {
	err = s.Struct(&signerFields, func(i int) (err error) {
		switch i {
		case 0:
			signer.PartyID, err = scanString(s, limits.MaxStringBytes)
		case 1:
			key, err = s.String(2 * limits.MaxKeyBytes)
		case 2:
			signer.Party.Stake, err = s.Uint64()
		}
		return err
	})
	return signer, key, err
}

func scanString(s *jsonhex.Scanner, limit int) (string, error) {
	text, err := s.String(limit)
	return string(text), err
}
