// Command mutation shows that a test fails when a check is taken away.
//
// It rewrites the sources of the packages below so that every check has a switch: an if or a case that leads to an error or to a
// refusal, each operand of its condition, each bound in it, and each error that a function ends with. Then it builds the tests
// once, learns which test reaches which switch, and runs, for every switch alone, the tests that reach it, those of the package itself
// first. A mutation is caught when one of them fails or does not end.
//
//	go run ./fuzz/mutation                       # everything; takes an hour of one core
//	go run ./fuzz/mutation -packages merkle,stm  # some packages
//	go run ./fuzz/mutation -packages stm -only 'proof\.go|Threshold' -out /tmp/trial  # some places, for who writes their tests
//
// The rewritten files exist only in a temporary folder: the go command reads them by way of -overlay. The result is written to RESULTS.md
// and survivors.json beside this file, where it replaces that of the same packages. explained.json holds why a survivor is no gap; a survivor without an explanation is one.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// packages are the ones whose checks must be tested.
const packages = "multisig,merkle,keyreg,stm,batch,certificate,chain,ed25519,light"

// alsoTests are packages whose tests stand in for the tests of other packages: whole chains, and the vectors.
var alsoTests = []string{"chain", "internal/conformance"}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutation:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("mutation", flag.ContinueOnError)
	root := flags.String("root", ".", "the root of the module")
	out := flags.String("out", "fuzz/mutation", "the folder of the results and of explained.json")
	which := flags.String("packages", packages, "the packages to mutate, separated by commas")
	jobs := flags.Int("jobs", 2, "how many test processes to run at the same time")
	only := flags.String("only", "", "try only the mutations whose place (file, function, kind and text) matches this regular expression")
	if err := flags.Parse(args); err != nil {
		return err
	}
	place, err := regexp.Compile(*only)
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "mutation")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	abs, err := filepath.Abs(*root)
	if err != nil {
		return err
	}
	r := &rewriter{root: abs, work: work, overlay: map[string]string{}}
	names := strings.Split(*which, ",")
	for _, name := range names {
		if err := r.rewritePackage(name); err != nil {
			return err
		}
	}
	if err := r.finish(); err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "%d mutations\n", len(r.sites))
	r.sites = slices.DeleteFunc(r.sites, func(s *site) bool { return !place.MatchString(s.key()) })
	e := &runner{root: abs, work: work, sites: r.sites, jobs: *jobs}
	if err := e.build(ctx, names); err != nil {
		return err
	}
	if err := e.learn(ctx); err != nil {
		return err
	}
	e.runAll(ctx)
	return report(*out, names, r.sites)
}
