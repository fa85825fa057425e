package ed25519

import (
	"hash/maphash"

	"github.com/stmverify/stmverify/ed25519/internal/edwards"
)

// keyTable numbers the distinct public keys of a segment, by their 32 bytes: two encodings of one point are two keys,
// since the hash of a signature covers the encoding.
type keyTable struct {
	seed  maphash.Seed // secret, so that nobody can choose keys that collide
	keys  []batchKey
	index []int32 // open addressing; 0 is empty, n is keys[n-1]
}

// batchKey is a public key of a segment.
type batchKey struct {
	encoding [PublicKeySize]byte
	onCurve  bool
	cached   bool   // came from the cache
	sum      uint32 // the last sum in which it has a term
	point    edwards.Point
	scalar   edwards.Scalar // Σ z·k over the signatures of that sum
}

// reset empties the table.
func (t *keyTable) reset() {
	if len(t.keys) > 0 {
		clear(t.index)
	}
	t.keys = t.keys[:0]
}

// add returns the number of the key, a new one if it is not there yet, and whether it is new.
func (t *keyTable) add(encoding *[PublicKeySize]byte) (number int32, fresh bool) {
	if 2*len(t.keys) >= len(t.index) {
		t.grow()
	}
	slot := t.find(encoding)
	if *slot != 0 {
		return *slot - 1, false
	}
	number = t.append(encoding)
	*slot = number + 1
	return number, true
}

// append adds a key without looking for it.
func (t *keyTable) append(encoding *[PublicKeySize]byte) int32 {
	k := extend(&t.keys)
	k.encoding, k.onCurve, k.cached, k.sum = *encoding, false, false, 0
	return int32(len(t.keys) - 1)
}

// find returns the slot in which the key is, or the free one in which it belongs.
func (t *keyTable) find(encoding *[PublicKeySize]byte) *int32 {
	mask := uint64(len(t.index) - 1)
	for i := maphash.Bytes(t.seed, encoding[:]) & mask; ; i = (i + 1) & mask {
		if n := t.index[i]; n == 0 || t.keys[n-1].encoding == *encoding {
			return &t.index[i]
		}
	}
}

// grow doubles the index.
func (t *keyTable) grow() {
	t.index = make([]int32, max(64, 2*len(t.index)))
	for i := range t.keys {
		*t.find(&t.keys[i].encoding) = int32(i + 1)
	}
}
