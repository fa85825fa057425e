package stm

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/stmverify/stmverify/internal/limits"
	"github.com/stmverify/stmverify/merkle"
	"github.com/stmverify/stmverify/multisig"
)

const proofObject = "aggregate signature"

// AggregateSignature is a concatenation proof: single signatures with the parties that made them, and one path that shows
// all these parties to be in the tree of an aggregate verification key (SPEC 2.2). Every point in it was validated when it
// was decoded.
type AggregateSignature struct {
	entries    []entry
	signatures []multisig.Signature // of the entries, in their order
	indexes    []uint64             // of all entries, one after the other
	path       merkle.BatchPath
	oddValues  [][]byte // instead of path.Values, when one of them has not 32 bytes
}

// entry is one single signature and its party.
type entry struct {
	key         *multisig.VerificationKey
	stake       uint64
	signerIndex uint64
	end         int // of the entry's indexes among all
}

// Len returns the number of single signatures.
func (s *AggregateSignature) Len() int { return len(s.entries) }

// NrIndexes returns the number of lottery indices, all signatures together.
func (s *AggregateSignature) NrIndexes() int { return len(s.indexes) }

// Party returns the key, the stake and the registration index that signature i claims. Nothing checks the last one
// (SPEC 11.4).
func (s *AggregateSignature) Party(i int) (key *multisig.VerificationKey, stake, signerIndex uint64) {
	e := &s.entries[i]
	return e.key, e.stake, e.signerIndex
}

// Indexes returns the lottery indices of signature i. The caller does not change them.
func (s *AggregateSignature) Indexes(i int) []uint64 {
	first := 0
	if i > 0 {
		first = s.entries[i-1].end
	}
	return s.indexes[first:s.entries[i].end:s.entries[i].end]
}

// Signature returns single signature i.
func (s *AggregateSignature) Signature(i int) *multisig.Signature { return &s.signatures[i] }

// ParseAggregateSignature decodes the text found in a certificate: hexadecimal of the JSON form or else of the CBOR or
// legacy bytes (SPEC 2). canonical reports whether text is what [AggregateSignature.AppendJSONHex] writes, so that it can
// be hashed as it is; it is false for a path with a value that is no hash, which no verification accepts. Keys that the
// cache holds are not decoded again; keys may be nil. The error is a [*DecodeError]; a SNARK proof is
// [ErrUnsupportedProofType].
func ParseAggregateSignature(text []byte, keys *multisig.KeyCache) (s *AggregateSignature, canonical bool, err error) {
	raw, canonical, err := parseText(text)
	if err != nil {
		return nil, false, err
	}
	s, err = raw.validate(keys)
	return s, canonical && err == nil, err
}

// Parsed is what [ParseAggregateSignature] returns for one of several texts.
type Parsed struct {
	Signature *AggregateSignature
	Canonical bool
	Err       error
}

// ParseAggregateSignatures is [ParseAggregateSignature] for several texts, whose points are decoded together: where points are
// processed eight at a time, proofs with few signatures cost a fraction.
func ParseAggregateSignatures(texts [][]byte, keys *multisig.KeyCache) []Parsed {
	out := make([]Parsed, len(texts))
	raws := make([]*rawProof, 0, len(texts))
	index := make([]int, 0, len(texts))
	for i, text := range texts {
		raw, canonical, err := parseText(text)
		if out[i].Canonical, out[i].Err = canonical, err; err == nil {
			raws, index = append(raws, raw), append(index, i)
		}
	}
	if signatures, err := validateAll(raws, keys); err == nil {
		for j, i := range index {
			out[i].Signature = signatures[j]
		}
		return out
	}
	// One of them is refused; by itself, each gets the verdict and the place.
	for j, i := range index {
		p := &out[i]
		if p.Signature, p.Err = raws[j].validate(keys); p.Err != nil {
			p.Canonical = false
		}
	}
	return out
}

