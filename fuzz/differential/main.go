// Command differential compares this module with the reference on chains that are nearly valid.
//
// It takes generated chains and those of testdata, changes them at every level (fields and types of the JSON, spellings of
// numbers and of hexadecimal, the three encodings of keys and proofs, indices, stakes, signatures, paths, links, epochs,
// parameters, message parts, the genesis certificate), signs, hashes and links most of them again, so that deep rules are
// reached, and asks both sides for a verdict. Each difference must have a reason in SPEC 11; the rest is written out, one chain
// a line, and makes the exit code 1.
//
//	go run ./fuzz/differential -chains 200000
//
// The reference's oracle is the binary that -oracle or the variable ORACLE names; otherwise it is built from -sources, which needs
// cargo. What the reference answers with a panic or not within seconds is no verdict and is counted apart.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/stmverify/stmverify/certificate"
	"github.com/stmverify/stmverify/chain"
	"github.com/stmverify/stmverify/multisig"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "differential:", err)
		os.Exit(1)
	}
}

type config struct {
	oracle, sources, out, again, focus, vectors string
	chains, processes                           int
	seed                                        uint64
}

func run(ctx context.Context, args []string) error {
	var c config
	flags := flag.NewFlagSet("differential", flag.ContinueOnError)
	flags.StringVar(&c.oracle, "oracle", os.Getenv("ORACLE"), "the reference's oracle; built from -sources when empty")
	flags.StringVar(&c.sources, "sources", "../shared/oracle", "the sources of the oracle")
	flags.StringVar(&c.out, "out", "differences.jsonl", "where differences are written")
	flags.IntVar(&c.chains, "chains", 10_000, "how many chains to compare")
	flags.IntVar(&c.processes, "processes", 1, "how many oracles to run")
	flags.StringVar(&c.again, "again", "", "compare the chains of this file, written by -out, instead of new ones")
	flags.StringVar(&c.vectors, "vectors", "", "write the vectors of vectors.go with the reference's verdicts into this folder, and nothing else")
	flags.StringVar(&c.focus, "focus", "", "make only mutations of texts whose names contain this: cbor, json, bytes, hex, field, number")
	flags.Uint64Var(&c.seed, "seed", 1, "the seed of the mutations")
	if err := flags.Parse(args); err != nil {
		return err
	}
	path, cleanup, err := findOracle(c.oracle, c.sources)
	if err != nil {
		return err
	}
	defer cleanup()
	if c.again != "" {
		return again(path, c.again)
	}
	if c.vectors != "" {
		return writeVectors(path, c.vectors)
	}
	bases, err := makeBases(c.seed)
	if err != nil {
		return err
	}
	t := newTally()
	work := make(chan uint64)
	var workers sync.WaitGroup
	for range c.processes {
		workers.Go(func() {
			o := &oracle{path: path}
			defer o.stop()
			keys := multisig.NewKeyCache(1 << 10)
			for seed := range work {
				t.add(compare(o, bases, keys, c.focus, seed))
			}
		})
	}
	start := time.Now()
	for i := range c.chains {
		if ctx.Err() != nil || t.failed() {
			break
		}
		work <- c.seed<<32 + uint64(i)
		if i%5000 == 4999 {
			fmt.Fprintf(os.Stderr, "%d chains, %d differences, %.0f chains/s\n", i+1, len(t.differences), float64(i+1)/time.Since(start).Seconds())
		}
	}
	close(work)
	workers.Wait()
	return t.report(c.out)
}

// result is the comparison of one chain.
type result struct {
	Names        []string          `json:"mutations"`
	Seed         uint64            `json:"seed"`
	Certificates []json.RawMessage `json:"-"`
	Texts        []string          `json:"certificates"` // texts, because they may be no JSON
	GenesisKey   string            `json:"genesis_vkey"`
	Ours         string            `json:"ours"`
	Theirs       string            `json:"theirs"`
	Difference   string            `json:"difference"`
	allowed      string
	rule         string
	err          error
}

