package certificate

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"time"

	"github.com/stmverify/stmverify/internal/fixed"
	"github.com/stmverify/stmverify/stm"
)

// Metadata is what a certificate says about its making. Nothing of it is signed; the parameters are bound through the message of
// the parent. Never decide on a date.
type Metadata struct {
	Network     string
	Version     string // of the protocol
	Parameters  stm.Parameters
	InitiatedAt time.Time
	SealedAt    time.Time
	Signers     []Signer // in the order of the certificate, which is hashed; empty on genesis
}

// Signer is a party that took part, with its stake. It is not signed: the parties that count are those in the proof.
type Signer struct {
	PartyID string
	Stake   uint64
}

// ComputeHash returns SHA-256 of the party identifier and the stake, big-endian (SPEC 3.2).
func (s *Signer) ComputeHash() Hash {
	var buf [128]byte // enough for every identifier of Cardano, so that nothing is allocated
	b := append(buf[:0], s.PartyID...)
	return sha256.Sum256(binary.BigEndian.AppendUint64(b, s.Stake))
}

// ComputeHash returns the metadata hash (SPEC 3.2). It returns an error for parameters or dates that have no hash; decoded metadata
// always has one.
func (m *Metadata) ComputeHash() (Hash, error) {
	parameters, err := HashParameters(m.Parameters)
	if err != nil {
		return Hash{}, err
	}
	b := make([]byte, 0, 256)
	b = append(b, m.Network...)
	b = append(b, m.Version...)
	b = hex.AppendEncode(b, parameters[:])
	for _, t := range [...]time.Time{m.InitiatedAt, m.SealedAt} {
		ns, err := unixNano(t.Unix(), int64(t.Nanosecond()))
		if err != nil {
			return Hash{}, fmt.Errorf("certificate: %v: %w", t, err)
		}
		b = binary.BigEndian.AppendUint64(b, uint64(ns))
	}
	h := sha256.New()
	h.Write(b)
	for i := range m.Signers {
		party := m.Signers[i].ComputeHash()
		h.Write(hex.AppendEncode(b[:0], party[:]))
	}
	var sum Hash
	h.Sum(sum[:0])
	return sum, nil
}

// HashParameters returns SHA-256 of k, m and phi_f in fixed point, big-endian (SPEC 3.4): what a parent's next_protocol_parameters
// part says in text form. It returns an error for a phi_f without fixed-point value.
func HashParameters(p stm.Parameters) (Hash, error) {
	phi, err := fixed.U8F24FromFloat64(p.PhiF)
	if err != nil {
		return Hash{}, fmt.Errorf("certificate: phi_f: %w", err)
	}
	var buf [20]byte
	b := binary.BigEndian.AppendUint64(buf[:0], p.K)
	b = binary.BigEndian.AppendUint64(b, p.M)
	phiBytes := phi.Bytes()
	return sha256.Sum256(append(b, phiBytes[:]...)), nil
}

// SameParameters reports whether a and b are equal as the reference compares them, with phi_f in fixed point (SPEC 3.4). Parameters
// without fixed-point value equal none.
func SameParameters(a, b stm.Parameters) bool {
	if a.K != b.K || a.M != b.M {
		return false
	}
	x, errX := fixed.U8F24FromFloat64(a.PhiF)
	y, errY := fixed.U8F24FromFloat64(b.PhiF)
	return errX == nil && errY == nil && x == y
}
