package keyreg

import (
	"encoding/hex"
	"fmt"
	"strconv"

	"github.com/stmverify/stmverify/internal/jsonhex"
	"github.com/stmverify/stmverify/internal/limits"
	"github.com/stmverify/stmverify/multisig"
)

// Party is what a party publishes to be registered. Nothing ties the two points together before
// [Registration.Register] verified the proof.
type Party struct {
	Key        *multisig.VerificationKey
	Possession *multisig.ProofOfPossession
	Stake      uint64
}

// PartySize is the size in bytes of the binary encoding of a [Party], which leaves out the stake: the key and the proof
// of possession, compressed points.
const PartySize = multisig.VerificationKeySize + multisig.ProofOfPossessionSize

// ParseParty decodes a key and its proof of possession as aggregators publish them, hexadecimal of the JSON text
// {"vk":[…],"pop":[…]} or else of the binary encoding (SPEC 4.4), and joins the stake. Lengths are exact, and the three
// points are on the curve, in the subgroup and not at infinity. Errors are [*Error].
func ParseParty(text []byte, stake uint64) (Party, error) {
	if len(text) > 2*limits.MaxKeyBytes {
		return Party{}, &Error{Position: -1, Err: fmt.Errorf("%w: %d characters", ErrTooLarge, len(text))}
	}
	data, err := hex.AppendDecode(nil, text)
	if err != nil {
		return Party{}, &Error{Position: -1, Err: malformed(err)}
	}
	if len(data) == PartySize {
		// The shortest JSON text is longer.
		return PartyFromBytes(data, stake)
	}
	return ParsePartyJSON(data, stake)
}

var partyFields = jsonhex.Fields{Names: []string{"vk", "pop"}, Positional: 2, Required: jsonhex.Required(2)}

// ParsePartyJSON decodes the JSON text {"vk":[96 numbers],"pop":[96 numbers]} and joins the stake.
func ParsePartyJSON(data []byte, stake uint64) (Party, error) {
	if len(data) > limits.MaxKeyBytes {
		return Party{}, &Error{Position: -1, Err: fmt.Errorf("%w: %d bytes", ErrTooLarge, len(data))}
	}
	var b [PartySize]byte
	s := jsonhex.NewScanner(data)
	err := s.Struct(&partyFields, func(i int) error {
		if i == 0 {
			return scanBytes(&s, b[:multisig.VerificationKeySize])
		}
		return scanBytes(&s, b[multisig.VerificationKeySize:])
	})
	if err == nil {
		err = s.End()
	}
	if err != nil {
		return Party{}, &Error{Position: -1, Err: malformed(err)}
	}
	return PartyFromBytes(b[:], stake)
}

// scanBytes reads an array of exactly len(dst) numbers below 256.
func scanBytes(s *jsonhex.Scanner, dst []byte) error {
	n := 0
	err := s.Array(func(i int) error {
		if i == len(dst) {
			return fmt.Errorf("%w: more than %d bytes", ErrMalformed, len(dst))
		}
		v, err := s.Uint64()
		if err != nil {
			return err
		}
		if v > 0xff {
			return fmt.Errorf("%w: %d is not a byte", ErrMalformed, v)
		}
		dst[i] = byte(v)
		n++
		return nil
	})
	if err == nil && n != len(dst) {
		return fmt.Errorf("%w: %d bytes, want %d", ErrMalformed, n, len(dst))
	}
	return err
}

// PartyFromBytes decodes the binary encoding of exactly [PartySize] bytes and joins the stake.
func PartyFromBytes(b []byte, stake uint64) (Party, error) {
	if len(b) != PartySize {
		return Party{}, &Error{Position: -1, Err: fmt.Errorf("%w: %d bytes, want %d", ErrMalformed, len(b), PartySize)}
	}
	key, err := multisig.VerificationKeyFromBytes(b[:multisig.VerificationKeySize])
	if err != nil {
		return Party{}, &Error{Position: -1, Err: err}
	}
	possession, err := multisig.ProofOfPossessionFromBytes(b[multisig.VerificationKeySize:])
	if err != nil {
		return Party{}, &Error{Position: -1, Err: err}
	}
	return Party{key, possession, stake}, nil
}

// AppendBytes appends the binary encoding to dst. Requires both points, as for the other encodings.
func (p Party) AppendBytes(dst []byte) []byte {
	key, possession := p.Key.Bytes(), p.Possession.Bytes()
	return append(append(dst, key[:]...), possession[:]...)
}

// AppendJSON appends the JSON text, without spaces, to dst.
func (p Party) AppendJSON(dst []byte) []byte {
	key, possession := p.Key.Bytes(), p.Possession.Bytes()
	dst = appendByteArray(append(dst, `{"vk":`...), key[:])
	dst = appendByteArray(append(dst, `,"pop":`...), possession[:])
	return append(dst, '}')
}

// AppendJSONHex appends the JSON text in lower-case hexadecimal, as aggregators publish it, to dst.
func (p Party) AppendJSONHex(dst []byte) []byte { return hex.AppendEncode(dst, p.AppendJSON(nil)) }

func appendByteArray(dst, b []byte) []byte {
	dst = append(dst, '[')
	for i, v := range b {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = strconv.AppendUint(dst, uint64(v), 10)
	}
	return append(dst, ']')
}
