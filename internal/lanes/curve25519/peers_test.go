//go:build amd64 && !purego && !nolanes

package curve25519

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"slices"
	"testing"
	"time"

	voi "github.com/oasisprotocol/curve25519-voi/primitives/ed25519"

	"github.com/stmverify/stmverify/internal/lanes/hash"
)

// batchCofactored is the work of a cofactored batch, with the parts of this
// package: what package ed25519 does around them is as here.
type batchCofactored struct {
	workspace  Workspace
	sum        Sum
	scratch    Scratch
	keys, rs   []Point
	points     []*Point
	encodings  []*[32]byte
	ok         []bool
	prefix     [8][64]byte
	messages   [8][]byte
	digests    [8][hash.Size]byte
	randomness []byte
}

func (b *batchCofactored) verify(items []Item) bool {
	n := len(items)
	if len(b.keys) < n {
		b.keys, b.rs, b.randomness = make([]Point, n), make([]Point, n), make([]byte, 16*n)
		b.points, b.encodings, b.ok = nil, nil, make([]bool, 2*n)
		for i := range n {
			b.points = append(b.points, &b.keys[i], &b.rs[i])
			b.encodings = append(b.encodings, items[i].Key, (*[32]byte)(items[i].Signature[:32]))
		}
	}
	if _, err := rand.Read(b.randomness); err != nil {
		return false
	}
	b.workspace.Decode(b.points, b.ok, b.encodings)
	if slices.Contains(b.ok, false) {
		return false
	}
	b.sum.Expect(n+1, n)
	var base scalar
	for i := range items {
		if i%8 == 0 {
			b.hash(items[i:min(i+8, n)])
		}
		var k, s, zk, zs scalar
		k.setWide(&b.digests[i%8])
		if !s.setBytes(items[i].Signature[32:]) {
			return false
		}
		z := [2]uint64{binary.LittleEndian.Uint64(b.randomness[16*i:]), binary.LittleEndian.Uint64(b.randomness[16*i+8:]) >> 1}
		zk.mulShort(&z, &k)
		zs.mulShort(&z, &s)
		b.sum.Set(i, &b.keys[i], (*[4]uint64)(&zk))
		b.sum.SetShort(i, &b.rs[i], &z)
		base = base.plus(&zs)
		if !base.less(&order) {
			base.subtract(&order)
		}
	}
	negative := order
	negative.subtract(&base)
	b.sum.SetBase(n, (*[4]uint64)(&negative))
	total := b.sum.run(1, &b.scratch)
	return total.isSmallOrder()
}

func (b *batchCofactored) hash(items []Item) {
	for lane := range 8 {
		item := &items[min(lane, len(items)-1)]
		copy(b.prefix[lane][:32], item.Signature[:32])
		copy(b.prefix[lane][32:], item.Key[:])
		b.messages[lane] = item.Message
	}
	hash.SHA512(&b.digests, &b.prefix, &b.messages)
}

func TestCofactoredBatch(t *testing.T) {
	needLanes(t)
	items := signed(t, 100, 50)
	b := new(batchCofactored)
	if !b.verify(items) {
		t.Error("valid batch refused")
	}
	items[37].Message = []byte("other")
	if b.verify(items) {
		t.Error("invalid batch accepted")
	}
}

// BenchmarkPeers runs the engines in turn and reports the median and the
// shortest time of each, and the ratios to curve25519-voi's batch.
func BenchmarkPeers(b *testing.B) {
	needLanes(b)
	for _, n := range []int{1, 8, 64, 1024} {
		items := signed(b, n, 128)
		ok := make([]bool, n)
		verifier := voi.NewBatchVerifierWithCapacity(n)
		batch, workspace := new(batchCofactored), new(Workspace)
		engines := []struct {
			name string
			run  func() bool
		}{
			{"voi", func() bool {
				verifier.Reset()
				for _, i := range items {
					verifier.Add(i.Key[:], i.Message, i.Signature[:])
				}
				valid, _ := verifier.Verify(rand.Reader)
				return valid
			}},
			{"strict", func() bool { workspace.VerifyStrict(ok, items); return !slices.Contains(ok, false) }},
			{"cofactored", func() bool { return batch.verify(items) }},
			{"voi1", func() bool { i := items[0]; return voi.Verify(i.Key[:], i.Message, i.Signature[:]) }},
			{"stdlib1", func() bool {
				for _, i := range items[:1] {
					if !ed25519.Verify(i.Key[:], i.Message, i.Signature[:]) {
						return false
					}
				}
				return true
			}},
		}
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			times := make([][]time.Duration, len(engines))
			for b.Loop() {
				for i, e := range engines {
					start := time.Now()
					if !e.run() {
						b.Fatal(e.name)
					}
					times[i] = append(times[i], time.Since(start))
				}
			}
			for i, e := range engines {
				slices.Sort(times[i])
				count := float64(n)
				if e.name == "stdlib1" || e.name == "voi1" {
					count = 1
				}
				b.ReportMetric(float64(times[i][len(times[i])/2].Nanoseconds())/count, e.name+"-ns")
				b.ReportMetric(float64(times[i][0].Nanoseconds())/count, e.name+"-min-ns")
			}
		})
	}
}
