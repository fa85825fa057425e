package main

import (
	"encoding/hex"
	"fmt"
	"math/big"
	"slices"
	"strings"
)

// smallOrder makes the genesis key and its signature points of small order, so that the equation holds for every message.
func smallOrder(m *mutation) {
	points := []string{"0100000000000000000000000000000000000000000000000000000000000000", "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
		"0000000000000000000000000000000000000000000000000000000000000000", "0000000000000000000000000000000000000000000000000000000000000080",
		"26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05", "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
		"0100000000000000000000000000000000000000000000000000000000000080", "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
		"edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f"}
	key, _ := hex.DecodeString(pick(m.rng, points))
	if m.rng.IntN(4) > 0 {
		copy(m.chain.genesisKey[:], key)
	}
	m.chain.certs[0].doc.set("genesis_signature", text(pick(m.rng, points)+strings.Repeat("00", 32)))
}

// genesisSignature changes the genesis signature.
func (m *mutation) genesisSignature() string {
	old := m.chain.certs[0].doc.get("genesis_signature").text
	raw, err := hex.DecodeString(old)
	if err != nil || len(raw) != 64 {
		return old
	}
	switch m.rng.IntN(8) {
	case 0: // S + L
		order, _ := new(big.Int).SetString("7237005577332262213973186563042994240857116359379907606001950938285454250989", 10)
		s := slices.Clone(raw[32:])
		slices.Reverse(s)
		sum := new(big.Int).Add(new(big.Int).SetBytes(s), order).FillBytes(make([]byte, 33))
		slices.Reverse(sum)
		copy(raw[32:], sum[:32])
		return hex.EncodeToString(raw)
	case 1:
		return strings.ToUpper(old)
	case 2:
		return treeHex(byteArray(raw))
	case 3:
		return old + pick(m.rng, []string{"00", "0", " ", "\n"})
	case 4:
		return old[:m.rng.IntN(len(old))]
	case 5:
		return pick(m.rng, []string{" ", "\n"}) + old
	}
	m.flip(raw)
	return hex.EncodeToString(raw)
}

// onTexts changes texts and fields before the hashes are made, so that a form that is accepted is accepted to the end.
var onTexts = []mutator{
	{"proof json", func(m *mutation) {
		if c := m.cert(); c.proof != nil {
			tree := c.proof.tree()
			m.tree(tree)
			c.doc.set("multi_signature", text(hex.EncodeToString(m.spaces(tree.append(nil)))))
		}
	}},
	{"proof cbor", func(m *mutation) {
		if c := m.cert(); c.proof != nil {
			c.doc.set("multi_signature", text(hex.EncodeToString((&cbor{rng: m.rng, odd: 10 + m.rng.IntN(500)}).proof(c.proof))))
		}
	}},
	{"proof bytes", func(m *mutation) {
		if c := m.cert(); c.proof != nil {
			raw := pick(m.rng, [][]byte{c.proof.legacy(), (&cbor{}).proof(c.proof), c.proof.tree().append(nil)})
			c.doc.set("multi_signature", text(hex.EncodeToString(m.bytes(raw))))
		}
	}},
	{"avk json", func(m *mutation) {
		c := m.cert()
		tree := c.avk.tree()
		m.tree(tree)
		m.setAVK(c, hex.EncodeToString(m.spaces(tree.append(nil))))
	}},
	{"avk cbor", func(m *mutation) {
		c := m.cert()
		m.setAVK(c, hex.EncodeToString((&cbor{rng: m.rng, odd: 3 + m.rng.IntN(30)}).avk(c.avk)))
	}},
	{"avk bytes", func(m *mutation) {
		c := m.cert()
		raw := pick(m.rng, [][]byte{c.avk.legacy(), (&cbor{}).avk(c.avk), c.avk.tree().append(nil)})
		m.setAVK(c, hex.EncodeToString(m.bytes(raw)))
	}},
	{"hex text", func(m *mutation) {
		c := m.cert()
		name := pick(m.rng, []string{"multi_signature", "aggregate_verification_key", "genesis_signature"})
		c.doc.set(name, text(m.spell(c.doc.get(name).text)))
	}},
	{"field", func(m *mutation) { m.tree(m.cert().doc) }},
	{"field", func(m *mutation) { m.tree(m.cert().doc) }},
	{"number spelt", func(m *mutation) { m.spellNumber(m.cert().doc) }},
	{"signatures of both kinds", func(m *mutation) {
		c := m.cert()
		if m.rng.IntN(2) == 0 {
			c.doc.set("genesis_signature", text(m.chain.certs[0].doc.get("genesis_signature").text))
		} else {
			c.doc.set("multi_signature", text(m.standard().doc.get("multi_signature").text))
		}
	}},
	{"optional fields", func(m *mutation) {
		name := pick(m.rng, []string{"ancillary_prover_data", "ancillary_verifier_data", "aggregate_verification_key_snark", "genesis_schnorr_signature"})
		m.cert().doc.set(name, pick(m.rng, []*node{literal("null"), text(""), text("01"), text("0180"), text("00"), literal("5"), object(), text("zz"), text("01f6")}))
	}},
	{"proof of another type", func(m *mutation) {
		if c := m.cert(); c.proof != nil {
			raw := pick(m.rng, []string{`{"Snark":{}}`, `{"IvcSnark":{}}`, `{"Snark":null}`, `{"Concatenation":` + string(c.proof.tree().append(nil)) + `}`, `[]`, `{}`, `null`, `"x"`})
			c.doc.set("multi_signature", text(hex.EncodeToString([]byte(raw))))
		}
	}},
}

