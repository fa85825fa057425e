package certificate

import (
	"encoding/binary"
	"encoding/hex"
)

// The rigid message hash of the Lagrange era (SPEC 7): the legacy hash of most parts, then three of them in slots of fixed size,
// each behind a label.
const (
	rigidKeySlot = 44
	rigidSize    = 190
)

// rigidParts are the parts with a slot of their own.
const rigidParts = 1<<NextAggregateVerificationKeySnark | 1<<NextProtocolParameters | 1<<CurrentEpoch

// rigidPreimage returns what the rigid scheme hashes. A part that is missing or undecodable leaves zeros, as in the reference;
// [ProtocolMessage.Validate] refuses such messages.
func (m *ProtocolMessage) rigidPreimage() []byte {
	digest := m.legacyHash(rigidParts)
	key, _ := m.rigidKey()
	parameters, _ := ParseHash(m.parts[NextProtocolParameters])
	epoch, _ := m.Epoch()

	b := make([]byte, 0, rigidSize)
	b = append(b, "digest"...)
	b = append(b, digest[:]...)
	b = append(b, "next_aggregate_verification_key"...)
	b = append(b, key[:]...)
	b = append(b, "next_protocol_parameters"...)
	b = append(b, parameters[:]...)
	b = append(b, "current_epoch"...)
	return binary.LittleEndian.AppendUint64(b, epoch)
}

// validateRigid checks what the slots need beyond the shapes of the parts.
func (m *ProtocolMessage) validateRigid() error {
	for _, key := range [...]PartKey{NextAggregateVerificationKeySnark, NextProtocolParameters, CurrentEpoch} {
		if _, ok := m.Part(key); !ok {
			return &PartError{Key: key, Want: "a part that the rigid hash scheme needs", Got: "no part"}
		}
	}
	if _, ok := m.rigidKey(); !ok {
		return &PartError{
			Key:  NextAggregateVerificationKeySnark,
			Want: "a SNARK aggregate verification key",
			Got:  shorten(m.parts[NextAggregateVerificationKeySnark]),
		}
	}
	return nil
}

// rigidKey returns the slot of the SNARK aggregate verification key: its root, four zero bytes, its total stake in little-endian
// order.
func (m *ProtocolMessage) rigidKey() (slot [rigidKeySlot]byte, ok bool) {
	raw, err := hex.DecodeString(m.parts[NextAggregateVerificationKeySnark])
	if err != nil {
		return slot, false
	}
	root, stake, ok := parseSnarkKey(raw)
	if !ok {
		return slot, false
	}
	copy(slot[:], root[:])
	binary.LittleEndian.PutUint64(slot[36:], stake)
	return slot, true
}

// parseSnarkKey reads a SNARK aggregate verification key (SPEC 2.1): a version byte and CBOR of the one form that aggregators
// write, or 40 bytes of root and big-endian stake.
func parseSnarkKey(raw []byte) (root [32]byte, stake uint64, ok bool) {
	const (
		head   = "\x01\xa2\x76merkle_tree_commitment\xa2\x64root\x98\x20"
		middle = "\x66hasher\xf6\x6btotal_stake"
	)
	rest, ok := cutPrefix(raw, head)
	for i := 0; ok && i < len(root); i++ {
		var n uint64
		n, rest, ok = cborUint(rest)
		ok = ok && n <= 0xff
		root[i] = byte(n)
	}
	if ok {
		rest, ok = cutPrefix(rest, middle)
	}
	if ok {
		stake, rest, ok = cborUint(rest)
	}
	if ok && len(rest) == 0 {
		return root, stake, true
	}
	if len(raw) != 40 {
		return root, 0, false
	}
	copy(root[:], raw)
	return root, binary.BigEndian.Uint64(raw[32:]), true
}

func cutPrefix(b []byte, prefix string) ([]byte, bool) {
	if len(b) < len(prefix) || string(b[:len(prefix)]) != prefix {
		return b, false
	}
	return b[len(prefix):], true
}

// cborUint reads an unsigned integer of CBOR (major type 0).
func cborUint(b []byte) (n uint64, rest []byte, ok bool) {
	if len(b) == 0 {
		return 0, b, false
	}
	if b[0] < 24 {
		return uint64(b[0]), b[1:], true
	}
	size := 1 << (b[0] - 24)
	if b[0] > 27 || len(b) <= size {
		return 0, b, false
	}
	for _, c := range b[1 : 1+size] {
		n = n<<8 | uint64(c)
	}
	return n, b[1+size:], true
}
