package ed25519

import (
	"github.com/stmverify/stmverify/internal/lanes/curve25519"
	"github.com/stmverify/stmverify/internal/lanes/hash"
)

// lanesSpan is the number of signatures from which a task in lanes gets no cheaper a signature.
const lanesSpan = 64

// lanes is the working memory of a worker for the lanes.
type lanes struct {
	items   []curve25519.Item
	index   []int32 // of each lane item among the items of the task
	ok      []bool
	prefix  [8][64]byte
	message [8][]byte
	digests [taskItems][hash.Size]byte
	work    *curve25519.Workspace
}

// spanFor returns how many of n items make a task of phaseEach.
func spanFor(n, workers int) int {
	if !curve25519.Available() {
		return taskItems
	}
	share := (n + workers - 1) / workers
	return min(max((share+taskItems-1)/taskItems*taskItems, taskItems), lanesSpan)
}

// verifyEach decides items of the cofactorless modes, or the only item of a segment of the others, each by itself.
func (s *segment) verifyEach(w *worker, items []item) {
	if s.cofactored() || !curve25519.Available() {
		for i := range items {
			s.verifyItem(&items[i])
		}
		return
	}
	l := &w.lanes
	l.items, l.index = l.items[:0], l.index[:0]
	for i := range items {
		it := &items[i]
		if it.err != nil {
			continue
		}
		l.items = append(l.items, curve25519.Item{Key: &s.key(it).encoding, Signature: &it.sig, Message: s.message(it)})
		l.index = append(l.index, int32(i))
	}
	ok := l.ok[:len(l.items)]
	if s.mode == Strict {
		l.work.VerifyStrict(ok, l.items)
	} else {
		l.work.VerifyCofactorless(ok, l.items)
	}
	for j, i := range l.index {
		if it := &items[i]; !ok[j] {
			it.err = cofactorlessReason(s.key(it).encoding[:])
		}
	}
	clear(l.items) // they point to the messages of the batch
}

// challenges sets digests to the challenges of the items.
func (s *segment) challenges(w *worker, items []item) *[taskItems][hash.Size]byte {
	l := &w.lanes
	if !curve25519.Available() {
		for i := range items {
			if it := &items[i]; it.err == nil {
				l.digests[i] = challenge(s.key(it).encoding[:], s.message(it), it.sig[:])
			}
		}
		return &l.digests
	}
	for from := 0; from < len(items); from += 8 {
		for lane := range 8 {
			it := &items[min(from+lane, len(items)-1)]
			if it.err != nil {
				l.message[lane] = nil
				continue
			}
			copy(l.prefix[lane][:32], it.sig[:32])
			copy(l.prefix[lane][32:], s.key(it).encoding[:])
			l.message[lane] = s.message(it)
		}
		hash.SHA512((*[8][hash.Size]byte)(l.digests[from:]), &l.prefix, &l.message)
	}
	clear(l.message[:])
	return &l.digests
}
