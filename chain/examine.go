package chain

import (
	"github.com/stmverify/stmverify/certificate"
	"github.com/stmverify/stmverify/ed25519"
	"github.com/stmverify/stmverify/multisig"
	"github.com/stmverify/stmverify/verdict"
)

// examine checks everything of one certificate that needs neither its parent nor a pairing (SPEC 5 and 6.1). For a standard
// certificate it returns what remains, a claim.
func (t *Trust) examine(position int, c *certificate.Certificate) (multisig.Claim, *Error) {
	if err := c.Unsupported(); err != nil {
		return multisig.Claim{}, decodeError(position, err)
	}
	if t.Network != "" && c.Metadata.Network != t.Network {
		return multisig.Claim{}, mismatch(position, c, verdict.RuleNetworkMismatch, c.Metadata.Network, t.Network)
	}
	if !c.IsGenesis() && c.Hash == c.PreviousHash {
		return multisig.Claim{}, refuse(position, c, verdict.RuleChainLoop)
	}
	if err := checkHashes(position, c); err != nil {
		return multisig.Claim{}, err
	}
	if c.IsGenesis() {
		return multisig.Claim{}, t.checkGenesis(position, c)
	}
	claim, err := c.MultiSignature.Check([]byte(c.SignedMessage), c.AVK, c.Metadata.Parameters)
	if err != nil {
		return multisig.Claim{}, proofError(position, c, err)
	}
	return claim, nil
}

// checkHashes recomputes the hash and the message hash, and compares the epoch with the signed one.
func checkHashes(position int, c *certificate.Certificate) *Error {
	hash, err := c.ComputeHash()
	if err != nil {
		return decodeError(position, err)
	}
	if hash != c.Hash {
		return mismatch(position, c, verdict.RuleCertificateHashMismatch, "content with hash "+hash.String(), c.Hash)
	}
	if message := c.ProtocolMessage.ComputeHash(); message.String() != c.SignedMessage {
		return mismatch(position, c, verdict.RuleSignedMessageMismatch, "a message with hash "+message.String(), c.SignedMessage)
	}
	// The shapes make the epoch decimal; a message made by hand may lack both.
	if err := c.ProtocolMessage.Validate(); err != nil {
		e := refuse(position, c, verdict.RuleMessagePartMalformed)
		e.Err = err
		return e
	}
	signed, ok := c.ProtocolMessage.Part(certificate.CurrentEpoch)
	if !ok {
		signed = "no current_epoch"
	}
	if signed != decimal(c.Epoch) {
		return mismatch(position, c, verdict.RuleEpochMismatch, c.Epoch, signed+", which is signed")
	}
	return nil
}

// checkGenesis verifies the signature of a genesis certificate and compares it with the pinned one.
func (t *Trust) checkGenesis(position int, c *certificate.Certificate) *Error {
	if err := ed25519.Verify(ed25519.Strict, t.GenesisKey[:], []byte(c.SignedMessage), c.GenesisSignature[:]); err != nil {
		e := refuse(position, c, verdict.RuleGenesisSignatureInvalid)
		e.Err = err
		return e
	}
	if t.GenesisHash != nil && c.Hash != *t.GenesisHash {
		return mismatch(position, c, verdict.RuleGenesisNotPinned, c.Hash, *t.GenesisHash)
	}
	return nil
}

// VerifyAlone verifies everything of one certificate that needs no parent: the genesis signature, or the hashes and the
// multi-signature under the certificate's own aggregate verification key and parameters. A standard certificate that passes is
// not to be trusted: nothing says whose key that is.
func VerifyAlone(c *certificate.Certificate, trust Trust) error {
	if trust.Leaf != nil && c.Hash != *trust.Leaf {
		return mismatch(0, c, verdict.RuleRequestedHashMismatch, c.Hash, *trust.Leaf)
	}
	claim, failure := trust.examine(0, c)
	if failure != nil {
		return failure
	}
	if c.IsGenesis() {
		return nil
	}
	if err := claim.Verify(); err != nil {
		return aggregateError(0, c, err)
	}
	return nil
}

// aggregateError is the error for a claim that does not hold.
func aggregateError(position int, c *certificate.Certificate, err error) *Error {
	e := refuse(position, c, verdict.RuleMultiSignatureInvalid)
	e.Detail = verdict.DetailAggregateInvalid
	e.Err = err
	culprit := Culprit{Position: position, Hash: c.Hash, Epoch: c.Epoch}
	if claim, ok := err.(*multisig.ClaimError); ok {
		culprit.Signatures = claim.Signatures
		e.Signature = claim.Signatures[0]
	}
	e.Culprits = []Culprit{culprit}
	return e
}
