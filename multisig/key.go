package multisig

import (
	"bytes"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/stmverify/stmverify/internal/bls12381"
	"github.com/stmverify/stmverify/internal/bls12381/backend"
)

// VerificationKeySize is the length in bytes of an encoded [VerificationKey].
const VerificationKeySize = bls12381.G2Size

// VerificationKey is a point of G2: in the subgroup, not at infinity, with its canonical encoding. That its owner holds the
// secret key is what a [ProofOfPossession] shows; a key found in a certificate relies on the one given at registration.
type VerificationKey struct {
	point bls12381.G2
	enc   [VerificationKeySize]byte
}

// VerificationKeyFromBytes decodes a compressed point of exactly [VerificationKeySize] bytes. The errors are [ErrLength],
// [ErrNotCanonical], [ErrInfinity], [ErrNotOnCurve] and [ErrNotInSubgroup].
func VerificationKeyFromBytes(b []byte) (*VerificationKey, error) {
	if len(b) != VerificationKeySize {
		return nil, lengthError("verification key", len(b), VerificationKeySize)
	}
	k := new(VerificationKey)
	if err := k.set(b); err != nil {
		return nil, fmt.Errorf("multisig: verification key: %w", err)
	}
	return k, nil
}

func (k *VerificationKey) set(b []byte) error {
	enc := [VerificationKeySize]byte(b)
	if err := statusError(backend.DecodeG2(&k.point, &enc)); err != nil {
		return err
	}
	k.enc = enc
	return nil
}

// Bytes returns the canonical encoding.
func (k *VerificationKey) Bytes() [VerificationKeySize]byte { return k.enc }

// AppendTo appends the canonical encoding to b.
func (k *VerificationKey) AppendTo(b []byte) []byte { return append(b, k.enc[:]...) }

// Equal reports whether k and l are the same key.
func (k *VerificationKey) Equal(l *VerificationKey) bool { return k.enc == l.enc }

// Compare orders keys by their encodings, as registration does (SPEC 4.2).
func (k *VerificationKey) Compare(l *VerificationKey) int { return bytes.Compare(k.enc[:], l.enc[:]) }

// isZero reports whether k is nil or the zero value.
func (k *VerificationKey) isZero() bool { return k == nil || k.enc[0] == 0 }

// KeyCache keeps validated keys by their encodings, so that a key which several certificates carry is decoded once. It
// holds at most twice its capacity: when the younger half is full, the older half is forgotten. Only keys that were
// accepted are kept. A nil cache keeps nothing. It is safe for concurrent use.
type KeyCache struct {
	mu         sync.RWMutex
	capacity   int
	young, old map[[VerificationKeySize]byte]*VerificationKey

	hits, decoded atomic.Uint64
}

// NewKeyCache returns a cache of up to 2·capacity keys, about 400 bytes each. The capacity is at least 1.
func NewKeyCache(capacity int) *KeyCache {
	return &KeyCache{capacity: max(1, capacity), young: map[[VerificationKeySize]byte]*VerificationKey{}}
}

func (c *KeyCache) lookup(enc *[VerificationKeySize]byte) *VerificationKey {
	if c == nil {
		return nil
	}
	c.mu.RLock()
	defer c.mu.RUnlock()
	if k := c.young[*enc]; k != nil {
		return k
	}
	return c.old[*enc]
}

// Counts returns how many keys were taken from the cache and how many were decoded on its behalf.
func (c *KeyCache) Counts() (hits, decoded uint64) {
	if c == nil {
		return 0, 0
	}
	return c.hits.Load(), c.decoded.Load()
}

func (c *KeyCache) count(hits, decoded int) {
	if c != nil {
		c.hits.Add(uint64(hits))
		c.decoded.Add(uint64(decoded))
	}
}

func (c *KeyCache) insert(keys []VerificationKey) {
	if c == nil || len(keys) == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range keys {
		if len(c.young) >= c.capacity {
			c.old, c.young = c.young, make(map[[VerificationKeySize]byte]*VerificationKey, c.capacity)
		}
		c.young[keys[i].enc] = &keys[i]
	}
}

// DecodeVerificationKeys decodes len(dst) compressed points from enc, which has exactly len(dst)·[VerificationKeySize]
// bytes. Keys that the cache holds are taken from it; the others are decoded and, once all are accepted, kept. When a
// point is refused it returns a [*PointError] for the first one.
func DecodeVerificationKeys(dst []*VerificationKey, enc []byte, cache *KeyCache) error {
	if len(enc) != len(dst)*VerificationKeySize {
		return lengthError("verification keys", len(enc), len(dst)*VerificationKeySize)
	}
	var missing []int
	for i := range dst {
		if dst[i] = cache.lookup((*[VerificationKeySize]byte)(enc[i*VerificationKeySize:])); dst[i] == nil {
			missing = append(missing, i)
		}
	}
	encodings := make([]byte, 0, len(missing)*VerificationKeySize)
	for _, i := range missing {
		encodings = append(encodings, enc[i*VerificationKeySize:(i+1)*VerificationKeySize]...)
	}
	points := make([]bls12381.G2, len(missing))
	if j, status := backend.DecodeG2s(points, encodings); j >= 0 {
		return &PointError{"verification key", missing[j], statusError(status)}
	}
	fresh := make([]VerificationKey, len(missing))
	for j, i := range missing {
		fresh[j] = VerificationKey{points[j], [VerificationKeySize]byte(encodings[j*VerificationKeySize:])}
		dst[i] = &fresh[j]
	}
	cache.count(len(dst)-len(missing), len(missing))
	cache.insert(fresh)
	return nil
}
