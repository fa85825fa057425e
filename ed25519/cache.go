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

// cacheSet is the part of the cache in which a key may be. What every look-up reads stands at its front, in one line of
// the processor's cache; a look-up that succeeds reads the two lines of one entry beside.
type cacheSet struct {
	mu     sync.Mutex
	marks  [cacheWays]uint32 // part of the hash of the key in each place; 0 if there is none
	recent [cacheWays]bool   // used since the hand passed
	hand   uint8             // next regular place to give away
	oldest uint8             // next new place to give away
	ghost  uint8             // next ghost to forget
	_      [13]byte

	entries [cacheWays]cacheEntry
	ghosts  [cacheGhost]uint32 // marks of keys that came once and were displaced; 0 is none
}

// cacheEntry is a key and its point.
type cacheEntry struct {
	key   [PublicKeySize]byte
	point edwards.Point
}

// NewKeyCache returns a cache for at least the given number of keys, rounded up to a power of two times 8; 8 for a number
// below that. More than 2²⁷ keys are not kept.
func NewKeyCache(keys int) *KeyCache {
	sets := 1
	for sets*cacheWays < keys && sets < maxSets {
		sets *= 2
	}
	return &KeyCache{seed: maphash.MakeSeed(), sets: make([]cacheSet, sets)}
}

// Stats returns the numbers of look-ups that found their key and that did not, since the cache was made. A batch looks
// a key up once for each 8 192 signatures, however many of them it has.
func (c *KeyCache) Stats() (hits, misses uint64) { return c.hits.Load(), c.misses.Load() }

// cachePlace says where a key may be in the cache.
type cachePlace struct {
	set  *cacheSet
	mark uint32 // by which the set recognises it, not 0
}

// place returns where the key may be.
func (c *KeyCache) place(key *[PublicKeySize]byte) cachePlace {
	h := maphash.Bytes(c.seed, key[:])
	return cachePlace{&c.sets[h&uint64(len(c.sets)-1)], uint32(h>>32) | 1}
}

// touch reads the front of the set, so that it is on its way from memory when get asks. Look-ups that wait for memory one
// after the other cost a third of what they save.
func (p cachePlace) touch() { atomic.LoadUint32(&p.set.marks[0]) }

// get sets p to the point of the key, if it is known.
func (c *KeyCache) get(p *edwards.Point, at cachePlace, key *[PublicKeySize]byte) bool {
	s := at.set
	s.mu.Lock()
	defer s.mu.Unlock()
	i := s.find(at.mark, key)
	if i < 0 {
		c.misses.Add(1)
		return false
	}
	*p = s.entries[i].point
	if i < cacheNew {
		atomic.StoreUint32(&s.marks[i], 0)
		i = s.giveAway()
		s.fill(i, at.mark, key, p)
	}
	s.recent[i] = true
	c.hits.Add(1)
	return true
}

// find returns the number of the key's entry, or -1.
func (s *cacheSet) find(mark uint32, key *[PublicKeySize]byte) int {
	for i := range s.marks {
		if s.marks[i] == mark && s.entries[i].key == *key {
			return i
		}
	}
	return -1
}

// fill puts a key into a place.
func (s *cacheSet) fill(i int, mark uint32, key *[PublicKeySize]byte, p *edwards.Point) {
	atomic.StoreUint32(&s.marks[i], mark) // touch reads without the lock
	s.entries[i] = cacheEntry{*key, *p}
}

// giveAway returns the regular place to fill next: the first that was not used since the hand last came by. After at
// most one round there is one.
func (s *cacheSet) giveAway() int {
	for {
		i := cacheNew + int(s.hand)
		s.hand = (s.hand + 1) % (cacheWays - cacheNew)
		if s.marks[i] == 0 || !s.recent[i] {
			return i
		}
		s.recent[i] = false
	}
}

// put adds a key and its point: to the regular ones if it comes again, which its ghost tells, and else to the new ones.
func (c *KeyCache) put(at cachePlace, key *[PublicKeySize]byte, p *edwards.Point) {
	s := at.set
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.find(at.mark, key) >= 0 {
		return // another goroutine was faster
	}
	if g := slices.Index(s.ghosts[:], at.mark); g >= 0 {
		s.ghosts[g] = 0
		i := s.giveAway()
		s.recent[i] = false
		s.fill(i, at.mark, key, p)
		return
	}
	i := int(s.oldest)
	s.oldest = (s.oldest + 1) % cacheNew
	if s.marks[i] != 0 {
		s.ghosts[s.ghost] = s.marks[i]
		s.ghost = (s.ghost + 1) % cacheGhost
	}
	s.fill(i, at.mark, key, p)
}
