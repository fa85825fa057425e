package main

import (
	"context"
	stded25519 "crypto/ed25519"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"github.com/stmverify/stmverify/certificate"
	"github.com/stmverify/stmverify/internal/testkit"
)

// cert is a certificate under mutation. The document has everything but the two embedded objects, which are rendered into it.
type cert struct {
	doc    *node
	avk    *avk
	proof  *proof         // nil on genesis
	epoch  *testkit.Epoch // who can sign; nil when the keys are not known
	canon  string         // canonical text of the proof before its text was changed
	broken bool           // the texts of the embedded objects are set by hand
}

// forged is a chain under mutation, the genesis certificate first.
type forged struct {
	certs      []*cert
	secret     stded25519.PrivateKey // of genesis; nil when it is not known
	genesisKey [32]byte
	spelt      bool // texts may be written in other ways, so that hashes need a decoder
}

func (c *cert) genesis() bool { return c.proof == nil }

func (f *forged) clone() *forged {
	g := &forged{secret: f.secret, genesisKey: f.genesisKey}
	for _, c := range f.certs {
		a := *c.avk
		a.root = cloneBytes(a.root)
		g.certs = append(g.certs, &cert{doc: c.doc.clone(), avk: &a, proof: c.proof.clone(), epoch: c.epoch})
	}
	return g
}

// newCert reads a certificate in canonical form.
func newCert(raw []byte) (*cert, error) {
	doc, err := parseNode(raw)
	if err != nil {
		return nil, err
	}
	c := &cert{doc: doc}
	if c.avk, err = parseAVK(doc.get("aggregate_verification_key").text); err != nil {
		return nil, err
	}
	if text := doc.get("multi_signature").text; text != "" {
		c.proof, err = parseProof(text)
	}
	return c, err
}

// generate makes a chain whose secrets are known.
func generate(spec testkit.Spec) (*forged, error) {
	made, err := testkit.Generate(context.Background(), spec, nil)
	if err != nil {
		return nil, err
	}
	if err := spec.Normalize(); err != nil {
		return nil, err
	}
	seed := sha256.Sum256(binary.BigEndian.AppendUint64(nil, spec.Seed))
	f := &forged{secret: stded25519.NewKeyFromSeed(seed[:])}
	copy(f.genesisKey[:], f.secret.Public().(stded25519.PublicKey))
	for i := len(made.Certificates) - 1; i >= 0; i-- {
		c, err := newCert(made.Certificates[i])
		if err != nil {
			return nil, err
		}
		if !c.genesis() {
			if c.epoch, err = spec.NewEpoch(context.Background(), c.doc.get("epoch").uint64(), 0); err != nil {
				return nil, err
			}
		}
		f.certs = append(f.certs, c)
	}
	// Keep the walk from the newest certificate only.
	walk := []*cert{f.certs[len(f.certs)-1]}
	for i := len(f.certs) - 2; i >= 0; i-- {
		if f.certs[i].doc.get("hash").text == walk[0].doc.get("previous_hash").text {
			walk = append([]*cert{f.certs[i]}, walk...)
		}
	}
	f.certs = walk
	f.certs[0].sign(f.secret) // with our key instead of the generator's
	f.render(nil)
	f.seal()
	return f, nil
}

// propagate makes the parent of each certificate sign its key and its parameters. The chance of each is out of 8.
func (f *forged) propagate(rng *rand.Rand, chance int) {
	for i := len(f.certs) - 1; i > 0; i-- {
		child, parent := f.certs[i], f.certs[i-1]
		if child.doc.get("epoch").text == parent.doc.get("epoch").text {
			continue
		}
		parts := parent.doc.get("protocol_message", "message_parts")
		if parts.kind != '{' {
			continue
		}
		if rng.IntN(8) < chance {
			parts.set("next_protocol_parameters", text(parametersHash(child.doc.get("metadata", "parameters"))))
		}
		if old, err := parseAVK(parts.get("next_aggregate_verification_key").text); rng.IntN(8) < chance && err == nil && !old.equal(child.avk) {
			parts.set("next_aggregate_verification_key", text(treeHex(child.avk.tree())))
		}
	}
}

