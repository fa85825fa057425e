package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/stmverify/stmverify/light"
	"github.com/stmverify/stmverify/light/provider"
	"github.com/stmverify/stmverify/light/store/bolt"
)

const syncLong = `Fetch what is new from an aggregator, verify it, and keep it in a store.

The walk goes from the newest certificate to one that is in the store already, or to genesis. It is stored as a whole after
all of it was verified and compared with the witnesses, or not at all. With --watch this is repeated until the command is
interrupted, whatever the aggregator does; it stops when verified certificates contradict each other.`

// syncCommand is one run of sync.
type syncCommand struct {
	app       *app
	client    clientFlags
	provider  providerFlags
	store     storeFlag
	source    string
	witnesses []string
	to        string
	recent    bool
	watch     bool
	interval  time.Duration
	listen    string
	logJSON   bool
	evidence  string
}

func newSyncCommand(a *app) *cobra.Command {
	s := &syncCommand{app: a}
	cmd := &cobra.Command{
		Use:   "sync",
		Short: "Keep a verified chain up to date from an aggregator",
		Long:  syncLong,
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return s.run(cmd) },
	}
	s.client.add(cmd)
	s.provider.add(cmd)
	s.store.add(cmd)
	flags := cmd.Flags()
	flags.StringVar(&s.source, "aggregator", "", "ask the aggregator at this `URL`, or take a bundle, file or folder (default $"+aggregatorVariable+")")
	flags.StringArrayVar(&s.witnesses, "witness", nil, "compare with the aggregator at this `URL`, and ask it when the first one fails; may be repeated")
	flags.StringVar(&s.to, "to", "", "verify the certificate with this `hash` instead of the newest one")
	flags.BoolVar(&s.recent, "every-recent", false, "verify every certificate that the aggregator lists, not only the newest")
	flags.BoolVarP(&s.watch, "watch", "w", false, "go on until interrupted")
	flags.DurationVar(&s.interval, "interval", light.DefaultInterval, "with --watch, wait this `duration` between syncs")
	flags.StringVar(&s.listen, "listen", "", "with --watch, serve /metrics and /healthz at this `address`, such as :9464; without a host on this machine only")
	flags.BoolVar(&s.logJSON, "log-json", false, "with --watch, log in JSON")
	flags.StringVar(&s.evidence, "evidence", "", "write evidence of a contradiction to this `file`")
	return cmd
}

func (s *syncCommand) check(cmd *cobra.Command) error {
	if s.source == "" {
		s.source = s.app.getenv(aggregatorVariable)
	}
	switch {
	case s.source == "":
		return withHint(errors.New("no aggregator"), "give --aggregator, or set $"+aggregatorVariable)
	case s.to != "" && s.recent:
		return usageError(cmd, errors.New("--to and --every-recent exclude each other"))
	case s.listen != "" && !s.watch:
		return usageError(cmd, errors.New("--listen needs --watch"))
	case s.interval <= 0:
		return usageError(cmd, fmt.Errorf("--interval: got %v, want more than 0", s.interval))
	}
	return nil
}

func (s *syncCommand) target() (light.Target, error) {
	if s.recent {
		return light.EveryRecent(), nil
	}
	if s.to == "" {
		return light.Newest(), nil
	}
	hash, err := parseHashFlag("--to", s.to)
	return light.Exactly(hash), err
}

func (s *syncCommand) run(cmd *cobra.Command) (err error) {
	if err := s.check(cmd); err != nil {
		return err
	}
	target, err := s.target()
	if err != nil {
		return err
	}
	trust, err := s.client.resolve(s.app)
	if err != nil {
		return err
	}
	s.limitMemory()
	ctx := cmd.Context()
	watcher := newSyncObserver(s.app, s.watch, s.logJSON)
	defer watcher.stop()
	providers, closeAll, err := s.open(ctx, watcher)
	if err != nil {
		return err
	}
	defer closeAll()
	st, err := s.store.open(cmd, true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	options := append(s.client.options(s.app), light.Observe(watcher), light.Logger(watcher.log), light.Witnesses(providers[1:]...))
	client, err := light.New(ctx, trust, providers[0], st, options...)
	if err != nil {
		return storeHint(err)
	}
	if s.watch {
		err = s.follow(ctx, client, watcher, target)
	} else {
		err = s.once(ctx, client, watcher, st, target)
	}
	return s.keepEvidence(err)
}

// limitMemory makes the garbage collector work harder near what is needed, unless the user said otherwise: the texts of a
// walk twice, when it is stored, and what decoders hold. About 30 MiB that are no heap come on top.
func (s *syncCommand) limitMemory() {
	if s.app.getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(int64(s.client.maxBytes)*2 + 16<<20)
	}
}

