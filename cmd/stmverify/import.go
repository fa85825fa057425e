package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/stmverify/stmverify/light"
	"github.com/stmverify/stmverify/light/bundle"
	"github.com/stmverify/stmverify/light/provider"
	"github.com/stmverify/stmverify/light/store"
	"github.com/stmverify/stmverify/light/store/bolt"
	"github.com/stmverify/stmverify/network"
)

type chainImportResult struct {
	Schema  string        `json:"schema"`
	Verdict string        `json:"verdict"` // valid, invalid, unsupported or limit
	Bundle  string        `json:"bundle"`
	Store   string        `json:"store"`
	Added   int           `json:"added"`
	Tip     *recordResult `json:"tip,omitempty"`
	Genesis string        `json:"genesis,omitempty"`
	Error   *failure      `json:"error,omitempty"`
}

func newChainImportCommand(a *app) *cobra.Command {
	var f storeFlag
	var c clientFlags
	cmd := &cobra.Command{
		Use:   "import <bundle>",
		Short: "Verify a bundle and store its certificates, without a network",
		Long: `Verify a bundle and store its certificates, without a network.

Nothing in the bundle is trusted: the genesis key comes from --network or --genesis-vkey, and every certificate is verified
as if an aggregator had sent it.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			r := &chainImportResult{Schema: "stmverify/chain-import/v1", Bundle: args[0], Store: f.path}
			err := r.run(cmd, a, &f, &c)
			if err != nil && !isVerdict(err) {
				return storeHint(err)
			}
			r.Verdict, r.Error = verdictOn(err)
			if printErr := a.print(r); printErr != nil {
				return errors.Join(err, printErr)
			}
			return err
		},
	}
	c.add(cmd)
	f.add(cmd)
	return cmd
}

func (r *chainImportResult) run(cmd *cobra.Command, a *app, f *storeFlag, c *clientFlags) (err error) {
	trust, err := c.resolve(a)
	if err != nil {
		return err
	}
	b, err := bundle.Open(r.Bundle)
	if err != nil {
		return importHint(r.Bundle, err)
	}
	header := b.Header()
	if key := network.Key(trust.GenesisKey).String(); header.GenesisKey != key {
		a.warn("%s says it is of genesis key %s; it is verified under %s", r.Bundle, header.GenesisKey, key)
	}
	st, err := f.openLater(cmd)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	ctx := cmd.Context()
	client, err := light.New(ctx, trust, bundleSource{b}, st, c.options(a)...)
	if err != nil {
		return err
	}
	for _, tip := range header.Tips {
		report, err := client.Sync(ctx, light.Exactly(tip))
		if err != nil {
			return refusedBundle(err)
		}
		r.Added += report.Added
	}
	tip, err := st.Latest(ctx)
	if err != nil {
		return err
	}
	r.Tip = newRecordResult(tip)
	id, err := st.Identity(ctx)
	if !id.Genesis.IsZero() {
		r.Genesis = id.Genesis.String()
	}
	return err
}

// importHint says what to do with certificates that are in no bundle.
func importHint(path string, err error) error {
	info, statErr := os.Stat(path)
	if statErr == nil && info.IsDir() || errors.Is(err, bundle.ErrFormat) && !isBundle(path) {
		return withHint(err, "this command takes what 'chain export' wrote; 'stmverify sync --aggregator' takes a file or folder of certificates as well")
	}
	return zstdHint(err)
}

// zstdHint says what to do with certificates that were compressed with zstd.
func zstdHint(err error) error {
	var place *bundle.Error
	if errors.As(err, &place) && place.Line == 1 && errors.Is(err, bundle.ErrFormat) {
		return withHint(err, "of what is compressed with zstd only bundles of 'chain export' are read: for other files use gzip, or no compression")
	}
	return err
}

// refusedBundle names a bundle as what it is in an error that names it as the provider of a certificate.
func refusedBundle(err error) error {
	var refused *light.RefusedError
	if !errors.As(err, &refused) {
		return err
	}
	if _, absent := refused.Err.(*provider.Error); absent {
		return err
	}
	return fmt.Errorf("bundle %s: %w", refused.Provider, refused.Err)
}

func (r *chainImportResult) text(w *writer) {
	w.verdict(r.Error == nil, r.Verdict, r.Bundle)
	if r.Error != nil {
		r.Error.text(w)
		if r.Added > 0 {
			w.field("added before", fmt.Sprintf("%d certificates to %s", r.Added, r.Store))
		}
		return
	}
	w.field("added", fmt.Sprintf("%d certificates to %s", r.Added, r.Store))
	w.field("tip", r.Tip.text())
	w.optional("genesis", r.Genesis)
}

// laterStore is a store whose file is made for the first segment, so that no file is left when nothing was accepted. It is for
// one sync at a time.
type laterStore struct {
	store.Store // empty and in memory, and the file as soon as there is one
	path        string
	identity    store.Identity
	opened      bool
}

// openLater opens the store, or returns one that makes its file when there is something to keep.
func (f *storeFlag) openLater(cmd *cobra.Command) (store.Store, error) {
	if f.path == "" {
		return f.open(cmd, true)
	}
	exists, err := bolt.Exists(f.path)
	if err != nil {
		return nil, err
	}
	if exists {
		return f.open(cmd, true)
	}
	return &laterStore{Store: new(store.Memory), path: f.path}, nil
}

// Bind implements store.Store.
func (s *laterStore) Bind(ctx context.Context, id store.Identity) error {
	s.identity = id
	return s.Store.Bind(ctx, id)
}

// Commit implements store.Store.
func (s *laterStore) Commit(ctx context.Context, segment store.Segment) error {
	if s.opened {
		return s.Store.Commit(ctx, segment)
	}
	st, err := bolt.Open(s.path)
	if err != nil {
		return err
	}
	s.Store, s.opened = st, true
	if err := st.Bind(ctx, s.identity); err != nil {
		return err
	}
	return st.Commit(ctx, segment)
}
