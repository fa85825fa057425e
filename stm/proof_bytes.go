package stm

import (
	"errors"
	"fmt"

	"github.com/stmverify/stmverify/internal/limits"
	"github.com/stmverify/stmverify/merkle"
	"github.com/stmverify/stmverify/multisig"
)

// The proof types, the first byte of the legacy form and the field signature_type of the CBOR form.
const (
	typeConcatenation = 0
	typeSNARK         = 1
	typeIVCSNARK      = 2
)

var errShort = errors.New("ends too early")

// readBytes reads the CBOR or the legacy form. Each object inside begins with the byte 1 when it is CBOR, whatever the form
// of the object around it. Bytes behind an object are ignored, as in the reference.
func (r *rawProof) readBytes(b []byte) error {
	if len(b) == 0 {
		return errShort
	}
	if b[0] == cborVersion {
		err := r.readAggregateCBOR(b[1:])
		if err == nil {
			return nil
		}
		// The byte 1 also begins a SNARK proof in the legacy form.
		if !errors.Is(err, errCBOR) {
			return err
		}
		return fmt.Errorf("%w (or %w)", ErrUnsupportedProofType, err)
	}
	if err := checkType(uint64(b[0])); err != nil {
		return err
	}
	return r.readProof(b[1:])
}

func checkType(t uint64) error {
	switch t {
	case typeConcatenation:
		return nil
	case typeSNARK, typeIVCSNARK:
		return ErrUnsupportedProofType
	}
	return fmt.Errorf("proof type %d", t)
}

func (r *rawProof) readAggregateCBOR(b []byte) error {
	c := cborReader{b: b}
	var proof []byte
	var proofType uint64
	err := c.structure([]string{"signature_type", "proof_bytes"}, func(i int) (err error) {
		if i == 0 {
			proofType, err = c.uint()
			return err
		}
		proof, err = c.bytes(nil)
		return err
	})
	if err != nil {
		return err
	}
	if err := checkType(proofType); err != nil {
		return err
	}
	return r.readProof(proof)
}

// readProof reads a concatenation proof in either form.
func (r *rawProof) readProof(b []byte) error {
	if len(b) > 0 && b[0] == cborVersion {
		return r.readProofCBOR(b[1:])
	}
	l := legacyReader{b: b}
	total := l.uint64()
	for i := uint64(0); i < total && !l.short; i++ {
		if err := r.readEntry(l.sized()); err != nil {
			return fmt.Errorf("signatures[%d]: %w", i, err)
		}
	}
	return r.readPath(l.b) // Nothing, when the input ended before, and no path is that.
}

func (r *rawProof) readProofCBOR(b []byte) error {
	c := cborReader{b: b}
	var path []byte
	err := c.structure([]string{"signature_bytes", "batch_proof_bytes"}, func(i int) (err error) {
		if i == 1 {
			path, err = c.bytes(nil)
			return err
		}
		position := 0
		return c.array(func() error {
			entry, err := c.bytes(nil)
			if err == nil {
				err = r.readEntry(entry)
			}
			if err != nil {
				return fmt.Errorf("signatures[%d]: %w", position, err)
			}
			position++
			return nil
		})
	})
	if err != nil {
		return err
	}
	return r.readPath(path)
}

// readEntry reads a single signature with its party.
func (r *rawProof) readEntry(b []byte) error {
	if err := r.checkEntries(); err != nil {
		return err
	}
	var single, party []byte
	if len(b) > 0 && b[0] == cborVersion {
		c := cborReader{b: b[1:]}
		err := c.structure([]string{"signature_bytes", "registration_entry_bytes"}, func(i int) (err error) {
			if i == 0 {
				single, err = c.bytes(nil)
				return err
			}
			party, err = c.bytes(nil)
			return err
		})
		if err != nil {
			return err
		}
	} else {
		l := legacyReader{b: b}
		party, single = l.sized(), l.sized() // Nothing, when the input ended before, and neither is that.
	}
	if err := r.readSingle(single); err != nil {
		return err
	}
	return r.readParty(party)
}

// readSingle reads a single signature.
func (r *rawProof) readSingle(b []byte) error {
	if len(b) > 0 && b[0] == cborVersion {
		return r.readSingleCBOR(b[1:])
	}
	l := legacyReader{b: b}
	n := l.uint64()
	for i := uint64(0); i < n && !l.short; i++ {
		if err := r.addIndex(l.uint64()); err != nil {
			return err
		}
	}
	r.sigmas = append(r.sigmas, l.take(multisig.SignatureSize)...)
	r.signerIndex = append(r.signerIndex, l.uint64())
	r.ends = append(r.ends, len(r.indexes))
	if l.short {
		return errShort
	}
	return nil
}