// parseText decodes a text but for its points.
func parseText(text []byte) (raw *rawProof, canonical bool, err error) {
	if len(text) > 2*limits.MaxProofBytes {
		return nil, false, &DecodeError{Object: proofObject, Err: ErrTooLarge}
	}
	data, lower := decodeHex(text)
	if len(data) == 0 {
		return nil, false, &DecodeError{proofObject, "", notHexError(text)}
	}
	raw = new(rawProof)
	if raw.scanCanonical(data) {
		return raw, lower, nil
	}
	// JSON begins with no byte that the other forms begin with.
	if looksLikeJSON(data) {
		if err := raw.scanJSON(data); err != nil {
			return nil, false, jsonError(proofObject, err)
		}
		return raw, false, nil
	}
	if err := raw.readBytes(data); err != nil {
		return nil, false, &DecodeError{proofObject, "", malformed(err)}
	}
	return raw, false, nil
}

// ParseAggregateSignatureJSON decodes the JSON form, in any spelling that the reference accepts.
func ParseAggregateSignatureJSON(data []byte, keys *multisig.KeyCache) (*AggregateSignature, error) {
	if len(data) > limits.MaxProofBytes {
		return nil, &DecodeError{Object: proofObject, Err: ErrTooLarge}
	}
	var raw rawProof
	if raw.scanCanonical(data) {
		return raw.validate(keys)
	}
	if err := raw.scanJSON(data); err != nil {
		return nil, jsonError(proofObject, err)
	}
	return raw.validate(keys)
}

// AggregateSignatureFromBytes decodes the CBOR form, which begins with the byte 1, or the legacy form. Like the reference it
// ignores bytes after the object.
func AggregateSignatureFromBytes(b []byte, keys *multisig.KeyCache) (*AggregateSignature, error) {
	if len(b) > limits.MaxProofBytes {
		return nil, &DecodeError{Object: proofObject, Err: ErrTooLarge}
	}
	var raw rawProof
	if err := raw.readBytes(b); err != nil {
		return nil, &DecodeError{proofObject, "", malformed(err)}
	}
	return raw.validate(keys)
}

// rawProof is a decoded proof whose points have not been looked at.
type rawProof struct {
	sigmas       []byte // 48 each
	keys         []byte // 96 each
	stakes       []uint64
	signerIndex  []uint64
	ends         []int
	indexes      []uint64
	values       [][]byte
	pathIndices  []uint64
	valuesBuffer []byte
}

// errTooMany is returned by the decoders when a bound of internal/limits is reached.
func errTooMany(what string, limit int) error {
	return fmt.Errorf("%w: more than %d %s", ErrTooLarge, limit, what)
}

func (r *rawProof) addIndex(v uint64) error {
	if len(r.indexes) >= limits.MaxIndexes {
		return errTooMany("indices", limits.MaxIndexes)
	}
	r.indexes = append(r.indexes, v)
	return nil
}

func (r *rawProof) checkEntries() error {
	if len(r.stakes) >= limits.MaxSigners {
		return errTooMany("signatures", limits.MaxSigners)
	}
	return nil
}

// validate decodes the points.
func (r *rawProof) validate(cache *multisig.KeyCache) (*AggregateSignature, error) {
	s, err := validateAll([]*rawProof{r}, cache)
	if err != nil {
		return nil, err
	}
	return s[0], nil
}

// validateAll decodes the points of several proofs together. The place in an error counts the signatures of all of them.
func validateAll(raws []*rawProof, cache *multisig.KeyCache) ([]*AggregateSignature, error) {
	total := 0
	for _, r := range raws {
		total += len(r.stakes)
	}
	signatures := make([]multisig.Signature, total)
	keys := make([]*multisig.VerificationKey, total)
	if err := multisig.DecodeSignatures(signatures, join(raws, func(r *rawProof) []byte { return r.sigmas })); err != nil {
		return nil, pointError(err, "sigma")
	}
	if err := multisig.DecodeVerificationKeys(keys, join(raws, func(r *rawProof) []byte { return r.keys }), cache); err != nil {
		return nil, pointError(err, "verification_key")
	}
	out := make([]*AggregateSignature, len(raws))
	for j, r := range raws {
		n := len(r.stakes)
		s := &AggregateSignature{
			entries:    make([]entry, n),
			signatures: signatures[:n:n],
			indexes:    r.indexes,
			path:       merkle.BatchPath{Indices: r.pathIndices},
		}
		for i := range s.entries {
			s.entries[i] = entry{keys[i], r.stakes[i], r.signerIndex[i], r.ends[i]}
		}
		s.setValues(r.values)
		signatures, keys = signatures[n:], keys[n:]
		out[j] = s
	}
	return out, nil
}

