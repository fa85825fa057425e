package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/stmverify/stmverify/light/store/bolt"
	"github.com/stmverify/stmverify/network"
)

func newStoreCommand(a *app) *cobra.Command {
	return group("store", "Look into a store of verified certificates, and make it smaller",
		newStoreStatusCommand(a), newStorePruneCommand(a), newStoreResetCommand(a))
}

type storeStatusResult struct {
	Schema       string        `json:"schema"`
	Store        string        `json:"store"`
	Bytes        int64         `json:"bytes"`
	Network      string        `json:"network,omitempty"`
	GenesisKey   string        `json:"genesis_verification_key"`
	Genesis      string        `json:"genesis,omitempty"`
	Checkpoint   string        `json:"checkpoint,omitempty"`
	Certificates int           `json:"certificates"`
	FirstEpoch   uint64        `json:"first_epoch,omitempty"`
	Tip          *recordResult `json:"tip,omitempty"`
}

func newStoreStatusCommand(a *app) *cobra.Command {
	var f storeFlag
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Check a store and say what it holds",
		Long: `Check a store and say what it holds.

Every byte of the file is checked against the digests that it was written with. This finds damage, not somebody who wrote
the file on purpose: 'stmverify chain export' and 'stmverify chain import' verify the certificates anew.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			r, err := storeStatus(cmd, &f)
			if err != nil {
				return err
			}
			return a.print(r)
		},
	}
	f.add(cmd)
	return cmd
}

func storeStatus(cmd *cobra.Command, f *storeFlag) (*storeStatusResult, error) {
	st, err := f.open(cmd, false)
	if err != nil {
		return nil, err
	}
	defer st.Close()
	ctx := cmd.Context()
	id, err := st.Identity(ctx)
	if err != nil {
		return nil, err
	}
	r := &storeStatusResult{
		Schema: "stmverify/store-status/v1", Store: f.path, Network: id.Network, GenesisKey: network.Key(id.GenesisKey).String(),
	}
	if !id.Genesis.IsZero() {
		r.Genesis = id.Genesis.String()
	}
	if !id.Checkpoint.IsZero() {
		r.Checkpoint = id.Checkpoint.String()
	}
	for record, err := range st.Records(ctx) {
		if err != nil {
			return nil, err
		}
		r.Certificates++
		r.FirstEpoch = record.Epoch
	}
	tip, err := latest(ctx, st)
	if err != nil {
		return nil, err
	}
	if tip != nil {
		r.Tip = newRecordResult(tip)
	}
	r.Bytes, err = st.Size()
	return r, err
}

func (r *storeStatusResult) text(w *writer) {
	w.verdict(true, "intact", r.Store)
	w.field("bytes", r.Bytes)
	w.optional("network", r.Network)
	w.field("genesis key", r.GenesisKey)
	w.optional("genesis", r.Genesis)
	w.optional("checkpoint", r.Checkpoint)
	if r.Tip == nil {
		w.field("certificates", "none yet")
		return
	}
	w.field("certificates", fmt.Sprintf("%d, epochs %d to %d", r.Certificates, r.FirstEpoch, r.Tip.Epoch))
	w.field("tip", r.Tip.text())
	w.field("tip signs", r.Tip.SignedMessage)
}

type storePruneResult struct {
	Schema  string `json:"schema"`
	Store   string `json:"store"`
	Removed int    `json:"removed"`
	Kept    int    `json:"kept"`
	Bytes   int64  `json:"bytes"`
}

func newStorePruneCommand(a *app) *cobra.Command {
	var f storeFlag
	var epochs uint64
	cmd := &cobra.Command{
		Use:   "prune",
		Short: "Remove the certificates of old epochs",
		Long: `Remove the certificates of old epochs. The chain goes on from what is kept: its oldest certificates have been verified
down to genesis, and which genesis certificate that was stays known.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if epochs == 0 {
				return usageError(cmd, errors.New("--keep-epochs: want 1 or more"))
			}
			st, err := f.open(cmd, false)
			if err != nil {
				return err
			}
			r, err := prune(cmd, st, epochs)
			if err = errors.Join(err, st.Close()); err != nil {
				return storeHint(err)
			}
			r.Store = f.path
			return a.print(r)
		},
	}
	f.add(cmd)
	cmd.Flags().Uint64Var(&epochs, "keep-epochs", 0, "keep the certificates of the newest `epochs` (required)")
	return cmd
}

func prune(cmd *cobra.Command, st *bolt.Store, epochs uint64) (*storePruneResult, error) {
	ctx := cmd.Context()
	tip, err := st.Latest(ctx)
	if err != nil {
		return nil, err
	}
	r := &storePruneResult{Schema: "stmverify/store-prune/v1"}
	if tip.Epoch >= epochs {
		if r.Removed, err = st.Prune(ctx, tip.Epoch-epochs+1); err != nil {
			return nil, err
		}
	}
	for _, err := range st.Records(ctx) {
		if err != nil {
			return nil, err
		}
		r.Kept++
	}
	r.Bytes, err = st.Size()
	return r, err
}

func (r *storePruneResult) text(w *writer) {
	w.verdict(true, "pruned", r.Store)
	w.field("removed", fmt.Sprintf("%d certificates", r.Removed))
	w.field("kept", fmt.Sprintf("%d certificates, %d bytes", r.Kept, r.Bytes))
}

type storeResetResult struct {
	Schema string `json:"schema"`
	Store  string `json:"store"`
}

func newStoreResetCommand(a *app) *cobra.Command {
	var f storeFlag
	var yes bool
	cmd := &cobra.Command{
		Use:   "reset",
		Short: "Delete a store, so that the next sync begins anew",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case f.path == "":
				return usageError(cmd, errors.New("--store is required"))
			case !yes:
				return usageError(cmd, errors.New("--yes is required: everything in the store is fetched and verified again"))
			}
			if err := bolt.Remove(f.path); err != nil {
				return storeHint(err)
			}
			return a.print(storeResetResult{"stmverify/store-reset/v1", f.path})
		},
	}
	f.add(cmd)
	cmd.Flags().BoolVar(&yes, "yes", false, "do delete it")
	return cmd
}

func (r storeResetResult) text(w *writer) { w.verdict(true, "deleted", r.Store) }
