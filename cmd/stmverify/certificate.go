package main

import (
	"encoding/hex"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/stmverify/stmverify/certificate"
	"github.com/stmverify/stmverify/stm"
)

func newCertificateCommand(a *app) *cobra.Command {
	return group("certificate", "Show, hash, verify and explain one certificate",
		newCertificateShowCommand(a), newCertificateHashCommand(a), newCertificateVerifyCommand(a), newCertificateExplainCommand(a))
}

// addHashFlag adds the flag that chooses one certificate of several.
func addHashFlag(cmd *cobra.Command, hash *string) {
	cmd.Flags().StringVar(hash, "hash", "", "take the certificate with this `hash` where the file holds several")
}

func newCertificateShowCommand(a *app) *cobra.Command {
	var hash string
	cmd := &cobra.Command{
		Use:   "show <file|folder|bundle|->",
		Short: "Print what a certificate says, unverified",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			l, err := a.load(cmd.Context(), args[0], hash)
			if err != nil {
				return err
			}
			defer l.close()
			c, err := certificate.Inspect(l.raw)
			if err != nil {
				return err
			}
			return a.print(newCertificateView(c))
		},
	}
	addHashFlag(cmd, &hash)
	return cmd
}

// certificateView is a certificate in the form in which it is printed: what is signed apart from what is not.
type certificateView struct {
	Schema         string              `json:"schema"`
	Kind           string              `json:"kind"` // genesis or standard
	Signed         signedView          `json:"signed"`
	NotSigned      unsignedView        `json:"not_signed"`
	AVK            avkView             `json:"aggregate_verification_key"`
	MultiSignature *multiSignatureView `json:"multi_signature,omitempty"`
	Genesis        string              `json:"genesis_signature,omitempty"`
	Unsupported    string              `json:"unsupported,omitempty"`
}

type signedView struct {
	Message    string            `json:"signed_message"`
	HashScheme string            `json:"hash_scheme"`
	Parts      map[string]string `json:"message_parts"`
	order      []string
	nextAVK    *stm.AggregateVerificationKey // what that part says, nil without it
}

type unsignedView struct {
	Hash        string         `json:"hash"`
	Previous    string         `json:"previous_hash"`
	Epoch       uint64         `json:"epoch"`
	Entity      string         `json:"signed_entity_type"`
	Network     string         `json:"network"`
	Version     string         `json:"version"`
	Parameters  parametersView `json:"parameters"`
	InitiatedAt time.Time      `json:"initiated_at"`
	SealedAt    time.Time      `json:"sealed_at"`
	Signers     int            `json:"signers"`
}

type parametersView struct {
	K    uint64  `json:"k"`
	M    uint64  `json:"m"`
	PhiF float64 `json:"phi_f"`
}

type avkView struct {
	Root       string `json:"root"`
	NrLeaves   uint64 `json:"nr_leaves"`
	TotalStake uint64 `json:"total_stake"`
}

type multiSignatureView struct {
	Signatures int    `json:"signatures"`
	Indexes    int    `json:"indexes"`
	Stake      uint64 `json:"stake"` // of the signatures together
}

func kind(c *certificate.Certificate) string {
	if c.IsGenesis() {
		return "genesis"
	}
	return "standard"
}

// previousText returns previous_hash as it is written.
func previousText(c *certificate.Certificate) string {
	if c.PreviousHash.IsZero() {
		return ""
	}
	return c.PreviousHash.String()
}

func newCertificateView(c *certificate.Certificate) *certificateView {
	m := &c.Metadata
	v := &certificateView{
		Schema: "stmverify/certificate-show/v1",
		Kind:   kind(c),
		Signed: signedView{Message: c.SignedMessage, HashScheme: c.ProtocolMessage.Scheme.String(), Parts: map[string]string{}},
		NotSigned: unsignedView{
			Hash: c.Hash.String(), Previous: previousText(c), Epoch: c.Epoch, Entity: c.SignedEntityType.String(),
			Network: m.Network, Version: m.Version, Parameters: parametersView{m.Parameters.K, m.Parameters.M, m.Parameters.PhiF},
			InitiatedAt: m.InitiatedAt, SealedAt: m.SealedAt, Signers: len(m.Signers),
		},
		AVK: avkView{hex.EncodeToString(c.AVK.Root[:]), c.AVK.NrLeaves, c.AVK.TotalStake},
	}
	for key, value := range c.ProtocolMessage.Parts() {
		v.Signed.Parts[key.String()] = value
		v.Signed.order = append(v.Signed.order, key.String())
	}
	v.Signed.nextAVK, _ = c.ProtocolMessage.NextAVK() // The part is shown as it is where it does not decode.
	if c.IsGenesis() {
		v.Genesis = hex.EncodeToString(c.GenesisSignature[:])
	}
	if s := c.MultiSignature; s != nil {
		v.MultiSignature = &multiSignatureView{Signatures: s.Len(), Indexes: s.NrIndexes()}
		for i := range s.Len() {
			_, stake, _ := s.Party(i)
			v.MultiSignature.Stake += stake
		}
	}
	if err := c.Unsupported(); err != nil {
		v.Unsupported = err.Error()
	}
	return v
}

