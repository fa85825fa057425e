// Package ed25519 verifies Ed25519 signatures under one of four named rule sets, one signature at a time or many at
// once.
//
// The rule sets differ only on inputs that no honest signer produces, and it is on such inputs that two verifiers of
// one protocol come apart. A caller therefore names the rule set in every call; see [Mode]. Under each of them the
// verdict on a signature, with its reason, is a function of the key, the message and the signature alone: [Verify] and
// [Batch] give the same one, whatever else is in the batch.
//
// A key is 32 bytes, a signature 64. Other lengths are refused, not a mistake of the caller. Every refusal wraps
// verdict.ErrInvalid.
//
// # Cost
//
// A valid signature costs no allocation, neither singly nor, once a batch has grown, in a batch. Without AVX-512 IFMA,
// [Strict] and [StdLib] cost what crypto/ed25519 costs, in a batch on all cores; the cofactored modes cost about three
// quarters of that singly and between a third and an eighth of it in a batch. With it, a single signature costs about
// half of crypto/ed25519, and one in a batch of 64 and more about a tenth.
//
// One invalid signature in a batch of a cofactored mode makes it cost less than twice as much. Any number of them makes
// it cost at most about half as much again as verifying each signature by itself.
//
// # What it does not do
//
// It does not sign and does not generate keys; crypto/ed25519 does. It does not know the variants Ed25519ctx and
// Ed25519ph. It runs in variable time: keys, messages and signatures are public.
//
// [Verify] and [KeyCache] are safe for concurrent use. A [Batch] is not.
package ed25519
