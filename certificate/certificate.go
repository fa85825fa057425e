package certificate

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"

	"github.com/stmverify/stmverify/internal/jsonhex"
	"github.com/stmverify/stmverify/stm"
)

// SignatureSize is the length of a genesis signature in bytes.
const SignatureSize = 64

// Certificate is one certificate. It is a genesis certificate when GenesisSignature is set, and a standard one otherwise.
//
// A certificate made by hand, rather than by [Decode], needs an AVK and one of the two signatures.
type Certificate struct {
	Hash             Hash // as claimed; ComputeHash returns the right one
	PreviousHash     Hash // of the parent; zero on genesis
	Epoch            uint64
	SignedEntityType SignedEntityType
	Metadata         Metadata
	ProtocolMessage  ProtocolMessage
	SignedMessage    string // as received; the text form of the message hash when valid
	AVK              *stm.AggregateVerificationKey
	MultiSignature   *stm.AggregateSignature // nil on genesis, and on a certificate of Inspect with a SNARK proof
	GenesisSignature *[SignatureSize]byte    // nil on standard certificates

	// What only the Lagrange era has, as received: it is shown and written back. The bytes of the ancillary data are hashed.
	AVKSnark                string
	AncillaryProverData     []byte
	AncillaryVerifierData   []byte
	GenesisSchnorrSignature string

	// previousZeros says that a genesis certificate has a previous_hash of 64 zeros, which tells it from the empty text.
	previousZeros bool
	// The canonical texts of AVK and MultiSignature as they were received, aliases of the decoded text, and what they are the
	// texts of: they are not used when somebody has set another object.
	avkText, proofText []byte
	avkOf              *stm.AggregateVerificationKey
	proofOf            *stm.AggregateSignature
	unsupported        *Error
}

// IsGenesis reports whether c is a genesis certificate.
func (c *Certificate) IsGenesis() bool { return c.GenesisSignature != nil }

// Unsupported returns nil, or an error of class verdict.ErrUnsupported that says why this module cannot verify c: a SNARK proof,
// ancillary data, the rigid hash scheme. It is nil for every certificate that [Decode] returns.
func (c *Certificate) Unsupported() error {
	if c.unsupported == nil {
		return nil
	}
	return c.unsupported
}

// ComputeHash returns the certificate hash (SPEC 3.1). It returns an error only for a certificate made by hand that lacks its key or
// its signature, or whose parameters or dates have no hash, and for one of [Inspect] with a SNARK proof in another form than the
// one that is hashed.
func (c *Certificate) ComputeHash() (Hash, error) {
	if err := c.complete(); err != nil {
		return Hash{}, err
	}
	metadata, err := c.Metadata.ComputeHash()
	if err != nil {
		return Hash{}, err
	}
	proof := c.signatureText()
	message := c.ProtocolMessage.ComputeHash()

	b := make([]byte, 0, 1024)
	b = append(b, c.previousText()...)
	b = binary.BigEndian.AppendUint64(b, c.Epoch)
	b = hex.AppendEncode(b, metadata[:])
	b = hex.AppendEncode(b, message[:])
	b = append(b, c.SignedMessage...)
	b = c.appendAVK(b)
	if !c.IsGenesis() {
		b = c.SignedEntityType.AppendHashInput(b)
	}
	h := sha256.New()
	h.Write(b)
	h.Write(proof)
	h.Write(c.AncillaryProverData)
	h.Write(c.AncillaryVerifierData)
	var sum Hash
	h.Sum(sum[:0])
	return sum, nil
}

// previousText returns previous_hash as it is written.
func (c *Certificate) previousText() string {
	if c.IsGenesis() && c.PreviousHash.IsZero() && !c.previousZeros {
		return ""
	}
	return c.PreviousHash.String()
}

// appendAVK appends the canonical text of the aggregate verification key.
func (c *Certificate) appendAVK(dst []byte) []byte {
	if c.avkText != nil && c.avkOf == c.AVK {
		return append(dst, c.avkText...)
	}
	return c.AVK.AppendJSONHex(dst)
}

// signatureText returns the canonical text of the signature of a complete certificate: of the multi-signature without a copy when it
// was received so.
func (c *Certificate) signatureText() []byte {
	if c.IsGenesis() {
		return hex.AppendEncode(nil, c.GenesisSignature[:])
	}
	if c.hasProofText() {
		return c.proofText
	}
	return c.MultiSignature.AppendJSONHex(nil)
}

func (c *Certificate) hasProofText() bool { return c.proofText != nil && c.proofOf == c.MultiSignature }

// complete returns an error unless c has all that is hashed and written.
func (c *Certificate) complete() error {
	var e *Error
	switch {
	case c.AVK == nil:
		e = at("aggregate_verification_key", errNoKey)
	case c.IsGenesis() || c.MultiSignature != nil || c.hasProofText():
		return nil
	case c.unsupported != nil:
		e = at("multi_signature", errNoProof)
	default:
		e = at("multi_signature", errNoSignature)
	}
	e.Hash = c.Hash
	return e
}

// isCanonicalJSONHex reports whether text is the lowercase hexadecimal form of a JSON object without white space. It serves proofs that
// this module cannot decode and so cannot write anew.
func isCanonicalJSONHex(text []byte) bool {
	if !jsonhex.IsLowerHex(string(text)) {
		return false
	}
	raw, err := hex.AppendDecode(nil, text)
	if err != nil || len(raw) == 0 || raw[0] != '{' {
		return false
	}
	var compact bytes.Buffer
	return json.Compact(&compact, raw) == nil && bytes.Equal(compact.Bytes(), raw)
}
