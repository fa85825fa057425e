package store

import (
	"errors"
	"fmt"
	"maps"

	"github.com/stmverify/stmverify/certificate"
)

// Record is a verified certificate. What its signers signed is Message, and with it SignedMessage and Epoch; Hash and
// PreviousHash identify certificates and are signed by nobody; AVK and Parameters are what the parent's message, or for a
// genesis certificate nobody, vouches for. Everything else a certificate carries is in Unsigned.
type Record struct {
	Hash          certificate.Hash  `json:"hash"`
	PreviousHash  certificate.Hash  `json:"previous_hash"` // zero on a genesis certificate
	Epoch         uint64            `json:"epoch"`
	Genesis       bool              `json:"genesis"`
	SignedMessage string            `json:"signed_message"` // 64 hexadecimal characters: the hash of Message
	Message       map[string]string `json:"message"`        // the signed message parts
	AVK           string            `json:"avk"`            // aggregate verification key, canonical JSON-hex
	Parameters    Parameters        `json:"parameters"`
	Signatures    int               `json:"signatures"` // in the multi-signature; 0 on a genesis certificate
	Unsigned      Unsigned          `json:"unsigned"`
}

// Parameters are the protocol parameters under which a certificate was signed.
type Parameters struct {
	K    uint64  `json:"k"`
	M    uint64  `json:"m"`
	PhiF float64 `json:"phi_f"`
}

// Unsigned is what a certificate says about itself and no signature covers: whoever serves a certificate can write
// anything here. It is for display.
type Unsigned struct {
	SignedEntityType string `json:"signed_entity_type"` // compact JSON
	Network          string `json:"network"`
	Version          string `json:"version"`
	InitiatedAt      string `json:"initiated_at"`
	SealedAt         string `json:"sealed_at"`
}

// Clone returns a deep copy.
func (r *Record) Clone() *Record {
	c := *r
	c.Message = maps.Clone(r.Message)
	return &c
}

// check reports what no verified certificate can be.
func (r *Record) check() error {
	switch {
	case r.Hash.IsZero():
		return errors.New("no hash")
	case r.Genesis != r.PreviousHash.IsZero():
		return fmt.Errorf("genesis %v with parent %s", r.Genesis, r.PreviousHash)
	case len(r.SignedMessage) != 64:
		return fmt.Errorf("signed message %q", r.SignedMessage)
	case len(r.Message) == 0:
		return errors.New("no message")
	}
	return nil
}
