package certificate

import (
	"bytes"
	"encoding/hex"
	"time"
	"unicode"

	"github.com/stmverify/stmverify/internal/jsonhex"
	"github.com/stmverify/stmverify/internal/limits"
	"github.com/stmverify/stmverify/multisig"
	"github.com/stmverify/stmverify/stm"
)

var metadataFields = jsonhex.Fields{
	Names:      []string{"network", "version", "parameters", "initiated_at", "sealed_at", "signers"},
	Positional: 6,
	Required:   jsonhex.Required(6),
}

// scan reads the metadata of a certificate.
func (m *Metadata) scan(s *jsonhex.Scanner) error {
	return s.Struct(&metadataFields, func(i int) (err error) {
		switch i {
		case 0:
			m.Network, err = scanText(s)
		case 1:
			m.Version, err = scanText(s)
		case 2:
			err = m.scanParameters(s)
		case 3:
			m.InitiatedAt, err = scanDate(s)
		case 4:
			m.SealedAt, err = scanDate(s)
		case 5:
			err = m.scanSigners(s)
		}
		return err
	})
}

var parametersFields = jsonhex.Fields{
	Names:      []string{"k", "m", "phi_f"},
	Positional: 3,
	Required:   jsonhex.Required(3),
}

func (m *Metadata) scanParameters(s *jsonhex.Scanner) error {
	return s.Struct(&parametersFields, func(i int) (err error) {
		switch i {
		case 0:
			m.Parameters.K, err = s.Uint64()
		case 1:
			m.Parameters.M, err = s.Uint64()
		case 2:
			m.Parameters.PhiF, err = s.Float64()
		}
		return err
	})
}

func scanDate(s *jsonhex.Scanner) (time.Time, error) {
	text, err := s.String(limits.MaxStringBytes)
	if err != nil {
		return time.Time{}, err
	}
	ns, err := parseDate(string(text))
	if err != nil {
		return time.Time{}, err
	}
	return time.Unix(0, ns).UTC(), nil
}

var signerFields = jsonhex.Fields{
	Names:      []string{"party_id", "stake"},
	Positional: 2,
	Required:   jsonhex.Required(2),
}

// scanSigners reads the list of signers. All party identifiers share one string, so that a certificate of many signers does not
// cost one allocation for each.
func (m *Metadata) scanSigners(s *jsonhex.Scanner) error {
	var text []byte
	var ends []int
	err := s.Array(func(i int) error {
		if i == limits.MaxSigners {
			return errTooManySigners
		}
		m.Signers = append(m.Signers, Signer{})
		err := s.Struct(&signerFields, func(field int) (err error) {
			if field == 1 {
				m.Signers[i].Stake, err = s.Uint64()
				return err
			}
			id, err := s.String(limits.MaxStringBytes)
			text = append(text, id...)
			return err
		})
		ends = append(ends, len(text))
		return err
	})
	if err != nil {
		return err
	}
	ids := string(text)
	for i, start := 0, 0; i < len(ends); i++ {
		m.Signers[i].PartyID = ids[start:ends[i]]
		start = ends[i]
	}
	return nil
}

var messageFields = jsonhex.Fields{
	Names:      []string{"message_parts", "hash_scheme"},
	Positional: 2,
	Required:   jsonhex.Required(1),
}

// scan reads a protocol message.
func (m *ProtocolMessage) scan(s *jsonhex.Scanner) error {
	return s.Struct(&messageFields, func(i int) error {
		if i == 0 {
			return m.scanParts(s)
		}
		return m.scanScheme(s)
	})
}

// scanParts reads the parts. As in the reference, an unknown key is an error, and a key that occurs again replaces the value before.
func (m *ProtocolMessage) scanParts(s *jsonhex.Scanner) error {
	n := 0
	return s.Object(func(name []byte) error {
		if n++; n > limits.MaxMessageParts {
			return errTooManyParts
		}
		key, ok := parsePartKey(name)
		if !ok {
			return errPartKey
		}
		value, err := scanText(s)
		if err != nil {
			return err
		}
		m.SetPart(key, value)
		return nil
	})
}

// scanScheme reads the hash scheme: its name, or the other form that the reference accepts for a variant, {"legacy":null}.
func (m *ProtocolMessage) scanScheme(s *jsonhex.Scanner) error {
	if !s.Is('{') {
		name, err := s.String(limits.MaxStringBytes)
		if err != nil {
			return err
		}
		return m.setScheme(name)
	}
	entries := 0
	err := s.Object(func(name []byte) error {
		if entries++; entries > 1 {
			return errScheme
		}
		if null, err := s.Null(); !null || err != nil {
			return errScheme
		}
		return m.setScheme(name)
	})
	if err == nil && entries == 0 {
		err = errScheme
	}
	return err
}

func (m *ProtocolMessage) setScheme(name []byte) error {
	switch string(name) {
	case "legacy":
		m.Scheme = LegacyScheme
	case "rigid":
		m.Scheme = RigidScheme
	default:
		return errScheme
	}
	return nil
}

// scanByteArray reads a JSON array of exactly len(dst) bytes.
func scanByteArray(text, dst []byte) bool {
	s := jsonhex.NewScanner(text)
	n := 0
	err := s.Array(func(i int) error {
		v, err := s.Uint64()
		if err != nil || i >= len(dst) || v > 0xff {
			return errSignature
		}
		dst[i] = byte(v)
		n++
		return nil
	})
	return err == nil && s.End() == nil && n == len(dst)
}

func trimSpace(text []byte) []byte { return bytes.TrimFunc(text, unicode.IsSpace) }

// parseAVK reads the text of an aggregate verification key. White space may surround the hexadecimal form of JSON, and no other
// (SPEC 2).
func parseAVK(text []byte) (avk *stm.AggregateVerificationKey, canonical bool, err error) {
	inner := trimSpace(text)
	if len(inner) == len(text) {
		return stm.ParseAggregateVerificationKey(text)
	}
	data, err := hex.AppendDecode(nil, inner)
	if err != nil {
		return nil, false, err
	}
	avk, err = stm.ParseAggregateVerificationKeyJSON(data)
	return avk, false, err
}

// parseProofs reads the texts of multi-signatures, as [parseAVK] does. Those with white space around are rare and are read one
// by one.
func parseProofs(texts [][]byte, keys *multisig.KeyCache) []stm.Parsed {
	plain := make([][]byte, len(texts))
	for i, text := range texts {
		if len(trimSpace(text)) == len(text) {
			plain[i] = text
		}
	}
	parsed := stm.ParseAggregateSignatures(plain, keys)
	for i, text := range texts {
		if plain[i] == nil && len(text) > 0 {
			parsed[i] = parseSpaced(text, keys)
		}
	}
	return parsed
}

func parseSpaced(text []byte, keys *multisig.KeyCache) (p stm.Parsed) {
	data, err := hex.AppendDecode(nil, trimSpace(text))
	if err != nil {
		return stm.Parsed{Err: err}
	}
	p.Signature, p.Err = stm.ParseAggregateSignatureJSON(data, keys)
	return p
}
