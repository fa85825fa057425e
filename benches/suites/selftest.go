package suites

import (
	"context"

	"golang.org/x/crypto/blake2b"

	"github.com/stmverify/stmverify/benches"
)

// selfTestRounds is how many hashes one iteration of the self-test does. The
// script that plants a regression builds a second binary with more.
const selfTestRounds = 1000

// selfTest is a benchmark of known work: a chain of hashes. It shows what the
// machine and the method can tell apart.
func selfTest() []*benches.Benchmark {
	return []*benches.Benchmark{{
		Group: "selftest", Function: "blake2b", Elements: selfTestRounds, Unit: "hashes",
		Setup: func(context.Context, *benches.Env) (*benches.Op, error) {
			var h [32]byte
			return &benches.Op{Run: func() error {
				for range selfTestRounds {
					h = blake2b.Sum256(h[:])
				}
				return nil
			}}, nil
		},
	}}
}
