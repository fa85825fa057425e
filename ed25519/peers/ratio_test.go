//go:build unix

package peers

import (
	"context"
	std "crypto/ed25519"
	"fmt"
	"math/rand/v2"
	"slices"
	"syscall"
	"testing"
	"time"

	consensus "github.com/hdevalence/ed25519consensus"
	voi "github.com/oasisprotocol/curve25519-voi/primitives/ed25519"

	"github.com/stmverify/stmverify/ed25519"
)

// messageSize is the length of the messages in bytes.
const messageSize = 128

// signMany returns n valid signatures by the given number of keys, which take turns.
func signMany(n, keys int) []signed {
	r := rand.NewChaCha8([32]byte{'p', 'e', 'e', 'r', 's'})
	read := func(size int) []byte {
		b := make([]byte, size)
		_, _ = r.Read(b)
		return b
	}
	private := make([]std.PrivateKey, keys)
	for i := range private {
		private[i] = std.NewKeyFromSeed(read(std.SeedSize))
	}
	many := make([]signed, n)
	for i := range many {
		key, msg := private[i%keys], read(messageSize)
		many[i] = signed{key.Public().(std.PublicKey), msg, std.Sign(key, msg)}
	}
	return many
}

// ours returns a function that verifies a batch of all in the mode, with memory of earlier rounds.
func ours(b *testing.B, mode ed25519.Mode, options ed25519.Options, all []signed) func() {
	batch, err := ed25519.NewBatch(mode, options)
	if err != nil {
		b.Fatal(err)
	}
	bad := len(oursBad(all))
	return func() {
		batch.Reset()
		for _, s := range all {
			batch.Add(s.pub, s.msg, s.sig)
		}
		if err := batch.Verify(context.Background()); (err == nil) != (bad == 0) {
			b.Fatal(err)
		}
	}
}

// oursBad returns the indices of the invalid signatures.
func oursBad(all []signed) (bad []int) {
	for i, s := range all {
		if !std.Verify(s.pub, s.msg, s.sig) {
			bad = append(bad, i)
		}
	}
	return bad
}

// voiBatch returns a function that does the same with curve25519-voi, the way its documentation shows. With reuse it
// keeps its memory between rounds and does not expand keys, which is its fastest way for large batches.
func voiBatch(b *testing.B, options *voi.VerifyOptions, all []signed, reuse bool) func() {
	kept := voi.NewBatchVerifierWithCapacity(len(all))
	opts := &voi.Options{Verify: options}
	want := len(oursBad(all)) == 0
	return func() {
		var v *voi.BatchVerifier
		if reuse {
			v = kept.Reset().ForceNoPublicKeyExpansion()
		} else {
			v = voi.NewBatchVerifierWithCapacity(len(all))
		}
		for _, s := range all {
			v.AddWithOptions(s.pub, s.msg, s.sig, opts)
		}
		if ok, _ := v.Verify(nil); ok != want {
			b.Fatal("unexpected verdict")
		}
	}
}

// consensusBatch returns a function that does the same with ed25519consensus.
func consensusBatch(b *testing.B, all []signed) func() {
	return func() {
		v := consensus.NewBatchVerifier()
		for _, s := range all {
			v.Add(s.pub, s.msg, s.sig)
		}
		if !v.Verify() {
			b.Fatal("unexpected verdict")
		}
	}
}

// clock is a time on the wall and in CPU time of the process, in nanoseconds.
type clock struct{ wall, cpu float64 }

func now(b *testing.B) clock {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return clock{float64(time.Since(origin).Nanoseconds()), float64(usage.Utime.Nano() + usage.Stime.Nano())}
}

var origin = time.Now()

