package main

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"github.com/stmverify/stmverify/internal/testkit"
	"github.com/stmverify/stmverify/stm"
)

// vector is a chain on which this module and the reference differed, or differ on purpose, made again as small as it gets. The
// certificates are texts, byte for byte as they are judged.
type vector struct {
	Name         string   `json:"name"`
	Desc         string   `json:"desc"`
	Expect       string   `json:"expect"`    // valid or invalid
	Reason       string   `json:"reason"`    // our rule, when invalid
	Reference    string   `json:"reference"` // the verdict of the reference
	Policy       string   `json:"policy,omitempty"`
	GenesisKey   string   `json:"genesis_vkey"`
	Certificates []string `json:"certificates"`
}

// recipe makes a vector of a chain of a genesis certificate and one child.
type recipe struct {
	name, desc, expect, reason, policy string
	make                               func(f *forged, child *cert)
}

// recipes lists what fuzzing found.
var recipes = []recipe{
	{"avk-cbor-tag-2-on-integer", "A tag 2 announces a big number, which is a byte string; here a plain integer follows.", "invalid", "malformed", "", func(f *forged, child *cert) {
		setKey(child, bytes.Replace((&cbor{}).avk(child.avk), []byte("nr_leaves"), []byte("nr_leaves\xc2"), 1))
	}},
	{"avk-cbor-big-number", "The leaves are counted by a big number.", "valid", "", "", func(f *forged, child *cert) {
		setKey(child, bytes.Replace((&cbor{}).avk(child.avk), []byte("nr_leaves\x01"), []byte("nr_leaves\xc2\x41\x01"), 1))
	}},
	{"avk-cbor-key-no-utf8", "An unknown key that is text, but no UTF-8.", "invalid", "malformed", "", func(f *forged, child *cert) {
		b := (&cbor{}).avk(child.avk)
		b[1]++ // one entry more
		setKey(child, append(b, 0x61, 0xff, 0xf6))
	}},
	{"proof-json-unknown-number-out-of-range", "A number out of range under an unknown key of the proof, which the reference collects before it knows its type.", "invalid", "malformed", "",
		func(f *forged, child *cert) {
			tree := child.proof.tree()
			tree.fields = append(tree.fields, field{"other", literal("1e400")})
			setProof(child, tree.append(nil))
		}},
	{"proof-json-unknown-half-surrogate", "Half a surrogate pair under an unknown key of the proof.", "invalid", "malformed", "", func(f *forged, child *cert) {
		tree := child.proof.tree()
		tree.fields = append(tree.fields, field{"other", literal(`"\ud83d"`)})
		setProof(child, tree.append(nil))
	}},
	{"certificate-unknown-number-out-of-range", "The same under an unknown key of the certificate, which is skipped.", "valid", "", "", func(f *forged, child *cert) {
		child.doc.fields = append(child.doc.fields, field{"other", literal("1e400")})
	}},
	{"proof-cbor-sigma-byte-string", "The fields of a single signature are collected before their types are known, so that a byte string is no array.", "invalid", "unsupported", "",
		func(f *forged, child *cert) {
			sigma := child.proof.entries[0].sigma
			w := &cbor{}
			setProof(child, editSingle(child, w.ints(nil, sigma), append([]byte{0x58, 48}, sigma...)))
		}},
	{"proof-cbor-tag-in-single-signature", "For the same reason a tag is refused there.", "invalid", "malformed", "", func(f *forged, child *cert) {
		setProof(child, editSingle(child, []byte("indexes"), []byte("indexes\xc1")))
	}},
	{"proof-cbor-tag-on-signer-index", "But not in front of the one field that is no part of the inner structure.", "valid", "", "", func(f *forged, child *cert) {
		setProof(child, editSingle(child, []byte("signer_index"), []byte("signer_index\xc1")))
	}},
	{"proof-cbor-key-of-97-bytes", "The reference reads the first 96 bytes of a key in CBOR and ignores the rest.", "invalid", "malformed", "SPEC 9.1: points have exact lengths",
		func(f *forged, child *cert) {
			canon := child.canon
			child.proof.entries[0].key = append(child.proof.entries[0].key, 0)
			setProof(child, (&cbor{}).proof(child.proof))
			child.proof.entries[0].key = child.proof.entries[0].key[:96]
			child.canon = canon
		}},
	{"genesis-avk-root-of-33-bytes", "A genesis certificate's own key is compared with nothing, so that the reference accepts a root of any length.", "invalid", "malformed",
		"SPEC 11.3: roots have 32 bytes", func(f *forged, _ *cert) { f.certs[0].avk.root = append(f.certs[0].avk.root, 0); f.render(nil) }},
	{"genesis-avk-of-any-bytes", "Bytes that are no JSON and no CBOR pass for the legacy form of a key, which the reference tries last.", "invalid", "malformed",
		"SPEC 11.3: roots have 32 bytes", func(f *forged, _ *cert) {
			b := []byte(strings.Repeat("x", 40))
			f.certs[0].avk = &avk{b[8:32], 0x7878787878787878, 0x7878787878787878}
			setKey(f.certs[0], b)
		}},
	{"avk-of-no-leaves", "A key that says that its tree has no leaves, on which the reference's arithmetic works all the same.", "invalid", "multi-signature-invalid",
		"SPEC 9.1: 1 <= nr_leaves", func(f *forged, child *cert) {
			child.avk.leaves = 0
			f.certs[0].doc.get("protocol_message", "message_parts").set("next_aggregate_verification_key", text(treeHex(child.avk.tree())))
			f.certs[0].doc.set("signed_message", text(messageHash(f.certs[0].doc)))
			f.certs[0].sign(f.secret)
			f.render(nil)
		}},
}

