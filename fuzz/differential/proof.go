package main

import (
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
)

// encoding is one of the three encodings of SPEC 2.
type encoding int

const (
	jsonHex encoding = iota
	legacyHex
	cborHex
	encodings
)

// proof is a multi-signature without any promise: lengths and numbers may be anything.
type proof struct {
	entries []entry
	values  [][]byte
	indices []uint64
}

type entry struct {
	sigma   []byte
	indexes []uint64
	signer  uint64
	key     []byte
	stake   uint64
}

// avk is an aggregate verification key without any promise.
type avk struct {
	root   []byte
	leaves uint64
	stake  uint64
}

func cloneBytes(b []byte) []byte       { return append([]byte{}, b...) }
func cloneNumbers(n []uint64) []uint64 { return append([]uint64{}, n...) }

func (p *proof) clone() *proof {
	if p == nil {
		return nil
	}
	c := &proof{indices: cloneNumbers(p.indices)}
	for _, e := range p.entries {
		e.sigma, e.key, e.indexes = cloneBytes(e.sigma), cloneBytes(e.key), cloneNumbers(e.indexes)
		c.entries = append(c.entries, e)
	}
	for _, v := range p.values {
		c.values = append(c.values, cloneBytes(v))
	}
	return c
}

func byteArray(b []byte) *node {
	n := array()
	for _, v := range b {
		n.fields = append(n.fields, field{"", number(uint64(v))})
	}
	return n
}

func numberArray(numbers []uint64) *node {
	n := array()
	for _, v := range numbers {
		n.fields = append(n.fields, field{"", number(v)})
	}
	return n
}

func object(fields ...field) *node { return &node{kind: '{', fields: fields} }

// tree returns the proof as JSON.
func (p *proof) tree() *node {
	signatures, values := array(), array()
	for _, e := range p.entries {
		single := object(field{"sigma", byteArray(e.sigma)}, field{"indexes", numberArray(e.indexes)}, field{"signer_index", number(e.signer)})
		party := array(byteArray(e.key), number(e.stake))
		signatures.fields = append(signatures.fields, field{"", array(single, party)})
	}
	for _, v := range p.values {
		values.fields = append(values.fields, field{"", byteArray(v)})
	}
	path := object(field{"values", values}, field{"indices", numberArray(p.indices)}, field{"hasher", literal("null")})
	return object(field{"signatures", signatures}, field{"batch_proof", path})
}

func (a *avk) tree() *node {
	commitment := object(field{"root", byteArray(a.root)}, field{"nr_leaves", number(a.leaves)}, field{"hasher", literal("null")})
	return object(field{"mt_commitment", commitment}, field{"total_stake", number(a.stake)})
}

func treeHex(n *node) string { return hex.EncodeToString(n.append(nil)) }

// parseProof reads canonical JSON-hex.
func parseProof(text string) (*proof, error) {
	raw, err := hex.DecodeString(text)
	if err != nil {
		return nil, err
	}
	var wire struct {
		Signatures [][2]json.RawMessage `json:"signatures"`
		BatchProof struct {
			Values  [][]uint16 `json:"values"`
			Indices []uint64   `json:"indices"`
		} `json:"batch_proof"`
	}
	if err := json.Unmarshal(raw, &wire); err != nil {
		return nil, err
	}
	p := &proof{indices: wire.BatchProof.Indices}
	for _, v := range wire.BatchProof.Values {
		p.values = append(p.values, narrow(v))
	}
	for _, s := range wire.Signatures {
		var single struct {
			Sigma       []uint16 `json:"sigma"`
			Indexes     []uint64 `json:"indexes"`
			SignerIndex uint64   `json:"signer_index"`
		}
		var party [2]json.RawMessage
		var key []uint16
		e := entry{}
		for part, dst := range map[*json.RawMessage]any{&s[0]: &single, &s[1]: &party} {
			if err := json.Unmarshal(*part, dst); err != nil {
				return nil, err
			}
		}
		if err := json.Unmarshal(party[0], &key); err != nil {
			return nil, err
		}
		if err := json.Unmarshal(party[1], &e.stake); err != nil {
			return nil, err
		}
		e.sigma, e.key, e.indexes, e.signer = narrow(single.Sigma), narrow(key), single.Indexes, single.SignerIndex
		p.entries = append(p.entries, e)
	}
	return p, nil
}

func narrow(wide []uint16) []byte {
	b := make([]byte, len(wide))
	for i, v := range wide {
		b[i] = byte(v)
	}
	return b
}

// parseAVK reads canonical JSON-hex.
func parseAVK(text string) (*avk, error) {
	raw, err := hex.DecodeString(text)
	if err != nil {
		return nil, err
	}
	var wire struct {
		Commitment struct {
			Root   []uint16 `json:"root"`
			Leaves uint64   `json:"nr_leaves"`
		} `json:"mt_commitment"`
		Stake uint64 `json:"total_stake"`
	}
	if err := json.Unmarshal(raw, &wire); err != nil {
		return nil, fmt.Errorf("aggregate verification key: %w", err)
	}
	return &avk{narrow(wire.Commitment.Root), wire.Commitment.Leaves, wire.Stake}, nil
}

// legacy returns the legacy bytes (SPEC 2.2).
func (p *proof) legacy() []byte {
	number := binary.BigEndian.AppendUint64
	b := number([]byte{0}, uint64(len(p.entries)))
	for _, e := range p.entries {
		party := number(cloneBytes(e.key), e.stake)
		single := number(nil, uint64(len(e.indexes)))
		for _, i := range e.indexes {
			single = number(single, i)
		}
		single = number(append(single, e.sigma...), e.signer)
		body := append(number(nil, uint64(len(party))), party...)
		body = append(number(body, uint64(len(single))), single...)
		b = append(number(b, uint64(len(body))), body...)
	}
	b = number(number(b, uint64(len(p.values))), uint64(len(p.indices)))
	for _, v := range p.values {
		b = append(b, v...)
	}
	for _, i := range p.indices {
		b = number(b, i)
	}
	return b
}

func (a *avk) legacy() []byte {
	b := binary.BigEndian.AppendUint64(nil, a.leaves)
	return binary.BigEndian.AppendUint64(append(b, a.root...), a.stake)
}
