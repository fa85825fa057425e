package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/stmverify/stmverify/certificate"
	"github.com/stmverify/stmverify/light/bundle"
	"github.com/stmverify/stmverify/light/store"
	"github.com/stmverify/stmverify/light/store/bolt"
	"github.com/stmverify/stmverify/network"
)

type chainExportResult struct {
	Schema       string `json:"schema"`
	Bundle       string `json:"bundle"`
	Bytes        int64  `json:"bytes"`
	Certificates int    `json:"certificates"`
	Tip          string `json:"tip"`
	RestsOn      string `json:"rests_on"`
	Genesis      bool   `json:"genesis"` // rests_on is a genesis certificate, and in the bundle
}

func newChainExportCommand(a *app) *cobra.Command {
	var f storeFlag
	var tip, output string
	var force bool
	cmd := &cobra.Command{
		Use:   "export",
		Short: "Write a verified chain to one file for another machine",
		Long: `Write a verified chain to one file, a bundle, which another machine verifies again without a network.
The chain is taken from a store, which 'stmverify sync' and 'stmverify chain import' make.

The bundle holds the walk from the tip to genesis, or as far as the store goes: what was pruned, or lies before its
checkpoint, is not in it. Such a bundle is verified with --trusted and a checkpoint of the certificate it rests on.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if output == "" {
				return usageError(cmd, errors.New("--output is required"))
			}
			if err := refuseExisting(output, force); err != nil {
				return err
			}
			st, err := f.open(cmd, false)
			if err != nil {
				return err
			}
			defer st.Close()
			e := exporter{store: st, output: output, force: force}
			r, err := e.run(cmd.Context(), tip)
			if err != nil {
				return storeHint(err)
			}
			if !r.Genesis {
				a.warn("%s does not reach genesis: it can be verified only with a checkpoint (--trusted) of the certificate it rests on, %s, or into a store that holds that one", output, r.RestsOn)
			}
			return a.print(r)
		},
	}
	f.add(cmd)
	flags := cmd.Flags()
	flags.StringVar(&tip, "tip", "", "begin at the certificate with this `hash` instead of the latest one")
	flags.StringVarP(&output, "output", "o", "", "write the bundle to this `file` (required)")
	addForceFlag(cmd, &force)
	return cmd
}

// exporter writes one walk of a store to a bundle.
type exporter struct {
	store  *bolt.Store
	output string
	force  bool
	walk   []*store.Record
}

func (e *exporter) run(ctx context.Context, tip string) (*chainExportResult, error) {
	r, err := e.tip(ctx, tip)
	if err != nil {
		return nil, err
	}
	for err == nil {
		e.walk = append(e.walk, r)
		if r.Genesis {
			break
		}
		r, err = e.store.Record(ctx, r.PreviousHash)
	}
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return nil, err
	}
	header, err := e.header(ctx)
	if err != nil {
		return nil, err
	}
	size, err := writeWhole(e.output, e.force, func(w io.Writer) error { return bundle.Write(w, header, e.texts(ctx)) })
	return &chainExportResult{
		Schema: "stmverify/chain-export/v1", Bundle: e.output, Bytes: size, Certificates: len(e.walk),
		Tip: e.walk[0].Hash.String(), RestsOn: header.RestsOn.String(), Genesis: header.Genesis,
	}, err
}

func (e *exporter) tip(ctx context.Context, tip string) (*store.Record, error) {
	if tip == "" {
		return e.store.Latest(ctx)
	}
	hash, err := parseHashFlag("--tip", tip)
	if err != nil {
		return nil, err
	}
	return e.store.Record(ctx, hash)
}

func (e *exporter) header(ctx context.Context) (bundle.Header, error) {
	id, err := e.store.Identity(ctx)
	if err != nil {
		return bundle.Header{}, err
	}
	last := e.walk[len(e.walk)-1]
	h := bundle.Header{
		Network: id.Network, GenesisKey: network.Key(id.GenesisKey).String(),
		Tips: []certificate.Hash{e.walk[0].Hash}, RestsOn: last.PreviousHash, Genesis: last.Genesis, Certificates: len(e.walk),
	}
	if last.Genesis {
		h.RestsOn = last.Hash
	}
	return h, nil
}

func (e *exporter) texts(ctx context.Context) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for _, r := range e.walk {
			if !yield(e.store.Raw(ctx, r.Hash)) {
				return
			}
		}
	}
}

// addForceFlag adds the flag without which a command replaces no file.
func addForceFlag(cmd *cobra.Command, force *bool) {
	cmd.Flags().BoolVar(force, "force", false, "replace the file where it exists")
}

// refuseExisting returns an error for a path where there is something, unless force is set.
func refuseExisting(path string, force bool) error {
	if force {
		return nil
	}
	_, err := os.Lstat(path)
	if err == nil {
		return withHint(&fs.PathError{Op: "create", Path: path, Err: fs.ErrExist}, "give --force to replace it")
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// writeWhole writes a file whole or not at all, and returns its length. What is there is replaced only with force.
func writeWhole(path string, force bool, write func(io.Writer) error) (int64, error) {
	if err := refuseExisting(path, force); err != nil {
		return 0, err
	}
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return 0, err
	}
	defer os.Remove(f.Name()) // fails when it was renamed, as it should
	err = write(f)
	info, statErr := f.Stat()
	if err = errors.Join(err, statErr, f.Chmod(0o644), f.Close()); err != nil {
		return 0, err
	}
	return info.Size(), os.Rename(f.Name(), path)
}

func (r *chainExportResult) text(w *writer) {
	w.verdict(true, "exported", r.Bundle)
	w.field("certificates", fmt.Sprintf("%d, %d bytes", r.Certificates, r.Bytes))
	w.field("tip", r.Tip)
	name := "genesis"
	if !r.Genesis {
		name = "rests on"
	}
	w.field(name, r.RestsOn)
}
