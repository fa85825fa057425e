package certificate

import (
	"encoding/hex"
	"strconv"

	"github.com/stmverify/stmverify/internal/jsonhex"
)

// AppendJSON appends the certificate as aggregators write it: compact, the fields in their order, the embedded objects in canonical
// form. A genesis certificate gets the entity type that the reference gives it, a stake distribution of its epoch. The error is
// that of [Certificate.ComputeHash] for a certificate that lacks something, or a proof that cannot be written.
func (c *Certificate) AppendJSON(dst []byte) ([]byte, error) {
	if err := c.complete(); err != nil {
		return nil, err
	}
	proof := c.signatureText()
	dst = append(dst, `{"hash":"`...)
	dst = hex.AppendEncode(dst, c.Hash[:])
	dst = append(dst, `","previous_hash":"`...)
	dst = append(dst, c.previousText()...)
	dst = append(dst, `","epoch":`...)
	dst = strconv.AppendUint(dst, c.Epoch, 10)
	dst = append(dst, `,"signed_entity_type":`...)
	dst = c.SignedEntityType.AppendJSON(dst)
	dst = append(dst, `,"metadata":`...)
	dst = c.Metadata.AppendJSON(dst)
	dst = append(dst, `,"protocol_message":`...)
	dst = c.ProtocolMessage.AppendJSON(dst)
	dst = append(dst, `,"signed_message":`...)
	dst = jsonhex.AppendString(dst, c.SignedMessage)
	dst = append(dst, `,"aggregate_verification_key":"`...)
	dst = c.appendAVK(dst)
	dst = append(dst, '"')
	if c.AVKSnark != "" {
		dst = append(dst, `,"aggregate_verification_key_snark":`...)
		dst = jsonhex.AppendString(dst, c.AVKSnark)
	}
	dst = appendBytes(dst, `,"ancillary_prover_data":"`, c.AncillaryProverData)
	dst = appendBytes(dst, `,"ancillary_verifier_data":"`, c.AncillaryVerifierData)
	multi, genesis := proof, []byte(nil)
	if c.IsGenesis() {
		multi, genesis = nil, proof
	}
	dst = append(dst, `,"multi_signature":"`...)
	dst = append(dst, multi...)
	dst = append(dst, `","genesis_signature":"`...)
	dst = append(dst, genesis...)
	dst = append(dst, '"')
	if c.GenesisSchnorrSignature != "" {
		dst = append(dst, `,"genesis_schnorr_signature":`...)
		dst = jsonhex.AppendString(dst, c.GenesisSchnorrSignature)
	}
	return append(dst, '}'), nil
}

func appendBytes(dst []byte, name string, b []byte) []byte {
	if b == nil {
		return dst
	}
	dst = append(dst, name...)
	dst = hex.AppendEncode(dst, b)
	return append(dst, '"')
}

// MarshalJSON returns what [Certificate.AppendJSON] appends.
func (c *Certificate) MarshalJSON() ([]byte, error) { return c.AppendJSON(nil) }

// AppendJSON appends the parts in the order in which they are hashed, and the hash scheme unless it is the legacy one.
func (m *ProtocolMessage) AppendJSON(dst []byte) []byte {
	dst = append(dst, `{"message_parts":{`...)
	first := true
	for key, value := range m.Parts() {
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = append(dst, '"')
		dst = append(dst, partNames[key]...)
		dst = append(dst, `":`...)
		dst = jsonhex.AppendString(dst, value)
	}
	dst = append(dst, '}')
	if m.Scheme == RigidScheme {
		dst = append(dst, `,"hash_scheme":"rigid"`...)
	}
	return append(dst, '}')
}

// MarshalJSON returns what [ProtocolMessage.AppendJSON] appends.
func (m *ProtocolMessage) MarshalJSON() ([]byte, error) { return m.AppendJSON(nil), nil }

// AppendJSON appends the metadata. A phi_f that is not finite has no JSON form; decoded metadata has none such.
func (m *Metadata) AppendJSON(dst []byte) []byte {
	dst = append(dst, `{"network":`...)
	dst = jsonhex.AppendString(dst, m.Network)
	dst = append(dst, `,"version":`...)
	dst = jsonhex.AppendString(dst, m.Version)
	dst = append(dst, `,"parameters":{"k":`...)
	dst = strconv.AppendUint(dst, m.Parameters.K, 10)
	dst = append(dst, `,"m":`...)
	dst = strconv.AppendUint(dst, m.Parameters.M, 10)
	dst = append(dst, `,"phi_f":`...)
	dst = jsonhex.AppendFloat(dst, m.Parameters.PhiF)
	dst = append(dst, `},"initiated_at":"`...)
	dst = appendDate(dst, m.InitiatedAt)
	dst = append(dst, `","sealed_at":"`...)
	dst = appendDate(dst, m.SealedAt)
	dst = append(dst, `","signers":[`...)
	for i, s := range m.Signers {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, `{"party_id":`...)
		dst = jsonhex.AppendString(dst, s.PartyID)
		dst = append(dst, `,"stake":`...)
		dst = strconv.AppendUint(dst, s.Stake, 10)
		dst = append(dst, '}')
	}
	return append(dst, "]}"...)
}

// MarshalJSON returns what [Metadata.AppendJSON] appends.
func (m *Metadata) MarshalJSON() ([]byte, error) { return m.AppendJSON(nil), nil }
