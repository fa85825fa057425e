package main

import (
	"context"
	"fmt"
	"iter"

	"github.com/spf13/cobra"

	"github.com/stmverify/stmverify/certificate"
	"github.com/stmverify/stmverify/internal/certio"
)

// chainView lists certificates, unverified.
type chainView struct {
	Schema       string      `json:"schema"`
	Source       string      `json:"source"`
	Certificates []chainItem `json:"certificates"`
}

type chainItem struct {
	Walk       int    `json:"walk"`
	Hash       string `json:"hash"`
	Previous   string `json:"previous_hash"`
	Epoch      uint64 `json:"epoch"`
	Kind       string `json:"kind"`
	Entity     string `json:"signed_entity_type"`
	Network    string `json:"network"`
	Signatures int    `json:"signatures"`
	Indexes    int    `json:"indexes"`
}

func newChainShowCommand(a *app) *cobra.Command {
	var tip string
	cmd := &cobra.Command{
		Use:   "show <file|folder|bundle|->",
		Short: "List the certificates of a chain, unverified",
		Long: `List the certificates from each tip down to genesis, or to a certificate that was listed before. Nothing is verified: what is
listed is what whoever made the file wrote into it.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var from certificate.Hash
			if tip != "" {
				var err error
				if from, err = parseHashFlag("--tip", tip); err != nil {
					return err
				}
			}
			view, err := a.viewChain(cmd.Context(), args[0], certio.Hash(from))
			if err != nil {
				return err
			}
			return a.print(view)
		},
	}
	cmd.Flags().StringVar(&tip, "tip", "", "list only the walk that begins at the certificate with this `hash`")
	return cmd
}

func (a *app) viewChain(ctx context.Context, path string, tip certio.Hash) (*chainView, error) {
	in, err := a.openCertificates(ctx, path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	x, err := in.Index(ctx)
	if err != nil {
		return nil, err
	}
	tips := x.Tips()
	if tip != (certio.Hash{}) {
		if !x.Has(tip) {
			return nil, fmt.Errorf("%s holds no certificate %v", path, tip)
		}
		tips = []certio.Hash{tip}
	}
	view := &chainView{Schema: "stmverify/chain-show/v1", Source: path}
	listed := make(map[certificate.Hash]bool)
	for number, tip := range tips {
		if err := view.add(number, x.Walk(ctx, tip), listed); err != nil {
			return nil, err
		}
	}
	return view, nil
}

// add lists a walk up to a certificate that is listed already.
func (v *chainView) add(walk int, certs iter.Seq2[[]byte, error], listed map[certificate.Hash]bool) error {
	for raw, err := range certs {
		if err != nil {
			return err
		}
		c, err := certificate.Inspect(raw)
		if err != nil {
			return err
		}
		if listed[c.Hash] {
			return nil
		}
		listed[c.Hash] = true
		item := chainItem{
			Walk: walk, Hash: c.Hash.String(), Previous: previousText(c), Epoch: c.Epoch, Kind: kind(c),
			Entity: c.SignedEntityType.String(), Network: c.Metadata.Network,
		}
		if s := c.MultiSignature; s != nil {
			item.Signatures, item.Indexes = s.Len(), s.NrIndexes()
		}
		v.Certificates = append(v.Certificates, item)
	}
	return nil
}

func (v *chainView) text(w *writer) {
	fmt.Fprintln(w, "WALK\tEPOCH\tHASH\tSIGNED ENTITY\tSIGNATURES\tINDICES")
	for _, c := range v.Certificates {
		entity := c.Entity
		if c.Kind == "genesis" {
			entity = "genesis"
		}
		fmt.Fprintf(w, "%d\t%d\t%s\t%s\t%d\t%d\n", c.Walk, c.Epoch, c.Hash, entity, c.Signatures, c.Indexes)
	}
}