// compare runs the two functions in turn and reports the median of time(peer)/time(subject) and its quartiles: in CPU
// time, which other processes disturb least, and on the wall; the ratio of the shortest times on the wall; and the
// median CPU time of the subject for each of n signatures. Garbage that a side makes is collected at its cost.
func compare(b *testing.B, n int, subject, peer func()) {
	b.Helper()
	repeat := max(1, 4096/n) // so that a round takes some ten milliseconds, batch after batch
	timed := func(f func()) clock {
		start := now(b)
		for range repeat {
			f()
		}
		end := now(b)
		return clock{end.wall - start.wall, end.cpu - start.cpu}
	}
	timed(subject)
	timed(peer)
	var wall, cpu, subjects, subjectWalls, peerWalls []float64
	for round := 0; b.Loop(); round++ {
		var s, p clock
		if round%2 == 0 {
			s, p = timed(subject), timed(peer)
		} else {
			p, s = timed(peer), timed(subject)
		}
		wall, cpu = append(wall, p.wall/s.wall), append(cpu, p.cpu/s.cpu)
		subjects = append(subjects, s.cpu/float64(n*repeat))
		subjectWalls, peerWalls = append(subjectWalls, s.wall), append(peerWalls, p.wall)
	}
	for _, list := range [][]float64{wall, cpu, subjects} {
		slices.Sort(list)
	}
	b.ReportMetric(0, "ns/op")
	for _, m := range []struct {
		unit string
		list []float64
	}{{"cpu-ratio", cpu}, {"wall-ratio", wall}} {
		b.ReportMetric(m.list[len(m.list)/4], m.unit+"-q1")
		b.ReportMetric(m.list[len(m.list)/2], m.unit)
		b.ReportMetric(m.list[len(m.list)*3/4], m.unit+"-q3")
	}
	b.ReportMetric(slices.Min(peerWalls)/slices.Min(subjectWalls), "wall-ratio-min")
	b.ReportMetric(subjects[len(subjects)/2], "cpu-ns/signature")
}

// one is the options for one core.
var one = ed25519.Options{Workers: 1}

// BenchmarkRatioVoi: distinct keys, one core, against curve25519-voi.
func BenchmarkRatioVoi(b *testing.B) {
	for _, mode := range []ed25519.Mode{ed25519.CofactoredStrict, ed25519.ZIP215} {
		options := map[ed25519.Mode]*voi.VerifyOptions{ed25519.CofactoredStrict: {}, ed25519.ZIP215: voi.VerifyOptionsZIP_215}[mode]
		for _, n := range []int{1, 4, 16, 64, 256, 1024, 4096} {
			all := signMany(n, n)
			for _, reuse := range []bool{false, true} {
				b.Run(fmt.Sprintf("mode=%v/n=%d/reuse=%t", mode, n, reuse), func(b *testing.B) {
					compare(b, n, ours(b, mode, one, all), voiBatch(b, options, all, reuse))
				})
			}
		}
	}
}

// BenchmarkRatioConsensus: distinct keys, one core, against ed25519consensus.
func BenchmarkRatioConsensus(b *testing.B) {
	for _, n := range []int{64, 1024, 4096} {
		all := signMany(n, n)
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			compare(b, n, ours(b, ed25519.ZIP215, one, all), consensusBatch(b, all))
		})
	}
}

// BenchmarkRatioEqualKeys: all signatures by one key, or by 100, against curve25519-voi.
func BenchmarkRatioEqualKeys(b *testing.B) {
	for _, n := range []int{64, 1024, 4096} {
		for _, keys := range []int{1, 100} {
			if keys > n {
				continue
			}
			all := signMany(n, keys)
			b.Run(fmt.Sprintf("n=%d/keys=%d", n, keys), func(b *testing.B) {
				compare(b, n, ours(b, ed25519.ZIP215, one, all), voiBatch(b, voi.VerifyOptionsZIP_215, all, false))
			})
		}
	}
}

// BenchmarkRatioOneBad: a batch with one invalid signature against one without, ours and curve25519-voi's. Here the
// ratio is time(bad)/time(good), so that less is better.
func BenchmarkRatioOneBad(b *testing.B) {
	for _, n := range []int{64, 1024, 4096} {
		good := signMany(n, n)
		bad := slices.Clone(good)
		spoilt := bad[n*2/3]
		spoilt.sig = slices.Clone(spoilt.sig)
		spoilt.sig[32] ^= 1
		bad[n*2/3] = spoilt
		b.Run(fmt.Sprintf("n=%d/library=stmverify", n), func(b *testing.B) {
			compare(b, n, ours(b, ed25519.ZIP215, one, good), ours(b, ed25519.ZIP215, one, bad))
		})
		b.Run(fmt.Sprintf("n=%d/library=voi", n), func(b *testing.B) {
			compare(b, n, voiBatch(b, voi.VerifyOptionsZIP_215, good, false), voiBatch(b, voi.VerifyOptionsZIP_215, bad, false))
		})
	}
}

