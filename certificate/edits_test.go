package certificate

import (
	"strings"
	"testing"

	"github.com/stmverify/stmverify/verdict"
)

// edit is one change to the text of a certificate. The verdict is "valid" or the rule that refuses it; the reference agrees that
// it is valid or not (mithril-common 0.8.3) unless differs is set.
type edit struct {
	name    string
	old     string // occurs exactly once; empty stands for the whole text
	new     string
	verdict verdict.Rule
	place   string // of the error, when it is one of decoding
	differs bool
}

const valid verdict.Rule = "valid"

const (
	malformed   = verdict.RuleMalformed
	outOfRange  = verdict.RuleParametersOutOfRange
	wrongHash   = verdict.RuleCertificateHashMismatch
	wrongPart   = verdict.RuleMessagePartMalformed
	tooLarge    = verdict.RuleLimitExceeded
	unsupported = verdict.RuleUnsupported
)

// both holds edits that apply to standard and to genesis certificates.
var both = []edit{
	{name: "unchanged", verdict: valid},
	{name: "white space", old: `{"hash":`, new: " \t\r\n{ \"hash\"\n:\t", verdict: valid},
	{name: "unknown fields", old: `{"hash":`, new: `{"x":null,"y":[1,{"z":true}],"":-0.5e+7,"hash":`, verdict: valid},
	{name: "unknown field twice", old: `{"hash":`, new: `{"x":1,"x":2,"hash":`, verdict: valid},
	{name: "unknown field of repeated keys", old: `{"hash":`, new: `{"x":{"a":1,"a":1},"hash":`, verdict: valid},
	{name: "unknown field out of range", old: `{"hash":`, new: `{"x":1e999,"hash":`, verdict: valid},
	{name: "unknown field of invalid UTF-8", old: `{"hash":`, new: "{\"x\":\"\xff\",\"hash\":", verdict: valid},
	{name: "unknown field of a lone surrogate", old: `{"hash":`, new: `{"x":"\ud800","hash":`, verdict: valid},
	{name: "unknown field nested 100 deep", old: `{"hash":`, new: `{"x":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `,"hash":`, verdict: valid},
	{name: "unknown field nested 1000 deep", old: `{"hash":`, new: `{"x":` + strings.Repeat("[", 1000) + strings.Repeat("]", 1000) + `,"hash":`, verdict: tooLarge, place: "x", differs: true},
	{name: "unknown field unfinished", old: `{"hash":`, new: `{"x":[,"hash":`, verdict: malformed, place: "x"},
	{name: "unknown field of a control character", old: `{"hash":`, new: "{\"x\":\"\n\",\"hash\":", verdict: malformed, place: "x"},
	{name: "unknown field of a bad escape", old: `{"hash":`, new: `{"x":"\x","hash":`, verdict: malformed, place: "x"},
	{name: "unknown key of invalid UTF-8", old: `{"hash":`, new: "{\"\xff\":1,\"hash\":", verdict: malformed},
	{name: "unknown key of a lone surrogate", old: `{"hash":`, new: `{"\ud800":1,"hash":`, verdict: malformed},
	{name: "unknown fields inside", old: `"parameters":{`, new: `"x":1,"parameters":{"phi":7,`, verdict: valid},
	{name: "unknown field in the message", old: `"protocol_message":{`, new: `"protocol_message":{"x":[],`, verdict: valid},

	{name: "byte order mark", old: `{"hash":`, new: "\ufeff{\"hash\":", verdict: malformed},
	{name: "comment", old: `{"hash":`, new: `{/**/"hash":`, verdict: malformed},
	{name: "no quotes", old: `{"hash":`, new: `{hash:`, verdict: malformed},
	{name: "single quotes", old: `{"hash":`, new: `{'hash':`, verdict: malformed},
	{name: "two commas", old: `,"epoch":`, new: `,,"epoch":`, verdict: malformed},
	{name: "no comma", old: `,"epoch":`, new: `"epoch":`, verdict: malformed},
	{name: "no colon", old: `"epoch":`, new: `"epoch"`, verdict: malformed},
	{name: "NUL in front", old: `{"hash":`, new: "\x00{\"hash\":", verdict: malformed},
	{name: "no-break space", old: `{"hash":`, new: "{\u00a0\"hash\":", verdict: malformed},
	{name: "form feed", old: `{"hash":`, new: "{\f\"hash\":", verdict: malformed},

	{name: "hash twice", old: `{"hash":`, new: `{"hash":"","hash":`, verdict: malformed, place: "hash"},
	{name: "hash twice, one key escaped", old: `{"hash":`, new: `{"\u0068ash":"","hash":`, verdict: malformed, place: "hash"},
	{name: "escaped key", old: `{"hash":`, new: `{"\u0068\u0061sh":`, verdict: valid},
	{name: "key of another case", old: `{"hash":`, new: `{"Hash":`, verdict: malformed, place: "hash"},
	{name: "hash missing", old: `{"hash":`, new: `{"x":`, verdict: malformed, place: "hash"},
	{name: "previous hash missing", old: `"previous_hash":`, new: `"x":`, verdict: malformed, place: "previous_hash"},
	{name: "epoch missing", old: `,"epoch":`, new: `,"x":`, verdict: malformed, place: "epoch"},
	{name: "entity type missing", old: `"signed_entity_type":`, new: `"x":`, verdict: malformed, place: "signed_entity_type"},
	{name: "metadata missing", old: `"metadata":`, new: `"x":`, verdict: malformed, place: "metadata"},
	{name: "network missing", old: `"network":`, new: `"x":`, verdict: malformed, place: "metadata.network"},
	{name: "version missing", old: `"version":`, new: `"x":`, verdict: malformed, place: "metadata.version"},
	{name: "parameters missing", old: `"parameters":`, new: `"x":`, verdict: malformed, place: "metadata.parameters"},
	{name: "k missing", old: `"k":`, new: `"x":`, verdict: malformed, place: "metadata.parameters.k"},
	{name: "m missing", old: `"m":`, new: `"x":`, verdict: malformed, place: "metadata.parameters.m"},
	{name: "phi_f missing", old: `"phi_f":`, new: `"x":`, verdict: malformed, place: "metadata.parameters.phi_f"},
	{name: "initiated_at missing", old: `"initiated_at":`, new: `"x":`, verdict: malformed, place: "metadata.initiated_at"},
	{name: "sealed_at missing", old: `"sealed_at":`, new: `"x":`, verdict: malformed, place: "metadata.sealed_at"},
	{name: "signers missing", old: `"signers":`, new: `"x":`, verdict: malformed, place: "metadata.signers"},
	{name: "message missing", old: `"protocol_message":`, new: `"x":`, verdict: malformed, place: "protocol_message"},
	{name: "message parts missing", old: `"message_parts":`, new: `"x":`, verdict: malformed, place: "protocol_message.message_parts"},
	{name: "signed message missing", old: `"signed_message":`, new: `"x":`, verdict: malformed, place: "signed_message"},
	{name: "key missing", old: `"aggregate_verification_key":`, new: `"x":`, verdict: malformed, place: "aggregate_verification_key"},
	{name: "multi-signature missing", old: `"multi_signature":`, new: `"x":`, verdict: malformed, place: "multi_signature"},
	{name: "genesis signature missing", old: `"genesis_signature":`, new: `"x":`, verdict: malformed, place: "genesis_signature"},

	{name: "hash null", old: `{"hash":`, new: `{"hash":null,"x":`, verdict: malformed, place: "hash"},
	{name: "epoch null", old: `,"epoch":`, new: `,"epoch":null,"x":`, verdict: malformed, place: "epoch"},
	{name: "metadata null", old: `"metadata":`, new: `"metadata":null,"x":`, verdict: malformed, place: "metadata"},
	{name: "metadata a string", old: `"metadata":`, new: `"metadata":"","x":`, verdict: malformed, place: "metadata"},
	{name: "metadata an array too short", old: `"metadata":`, new: `"metadata":["a","b"],"x":`, verdict: malformed, place: "metadata.parameters"},
	{name: "metadata twice", old: `"metadata":`, new: `"metadata":{},"metadata":`, verdict: malformed, place: "metadata.network"},
	{name: "signers null", old: `"signers":`, new: `"signers":null,"x":`, verdict: malformed, place: "metadata.signers"},
	{name: "signers an object", old: `"signers":`, new: `"signers":{},"x":`, verdict: malformed, place: "metadata.signers"},
	{name: "message an array", old: `"protocol_message":`, new: `"protocol_message":[{},"legacy"],"x":`, verdict: wrongHash},
	{name: "message an empty array", old: `"protocol_message":`, new: `"protocol_message":[],"x":`, verdict: malformed, place: "protocol_message.message_parts"},
	{name: "message parts an array", old: `"message_parts":`, new: `"message_parts":[],"x":`, verdict: malformed, place: "protocol_message.message_parts"},
	{name: "message part unknown", old: `"message_parts":{`, new: `"message_parts":{"x":"",`, verdict: malformed, place: "protocol_message.message_parts.x"},
	{name: "message part a number", old: `"message_parts":{`, new: `"message_parts":{"latest_block_number":7,`, verdict: malformed, place: "protocol_message.message_parts.latest_block_number"},
	{name: "message part null", old: `"message_parts":{`, new: `"message_parts":{"latest_block_number":null,`, verdict: malformed, place: "protocol_message.message_parts.latest_block_number"},
	{name: "message part twice, the last one right", old: `"message_parts":{`, new: `"message_parts":{"current_epoch":"7",`, verdict: valid},
	{name: "message part a variant", old: `"message_parts":{`, new: `"message_parts":{"CurrentEpoch":"7",`, verdict: malformed, place: "protocol_message.message_parts.CurrentEpoch"},
	{name: "signed message a number", old: `"signed_message":`, new: `"signed_message":7,"x":`, verdict: malformed, place: "signed_message"},
	{name: "signed message of any text", old: `"signed_message":`, new: `"signed_message":"any","x":`, verdict: wrongHash},

	{name: "scheme legacy", old: `"protocol_message":{`, new: `"protocol_message":{"hash_scheme":"legacy",`, verdict: valid},
	{name: "scheme legacy, as an object", old: `"protocol_message":{`, new: `"protocol_message":{"hash_scheme":{"legacy":null},`, verdict: valid},
	{name: "scheme null", old: `"protocol_message":{`, new: `"protocol_message":{"hash_scheme":null,`, verdict: malformed, place: "protocol_message.hash_scheme"},
	{name: "scheme unknown", old: `"protocol_message":{`, new: `"protocol_message":{"hash_scheme":"new",`, verdict: malformed, place: "protocol_message.hash_scheme"},
	{name: "scheme of another case", old: `"protocol_message":{`, new: `"protocol_message":{"hash_scheme":"Legacy",`, verdict: malformed, place: "protocol_message.hash_scheme"},
	{name: "scheme a number", old: `"protocol_message":{`, new: `"protocol_message":{"hash_scheme":0,`, verdict: malformed, place: "protocol_message.hash_scheme"},
	{name: "scheme an empty object", old: `"protocol_message":{`, new: `"protocol_message":{"hash_scheme":{},`, verdict: malformed, place: "protocol_message.hash_scheme"},
	{name: "scheme an object of two", old: `"protocol_message":{`, new: `"protocol_message":{"hash_scheme":{"legacy":null,"legacy":null},`, verdict: malformed, place: "protocol_message.hash_scheme.legacy"},
	{name: "scheme an object with a value", old: `"protocol_message":{`, new: `"protocol_message":{"hash_scheme":{"legacy":0},`, verdict: malformed, place: "protocol_message.hash_scheme.legacy"},
	{name: "scheme twice", old: `"protocol_message":{`, new: `"protocol_message":{"hash_scheme":"legacy","hash_scheme":"legacy",`, verdict: malformed, place: "protocol_message.hash_scheme"},
	{name: "scheme rigid without its parts", old: `"protocol_message":{`, new: `"protocol_message":{"hash_scheme":"rigid",`, verdict: wrongPart, place: "protocol_message.message_parts.next_aggregate_verification_key_snark"},

	{name: "parameters an array", old: `"parameters":{"k":15,"m":100,"phi_f":0.65}`, new: `"parameters":[15,100,0.65]`, verdict: valid},
	{name: "parameters an array too long", old: `"parameters":{"k":15,"m":100,"phi_f":0.65}`, new: `"parameters":[15,100,0.65,0]`, verdict: malformed, place: "metadata.parameters[3]"},
	{name: "parameters an array too short", old: `"parameters":{"k":15,"m":100,"phi_f":0.65}`, new: `"parameters":[15,100]`, verdict: malformed, place: "metadata.parameters.phi_f"},
	{name: "k twice", old: `"k":15`, new: `"k":15,"k":15`, verdict: malformed, place: "metadata.parameters.k"},
	{name: "k with a fraction", old: `"k":15`, new: `"k":15.0`, verdict: malformed, place: "metadata.parameters.k"},
	{name: "k with an exponent", old: `"k":15`, new: `"k":15e0`, verdict: malformed, place: "metadata.parameters.k"},
	{name: "k a string", old: `"k":15`, new: `"k":"15"`, verdict: malformed, place: "metadata.parameters.k"},
	{name: "k negative", old: `"k":15`, new: `"k":-15`, verdict: malformed, place: "metadata.parameters.k"},
	{name: "k minus zero", old: `"k":15`, new: `"k":-0`, verdict: malformed, place: "metadata.parameters.k"},
	{name: "k with a leading zero", old: `"k":15`, new: `"k":015`, verdict: malformed, place: "metadata.parameters.k"},
	{name: "k with a plus", old: `"k":15`, new: `"k":+15`, verdict: malformed, place: "metadata.parameters.k"},
	{name: "k of 2^64", old: `"k":15`, new: `"k":18446744073709551616`, verdict: malformed, place: "metadata.parameters.k"},
	{name: "k true", old: `"k":15`, new: `"k":true`, verdict: malformed, place: "metadata.parameters.k"},
	{name: "k zero", old: `"k":15`, new: `"k":0`, verdict: outOfRange, place: "metadata.parameters"},
	{name: "m less than k", old: `"m":100`, new: `"m":14`, verdict: outOfRange, place: "metadata.parameters"},
	{name: "phi_f with an exponent", old: `"phi_f":0.65`, new: `"phi_f":65e-2`, verdict: valid},
	{name: "phi_f of many digits", old: `"phi_f":0.65`, new: `"phi_f":0.65000000000000000000000001`, verdict: valid},
	{name: "phi_f of nearly the value", old: `"phi_f":0.65`, new: `"phi_f":0.650000000000000133`, verdict: valid},
	{name: "phi_f an integer", old: `"phi_f":0.65`, new: `"phi_f":1`, verdict: wrongHash},
	{name: "phi_f an integer too large for 64 bits", old: `"phi_f":0.65`, new: `"phi_f":18446744073709551616`, verdict: outOfRange, place: "metadata.parameters"},
	{name: "phi_f two", old: `"phi_f":0.65`, new: `"phi_f":2`, verdict: outOfRange, place: "metadata.parameters"},
	{name: "phi_f zero", old: `"phi_f":0.65`, new: `"phi_f":0`, verdict: outOfRange, place: "metadata.parameters"},
	{name: "phi_f minus zero", old: `"phi_f":0.65`, new: `"phi_f":-0.0`, verdict: outOfRange, place: "metadata.parameters"},
	{name: "phi_f negative", old: `"phi_f":0.65`, new: `"phi_f":-0.65`, verdict: outOfRange, place: "metadata.parameters"},
	{name: "phi_f too small", old: `"phi_f":0.65`, new: `"phi_f":1e-400`, verdict: outOfRange, place: "metadata.parameters"},
	{name: "phi_f too large", old: `"phi_f":0.65`, new: `"phi_f":1e400`, verdict: malformed, place: "metadata.parameters.phi_f"},
	{name: "phi_f NaN", old: `"phi_f":0.65`, new: `"phi_f":NaN`, verdict: malformed, place: "metadata.parameters.phi_f"},
	{name: "phi_f infinite", old: `"phi_f":0.65`, new: `"phi_f":Infinity`, verdict: malformed, place: "metadata.parameters.phi_f"},
	{name: "phi_f null", old: `"phi_f":0.65`, new: `"phi_f":null`, verdict: malformed, place: "metadata.parameters.phi_f"},
	{name: "phi_f a string", old: `"phi_f":0.65`, new: `"phi_f":"0.65"`, verdict: malformed, place: "metadata.parameters.phi_f"},

	{name: "network escaped", old: `"network":"testnet"`, new: `"network":"\u0074estn\u0065t"`, verdict: valid},
	{name: "network changed", old: `"network":"testnet"`, new: `"network":"test\u0000net"`, verdict: wrongHash},
	{name: "network of invalid UTF-8", old: `"network":"testnet"`, new: "\"network\":\"test\xffnet\"", verdict: malformed, place: "metadata.network"},
	{name: "network of a lone surrogate", old: `"network":"testnet"`, new: `"network":"test\ud800net"`, verdict: malformed, place: "metadata.network"},
	{name: "network of an encoded surrogate", old: `"network":"testnet"`, new: "\"network\":\"test\xed\xa0\x80net\"", verdict: malformed, place: "metadata.network"},
	{name: "network of a control character", old: `"network":"testnet"`, new: "\"network\":\"test\tnet\"", verdict: malformed, place: "metadata.network"},
	{name: "network too long", old: `"network":"testnet"`, new: `"network":"` + strings.Repeat("x", 1<<17) + `"`, verdict: tooLarge, place: "metadata.network"},

	{name: "date empty", old: `"initiated_at":`, new: `"initiated_at":"","x":`, verdict: malformed, place: "metadata.initiated_at"},
	{name: "date a number", old: `"initiated_at":`, new: `"initiated_at":1784068793,"x":`, verdict: malformed, place: "metadata.initiated_at"},
	{name: "date without offset", old: `"initiated_at":`, new: `"initiated_at":"2026-01-01T00:00:00","x":`, verdict: malformed, place: "metadata.initiated_at"},
	{name: "date of another day", old: `"sealed_at":`, new: `"sealed_at":"2026-01-01T00:00:00Z","x":`, verdict: wrongHash},
	{name: "date after 2262", old: `"sealed_at":`, new: `"sealed_at":"2300-01-01T00:00:00Z","x":`, verdict: verdict.RuleDateOutOfRange, place: "metadata.sealed_at"},
	{name: "date before 1677", old: `"initiated_at":`, new: `"initiated_at":"-0001-01-01T00:00:00Z","x":`, verdict: verdict.RuleDateOutOfRange, place: "metadata.initiated_at"},

	{name: "key not hexadecimal", old: `"aggregate_verification_key":"7b`, new: `"aggregate_verification_key":"zz`, verdict: malformed, place: "aggregate_verification_key"},
	{name: "key in upper case", old: `"aggregate_verification_key":"7b`, new: `"aggregate_verification_key":"7B`, verdict: valid},
	{name: "key behind white space", old: `"aggregate_verification_key":"7b`, new: `"aggregate_verification_key":" \n7b`, verdict: valid},
	{name: "key of odd length", old: `"aggregate_verification_key":"7b`, new: `"aggregate_verification_key":"07b`, verdict: malformed, place: "aggregate_verification_key"},
	{name: "key a number", old: `"aggregate_verification_key":`, new: `"aggregate_verification_key":7,"x":`, verdict: malformed, place: "aggregate_verification_key"},

	{name: "ancillary data null", old: `"multi_signature":`, new: `"ancillary_prover_data":null,"ancillary_verifier_data":null,"multi_signature":`, verdict: valid},
	{name: "ancillary data empty", old: `"multi_signature":`, new: `"ancillary_prover_data":"","multi_signature":`, verdict: malformed, place: "ancillary_prover_data"},
	{name: "ancillary data", old: `"multi_signature":`, new: `"ancillary_verifier_data":"01f6","multi_signature":`, verdict: unsupported, place: "ancillary_verifier_data"},
	{name: "ancillary data of no version", old: `"multi_signature":`, new: `"ancillary_verifier_data":"02f6","multi_signature":`, verdict: malformed, place: "ancillary_verifier_data"},
	{name: "ancillary data a number", old: `"multi_signature":`, new: `"ancillary_prover_data":1,"multi_signature":`, verdict: malformed, place: "ancillary_prover_data"},
	{name: "SNARK key", old: `"multi_signature":`, new: `"aggregate_verification_key_snark":"00","multi_signature":`, verdict: valid},
	{name: "SNARK key null", old: `"multi_signature":`, new: `"aggregate_verification_key_snark":null,"multi_signature":`, verdict: valid},
	{name: "SNARK key a number", old: `"multi_signature":`, new: `"aggregate_verification_key_snark":7,"multi_signature":`, verdict: valid},
	{name: "Schnorr signature", old: `"multi_signature":`, new: `"genesis_schnorr_signature":"00","multi_signature":`, verdict: valid},
	{name: "multi-signature a number", old: `"multi_signature":`, new: `"multi_signature":7,"x":`, verdict: malformed, place: "multi_signature"},
	{name: "multi-signature null", old: `"multi_signature":`, new: `"multi_signature":null,"x":`, verdict: malformed, place: "multi_signature"},
	{name: "genesis signature not hexadecimal", old: `"genesis_signature":"`, new: `"genesis_signature":"zz`, verdict: malformed, place: "genesis_signature"},
	{name: "genesis signature null", old: `"genesis_signature":`, new: `"genesis_signature":null,"x":`, verdict: malformed, place: "genesis_signature"},

	{name: "empty text", new: " ", verdict: malformed},
	{name: "empty object", new: "{}", verdict: malformed, place: "hash"},
	{name: "null", new: "null", verdict: malformed},
	{name: "string", new: `"x"`, verdict: malformed},
	{name: "array of a few", new: `["x","y"]`, verdict: malformed, place: "epoch"},
}

// standardOnly and genesisOnly hold edits that apply to one kind.
var standardOnly = []edit{
	{name: "phi_f of the same hash", old: `"phi_f":0.65`, new: `"phi_f":256.65`, verdict: outOfRange, place: "metadata.parameters"},
	{name: "hash in upper case", old: `{"hash":"9c1e48da2ea6bae405ced4f7ba41343e`, new: `{"hash":"9C1E48DA2EA6BAE405CED4F7BA41343E`, verdict: malformed, place: "hash"},
	{name: "previous hash empty", old: `"previous_hash":`, new: `"previous_hash":"","x":`, verdict: malformed, place: "previous_hash"},
	{name: "previous hash in upper case", old: `"previous_hash":"`, new: `"previous_hash":"AB`, verdict: malformed, place: "previous_hash"},
	{name: "signer an array", old: `{"party_id":"`, new: `["a",1],{"party_id":"`, verdict: wrongHash},
	{name: "stake twice", old: `{"party_id":"`, new: `{"stake":1,"party_id":"`, verdict: malformed, place: "metadata.signers[0].stake"},
	{name: "stake missing", old: `"signers":[`, new: `"signers":[{"party_id":"a"},`, verdict: malformed, place: "metadata.signers[0].stake"},
	{name: "stake a string", old: `"signers":[`, new: `"signers":[{"party_id":"a","stake":1},{"stake":"1"},`, verdict: malformed, place: "metadata.signers[1].stake"},
	{name: "party null", old: `"signers":[`, new: `"signers":[{"party_id":null,"stake":1},`, verdict: malformed, place: "metadata.signers[0].party_id"},
	{name: "signer a number", old: `"signers":[`, new: `"signers":[1,`, verdict: malformed, place: "metadata.signers[0]"},
	{name: "message part twice, the last one wrong", old: `"current_epoch":"401"`, new: `"current_epoch":"401","current_epoch":"402"`, verdict: wrongHash},
	{name: "entity type of another kind", old: `{"MithrilStakeDistribution":401}`, new: `{"CardanoStakeDistribution":401}`, verdict: valid},
	{name: "entity type unknown", old: `{"MithrilStakeDistribution":401}`, new: `{"Mithril":401}`, verdict: malformed, place: "signed_entity_type.Mithril"},
	{name: "entity type of two", old: `{"MithrilStakeDistribution":401}`, new: `{"MithrilStakeDistribution":401,"CardanoStakeDistribution":401}`, verdict: malformed, place: "signed_entity_type.CardanoStakeDistribution"},
	{name: "entity type twice", old: `{"MithrilStakeDistribution":401}`, new: `{"MithrilStakeDistribution":401,"MithrilStakeDistribution":401}`, verdict: malformed, place: "signed_entity_type.MithrilStakeDistribution"},
	{name: "entity type empty", old: `{"MithrilStakeDistribution":401}`, new: `{}`, verdict: malformed, place: "signed_entity_type"},
	{name: "entity type a string", old: `{"MithrilStakeDistribution":401}`, new: `"MithrilStakeDistribution"`, verdict: malformed, place: "signed_entity_type"},
	{name: "entity type null", old: `{"MithrilStakeDistribution":401}`, new: `null`, verdict: malformed, place: "signed_entity_type"},
	{name: "entity type with white space", old: `{"MithrilStakeDistribution":401}`, new: ` { "\u004dithrilStakeDistribution" : 401 } `, verdict: valid},
	{name: "entity epoch with a fraction", old: `{"MithrilStakeDistribution":401}`, new: `{"MithrilStakeDistribution":401.0}`, verdict: malformed, place: "signed_entity_type.MithrilStakeDistribution"},
	{name: "entity epoch an array", old: `{"MithrilStakeDistribution":401}`, new: `{"MithrilStakeDistribution":[401]}`, verdict: malformed, place: "signed_entity_type.MithrilStakeDistribution"},
	{name: "entity epoch null", old: `{"MithrilStakeDistribution":401}`, new: `{"MithrilStakeDistribution":null}`, verdict: malformed, place: "signed_entity_type.MithrilStakeDistribution"},
	{name: "transactions of one number", old: `{"MithrilStakeDistribution":401}`, new: `{"CardanoTransactions":[401]}`, verdict: malformed, place: "signed_entity_type.CardanoTransactions"},
	{name: "transactions of three numbers", old: `{"MithrilStakeDistribution":401}`, new: `{"CardanoTransactions":[401,1,2]}`, verdict: malformed, place: "signed_entity_type.CardanoTransactions[2]"},
	{name: "transactions an object", old: `{"MithrilStakeDistribution":401}`, new: `{"CardanoTransactions":{"epoch":401}}`, verdict: malformed, place: "signed_entity_type.CardanoTransactions"},
	{name: "blocks of two numbers", old: `{"MithrilStakeDistribution":401}`, new: `{"CardanoBlocksTransactions":[401,1]}`, verdict: malformed, place: "signed_entity_type.CardanoBlocksTransactions"},
	{name: "database an array", old: `{"MithrilStakeDistribution":401}`, new: `{"CardanoDatabase":[401,7]}`, verdict: wrongHash},
	{name: "database without a number", old: `{"MithrilStakeDistribution":401}`, new: `{"CardanoDatabase":{"epoch":401}}`, verdict: malformed, place: "signed_entity_type.CardanoDatabase.immutable_file_number"},
	{name: "database epoch twice", old: `{"MithrilStakeDistribution":401}`, new: `{"CardanoDatabase":{"epoch":401,"immutable_file_number":1,"epoch":401}}`, verdict: malformed, place: "signed_entity_type.CardanoDatabase.epoch"},
	{name: "entity type out of range", old: `{"MithrilStakeDistribution":401}`, new: `{"CardanoDatabase":{"epoch":401,"immutable_file_number":1,"x":1e999}}`, verdict: malformed, place: "signed_entity_type"},
	{name: "multi-signature empty", old: `"multi_signature":`, new: `"multi_signature":"","x":`, verdict: malformed, place: "multi_signature"},
	{name: "multi-signature not hexadecimal", old: `"multi_signature":"7b`, new: `"multi_signature":"zz`, verdict: malformed, place: "multi_signature"},
	{name: "multi-signature in upper case", old: `"multi_signature":"7b`, new: `"multi_signature":"7B`, verdict: valid},
	{name: "multi-signature escaped", old: `"multi_signature":"7b`, new: `"multi_signature":"\u0037b`, verdict: valid},
	{name: "multi-signature behind white space", old: `"multi_signature":"7b`, new: `"multi_signature":"\t 7b`, verdict: valid},
	{name: "multi-signature of JSON with white space", old: `"multi_signature":"7b`, new: `"multi_signature":"207b20`, verdict: valid},
}

var genesisOnly = []edit{
	// The reference hashes phi_f modulo 256 and never looks at the parameters of a genesis certificate.
	{name: "phi_f of the same hash", old: `"phi_f":0.65`, new: `"phi_f":256.65`, verdict: outOfRange, place: "metadata.parameters", differs: true},
	{name: "entity type null", old: `{"MithrilStakeDistribution":400}`, new: `null`, verdict: valid},
	{name: "entity type a number", old: `{"MithrilStakeDistribution":400}`, new: `5`, verdict: valid},
	{name: "entity type unknown", old: `{"MithrilStakeDistribution":400}`, new: `{"x":[{"y":"z"}],"x":1}`, verdict: valid},
	{name: "entity type of invalid UTF-8", old: `{"MithrilStakeDistribution":400}`, new: "\"\xff\"", verdict: malformed, place: "signed_entity_type"},
	{name: "entity type of a lone surrogate", old: `{"MithrilStakeDistribution":400}`, new: `"\ud800"`, verdict: malformed, place: "signed_entity_type"},
	{name: "entity type out of range", old: `{"MithrilStakeDistribution":400}`, new: `1e999`, verdict: malformed, place: "signed_entity_type"},
	{name: "entity type nested 1000 deep", old: `{"MithrilStakeDistribution":400}`, new: strings.Repeat("[", 1000) + strings.Repeat("]", 1000), verdict: tooLarge, place: "signed_entity_type"},
	{name: "multi-signature of anything", old: `"multi_signature":""`, new: `"multi_signature":"zz"`, verdict: valid},
	{name: "multi-signature of a lone surrogate", old: `"multi_signature":""`, new: `"multi_signature":"\udc00"`, verdict: malformed, place: "multi_signature"},
	{name: "genesis signature too long", old: `"genesis_signature":"`, new: `"genesis_signature":"00`, verdict: malformed, place: "genesis_signature"},
	{name: "genesis signature behind white space", old: `"genesis_signature":"`, new: `"genesis_signature":" `, verdict: malformed, place: "genesis_signature"},
	{name: "signer", old: `"signers":[`, new: `"signers":[["a",1]`, verdict: wrongHash},
	{name: "previous hash of any text", old: `"previous_hash":"`, new: `"previous_hash":"x`, verdict: malformed, place: "previous_hash"},
}

// apply makes the edit.
func (e *edit) apply(t testing.TB, text string) string {
	t.Helper()
	if e.old == "" {
		if e.new == "" {
			return text
		}
		return e.new
	}
	if n := strings.Count(text, e.old); n < 1 {
		t.Fatalf("%s: %q does not occur", e.name, e.old)
	}
	return strings.Replace(text, e.old, e.new, 1)
}
