package certificate

import (
	"crypto/sha256"
	"fmt"
	"iter"

	"github.com/stmverify/stmverify/stm"
)

// PartKey names a part of a [ProtocolMessage]. The order of the values is the order in which parts are hashed (SPEC 3.3).
type PartKey uint8

// The parts of a protocol message.
const (
	SnapshotDigest PartKey = iota
	CardanoTransactionsMerkleRoot
	CardanoBlocksTransactionsMerkleRoot
	NextAggregateVerificationKey
	NextProtocolParameters
	CurrentEpoch
	LatestBlockNumber
	CardanoBlocksTransactionsBlockNumberOffset
	CardanoStakeDistributionEpoch
	CardanoStakeDistributionMerkleRoot
	CardanoDatabaseMerkleRoot
	NextAggregateVerificationKeySnark

	partCount = iota
)

var partNames = [partCount]string{
	SnapshotDigest:                             "snapshot_digest",
	CardanoTransactionsMerkleRoot:              "cardano_transactions_merkle_root",
	CardanoBlocksTransactionsMerkleRoot:        "cardano_blocks_transactions_merkle_root",
	NextAggregateVerificationKey:               "next_aggregate_verification_key",
	NextProtocolParameters:                     "next_protocol_parameters",
	CurrentEpoch:                               "current_epoch",
	LatestBlockNumber:                          "latest_block_number",
	CardanoBlocksTransactionsBlockNumberOffset: "cardano_blocks_transactions_block_number_offset",
	CardanoStakeDistributionEpoch:              "cardano_stake_distribution_epoch",
	CardanoStakeDistributionMerkleRoot:         "cardano_stake_distribution_merkle_root",
	CardanoDatabaseMerkleRoot:                  "cardano_database_merkle_root",
	NextAggregateVerificationKeySnark:          "next_aggregate_verification_key_snark",
}

// String returns the name that the JSON form and the hash use.
func (k PartKey) String() string {
	if k < partCount {
		return partNames[k]
	}
	return fmt.Sprintf("PartKey(%d)", uint8(k))
}

// parsePartKey returns the key with the given name.
func parsePartKey(name []byte) (PartKey, bool) {
	for k, known := range partNames {
		if string(name) == known {
			return PartKey(k), true
		}
	}
	return 0, false
}

// HashScheme says how a [ProtocolMessage] is hashed.
type HashScheme uint8

// The hash schemes. Rigid came with the Lagrange era, whose proofs this module does not verify.
const (
	LegacyScheme HashScheme = iota
	RigidScheme
)

func (s HashScheme) String() string {
	if s == RigidScheme {
		return "rigid"
	}
	return "legacy"
}

// ProtocolMessage is the one signed thing in a certificate: an ordered map of strings. The zero value is the empty message of the
// legacy scheme.
type ProtocolMessage struct {
	Scheme  HashScheme
	parts   [partCount]string
	present uint16 // bit k: the part k is there
}

// Part returns the value of a part, as received, and whether the message has it.
func (m *ProtocolMessage) Part(key PartKey) (value string, ok bool) {
	if key >= partCount {
		return "", false
	}
	return m.parts[key], m.present>>key&1 == 1
}

// SetPart sets a part. It does nothing for a key that does not exist.
func (m *ProtocolMessage) SetPart(key PartKey, value string) {
	if key < partCount {
		m.parts[key] = value
		m.present |= 1 << key
	}
}

// Parts returns the parts that are there, in the order in which they are hashed.
func (m *ProtocolMessage) Parts() iter.Seq2[PartKey, string] {
	return func(yield func(PartKey, string) bool) {
		for key := range PartKey(partCount) {
			if m.present>>key&1 == 1 && !yield(key, m.parts[key]) {
				return
			}
		}
	}
}

// ComputeHash returns the message hash, whose text form is what gets signed (SPEC 3.3, 3.6).
func (m *ProtocolMessage) ComputeHash() Hash {
	if m.Scheme == RigidScheme {
		return sha256.Sum256(m.rigidPreimage())
	}
	return m.legacyHash(0)
}

// legacyHash hashes all parts but those with their bit in except. Nothing separates the parts: [ProtocolMessage.Validate] is
// what keeps one from being read as two.
func (m *ProtocolMessage) legacyHash(except uint16) Hash {
	h := sha256.New()
	var buf [512]byte // a part is shorter than this, so that nothing is allocated for it
	for key, value := range m.Parts() {
		if except>>key&1 == 0 {
			h.Write(append(append(buf[:0], partNames[key]...), value...))
		}
	}
	var sum Hash
	h.Sum(sum[:0])
	return sum
}

// Epoch returns the number in the current_epoch part, and false when it is missing or no decimal number. This is the signed
// epoch; [Certificate.Epoch] is not signed.
func (m *ProtocolMessage) Epoch() (uint64, bool) {
	value, _ := m.Part(CurrentEpoch) // empty when it is missing, which is no number
	return parseDecimal(value)
}

// NextAVK decodes the next_aggregate_verification_key part: the key that certificates of the next epoch must carry. It returns
// nil without an error when the message has no such part.
func (m *ProtocolMessage) NextAVK() (*stm.AggregateVerificationKey, error) {
	value, ok := m.Part(NextAggregateVerificationKey)
	if !ok {
		return nil, nil
	}
	avk, _, err := parseAVK([]byte(value))
	return avk, err
}
