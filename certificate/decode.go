package certificate

import (
	"encoding/hex"
	"errors"

	"github.com/stmverify/stmverify/internal/jsonhex"
	"github.com/stmverify/stmverify/internal/limits"
	"github.com/stmverify/stmverify/multisig"
	"github.com/stmverify/stmverify/stm"
	"github.com/stmverify/stmverify/verdict"
)

// Decoder decodes certificates. The zero value is ready, and a Decoder is safe for concurrent use.
type Decoder struct {
	// Keys remembers verification keys that were already checked; the certificates of an epoch share theirs. It may be nil.
	Keys *multisig.KeyCache
}

// Decode decodes one certificate with a new [Decoder].
func Decode(data []byte) (*Certificate, error) { return new(Decoder).Decode(data) }

// Decode decodes the JSON text of one certificate, which is at most 4 MiB long. The certificate keeps a
// reference to data, which nobody may modify any more. Points are checked to be on their curves and in their groups, which is
// nearly all of the time it takes. The error is an [*Error].
func (d *Decoder) Decode(data []byte) (*Certificate, error) {
	c, err := d.Inspect(data)
	if err != nil {
		return nil, err
	}
	if c.unsupported != nil {
		return nil, c.unsupported
	}
	return c, nil
}

// Inspect decodes like [Decoder.Decode], but also returns certificates that this module cannot verify because they belong to the
// Lagrange era. [Certificate.Unsupported] tells them.
func Inspect(data []byte) (*Certificate, error) { return new(Decoder).Inspect(data) }

// Inspect is the function [Inspect] with the cache of d.
func (d *Decoder) Inspect(data []byte) (*Certificate, error) {
	certs, errs := d.inspect([][]byte{data})
	return certs[0], errs[0]
}

// DecodeAll is [Decoder.Decode] for several texts, whose points are decoded together, see [stm.ParseAggregateSignatures]. Either
// certs[i] or errs[i] is nil.
func (d *Decoder) DecodeAll(texts [][]byte) (certs []*Certificate, errs []error) {
	certs, errs = d.inspect(texts)
	for i, c := range certs {
		if errs[i] == nil && c.unsupported != nil {
			certs[i], errs[i] = nil, c.unsupported
		}
	}
	return certs, errs
}

func (d *Decoder) inspect(texts [][]byte) ([]*Certificate, []error) {
	certs, errs := make([]*Certificate, len(texts)), make([]error, len(texts))
	wires := make([]*wire, len(texts))
	var proofs [][]byte
	for i, data := range texts {
		w := &wire{certificate: new(Certificate)}
		if err := w.decode(data); err != nil {
			errs[i] = w.claims(err, data)
			continue
		}
		certs[i], wires[i] = w.certificate, w
		if !w.certificate.IsGenesis() {
			proofs = append(proofs, w.proof)
		}
	}
	parsed := parseProofs(proofs, d.Keys)
	for i, w := range wires {
		if w == nil {
			continue
		}
		c := w.certificate
		if !c.IsGenesis() {
			if err := w.multiSignature(parsed[0]); err != nil {
				certs[i], errs[i] = nil, w.claims(err, texts[i])
			}
			parsed = parsed[1:]
		}
		if c.unsupported != nil {
			c.unsupported = w.claims(c.unsupported, texts[i])
		}
	}
	return certs, errs
}

// claims says in an error which certificate it is about, as far as that could be read.
func (w *wire) claims(err *Error, data []byte) *Error {
	err.Hash = w.claimedHash(data)
	if w.hasEpoch {
		epoch := w.certificate.Epoch
		err.Epoch = &epoch
	}
	return err
}

// The fields of a certificate (SPEC 1). The last two exist in the reference only when it is built for SNARK certificates.
const (
	fieldHash = iota
	fieldPreviousHash
	fieldEpoch
	fieldSignedEntityType
	fieldMetadata
	fieldProtocolMessage
	fieldSignedMessage
	fieldAVK
	fieldAncillaryProverData
	fieldAncillaryVerifierData
	fieldMultiSignature
	fieldGenesisSignature
	fieldAVKSnark
	fieldGenesisSchnorrSignature
)