func setKey(c *cert, b []byte) {
	c.doc.set("aggregate_verification_key", text(hex.EncodeToString(b)))
	c.broken = true
}

func setProof(c *cert, b []byte) {
	c.doc.set("multi_signature", text(hex.EncodeToString(b)))
	c.broken = true
}

// editSingle returns the proof in CBOR with something replaced in its single signature. The lengths around it are written anew.
func editSingle(c *cert, old, new []byte) []byte {
	w := &cbor{edit: func(single []byte) []byte { return bytes.Replace(single, old, new, 1) }}
	return w.proof(c.proof)
}

// makeVector makes the chain of a recipe.
func makeVector(r *recipe) (*vector, error) {
	f, err := generate(testkit.Spec{Certificates: 2, Signers: 1, Parameters: stm.Parameters{K: 1, M: 1, PhiF: 1}, Seed: 9})
	if err != nil {
		return nil, err
	}
	r.make(f, f.certs[1])
	f.seal() // by what the texts mean, so that only their form can be refused
	v := &vector{Name: r.name, Desc: r.desc, Expect: r.expect, Reason: r.reason, Policy: r.policy, GenesisKey: f.vkey()}
	for _, c := range f.encode() {
		v.Certificates = append(v.Certificates, string(c))
	}
	return v, nil
}

// raw returns the certificates as they are judged.
func (v *vector) raw() []json.RawMessage {
	var out []json.RawMessage
	for _, c := range v.Certificates {
		out = append(out, json.RawMessage(c))
	}
	return out
}

// writeVectors asks the reference about every vector and writes it.
func writeVectors(oraclePath, dir string) error {
	o := &oracle{path: oraclePath}
	for i := range recipes {
		v, err := makeVector(&recipes[i])
		if err != nil {
			return err
		}
		if v.Reference, err = o.verifyFile(&chainLine{v.raw(), v.GenesisKey}); err != nil {
			return err
		}
		b, err := json.MarshalIndent(v, "", "  ")
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, v.Name+".json"), append(b, '\n'), 0o600); err != nil {
			return err
		}
	}
	return nil
}
