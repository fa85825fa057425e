package conformance

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/stmverify/stmverify/keyreg"
	"github.com/stmverify/stmverify/multisig"
	"github.com/stmverify/stmverify/stm"
)

// checkKeys derives the secret key, the key and the proof of possession of each party from its key material.
func (s *stmSet) checkKeys() error {
	for i, p := range s.Parties {
		key, err := multisig.GenerateSigningKey(p.KeyMaterial)
		if err != nil {
			return fmt.Errorf("party %d: %w", i, err)
		}
		secret, public, possession := key.SecretBytes(), key.VerificationKey().Bytes(), key.ProvePossession().Bytes()
		for _, part := range []struct {
			name      string
			got, want []byte
		}{{"secret key", secret[:], p.Secret}, {"key", public[:], p.Key}, {"proof of possession", possession[:], p.Possession}} {
			if !bytes.Equal(part.got, part.want) {
				return fmt.Errorf("party %d: %s: got %x, want %x", i, part.name, part.got, part.want)
			}
		}
	}
	return nil
}

// readSingles reads the single signatures of a message and compares what they are written as.
func (m *stmMessage) readSingles() ([]*stm.SingleSignature, error) {
	var singles []*stm.SingleSignature
	for i, encoded := range m.Singles {
		single, err := stm.ParseSingleSignatureJSON([]byte(encoded.JSON))
		if err != nil {
			return nil, fmt.Errorf("single signature %d: %w", i, err)
		}
		fromCBOR, err := stm.SingleSignatureFromBytes(encoded.CBOR)
		if err != nil {
			return nil, fmt.Errorf("single signature %d: CBOR: %w", i, err)
		}
		if !single.Equal(fromCBOR) || string(single.AppendJSON(nil)) != encoded.JSON || !bytes.Equal(single.AppendCBOR(nil), encoded.CBOR) {
			return nil, fmt.Errorf("single signature %d: is written as another one", i)
		}
		singles = append(singles, single)
	}
	return singles, nil
}

// sign makes the signatures under all single signatures again, from the secret keys of their signers.
func (s *stmSet) sign(m *stmMessage, closed *keyreg.Closed, singles []*stm.SingleSignature) error {
	keys := make(map[[multisig.VerificationKeySize]byte]*multisig.SigningKey)
	for _, p := range s.Parties {
		key, err := multisig.SigningKeyFromBytes(p.Secret)
		if err != nil {
			return err
		}
		keys[key.VerificationKey().Bytes()] = key
	}
	avk := stm.NewAggregateVerificationKey(closed)
	for i, single := range singles {
		entry, err := closed.Entry(single.SignerIndex())
		if err != nil {
			return fmt.Errorf("single signature %d: %w", i, err)
		}
		if err := single.Verify(m.Message, entry.Key, entry.Stake, avk, s.Parameters.stm()); err != nil {
			return fmt.Errorf("single signature %d: %w", i, err)
		}
		key := keys[entry.Key.Bytes()]
		if key == nil {
			return fmt.Errorf("single signature %d: no secret key of its signer", i)
		}
		got := key.Sign(avk.SignedMessage(m.Message)).Bytes()
		if want := single.Sigma().Bytes(); got != want {
			return fmt.Errorf("single signature %d: got %x, want %x", i, got, want)
		}
	}
	return nil
}

// aggregate aggregates the single signatures, and compares the bytes or the refusal.
func (s *stmSet) aggregate(m *stmMessage, closed *keyreg.Closed, singles []*stm.SingleSignature) error {
	clerk, err := stm.NewClerk(closed, s.Parameters.stm())
	if err != nil {
		return err
	}
	proof, err := clerk.Aggregate(m.Message, singles)
	if m.AggregateError == "" {
		if err != nil {
			return err
		}
		if got := proof.AppendJSON(nil); string(got) != m.AggregateJSON {
			return fmt.Errorf("got %s, want %s", got, m.AggregateJSON)
		}
		return nil
	}
	var few *stm.NotEnoughError
	if !errors.As(err, &few) {
		return fmt.Errorf("got %w, want %q", err, m.AggregateError)
	}
	if want := fmt.Sprintf("Got only %d out of %d", few.Got, few.Want); !strings.Contains(m.AggregateError, want) {
		return fmt.Errorf("got %q, want %q", want, m.AggregateError)
	}
	return nil
}
