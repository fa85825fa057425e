// Package ed25519 verifies Ed25519 signatures under one of four named rule sets, one signature at a time.
//
// The rule sets differ only on inputs that no honest signer produces, and it is on such inputs that two verifiers of
// one protocol come apart. A caller therefore names the rule set in every call; see [Mode].
//
// Verification runs in variable time: keys, messages and signatures are public. The package does not sign and does not
// generate keys; crypto/ed25519 does.
package ed25519
