// Package stm is the stake-based threshold multi-signature scheme of Mithril in its concatenation form (SPEC 2 and 4):
// parameters, the lottery, aggregate verification keys, aggregate signatures and their three encodings.
//
// [AggregateSignature.Check] checks everything of a proof but the pairing: that every index is in range, unique and won the
// lottery under its signer's stake, that there are at least k of them, and that all signers are in the tree the aggregate
// verification key commits to. What remains is a [multisig.Claim], to be verified with many others (package batch).
// [AggregateSignature.Verify] does both.
//
// A proof shows that signers with enough stake signed a message. It does not show who chose the aggregate verification key
// and the parameters it is checked under: that is what a chain of certificates is for (package chain).
//
// The functions of this package are pure and run in variable time. All types are safe for concurrent use once made. The
// sizes of inputs are bounded by package internal/limits before anything is allocated for them.
package stm
