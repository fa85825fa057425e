package ed25519

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"hash/maphash"
	"sync/atomic"

	"github.com/stmverify/stmverify/ed25519/internal/edwards"
)

const (
	// maxSegment bounds the signatures of one sum. Beyond it a sum gets no cheaper a signature and leaves the caches.
	maxSegment = 8192
	// minSum is the least number of signatures for which a sum costs less than verifying each.
	minSum = 2
	// taskItems is the number of signatures of one task: the least that is worth another goroutine.
	taskItems = 16
	// termTask is the number of items whose terms one task sets.
	termTask = 128
	// coefficientSize is the length of a coefficient in bytes.
	coefficientSize = 16
)

// segment is a part of a batch that is verified as one.
type segment struct {
	mode     Mode
	cache    *KeyCache
	first    int // index of the first item in the batch
	items    []item
	messages []byte // of all items, one after the other
	table    keyTable
	shared   []int32 // the items whose key an earlier one has

	sealed  bool // takes no more items
	started bool // belongs to the background or to Verify
	decided bool // every item has its verdict
	bad     int  // items with an error, once decided
	span    int  // items of a task of phaseEach

	flawed atomic.Bool // some item is refused before the sum

	active     []int32 // the items whose equations may be summed
	summed     []int32 // the items of a sum of some
	summedKeys []int32 // the keys of that sum
	sums       uint32  // numbers the sums since the last reset
	single     []int32 // the items that are left to a verification by itself
	search     search

	random func([]byte) // source of coefficients; only tests change it
}

// item is one signature.
type item struct {
	err      error // the verdict, nil until something speaks against the item
	sig      [SignatureSize]byte
	key      int32 // number in the table
	from, to int   // the message is messages[from:to]
	r        edwards.Point
	z        edwards.Short  // coefficient of R
	zk, zs   edwards.Scalar // coefficients of A and of -B
	rOnCurve bool
	first    bool // no earlier item has its key
}

// phase says what a task of a crew is.
type phase uint8

const (
	phaseEach    phase = iota // verify items by themselves
	phasePrepare              // decode points, hash, draw coefficients, set the terms of the sum of all
	phaseTerms                // set the terms of a sum of some
	phaseSum                  // a task of the sum
	phaseSingle               // verify the items of s.single
)

func newSegment() *segment {
	return &segment{table: keyTable{seed: maphash.MakeSeed()}, random: readRandom}
}

// readRandom fills b with secret random bytes. Where there are none, crypto/rand ends the program.
func readRandom(b []byte) { _, _ = rand.Read(b) }

// reset empties the segment.
func (s *segment) reset(mode Mode, cache *KeyCache, first int) {
	s.mode, s.cache, s.first = mode, cache, first
	s.items, s.messages, s.shared = s.items[:0], s.messages[:0], s.shared[:0]
	s.table.reset()
	s.sealed, s.started, s.decided, s.bad, s.sums = false, false, false, 0, 0
}

// add copies a signature into the segment and applies the rules on encodings.
func (s *segment) add(publicKey, message, sig []byte) {
	it := extend(&s.items)
	it.first = false
	if it.err = checkEncoding(s.mode, publicKey, sig); it.err != nil {
		return // nothing more will be asked about it
	}
	it.sig = [SignatureSize]byte(sig)
	it.from = len(s.messages)
	s.messages = append(s.messages, message...)
	it.to = len(s.messages)
	if s.cofactored() {
		if it.key, it.first = s.table.add((*[PublicKeySize]byte)(publicKey)); !it.first {
			s.shared = append(s.shared, int32(len(s.items)-1))
		}
		return
	}
	it.key = s.table.append((*[PublicKeySize]byte)(publicKey))
}

// extend appends an element and returns it, with what memory of an earlier batch it has: to clear it would be a tenth of
// the work of adding.
func extend[T any](list *[]T) *T {
	n := len(*list)
	if n == cap(*list) {
		*list = append(*list, *new(T))
	}
	*list = (*list)[:n+1]
	return &(*list)[n]
}

// cofactored reports whether the equations of the mode may be summed.
func (s *segment) cofactored() bool { return s.mode == CofactoredStrict || s.mode == ZIP215 }

// key returns the public key of an item.
func (s *segment) key(it *item) *batchKey { return &s.table.keys[it.key] }

// message returns the message of an item.
func (s *segment) message(it *item) []byte { return s.messages[it.from:it.to] }

// verify decides every item. On an error none is decided, and verify can be called again.
func (s *segment) verify(ctx context.Context, c *crew) error {
	if s.decided {
		return nil
	}
	c.begin()
	err := s.decide(ctx, c)
	c.end()
	if err != nil {
		return err
	}
	s.bad = 0
	for i := range s.items {
		if s.items[i].err != nil {
			s.bad++
		}
	}
	s.decided = true
	return nil
}

func (s *segment) decide(ctx context.Context, c *crew) error {
	if s.apart() {
		s.span = spanFor(len(s.items), len(c.workers))
		return c.run(ctx, s, phaseEach, (len(s.items)+s.span-1)/s.span)
	}
	c.sum.Expect(len(s.table.keys)+1, len(s.items))
	for _, w := range c.workers {
		w.base = edwards.Scalar{}
	}
	s.flawed.Store(false)
	if err := c.run(ctx, s, phasePrepare, tasksFor(len(s.items))); err != nil {
		return err
	}
	if s.flawed.Load() {
		s.collect()
		return s.verifySums(ctx, c)
	}
	total, err := s.whole(ctx, c)
	if err != nil || total.IsSmallOrder() {
		return err
	}
	s.collect()
	return s.find(ctx, c, total)
}

