// Package explain evaluates the rules on one certificate one by one, goes on after a broken one, and keeps what each was
// computed from. It serves people who ask why; package chain gives the verdict.
package explain

import (
	"encoding/hex"
	"fmt"

	"github.com/stmverify/stmverify/certificate"
	"github.com/stmverify/stmverify/stm"
	"github.com/stmverify/stmverify/verdict"
)

// Outcome says how a rule came out.
type Outcome string

// The outcomes.
const (
	Holds      Outcome = "holds"
	Broken     Outcome = "broken"
	NotChecked Outcome = "not-checked" // something that it needs is missing, or an earlier check of the same proof failed
)

// Value is a named input.
type Value struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Check is one rule on one certificate.
type Check struct {
	Rule      verdict.Rule   `json:"rule"`
	Detail    verdict.Detail `json:"detail,omitempty"`
	Outcome   Outcome        `json:"outcome"`
	Statement string         `json:"statement"` // what the rule says
	Inputs    []Value        `json:"inputs,omitempty"`
	Computed  string         `json:"computed,omitempty"`
	Claimed   string         `json:"claimed,omitempty"`
	// ComputedIs and ClaimedIs say whose the two values are, where "computed" and "claimed" do not.
	ComputedIs string `json:"computed_is,omitempty"`
	ClaimedIs  string `json:"claimed_is,omitempty"`
	Note       string `json:"note,omitempty"` // which part differs, or why it was not checked
}

// Options say what there is to check against beside the certificate.
type Options struct {
	GenesisKey *[32]byte                // nil: the genesis signature is not checked
	Network    string                   // "": any
	Parent     *certificate.Certificate // nil: the links are not checked
}

// Certificate evaluates all rules on a decoded certificate. The cost is that of verifying it.
func Certificate(c *certificate.Certificate, o Options) []Check {
	checks := []Check{supported(c), notItsParent(c), hash(c), message(c), epoch(c)}
	if o.Network != "" {
		checks = append(checks, network(c, o.Network))
	}
	if c.IsGenesis() {
		return append(checks, genesisSignature(c, o.GenesisKey))
	}
	checks = append(checks, multiSignature(c)...)
	return append(checks, links(c, o.Parent)...)
}

// FirstBroken returns the first broken check, or nil.
func FirstBroken(checks []Check) *Check {
	for i := range checks {
		if checks[i].Outcome == Broken {
			return &checks[i]
		}
	}
	return nil
}

// compare sets the outcome by what was computed and what was claimed.
func (c Check) compare(computed, claimed string) Check {
	c.Computed, c.Claimed = computed, claimed
	return c.holdsIf(computed == claimed)
}

func (c Check) holdsIf(ok bool) Check {
	c.Outcome = Broken
	if ok {
		c.Outcome = Holds
	}
	return c
}

func (c Check) notChecked(why string) Check {
	c.Outcome, c.Note = NotChecked, why
	return c
}

func supported(c *certificate.Certificate) Check {
	check := Check{Rule: verdict.RuleUnsupported, Statement: "the proof type, the message scheme and the data are supported"}
	err := c.Unsupported()
	if err != nil {
		check.Note = err.Error()
	}
	return check.holdsIf(err == nil)
}

func notItsParent(c *certificate.Certificate) Check {
	check := Check{Rule: verdict.RuleChainLoop, Statement: "the certificate does not name itself as its parent"}
	check.Inputs = []Value{{"hash", c.Hash.String()}, {"previous_hash", previous(c)}}
	return check.holdsIf(c.Hash != c.PreviousHash)
}

// previous returns previous_hash as it is written.
func previous(c *certificate.Certificate) string {
	if c.IsGenesis() && c.PreviousHash.IsZero() {
		return ""
	}
	return c.PreviousHash.String()
}

func hash(c *certificate.Certificate) Check {
	check := Check{Rule: verdict.RuleCertificateHashMismatch, Statement: "the hash is that of the content"}
	check.Inputs = hashInputs(c)
	computed, err := c.ComputeHash()
	if err != nil {
		check.Note = err.Error()
		return check.holdsIf(false)
	}
	return check.compare(computed.String(), c.Hash.String())
}

// hashInputs returns the parts of the hash preimage in their order, those of the metadata hash before it.
func hashInputs(c *certificate.Certificate) []Value {
	m := &c.Metadata
	message := c.ProtocolMessage.ComputeHash()
	inputs := []Value{
		{"previous_hash", previous(c)},
		{"epoch", fmt.Sprint(c.Epoch)},
		{"metadata.network", m.Network},
		{"metadata.version", m.Version},
		{"metadata.parameters", parametersText(c)},
		{"metadata.initiated_at, ns", fmt.Sprint(m.InitiatedAt.UnixNano())},
		{"metadata.sealed_at, ns", fmt.Sprint(m.SealedAt.UnixNano())},
		{"metadata.signers", fmt.Sprintf("%d parties", len(m.Signers))},
		{"metadata, hash", textOrError(m.ComputeHash())},
		{"protocol_message, hash", message.String()},
		{"signed_message", c.SignedMessage},
		{"aggregate_verification_key", avkText(c.AVK)},
	}
	if c.IsGenesis() {
		return append(inputs, Value{"genesis_signature", hex.EncodeToString(c.GenesisSignature[:])})
	}
	inputs = append(inputs,
		Value{"signed_entity_type", c.SignedEntityType.String()},
		Value{"signed_entity_type, bytes", hex.EncodeToString(c.SignedEntityType.AppendHashInput(nil))})
	if c.MultiSignature != nil {
		inputs = append(inputs, Value{"multi_signature, JSON-hex", fmt.Sprintf("%d characters", len(c.MultiSignature.AppendJSONHex(nil)))})
	}
	return inputs
}

func textOrError(h certificate.Hash, err error) string {
	if err != nil {
		return err.Error()
	}
	return h.String()
}

func avkText(a *stm.AggregateVerificationKey) string {
	return fmt.Sprintf("root %x, %d leaves, total stake %d", a.Root[:], a.NrLeaves, a.TotalStake)
}

func parametersText(c *certificate.Certificate) string {
	p := c.Metadata.Parameters
	return fmt.Sprintf("k %d, m %d, phi_f %v", p.K, p.M, p.PhiF)
}

func message(c *certificate.Certificate) Check {
	check := Check{Rule: verdict.RuleSignedMessageMismatch, Statement: "the signed message is the hash of the protocol message"}
	for key, value := range c.ProtocolMessage.Parts() {
		check.Inputs = append(check.Inputs, Value{key.String(), value})
	}
	return check.compare(c.ProtocolMessage.ComputeHash().String(), c.SignedMessage)
}

func epoch(c *certificate.Certificate) Check {
	check := Check{Rule: verdict.RuleEpochMismatch, Statement: "the epoch is the one that the message signs"}
	signed, ok := c.ProtocolMessage.Part(certificate.CurrentEpoch)
	if !ok {
		signed = "(no current_epoch)"
	}
	return check.compare(signed, fmt.Sprint(c.Epoch))
}

func network(c *certificate.Certificate, want string) Check {
	check := Check{Rule: verdict.RuleNetworkMismatch, Statement: "the certificate carries the name of the network (no signature covers it)"}
	return check.compare(c.Metadata.Network, want)
}
