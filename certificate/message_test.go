package certificate

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/stmverify/stmverify/stm"
	"github.com/stmverify/stmverify/verdict"
)

// message makes a message of the given parts.
func message(scheme HashScheme, parts map[PartKey]string) *ProtocolMessage {
	m := &ProtocolMessage{Scheme: scheme}
	for key, value := range parts {
		m.SetPart(key, value)
	}
	return m
}

// TestMessageHash compares with the hashes that the reference pins in its own tests (mithril-common 0.8.3,
// entities/protocol_message.rs).
func TestMessageHash(t *testing.T) {
	for _, c := range []struct {
		name string
		m    *ProtocolMessage
		want string
	}{
		{"legacy", message(LegacyScheme, map[PartKey]string{
			SnapshotDigest:               "snapshot-digest-123",
			NextAggregateVerificationKey: "next-avk-123",
		}), "71dee1e558cd647cdbc219a24b766940f568e7e8287c30a8292209ef11666e03"},
		{"rigid", message(RigidScheme, map[PartKey]string{
			SnapshotDigest:                    "snapshot-digest-123",
			NextAggregateVerificationKeySnark: strings.Repeat("cc", 32) + strings.Repeat("00", 8),
			NextProtocolParameters:            strings.Repeat("dd", 32),
			CurrentEpoch:                      "42",
		}), "ce70921aa06b63b67e0c4c37c5afa0d0bf72f8944d34c8e6db96e84242a13ef2"},
		{"empty", new(ProtocolMessage), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
	} {
		if got := c.m.ComputeHash().String(); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}

// TestMessageHashIsAmbiguous shows why [ProtocolMessage.Validate] is needed: two messages of one hash.
func TestMessageHashIsAmbiguous(t *testing.T) {
	honest := message(LegacyScheme, map[PartKey]string{CurrentEpoch: "5", LatestBlockNumber: "7"})
	forged := message(LegacyScheme, map[PartKey]string{CurrentEpoch: "5latest_block_number7"})
	if honest.ComputeHash() != forged.ComputeHash() {
		t.Fatal("the hashes differ")
	}
	if err := honest.Validate(); err != nil {
		t.Errorf("honest: %v", err)
	}
	if err := forged.Validate(); !errors.Is(err, ErrPart) {
		t.Errorf("forged: got %v, want %v", err, ErrPart)
	}
}

func TestParts(t *testing.T) {
	var m ProtocolMessage
	if _, ok := m.Part(CurrentEpoch); ok {
		t.Error("an empty message has a part")
	}
	m.SetPart(LatestBlockNumber, "7")
	m.SetPart(CurrentEpoch, "")
	m.SetPart(partCount, "x")
	m.SetPart(200, "x")
	if value, ok := m.Part(CurrentEpoch); value != "" || !ok {
		t.Errorf("got %q, %t, want an empty part", value, ok)
	}
	if _, ok := m.Part(partCount); ok {
		t.Error("an unknown part is there")
	}
	var keys []PartKey
	for key := range m.Parts() {
		keys = append(keys, key)
	}
	if want := []PartKey{CurrentEpoch, LatestBlockNumber}; !slices.Equal(keys, want) {
		t.Errorf("got %v, want %v", keys, want)
	}
	for range m.Parts() {
		break
	}
	if text, err := json.Marshal(&m); err != nil || string(text) != `{"message_parts":{"current_epoch":"","latest_block_number":"7"}}` {
		t.Errorf("got %s, %v", text, err)
	}
	m.Scheme = RigidScheme
	if text, err := json.Marshal(&m); err != nil || !strings.HasSuffix(string(text), `},"hash_scheme":"rigid"}`) {
		t.Errorf("rigid: got %s, %v", text, err)
	}
	if got := PartKey(77).String(); got != "PartKey(77)" {
		t.Errorf("unknown key: got %s", got)
	}
}

func TestMessageEpoch(t *testing.T) {
	for text, want := range map[string]int64{"0": 0, "643": 643, "": -1, "+1": -1, "01": -1, "1 ": -1, "18446744073709551616": -1} {
		m := message(LegacyScheme, map[PartKey]string{CurrentEpoch: text})
		if got, ok := m.Epoch(); ok != (want >= 0) || ok && got != uint64(want) {
			t.Errorf("%q: got %d, %t", text, got, ok)
		}
	}
	if _, ok := new(ProtocolMessage).Epoch(); ok {
		t.Error("no part, but an epoch")
	}
}

func TestValidateParts(t *testing.T) {
	const hash = "00ff000000000000000000000000000000000000000000000000000000000000"
	avk := &stm.AggregateVerificationKey{NrLeaves: 3, TotalStake: 7}
	avkHex := string(avk.AppendJSONHex(nil))
	for _, c := range []struct {
		keys      []PartKey
		good, bad []string
	}{
		{
			[]PartKey{CurrentEpoch, LatestBlockNumber, CardanoBlocksTransactionsBlockNumberOffset, CardanoStakeDistributionEpoch},
			[]string{"0", "1", "643", "18446744073709551615"},
			[]string{"", "00", "01", "+1", "-1", " 1", "1 ", "1.0", "1e3", "0x1", "1_0", "18446744073709551616", "999999999999999999999", "١", "1\n", hash},
		},
		{
			[]PartKey{SnapshotDigest, CardanoTransactionsMerkleRoot, CardanoBlocksTransactionsMerkleRoot, NextProtocolParameters,
				CardanoStakeDistributionMerkleRoot, CardanoDatabaseMerkleRoot},
			[]string{hash},
			[]string{"", hash[1:], hash + "0", hash + "00", strings.ToUpper(hash), "g" + hash[1:], " " + hash[1:], "7"},
		},
		{
			[]PartKey{NextAggregateVerificationKey},
			[]string{avkHex, strings.ToUpper(avkHex), " " + avkHex},
			[]string{"", hash, "7b7d", avkHex[2:], avkHex + "current_epoch", "7"},
		},
		{
			[]PartKey{NextAggregateVerificationKeySnark},
			[]string{"00", hash + "0000000000000007"},
			[]string{"", "0", "0G", "AB", " 00"},
		},
	} {
		for _, key := range c.keys {
			for _, value := range c.good {
				if err := message(LegacyScheme, map[PartKey]string{key: value}).Validate(); err != nil {
					t.Errorf("%s %q: %v", key, value, err)
				}
			}
			for _, value := range c.bad {
				err := message(LegacyScheme, map[PartKey]string{key: value}).Validate()
				var e *PartError
				if !errors.As(err, &e) || e.Key != key || !errors.Is(err, verdict.ErrInvalid) {
					t.Errorf("%s %q: got %v, want a *PartError", key, value, err)
				}
			}
		}
	}
}

// TestEveryPartHasAShape makes sure that a part added later is validated.
func TestEveryPartHasAShape(t *testing.T) {
	for key := range PartKey(partCount) {
		if err := message(LegacyScheme, map[PartKey]string{key: "current_epoch"}).Validate(); !errors.Is(err, ErrPart) {
			t.Errorf("%s: a value that holds another key is accepted", key)
		}
	}
}

// goldenSnarkKey is the CBOR form that the reference pins (mithril-stm 0.13.0, proof_system/halo2_snark/aggregate_key.rs).
const goldenSnarkKey = "01a2766d65726b6c655f747265655f636f6d6d69746d656e74a264726f6f749820181818921853188018a4182818e7182d18bd1828185a185318d0" +
	"1876188b186b18d618261827189518b8151718db18dc1895189f18be18a118c918bf182a66686173686572f66b746f74616c5f7374616b6503"

func TestSnarkKey(t *testing.T) {
	const root = "18925380a428e72dbd285a53d0768b6bd6262795b81517dbdc959fbea1c9bf2a"
	cbor, err := hex.DecodeString(goldenSnarkKey)
	if err != nil {
		t.Fatal(err)
	}
	legacy, err := hex.DecodeString(root + "0000000000000003")
	if err != nil {
		t.Fatal(err)
	}
	for name, raw := range map[string][]byte{"CBOR": cbor, "legacy": legacy} {
		got, stake, ok := parseSnarkKey(raw)
		if !ok || hex.EncodeToString(got[:]) != root || stake != 3 {
			t.Errorf("%s: got %x, %d, %t", name, got, stake, ok)
		}
	}
	for n := range cbor {
		if _, _, ok := parseSnarkKey(cbor[:n]); ok && n != 40 {
			t.Errorf("%d bytes of CBOR are accepted", n)
		}
	}
	wide := bytes.Replace(cbor, []byte{0x98, 0x20, 0x18, 0x18}, []byte{0x98, 0x20, 0x19, 0x01, 0x18}, 1)
	if _, _, ok := parseSnarkKey(wide); ok {
		t.Error("an element above 255 is accepted")
	}
	if _, _, ok := parseSnarkKey(append(cbor, 0)); ok {
		t.Error("bytes behind the CBOR are accepted")
	}
}

func TestValidateRigid(t *testing.T) {
	parts := map[PartKey]string{
		NextAggregateVerificationKeySnark: goldenSnarkKey,
		NextProtocolParameters:            strings.Repeat("dd", 32),
		CurrentEpoch:                      "42",
	}
	if err := message(RigidScheme, parts).Validate(); err != nil {
		t.Errorf("complete: %v", err)
	}
	for key := range parts {
		m := message(RigidScheme, parts)
		m.present &^= 1 << key
		var e *PartError
		if err := m.Validate(); !errors.As(err, &e) || e.Key != key {
			t.Errorf("without %s: got %v", key, err)
		}
	}
	m := message(RigidScheme, parts)
	m.SetPart(NextAggregateVerificationKeySnark, "00")
	if err := m.Validate(); !errors.Is(err, ErrPart) {
		t.Errorf("undecodable key: got %v", err)
	}
}
