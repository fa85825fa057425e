// Package benches measures this module the way criterion.rs measures Rust
// crates: warm-up, linear or flat sampling, bootstrap intervals, outlier
// classes, saved baselines and verdicts on changes.
//
// A [Benchmark] is a row of a table in package suites. A [Runner] turns rows
// into a [Run]: machine, configuration, raw samples and estimates, which is
// what a baseline file holds, so that every figure in a report can be computed
// again from it. [Compare] judges one run by another, with Holm's correction
// over all rows. [Interleave] measures several contestants (two binaries, or a
// peer) in turn, so that drift of the machine cancels.
//
// Package report renders runs; the command `stmverify bench` is the front end.
//
// Nothing here is needed to verify anything: no other package of the module
// but the command imports it.
package benches
