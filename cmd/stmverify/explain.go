package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stmverify/stmverify/certificate"
	"github.com/stmverify/stmverify/internal/certio"
	"github.com/stmverify/stmverify/internal/explain"
	"github.com/stmverify/stmverify/network"
	"github.com/stmverify/stmverify/verdict"
)

// explanation is each rule on one certificate.
type explanation struct {
	Schema string          `json:"schema"`
	Hash   string          `json:"hash"`
	Epoch  uint64          `json:"epoch"`
	Kind   string          `json:"kind"`
	Broken int             `json:"broken"`
	Checks []explain.Check `json:"checks"`
}

func newCertificateExplainCommand(a *app) *cobra.Command {
	var hash, parent string
	var trust trustFlags
	cmd := &cobra.Command{
		Use:   "explain <file|folder|bundle|->",
		Short: "Show each rule on a certificate: its inputs, what was computed and what was claimed",
		Long: `Show each rule on a certificate: its inputs, what was computed and what was claimed. It goes on after a broken rule.

The links to the parent are checked when the parent is in the same file or folder, or in the one that --parent names. The
signature of a genesis certificate is checked when a genesis verification key is given. The exit code is 2 when a rule is broken.`,
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
			options := explain.Options{Network: trust.networkName()}
			if options.Parent, err = a.parentOf(cmd.Context(), c, l, parent); err != nil {
				return err
			}
			if trust.given(a) {
				key, _, err := trust.resolve(a)
				if err != nil {
					return err
				}
				options.GenesisKey = (*[network.KeySize]byte)(&key)
			}
			return a.explain(c, options)
		},
	}
	addHashFlag(cmd, &hash)
	cmd.Flags().StringVar(&parent, "parent", "", "`file` or folder that holds the parent")
	trust.add(cmd)
	return cmd
}

// parentOf looks for the parent of c in the file or folder path, or beside c when path is empty. It is nil when it is not there.
func (a *app) parentOf(ctx context.Context, c *certificate.Certificate, l *loaded, path string) (*certificate.Certificate, error) {
	if c.IsGenesis() {
		return nil, nil
	}
	index := l.index
	if path != "" {
		in, err := a.openCertificates(ctx, path)
		if err != nil {
			return nil, err
		}
		defer in.Close()
		if index, err = in.Index(ctx); err != nil {
			return nil, err
		}
	}
	raw, err := index.Get(certio.Hash(c.PreviousHash))
	if err != nil {
		return nil, err
	}
	if raw == nil && path != "" {
		return nil, fmt.Errorf("%s: no certificate %v: %w", path, c.PreviousHash, os.ErrNotExist)
	}
	if raw == nil {
		return nil, nil
	}
	parent, err := certificate.Inspect(raw)
	if err != nil {
		return nil, fmt.Errorf("parent: %w", err)
	}
	return parent, nil
}

func (a *app) explain(c *certificate.Certificate, o explain.Options) error {
	r := explanation{
		Schema: "stmverify/certificate-explain/v1",
		Hash:   c.Hash.String(),
		Epoch:  c.Epoch,
		Kind:   kind(c),
		Checks: explain.Certificate(c, o),
	}
	for i := range r.Checks {
		if r.Checks[i].Outcome == explain.Broken {
			r.Broken++
		}
	}
	if err := a.print(&r); err != nil {
		return err
	}
	if broken := explain.FirstBroken(r.Checks); broken != nil {
		return &brokenError{c.Hash, c.Epoch, *broken}
	}
	return nil
}

// brokenError says that a certificate breaks a rule.
type brokenError struct {
	hash  certificate.Hash
	epoch uint64
	check explain.Check
}

func (e *brokenError) Error() string {
	text := fmt.Sprintf("certificate %s (epoch %d): %s", e.hash.Short(), e.epoch, e.check.Rule)
	if e.check.Detail != "" {
		text += ": " + string(e.check.Detail)
	}
	switch {
	case e.check.Claimed != "" && e.check.ComputedIs != "":
		return fmt.Sprintf("%s: %s: %s, %s: %s", text, e.check.ComputedIs, shorten(e.check.Computed), e.check.ClaimedIs, shorten(e.check.Claimed))
	case e.check.Computed != "" && e.check.Claimed != "":
		return fmt.Sprintf("%s: got %s, want %s", text, shorten(e.check.Computed), shorten(e.check.Claimed))
	case e.check.Note != "":
		return text + ": " + e.check.Note
	}
	return text
}

// Unwrap returns the class.
func (e *brokenError) Unwrap() error {
	if e.check.Rule == verdict.RuleUnsupported {
		return verdict.ErrUnsupported
	}
	return verdict.ErrInvalid
}

func (r *explanation) text(w *writer) {
	fmt.Fprintf(w, "%s certificate %s, epoch %d\n", r.Kind, r.Hash, r.Epoch)
	for i := range r.Checks {
		writeCheck(w, &r.Checks[i])
	}
	fmt.Fprintln(w)
	if r.Broken > 0 {
		w.verdict(false, "broken", fmt.Sprintf("%d of %d rules", r.Broken, len(r.Checks)))
	} else {
		w.verdict(true, "no rule broken", fmt.Sprintf("%d of %d checked", r.checked(), len(r.Checks)))
	}
}

func (r *explanation) checked() (n int) {
	for i := range r.Checks {
		if r.Checks[i].Outcome != explain.NotChecked {
			n++
		}
	}
	return n
}

func writeCheck(w *writer, c *explain.Check) {
	rule := string(c.Rule)
	if c.Detail != "" {
		rule += ", " + string(c.Detail)
	}
	fmt.Fprintf(w, "\n%s: %s [%s]\n", strings.ReplaceAll(string(c.Outcome), "-", " "), c.Statement, rule)
	for _, v := range c.Inputs {
		w.field(v.Name, shorten(v.Value))
	}
	if c.Computed != "" {
		w.field(cmp.Or(c.ComputedIs, "computed"), shorten(c.Computed))
		if c.ClaimedIs != "" {
			w.field(c.ClaimedIs, shorten(cmp.Or(c.Claimed, "none")))
		} else {
			w.field("claimed", shorten(c.Claimed))
		}
	}
	w.optional("note", c.Note)
}