// compare makes and judges one chain.
func compare(o *oracle, bases []*forged, keys *multisig.KeyCache, focus string, seed uint64) *result {
	rng := rand.New(rand.NewPCG(seed, 0))
	m := mutate(rng, bases[rng.IntN(len(bases))], bases[rng.IntN(len(bases))], focus)
	for m.chain.slow() && rng.IntN(100) > 0 {
		m = mutate(rng, bases[rng.IntN(len(bases))], bases[rng.IntN(len(bases))], focus)
	}
	r := &result{Names: m.names, Seed: seed, Certificates: m.chain.encode(), GenesisKey: m.chain.vkey()}
	ours := judge(r.Certificates, m.chain.genesisKey, keys, rng.IntN(8) == 0)
	r.rule = ruleOf(ours)
	line := &chainLine{r.Certificates, r.GenesisKey}
	if m.exact {
		r.Theirs, r.err = o.verifyFile(line)
	} else {
		r.Theirs, r.err = o.verify(line)
	}
	if r.err != nil || r.Theirs == noVerdict {
		return r
	}
	r.allowed, r.Difference = outcome(r.Certificates, ours, r.Theirs)
	if r.Difference != "" && !m.exact {
		// The tree that this command of the oracle goes through is not the reference; ask again without it.
		if r.Theirs, r.err = o.verifyFile(line); r.err == nil && r.Theirs != noVerdict {
			r.allowed, r.Difference = outcome(r.Certificates, ours, r.Theirs)
		}
	}
	if r.Difference != "" {
		r.Ours = fmt.Sprint(ours)
		for _, c := range r.Certificates {
			r.Texts = append(r.Texts, string(c))
		}
	}
	r.Certificates = nil
	return r
}

// ruleOf names our verdict for the tally.
func ruleOf(err error) string {
	var e *chain.Error
	var c *certificate.Error
	switch {
	case err == nil:
		return "valid"
	case errors.As(err, &e) && e.Detail != "":
		return string(e.Detail)
	case errors.As(err, &e):
		return string(e.Rule)
	case errors.As(err, &c):
		return string(c.Rule)
	}
	return "other"
}

// tally counts what was compared. It is safe for concurrent use.
type tally struct {
	mutex       sync.Mutex
	compared    int
	noVerdict   int
	valid       int
	allowed     map[string]int
	rules       map[string]int
	differences []*result
	err         error
}

func newTally() *tally { return &tally{allowed: map[string]int{}, rules: map[string]int{}} }

func (t *tally) add(r *result) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	switch {
	case r.err != nil:
		t.err = r.err
		return
	case r.Theirs == noVerdict:
		t.noVerdict++
		return
	}
	t.compared++
	t.rules[r.rule]++
	if r.Theirs == "VALID" {
		t.valid++
	}
	if r.allowed != "" {
		t.allowed[r.allowed]++
	}
	if r.Difference != "" {
		t.differences = append(t.differences, r)
	}
}

func (t *tally) failed() bool {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	const enough = 500
	return t.err != nil || len(t.differences) >= enough
}

// report prints the tally and writes the differences.
func (t *tally) report(out string) error {
	fmt.Printf("%d chains compared; %d more on which the reference panicked or did not end\n", t.compared, t.noVerdict)
	fmt.Printf("valid for the reference: %d\nours, by rule:\n", t.valid)
	for _, rule := range slices.Sorted(maps.Keys(t.rules)) {
		fmt.Printf("  %-32s %d\n", rule, t.rules[rule])
	}
	fmt.Println("differences that SPEC 11 asks for:")
	for _, name := range slices.Sorted(maps.Keys(t.allowed)) {
		text := stricter[name]
		fmt.Printf("  %-32s %d  %s\n", name, t.allowed[name], text)
	}
	fmt.Printf("other differences: %d\n", len(t.differences))
	if t.err != nil {
		return t.err
	}
	if len(t.differences) == 0 {
		return nil
	}
	f, err := os.Create(filepath.Clean(out))
	if err != nil {
		return err
	}
	defer f.Close()
	e := json.NewEncoder(f)
	e.SetEscapeHTML(false)
	for _, d := range t.differences {
		if err := e.Encode(d); err != nil {
			return err
		}
	}
	return fmt.Errorf("%d differences, written to %s", len(t.differences), out)
}
