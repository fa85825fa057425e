package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/stmverify/stmverify/network"
)

type networksResult struct {
	Schema   string        `json:"schema"`
	Networks []networkItem `json:"networks"`
}

type networkItem struct {
	Name  string `json:"name"`
	Short string `json:"short_name"`
	Key   string `json:"genesis_verification_key"`
}

func newNetworksCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "networks",
		Short: "List the published networks and their genesis verification keys",
		Long: `List the published networks and their genesis verification keys.

All networks but mainnet share one key, and no signature covers a network's name: a chain of one of them also
verifies under the key of another.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			r := networksResult{Schema: "stmverify/networks/v1"}
			for _, n := range network.Published() {
				r.Networks = append(r.Networks, networkItem{n.Name, n.Short, n.Key.String()})
			}
			return a.print(r)
		},
	}
}

func (r networksResult) text(w *writer) {
	fmt.Fprintln(w, "NETWORK\tSHORT\tGENESIS VERIFICATION KEY")
	for _, n := range r.Networks {
		fmt.Fprintf(w, "%s\t%s\t%s\n", n.Name, n.Short, n.Key)
	}
}
