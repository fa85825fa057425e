package ed25519

import (
	"context"
	"fmt"
	"testing"
)

// benchmarkMessage has the length of a small transaction.
const benchmarkMessage = "128 bytes: " +
	"................................................................................................................12345"

// benchmarkSignatures returns n valid signatures of messages of 128 bytes by distinct keys.
func benchmarkSignatures(n int) []signed {
	many := make([]signed, n)
	for i := range many {
		many[i] = sign(i, benchmarkMessage)
	}
	return many
}

func BenchmarkVerify(b *testing.B) {
	s := sign(1, benchmarkMessage)
	for _, mode := range modes {
		b.Run("mode="+mode.String(), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := Verify(mode, s.pub, s.msg, s.sig); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkBatch adds and verifies n signatures with memory of earlier batches.
func BenchmarkBatch(b *testing.B) {
	for _, mode := range []Mode{Strict, CofactoredStrict, ZIP215} {
		for _, workers := range []int{1, 2} {
			for _, n := range []int{1, 16, 64, 256, 1024, 4096} {
				b.Run(fmt.Sprintf("mode=%v/workers=%d/n=%d", mode, workers, n), func(b *testing.B) {
					all := benchmarkSignatures(n)
					batch := newBatch(b, mode, Options{Workers: workers})
					b.ReportAllocs()
					for b.Loop() {
						batch.Reset()
						for _, s := range all {
							batch.Add(s.pub, s.msg, s.sig)
						}
						if err := batch.Verify(context.Background()); err != nil {
							b.Fatal(err)
						}
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/signature")
				})
			}
		}
	}
}

// BenchmarkBatchAdd measures the part that only the caller's goroutine does.
func BenchmarkBatchAdd(b *testing.B) {
	all := benchmarkSignatures(1024)
	batch := newBatch(b, ZIP215, Options{})
	b.ReportAllocs()
	for b.Loop() {
		batch.Reset()
		for _, s := range all {
			batch.Add(s.pub, s.msg, s.sig)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(all)), "ns/signature")
}
