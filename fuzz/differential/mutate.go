package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
)

// mutator makes one change. Its name is kept with the chain.
type mutator struct {
	name string
	do   func(m *mutation)
}

// mutation is a chain on its way from valid to who knows.
type mutation struct {
	rng   *rand.Rand
	chain *forged
	other *forged // another valid chain, to take parts from
	names []string
	focus string // a part of the names of mutations on texts; the others are left out then
	exact bool   // the texts must reach the reference as they are, not by way of a tree
}

func pick[T any](rng *rand.Rand, from []T) T { return from[rng.IntN(len(from))] }

func (m *mutation) cert() *cert { return pick(m.rng, m.chain.certs) }

// standard returns a standard certificate; there is one in every chain.
func (m *mutation) standard() *cert { return m.chain.certs[1+m.rng.IntN(len(m.chain.certs)-1)] }

func (m *mutation) apply(from []mutator) {
	chosen := pick(m.rng, from)
	for m.focus != "" && !strings.Contains(chosen.name, m.focus) {
		chosen = pick(m.rng, from)
	}
	m.names = append(m.names, chosen.name)
	chosen.do(m)
}

// mutate makes a mutated chain of base. Mutations are made in three places: before messages are signed, on the signatures, and
// on texts and fields after everything was sealed, or before. So a mutation may be caught by any rule, the shallow and the
// deep ones.
func mutate(rng *rand.Rand, base, other *forged, focus string) *mutation {
	m := &mutation{rng: rng, chain: base.clone(), other: other, focus: focus}
	if focus != "" {
		m.render()
		m.chain.spelt = true
		m.apply(onTexts)
		m.chain.seal()
		return m
	}
	for len(m.names) == 0 {
		if rng.IntN(2) == 0 {
			m.apply(beforeSigning)
			if rng.IntN(4) == 0 {
				m.apply(beforeSigning)
			}
			m.chain.propagate(rng, 7)
			m.chain.resign(rng, 7)
		}
		if rng.IntN(2) == 0 {
			m.apply(onSignatures)
			if rng.IntN(6) == 0 {
				m.apply(onSignatures)
			}
		}
		m.render()
		if rng.IntN(3) == 0 {
			m.chain.spelt = true
			m.apply(onTexts)
		}
		m.chain.seal()
		if rng.IntN(6) == 0 {
			m.apply(afterSealing)
		}
	}
	return m
}

// render writes the objects in JSON-hex mostly, and in the other encodings else.
func (m *mutation) render() {
	if m.rng.IntN(2) == 0 {
		m.chain.render(nil)
		return
	}
	m.chain.render(func() encoding { return encoding(m.rng.IntN(int(encodings))) })
}

// odd numbers, as an attacker would try them.
var numbers = []uint64{0, 1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 20, 21, 100, 255, 256, 1<<16 - 1, 1 << 16, 1 << 20, 1<<20 + 1, 1<<31 - 1, 1 << 31,
	1<<32 - 1, 1 << 32, 1 << 53, 1<<53 + 1, math.MaxInt64, 1 << 63, math.MaxUint64 - 1, math.MaxUint64}

// near returns a number at or around n.
func (m *mutation) near(n uint64) uint64 {
	switch m.rng.IntN(4) {
	case 0:
		return n + 1
	case 1:
		return n - 1
	case 2:
		return n + uint64(m.rng.IntN(5)) - 2
	}
	return pick(m.rng, numbers)
}

