// Package peers compares package ed25519 with other libraries, and checks it against the vectors of Wycheproof as they
// come in its Go module. It is a module of its own, so that neither enters the module graph of a user of stmverify.
//
//	go test ./...
//	go test -run '^$' -bench Ratio -benchtime 40x ./...
//
// The benchmarks run the two sides in turn in one process and report the median of the ratios of the rounds, in CPU time
// and on the wall, which a busy machine disturbs less than either time.
package peers