func (r *rawProof) readSingleCBOR(b []byte) error {
	c := cborReader{b: b, buffered: true}
	err := c.structure(singleFields.Names, func(i int) (err error) {
		switch i {
		case 0:
			before := len(r.sigmas)
			r.sigmas, err = c.bytes(r.sigmas)
			if n := len(r.sigmas) - before; err == nil && n != multisig.SignatureSize {
				err = fmt.Errorf("sigma: got %d bytes, want %d", n, multisig.SignatureSize)
			}
		case 1:
			err = c.uints(r.addIndex)
		case 2:
			// The one field that is no part of the inner structure is read at once.
			var v uint64
			c.buffered = false
			v, err = c.uint()
			c.buffered = true
			r.signerIndex = append(r.signerIndex, v)
		}
		return err
	})
	r.ends = append(r.ends, len(r.indexes))
	return err
}

// readParty reads a registration entry: a key and a stake. The legacy form may go on with SNARK keys, which are ignored.
func (r *rawProof) readParty(b []byte) error {
	if len(b) > 0 && b[0] == cborVersion {
		c := cborReader{b: b[1:]}
		return c.structure([]string{"verification_key_bytes", "stake"}, func(i int) (err error) {
			if i == 1 {
				v, err := c.uint()
				r.stakes = append(r.stakes, v)
				return err
			}
			before := len(r.keys)
			r.keys, err = c.bytes(r.keys)
			if n := len(r.keys) - before; err == nil && n != multisig.VerificationKeySize {
				err = fmt.Errorf("verification key: got %d bytes, want %d", n, multisig.VerificationKeySize)
			}
			return err
		})
	}
	l := legacyReader{b: b}
	r.keys = append(r.keys, l.take(multisig.VerificationKeySize)...)
	r.stakes = append(r.stakes, l.uint64())
	if l.short {
		return errShort
	}
	return nil
}

// readPath reads a batch path.
func (r *rawProof) readPath(b []byte) error {
	if len(b) > 0 && b[0] == cborVersion {
		return r.readPathCBOR(b[1:])
	}
	l := legacyReader{b: b}
	values, indices := l.uint64(), l.uint64()
	for i := uint64(0); i < values && !l.short; i++ {
		r.values = append(r.values, l.take(merkle.HashSize))
	}
	for i := uint64(0); i < indices && !l.short; i++ {
		if err := r.addPathIndex(l.uint64()); err != nil {
			return err
		}
	}
	if l.short {
		return errShort
	}
	return nil
}

func (r *rawProof) addPathIndex(v uint64) error {
	if len(r.pathIndices) >= limits.MaxSigners {
		return errTooMany("indices of leaves", limits.MaxSigners)
	}
	r.pathIndices = append(r.pathIndices, v)
	return nil
}

func (r *rawProof) readPathCBOR(b []byte) error {
	c := cborReader{b: b}
	return c.structure(pathFields.Names, func(i int) error {
		switch i {
		case 0:
			return c.array(func() error {
				if len(r.values) >= limits.MaxIndexes {
					return errTooMany("values", limits.MaxIndexes)
				}
				v, err := c.bytes(nil)
				r.values = append(r.values, v)
				return err
			})
		case 1:
			return c.uints(r.addPathIndex)
		}
		return c.null()
	})
}

// legacyReader reads big-endian numbers and counted bytes. Once it has come to the end, short is set and it reads zeros.
type legacyReader struct {
	b     []byte
	short bool
}

func (l *legacyReader) take(n uint64) []byte {
	if n > uint64(len(l.b)) {
		l.short, l.b = true, nil
		return nil
	}
	taken := l.b[:n]
	l.b = l.b[n:]
	return taken
}

func (l *legacyReader) uint64() uint64 {
	b := l.take(8)
	if b == nil {
		return 0
	}
	return readUint64(b)
}

func (l *legacyReader) sized() []byte { return l.take(l.uint64()) }

// AppendLegacy appends the legacy form.
func (s *AggregateSignature) AppendLegacy(dst []byte) []byte {
	dst = append(dst, typeConcatenation)
	dst = appendUint64(dst, uint64(len(s.entries)))
	const partySize = multisig.VerificationKeySize + 8
	for i := range s.entries {
		e := &s.entries[i]
		singleSize := uint64(8 + 8*len(s.Indexes(i)) + multisig.SignatureSize + 8)
		dst = appendUint64(dst, 8+partySize+8+singleSize)
		dst = appendUint64(dst, partySize)
		dst = e.key.AppendTo(dst)
		dst = appendUint64(dst, e.stake)
		dst = appendUint64(dst, singleSize)
		dst = appendSingleLegacy(dst, &s.signatures[i], s.Indexes(i), e.signerIndex)
	}
	values := s.values()
	dst = appendUint64(dst, uint64(len(values)))
	dst = appendUint64(dst, uint64(len(s.path.Indices)))
	for _, v := range values {
		dst = append(dst, v...)
	}
	for _, v := range s.path.Indices {
		dst = appendUint64(dst, v)
	}
	return dst
}

