package main

import (
	"github.com/spf13/cobra"
)

func newChainCommand(a *app) *cobra.Command {
	return group("chain", "Verify, show and carry chains of certificates",
		newChainVerifyCommand(a), newChainShowCommand(a), newChainExportCommand(a), newChainImportCommand(a))
}
