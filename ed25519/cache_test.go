package ed25519

import (
	"context"
	"encoding/binary"
	"sync"
	"testing"

	"github.com/stmverify/stmverify/ed25519/internal/edwards"
)

// cacheKey returns the i-th key that stands for a key; the cache does not look inside.
func cacheKey(i int) (key [PublicKeySize]byte) {
	binary.LittleEndian.PutUint64(key[:], uint64(i))
	return key
}

// lookUp does what a batch does with a key.
func lookUp(c *KeyCache, key [PublicKeySize]byte) (found bool) {
	var p edwards.Point
	at := c.place(&key)
	if c.get(&p, at, &key) {
		return true
	}
	c.put(at, &key, &edwards.Identity)
	return false
}

// TestCacheVerdicts checks that a cache changes no verdict, be it cold, warm or too small.
func TestCacheVerdicts(t *testing.T) {
	t.Parallel()
	all := signMany(120, 60)
	r := newRand(6)
	cases := edgeCases()
	for range 100 {
		all = append(all, cases[r.IntN(len(cases))].signed)
	}
	all[5] = all[5].spoil()
	for _, mode := range modes {
		for _, size := range []int{1, 10_000} {
			b := newBatch(t, mode, Options{Workers: 2, Cache: NewKeyCache(size)})
			for range 3 {
				checkBatch(t, b, all)
			}
		}
	}
}

// TestCacheStats counts the look-ups of batches.
func TestCacheStats(t *testing.T) {
	cache := NewKeyCache(1 << 16) // so large that hardly ever three keys meet in a set
	b := newBatch(t, ZIP215, Options{Cache: cache})
	all := signMany(50, 20)
	for range 3 {
		b.Reset()
		addAll(t, b, all)
		if err := b.Verify(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	if hits, misses := cache.Stats(); hits != 40 || misses != 20 {
		t.Errorf("got %d hits and %d misses, want 40 and 20", hits, misses)
	}
}

// TestCacheRefusesNonPoints: a key that encodes no point takes no place.
func TestCacheRefusesNonPoints(t *testing.T) {
	cache := NewKeyCache(100)
	b := newBatch(t, ZIP215, Options{Cache: cache})
	bad := sign(1, "m")
	bad.pub = append([]byte{2}, make([]byte, 31)...)
	for range 3 {
		checkBatch(t, b, []signed{bad, sign(2, "m")})
	}
	if hits, misses := cache.Stats(); hits != 2 || misses != 4 {
		t.Errorf("got %d hits and %d misses, want 2 and 4", hits, misses)
	}
}

// TestCacheKeysAreBytes: the canonical encoding of a point and another one are two keys.
func TestCacheKeysAreBytes(t *testing.T) {
	cache := NewKeyCache(100)
	b := newBatch(t, ZIP215, Options{Cache: cache})
	var all []signed
	for _, c := range edgeCases() {
		if Verify(ZIP215, c.pub, c.msg, c.sig) == nil {
			all = append(all, c.signed)
		}
	}
	for range 2 {
		checkBatch(t, b, all)
	}
}

func TestCacheBounded(t *testing.T) {
	const keys = 64
	c := NewKeyCache(keys)
	for i := range 100 * keys {
		lookUp(c, cacheKey(i))
	}
	filled := 0
	for i := range c.sets {
		for _, m := range c.sets[i].marks {
			if m != 0 {
				filled++
			}
		}
	}
	if len(c.sets)*cacheWays != keys || filled > keys {
		t.Errorf("%d places, %d filled, want %d", len(c.sets)*cacheWays, filled, keys)
	}
}

// TestCacheFlood: keys in regular use survive any number of keys that come once.
func TestCacheFlood(t *testing.T) {
	c := NewKeyCache(1024)
	const regular = 100
	for range 3 {
		for i := range regular {
			lookUp(c, cacheKey(i))
		}
	}
	for i := range 100_000 {
		lookUp(c, cacheKey(1_000_000+i))
	}
	found := 0
	for i := range regular {
		if lookUp(c, cacheKey(i)) {
			found++
		}
	}
	// A set with more than six of the 100 keys cannot hold them all; in 128 sets that hardly ever happens.
	if found < regular-5 {
		t.Errorf("%d of %d keys survived", found, regular)
	}
}

// TestCacheRegularKeysGiveWay: keys that go out of use make room for those that come into use.
func TestCacheRegularKeysGiveWay(t *testing.T) {
	c := NewKeyCache(256)
	for generation := range 5 {
		for range 5 {
			for i := range 60 {
				lookUp(c, cacheKey(1000*generation+i))
			}
		}
		found := 0
		for i := range 60 {
			if lookUp(c, cacheKey(1000*generation+i)) {
				found++
			}
		}
		if found < 50 {
			t.Errorf("generation %d: %d of 60 keys in use are known", generation, found)
		}
	}
}

// TestCacheConcurrent verifies on several goroutines with one cache, small enough for constant eviction.
func TestCacheConcurrent(t *testing.T) {
	cache := NewKeyCache(32)
	all := signMany(100, 100)
	all[50] = all[50].spoil()
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			b, err := NewBatch(CofactoredStrict, Options{Workers: 2, Cache: cache})
			if err != nil {
				t.Error(err)
				return
			}
			for range 3 {
				b.Reset()
				for _, s := range all {
					b.Add(s.pub, s.msg, s.sig)
				}
				if err := b.Verify(context.Background()); err == nil {
					t.Error("the spoilt signature was accepted")
				}
				for i, err := range b.Verdicts(nil) {
					if (err != nil) != (i == 50) {
						t.Errorf("signature %d: %v", i, err)
					}
				}
			}
		})
	}
	wg.Wait()
}

// TestCacheComparesKeys: two keys may have one place and one mark, and are two keys still; the point of the other would make an
// invalid signature valid.
func TestCacheComparesKeys(t *testing.T) {
	c := NewKeyCache(8)
	known, other := cacheKey(1), cacheKey(2)
	at := c.place(&known)
	var p edwards.Point
	for range 3 { // new, again, and regular
		c.put(at, &known, &edwards.Identity)
		if !c.get(&p, at, &known) {
			t.Fatal("the key is not known")
		}
		if c.get(&p, at, &other) {
			t.Error("another key with the same mark counts as known")
		}
	}
}

// TestCacheAfterRefusals puts signatures that are refused at once into the memory of a batch of valid ones: of these no key is
// looked up.
func TestCacheAfterRefusals(t *testing.T) {
	b := newBatch(t, ZIP215, Options{Workers: 1, Cache: NewKeyCache(100)})
	checkBatch(t, b, signMany(40, 40))
	all := signMany(40, 40)
	for i := range 38 {
		all[2+i].sig = all[2+i].sig[:63]
	}
	checkBatch(t, b, all)
}