// setAVK sets the key of a certificate, and sometimes what its parent signed.
func (m *mutation) setAVK(c *cert, value string) {
	c.doc.set("aggregate_verification_key", text(value))
}

// spell writes hexadecimal in another way.
func (m *mutation) spell(s string) string {
	if s == "" {
		return pick(m.rng, []string{" ", "0", "00", "7b7d"})
	}
	at := m.rng.IntN(len(s))
	switch m.rng.IntN(8) {
	case 0:
		return strings.ToUpper(s)
	case 1:
		return s[:at] + strings.ToUpper(s[at:])
	case 2:
		return "0x" + s
	case 3:
		return pick(m.rng, []string{" ", "\n", "\t", "\u00a0"}) + s
	case 4:
		return s + pick(m.rng, []string{" ", "\n", "20", "0a", "09", "0d", "00", "0c", "c2a0", "e28083", "0"})
	case 5:
		return pick(m.rng, []string{"20", "0a", "09", "0d", "00", "0b", "0c", "c2a0", "e28083", "efbbbf"}) + s
	case 6:
		return s[:at]
	}
	return s[:at] + pick(m.rng, []string{"g", "é", "-", " "}) + s[at+1:]
}

// bytes damages an encoding.
func (m *mutation) bytes(b []byte) []byte {
	b = cloneBytes(b)
	at := m.rng.IntN(len(b))
	switch m.rng.IntN(6) {
	case 0:
		return b[:at]
	case 1:
		return append(b, make([]byte, 1+m.rng.IntN(3))...)
	case 2:
		return slices.Insert(b, at, byte(m.rng.Uint32()))
	case 3:
		return slices.Delete(b, at, at+1)
	case 4:
		b[at] = byte(m.rng.Uint32())
	default:
		m.flip(b)
	}
	return b
}

// tree changes the shape of one structure in a document: fields more, less, twice, in another order, under another name; an
// array for a structure; a value of another type.
func (m *mutation) tree(root *node) {
	var inner []*node
	root.each(func(n *node) {
		if len(n.fields) > 0 {
			inner = append(inner, n)
		}
	})
	if len(inner) == 0 {
		return
	}
	n := pick(m.rng, inner)
	if m.rng.IntN(3) == 0 {
		n = root // the outermost, which is one of many otherwise
	}
	i := m.rng.IntN(len(n.fields))
	other := []*node{literal("null"), literal("true"), literal("0"), literal("-1"), literal("1.5"), text(""), text("x"), array(), object(), array(array()), literal("1e400")}
	switch m.rng.IntN(9) {
	case 0:
		m.names = append(m.names, "removed")
		n.fields = slices.Delete(n.fields, i, i+1)
	case 1:
		m.names, m.exact = append(m.names, "twice"), m.exact || n.kind == '{'
		n.fields = slices.Insert(n.fields, m.rng.IntN(len(n.fields)+1), field{n.fields[i].name, n.fields[i].value.clone()})
	case 2:
		m.names, m.exact = append(m.names, "twice, and different"), m.exact || n.kind == '{'
		n.fields = append(n.fields, field{n.fields[i].name, pick(m.rng, other)})
	case 3:
		m.names = append(m.names, "added")
		n.fields = slices.Insert(n.fields, i, field{pick(m.rng, []string{"other", "", "hash ", "Hash", "é", "x_1"}), pick(m.rng, other)})
		m.exact = m.exact || strings.Contains(string(n.append(nil)), "1e400")
	case 4:
		m.names = append(m.names, "reordered")
		m.shuffle(n)
	case 5:
		m.names = append(m.names, "array for structure")
		if n.kind == '{' {
			n.kind = '['
		} else {
			n.kind = '{'
		}
	case 6, 7:
		m.names = append(m.names, "value")
		n.fields[i].value = pick(m.rng, other)
	case 8:
		m.names = append(m.names, "name")
		n.fields[i].name = pick(m.rng, []string{"", strings.ToUpper(n.fields[i].name), n.fields[i].name + " ", "other"})
	}
}

