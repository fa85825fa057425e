// Package chain verifies chains of Mithril certificates: from a leaf down to the Ed25519-signed genesis certificate, or to a
// checkpoint that was verified before (SPEC 5, 6, 9.4 and 11).
//
// # What it verifies
//
// Of every certificate its hash, its message, that its multi-signature is valid under its own aggregate verification key and
// parameters, and that both are those its parent signed. The multi-signatures of the whole chain are verified together by
// random linear combinations (package batch); a [Verified] exists only after the last of them was accepted. When a
// combination fails, every certificate and every signature that caused it is named.
//
// # What it does not verify
//
// Only the protocol message is signed. The network name, the dates, the list of signers and the signed entity type of a
// certificate are not (SPEC 0); [Record] keeps them apart. All test networks share one genesis key, so that a chain of one
// verifies as a chain of another unless a genesis certificate or a checkpoint is pinned in [Trust].
//
// # Order, cost, concurrency
//
// Certificates come in walk order, the leaf first, from an iterator that runs on the caller's goroutine. They are decoded and
// checked by as many goroutines as [WithJobs] says, with bounded queues: neither the input nor the chain is held in memory,
// only a [Record] of about 1 kB a certificate. Of all that is wrong, what stands nearest to the leaf is reported, and on one
// certificate the pairing last; so neither verdict nor error depend on the number of jobs or on batching. No goroutine outlives a
// call. The link between two certificates is looked at after both have passed by themselves.
package chain
