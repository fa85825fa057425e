// Package bundle carries verified chains from one machine to another in one file, which the other verifies again.
//
// A bundle is a zstd stream of JSON lines, so that common tools can look into it: a header that says what it is, then one
// certificate a line, then a line with the number of certificates and a digest, which tells a bundle that was cut short
// or damaged on its way. Nothing in a bundle is trusted: its header names a network and a genesis key for people and for
// better errors, and a client verifies its certificates as it would those of an aggregator. To that end [Bundle]
// implements provider.Provider.
package bundle