// beforeSigning changes what is signed, or what the verification of signatures takes in.
var beforeSigning = []mutator{
	{"epoch", func(m *mutation) {
		c := m.cert()
		c.doc.set("epoch", number(m.near(c.doc.get("epoch").uint64())))
	}},
	{"epoch and current_epoch", func(m *mutation) {
		c := m.cert()
		setEpoch(c, m.near(c.doc.get("epoch").uint64()))
	}},
	{"all epochs moved", func(m *mutation) {
		delta := pick(m.rng, numbers) - uint64(m.rng.IntN(200))
		for _, c := range m.chain.certs {
			setEpoch(c, c.doc.get("epoch").uint64()+delta)
		}
	}},
	{"epochs from here moved", func(m *mutation) {
		from, delta := m.rng.IntN(len(m.chain.certs)), uint64(m.rng.IntN(5))-2
		for _, c := range m.chain.certs[from:] {
			setEpoch(c, c.doc.get("epoch").uint64()+delta)
		}
	}},
	{"part removed", func(m *mutation) {
		parts := m.parts()
		if len(parts.fields) > 0 {
			parts.remove(pick(m.rng, parts.fields).name)
		}
	}},
	{"part added", func(m *mutation) { m.parts().set(pick(m.rng, partOrder), text(m.partValue())) }},
	{"part changed", func(m *mutation) {
		parts := m.parts()
		if len(parts.fields) > 0 {
			parts.set(pick(m.rng, parts.fields).name, text(m.partValue()))
		}
	}},
	{"part with a plausible value", func(m *mutation) {
		values := map[string]string{"latest_block_number": fmt.Sprint(pick(m.rng, numbers)), "cardano_stake_distribution_epoch": fmt.Sprint(pick(m.rng, numbers)),
			"snapshot_digest": strings.Repeat("5a", 32), "cardano_database_merkle_root": strings.Repeat("00", 32)}
		names := []string{"latest_block_number", "cardano_stake_distribution_epoch", "snapshot_digest", "cardano_database_merkle_root"}
		name := pick(m.rng, names)
		m.parts().set(name, text(values[name]))
	}},
	{"part swallows the next", func(m *mutation) {
		parts := m.parts()
		for i, key := range partOrder[:len(partOrder)-1] {
			next := partOrder[i+1]
			if a, b := parts.get(key), parts.get(next); a.text != "" && b.text != "" {
				parts.set(key, text(a.text+next+b.text))
				parts.remove(next)
				return
			}
		}
	}},
	{"parts reordered", func(m *mutation) { m.shuffle(m.parts()) }},
	{"next key in another encoding", func(m *mutation) {
		next, err := parseAVK(m.parts().get("next_aggregate_verification_key").text)
		if err != nil {
			return
		}
		m.parts().set("next_aggregate_verification_key", text(m.avkText(next)))
	}},
	{"k", func(m *mutation) { m.parameter("k", true) }},
	{"m", func(m *mutation) { m.parameter("m", true) }},
	{"phi_f", func(m *mutation) { m.parameter("phi_f", true) }},
	{"k of one certificate", func(m *mutation) { m.parameter("k", false) }},
	{"m of one certificate", func(m *mutation) { m.parameter("m", false) }},
	{"phi_f of one certificate", func(m *mutation) { m.parameter("phi_f", false) }},
	{"avk leaves", func(m *mutation) { c := m.cert(); c.avk.leaves = m.near(c.avk.leaves) }},
	{"avk stake", func(m *mutation) { c := m.cert(); c.avk.stake = m.near(c.avk.stake) }},
	{"avk stake scaled", func(m *mutation) {
		c := m.cert()
		c.avk.stake = c.avk.stake*uint64(m.rng.IntN(4)) + uint64(m.rng.IntN(2))
	}},
	{"avk root", func(m *mutation) { c := m.cert(); m.flip(c.avk.root) }},
	{"avk root length", func(m *mutation) { c := m.cert(); c.avk.root = m.resize(c.avk.root) }},
	{"avk of another certificate", func(m *mutation) { a := *m.cert().avk; m.cert().avk = &a }},
	{"genesis epoch of its child", func(m *mutation) { setEpoch(m.chain.certs[0], m.chain.certs[1].doc.get("epoch").uint64()) }},
	{"child in the epoch of genesis, with its key", func(m *mutation) {
		g, c := m.chain.certs[0], m.chain.certs[1]
		setEpoch(g, c.doc.get("epoch").uint64())
		a := *c.avk
		g.avk = &a
	}},
	{"entity", func(m *mutation) { m.cert().doc.set("signed_entity_type", m.entity()) }},
	{"network", func(m *mutation) { m.cert().doc.get("metadata").set("network", text(m.odd())) }},
	{"version", func(m *mutation) { m.cert().doc.get("metadata").set("version", text(m.odd())) }},
	{"date", func(m *mutation) {
		m.cert().doc.get("metadata").set(pick(m.rng, []string{"initiated_at", "sealed_at"}), text(m.date()))
	}},
	{"party", func(m *mutation) {
		signers := m.standard().doc.get("metadata", "signers")
		if len(signers.fields) > 0 {
			party := pick(m.rng, signers.fields).value
			if m.rng.IntN(2) == 0 {
				party.set("party_id", text(m.odd()))
			} else {
				party.set("stake", number(pick(m.rng, numbers)))
			}
		}
	}},
	{"parties reordered", func(m *mutation) { m.shuffle(m.standard().doc.get("metadata", "signers")) }},
	{"parties removed", func(m *mutation) { m.standard().doc.get("metadata").set("signers", array()) }},
	{"parties on genesis", func(m *mutation) {
		m.chain.certs[0].doc.get("metadata").set("signers", m.chain.certs[1].doc.get("metadata", "signers").clone())
	}},
	{"hash scheme", func(m *mutation) {
		m.cert().doc.get("protocol_message").set("hash_scheme", pick(m.rng, []*node{text("legacy"), text("rigid"), text("Legacy"), text(""), literal("null"),
			literal("0"), object(field{"legacy", literal("null")}), object(field{"legacy", object()}), array(), object()}))
	}},
	{"certificate left out", func(m *mutation) {
		if len(m.chain.certs) > 2 {
			i := m.rng.IntN(len(m.chain.certs))
			m.chain.certs = append(append([]*cert{}, m.chain.certs[:i]...), m.chain.certs[i+1:]...)
			if len(m.chain.certs) == 0 || i == 0 {
				return
			}
		}
	}},
	{"certificate twice", func(m *mutation) {
		i := m.rng.IntN(len(m.chain.certs))
		twin := (&forged{certs: m.chain.certs[i : i+1]}).clone().certs[0]
		m.chain.certs = append(append(append([]*cert{}, m.chain.certs[:i]...), twin), m.chain.certs[i:]...)
	}},
	{"certificates exchanged", func(m *mutation) {
		i, j := m.rng.IntN(len(m.chain.certs)), m.rng.IntN(len(m.chain.certs))
		m.chain.certs[i], m.chain.certs[j] = m.chain.certs[j], m.chain.certs[i]
	}},
	{"certificate of another chain", func(m *mutation) {
		twin := m.other.clone()
		m.chain.certs[m.rng.IntN(len(m.chain.certs))] = pick(m.rng, twin.certs)
	}},
	{"nothing", func(*mutation) {}},
}

