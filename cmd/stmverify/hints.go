package main

import "github.com/stmverify/stmverify/verdict"

// ruleHints says, for each rule, what usually breaks it and where to look.
var ruleHints = map[verdict.Rule]string{
	verdict.RuleCertificateHashMismatch:    "some field of this certificate differs from what was hashed: 'stmverify certificate explain' shows each part",
	verdict.RulePreviousHashMismatch:       "the next certificate of the walk is not the one that this certificate names as its parent",
	verdict.RuleCertificateNotFound:        "a certificate is missing between this one and genesis: fetch the one that previous_hash names",
	verdict.RuleChainLoop:                  "a certificate is its own ancestor: no honest chain has that",
	verdict.RuleSignedMessageMismatch:      "a part of the protocol message was changed after it was signed, or is missing",
	verdict.RuleEpochMismatch:              "the epoch of the certificate is not the current_epoch that its message signs",
	verdict.RuleEpochGap:                   "a certificate of each epoch is needed: the chain skips at least one",
	verdict.RuleAVKMismatch:                "the parent signed another set of signers for this epoch",
	verdict.RuleProtocolParametersMismatch: "the parent signed other protocol parameters for this epoch",
	verdict.RuleGenesisSignatureInvalid:    "is this the genesis verification key of that network? 'stmverify networks' lists the published ones",
	verdict.RuleMultiSignatureInvalid:      "the signers did not sign this message, or the proof was changed: 'stmverify certificate explain' shows which check fails",
	verdict.RuleMalformed:                  "this is not a certificate as an aggregator serves it at /certificate/{hash}",
	verdict.RuleLimitExceeded:              "no real certificate comes near this bound",
	verdict.RuleUnsupported:                "SNARK proofs and the rigid message scheme of the Lagrange era are recognised, not verified",
	verdict.RuleEpochDecreases:             "a parent is never of a later epoch than its child",
	verdict.RuleRequestedHashMismatch:      "the first certificate is not the one asked for",
	verdict.RuleMessagePartMalformed:       "a message part does not have the form of its kind, which would make the signed text ambiguous",
	verdict.RuleParametersOutOfRange:       "protocol parameters must satisfy k >= 1, m >= k and 0 < phi_f <= 1",
	verdict.RuleDateOutOfRange:             "dates must lie between the years 1678 and 2261",
	verdict.RuleGenesisChildUnpinned:       "a certificate of the genesis epoch rests on values that the genesis key did not sign: pin its AVK to accept it",
	verdict.RuleGenesisNotPinned:           "the chain is valid but ends in another genesis certificate than the pinned one: a re-genesis, or another network",
	verdict.RuleNetworkMismatch:            "these certificates belong to another network than --network says",
	verdict.RuleChainTooLong:               "a chain has at most one certificate an epoch and three more",
}
