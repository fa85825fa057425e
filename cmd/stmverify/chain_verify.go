package main

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/spf13/cobra"

	"github.com/stmverify/stmverify/certificate"
	"github.com/stmverify/stmverify/chain"
	"github.com/stmverify/stmverify/internal/certio"
	"github.com/stmverify/stmverify/multisig"
	"github.com/stmverify/stmverify/network"
	"github.com/stmverify/stmverify/verdict"
)

const chainVerifyLong = `Verify certificates, from the newest down to a genesis certificate that the given key signed.

The argument is a file, a folder, or '-' for standard input: a JSON array of certificates as an aggregator serves them, or
certificates one after another, plain or compressed with gzip. Input in walk order, each certificate followed by its parent,
is verified while it is read. Other input is indexed by hash first. Where several certificates have no child, each is the tip
of a walk, and all walks are verified; a walk ends where it meets one that was verified before.

The argument may also be a bundle that 'chain export' wrote, or the URL of an aggregator, of which the newest certificate is taken.
The --plain-http, --request-timeout, --retries, --rate and --origin-tag flags are for aggregators.`

// chainVerifier verifies the certificates of one input.
type chainVerifier struct {
	app     *app
	trust   chain.Trust
	tip     certificate.Hash // zero: every tip
	noBatch bool
	stats   bool

	provider providerFlags // of an aggregator

	keys   *multisig.KeyCache
	result *chainResult
	early  bool                               // the last walk ended in front of a certificate that another one names
	known  map[certificate.Hash]*chain.Record // verified, filled only where there are several walks
}

func newChainVerifyCommand(a *app) *cobra.Command {
	var trust chainTrustFlags
	var tip string
	v := &chainVerifier{app: a}
	cmd := &cobra.Command{
		Use:   "verify <file|folder|bundle|URL|->",
		Short: "Verify certificates down to genesis",
		Long:  chainVerifyLong,
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if v.trust, err = trust.resolve(a); err != nil {
				return err
			}
			if tip != "" {
				if v.tip, err = parseHashFlag("--tip", tip); err != nil {
					return err
				}
			}
			return v.run(cmd, args[0])
		},
	}
	trust.add(cmd)
	v.provider.add(cmd)
	flags := cmd.Flags()
	flags.StringVar(&tip, "tip", "", "verify only the walk that begins at the certificate with this `hash`")
	flags.BoolVar(&v.noBatch, "no-batch", false, "verify multi-signatures one by one; the verdict is the same")
	flags.BoolVar(&v.stats, "stats", false, "print the number of operations and the time of each stage")
	return cmd
}

// run verifies the input and prints the result, which exists as soon as certificates were read.
func (v *chainVerifier) run(cmd *cobra.Command, path string) error {
	v.result = newChainResult(path, v.trust)
	err := v.verifyPath(cmd, path)
	if v.stats {
		v.result.Stats.Certificates = v.result.Certificates
	} else {
		v.result.Stats = nil
	}
	if err != nil && !isVerdict(err) {
		return err // Nothing was found out about the certificates.
	}
	v.result.finish(err)
	if printErr := v.app.print(v.result); printErr != nil {
		return errors.Join(err, printErr)
	}
	return err
}

// isVerdict reports whether err says something about certificates.
func isVerdict(err error) bool {
	class := verdict.Class(err)
	return class != nil && class != verdict.ErrUnavailable
}

func (v *chainVerifier) verifyPath(cmd *cobra.Command, path string) error {
	if isRemote(path) {
		return v.verifyRemote(cmd, path)
	}
	in, err := certio.Open(path, v.app.stdin)
	if err != nil {
		return err
	}
	defer in.Close()
	v.keys = multisig.NewKeyCache(keysCached)
	return v.verify(cmd.Context(), in)
}

// keysCached bounds the cache of validated keys that all walks share.
const keysCached = 4096

func (v *chainVerifier) verify(ctx context.Context, in *certio.Input) error {
	err := v.walk(ctx, 0, in.Stream(ctx, certio.Hash(v.tip)), nil)
	if err == nil && v.early {
		return v.countRest(ctx, in)
	}
	if !errors.Is(err, certio.ErrOrder) {
		return err
	}
	x, err := in.Index(ctx)
	if err != nil {
		return err
	}
	return v.verifyIndexed(ctx, x)
}

// countRest counts the certificates behind the one in which the walk ended, which was not the last.
func (v *chainVerifier) countRest(ctx context.Context, in *certio.Input) error {
	x, err := in.Index(ctx)
	if err != nil {
		return err
	}
	v.result.NotChecked, v.result.Duplicates = x.Len()-v.result.Certificates, x.Duplicates()
	return nil
}