// appendSingleLegacy appends a single signature.
func appendSingleLegacy(dst []byte, sigma *multisig.Signature, indexes []uint64, signerIndex uint64) []byte {
	dst = appendUint64(dst, uint64(len(indexes)))
	for _, v := range indexes {
		dst = appendUint64(dst, v)
	}
	dst = sigma.AppendTo(dst)
	return appendUint64(dst, signerIndex)
}

// AppendCBOR appends the version byte and the CBOR form, in which every object is the bytes of its own CBOR form.
func (s *AggregateSignature) AppendCBOR(dst []byte) []byte {
	proof := s.appendProofCBOR(nil)
	dst = append(dst, cborVersion)
	dst = appendCBORHead(dst, cborMap, 2)
	dst = appendCBORText(dst, "signature_type")
	dst = appendCBORUint(dst, typeConcatenation)
	dst = appendCBORText(dst, "proof_bytes")
	dst = appendCBORHead(dst, cborBytes, uint64(len(proof)))
	return append(dst, proof...)
}

func (s *AggregateSignature) appendProofCBOR(dst []byte) []byte {
	dst = append(dst, cborVersion)
	dst = appendCBORHead(dst, cborMap, 2)
	dst = appendCBORText(dst, "signature_bytes")
	dst = appendCBORHead(dst, cborArray, uint64(len(s.entries)))
	for i := range s.entries {
		dst = appendCBORInts(dst, s.appendEntryCBOR(nil, i))
	}
	dst = appendCBORText(dst, "batch_proof_bytes")
	return appendCBORInts(dst, s.appendPathCBOR(nil))
}

func (s *AggregateSignature) appendEntryCBOR(dst []byte, i int) []byte {
	e := &s.entries[i]
	key := e.key.Bytes()
	party := appendCBORHead([]byte{cborVersion}, cborMap, 2)
	party = appendCBORText(party, "verification_key_bytes")
	party = appendCBORInts(party, key[:])
	party = appendCBORText(party, "stake")
	party = appendCBORUint(party, e.stake)

	dst = append(dst, cborVersion)
	dst = appendCBORHead(dst, cborMap, 2)
	dst = appendCBORText(dst, "signature_bytes")
	dst = appendCBORInts(dst, appendSingleCBOR(nil, &s.signatures[i], s.Indexes(i), e.signerIndex))
	dst = appendCBORText(dst, "registration_entry_bytes")
	return appendCBORInts(dst, party)
}

// appendSingleCBOR appends the version byte and a single signature. Its map has no length, because the reference collects
// the fields from two structures.
func appendSingleCBOR(dst []byte, sigma *multisig.Signature, indexes []uint64, signerIndex uint64) []byte {
	const indefiniteMap = cborMap<<5 | 31
	enc := sigma.Bytes()
	dst = append(dst, cborVersion, indefiniteMap)
	dst = appendCBORText(dst, "sigma")
	dst = appendCBORInts(dst, enc[:])
	dst = appendCBORText(dst, "indexes")
	dst = appendCBORUints(dst, indexes)
	dst = appendCBORText(dst, "signer_index")
	dst = appendCBORUint(dst, signerIndex)
	return append(dst, cborBreak)
}

func appendCBORUints(dst []byte, v []uint64) []byte {
	dst = appendCBORHead(dst, cborArray, uint64(len(v)))
	for _, x := range v {
		dst = appendCBORUint(dst, x)
	}
	return dst
}

func (s *AggregateSignature) appendPathCBOR(dst []byte) []byte {
	dst = append(dst, cborVersion)
	dst = appendCBORHead(dst, cborMap, 3)
	dst = appendCBORText(dst, "values")
	values := s.values()
	dst = appendCBORHead(dst, cborArray, uint64(len(values)))
	for _, v := range values {
		dst = appendCBORInts(dst, v)
	}
	dst = appendCBORText(dst, "indices")
	dst = appendCBORUints(dst, s.path.Indices)
	dst = appendCBORText(dst, "hasher")
	return append(dst, cborOther<<5|cborNull)
}