// open opens the aggregator and the witnesses.
func (s *syncCommand) open(ctx context.Context, watcher *syncObserver) (opened []provider.Provider, closeAll func(), err error) {
	var closers []source
	closeAll = func() {
		for _, c := range closers {
			_ = c.Close() // nothing was written
		}
	}
	for _, text := range slices.Concat([]string{s.source}, s.witnesses) {
		p, err := s.provider.open(ctx, text, watcher.retried)
		if err != nil {
			closeAll()
			return nil, nil, err
		}
		closers = append(closers, p)
		opened = append(opened, p)
	}
	return opened, closeAll, nil
}

func (s *syncCommand) once(ctx context.Context, client *light.Client, watcher *syncObserver, st *bolt.Store, target light.Target) error {
	report, err := client.Sync(ctx, target)
	watcher.stop()
	if err != nil {
		return err
	}
	result := syncResult{
		Schema: "stmverify/sync/v1", Aggregator: report.Provider, Store: s.store.path, Added: report.Added,
		Tip: newRecordResult(report.Tip), Behind: report.Behind,
	}
	id, err := st.Identity(ctx)
	if err != nil {
		return err
	}
	if !id.Genesis.IsZero() {
		result.Genesis = id.Genesis.String()
	}
	for _, w := range report.Witnesses {
		item := witnessResult{Witness: w.Provider, Outcome: w.Outcome}
		if w.Err != nil {
			item.Error = newFailure(w.Err)
			s.app.warn("witness %s: %s: %v", w.Provider, w.Outcome, w.Err)
		}
		result.Witnesses = append(result.Witnesses, item)
	}
	if report.Behind {
		s.app.warn("%s lists no certificate as new as the latest one in the store", report.Provider)
	}
	return s.app.print(result)
}

// follow watches until the command is interrupted, which is how it ends well.
func (s *syncCommand) follow(ctx context.Context, client *light.Client, watcher *syncObserver, target light.Target) error {
	stop, err := watcher.serve(s.listen, s.interval)
	if err != nil {
		return err
	}
	err = client.Watch(ctx, light.Schedule{
		Interval: s.interval, MinBackoff: min(s.interval, light.DefaultMinBackoff), Target: target,
	})
	if stopErr := stop(); err == nil {
		err = stopErr
	}
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// keepEvidence writes the evidence of a contradiction to the file that was asked for.
func (s *syncCommand) keepEvidence(err error) error {
	var conflict *light.ConflictError
	if !errors.As(err, &conflict) {
		return err
	}
	if s.evidence == "" {
		return withHint(err, "nothing was stored; --evidence writes both certificates to a file")
	}
	text, jsonErr := json.MarshalIndent(conflict.Evidence, "", "  ")
	if jsonErr == nil {
		jsonErr = os.WriteFile(s.evidence, append(text, '\n'), 0o644)
	}
	return errors.Join(err, jsonErr)
}

type syncResult struct {
	Schema     string          `json:"schema"`
	Aggregator string          `json:"aggregator"`
	Store      string          `json:"store"`
	Added      int             `json:"added"`
	Tip        *recordResult   `json:"tip"`
	Genesis    string          `json:"genesis,omitempty"`
	Behind     bool            `json:"behind"` // the aggregator lists nothing as new as the tip
	Witnesses  []witnessResult `json:"witnesses,omitempty"`
}

type witnessResult struct {
	Witness string        `json:"witness"`
	Outcome light.Outcome `json:"outcome"`
	Error   *failure      `json:"error,omitempty"`
}

func (r syncResult) text(w *writer) {
	w.verdict(true, "synced", r.Aggregator)
	w.field("added", fmt.Sprintf("%d certificates", r.Added))
	w.field("tip", r.Tip.text())
	w.field("tip signs", r.Tip.SignedMessage)
	w.optional("genesis", r.Genesis)
	for _, witness := range r.Witnesses {
		w.field("witness", fmt.Sprintf("%s %s", witness.Witness, witness.Outcome))
	}
}