// spellNumber writes one number in another way.
func (m *mutation) spellNumber(root *node) {
	var numbers []*node
	root.each(func(n *node) {
		if n.kind == 0 && n.text != "" && (n.text[0] >= '0' && n.text[0] <= '9') {
			numbers = append(numbers, n)
		}
	})
	if len(numbers) == 0 {
		return
	}
	n := pick(m.rng, numbers)
	s := n.text
	n.text = pick(m.rng, []string{s + ".0", s + "e0", s + "E+0", "0" + s, "-" + s, "+" + s, `"` + s + `"`, "[" + s + "]", s + "00e-2", s + ".", "." + s, "1e400", "-0", "NaN",
		s + "0000000000000000000000", "0x" + s, s + "e00000000000000000001", s + "000000000000000000000000e-24", " " + s + " ", "1E5", "0e0", "0.0"})
	m.exact = true
}

// spaces puts white space between the tokens of a JSON text now and then.
func (m *mutation) spaces(b []byte) []byte {
	if m.rng.IntN(3) > 0 {
		return b
	}
	var out []byte
	for _, c := range b {
		out = append(out, c)
		if (c == ',' || c == ':' || c == '[' || c == '{') && m.rng.IntN(8) == 0 {
			out = append(out, pick(m.rng, []string{" ", "\n", "\t", "\r", "  "})...)
		}
	}
	return out
}

// afterSealing changes a chain without making it consistent again.
var afterSealing = []mutator{
	{"hash changed", func(m *mutation) { m.respell("hash") }},
	{"previous hash changed", func(m *mutation) { m.respell("previous_hash") }},
	{"previous hash of itself", func(m *mutation) { c := m.cert(); c.doc.set("previous_hash", text(c.doc.get("hash").text)) }},
	{"previous hash of another", func(m *mutation) {
		c := m.cert()
		c.doc.set("previous_hash", text(m.cert().doc.get("hash").text))
		c.doc.set("hash", text(c.hash(true)))
	}},
	{"previous hash of genesis", func(m *mutation) {
		c := m.chain.certs[0]
		c.doc.set("previous_hash", text(pick(m.rng, []string{strings.Repeat("0", 64), "x", m.cert().doc.get("hash").text, strings.Repeat("A", 64)})))
		c.doc.set("hash", text(c.hash(true)))
		if len(m.chain.certs) > 1 && m.rng.IntN(2) == 0 {
			m.relink()
		}
	}},
	{"hash of the spelling", func(m *mutation) {
		c := m.cert()
		c.doc.set("hash", text(c.lenientHash()))
	}},
	{"field unsealed", func(m *mutation) { m.tree(m.cert().doc) }},
	{"signed message in upper case", func(m *mutation) {
		c := m.cert()
		c.doc.set("signed_message", text(strings.ToUpper(c.doc.get("signed_message").text)))
		m.relink()
	}},
	{"parties exchanged", func(m *mutation) { m.shuffle(m.standard().doc.get("metadata", "signers")) }},
	{"order of certificates", func(m *mutation) {
		slices.Reverse(m.chain.certs[:len(m.chain.certs)-1])
	}},
}

// relink seals the certificates but leaves the genesis certificate's previous hash.
func (m *mutation) relink() {
	m.chain.spelt = true
	m.chain.seal()
}

// respell changes the spelling of a hash.
func (m *mutation) respell(name string) {
	c := m.cert()
	old := c.doc.get(name).text
	c.doc.set(name, text(pick(m.rng, []string{strings.ToUpper(old), "", old + "0", " " + old, fmt.Sprintf("%064x", 7), strings.TrimSuffix(old, "0"), "é"})))
	if name == "previous_hash" && m.rng.IntN(2) == 0 {
		c.doc.set("hash", text(c.hash(true)))
	}
}
