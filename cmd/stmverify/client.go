package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/stmverify/stmverify/light"
	"github.com/stmverify/stmverify/light/checkpoint"
	"github.com/stmverify/stmverify/light/store"
	"github.com/stmverify/stmverify/light/store/bolt"
)

// storeFlag is the flag that names the file of verified certificates.
type storeFlag struct{ path string }

func (f *storeFlag) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.path, "store", "", "keep verified certificates in this `file` (required)")
}

// open opens the store, or makes one when create is set.
func (f *storeFlag) open(cmd *cobra.Command, create bool) (*bolt.Store, error) {
	if f.path == "" {
		return nil, usageError(cmd, errors.New("--store is required"))
	}
	if !create {
		exists, err := bolt.Exists(f.path)
		if err != nil {
			return nil, err
		}
		if !exists {
			return nil, withHint(fmt.Errorf("%s: no store there", f.path), "'stmverify sync' and 'stmverify chain import' make one")
		}
	}
	st, err := bolt.Open(f.path)
	if err != nil {
		return nil, storeHint(err)
	}
	return st, nil
}

// storeHint adds to an error of a store what the user can do about it.
func storeHint(err error) error {
	switch {
	case errors.Is(err, store.ErrLocked):
		return withHint(err, "one process at a time: stop the other one, or use another --store")
	case errors.Is(err, store.ErrCorrupt):
		return withHint(err, "nothing in it was used; 'stmverify store reset' removes it, and a sync makes a new one")
	case errors.Is(err, store.ErrSchema):
		return withHint(err, "use the version of stmverify that wrote it, or 'stmverify store reset' and sync again")
	case errors.Is(err, store.ErrOtherIdentity):
		return withHint(err, "a store is for one network, genesis key and checkpoint: give those it was made with, or another --store")
	case errors.Is(err, store.ErrEmpty):
		return withHint(err, "'stmverify sync' fills it")
	}
	return err
}

// clientFlags are the flags that say what a light client rests on, and its bounds.
type clientFlags struct {
	chainTrustFlags
	maxCertificates int
	maxBytes        int
}

func (f *clientFlags) add(cmd *cobra.Command) {
	f.chainTrustFlags.add(cmd)
	flags := cmd.Flags()
	flags.IntVar(&f.maxCertificates, "max-certificates", light.DefaultMaxCertificates, "refuse a walk of more `certificates`")
	flags.IntVar(&f.maxBytes, "max-bytes", light.DefaultMaxBytes, "refuse a walk of more `bytes`")
}

func (f *clientFlags) options(a *app) []light.Option {
	return []light.Option{light.MaxCertificates(f.maxCertificates), light.MaxBytes(f.maxBytes), light.Jobs(a.jobs)}
}

func readCheckpoint(path string) (*checkpoint.File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	c, err := checkpoint.Read(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return c, nil
}

// recordResult is a verified certificate in a result.
type recordResult struct {
	Hash          string            `json:"hash"`
	Epoch         uint64            `json:"epoch"`
	SignedMessage string            `json:"signed_message"`
	Message       map[string]string `json:"message"`
}

func newRecordResult(r *store.Record) *recordResult {
	return &recordResult{r.Hash.String(), r.Epoch, r.SignedMessage, r.Message}
}

func (r *recordResult) text() string { return fmt.Sprintf("%s (epoch %d)", r.Hash, r.Epoch) }

// latest returns the latest certificate of a store, or nil when it is empty.
func latest(ctx context.Context, st store.Store) (*store.Record, error) {
	r, err := st.Latest(ctx)
	if errors.Is(err, store.ErrEmpty) {
		return nil, nil
	}
	return r, err
}
