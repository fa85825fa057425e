package main

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stmverify/stmverify/internal/certio"
	"github.com/stmverify/stmverify/light"
	"github.com/stmverify/stmverify/light/store"
)

// isRemote reports whether the certificates come from a provider: the URL of an aggregator, or a bundle.
func isRemote(path string) bool {
	return strings.Contains(path, "://") || path != certio.Stdin && isBundle(path)
}

// verifyRemote fetches the walk from the newest certificate, or from the one that --tip names, and verifies it.
func (v *chainVerifier) verifyRemote(cmd *cobra.Command, path string) error {
	if v.noBatch || v.stats {
		return usageError(cmd, errors.New("--no-batch and --stats are for files, folders and standard input"))
	}
	ctx := cmd.Context()
	from, err := v.provider.open(ctx, path, nil)
	if err != nil {
		return err
	}
	defer from.Close()
	bar := v.app.newProgress("verify", 0)
	defer bar.stop()
	observer := light.ObserverFunc(func(e light.Event) {
		if checked, ok := e.(light.Checked); ok {
			bar.set(checked.Number)
		}
	})
	var memory store.Memory
	client, err := light.New(ctx, v.trust, from, &memory, light.Jobs(v.app.jobs), light.Observe(observer))
	if err != nil {
		return err
	}
	target := light.Newest()
	if !v.tip.IsZero() {
		target = light.Exactly(v.tip)
	}
	report, err := client.Sync(ctx, target)
	if err != nil && isBundle(path) {
		return refusedBundle(err)
	}
	if err != nil {
		return err
	}
	return v.addStored(cmd, &memory, report.Tip)
}

// addStored adds the walk from tip, all of it verified, to the result.
func (v *chainVerifier) addStored(cmd *cobra.Command, memory *store.Memory, tip *store.Record) error {
	walk := walkResult{Tip: storedEnd(tip)}
	last := tip
	for r := tip; ; {
		walk.Certificates++
		last = r
		if r.Genesis {
			genesis := storedEnd(r)
			walk.Genesis = &genesis
			break
		}
		if p := v.trust.Checkpoint; p != nil && r.PreviousHash == p.Hash {
			walk.Joins = p.Hash.String()
			break
		}
		var err error
		if r, err = memory.Record(cmd.Context(), r.PreviousHash); err != nil {
			return err
		}
	}
	v.result.addWalk(walk, last.Epoch)
	return nil
}

func storedEnd(r *store.Record) endResult {
	return endResult{r.Hash.String(), r.Epoch, r.SignedMessage}
}
