package chain

import (
	"github.com/stmverify/stmverify/certificate"
	"github.com/stmverify/stmverify/stm"
	"github.com/stmverify/stmverify/verdict"
)

// Trust is what a verification rests on. The zero value trusts nothing that exists: a genesis key of zeros signs no message
// under the strict rules.
type Trust struct {
	// GenesisKey is the Ed25519 key that signs genesis certificates, 32 bytes.
	GenesisKey [32]byte

	// Network, when not empty, must be the network name of every certificate. It is not signed: it catches a mistake and
	// not an attack.
	Network string

	// Leaf, when not nil, must be the hash of the first certificate. A provider that was asked for one certificate may
	// otherwise answer with another valid one (SPEC 6.3).
	Leaf *certificate.Hash

	// GenesisHash, when not nil, must be the hash of the genesis certificate that the chain ends in. The hash covers the
	// signed message, so that this tells apart networks that share a genesis key, and chains from before and after a
	// re-genesis.
	GenesisHash *certificate.Hash

	// GenesisAVK, when not nil, is the aggregate verification key of the genesis certificate's own epoch. It admits a child
	// in the same epoch; otherwise such a child is refused, because the genesis certificate does not sign it (SPEC 9.4).
	GenesisAVK *stm.AggregateVerificationKey

	// Checkpoint, when not nil, is a certificate that was verified before. The walk may end at one of its children as well
	// as at a genesis certificate.
	Checkpoint *Checkpoint
}

// Checkpoint is what the link to a certificate needs of it. It comes from [Verified.Checkpoint] and is as trustworthy as the
// way in which it was kept.
type Checkpoint struct {
	Hash       certificate.Hash
	Epoch      uint64
	AVK        *stm.AggregateVerificationKey // of its own epoch
	Parameters stm.Parameters                // of its own epoch

	// What it signed for the next epoch. NextAVK is nil and NextParameters is empty when its message lacks the part.
	NextAVK        *stm.AggregateVerificationKey
	NextParameters string // the hash of the parameters, 64 hexadecimal characters

	Genesis bool // its own AVK and Parameters are not signed
}

// checkpointOf returns what links to c need.
func checkpointOf(c *certificate.Certificate) *Checkpoint {
	p := &Checkpoint{Hash: c.Hash, Epoch: c.Epoch, AVK: c.AVK, Parameters: c.Metadata.Parameters, Genesis: c.IsGenesis()}
	// A part that does not decode is as good as absent; certificates from a decoder have none.
	p.NextAVK, _ = c.ProtocolMessage.NextAVK()
	p.NextParameters, _ = c.ProtocolMessage.Part(certificate.NextProtocolParameters)
	return p
}

// checkLink checks the rules between a child and its parent (SPEC 6.2 and 9.4).
func (t *Trust) checkLink(position int, child *certificate.Certificate, parent *Checkpoint) *Error {
	fail := func(rule verdict.Rule, got, want any) *Error {
		e := mismatch(position, child, rule, got, want)
		e.Parent = parent.Hash
		return e
	}
	switch {
	case parent.Hash != child.PreviousHash:
		return fail(verdict.RulePreviousHashMismatch, parent.Hash, child.PreviousHash)
	case parent.Epoch > child.Epoch:
		return fail(verdict.RuleEpochDecreases, child.Epoch, "at least its parent's "+decimal(parent.Epoch))
	case child.Epoch-parent.Epoch > 1:
		return fail(verdict.RuleEpochGap, child.Epoch, "its parent's "+decimal(parent.Epoch)+" or the one after")
	case parent.Epoch == child.Epoch:
		return t.checkSameEpoch(child, parent, fail)
	}
	if parent.NextAVK == nil {
		return fail(verdict.RuleAVKMismatch, "a parent that signed no next_aggregate_verification_key", describe(child.AVK))
	}
	if !parent.NextAVK.Equal(child.AVK) {
		return fail(verdict.RuleAVKMismatch, describe(child.AVK), describe(parent.NextAVK)+", which the parent signed")
	}
	hash, err := certificate.HashParameters(child.Metadata.Parameters)
	if err != nil || parent.NextParameters != hash.String() {
		return fail(verdict.RuleProtocolParametersMismatch, "parameters "+describeParameters(child.Metadata.Parameters)+" with hash "+hash.String(),
			"hash "+parent.NextParameters+", which the parent signed")
	}
	return nil
}

// checkSameEpoch checks a child in its parent's epoch: both use the same key and parameters.
func (t *Trust) checkSameEpoch(child *certificate.Certificate, parent *Checkpoint, fail func(verdict.Rule, any, any) *Error) *Error {
	if parent.Genesis && (t.GenesisAVK == nil || !t.GenesisAVK.Equal(child.AVK)) {
		return fail(verdict.RuleGenesisChildUnpinned, "a child in the epoch of its genesis certificate", "a pinned aggregate verification key")
	}
	if !parent.AVK.Equal(child.AVK) {
		return fail(verdict.RuleAVKMismatch, describe(child.AVK), describe(parent.AVK)+", which the parent in the same epoch used")
	}
	if !certificate.SameParameters(parent.Parameters, child.Metadata.Parameters) {
		return fail(verdict.RuleProtocolParametersMismatch, describeParameters(child.Metadata.Parameters),
			describeParameters(parent.Parameters)+", which the parent in the same epoch used")
	}
	return nil
}