func (a *avk) equal(b *avk) bool {
	return string(a.root) == string(b.root) && a.leaves == b.leaves && a.stake == b.stake
}

// resign computes the hash of each message and signs it again where it changed.
func (f *forged) resign(rng *rand.Rand, chance int) {
	for _, c := range f.certs {
		if hash := messageHash(c.doc); hash != c.doc.get("signed_message").text && rng.IntN(8) < chance {
			c.doc.set("signed_message", text(hash))
			c.sign(f.secret)
		}
	}
}

// sign signs the signed message, when the keys are known.
func (c *cert) sign(secret stded25519.PrivateKey) {
	message := []byte(c.doc.get("signed_message").text)
	if c.genesis() {
		if secret != nil {
			c.doc.set("genesis_signature", text(hex.EncodeToString(stded25519.Sign(secret, message))))
		}
		return
	}
	if c.epoch == nil {
		return
	}
	singles, err := c.epoch.Sign(context.Background(), message)
	if err != nil {
		return
	}
	aggregate, err := c.epoch.Clerk.Aggregate(message, singles)
	if err != nil {
		return // The quorum was missed; the old signature stays.
	}
	if p, err := parseProof(string(aggregate.AppendJSONHex(nil))); err == nil {
		c.proof = p
	}
}

// render writes the embedded objects into the documents, in an encoding that choose picks.
func (f *forged) render(choose func() encoding) {
	pick := func() encoding {
		if choose == nil {
			return jsonHex
		}
		return choose()
	}
	plain := &cbor{}
	for _, c := range f.certs {
		if c.broken {
			continue
		}
		avkText := treeHex(c.avk.tree())
		switch pick() {
		case legacyHex:
			avkText = hex.EncodeToString(c.avk.legacy())
		case cborHex:
			avkText = hex.EncodeToString(plain.avk(c.avk))
		}
		c.doc.set("aggregate_verification_key", text(avkText))
		if c.genesis() {
			continue
		}
		c.canon = treeHex(c.proof.tree())
		proofText := c.canon
		switch pick() {
		case legacyHex:
			proofText = hex.EncodeToString(c.proof.legacy())
		case cborHex:
			proofText = hex.EncodeToString(plain.proof(c.proof))
		}
		c.doc.set("multi_signature", text(proofText))
	}
}

// seal sets every hash and every link, from the genesis certificate on.
func (f *forged) seal() {
	previous := ""
	for i, c := range f.certs {
		if i > 0 {
			c.doc.set("previous_hash", text(previous))
		}
		previous = c.hash(f.spelt)
		c.doc.set("hash", text(previous))
	}
}

// hash is the certificate's hash: ours when the certificate is spelt in some way and decodes, so that every spelling that we accept is sealed as we
// understand it, and otherwise one that makes the best of what is there, so that the reference looks further than us.
func (c *cert) hash(spelt bool) string {
	if !spelt {
		return c.lenientHash()
	}
	if decoded, err := certificate.Inspect(c.doc.append(nil)); err == nil {
		if hash, err := decoded.ComputeHash(); err == nil {
			return hash.String()
		}
	}
	return c.lenientHash()
}

func (c *cert) lenientHash() string {
	d := c.doc
	b := []byte(d.get("previous_hash").text)
	b = binary.BigEndian.AppendUint64(b, d.get("epoch").uint64())
	b = append(b, metadataHash(d.get("metadata"))...)
	b = append(b, messageHash(d)...)
	b = append(b, d.get("signed_message").text...)
	b = append(b, treeHex(c.avk.tree())...)
	if genesis := d.get("genesis_signature").text; genesis != "" {
		return sum(append(b, strings.ToLower(genesis)...))
	}
	b = appendEntity(b, d.get("signed_entity_type"))
	return sum(append(b, c.canon...))
}

