package explain

import (
	"fmt"
	"strings"

	"github.com/stmverify/stmverify/certificate"
	"github.com/stmverify/stmverify/stm"
	"github.com/stmverify/stmverify/verdict"
)

// links evaluates the rules on a certificate and its parent.
func links(c, parent *certificate.Certificate) []Check {
	checks := []Check{
		{Rule: verdict.RulePreviousHashMismatch, Statement: "the parent is the certificate that previous_hash names"},
		{Rule: verdict.RuleEpochDecreases, Statement: "the parent is not of a later epoch"},
		{Rule: verdict.RuleEpochGap, Statement: "the parent is of the same epoch or of the one before"},
		{Rule: verdict.RuleGenesisChildUnpinned, Statement: "the parent is no genesis certificate of the same epoch"},
		{Rule: verdict.RuleAVKMismatch, Statement: "the aggregate verification key is the one that the parent signed or, in the same epoch, used"},
		{Rule: verdict.RuleProtocolParametersMismatch, Statement: "the protocol parameters are those that the parent signed or, in the same epoch, used"},
	}
	if parent == nil {
		for i := range checks {
			checks[i] = checks[i].notChecked("the parent " + c.PreviousHash.String() + " was not given")
		}
		return checks
	}
	epochs := []Value{{"epoch", fmt.Sprint(c.Epoch)}, {"epoch of the parent", fmt.Sprint(parent.Epoch)}}
	checks[0] = checks[0].compare(parent.Hash.String(), c.PreviousHash.String())
	for i := 1; i <= 3; i++ {
		checks[i].Inputs = epochs
	}
	checks[1] = checks[1].holdsIf(parent.Epoch <= c.Epoch)
	checks[2] = checks[2].holdsIf(parent.Epoch >= c.Epoch || c.Epoch-parent.Epoch == 1)
	checks[3] = checks[3].holdsIf(!parent.IsGenesis() || parent.Epoch != c.Epoch)
	checks[4] = avkLink(checks[4], c, parent)
	checks[5] = parametersLink(checks[5], c, parent)
	return checks
}

func avkLink(check Check, c, parent *certificate.Certificate) Check {
	check.ComputedIs = "this certificate's key"
	want := parent.AVK
	check.ClaimedIs = "the parent's own key, of the same epoch"
	if c.Epoch != parent.Epoch {
		var err error
		check.ClaimedIs = "the key that the parent signed for the next epoch"
		if want, err = parent.ProtocolMessage.NextAVK(); err != nil {
			check.Computed, check.Note = avkText(c.AVK), err.Error()
			check.Claimed, _ = parent.ProtocolMessage.Part(certificate.NextAggregateVerificationKey)
			return check.holdsIf(false)
		}
	}
	if want == nil {
		check.Computed, check.Note = avkText(c.AVK), "the parent signed no next_aggregate_verification_key"
		return check.holdsIf(false)
	}
	check = check.compare(avkText(c.AVK), avkText(want))
	if check.Outcome == Broken {
		check.Note = "differs in " + strings.Join(differences(c.AVK, want), ", ")
	}
	return check
}

func differences(a, b *stm.AggregateVerificationKey) []string {
	var fields []string
	if a.Root != b.Root {
		fields = append(fields, "root")
	}
	if a.NrLeaves != b.NrLeaves {
		fields = append(fields, "nr_leaves")
	}
	if a.TotalStake != b.TotalStake {
		fields = append(fields, "total_stake")
	}
	return fields
}

func parametersLink(check Check, c, parent *certificate.Certificate) Check {
	if c.Epoch == parent.Epoch {
		check.ComputedIs, check.ClaimedIs = "this certificate's parameters", "the parent's own parameters, of the same epoch"
		check.Computed, check.Claimed = parametersText(c), parametersText(parent)
		return check.holdsIf(certificate.SameParameters(c.Metadata.Parameters, parent.Metadata.Parameters))
	}
	signed, ok := parent.ProtocolMessage.Part(certificate.NextProtocolParameters)
	if !ok {
		check.Note = "the parent signed no next_protocol_parameters"
	}
	check.Inputs = []Value{{"parameters", parametersText(c)}}
	check.ComputedIs = "hash of this certificate's parameters"
	check.ClaimedIs = "the hash that the parent signed for the next epoch"
	return check.compare(textOrError(certificate.HashParameters(c.Metadata.Parameters)), signed)
}
