package main

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"strings"
)

// cbor writes CBOR. With odd set, heads are now and then written in another way than the canonical one, or as another type.
type cbor struct {
	rng *rand.Rand
	odd int // one head of so many is odd; 0: none

	edit func(single []byte) []byte // of a single signature, before it is put into its entry; may be nil
}

func (w *cbor) strange() bool { return w.odd > 0 && w.rng.IntN(w.odd) == 0 }

// head appends a major type and its argument.
func (w *cbor) head(dst []byte, major byte, n uint64) []byte {
	size := 0
	switch {
	case n > 0xffffffff:
		size = 8
	case n > 0xffff:
		size = 4
	case n > 0xff:
		size = 2
	case n > 23:
		size = 1
	}
	if w.strange() {
		switch w.rng.IntN(6) {
		case 0, 1, 2:
			size = max(size, []int{1, 2, 4, 8}[w.rng.IntN(4)]) // not the shortest
		case 3:
			major = byte(w.rng.IntN(8))
		case 4:
			dst = append(dst, 0xc0|byte(w.rng.IntN(24))) // a tag
		case 5:
			n += uint64(w.rng.IntN(3)) - 1
		}
	}
	switch size {
	case 0:
		return append(dst, major<<5|byte(n))
	case 1:
		return append(dst, major<<5|24, byte(n))
	case 2:
		return binary.BigEndian.AppendUint16(append(dst, major<<5|25), uint16(n))
	case 4:
		return binary.BigEndian.AppendUint32(append(dst, major<<5|26), uint32(n))
	}
	return binary.BigEndian.AppendUint64(append(dst, major<<5|27), n)
}

// sequence appends an array or a map of n items, of which body appends the contents.
func (w *cbor) sequence(dst []byte, major byte, n int, indefinite bool, body func([]byte) []byte) []byte {
	if w.strange() {
		indefinite = !indefinite
	}
	if indefinite {
		return append(body(append(dst, major<<5|31)), 0xff)
	}
	return body(w.head(dst, major, uint64(n)))
}

// number is an unsigned integer; now and then a float or a string.
func (w *cbor) number(dst []byte, n uint64) []byte {
	if w.strange() {
		switch b := binary.BigEndian.AppendUint64(nil, n); w.rng.IntN(8) {
		case 0, 1: // a big number
			b = append(make([]byte, w.rng.IntN(12)), b...)
			return append(w.head(append(dst, 0xc2|byte(w.rng.IntN(8)/7)), 2, uint64(len(b))), b...)
		case 2: // a big number in two chunks
			return append(append(append(dst, 0xc2, 0x5f, 0x40, 0x48), b...), 0xff)
		case 3:
			return append(dst, pick(w.rng, [][]byte{{0xf9, 0, 0}, {0xf4}, {0xf6}, {0x61, '1'}, {0x41, 1}, {0xc2, 1}, {0x20}, {0xf8, 20}, {0xc2, 0xc2, 0x41, 1}})...)
		}
	}
	return w.head(dst, 0, n)
}

func (w *cbor) text(dst []byte, s string) []byte {
	if w.strange() {
		switch w.rng.IntN(4) {
		case 0: // two chunks
			dst = append(dst, 0x7f)
			dst = append(w.head(dst, 3, 1), s[:1]...)
			return append(append(w.head(dst, 3, uint64(len(s)-1)), s[1:]...), 0xff)
		case 1:
			s += "x"
		case 3:
			dst = append(dst, 0xc1)
		case 2:
			return append(w.head(dst, 2, uint64(len(s))), s...)
		}
	}
	return append(w.head(dst, 3, uint64(len(s))), s...)
}

// ints appends bytes as an array of numbers.
func (w *cbor) ints(dst, b []byte) []byte {
	if w.strange() {
		switch w.rng.IntN(4) {
		case 0:
			return append(w.head(dst, 2, uint64(len(b))), b...)
		case 1: // chunks within chunks
			dst = append(w.head(append(dst, 0x5f, 0x5f), 2, uint64(len(b))), b...)
			return append(dst, 0xff, 0x40, 0xff)
		}
	}
	return w.sequence(dst, 4, len(b), false, func(dst []byte) []byte {
		for _, v := range b {
			dst = w.number(dst, uint64(v))
		}
		return dst
	})
}

func (w *cbor) numbers(dst []byte, numbers []uint64) []byte {
	if w.strange() && w.rng.IntN(2) == 0 {
		dst = w.head(dst, 2, uint64(len(numbers)))
		for _, v := range numbers {
			dst = append(dst, byte(v))
		}
		return dst
	}
	return w.sequence(dst, 4, len(numbers), false, func(dst []byte) []byte {
		for _, v := range numbers {
			dst = w.number(dst, v)
		}
		return dst
	})
}

// pair is an entry of a map.
type pair struct {
	key   string
	value func([]byte) []byte
}