func sum(b []byte) string {
	h := sha256.Sum256(b)
	return hex.EncodeToString(h[:])
}

func metadataHash(m *node) string {
	b := []byte(m.get("network").text + m.get("version").text + parametersHash(m.get("parameters")))
	for _, name := range []string{"initiated_at", "sealed_at"} {
		t, _ := time.Parse(time.RFC3339Nano, m.get(name).text)
		ns := t.UnixNano()
		if y := t.Year(); y < 1678 || y > 2261 {
			ns = 0 // as the reference has it
		}
		b = binary.BigEndian.AppendUint64(b, uint64(ns))
	}
	for _, s := range m.get("signers").fields {
		b = append(b, sum(binary.BigEndian.AppendUint64([]byte(s.value.get("party_id").text), s.value.get("stake").uint64()))...)
	}
	return sum(b)
}

func parametersHash(p *node) string {
	b := binary.BigEndian.AppendUint64(nil, p.get("k").uint64())
	b = binary.BigEndian.AppendUint64(b, p.get("m").uint64())
	phi, _ := strconv.ParseFloat(p.get("phi_f").text, 64)
	// The reference wraps modulo 256.
	fixed := uint32(uint64(int64(math.RoundToEven(math.Mod(phi, 256) * (1 << 24)))))
	return sum(binary.BigEndian.AppendUint32(b, fixed))
}

var partOrder = []string{"snapshot_digest", "cardano_transactions_merkle_root", "cardano_blocks_transactions_merkle_root",
	"next_aggregate_verification_key", "next_protocol_parameters", "current_epoch", "latest_block_number",
	"cardano_blocks_transactions_block_number_offset", "cardano_stake_distribution_epoch", "cardano_stake_distribution_merkle_root",
	"cardano_database_merkle_root", "next_aggregate_verification_key_snark"}

func messageHash(d *node) string {
	parts := d.get("protocol_message", "message_parts")
	var b []byte
	for _, key := range partOrder {
		for _, f := range parts.fields {
			if f.name == key {
				b = append(append(b, key...), parts.get(key).text...)
				break
			}
		}
	}
	return sum(b)
}

func appendEntity(b []byte, entity *node) []byte {
	if len(entity.fields) == 0 {
		return b
	}
	kind, value := entity.fields[0].name, entity.fields[0].value
	if kind == "CardanoBlocksTransactions" {
		b = append(b, 0, 5)
	}
	switch {
	case value.kind == 0:
		return binary.BigEndian.AppendUint64(b, value.uint64())
	case value.kind == '{':
		b = binary.BigEndian.AppendUint64(b, value.get("epoch").uint64())
		return binary.BigEndian.AppendUint64(b, value.get("immutable_file_number").uint64())
	}
	for _, f := range value.fields {
		b = binary.BigEndian.AppendUint64(b, f.value.uint64())
	}
	return b
}

// slow reports whether the reference would take seconds: its series has up to 1000 terms, each twice as long as the one before,
// when a stake is many times the total (SPEC 9.1).
func (f *forged) slow() bool {
	for _, c := range f.certs {
		phi, _ := strconv.ParseFloat(c.doc.get("metadata", "parameters", "phi_f").text, 64)
		if c.proof == nil || c.avk.stake == 0 || phi == 1 {
			continue
		}
		for _, e := range c.proof.entries {
			if x := -float64(e.stake) / float64(c.avk.stake) * math.Log(1-phi); !(math.Abs(x) < 20) {
				return true
			}
		}
	}
	return false
}

// encode returns the certificates, the newest first.
func (f *forged) encode() []json.RawMessage {
	var out []json.RawMessage
	for i := len(f.certs) - 1; i >= 0; i-- {
		out = append(out, f.certs[i].doc.append(nil))
	}
	return out
}

// vkey is the genesis verification key as the reference reads it.
func (f *forged) vkey() string { return treeHex(byteArray(f.genesisKey[:])) }