var certificateFields = jsonhex.Fields{
	Names: []string{
		fieldHash:                    "hash",
		fieldPreviousHash:            "previous_hash",
		fieldEpoch:                   "epoch",
		fieldSignedEntityType:        "signed_entity_type",
		fieldMetadata:                "metadata",
		fieldProtocolMessage:         "protocol_message",
		fieldSignedMessage:           "signed_message",
		fieldAVK:                     "aggregate_verification_key",
		fieldAncillaryProverData:     "ancillary_prover_data",
		fieldAncillaryVerifierData:   "ancillary_verifier_data",
		fieldMultiSignature:          "multi_signature",
		fieldGenesisSignature:        "genesis_signature",
		fieldAVKSnark:                "aggregate_verification_key_snark",
		fieldGenesisSchnorrSignature: "genesis_schnorr_signature",
	},
	Positional: fieldGenesisSignature + 1,
	Required: jsonhex.Required(fieldGenesisSignature+1) &^
		(1<<fieldAncillaryProverData | 1<<fieldAncillaryVerifierData),
}

// wire holds the texts of the fields that are decoded after all of the document was read, the cheap ones first. The texts are
// aliases of the document unless they held escapes.
type wire struct {
	certificate *Certificate
	hash        []byte
	previous    []byte
	entity      []byte
	avk         []byte
	prover      []byte
	verifier    []byte
	proof       []byte
	genesis     []byte
	hasEpoch    bool
	hasProver   bool
	hasVerifier bool
}

// maxProofText bounds the texts that hold a proof or the data of one.
const maxProofText = 2 * limits.MaxProofBytes

// decode reads all but the proof.
func (w *wire) decode(data []byte) *Error {
	if len(data) > limits.MaxCertificateBytes {
		return at("", errTooLong)
	}
	s := jsonhex.NewScanner(data)
	err := s.Struct(&certificateFields, func(i int) error { return w.field(&s, i) })
	if err == nil {
		err = s.End()
	}
	if err != nil {
		return fromScanner(err)
	}
	return w.checkAround()
}