// apart reports whether every item is verified by itself.
func (s *segment) apart() bool { return !s.cofactored() || len(s.items) < minSum }

// tasksFor returns the number of tasks for n items.
func tasksFor(n int) int { return (n + taskItems - 1) / taskItems }

// do carries out one task.
func (s *segment) do(c *crew, w *worker, task int) {
	switch c.phase {
	case phaseEach:
		s.verifyEach(w, s.items[task*s.span:min((task+1)*s.span, len(s.items))])
	case phasePrepare:
		s.prepare(&c.sum, w, task)
	case phaseTerms:
		s.setTerms(&c.sum, task)
	case phaseSum:
		c.sum.Do(task, &w.scratch)
	case phaseSingle:
		for _, i := range s.single[task*taskItems : min((task+1)*taskItems, len(s.single))] {
			s.verifyItem(&s.items[i])
		}
	}
}

// verifyItem decides one item by itself.
func (s *segment) verifyItem(it *item) {
	if it.err != nil {
		return
	}
	if s.cofactored() {
		it.err = verifyCofactored(s.key(it).encoding[:], s.message(it), it.sig[:])
		return
	}
	it.err = verifyCofactorless(s.key(it).encoding[:], s.message(it), it.sig[:])
}

// prepare decodes R and the keys that no earlier item has, computes the coefficients of the equation for the items of one
// task and sets their terms in the sum of all. What one signature needs stays on one core.
func (s *segment) prepare(sum *edwards.Sum, w *worker, task int) {
	items := s.items[task*taskItems : min((task+1)*taskItems, len(s.items))]
	s.random(w.coefficients[:])
	s.touch(w, items)
	hashes := s.challenges(w, items)
	for i := range items {
		it := &items[i]
		if it.err != nil {
			continue
		}
		it.weigh(s.coefficient((*[coefficientSize]byte)(w.coefficients[i*coefficientSize:])), &hashes[i])
		w.decoder.Add(&it.r, &it.rOnCurve, it.encodedR())
		if it.first {
			s.decode(w, w.places[i], s.key(it))
		}
	}
	w.decoder.Flush()
	for i := range items {
		if !s.setItem(sum, w, task*taskItems+i, w.places[i]) {
			s.flawed.Store(true)
		}
	}
}

// coefficient makes 128 random bits a coefficient, and draws others for one that is 0: it would accept anything.
func (s *segment) coefficient(bits *[coefficientSize]byte) edwards.Short {
	for {
		z := edwards.Short{binary.LittleEndian.Uint64(bits[:8]), binary.LittleEndian.Uint64(bits[8:])}
		z.Balance()
		if z != (edwards.Short{}) {
			return z
		}
		s.random(bits[:])
	}
}

// weigh sets the coefficients of the item's equation.
func (it *item) weigh(z edwards.Short, hash *[64]byte) {
	it.z = z
	var k, sc edwards.Scalar
	k.SetWide(hash)
	it.zk.MulShort(&it.z, &k)
	sc.SetReduced((*[32]byte)(it.sig[32:]))
	it.zs.MulShort(&it.z, &sc)
}

// touch finds the places of the items' keys in the cache and asks the memory for them.
func (s *segment) touch(w *worker, items []item) {
	if s.cache == nil {
		return
	}
	for i := range items {
		if it := &items[i]; it.first {
			w.places[i] = s.cache.place(&s.key(it).encoding)
			w.places[i].touch()
		}
	}
}

// decode finds the point of a key, at the latest when the worker's decoder is flushed.
func (s *segment) decode(w *worker, at cachePlace, k *batchKey) {
	if k.cached = s.cache != nil && s.cache.get(&k.point, at, &k.encoding); k.cached {
		k.onCurve = true
		return
	}
	w.decoder.Add(&k.point, &k.onCurve, &k.encoding)
}

// setItem sets the terms of an item in the sum of all and reports whether it can be there.
func (s *segment) setItem(sum *edwards.Sum, w *worker, i int, at cachePlace) bool {
	it := &s.items[i]
	if it.err != nil {
		return false
	}
	if it.first {
		k := s.key(it)
		if s.cache != nil && k.onCurve && !k.cached {
			s.cache.put(at, &k.encoding, &k.point)
		}
		if !k.onCurve {
			return false
		}
		k.scalar = it.zk
		sum.Set(int(it.key), &k.point, &k.scalar)
	}
	if !it.rOnCurve {
		return false
	}
	sum.SetShort(i, &it.r, &it.z)
	w.base.Add(&w.base, &it.zs)
	return true
}

// encodedR returns the first half of the signature.
func (it *item) encodedR() *[32]byte { return (*[32]byte)(it.sig[:32]) }

// collect refuses the items whose points are not on the curve and lists the others.
func (s *segment) collect() {
	s.active = s.active[:0]
	for i := range s.items {
		it := &s.items[i]
		switch {
		case it.err != nil:
		case !s.key(it).onCurve:
			it.err = ErrPublicKeyNotOnCurve
		case !it.rOnCurve:
			it.err = ErrNonceNotOnCurve
		default:
			s.active = append(s.active, int32(i))
		}
	}
}
