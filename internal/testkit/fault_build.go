package testkit

import (
	"slices"

	"github.com/stmverify/stmverify/certificate"
	"github.com/stmverify/stmverify/verdict"
)

// buildFaults are the faults that concern what is signed, so that they are built into the chain: every signature in it is
// valid all the same.
var buildFaults = []string{
	string(verdict.RuleEpochGap),
	string(verdict.RuleEpochDecreases),
	string(verdict.RuleAVKMismatch),
	string(verdict.RuleMessagePartMalformed),
	string(verdict.RuleGenesisChildUnpinned),
	string(verdict.RuleChainTooLong),
}

// faultIs reports whether the chain is to have the fault at all.
func (b *builder) faultIs(rule verdict.Rule) bool {
	return b.spec.Fault != nil && b.spec.Fault.Name == string(rule)
}

// faultAt reports whether the certificate that is built next is to have the fault.
func (b *builder) faultAt(rule verdict.Rule) bool {
	return b.faultIs(rule) && b.spec.Certificates-1-len(b.certs) == b.spec.Fault.Position
}

// startEpoch puts the faults of an epoch's first certificate into its number or its registration. The epochs after follow
// from that.
func (b *builder) startEpoch(current *Epoch) (*Epoch, error) {
	parent := b.certs[len(b.certs)-1].Epoch
	switch {
	case b.faultAt(verdict.RuleEpochGap):
		current.Number = parent + 2
	case b.faultAt(verdict.RuleEpochDecreases):
		current.Number = parent - 1
	case b.faultAt(verdict.RuleAVKMismatch):
		// Other signers than those whose key the parent signed.
		other, err := b.spec.NewEpoch(b.ctx, current.Number, 1)
		if err != nil {
			return nil, err
		}
		current = other
	default:
		return current, nil
	}
	b.faulty = true
	return current, nil
}

// faultMessage puts a number with leading zeros into a message.
func (b *builder) faultMessage(m *certificate.ProtocolMessage) {
	if b.faultAt(verdict.RuleMessagePartMalformed) {
		m.SetPart(certificate.LatestBlockNumber, "007")
		b.faulty = true
	}
}

// faultParent links every certificate of an epoch to the one before instead of the first.
func (b *builder) faultParent(j int) bool {
	if b.faultIs(verdict.RuleChainTooLong) && j >= 3 {
		b.faulty = true
	}
	return b.faultIs(verdict.RuleChainTooLong)
}

// faultGenesis puts the genesis certificate into the epoch of its child.
func (b *builder) faultGenesis(epoch uint64) uint64 {
	if b.faultIs(verdict.RuleGenesisChildUnpinned) {
		b.faulty = true
		return epoch + 1
	}
	return epoch
}

// Ours lists the faults that the reference does not see, because they break a rule in which this module is stricter.
func (f *Fault) Ours() bool {
	return slices.Contains([]string{
		string(verdict.RuleEpochDecreases), string(verdict.RuleMessagePartMalformed), string(verdict.RuleGenesisChildUnpinned),
		string(verdict.RuleChainTooLong), string(verdict.RuleNetworkMismatch), string(verdict.RuleLimitExceeded),
	}, f.Name)
}
