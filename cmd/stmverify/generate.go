package main

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stmverify/stmverify/internal/testkit"
)

type generateResult struct {
	Schema       string `json:"schema"`
	Certificates int    `json:"certificates"`
	Newest       string `json:"newest"` // hash of the newest certificate, as claimed
	GenesisKey   string `json:"genesis_verification_key"`
	Fault        string `json:"fault,omitempty"`
	Folder       string `json:"folder"`
}

// The files that generate writes, under the names that other tools of the network use.
const (
	generatedChain = "certificates.json"
	generatedKey   = "genesis.vkey"
)

func newGenerateCommand(a *app) *cobra.Command {
	var spec testkit.Spec
	var stake, fault, out string
	var force bool
	cmd := &cobra.Command{
		Use:   "generate --out FOLDER",
		Short: "Generate a synthetic chain, with a fault on demand",
		Long: `Generate a synthetic chain: FOLDER/certificates.json, newest certificate first, and FOLDER/genesis.vkey.

The chain follows from the seed, its secret keys too: it protects nothing. It has registrations with fresh keys in
every epoch, multi-signatures, all kinds of signed entities and a genesis certificate. --fault NAME@N breaks one rule at
certificate N, counted from the newest, which is 0; the names are those of the rules, and of the details of
multi-signature-invalid:

  ` + strings.Join(testkit.FaultNames(), "\n  ") + `

The genesis certificate has few of these faults. chain-too-long needs --per-epoch 4 and more certificates than that;
network-mismatch shows where 'chain verify' is given --network; a certificate with previous-hash-mismatch names a parent
that is not there, which a search by hash reports as certificate-not-found. The rules requested-hash-mismatch and
genesis-not-pinned are about what the caller asks for and not about a chain.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if out == "" {
				return usageError(cmd, errors.New("--out: want a folder"))
			}
			for _, name := range []string{"certificates", "per-epoch", "signers", "epoch"} {
				if cmd.Flags().Lookup(name).Value.String() == "0" {
					return usageError(cmd, fmt.Errorf("--%s: got 0, want at least 1", name))
				}
			}
			spec.Stake = testkit.Stake(stake)
			if fault != "" {
				if spec.Fault, err = testkit.ParseFault(fault); err != nil {
					return usageError(cmd, err)
				}
			}
			if err := spec.Normalize(); err != nil {
				return usageError(cmd, &plain{err})
			}
			return a.generate(cmd, spec, out, force)
		},
	}
	flags := cmd.Flags()
	flags.IntVar(&spec.Certificates, "certificates", 10, "`number` of certificates, genesis included")
	flags.IntVar(&spec.PerEpoch, "per-epoch", 1, "`number` of certificates in an epoch")
	flags.IntVar(&spec.Signers, "signers", 5, "`number` of registered signers in every epoch")
	flags.Uint64Var(&spec.Parameters.K, "k", 5, "quorum: the `number` of lottery indices a multi-signature needs")
	flags.Uint64Var(&spec.Parameters.M, "m", 100, "`number` of lotteries")
	flags.Float64Var(&spec.Parameters.PhiF, "phi", 0.65, "`chance` of all stake together to win one lottery, in (0, 1]")
	flags.StringVar(&stake, "stake", string(testkit.Uniform), "`distribution` of the stakes: uniform or heavy-tail")
	flags.Uint64Var(&spec.Seed, "seed", 0, "`number` that everything follows from")
	flags.Uint64Var(&spec.FirstEpoch, "epoch", 100, "`number` of the genesis certificate's epoch")
	flags.StringVar(&spec.Network, "network", "testnet", "network `name` in the certificates")
	flags.BoolVar(&spec.Discontinued, "discontinued", false, "add certificates about CardanoImmutableFilesFull, which newer software refuses")
	flags.StringVar(&fault, "fault", "", "break one `rule`: NAME or NAME@N")
	flags.StringVar(&out, "out", "", "`folder` to write to; it is created")
	flags.BoolVar(&force, "force", false, "overwrite files of an earlier run")
	return cmd
}

func (a *app) generate(cmd *cobra.Command, spec testkit.Spec, out string, force bool) error {
	if err := os.MkdirAll(out, 0o777); err != nil {
		return err
	}
	bar := a.newProgress("generating", spec.Certificates)
	generated, err := testkit.Generate(cmd.Context(), spec, func(done, _ int) { bar.set(done) })
	bar.stop()
	if err != nil {
		return &plain{err}
	}
	if err := writeNew(filepath.Join(out, generatedChain), force, generated.Certificates); err != nil {
		return err
	}
	key := keyText(generated.GenesisKey)
	if err := writeNew(filepath.Join(out, generatedKey), force, nil, key); err != nil {
		return err
	}
	r := generateResult{Schema: "stmverify/generate/v1", Certificates: len(generated.Certificates), GenesisKey: hex.EncodeToString(generated.GenesisKey[:]), Folder: out}
	var newest struct{ Hash string }
	if json.Unmarshal(generated.Certificates[0], &newest) == nil {
		r.Newest = newest.Hash
	}
	if spec.Fault != nil {
		r.Fault = spec.Fault.String()
	}
	return a.print(r)
}

// keyText is the form of a key file: the JSON array of its bytes in hexadecimal.
func keyText(key [32]byte) []byte {
	numbers := make([]int, len(key))
	for i, b := range key {
		numbers[i] = int(b)
	}
	text, _ := json.Marshal(numbers) // An array of numbers always has a text.
	return []byte(hex.EncodeToString(text))
}

// writeNew writes a JSON array of elements, or the text when there are none, to a file that must not exist unless force is set.
func writeNew(path string, force bool, elements [][]byte, text ...[]byte) (err error) {
	mode := os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	if !force {
		mode |= os.O_EXCL
	}
	f, err := os.OpenFile(path, mode, 0o666)
	if errors.Is(err, os.ErrExist) {
		return withHint(err, "give --force to overwrite it")
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	w := bufio.NewWriter(f)
	for i, e := range elements {
		separator := ",\n"
		if i == 0 {
			separator = "["
		}
		fmt.Fprint(w, separator)
		w.Write(e)
	}
	if len(elements) > 0 {
		fmt.Fprint(w, "]\n")
	}
	for _, t := range text {
		w.Write(t)
	}
	return w.Flush()
}

func (r generateResult) text(w *writer) {
	fmt.Fprintf(w, "wrote %d certificates to %s\n", r.Certificates, r.Folder)
	w.field("newest", r.Newest)
	w.field("genesis key", r.GenesisKey)
	w.optional("fault", r.Fault)
}
