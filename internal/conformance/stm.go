package conformance

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/stmverify/stmverify/keyreg"
	"github.com/stmverify/stmverify/stm"
)

// stmSet is one registration with what its parties signed.
type stmSet struct {
	Name              string       `json:"name"`
	Parameters        parameters   `json:"parameters"`
	Parties           []party      `json:"parties"`
	RegistrationOrder []hexBytes   `json:"registration_order_vk"`
	AVKJSON           string       `json:"avk_json"`
	AVKCBOR           hexBytes     `json:"avk_cbor"`
	Messages          []stmMessage `json:"messages"`
}

// stmMessage is a message with what was made of it.
type stmMessage struct {
	Message hexBytes `json:"msg"`
	Singles []struct {
		JSON string   `json:"json"`
		CBOR hexBytes `json:"cbor"`
	} `json:"single_signatures"`
	AggregateJSON  string   `json:"aggregate_json"`
	AggregateCBOR  hexBytes `json:"aggregate_cbor"`
	AggregateError string   `json:"aggregate_error"` // instead of an aggregate
}

type parameters struct {
	K    uint64  `json:"k"`
	M    uint64  `json:"m"`
	PhiF float64 `json:"phi_f"`
}

func (p parameters) stm() stm.Parameters { return stm.Parameters{K: p.K, M: p.M, PhiF: p.PhiF} }

type party struct {
	KeyMaterial hexBytes `json:"ikm"`
	Secret      hexBytes `json:"sk"`
	Key         hexBytes `json:"vk"`
	Possession  hexBytes `json:"pop"`
	Stake       uint64   `json:"stake"`
}

func runSTMSets(ctx context.Context, path string, r *Report) error {
	sets, err := decodeFile[[]stmSet](path)
	if err != nil {
		return err
	}
	for i := range sets {
		sets[i].run(ctx, r)
	}
	return nil
}

func (s *stmSet) run(ctx context.Context, r *Report) {
	r.check(s.Name+", keys", s.checkKeys())
	closed, err := s.register(ctx)
	r.check(s.Name+", registration", err)
	if err != nil {
		return
	}
	avk := stm.NewAggregateVerificationKey(closed)
	r.check(s.Name+", AVK", s.compareAVK(avk))
	for i := range s.Messages {
		m := &s.Messages[i]
		name := fmt.Sprintf("%s, message %d, ", s.Name, i)
		singles, err := m.readSingles()
		r.check(name+"single signatures, read", err)
		if err != nil {
			continue
		}
		r.check(name+"single signatures, made", s.sign(m, closed, singles))
		r.check(name+"aggregate, made", s.aggregate(m, closed, singles))
		if m.AggregateError == "" {
			s.checkAggregate(name, m, avk, r)
		}
	}
}

// checkAggregate reads, writes and verifies an aggregate in each encoding.
func (s *stmSet) checkAggregate(name string, m *stmMessage, avk *stm.AggregateVerificationKey, r *Report) {
	proof, _, err := stm.ParseAggregateSignature(hexText([]byte(m.AggregateJSON)), nil)
	if err != nil {
		r.check(name+"aggregate, read", err)
		return
	}
	for _, form := range []struct {
		name string
		data []byte // as it must be written again
		got  []byte
	}{
		{"JSON", []byte(m.AggregateJSON), proof.AppendJSON(nil)},
		{"CBOR", m.AggregateCBOR, proof.AppendCBOR(nil)},
		{"legacy bytes", nil, proof.AppendLegacy(nil)},
	} {
		if form.data != nil && !bytes.Equal(form.got, form.data) {
			r.check(name+form.name, fmt.Errorf("got %x, want %x", form.got, form.data))
			continue
		}
		r.check(name+form.name, verifyProof(form.got, m.Message, avk, s.Parameters))
	}
}

// register registers the parties with the keys, the proofs of possession and the stakes of the parties.
func (s *stmSet) register(ctx context.Context) (*keyreg.Closed, error) {
	var parties []keyreg.Party
	for i, p := range s.Parties {
		party, err := keyreg.PartyFromBytes(slices.Concat(p.Key, p.Possession), p.Stake)
		if err != nil {
			return nil, fmt.Errorf("party %d: %w", i, err)
		}
		parties = append(parties, party)
	}
	closed, err := register(ctx, parties)
	if err != nil {
		return nil, err
	}
	if closed.Len() != len(s.RegistrationOrder) {
		return nil, fmt.Errorf("got %d registered parties, want %d", closed.Len(), len(s.RegistrationOrder))
	}
	for i, entry := range closed.Entries() {
		if key := entry.Key.Bytes(); !bytes.Equal(key[:], s.RegistrationOrder[i]) {
			return nil, fmt.Errorf("place %d of the registration order: got key %x, want %x", i, key, s.RegistrationOrder[i])
		}
	}
	return closed, nil
}

func register(ctx context.Context, parties []keyreg.Party) (*keyreg.Closed, error) {
	var r keyreg.Registration
	if err := r.RegisterAll(ctx, parties); err != nil {
		return nil, err
	}
	return r.Close()
}

// compareAVK writes the rebuilt AVK in each encoding, compares the bytes, and reads it back.
func (s *stmSet) compareAVK(avk *stm.AggregateVerificationKey) error {
	for _, form := range []struct {
		name      string
		got, want []byte
	}{
		{"JSON", avk.AppendJSON(nil), []byte(s.AVKJSON)},
		{"CBOR", avk.AppendCBOR(nil), s.AVKCBOR},
		{"legacy bytes", avk.AppendLegacy(nil), nil},
	} {
		if form.want != nil && !bytes.Equal(form.got, form.want) {
			return fmt.Errorf("%s: got %x, want %x", form.name, form.got, form.want)
		}
		read, _, err := stm.ParseAggregateVerificationKey(hexText(form.got))
		if err != nil {
			return fmt.Errorf("%s: %w", form.name, err)
		}
		if !read.Equal(avk) {
			return fmt.Errorf("%s: reads back as another key", form.name)
		}
	}
	return nil
}

// verifyProof parses a proof in any encoding and verifies it.
func verifyProof(encoded, message []byte, avk *stm.AggregateVerificationKey, p parameters) error {
	proof, _, err := stm.ParseAggregateSignature(hexText(encoded), nil)
	if err != nil {
		return err
	}
	return proof.Verify(message, avk, p.stm())
}

func hexText(data []byte) []byte { return hex.AppendEncode(nil, data) }
