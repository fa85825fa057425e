package main

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/stmverify/stmverify/certificate"
	"github.com/stmverify/stmverify/keyreg"
	"github.com/stmverify/stmverify/multisig"
	"github.com/stmverify/stmverify/stm"
	"github.com/stmverify/stmverify/verdict"
)

func newKeyregCommand(a *app) *cobra.Command {
	return group("keyreg", "Rebuild aggregate verification keys from registrations", newKeyregAVKCommand(a))
}

type avkResult struct {
	Schema        string    `json:"schema"`
	Registrations []avkItem `json:"registrations"`
}

type avkItem struct {
	Epoch       uint64 `json:"epoch"`
	Certificate string `json:"certificate_hash"` // of the distribution, as published
	Signers     int    `json:"signers"`
	TotalStake  uint64 `json:"total_stake"`
	Root        string `json:"root"`
	AVK         string `json:"aggregate_verification_key"`
	Compared    string `json:"compared_with,omitempty"` // "next" or "own" key of the certificate
}

func newKeyregAVKCommand(a *app) *cobra.Command {
	var certificates string
	cmd := &cobra.Command{
		Use:   "avk FILE",
		Short: "Rebuild aggregate verification keys from published stake distributions",
		Long: `Rebuild the aggregate verification key of every Mithril stake distribution in FILE ('-' is standard input): one
distribution as an aggregator publishes it, an array of them, or an object of them.

Every proof of possession is verified, those of a distribution in one combination. With --certificates, the key is
compared with the one that the certificate of the distribution signs for the next epoch; the certificate itself is not
verified here: see 'stmverify chain verify'.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			distributions, err := a.readDistributions(args[0])
			if err != nil {
				return err
			}
			r := avkResult{Schema: "stmverify/keyreg-avk/v1"}
			for _, d := range distributions {
				item, err := a.rebuild(cmd, d, certificates)
				if err != nil {
					return fmt.Errorf("epoch %d: %w", d.Epoch, err)
				}
				r.Registrations = append(r.Registrations, item)
			}
			return a.print(r)
		},
	}
	cmd.Flags().StringVar(&certificates, "certificates", "", "compare with the certificates in this `file or folder`")
	return cmd
}

// maxDistributions bounds the file: some three thousand signers of 1.3 kB each, for a hundred epochs.
const maxDistributions = 512 << 20

// readDistributions reads one distribution, an array or an object of them.
func (a *app) readDistributions(path string) ([]*keyreg.StakeDistribution, error) {
	in := a.stdin
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		in = f
	}
	data, err := io.ReadAll(io.LimitReader(in, maxDistributions+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxDistributions {
		return nil, fmt.Errorf("%s: %w: more than %d bytes", path, verdict.ErrLimit, maxDistributions)
	}
	return parseDistributions(data)
}

func parseDistributions(data []byte) ([]*keyreg.StakeDistribution, error) {
	var list []json.RawMessage
	var object map[string]json.RawMessage
	if json.Unmarshal(data, &list) != nil {
		list = nil
		if json.Unmarshal(data, &object) == nil && object["signers"] == nil {
			for _, key := range slices.Sorted(maps.Keys(object)) {
				list = append(list, object[key])
			}
		} else {
			list = []json.RawMessage{data}
		}
	}
	var distributions []*keyreg.StakeDistribution
	for _, raw := range list {
		d, err := keyreg.ParseStakeDistribution(raw)
		if err != nil {
			return nil, err
		}
		distributions = append(distributions, d)
	}
	if len(distributions) == 0 {
		return nil, fmt.Errorf("%w: no stake distribution", verdict.ErrInvalid)
	}
	slices.SortFunc(distributions, func(a, b *keyreg.StakeDistribution) int { return int(a.Epoch) - int(b.Epoch) })
	return distributions, nil
}

// rebuild registers the parties of a distribution and compares the key.
func (a *app) rebuild(cmd *cobra.Command, d *keyreg.StakeDistribution, certificates string) (avkItem, error) {
	var registration keyreg.Registration
	if err := registration.RegisterAll(cmd.Context(), d.Parties()); err != nil {
		return avkItem{}, namePossessions(d, err)
	}
	closed, err := registration.Close()
	if err != nil {
		return avkItem{}, err
	}
	avk := stm.NewAggregateVerificationKey(closed)
	item := avkItem{
		Epoch: d.Epoch, Certificate: d.CertificateHash, Signers: closed.Len(), TotalStake: avk.TotalStake,
		Root: hex.EncodeToString(avk.Root[:]), AVK: string(avk.AppendJSONHex(nil)),
	}
	if certificates == "" {
		return item, nil
	}
	l, err := a.load(cmd.Context(), certificates, d.CertificateHash)
	if err != nil {
		return item, err
	}
	defer l.close()
	c, err := certificate.Decode(l.raw)
	if err != nil {
		return item, err
	}
	err = item.compare(avk, c)
	return item, err
}

// compare requires the rebuilt key to be the one that the certificate signs.
func (item *avkItem) compare(avk *stm.AggregateVerificationKey, c *certificate.Certificate) error {
	next, err := c.ProtocolMessage.NextAVK()
	if err != nil {
		return err
	}
	if next == nil || !next.Equal(avk) {
		got := "none"
		if next != nil {
			got = hex.EncodeToString(next.Root[:])
		}
		return fmt.Errorf("%w: %s: the registrations make the root %s, certificate %v signs %s", verdict.ErrInvalid, verdict.RuleAVKMismatch, item.Root, c.Hash, got)
	}
	item.Compared = "next"
	return nil
}

// namePossessions says whose proofs of possession do not verify.
func namePossessions(d *keyreg.StakeDistribution, err error) error {
	var failed *multisig.PossessionError
	if !errors.As(err, &failed) {
		return err
	}
	var parties []string
	for _, i := range failed.Positions {
		parties = append(parties, d.Signers[i].PartyID)
	}
	return fmt.Errorf("%w: %v", err, parties)
}

func (r avkResult) text(w *writer) {
	fmt.Fprintln(w, "EPOCH\tSIGNERS\tTOTAL STAKE\tROOT\tCERTIFICATE")
	for _, i := range r.Registrations {
		note := i.Certificate
		if i.Compared != "" {
			note += " signs it"
		}
		fmt.Fprintf(w, "%d\t%d\t%d\t%s\t%s\n", i.Epoch, i.Signers, i.TotalStake, i.Root, note)
	}
}
