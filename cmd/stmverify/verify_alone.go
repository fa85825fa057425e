package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/stmverify/stmverify/certificate"
	"github.com/stmverify/stmverify/chain"
	"github.com/stmverify/stmverify/verdict"
)

// aloneResult is the verdict on one certificate without its parent.
type aloneResult struct {
	Schema     string   `json:"schema"`
	Verdict    string   `json:"verdict"`
	Hash       string   `json:"hash,omitempty"`
	Epoch      uint64   `json:"epoch,omitempty"`
	Kind       string   `json:"kind,omitempty"`
	Signatures int      `json:"signatures,omitempty"`
	Indexes    int      `json:"indexes,omitempty"`
	NotChecked []string `json:"not_checked,omitempty"` // rules that need the parent
	Error      *failure `json:"error,omitempty"`
	genesis    bool     // the command is about genesis certificates
}

func newCertificateVerifyCommand(a *app) *cobra.Command {
	var hash string
	var trust trustFlags
	cmd := &cobra.Command{
		Use:   "verify <file|folder|bundle|->",
		Short: "Verify everything of a certificate that needs no parent",
		Long: `Verify everything of a certificate that needs no parent: its form, its hashes, its epoch, and its multi-signature under its own
aggregate verification key and parameters. Nothing here says whose key that is: only a chain does. A genesis certificate needs the
genesis verification key.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			l, err := a.load(cmd.Context(), args[0], hash)
			if err != nil {
				return err
			}
			defer l.close()
			r := &aloneResult{Schema: "stmverify/certificate-verify/v1"}
			return a.verifyAlone(r, l, &trust)
		},
	}
	addHashFlag(cmd, &hash)
	trust.add(cmd)
	return cmd
}

func newGenesisCommand(a *app) *cobra.Command {
	return group("genesis", "Verify genesis certificates", newGenesisVerifyCommand(a))
}

func newGenesisVerifyCommand(a *app) *cobra.Command {
	var hash string
	var trust trustFlags
	cmd := &cobra.Command{
		Use:   "verify <file|folder|bundle|->",
		Short: "Verify a genesis certificate",
		Long: `Verify a genesis certificate: its hashes, its epoch, and the Ed25519 signature under the genesis verification key. Of a file
or folder with several certificates, the one genesis certificate in it is taken, or the one that --hash names.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			l, err := a.loadGenesis(cmd.Context(), args[0], hash)
			if err != nil {
				return err
			}
			defer l.close()
			r := &aloneResult{Schema: "stmverify/genesis-verify/v1", genesis: true}
			return a.verifyAlone(r, l, &trust)
		},
	}
	addHashFlag(cmd, &hash)
	trust.add(cmd)
	return cmd
}

var errNotGenesis = verdict.Sentinel(verdict.ErrInvalid, "not a genesis certificate")

// verifyAlone verifies a certificate and prints the result.
func (a *app) verifyAlone(r *aloneResult, l *loaded, trust *trustFlags) error {
	err := r.verify(a, l, trust)
	if err != nil && verdict.Class(err) == nil {
		return err
	}
	r.Verdict, r.Error = verdictOn(err)
	if printErr := a.print(r); printErr != nil {
		return errors.Join(err, printErr)
	}
	return err
}

func (r *aloneResult) verify(a *app, l *loaded, flags *trustFlags) error {
	r.Hash = l.hash.String()
	c, err := certificate.Decode(l.raw)
	if err != nil {
		return err
	}
	r.Epoch, r.Kind = c.Epoch, kind(c)
	if r.genesis && !c.IsGenesis() {
		return fmt.Errorf("certificate %s: %w", c.Hash.Short(), errNotGenesis)
	}
	trust := chain.Trust{Leaf: &l.hash} // The file may have changed since it was searched.
	if c.IsGenesis() || flags.genesisKey != "" {
		key, _, err := flags.resolve(a)
		if err != nil {
			return err
		}
		trust.GenesisKey = key
	}
	trust.Network = flags.networkName()
	if c.MultiSignature != nil {
		r.Signatures, r.Indexes = c.MultiSignature.Len(), c.MultiSignature.NrIndexes()
		for _, rule := range linkRules {
			r.NotChecked = append(r.NotChecked, string(rule))
		}
	}
	return chain.VerifyAlone(c, trust)
}

// linkRules are the rules that need the parent.
var linkRules = [...]verdict.Rule{
	verdict.RulePreviousHashMismatch, verdict.RuleEpochDecreases, verdict.RuleEpochGap, verdict.RuleGenesisChildUnpinned,
	verdict.RuleAVKMismatch, verdict.RuleProtocolParametersMismatch,
}

func (r *aloneResult) text(w *writer) {
	about := "certificate " + r.Hash
	if r.Kind == "genesis" {
		about = "genesis " + about
	}
	word := r.Verdict
	if r.Error == nil && r.Kind == "standard" {
		word = "valid but for the links to its parent"
	}
	w.verdict(r.Error == nil, word, about)
	if r.Error != nil {
		r.Error.text(w)
		return
	}
	w.field("epoch", r.Epoch)
	if r.Kind == "standard" {
		w.field("signatures", fmt.Sprintf("%d, with %d lottery indices", r.Signatures, r.Indexes))
		w.field("not checked", "whose aggregate verification key it is, and the other links to the parent")
	}
}
