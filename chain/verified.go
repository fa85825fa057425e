package chain

import (
	"time"

	"github.com/stmverify/stmverify/certificate"
	"github.com/stmverify/stmverify/stm"
)

// Verified is a chain that was accepted. Only [Verify] and [VerifyEncoded] make one, after the last check has passed. It is
// immutable.
type Verified struct {
	records    []Record
	leaf       *Checkpoint
	checkpoint *Checkpoint // where the walk ended, nil for genesis
}

// Record is what remains of a verified certificate, about 1 kB.
type Record struct {
	Hash         certificate.Hash
	PreviousHash certificate.Hash // zero on genesis
	Epoch        uint64           // equal to the signed epoch
	Genesis      bool

	// Message is the protocol message and SignedMessage its hash: what the signers signed.
	Message       certificate.ProtocolMessage
	SignedMessage string

	// AVK and Parameters are those its parent signed. The genesis certificate's own are not signed.
	AVK        *stm.AggregateVerificationKey
	Parameters stm.Parameters

	Signatures int // in the multi-signature, 0 on genesis
	Indexes    int // lottery indices in it

	// Unsigned is what anybody who serves the certificate can write into it. Do not decide on it.
	Unsigned Unsigned
}

// Unsigned is the part of a certificate that no signature covers (SPEC 0).
type Unsigned struct {
	EntityType  certificate.SignedEntityType
	Network     string
	Version     string
	InitiatedAt time.Time
	SealedAt    time.Time
}

// recordOf copies what a Record keeps.
func recordOf(c *certificate.Certificate) Record {
	r := Record{
		Hash:          c.Hash,
		PreviousHash:  c.PreviousHash,
		Epoch:         c.Epoch,
		Genesis:       c.IsGenesis(),
		Message:       c.ProtocolMessage,
		SignedMessage: c.SignedMessage,
		AVK:           c.AVK,
		Parameters:    c.Metadata.Parameters,
		Unsigned: Unsigned{
			EntityType:  c.SignedEntityType,
			Network:     c.Metadata.Network,
			Version:     c.Metadata.Version,
			InitiatedAt: c.Metadata.InitiatedAt,
			SealedAt:    c.Metadata.SealedAt,
		},
	}
	if c.MultiSignature != nil {
		r.Signatures, r.Indexes = c.MultiSignature.Len(), c.MultiSignature.NrIndexes()
	}
	return r
}

// text returns the length of the texts that r keeps.
func (r *Record) text() int {
	n := len(r.SignedMessage) + len(r.Unsigned.Network) + len(r.Unsigned.Version)
	for _, value := range r.Message.Parts() {
		n += len(value)
	}
	return n
}

// Len returns the number of certificates that were verified, at least one.
func (v *Verified) Len() int { return len(v.records) }

// Record returns certificate i, counted from the leaf.
func (v *Verified) Record(i int) *Record { return &v.records[i] }

// Leaf returns the first certificate.
func (v *Verified) Leaf() *Record { return &v.records[0] }

// Last returns the last certificate: the genesis certificate, or a child of the checkpoint.
func (v *Verified) Last() *Record { return &v.records[len(v.records)-1] }

// EndedAt returns the checkpoint in which the walk ended, or nil when it ended in a genesis certificate.
func (v *Verified) EndedAt() *Checkpoint { return v.checkpoint }

// Checkpoint returns a checkpoint for the leaf, so that a later walk may end there.
func (v *Verified) Checkpoint() *Checkpoint {
	c := *v.leaf
	return &c
}
