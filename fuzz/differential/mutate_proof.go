package main

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"

	bls12381 "github.com/consensys/gnark-crypto/ecc/bls12-381"
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fp"
)

// onSignatures changes multi-signatures and genesis signatures.
var onSignatures = []mutator{
	{"sigma bit", onEntry(func(m *mutation, _ *proof, e *entry) { m.flip(e.sigma) })},
	{"sigma negated", onEntry(func(_ *mutation, _ *proof, e *entry) { e.sigma[0] ^= 0x20 })},
	{"sigma of another", onEntry(func(m *mutation, p *proof, e *entry) { e.sigma = cloneBytes(pick(m.rng, p.entries).sigma) })},
	{"sigmas exchanged", onEntry(func(m *mutation, p *proof, e *entry) {
		o := &p.entries[m.rng.IntN(len(p.entries))]
		e.sigma, o.sigma = o.sigma, e.sigma
	})},
	{"sigma special", onEntry(func(m *mutation, _ *proof, e *entry) { e.sigma = pick(m.rng, oddSignatures()) })},
	{"sigma length", onEntry(func(m *mutation, _ *proof, e *entry) { e.sigma = m.resize(e.sigma) })},
	{"sigmas cancelling", cancelling},
	{"key bit", onEntry(func(m *mutation, _ *proof, e *entry) { m.flip(e.key) })},
	{"key negated", onEntry(func(_ *mutation, _ *proof, e *entry) { e.key[0] ^= 0x20 })},
	{"key of another", onEntry(func(m *mutation, p *proof, e *entry) { e.key = cloneBytes(pick(m.rng, p.entries).key) })},
	{"key infinity", onEntry(func(_ *mutation, _ *proof, e *entry) { e.key = append([]byte{0xc0}, make([]byte, 95)...) })},
	{"key length", onEntry(func(m *mutation, _ *proof, e *entry) { e.key = m.resize(e.key) })},
	{"index added", onEntry(func(m *mutation, _ *proof, e *entry) { e.indexes = append(e.indexes, m.index()) })},
	{"index m", onEntry(func(m *mutation, _ *proof, e *entry) {
		e.indexes = append(e.indexes, m.chain.certs[0].doc.get("metadata", "parameters", "m").uint64())
	})},
	{"index changed", onEntry(func(m *mutation, _ *proof, e *entry) {
		if len(e.indexes) > 0 {
			e.indexes[m.rng.IntN(len(e.indexes))] = m.index()
		}
	})},
	{"index removed", onEntry(func(m *mutation, _ *proof, e *entry) {
		if n := len(e.indexes); n > 0 {
			e.indexes = slices.Delete(e.indexes, m.rng.IntN(n), n)
		}
	})},
	{"indexes all", onEntry(func(m *mutation, _ *proof, e *entry) {
		e.indexes = nil
		for i := range min(m.chain.certs[0].doc.get("metadata", "parameters", "m").uint64()+2, 100) {
			e.indexes = append(e.indexes, i)
		}
	})},
	{"indexes reordered", onEntry(func(m *mutation, _ *proof, e *entry) { slices.Reverse(e.indexes) })},
	{"indexes emptied", onEntry(func(m *mutation, _ *proof, e *entry) { e.indexes = nil })},
	{"indexes moved", onEntry(func(m *mutation, p *proof, e *entry) {
		o := &p.entries[m.rng.IntN(len(p.entries))]
		if o != e {
			o.indexes, e.indexes = append(o.indexes, e.indexes...), nil
		}
	})},
	{"signer index", onEntry(func(m *mutation, _ *proof, e *entry) { e.signer = m.near(e.signer) })},
	{"stake", onEntry(func(m *mutation, _ *proof, e *entry) { e.stake = m.near(e.stake) })},
	{"entry removed", onEntry(func(m *mutation, p *proof, _ *entry) { p.entries = slices.Delete(p.entries, 0, 1) })},
	{"entry and leaf removed", onEntry(func(m *mutation, p *proof, _ *entry) {
		i := m.rng.IntN(len(p.entries))
		p.entries = slices.Delete(p.entries, i, i+1)
		if i < len(p.indices) {
			p.indices = slices.Delete(p.indices, i, i+1)
		}
	})},
	{"entry twice", onEntry(func(m *mutation, p *proof, e *entry) { p.entries = append(p.entries, *e) })},
	{"entry and leaf twice", onEntry(func(m *mutation, p *proof, e *entry) {
		p.entries = append(p.entries, *e)
		p.indices = append(p.indices, p.indices[len(p.indices)-1])
	})},
	{"entries exchanged", onEntry(func(m *mutation, p *proof, _ *entry) {
		i, j := m.rng.IntN(len(p.entries)), m.rng.IntN(len(p.entries))
		p.entries[i], p.entries[j] = p.entries[j], p.entries[i]
	})},
	{"entries and indices exchanged", onEntry(func(m *mutation, p *proof, _ *entry) {
		i, j := m.rng.IntN(len(p.entries)), m.rng.IntN(len(p.entries))
		if max(i, j) < len(p.indices) {
			p.entries[i], p.entries[j] = p.entries[j], p.entries[i]
			p.indices[i], p.indices[j] = p.indices[j], p.indices[i]
		}
	})},
	{"path index changed", onEntry(func(m *mutation, p *proof, _ *entry) {
		i := m.rng.IntN(len(p.indices))
		p.indices[i] = m.near(p.indices[i])
	})},
	{"path index removed", onEntry(func(m *mutation, p *proof, _ *entry) {
		i := m.rng.IntN(len(p.indices))
		p.indices = slices.Delete(p.indices, i, i+1)
	})},
	{"path index added", onEntry(func(m *mutation, p *proof, _ *entry) { p.indices = append(p.indices, pick(m.rng, numbers)) })},
	{"path value added", onEntry(func(m *mutation, p *proof, _ *entry) { p.values = append(p.values, make([]byte, 32)) })},
	{"path value removed", onEntry(func(m *mutation, p *proof, _ *entry) {
		if n := len(p.values); n > 0 {
			i := m.rng.IntN(n)
			p.values = slices.Delete(p.values, i, i+1)
		}
	})},
	{"path value changed", onEntry(func(m *mutation, p *proof, _ *entry) {
		if len(p.values) > 0 {
			m.flip(pick(m.rng, p.values))
		}
	})},
	{"path value length", onEntry(func(m *mutation, p *proof, _ *entry) {
		if n := len(p.values); n > 0 {
			i := m.rng.IntN(n)
			p.values[i] = m.resize(p.values[i])
		}
	})},
	{"path values exchanged", onEntry(func(m *mutation, p *proof, _ *entry) { slices.Reverse(p.values) })},
	{"proof of another certificate", func(m *mutation) { m.standard().proof = m.standard().proof.clone() }},
	{"proof of another chain", func(m *mutation) { m.standard().proof = pick(m.rng, m.other.certs[1:]).proof.clone() }},
	{"genesis signature", func(m *mutation) { m.chain.certs[0].doc.set("genesis_signature", text(m.genesisSignature())) }},
	{"genesis key", func(m *mutation) { m.flip(m.chain.genesisKey[:]) }},
	{"genesis key of small order", smallOrder},
	{"signed message", func(m *mutation) {
		m.cert().doc.set("signed_message", text(pick(m.rng, []string{"", m.cert().doc.get("signed_message").text, fmt.Sprintf("%064x", 1), "é"})))
	}},
}

