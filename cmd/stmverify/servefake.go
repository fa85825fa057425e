package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/stmverify/stmverify/internal/certio"
	"github.com/stmverify/stmverify/internal/fakeaggregator"
	"github.com/stmverify/stmverify/internal/fakeaggregator/forge"
	"github.com/stmverify/stmverify/network"
)

const serveFakeLong = `Serve certificates the way an aggregator does, on this machine, and misbehave on demand: everything about 'stmverify sync'
can be tried without a network.

The certificates come from a file or folder, or, with --synthetic, are made up under a genesis key of their own, which is
printed. They are not verified. --fault disturbs requests; it may be repeated, and the first fault that takes a request
decides. A fault is a kind and settings: 'latency:delay=40ms', 'status:status=429,retry-after=2,times=3',
'truncate:route=certificate,after=10', 'wrong:with=HASH', 'tamper:hash=PREFIX', 'redirect:location=URL', 'reset', 'drip:delay=1s',
'endless', 'bomb', 'silent', 'garbage', 'no-end', 'not-found', 'bad-length', 'bad-coding', 'broken-gzip', 'huge-header'.
Settings for all kinds: route=certificate|genesis|certificates, hash=PREFIX, after=N, times=N.`

// serveFake is one run of serve-fake.
type serveFake struct {
	app       *app
	listen    string
	faults    []string
	synthetic int
	name      string
	grow      time.Duration
	start     int
	then      string
	thenAfter time.Duration
}

func newServeFakeCommand(a *app) *cobra.Command {
	s := &serveFake{app: a}
	cmd := &cobra.Command{
		Use:   "serve-fake [file|folder]",
		Short: "Serve certificates like an aggregator, with faults on demand",
		Long:  serveFakeLong,
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if (len(args) == 1) == (s.synthetic > 0) {
				return usageError(cmd, errors.New("want either a file or folder, or --synthetic"))
			}
			return s.run(cmd.Context(), args)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&s.listen, "listen", "127.0.0.1:0", "serve at this `address`; without a host on this machine only")
	flags.StringArrayVar(&s.faults, "fault", nil, "disturb requests in this `way`; may be repeated")
	flags.IntVar(&s.synthetic, "synthetic", 0, "make up this many `certificates`, one an epoch")
	flags.StringVar(&s.name, "seed", "stmverify", "with --synthetic, derive all keys from this `text`")
	flags.DurationVar(&s.grow, "grow", 0, "reveal one certificate more each `duration`")
	flags.IntVar(&s.start, "start", 1, "with --grow, begin with this many `certificates`")
	flags.StringVar(&s.then, "then", "", "serve this `file` or folder instead after --then-after: a fork, a re-genesis")
	flags.DurationVar(&s.thenAfter, "then-after", 10*time.Second, "with --then, how long to wait")
	return cmd
}

type serveFakeResult struct {
	Schema       string `json:"schema"`
	URL          string `json:"url"`
	Certificates int    `json:"certificates"`
	GenesisKey   string `json:"genesis_verification_key,omitempty"`
	Network      string `json:"network,omitempty"`
}

func (r serveFakeResult) text(w *writer) {
	fmt.Fprintln(w, r.URL)
	w.optional("genesis key", r.GenesisKey)
	w.optional("network", r.Network)
}

func (s *serveFake) run(ctx context.Context, args []string) error {
	r := serveFakeResult{Schema: "stmverify/serve-fake/v1"}
	texts, err := s.load(ctx, args, &r)
	if err != nil {
		return err
	}
	var then [][]byte
	if s.then != "" {
		if then, err = readCertificates(ctx, s.then); err != nil {
			return err
		}
	}
	first := texts
	if s.grow > 0 {
		first = texts[len(texts)-min(max(1, s.start), len(texts)):]
	}
	server, err := fakeaggregator.New(first)
	if err != nil {
		return err
	}
	for _, text := range s.faults {
		f, err := fakeaggregator.ParseFault(text)
		if err != nil {
			return err
		}
		if err := server.Inject(f); err != nil {
			return err
		}
	}
	listener, err := listen(s.listen)
	if err != nil {
		return fmt.Errorf("--listen: %w", err)
	}
	r.URL, r.Certificates = "http://"+listener.Addr().String()+"/aggregator", len(texts)
	var printErr error
	stop := serveHTTP(listener, server, func() { printErr = s.app.print(r) })
	changeErr := s.change(ctx, server, texts, len(first), then)
	return errors.Join(printErr, changeErr, stop())
}

// change lets the chain grow and be replaced until the command is interrupted.
func (s *serveFake) change(ctx context.Context, server *fakeaggregator.Server, texts [][]byte, shown int, then [][]byte) error {
	var grow, replace <-chan time.Time
	if s.grow > 0 {
		ticker := time.NewTicker(s.grow)
		defer ticker.Stop()
		grow = ticker.C
	}
	if then != nil {
		timer := time.NewTimer(s.thenAfter)
		defer timer.Stop()
		replace = timer.C
	}
	for {
		var err error
		select {
		case <-ctx.Done():
			if err := context.Cause(ctx); !errors.Is(err, context.Canceled) {
				return err
			}
			return nil
		case <-grow:
			shown = min(shown+1, len(texts))
			err = server.SetChain(texts[len(texts)-shown:])
		case <-replace:
			grow = nil
			err = server.SetChain(then)
		}
		if err != nil {
			return err
		}
	}
}

func (s *serveFake) load(ctx context.Context, args []string, r *serveFakeResult) ([][]byte, error) {
	if s.synthetic == 0 {
		return readCertificates(ctx, args[0])
	}
	const name, firstEpoch = "synthetic", 100
	f := forge.New(s.name, name)
	r.GenesisKey, r.Network = network.Key(f.GenesisKey()).String(), name
	return forge.Texts(f.Chain(firstEpoch, s.synthetic)), nil
}

// readCertificates reads all certificates of a file or folder, in walk order where that is possible: the certificates of
// each walk, newest first, and each certificate once.
func readCertificates(ctx context.Context, path string) ([][]byte, error) {
	in, err := certio.Open(path, nil)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	index, err := in.Index(ctx)
	if err != nil {
		return nil, err
	}
	var texts [][]byte
	for _, hash := range index.All() {
		text, err := index.Get(hash)
		if err != nil {
			return nil, err
		}
		texts = append(texts, text)
	}
	return texts, nil
}