// oddValues stand behind a key that nobody knows.
var oddValues = [][]byte{{0xf6}, {0xf7}, {0x82, 1, 0xa1, 0x61, 'a', 0xf5}, {0x9f, 0xff}, {0xfb, 0, 0, 0, 0, 0, 0, 0, 0}, {0xc1, 0}, {0xf8, 20}, {0xf8, 0x20}, {0xe0},
	{0x61, 0xff}, {0x5f, 0x41, 0, 0xff}, {0x5f, 0x5f, 0x41, 0, 0xff, 0xff}, {0x7f, 0x61, 'a', 0xff}, {0x7f, 0x61, 0xc3, 0x61, 0xa9, 0xff}, {0x5f, 0x61, 'a', 0xff},
	{0x3b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, {0x3b, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, {0x20}, {0xff}, {0xdf}, {0x1f}, {0x3f}, {0xfc}, {0xf9, 0, 22},
	{0xc2, 0x41, 1}, {0xc2, 1}, {0xc3, 0x41, 1}, {0xd8, 30, 0x82, 1, 2}, {0xa1, 1, 2}, {0xa1, 0xf6, 0xf6}, {0xbf, 0xff}, {0xbf, 0x61, 'a', 0xff},
	slices.Concat(bytes.Repeat([]byte{0x81}, 60), []byte{1}), slices.Concat(bytes.Repeat([]byte{0x81}, 255), []byte{1}),
	slices.Concat(bytes.Repeat([]byte{0x81}, 256), []byte{1}), slices.Concat(bytes.Repeat([]byte{0xc1}, 254), []byte{1})}

// object appends a map; now and then with an entry more, less, twice or in another order, or as an array.
func (w *cbor) object(dst []byte, indefinite bool, pairs ...pair) []byte {
	if w.strange() {
		switch w.rng.IntN(5) {
		case 0:
			value := pick(w.rng, oddValues)
			key := pick(w.rng, []string{"other", "", "\xff", "snark_signature", strings.Repeat("k", 4096), strings.Repeat("k", 4097)})
			pairs = append(pairs, pair{key, func(b []byte) []byte { return append(b, value...) }})
		case 1:
			pairs = append(pairs, pairs[w.rng.IntN(len(pairs))])
		case 2:
			pairs = append([]pair{}, pairs[1:]...)
		case 3:
			pairs = append([]pair{}, pairs...)
			w.rng.Shuffle(len(pairs), func(i, j int) { pairs[i], pairs[j] = pairs[j], pairs[i] })
		case 4:
			return w.sequence(dst, 4, len(pairs), indefinite, func(dst []byte) []byte {
				for _, p := range pairs {
					dst = p.value(dst)
				}
				return dst
			})
		}
	}
	return w.sequence(dst, 5, len(pairs), indefinite, func(dst []byte) []byte {
		for _, p := range pairs {
			dst = p.value(w.text(dst, p.key))
		}
		return dst
	})
}

func (w *cbor) null(dst []byte) []byte {
	if w.strange() {
		return append(dst, pick(w.rng, [][]byte{{0xf7}, {0}, {0x80}, {0xa0}, {0xf4}, {0xf8, 22}, {0xf9, 0, 22}, {0xc1, 0xf6}, {0xff}})...)
	}
	return append(dst, 0xf6)
}

func (w *cbor) avk(a *avk) []byte {
	commitment := func(dst []byte) []byte {
		return w.object(dst, false,
			pair{"root", func(b []byte) []byte { return w.ints(b, a.root) }},
			pair{"nr_leaves", func(b []byte) []byte { return w.number(b, a.leaves) }},
			pair{"hasher", w.null})
	}
	return w.object([]byte{1}, false, pair{"mt_commitment", commitment},
		pair{"total_stake", func(b []byte) []byte { return w.number(b, a.stake) }})
}

func (w *cbor) entry(e *entry) []byte {
	single := w.object([]byte{1}, true,
		pair{"sigma", func(b []byte) []byte { return w.ints(b, e.sigma) }},
		pair{"indexes", func(b []byte) []byte { return w.numbers(b, e.indexes) }},
		pair{"signer_index", func(b []byte) []byte { return w.number(b, e.signer) }})
	if w.edit != nil {
		single = w.edit(single)
	}
	party := w.object([]byte{1}, false,
		pair{"verification_key_bytes", func(b []byte) []byte { return w.ints(b, e.key) }},
		pair{"stake", func(b []byte) []byte { return w.number(b, e.stake) }})
	return w.object([]byte{1}, false,
		pair{"signature_bytes", func(b []byte) []byte { return w.ints(b, single) }},
		pair{"registration_entry_bytes", func(b []byte) []byte { return w.ints(b, party) }})
}

func (w *cbor) proof(p *proof) []byte {
	path := w.object([]byte{1}, false,
		pair{"values", func(b []byte) []byte {
			if len(p.values) == 0 && w.strange() {
				return append(b, 0x40)
			}
			return w.sequence(b, 4, len(p.values), false, func(b []byte) []byte {
				for _, v := range p.values {
					b = w.ints(b, v)
				}
				return b
			})
		}},
		pair{"indices", func(b []byte) []byte { return w.numbers(b, p.indices) }},
		pair{"hasher", w.null})
	inner := w.object([]byte{1}, false,
		pair{"signature_bytes", func(b []byte) []byte {
			return w.sequence(b, 4, len(p.entries), false, func(b []byte) []byte {
				for i := range p.entries {
					b = w.ints(b, w.entry(&p.entries[i]))
				}
				return b
			})
		}},
		pair{"batch_proof_bytes", func(b []byte) []byte { return w.ints(b, path) }})
	return w.object([]byte{1}, false,
		pair{"signature_type", func(b []byte) []byte { return w.number(b, 0) }},
		pair{"proof_bytes", func(b []byte) []byte {
			if w.strange() {
				return w.ints(b, inner)
			}
			return append(w.head(b, 2, uint64(len(inner))), inner...)
		}})
}
