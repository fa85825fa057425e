// Package keyreg registers the parties of an epoch and closes the registration into the tree that an aggregate
// verification key commits to (SPEC 4.4 and 12).
//
// A [Party] is what a party publishes: a verification key, a proof that it holds the secret key, and its stake. A
// [Registration] takes parties in any order, refuses keys it has and proofs that do not verify, and is closed once. A
// [Closed] registration gives every party its index, the position in the order of stakes and then of key bytes, and
// makes Merkle paths. Package stm builds the aggregate verification key from it.
//
// The proof of possession is what makes it safe to add keys up: without it, a party could register a key made of
// others' keys. It is not part of certificates, so that whoever rebuilds a key from public data has to check it here.
// Whether a stake is the party's real stake is not visible here; it comes from the ledger.
package keyreg
