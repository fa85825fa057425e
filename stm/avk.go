package stm

import (
	"bytes"
	"strconv"

	"github.com/stmverify/stmverify/internal/jsonhex"
	"github.com/stmverify/stmverify/internal/limits"
	"github.com/stmverify/stmverify/merkle"
)

const avkObject = "aggregate verification key"

// AggregateVerificationKey commits to the signers of an epoch: the root of the Merkle tree of their keys and stakes, the
// number of its leaves, and the total stake (SPEC 2.1). Decoding accepts any two numbers; [AggregateSignature.Check] refuses
// a total of zero and a number of leaves out of range.
type AggregateVerificationKey struct {
	Root       merkle.Hash
	NrLeaves   uint64
	TotalStake uint64
}

// Equal reports whether all three parts are equal.
func (a *AggregateVerificationKey) Equal(b *AggregateVerificationKey) bool { return *a == *b }

// SignedMessage returns what the signers of msg sign: msg ‖ root (SPEC 3.6).
func (a *AggregateVerificationKey) SignedMessage(msg []byte) []byte {
	return append(bytes.Clone(msg), a.Root[:]...)
}

// ParseAggregateVerificationKey decodes the text found in a certificate: hexadecimal of the JSON form or else of the CBOR or
// legacy bytes (SPEC 2). canonical reports whether text is what [AggregateVerificationKey.AppendJSONHex] writes. The error
// is a [*DecodeError].
func ParseAggregateVerificationKey(text []byte) (avk *AggregateVerificationKey, canonical bool, err error) {
	if len(text) > 2*limits.MaxKeyBytes {
		return nil, false, &DecodeError{Object: avkObject, Err: ErrTooLarge}
	}
	data, _ := decodeHex(text)
	if len(data) == 0 {
		return nil, false, &DecodeError{avkObject, "", notHexError(text)}
	}
	avk, jsonErr := ParseAggregateVerificationKeyJSON(data)
	if jsonErr == nil {
		return avk, bytes.Equal(text, avk.AppendJSONHex(nil)), nil
	}
	if avk, err = AggregateVerificationKeyFromBytes(data); err != nil && looksLikeJSON(data) {
		err = jsonErr // The more telling of the two.
	}
	return avk, false, err
}

// ParseAggregateVerificationKeyJSON decodes the JSON form.
func ParseAggregateVerificationKeyJSON(data []byte) (*AggregateVerificationKey, error) {
	a := new(AggregateVerificationKey)
	s := jsonhex.NewScanner(data)
	err := s.Struct(&avkFields, func(i int) (err error) {
		if i == 0 {
			return s.Struct(&commitmentFields, func(i int) (err error) {
				switch i {
				case 0:
					return scanHash(&s, &a.Root)
				case 1:
					a.NrLeaves, err = s.Uint64()
				case 2:
					err = scanNull(&s)
				}
				return err
			})
		}
		a.TotalStake, err = s.Uint64()
		return err
	})
	if err == nil {
		err = s.End()
	}
	if err != nil {
		return nil, jsonError(avkObject, err)
	}
	return a, nil
}

var (
	avkFields        = jsonhex.Fields{Names: []string{"mt_commitment", "total_stake"}, Positional: 2, Required: jsonhex.Required(2)}
	commitmentFields = jsonhex.Fields{Names: []string{"root", "nr_leaves", "hasher"}, Positional: 3, Required: jsonhex.Required(3)}
)

// AggregateVerificationKeyFromBytes decodes the CBOR form, which begins with the byte 1, or the legacy form of exactly 48
// bytes: leaves ‖ root ‖ total stake.
func AggregateVerificationKeyFromBytes(b []byte) (*AggregateVerificationKey, error) {
	if len(b) > 0 && b[0] == cborVersion {
		return avkFromCBOR(b[1:])
	}
	const size = 8 + merkle.HashSize + 8
	if len(b) != size {
		return nil, &DecodeError{avkObject, "", lengthError(len(b), size)}
	}
	a := &AggregateVerificationKey{NrLeaves: readUint64(b), TotalStake: readUint64(b[size-8:])}
	copy(a.Root[:], b[8:])
	return a, nil
}

func avkFromCBOR(b []byte) (*AggregateVerificationKey, error) {
	a := new(AggregateVerificationKey)
	r := cborReader{b: b}
	err := r.structure(avkFields.Names, func(i int) (err error) {
		if i == 0 {
			return r.structure(commitmentFields.Names, func(i int) (err error) {
				switch i {
				case 0:
					return r.hash(&a.Root)
				case 1:
					a.NrLeaves, err = r.uint()
				case 2:
					err = r.null()
				}
				return err
			})
		}
		a.TotalStake, err = r.uint()
		return err
	})
	if err != nil {
		return nil, &DecodeError{avkObject, "", malformed(err)}
	}
	return a, nil
}

// AppendJSON appends the canonical JSON form.
func (a *AggregateVerificationKey) AppendJSON(dst []byte) []byte {
	dst = append(dst, `{"mt_commitment":{"root":`...)
	dst = appendJSONInts(dst, a.Root[:])
	dst = append(dst, `,"nr_leaves":`...)
	dst = strconv.AppendUint(dst, a.NrLeaves, 10)
	dst = append(dst, `,"hasher":null},"total_stake":`...)
	dst = strconv.AppendUint(dst, a.TotalStake, 10)
	return append(dst, '}')
}

// AppendJSONHex appends the canonical JSON form in hexadecimal, as it stands in certificates and in hashes.
func (a *AggregateVerificationKey) AppendJSONHex(dst []byte) []byte {
	return appendHex(dst, a.AppendJSON(nil))
}

// AppendLegacy appends the legacy form, 48 bytes.
func (a *AggregateVerificationKey) AppendLegacy(dst []byte) []byte {
	dst = appendUint64(dst, a.NrLeaves)
	dst = append(dst, a.Root[:]...)
	return appendUint64(dst, a.TotalStake)
}

// AppendCBOR appends the version byte and the CBOR form.
func (a *AggregateVerificationKey) AppendCBOR(dst []byte) []byte {
	dst = append(dst, cborVersion)
	dst = appendCBORHead(dst, cborMap, 2)
	dst = appendCBORText(dst, "mt_commitment")
	dst = appendCBORHead(dst, cborMap, 3)
	dst = appendCBORText(dst, "root")
	dst = appendCBORInts(dst, a.Root[:])
	dst = appendCBORText(dst, "nr_leaves")
	dst = appendCBORUint(dst, a.NrLeaves)
	dst = appendCBORText(dst, "hasher")
	dst = append(dst, cborOther<<5|cborNull)
	dst = appendCBORText(dst, "total_stake")
	return appendCBORUint(dst, a.TotalStake)
}