func setEpoch(c *cert, epoch uint64) {
	c.doc.set("epoch", number(epoch))
	c.doc.get("protocol_message", "message_parts").set("current_epoch", text(strconv.FormatUint(epoch, 10)))
}

func (m *mutation) parts() *node { return m.cert().doc.get("protocol_message", "message_parts") }

func (m *mutation) shuffle(n *node) {
	m.rng.Shuffle(len(n.fields), func(i, j int) { n.fields[i], n.fields[j] = n.fields[j], n.fields[i] })
}

// flip changes one bit.
func (m *mutation) flip(b []byte) {
	if len(b) > 0 {
		b[m.rng.IntN(len(b))] ^= 1 << m.rng.IntN(8)
	}
}

// resize makes b longer or shorter.
func (m *mutation) resize(b []byte) []byte {
	if n := m.rng.IntN(len(b) + 1); m.rng.IntN(2) == 0 {
		return b[:n]
	}
	return append(cloneBytes(b), make([]byte, 1+m.rng.IntN(40))...)
}

// parameter changes a protocol parameter, of every certificate or of one.
func (m *mutation) parameter(name string, all bool) {
	old := m.chain.certs[0].doc.get("metadata", "parameters", name)
	value := number(m.near(old.uint64()))
	if name == "phi_f" {
		value = literal(m.phi(old.text))
	}
	if !all {
		m.cert().doc.get("metadata", "parameters").set(name, value)
		return
	}
	for _, c := range m.chain.certs {
		c.doc.get("metadata", "parameters").set(name, value.clone())
	}
}

func (m *mutation) phi(old string) string {
	odd := []string{"0", "0.0", "-0.0", "1", "1.0", "1e0", "2", "1.0000000000000002", "0.9999999999999999", "0.99999999999999989", "0.9999999999999998", "256.2", "255.9999999999",
		"1e-300", "5e-324", "2e-8", "3e-8", "1e-9", "-0.5", "1e308", "0.5", "0.2", "0.65", "0.95", "0.999999", "0.99999999", "0.999999999999"}
	f, err := strconv.ParseFloat(old, 64)
	if err != nil || m.rng.IntN(2) == 0 {
		return pick(m.rng, odd)
	}
	switch m.rng.IntN(4) {
	case 0:
		f = math.Nextafter(f, 0)
	case 1:
		f = math.Nextafter(f, 2)
	case 2:
		f += (m.rng.Float64() - 0.5) / (1 << 24)
	case 3:
		f = m.rng.Float64()
	}
	return strconv.FormatFloat(f, 'g', -1, 64)
}

// partValue returns a value for a message part.
func (m *mutation) partValue() string {
	switch m.rng.IntN(6) {
	case 0:
		return fmt.Sprint(pick(m.rng, numbers))
	case 1:
		return pick(m.rng, []string{"01", "+1", "-1", "1.0", " 1", "1 ", "1e3", "18446744073709551616", "00"})
	case 2:
		return strings.Repeat(pick(m.rng, []string{"a", "A", "0", "g"}), pick(m.rng, []int{63, 64, 65}))
	case 3:
		return m.avkText(m.cert().avk)
	}
	return m.odd()
}

