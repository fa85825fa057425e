package main

import (
	"github.com/spf13/cobra"
)

func newChainCommand(a *app) *cobra.Command {
	return group("chain", "Verify and show chains of certificates", newChainVerifyCommand(a), newChainShowCommand(a))
}
