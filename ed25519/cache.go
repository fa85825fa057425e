package ed25519

import (
	"hash/maphash"
	"sync"
	"sync/atomic"

	"github.com/stmverify/stmverify/ed25519/internal/edwards"
)

// KeyCache keeps decoded public keys, by their 32 bytes, for the batches that are given it. Decoding a key is about a
// fifth of the work of a signature in a large batch of a cofactored mode; the other modes do not use the cache.
//
// It holds a fixed number of keys, about 150 bytes each, and never grows. Only keys that encode a point are kept. Which
// keys share a place depends on a secret seed, and a key that was looked up once only displaces others of its kind: a
// flood of new keys empties a quarter of the cache and leaves the keys in regular use where they are.
//
// A KeyCache is safe for concurrent use. Its content changes no verdict.
type KeyCache struct {
	seed         maphash.Seed
	sets         []cacheSet
	hits, misses atomic.Uint64
}

// A set has cacheWays places, of which the first cacheNew are for keys that were looked up once only.
const (
	cacheWays = 8
	cacheNew  = 2
)

// cacheSet is the part of the cache in which a key may be.
type cacheSet struct {
	mu     sync.Mutex
	keys   [cacheWays][PublicKeySize]byte
	points [cacheWays]edwards.Point
	filled [cacheWays]bool
	recent [cacheWays]bool // used since the hand passed
	hand   uint8           // the next regular place to give away
	oldest uint8           // the next new place to give away
}

// NewKeyCache returns a cache for at least the given number of keys, rounded up to a power of two times 8.
func NewKeyCache(keys int) *KeyCache {
	sets := 1
	for sets*cacheWays < keys && sets < 1<<24 {
		sets *= 2
	}
	return &KeyCache{seed: maphash.MakeSeed(), sets: make([]cacheSet, sets)}
}

// Stats returns the numbers of look-ups that found their key and that did not, since the cache was made.
func (c *KeyCache) Stats() (hits, misses uint64) { return c.hits.Load(), c.misses.Load() }

// set returns the set of a key.
func (c *KeyCache) set(key *[PublicKeySize]byte) *cacheSet {
	return &c.sets[maphash.Bytes(c.seed, key[:])&uint64(len(c.sets)-1)]
}

// get sets p to the point of the key, if it is known.
func (c *KeyCache) get(p *edwards.Point, key *[PublicKeySize]byte) bool {
	s := c.set(key)
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.keys {
		if s.filled[i] && s.keys[i] == *key {
			*p = s.points[i]
			s.use(i)
			c.hits.Add(1)
			return true
		}
	}
	c.misses.Add(1)
	return false
}

// use notes that the key in place i was looked up again.
func (s *cacheSet) use(i int) {
	if i >= cacheNew {
		s.recent[i] = true
		return
	}
	// A new key becomes a regular one. It changes places with the first regular key that was not used since the hand
	// last came by; after at most one round there is one.
	for {
		j := cacheNew + int(s.hand)
		s.hand = (s.hand + 1) % (cacheWays - cacheNew)
		if s.filled[j] && s.recent[j] {
			s.recent[j] = false
			continue
		}
		s.keys[i], s.keys[j] = s.keys[j], s.keys[i]
		s.points[i], s.points[j] = s.points[j], s.points[i]
		s.filled[i], s.filled[j] = s.filled[j], true
		s.recent[j] = true
		return
	}
}

// put adds a key and its point.
func (c *KeyCache) put(key *[PublicKeySize]byte, p *edwards.Point) {
	s := c.set(key)
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.keys {
		if s.filled[i] && s.keys[i] == *key {
			return // another goroutine was faster
		}
	}
	i := s.oldest
	s.oldest = (s.oldest + 1) % cacheNew
	s.keys[i], s.points[i], s.filled[i] = *key, *p, true
}
