// Package suites is the table of everything this module measures: batches of
// aggregate signatures, STM proofs, plain BLS, whole chains, the stages of a
// verification, registration, lotteries, and Ed25519 against other libraries.
//
// Inputs are made from fixed seeds at the first use and kept in a cache
// outside of the repository. Every suite is also a Benchmark function for
// `go test -bench`, so that benchstat can judge it.
package suites

import "github.com/stmverify/stmverify/benches"

// All returns every benchmark, in the order of the report.
func All() []*benches.Benchmark {
	var all []*benches.Benchmark
	for _, suite := range []func() []*benches.Benchmark{
		chains, stages, stmProofs, multiSig, bls, registrations, ed25519Batches, selfTest,
	} {
		all = append(all, suite()...)
	}
	return all
}