// BenchmarkRatioAllBad: a batch of which all are invalid, or every tenth, against a good one; less is better.
func BenchmarkRatioAllBad(b *testing.B) {
	const n = 1024
	good := signMany(n, n)
	for _, oneIn := range []int{1, 2, 10, 100} {
		bad := slices.Clone(good)
		for i := range bad {
			if i%oneIn == 0 {
				bad[i].sig = slices.Clone(bad[i].sig)
				bad[i].sig[32] ^= 1
			}
		}
		b.Run(fmt.Sprintf("n=%d/bad=1:%d", n, oneIn), func(b *testing.B) {
			compare(b, n, ours(b, ed25519.ZIP215, one, good), ours(b, ed25519.ZIP215, one, bad))
		})
	}
}

// BenchmarkRatioWorkers: two workers against one.
func BenchmarkRatioWorkers(b *testing.B) {
	for _, mode := range []ed25519.Mode{ed25519.ZIP215, ed25519.Strict} {
		for _, n := range []int{64, 256, 1024, 4096, 16384} {
			all := signMany(n, n)
			b.Run(fmt.Sprintf("mode=%v/n=%d", mode, n), func(b *testing.B) {
				compare(b, n, ours(b, mode, ed25519.Options{Workers: 2}, all), ours(b, mode, one, all))
			})
		}
	}
}

// BenchmarkRatioCache: a warm cache of keys against none.
func BenchmarkRatioCache(b *testing.B) {
	for _, n := range []int{64, 1024, 4096} {
		all := signMany(n, n)
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			cached := ed25519.Options{Workers: 1, Cache: ed25519.NewKeyCache(8 * n)}
			compare(b, n, ours(b, ed25519.ZIP215, cached, all), ours(b, ed25519.ZIP215, one, all))
		})
	}
}

// BenchmarkRatioSingle: one signature at a time, strict against crypto/ed25519 and ZIP-215 against ed25519consensus.
func BenchmarkRatioSingle(b *testing.B) {
	all := signMany(64, 64)
	single := func(mode ed25519.Mode) func() {
		return func() {
			for _, s := range all {
				if err := ed25519.Verify(mode, s.pub, s.msg, s.sig); err != nil {
					b.Fatal(err)
				}
			}
		}
	}
	b.Run("strict/crypto-ed25519", func(b *testing.B) {
		compare(b, len(all), single(ed25519.Strict), func() {
			for _, s := range all {
				if !std.Verify(s.pub, s.msg, s.sig) {
					b.Fatal("unexpected verdict")
				}
			}
		})
	})
	b.Run("zip215/ed25519consensus", func(b *testing.B) {
		compare(b, len(all), single(ed25519.ZIP215), func() {
			for _, s := range all {
				if !consensus.Verify(s.pub, s.msg, s.sig) {
					b.Fatal("unexpected verdict")
				}
			}
		})
	})
}

// BenchmarkRatioUneven: groups of one size against one group of 4 096 and many of 1 to 4, of as many signatures in all,
// on two workers. Every group has a key of its own, as blocks have a producer.
func BenchmarkRatioUneven(b *testing.B) {
	const total, big = 8192, 4096
	group := func(sizes func(i int) int) (all []signed) {
		pool := signMany(total, total)
		for i := 0; len(all) < total; i++ {
			n := min(sizes(i), total-len(all))
			all = append(all, pool[len(all):len(all)+n]...)
		}
		return all
	}
	even := group(func(int) int { return 64 })
	uneven := group(func(i int) int {
		if i == 0 {
			return big
		}
		return 1 + i%4
	})
	two := ed25519.Options{Workers: 2}
	compare(b, total, ours(b, ed25519.ZIP215, two, uneven), ours(b, ed25519.ZIP215, two, even))
}
