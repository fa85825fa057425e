package main

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stmverify/stmverify/certificate"
	"github.com/stmverify/stmverify/internal/limits"
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
	Refused       int       `json:"refused"` // how many of them
	Error         *failure  `json:"error,omitempty"`
}

type avkItem struct {
	Epoch       uint64 `json:"epoch"`
	Certificate string `json:"certificate_hash"` // of the distribution, as published
	Signers     int    `json:"signers"`
	TotalStake  uint64 `json:"total_stake"`
	Root        string `json:"root,omitempty"`
	AVK         string `json:"aggregate_verification_key,omitempty"`
	Compared    string `json:"compared_with,omitempty"` // "next" key of the certificate
	Refused     string `json:"refused,omitempty"`       // why there is no key, or why it is not the one of the certificate
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
			var refused error // the first
			for _, d := range distributions {
				item, err := a.rebuild(cmd, d, certificates)
				if err != nil && !isVerdict(err) {
					return fmt.Errorf("epoch %d: %w", d.Epoch, err)
				}
				if err != nil {
					item.Refused = err.Error()
					r.Refused++
				}
				if err != nil && refused == nil {
					refused = fmt.Errorf("epoch %d: %w", d.Epoch, err)
					r.Error = newFailure(refused)
				}
				r.Registrations = append(r.Registrations, item)
			}
			if err := a.print(r); err != nil {
				return err
			}
			return refused
		},
	}
	cmd.Flags().StringVar(&certificates, "certificates", "", "compare with the certificates in this `file or folder`")
	return cmd
}

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
	list, err := parseDistributions(bufio.NewReader(in))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	slices.SortFunc(list, func(a, b *keyreg.StakeDistribution) int { return cmp.Compare(a.Epoch, b.Epoch) })
	return list, nil
}

// parseDistributions reads an array element by element, and anything else as a whole.
func parseDistributions(in *bufio.Reader) ([]*keyreg.StakeDistribution, error) {
	first, err := firstByte(in)
	if err != nil {
		return nil, err
	}
	if first == '[' {
		return parseArray(in)
	}
	data, err := io.ReadAll(io.LimitReader(in, limits.MaxDistributionBytes+1))
	if err != nil {
		return nil, err
	}
	if len(data) > limits.MaxDistributionBytes {
		return nil, fmt.Errorf("%w: more than %d bytes", verdict.ErrLimit, limits.MaxDistributionBytes)
	}
	object, ok := parseObject(data)
	if !ok {
		d, err := keyreg.ParseStakeDistribution(data)
		return []*keyreg.StakeDistribution{d}, err
	}
	var list []*keyreg.StakeDistribution
	for _, name := range slices.Sorted(maps.Keys(object)) {
		d, err := keyreg.ParseStakeDistribution(object[name])
		if err != nil {
			return nil, fmt.Errorf("%q: %w", name, err)
		}
		list = append(list, d)
	}
	return list, nil
}

// firstByte returns the first byte that is no white space, and leaves it to be read.
func firstByte(in *bufio.Reader) (byte, error) {
	for {
		b, err := in.ReadByte()
		if err == io.EOF {
			return 0, fmt.Errorf("%w: no stake distribution", verdict.ErrInvalid)
		}
		if err != nil {
			return 0, err
		}
		if !strings.ContainsRune(" \t\r\n", rune(b)) {
			return b, in.UnreadByte()
		}
	}
}

// parseObject reads an object of distributions by name, which is told from a distribution by its members being objects.
func parseObject(data []byte) (map[string]json.RawMessage, bool) {
	var object map[string]json.RawMessage
	if json.Unmarshal(data, &object) != nil || len(object) == 0 {
		return nil, false
	}
	for _, member := range object {
		if !bytes.HasPrefix(bytes.TrimSpace(member), []byte("{")) {
			return nil, false
		}
	}
	return object, true
}

func parseArray(in io.Reader) ([]*keyreg.StakeDistribution, error) {
	var list []*keyreg.StakeDistribution
	source := &io.LimitedReader{R: in, N: limits.MaxDistributionBytes}
	decoder := json.NewDecoder(source)
	refused := func(err error) error {
		if source.N <= 0 {
			return fmt.Errorf("distribution %d: %w: more than %d bytes", len(list), verdict.ErrLimit, limits.MaxDistributionBytes)
		}
		return fmt.Errorf("distribution %d: %w: %w", len(list), verdict.ErrInvalid, err)
	}
	if _, err := decoder.Token(); err != nil {
		return nil, refused(err)
	}
	for decoder.More() {
		if len(list) == limits.MaxDistributions {
			return nil, fmt.Errorf("%w: more than %d distributions", verdict.ErrLimit, limits.MaxDistributions)
		}
		source.N = limits.MaxDistributionBytes
		var raw json.RawMessage
		if err := decoder.Decode(&raw); err != nil {
			return nil, refused(err)
		}
		d, err := keyreg.ParseStakeDistribution(raw)
		if err != nil {
			return nil, fmt.Errorf("distribution %d: %w", len(list), err)
		}
		list = append(list, d)
	}
	if _, err := decoder.Token(); err != nil {
		return nil, refused(err)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%w: no stake distribution", verdict.ErrInvalid)
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, refused(errors.New("more behind the array"))
	}
	return list, nil
}

// rebuild registers the parties of a distribution and compares the key.
func (a *app) rebuild(cmd *cobra.Command, d *keyreg.StakeDistribution, certificates string) (avkItem, error) {
	item := avkItem{Epoch: d.Epoch, Certificate: d.CertificateHash, Signers: len(d.Signers)}
	var registration keyreg.Registration
	if err := registration.RegisterAll(cmd.Context(), d.Parties()); err != nil {
		return item, namePossessions(d, err)
	}
	closed, err := registration.Close()
	if err != nil {
		return item, err
	}
	avk := stm.NewAggregateVerificationKey(closed)
	item.TotalStake, item.Root, item.AVK = avk.TotalStake, hex.EncodeToString(avk.Root[:]), string(avk.AppendJSONHex(nil))
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
	if hash, err := c.ComputeHash(); err != nil || hash != l.hash {
		return item, fmt.Errorf("%w: %s: certificate %v has the hash %v", verdict.ErrInvalid, verdict.RuleCertificateHashMismatch, l.hash, hash)
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
		parties = append(parties, printable(d.Signers[i].PartyID))
	}
	return fmt.Errorf("%w: %v", err, parties)
}

func (r avkResult) text(w *writer) {
	fmt.Fprintln(w, "EPOCH\tSIGNERS\tTOTAL STAKE\tROOT\tCERTIFICATE")
	for _, i := range r.Registrations {
		stake, root, note := fmt.Sprint(i.TotalStake), i.Root, printable(i.Certificate)
		if i.Compared != "" {
			note += " signs it"
		}
		if i.Root == "" {
			stake, root = "-", "-"
		}
		if i.Refused != "" {
			note = "REFUSED: " + printable(i.Refused)
		}
		fmt.Fprintf(w, "%d\t%d\t%s\t%s\t%s\n", i.Epoch, i.Signers, stake, root, note)
	}
}