// onEntry makes a mutator of one entry of one multi-signature. Earlier mutations may have left nothing to mutate.
func onEntry(do func(*mutation, *proof, *entry)) func(*mutation) {
	return func(m *mutation) {
		c := m.cert()
		if c.proof == nil || len(c.proof.entries) == 0 || len(c.proof.indices) == 0 || len(c.proof.entries[0].sigma) == 0 || len(c.proof.entries[0].key) == 0 {
			return
		}
		e := &c.proof.entries[m.rng.IntN(len(c.proof.entries))]
		if len(e.sigma) == 0 || len(e.key) == 0 {
			return
		}
		do(m, c.proof, e)
	}
}

// index returns a lottery index around m.
func (m *mutation) index() uint64 {
	most := m.chain.certs[0].doc.get("metadata", "parameters", "m").uint64()
	if m.rng.IntN(2) == 0 {
		return m.near(most)
	}
	return m.rng.Uint64N(most%64 + 2)
}

// cancelling adds a point to one signature and takes it from another, so that their sum stays.
func cancelling(m *mutation) {
	c := m.cert()
	if c.proof == nil || len(c.proof.entries) < 2 {
		return
	}
	_, _, g, _ := bls12381.Generators()
	var delta bls12381.G1Affine
	delta.ScalarMultiplication(&g, big.NewInt(int64(1+m.rng.IntN(1000))))
	for i := range 2 {
		var p bls12381.G1Affine
		e := &c.proof.entries[i]
		if _, err := p.SetBytes(e.sigma); err != nil {
			return
		}
		p.Add(&p, &delta)
		b := p.Bytes()
		e.sigma = b[:]
		delta.Neg(&delta)
	}
}

// oddSignatures are encodings that are no signature, or just so.
func oddSignatures() [][]byte {
	infinity := append([]byte{0xc0}, make([]byte, 47)...)
	_, _, g, _ := bls12381.Generators()
	generator := g.Bytes()
	uncompressed := cloneBytes(generator[:])
	uncompressed[0] &^= 0x80
	nonCanonical := slices.Concat(fp.Modulus().FillBytes(make([]byte, 48)))
	nonCanonical[0] |= 0x80
	infinitySign := cloneBytes(infinity)
	infinitySign[0] |= 0x20
	infinityTail := cloneBytes(infinity)
	infinityTail[47] = 1
	return [][]byte{infinity, generator[:], uncompressed, nonCanonical, infinitySign, infinityTail, outsideSubgroup(), make([]byte, 48)}
}

// outsideSubgroup returns a point of the curve of another order.
func outsideSubgroup() []byte {
	rng := rand.New(rand.NewPCG(1, 2))
	for {
		var x, y, b fp.Element
		x.SetUint64(rng.Uint64())
		y.Square(&x).Mul(&y, &x)
		b.SetUint64(4)
		y.Add(&y, &b)
		if y.Sqrt(&y) == nil {
			continue
		}
		p := bls12381.G1Affine{X: x, Y: y}
		if p.IsOnCurve() && !p.IsInSubGroup() {
			out := p.Bytes()
			return out[:]
		}
	}
}
