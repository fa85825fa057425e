package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/stmverify/stmverify/chain"
	"github.com/stmverify/stmverify/light/checkpoint"
)

// chainTrustFlags are the flags that say where a chain may end.
type chainTrustFlags struct {
	trust       trustFlags
	genesisHash string
	trusted     string
}

func (f *chainTrustFlags) add(cmd *cobra.Command) {
	f.trust.add(cmd)
	flags := cmd.Flags()
	flags.StringVar(&f.genesisHash, "genesis-hash", "", "require that the chain ends in the genesis certificate with this `hash`")
	flags.StringVar(&f.trusted, "trusted", "", "end the chain at the checkpoint in this `file` instead of genesis; see 'stmverify checkpoint'")
}

// resolve returns what the verification rests on.
func (f *chainTrustFlags) resolve(a *app) (chain.Trust, error) {
	key, name, err := f.trust.resolve(a)
	if err != nil {
		return chain.Trust{}, err
	}
	trust := chain.Trust{GenesisKey: key, Network: name}
	if f.genesisHash != "" {
		pin, err := parseHashFlag("--genesis-hash", f.genesisHash)
		if err != nil {
			return chain.Trust{}, err
		}
		trust.GenesisHash = &pin
	}
	if f.trusted == "" {
		return trust, nil
	}
	file, err := readCheckpoint(f.trusted)
	if errors.Is(err, checkpoint.ErrFormat) {
		// A wrong argument is no verdict about the chain, as with a genesis key that is none.
		return chain.Trust{}, withHint(fmt.Errorf("--trusted: %w", &plain{err}), "give a file that 'stmverify checkpoint create' wrote")
	}
	if err != nil {
		return chain.Trust{}, fmt.Errorf("--trusted: %w", err)
	}
	if err := file.For(key, name); err != nil {
		return chain.Trust{}, fmt.Errorf("--trusted: %w", err)
	}
	trust.Checkpoint, err = file.Checkpoint()
	return trust, err
}
