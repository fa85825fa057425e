package chain

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stmverify/stmverify/internal/testkit/vectors"
)

// BenchmarkVerify verifies whole chains, decoding included. The preprod chain is public data beside the project.
func BenchmarkVerify(b *testing.B) {
	for _, dir := range []string{"testdata/chains/mainnet-like", "testdata/chains/small", vectors.Shared + "real/preprod"} {
		for _, jobs := range []int{1, 2} {
			b.Run(fmt.Sprintf("chain=%s/jobs=%d", filepath.Base(dir), jobs), func(b *testing.B) {
				raw, trust := readChain(b, dir)
				walked := walk(b, raw)
				for b.Loop() {
					if _, err := VerifyEncoded(context.Background(), sequence(walked), trust, WithJobs(jobs)); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(walked)), "ns/certificate")
			})
		}
	}
}