// checkAround decodes and checks everything but the multi-signature, which costs the most.
func (w *wire) checkAround() *Error {
	for _, step := range [...]func() *Error{
		w.hashes, w.genesisSignature, w.entityType, w.parameters, w.message, w.ancillary, w.aggregateKey,
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// field reads one field of the certificate.
func (w *wire) field(s *jsonhex.Scanner, i int) (err error) {
	c := w.certificate
	switch i {
	case fieldHash:
		w.hash, err = s.String(limits.MaxStringBytes)
	case fieldPreviousHash:
		w.previous, err = s.String(limits.MaxStringBytes)
	case fieldEpoch:
		c.Epoch, err = s.Uint64()
		w.hasEpoch = err == nil
	case fieldSignedEntityType:
		w.entity, err = s.Value(limits.MaxStringBytes)
	case fieldMetadata:
		err = c.Metadata.scan(s)
	case fieldProtocolMessage:
		err = c.ProtocolMessage.scan(s)
	case fieldSignedMessage:
		c.SignedMessage, err = scanText(s)
	case fieldAVK:
		w.avk, err = s.String(limits.MaxStringBytes)
	case fieldAncillaryProverData:
		w.prover, w.hasProver, err = scanOptional(s)
	case fieldAncillaryVerifierData:
		w.verifier, w.hasVerifier, err = scanOptional(s)
	case fieldMultiSignature:
		w.proof, err = s.String(maxProofText)
	case fieldGenesisSignature:
		w.genesis, err = s.String(limits.MaxStringBytes)
	case fieldAVKSnark:
		c.AVKSnark, err = scanIfText(s)
	case fieldGenesisSchnorrSignature:
		c.GenesisSchnorrSignature, err = scanIfText(s)
	}
	return err
}

func scanText(s *jsonhex.Scanner) (string, error) {
	text, err := s.String(limits.MaxStringBytes)
	return string(text), err
}

// scanOptional reads a string or null.
func scanOptional(s *jsonhex.Scanner) (text []byte, ok bool, err error) {
	if null, err := s.Null(); null || err != nil {
		return nil, false, err
	}
	text, err = s.String(maxProofText)
	return text, err == nil, err
}

// scanIfText reads a string and skips any other value: the reference ignores the field unless it was built to know it.
func scanIfText(s *jsonhex.Scanner) (string, error) {
	if !s.Is('"') {
		return "", s.Skip()
	}
	return scanText(s)
}

// hashes reads hash and previous_hash.
func (w *wire) hashes() *Error {
	c := w.certificate
	var err error
	if c.Hash, err = ParseHash(string(w.hash)); err != nil {
		return at("hash", err)
	}
	if len(w.previous) == 0 {
		if len(w.genesis) == 0 {
			return at("previous_hash", errEmptyPrevious)
		}
		return nil
	}
	if c.PreviousHash, err = ParseHash(string(w.previous)); err != nil {
		return at("previous_hash", err)
	}
	c.previousZeros = c.PreviousHash.IsZero() && len(w.genesis) > 0
	return nil
}

// genesisSignature reads the signature that makes a certificate a genesis certificate: 64 bytes in hexadecimal, or else the
// hexadecimal form of a JSON array of 64 bytes (SPEC 2).
func (w *wire) genesisSignature() *Error {
	if len(w.genesis) == 0 {
		return nil
	}
	var sig [SignatureSize]byte
	raw, err := hex.AppendDecode(nil, w.genesis)
	if err == nil && len(raw) == SignatureSize {
		copy(sig[:], raw)
	} else {
		raw, err = hex.AppendDecode(nil, trimSpace(w.genesis))
		if err != nil || !scanByteArray(raw, sig[:]) {
			return at("genesis_signature", errSignature)
		}
	}
	w.certificate.GenesisSignature = &sig
	return nil
}

// entityType reads the signed entity type. On genesis any value will do, because the reference replaces it.
func (w *wire) entityType() *Error {
	c := w.certificate
	if c.IsGenesis() {
		c.SignedEntityType = SignedEntityType{Kind: MithrilStakeDistribution, Epoch: c.Epoch}
		return nil
	}
	var err error
	if c.SignedEntityType, err = parseEntityType(w.entity); err != nil {
		return within("signed_entity_type", fromScanner(err))
	}
	return nil
}

func (w *wire) parameters() *Error {
	if err := w.certificate.Metadata.Parameters.Validate(); err != nil {
		e := at("metadata.parameters", err)
		e.Rule = verdict.RuleParametersOutOfRange
		return e
	}
	return nil
}

// message checks the shapes of the message parts.
func (w *wire) message() *Error {
	m := &w.certificate.ProtocolMessage
	if err := m.Validate(); err != nil {
		place := "protocol_message"
		var part *PartError
		if errors.As(err, &part) {
			place += ".message_parts." + part.Key.String()
		}
		e := at(place, err)
		e.Rule = verdict.RuleMessagePartMalformed
		return e
	}
	if m.Scheme == RigidScheme {
		w.refuse("protocol_message.hash_scheme", errRigid)
	}
	return nil
}

// refuse notes the first reason why the certificate cannot be verified.
func (w *wire) refuse(place string, err error) {
	if c := w.certificate; c.unsupported == nil {
		c.unsupported = at(place, err)
	}
}

// ancillary reads the ancillary data, whose bytes are hashed.
func (w *wire) ancillary() *Error {
	c := w.certificate
	for _, f := range [...]struct {
		place string
		text  []byte
		ok    bool
		dst   *[]byte
	}{
		{"ancillary_prover_data", w.prover, w.hasProver, &c.AncillaryProverData},
		{"ancillary_verifier_data", w.verifier, w.hasVerifier, &c.AncillaryVerifierData},
	} {
		if !f.ok {
			continue
		}
		raw, err := hex.AppendDecode(nil, f.text)
		if err != nil || len(raw) < 2 || raw[0] != 1 {
			return at(f.place, errAncillary)
		}
		*f.dst = raw
		w.refuse(f.place, errAncillaryData)
	}
	return nil
}

func (w *wire) aggregateKey() *Error {
	c := w.certificate
	avk, canonical, err := parseAVK(w.avk)
	if err != nil {
		return at("aggregate_verification_key", err)
	}
	c.AVK = avk
	if canonical {
		c.avkText, c.avkOf = w.avk, avk
	}
	return nil
}

// multiSignature takes the decoded proof. A genesis certificate has none, whatever stands there.
func (w *wire) multiSignature(proof stm.Parsed) *Error {
	c := w.certificate
	canonical := proof.Canonical
	switch err := proof.Err; {
	case errors.Is(err, verdict.ErrUnsupported):
		w.refuse("multi_signature", err)
		canonical = isCanonicalJSONHex(w.proof)
	case err != nil:
		return at("multi_signature", err)
	default:
		c.MultiSignature = proof.Signature
	}
	if canonical {
		c.proofText, c.proofOf = w.proof, c.MultiSignature
	}
	return nil
}

// claimedHash returns the hash that a document with an error claims, or zero when it cannot be read.
func (w *wire) claimedHash(data []byte) Hash {
	text := w.hash
	if text == nil && len(data) <= limits.MaxCertificateBytes {
		s := jsonhex.NewScanner(data)
		_ = s.Object(func(key []byte) (err error) {
			if string(key) != certificateFields.Names[fieldHash] {
				return s.Skip()
			}
			text, err = s.String(limits.MaxStringBytes)
			return errors.Join(err, errStop)
		})
	}
	h, err := ParseHash(string(text))
	if err != nil {
		return Hash{}
	}
	return h
}