// join concatenates a field of several proofs, without a copy when there is one.
func join(raws []*rawProof, field func(*rawProof) []byte) []byte {
	if len(raws) == 1 {
		return field(raws[0])
	}
	var all []byte
	for _, r := range raws {
		all = append(all, field(r)...)
	}
	return all
}

func (s *AggregateSignature) setValues(values [][]byte) {
	if slices.ContainsFunc(values, func(v []byte) bool { return len(v) != merkle.HashSize }) {
		s.oddValues = values
		return
	}
	s.path.Values = make([]merkle.Hash, len(values))
	for i, v := range values {
		copy(s.path.Values[i][:], v)
	}
}

// pointError says where the refused point stands.
func pointError(err error, field string) error {
	var e *multisig.PointError
	if !errors.As(err, &e) {
		return &DecodeError{proofObject, "", malformed(err)}
	}
	return &DecodeError{proofObject, fmt.Sprintf("signatures[%d].%s", e.Position, field), malformed(e.Err)}
}

// AppendJSON appends the canonical JSON form.
func (s *AggregateSignature) AppendJSON(dst []byte) []byte {
	dst = append(dst, `{"signatures":[`...)
	for i := range s.entries {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, '[')
		dst = s.appendSingleJSON(dst, i)
		dst = append(dst, `,[`...)
		key := s.entries[i].key.Bytes()
		dst = appendJSONInts(dst, key[:])
		dst = append(dst, ',')
		dst = strconv.AppendUint(dst, s.entries[i].stake, 10)
		dst = append(dst, `]]`...)
	}
	dst = append(dst, `],"batch_proof":{"values":[`...)
	for i, v := range s.values() {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendJSONInts(dst, v)
	}
	dst = append(dst, `],"indices":`...)
	dst = appendJSONUints(dst, s.path.Indices)
	return append(dst, `,"hasher":null}}`...)
}

func (s *AggregateSignature) appendSingleJSON(dst []byte, i int) []byte {
	return appendSingleJSON(dst, &s.signatures[i], s.Indexes(i), s.entries[i].signerIndex)
}

// appendSingleJSON appends a single signature, an object.
func appendSingleJSON(dst []byte, sigma *multisig.Signature, indexes []uint64, signerIndex uint64) []byte {
	dst = append(dst, `{"sigma":`...)
	enc := sigma.Bytes()
	dst = appendJSONInts(dst, enc[:])
	dst = append(dst, `,"indexes":`...)
	dst = appendJSONUints(dst, indexes)
	dst = append(dst, `,"signer_index":`...)
	dst = strconv.AppendUint(dst, signerIndex, 10)
	return append(dst, '}')
}

func appendJSONUints(dst []byte, v []uint64) []byte {
	dst = append(dst, '[')
	for i, x := range v {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = strconv.AppendUint(dst, x, 10)
	}
	return append(dst, ']')
}

func (s *AggregateSignature) values() [][]byte {
	if s.oddValues != nil {
		return s.oddValues
	}
	values := make([][]byte, len(s.path.Values))
	for i := range values {
		values[i] = s.path.Values[i][:]
	}
	return values
}

// AppendJSONHex appends the canonical JSON form in hexadecimal, as it stands in certificates and in hashes.
func (s *AggregateSignature) AppendJSONHex(dst []byte) []byte {
	return appendHex(dst, s.AppendJSON(nil))
}

// Equal reports whether s and t have the same canonical form.
func (s *AggregateSignature) Equal(t *AggregateSignature) bool {
	return bytes.Equal(s.AppendJSON(nil), t.AppendJSON(nil))
}