// verifyIndexed verifies the walk from one tip, or from all.
func (v *chainVerifier) verifyIndexed(ctx context.Context, x *certio.Index) error {
	tips := x.Tips()
	if !v.tip.IsZero() {
		if !x.Has(certio.Hash(v.tip)) {
			return fmt.Errorf("%s holds no certificate %v", v.result.Source, v.tip)
		}
		tips = []certio.Hash{certio.Hash(v.tip)}
	}
	switch skipped := x.Skipped(); {
	case len(skipped) == 1:
		v.app.warn("%s: holds JSON objects that are no certificates", skipped[0])
	case len(skipped) > 1:
		v.app.warn("%s and %d more files: hold JSON objects that are no certificates", skipped[0], len(skipped)-1)
	}
	v.result.Duplicates, v.result.Skipped = x.Duplicates(), x.Skipped()
	v.result.NotChecked = x.Len() - x.Reachable(tips...)
	v.known = make(map[certificate.Hash]*chain.Record)
	for _, tip := range tips {
		if err := v.walk(ctx, x.Reachable(tip), x.Walk(ctx, tip), v.checkpoint(x, tip)); err != nil {
			return err
		}
	}
	if v.result.NotChecked > 0 && v.tip.IsZero() {
		return v.unreachable(x, tips)
	}
	v.result.NotChecked = x.Len() - v.result.Certificates // Also those behind a checkpoint or behind a genesis certificate.
	return nil
}

// unreachable is the error for certificates that are on no walk because each is the ancestor of another one among them.
func (v *chainVerifier) unreachable(x *certio.Index, tips []certio.Hash) error {
	return &chain.Error{Rule: verdict.RuleChainLoop, Signature: -1, Position: v.result.Certificates,
		Got: fmt.Sprintf("%d certificates that are ancestors of each other", x.Len()-x.Reachable(tips...)), Want: "none"}
}

// checkpoint returns the verified certificate in which the walk from tip ends, or nil when there is none before genesis.
func (v *chainVerifier) checkpoint(x *certio.Index, tip certio.Hash) *chain.Checkpoint {
	if len(v.known) == 0 {
		return nil
	}
	for steps, hash := 0, tip; steps < x.Len() && hash != (certio.Hash{}); steps++ {
		if r, ok := v.known[certificate.Hash(hash)]; ok {
			return checkpointOf(r)
		}
		hash = x.Parent(hash)
	}
	return nil
}

// checkpointOf returns what a link to a verified certificate needs.
func checkpointOf(r *chain.Record) *chain.Checkpoint {
	c := &chain.Checkpoint{Hash: r.Hash, Epoch: r.Epoch, AVK: r.AVK, Parameters: r.Parameters, Genesis: r.Genesis}
	c.NextAVK, _ = r.Message.NextAVK() // A verified message has parts of the right form, or none.
	c.NextParameters, _ = r.Message.Part(certificate.NextProtocolParameters)
	return c
}

// walk verifies one walk and adds it to the result.
func (v *chainVerifier) walk(ctx context.Context, total int, certs iter.Seq2[[]byte, error], end *chain.Checkpoint) error {
	trust := v.trust
	if end != nil {
		trust.Checkpoint = end
	}
	if !v.tip.IsZero() {
		trust.Leaf = &v.tip
	}
	bar := v.app.newProgress("verify", total)
	defer bar.stop()
	var stats chain.Stats
	options := []chain.Option{
		chain.WithJobs(v.app.jobs), chain.WithKeyCache(v.keys), chain.WithStats(&stats),
		chain.WithProgress(func(p chain.Progress) { bar.set(p.Checked) }),
	}
	if v.noBatch {
		options = append(options, chain.WithoutBatch())
	}
	verified, err := chain.VerifyEncoded(ctx, certs, trust, options...)
	if errors.Is(err, certio.ErrOrder) {
		return err
	}
	addStats(v.result.Stats, &stats)
	if err != nil {
		return err
	}
	v.result.add(verified)
	v.early = verified.EndedAt() != nil || !verified.Last().PreviousHash.IsZero()
	if v.known != nil {
		for i := range verified.Len() {
			v.known[verified.Record(i).Hash] = verified.Record(i)
		}
	}
	return nil
}

// addStats adds what one walk cost.
func addStats(sum, s *chain.Stats) {
	sum.Signatures += s.Signatures
	sum.KeysDecoded += s.KeysDecoded
	sum.KeysCached += s.KeysCached
	sum.LotteryHashes += s.LotteryHashes
	o := &sum.Operations
	o.MillerLoops += s.Operations.MillerLoops
	o.FinalExponentiations += s.Operations.FinalExponentiations
	o.HashesToCurve += s.Operations.HashesToCurve
	o.G1Multiplications += s.Operations.G1Multiplications
	o.G1Terms += s.Operations.G1Terms
	o.G2Multiplications += s.Operations.G2Multiplications
	o.G2Terms += s.Operations.G2Terms
	sum.Decode += s.Decode
	sum.Check += s.Check
	sum.Prepare += s.Prepare
	sum.Combine += s.Combine
	sum.Total += s.Total
}

// newChainResult begins a result.
func newChainResult(path string, trust chain.Trust) *chainResult {
	if path == certio.Stdin {
		path = "standard input"
	}
	return &chainResult{
		Schema:     "stmverify/chain-verify/v1",
		Source:     path,
		GenesisKey: network.Key(trust.GenesisKey).String(),
		Network:    trust.Network,
		Stats:      new(chain.Stats),
	}
}
