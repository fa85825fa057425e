package verdict

// Rule is the stable name of a rule of SPEC sections 5, 6 and 11.
type Rule string

// The rules of the specification, in the order in which SPEC 6 lists them.
const (
	RuleCertificateHashMismatch    Rule = "certificate-hash-mismatch"    // SPEC 6.1.3
	RulePreviousHashMismatch       Rule = "previous-hash-mismatch"       // SPEC 6.2.8
	RuleCertificateNotFound        Rule = "certificate-not-found"        // SPEC 6.3
	RuleChainLoop                  Rule = "chain-loop"                   // SPEC 6.1.2
	RuleSignedMessageMismatch      Rule = "signed-message-mismatch"      // SPEC 6.1.4
	RuleEpochMismatch              Rule = "epoch-mismatch"               // SPEC 6.1.6
	RuleEpochGap                   Rule = "epoch-gap"                    // SPEC 6.2.7
	RuleAVKMismatch                Rule = "avk-mismatch"                 // SPEC 6.2.9
	RuleProtocolParametersMismatch Rule = "protocol-parameters-mismatch" // SPEC 6.2.10
	RuleGenesisSignatureInvalid    Rule = "genesis-signature-invalid"    // SPEC 5.4
	RuleMultiSignatureInvalid      Rule = "multi-signature-invalid"      // SPEC 6.1.5
	RuleMalformed                  Rule = "malformed"                    // SPEC 1, 2
	RuleLimitExceeded              Rule = "limit-exceeded"               // SPEC 9.1
	RuleUnsupported                Rule = "unsupported"                  // SPEC 7, 10
)

// The rules in which this module is stricter than the reference (SPEC 9.4 and 11.3).
const (
	RuleEpochDecreases        Rule = "epoch-decreases"         // a parent is newer than its child
	RuleRequestedHashMismatch Rule = "requested-hash-mismatch" // the leaf is not the certificate asked for
	RuleMessagePartMalformed  Rule = "message-part-malformed"  // a message part does not have the shape of its kind
	RuleParametersOutOfRange  Rule = "parameters-out-of-range" // k >= 1, m >= k, 0 < phi_f <= 1
	RuleDateOutOfRange        Rule = "date-out-of-range"       // nanoseconds of a date do not fit in 64 bits
	RuleGenesisChildUnpinned  Rule = "genesis-child-unpinned"  // a same-epoch child of a genesis certificate
	RuleGenesisNotPinned      Rule = "genesis-not-pinned"      // the chain ends in another genesis certificate than the pinned one
	RuleNetworkMismatch       Rule = "network-mismatch"        // a certificate carries another network's name
	RuleChainTooLong          Rule = "chain-too-long"          // more certificates than SPEC 6.4 allows
)

// Detail says which part of [RuleMultiSignatureInvalid] was broken.
type Detail string

// The details of [RuleMultiSignatureInvalid], in the order in which SPEC 4 checks them.
const (
	DetailIndexOutOfRange   Detail = "index-out-of-range"
	DetailLotteryLost       Detail = "lottery-lost"
	DetailIndexNotUnique    Detail = "index-not-unique"
	DetailQuorumNotReached  Detail = "quorum-not-reached"
	DetailMerklePathInvalid Detail = "merkle-path-invalid"
	DetailAggregateInvalid  Detail = "aggregate-invalid"
	DetailStakeOutOfRange   Detail = "stake-out-of-range" // SPEC 9.1: a stake or a sum of stakes beyond the total
)
