package explain

import (
	"errors"
	"fmt"

	"github.com/stmverify/stmverify/certificate"
	"github.com/stmverify/stmverify/ed25519"
	"github.com/stmverify/stmverify/stm"
	"github.com/stmverify/stmverify/verdict"
)

func genesisSignature(c *certificate.Certificate, key *[32]byte) Check {
	check := Check{Rule: verdict.RuleGenesisSignatureInvalid, Statement: "the genesis key signed the message"}
	check.Inputs = []Value{
		{"message", c.SignedMessage},
		{"signature", fmt.Sprintf("%x", c.GenesisSignature[:])},
	}
	if key == nil {
		return check.notChecked("no genesis verification key was given")
	}
	check.Inputs = append(check.Inputs, Value{"key", fmt.Sprintf("%x", key[:])})
	err := ed25519.Verify(ed25519.Strict, key[:], []byte(c.SignedMessage), c.GenesisSignature[:])
	if err != nil {
		check.Note = err.Error()
	}
	return check.holdsIf(err == nil)
}

// details are the checks on a multi-signature in the order in which package stm makes them, so that those after a broken one were
// not reached.
var details = [...]struct {
	detail    verdict.Detail
	statement string
}{
	{verdict.DetailIndexOutOfRange, "every lottery index is at most m"},
	{verdict.DetailIndexNotUnique, "no lottery index occurs twice"},
	{verdict.DetailQuorumNotReached, "there are at least k lottery indices"},
	{verdict.DetailStakeOutOfRange, "the stakes of the signers add up to at most the total stake"},
	{verdict.DetailMerklePathInvalid, "the signers are leaves of the tree whose root the aggregate verification key holds"},
	{verdict.DetailLotteryLost, "every lottery index was won under the stake of its signer"},
	{verdict.DetailAggregateInvalid, "every signature is one of the signed message under its key"},
}

func multiSignature(c *certificate.Certificate) []Check {
	if c.MultiSignature == nil {
		check := Check{Rule: verdict.RuleMultiSignatureInvalid, Statement: "the multi-signature is valid"}
		return []Check{check.notChecked("the proof type is not supported")}
	}
	err := c.MultiSignature.Verify([]byte(c.SignedMessage), c.AVK, c.Metadata.Parameters)
	var proof *stm.ProofError
	if err != nil && !errors.As(err, &proof) {
		check := Check{Rule: verdict.RuleParametersOutOfRange, Statement: "the parameters are in range", Note: err.Error()}
		check.Inputs = []Value{{"parameters", parametersText(c)}}
		return []Check{check.holdsIf(false)}
	}
	var checks []Check
	reached := true
	for _, d := range details {
		check := Check{Rule: verdict.RuleMultiSignatureInvalid, Detail: d.detail, Statement: d.statement, Inputs: inputsOf(c, d.detail)}
		switch {
		case !reached:
			check = check.notChecked("the check before it failed")
		case proof != nil && proof.Detail == d.detail:
			check = check.broken(proof)
			reached = false
		default:
			check = check.holdsIf(true)
		}
		checks = append(checks, check)
	}
	return checks
}

func (c Check) broken(e *stm.ProofError) Check {
	c.Computed, c.Claimed = e.Got, e.Want
	c.Note = e.Error()
	return c.holdsIf(false)
}

// inputsOf returns what the check with this detail looks at.
func inputsOf(c *certificate.Certificate, d verdict.Detail) []Value {
	s, avk, p := c.MultiSignature, c.AVK, c.Metadata.Parameters
	count := Value{"lottery indices", fmt.Sprintf("%d in %d signatures", s.NrIndexes(), s.Len())}
	switch d {
	case verdict.DetailIndexOutOfRange:
		return []Value{count, {"m", fmt.Sprint(p.M)}}
	case verdict.DetailIndexNotUnique:
		return []Value{count}
	case verdict.DetailQuorumNotReached:
		return []Value{count, {"k", fmt.Sprint(p.K)}}
	case verdict.DetailStakeOutOfRange:
		return []Value{{"stake of the signers", stakeText(s)}, {"total stake", fmt.Sprint(avk.TotalStake)}}
	case verdict.DetailMerklePathInvalid:
		return []Value{{"root", fmt.Sprintf("%x", avk.Root[:])}, {"leaves", fmt.Sprint(avk.NrLeaves)}}
	case verdict.DetailLotteryLost:
		return []Value{{"phi_f", fmt.Sprint(p.PhiF)}, {"total stake", fmt.Sprint(avk.TotalStake)}}
	}
	return []Value{{"message", fmt.Sprintf("%x", avk.SignedMessage([]byte(c.SignedMessage)))}}
}

// stakeText returns the sum of the stakes, or says that it is beyond 64 bits.
func stakeText(s *stm.AggregateSignature) string {
	sum := uint64(0)
	for i := range s.Len() {
		_, stake, _ := s.Party(i)
		if sum+stake < sum {
			return "beyond 64 bits"
		}
		sum += stake
	}
	return fmt.Sprint(sum)
}
