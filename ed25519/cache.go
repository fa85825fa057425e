package ed25519

import (
	"hash/maphash"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/stmverify/stmverify/ed25519/internal/edwards"
)

// KeyCache keeps decoded public keys, by their 32 bytes, for the batches that are given it. Decoding a key is about a
// fifth of the work of a signature in a large batch of a cofactored mode; the other modes do not use the cache.
//
// It holds a fixed number of keys, about 150 bytes each, and never grows. Only keys that encode a point are kept. Which
// keys share a place depends on a secret seed, and a key that comes once only displaces others of its kind: a flood of
// new keys empties a quarter of the cache and leaves the keys in regular use where they are.
//
// A KeyCache is safe for concurrent use. Its content changes no verdict.
type KeyCache struct {
	seed         maphash.Seed
	sets         []cacheSet
	hits, misses atomic.Uint64
}

const (
	cacheWays  = 8  // places of a set
	cacheNew   = 2  // of which the first are for keys that came once
	cacheGhost = 16 // keys that left these and are still recognised
	maxSets    = 1 << 24
)

// cacheSet is the part of the cache in which a key may be.
type cacheSet struct {
	mu     sync.Mutex
	keys   [cacheWays][PublicKeySize]byte
	points [cacheWays]edwards.Point
	filled [cacheWays]bool
	recent [cacheWays]bool    // used since the hand passed
	ghosts [cacheGhost]uint32 // marks of keys that came once and were displaced; 0 is none
	marks  [cacheNew]uint32   // marks of the keys that came once
	hand   uint8              // next regular place to give away
	oldest uint8              // next new place to give away
	ghost  uint8              // next ghost to forget
}

// NewKeyCache returns a cache for at least the given number of keys, rounded up to a power of two times 8.
func NewKeyCache(keys int) *KeyCache {
	sets := 1
	for sets*cacheWays < keys && sets < maxSets {
		sets *= 2
	}
	return &KeyCache{seed: maphash.MakeSeed(), sets: make([]cacheSet, sets)}
}

// Stats returns the numbers of look-ups that found their key and that did not, since the cache was made.
func (c *KeyCache) Stats() (hits, misses uint64) { return c.hits.Load(), c.misses.Load() }

// set returns the set of a key and the mark by which its ghost is recognised.
func (c *KeyCache) set(key *[PublicKeySize]byte) (s *cacheSet, mark uint32) {
	h := maphash.Bytes(c.seed, key[:])
	return &c.sets[h&uint64(len(c.sets)-1)], uint32(h>>32) | 1
}

// get sets p to the point of the key, if it is known.
func (c *KeyCache) get(p *edwards.Point, key *[PublicKeySize]byte) bool {
	s, _ := c.set(key)
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.keys {
		if s.filled[i] && s.keys[i] == *key {
			*p = s.points[i]
			if i < cacheNew {
				s.filled[i] = false
				i = s.place()
				s.keys[i], s.points[i], s.filled[i] = *key, *p, true
			}
			s.recent[i] = true
			c.hits.Add(1)
			return true
		}
	}
	c.misses.Add(1)
	return false
}

// place returns the regular place to fill next: the first that was not used since the hand last came by. After at most
// one round there is one.
func (s *cacheSet) place() int {
	for {
		i := cacheNew + int(s.hand)
		s.hand = (s.hand + 1) % (cacheWays - cacheNew)
		if !s.filled[i] || !s.recent[i] {
			return i
		}
		s.recent[i] = false
	}
}

// put adds a key and its point: to the regular ones if it comes again, which its ghost tells, and else to the new ones.
func (c *KeyCache) put(key *[PublicKeySize]byte, p *edwards.Point) {
	s, mark := c.set(key)
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.keys {
		if s.filled[i] && s.keys[i] == *key {
			return // another goroutine was faster
		}
	}
	var i int
	if g := slices.Index(s.ghosts[:], mark); g >= 0 {
		s.ghosts[g] = 0
		i = s.place()
		s.recent[i] = false
	} else {
		i = int(s.oldest)
		s.oldest = (s.oldest + 1) % cacheNew
		if s.filled[i] {
			s.ghosts[s.ghost] = s.marks[i]
			s.ghost = (s.ghost + 1) % cacheGhost
		}
		s.marks[i] = mark
	}
	s.keys[i], s.points[i], s.filled[i] = *key, *p, true
}