func (m *mutation) odd() string {
	return pick(m.rng, []string{"", "0", "testnet", "mainnet", "0.1.0", "é", "\u2028", "\x00", "\"\\", "💥", "a\tb\n", strings.Repeat("x", 300), "current_epoch1", "\u007f", "<&>"})
}

func (m *mutation) date() string {
	return pick(m.rng, []string{"2024-02-29T00:00:00Z", "2023-02-29T00:00:00Z", "2024-01-01T00:00:00.123456789Z", "2024-01-01T00:00:00.1234567891Z",
		"2024-01-01T23:59:60Z", "2024-01-01T23:59:60.5Z", "2024-06-30T12:30:60Z", "2024-01-01T24:00:00Z", "2024-01-01t00:00:00z", "2024-01-01 00:00:00Z",
		"2024-01-01T00:00:00+00:00", "2024-01-01T00:00:00+14:00", "2024-01-01T00:00:00-23:59", "2024-01-01T00:00:00+24:00", "2024-01-01T00:00:00+0100",
		"2024-01-01T00:00:00", "2024-01-01", "2024-1-1T0:0:0Z", "1677-09-21T00:12:43Z", "1677-09-21T00:12:44Z", "1677-09-21T00:12:43.145224192Z",
		"1677-09-21T00:12:43.145224191Z", "2262-04-11T23:47:16.854775807Z", "2262-04-11T23:47:16.854775808Z", "2262-04-12T00:00:00Z", "9999-12-31T23:59:59Z",
		"+2024-01-01T00:00:00Z", "-0001-01-01T00:00:00Z", "+12024-01-01T00:00:00Z", "0000-01-01T00:00:00Z", "1970-01-01T00:00:00Z", "1969-12-31T23:59:59.999999999Z",
		"2024-01-01T00:00:00 UTC", "2024-01-01T00:00:00 +01:00", "2024-01-01T00:00:00+01", "2024-01-01T00:00:00.Z", "2024-01-01T00:00:00,5Z", " 2024-01-01T00:00:00Z",
		"2024-01-01T00:00:00Z ", "2024-01-01T00:00:00\u221201:00", "2024 - 01 - 01T00 : 00 : 00 Z", "2024-01-01  00:00:00Z", "2024-01-01T00:00:00utc", "", "Z"})
}

func (m *mutation) entity() *node {
	n := func() *node { return number(pick(m.rng, numbers)) }
	beacon := func() *node { return object(field{"epoch", n()}, field{"immutable_file_number", n()}) }
	kinds := []*node{
		object(field{"MithrilStakeDistribution", n()}), object(field{"CardanoStakeDistribution", n()}),
		object(field{"CardanoDatabase", beacon()}), object(field{"CardanoImmutableFilesFull", beacon()}),
		object(field{"CardanoImmutableFilesFull", object(field{"network", text("preprod")}, field{"epoch", n()}, field{"immutable_file_number", n()})}),
		object(field{"CardanoTransactions", array(n(), n())}), object(field{"CardanoBlocksTransactions", array(n(), n(), n())}),
		object(field{"CardanoBlocksTransactions", array(n(), n())}), object(field{"CardanoTransactions", array(n())}),
		object(field{"CardanoTransactions", array(n(), n(), n())}), object(field{"CardanoDatabase", array(n(), n())}),
		object(field{"MithrilStakeDistribution", array(n())}), object(field{"Unknown", n()}), text("MithrilStakeDistribution"), object(), literal("null"),
		object(field{"MithrilStakeDistribution", n()}, field{"CardanoStakeDistribution", n()}), object(field{"CardanoTransactions", object(field{"0", n()}, field{"1", n()})}),
		object(field{"CardanoDatabase", object(field{"epoch", n()}, field{"immutable_file_number", n()}, field{"other", array()})}),
		object(field{"MithrilStakeDistribution", literal("-1")}), object(field{"MithrilStakeDistribution", literal("1.0")}), text("Discontinued"), text("Unknown"),
	}
	return pick(m.rng, kinds)
}

// avkText writes a key in one of its encodings.
func (m *mutation) avkText(a *avk) string {
	switch encoding(m.rng.IntN(int(encodings))) {
	case legacyHex:
		return fmt.Sprintf("%x", a.legacy())
	case cborHex:
		return fmt.Sprintf("%x", (&cbor{rng: m.rng}).avk(a))
	}
	return treeHex(a.tree())
}