func (v *certificateView) text(w *writer) {
	fmt.Fprintf(w, "%s certificate, not verified\n", v.Kind)
	w.optional("unsupported", v.Unsupported)
	fmt.Fprintln(w, "signed")
	w.field("signed_message", v.Signed.Message)
	for _, key := range v.Signed.order {
		value := shorten(v.Signed.Parts[key])
		if avk := v.Signed.nextAVK; avk != nil && key == certificate.NextAggregateVerificationKey.String() {
			value = fmt.Sprintf("root %x, %d leaves, total stake %d", avk.Root[:], avk.NrLeaves, avk.TotalStake)
		}
		w.field(key, value)
	}
	fmt.Fprintln(w, "not signed")
	u := &v.NotSigned
	w.field("hash", u.Hash)
	w.field("previous_hash", u.Previous)
	w.field("epoch", u.Epoch)
	w.field("signed_entity_type", u.Entity)
	w.field("network", u.Network)
	w.field("version", u.Version)
	w.field("parameters", fmt.Sprintf("k %d, m %d, phi_f %v", u.Parameters.K, u.Parameters.M, u.Parameters.PhiF))
	w.field("initiated_at", u.InitiatedAt.Format(time.RFC3339Nano))
	w.field("sealed_at", u.SealedAt.Format(time.RFC3339Nano))
	w.field("signers", u.Signers)
	fmt.Fprintln(w, "aggregate verification key")
	w.field("root", v.AVK.Root)
	w.field("leaves", v.AVK.NrLeaves)
	w.field("total stake", v.AVK.TotalStake)
	if s := v.MultiSignature; s != nil {
		fmt.Fprintln(w, "multi-signature")
		w.field("signatures", s.Signatures)
		w.field("lottery indices", s.Indexes)
		w.field("stake", fmt.Sprintf("%d of %d", s.Stake, v.AVK.TotalStake))
	}
	if v.Genesis != "" {
		fmt.Fprintln(w, "genesis signature")
		w.field("signature", v.Genesis)
	}
}

// shorten cuts what is too long for a line.
func shorten(text string) string {
	const most = 128
	if len(text) <= most {
		return text
	}
	return fmt.Sprintf("%s… (%d characters)", text[:most], len(text))
}

type hashResult struct {
	Schema   string `json:"schema"`
	Computed string `json:"hash"`
	Claimed  string `json:"claimed"`
	Matches  bool   `json:"matches"`
}

func newCertificateHashCommand(a *app) *cobra.Command {
	var hash string
	cmd := &cobra.Command{
		Use:   "hash <file|folder|bundle|->",
		Short: "Compute the hash of a certificate",
		Long: `Compute the hash of a certificate from its content. A hash that differs from the one that the certificate claims
is no error here; it gives a warning.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			l, err := a.load(cmd.Context(), args[0], hash)
			if err != nil {
				return err
			}
			defer l.close()
			c, err := certificate.Inspect(l.raw)
			if err != nil {
				return err
			}
			computed, err := c.ComputeHash()
			if err != nil {
				return err
			}
			if computed != c.Hash {
				a.warn("the certificate claims the hash %v", c.Hash)
			}
			return a.print(hashResult{"stmverify/certificate-hash/v1", computed.String(), c.Hash.String(), computed == c.Hash})
		},
	}
	addHashFlag(cmd, &hash)
	return cmd
}

func (r hashResult) text(w *writer) { fmt.Fprintln(w, r.Computed) }
