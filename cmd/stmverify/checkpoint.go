package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/stmverify/stmverify/light"
	"github.com/stmverify/stmverify/light/checkpoint"
	"github.com/stmverify/stmverify/light/store"
)

func newCheckpointCommand(a *app) *cobra.Command {
	return group("checkpoint", "Make and verify checkpoints, from which a chain can be verified instead of from genesis",
		newCheckpointCreateCommand(a), newCheckpointVerifyCommand(a))
}

type checkpointResult struct {
	Schema     string `json:"schema"`
	Verdict    string `json:"verdict"`
	Checkpoint string `json:"checkpoint"`
	Hash       string `json:"hash"`
	Epoch      uint64 `json:"epoch"`
	Network    string `json:"network,omitempty"`
	Against    string `json:"against,omitempty"`
}

func newCheckpointResult(schema, verdict, path string, f *checkpoint.File) checkpointResult {
	return checkpointResult{Schema: schema, Verdict: verdict, Checkpoint: path, Hash: f.Hash.String(), Epoch: f.Epoch, Network: f.Network}
}

func (r checkpointResult) text(w *writer) {
	w.verdict(true, r.Verdict, r.Checkpoint)
	w.field("certificate", fmt.Sprintf("%s (epoch %d)", r.Hash, r.Epoch))
	w.optional("network", r.Network)
	w.optional("against", r.Against)
}

func newCheckpointCreateCommand(a *app) *cobra.Command {
	var f storeFlag
	var hash, output string
	var force bool
	cmd := &cobra.Command{
		Use:   "create",
		Short: "Write a checkpoint for a verified certificate of a store",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if output == "" {
				return usageError(cmd, errors.New("--output is required"))
			}
			st, err := f.open(cmd, false)
			if err != nil {
				return err
			}
			defer st.Close()
			file, err := newCheckpoint(cmd.Context(), st, hash)
			if err != nil {
				return storeHint(err)
			}
			if _, err := writeWhole(output, force, func(w io.Writer) error { return file.Write(w) }); err != nil {
				return err
			}
			return a.print(newCheckpointResult("stmverify/checkpoint-create/v1", "created", output, file))
		},
	}
	f.add(cmd)
	flags := cmd.Flags()
	flags.StringVar(&hash, "hash", "", "of the certificate with this `hash` instead of the latest one")
	flags.StringVarP(&output, "output", "o", "", "write the checkpoint to this `file` (required)")
	addForceFlag(cmd, &force)
	return cmd
}

// newCheckpoint returns the checkpoint of a certificate of the store, the latest when hash is empty.
func newCheckpoint(ctx context.Context, st store.Store, hash string) (*checkpoint.File, error) {
	id, err := st.Identity(ctx)
	if err != nil {
		return nil, err
	}
	r, err := st.Latest(ctx)
	if hash != "" {
		h, parseErr := parseHashFlag("--hash", hash)
		if parseErr != nil {
			return nil, parseErr
		}
		r, err = st.Record(ctx, h)
	}
	if err != nil {
		return nil, err
	}
	return checkpoint.New(id, r), nil
}

func newCheckpointVerifyCommand(a *app) *cobra.Command {
	var c clientFlags
	var p providerFlags
	var from string
	cmd := &cobra.Command{
		Use:   "verify <file>",
		Short: "Verify a checkpoint against a chain from genesis",
		Long: `Verify a checkpoint against a chain from genesis: fetch the chain below its certificate, verify that, and compare every
field of the checkpoint. The chain comes from an aggregator, a bundle, a file or a folder.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if from == "" {
				from = a.getenv(aggregatorVariable)
			}
			if from == "" {
				return withHint(errors.New("no chain to verify against"), "give --from, or set $"+aggregatorVariable)
			}
			file, err := readCheckpoint(args[0])
			if err != nil {
				return err
			}
			if err := verifyCheckpoint(cmd.Context(), a, &c, &p, from, file); err != nil {
				return err
			}
			r := newCheckpointResult("stmverify/checkpoint-verify/v1", "valid", args[0], file)
			r.Against = from
			return a.print(r)
		},
	}
	c.add(cmd)
	p.add(cmd)
	cmd.Flags().StringVar(&from, "from", "", "take the chain from this aggregator `URL`, bundle, file or folder (default $"+aggregatorVariable+")")
	return cmd
}

func verifyCheckpoint(ctx context.Context, a *app, c *clientFlags, p *providerFlags, from string, file *checkpoint.File) error {
	trust, err := c.resolve(a)
	if err != nil {
		return err
	}
	if err := file.For(trust.GenesisKey, trust.Network); err != nil {
		return err
	}
	chainSource, err := p.open(ctx, from, nil)
	if err != nil {
		return err
	}
	defer chainSource.Close()
	var st store.Memory
	client, err := light.New(ctx, trust, chainSource, &st, c.options(a)...)
	if err != nil {
		return err
	}
	if _, err := client.Sync(ctx, light.Exactly(file.Hash)); err != nil {
		return err
	}
	verified, err := newCheckpoint(ctx, &st, file.Hash.String())
	if err != nil {
		return err
	}
	return file.Same(verified)
}
