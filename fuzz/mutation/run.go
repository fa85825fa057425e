package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// runner builds and runs the tests.
type runner struct {
	root, work string
	sites      []*site
	jobs       int
	tests      []*testFunction
}

// testFunction is one test and what it reaches, on one of the paths that this processor has.
type testFunction struct {
	pkg, name, binary string
	lanes             string // the value of STMVERIFY_LANES
	took              time.Duration
	reaches           map[int]bool
}

// lanePaths are the values of STMVERIFY_LANES under which every test counts: code for processors without AVX-512 has
// checks of its own. Where there is no AVX-512 both are the same path.
var lanePaths = []string{"", "off"}

func (e *runner) build(ctx context.Context, packages []string) error {
	all := slices.Clone(packages)
	for _, p := range alsoTests {
		if !slices.Contains(all, p) {
			all = append(all, p)
		}
	}
	for _, p := range all {
		binary := filepath.Join(e.work, strings.ReplaceAll(p, "/", "-")+".test")
		cmd := exec.CommandContext(ctx, "go", "test", "-c", "-vet=off", "-overlay", filepath.Join(e.work, "overlay.json"), "-o", binary, "./"+p)
		cmd.Dir = e.root
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("build of the tests of %s: %w\n%s", p, err, out)
		}
		list := exec.CommandContext(ctx, binary, "-test.list", "^(Test|Fuzz|Example)")
		list.Dir = filepath.Join(e.root, p)
		out, err := list.Output()
		if err != nil {
			return fmt.Errorf("tests of %s: %w", p, err)
		}
		for _, lanes := range lanePaths {
			for _, name := range strings.Fields(string(out)) {
				e.tests = append(e.tests, &testFunction{pkg: p, name: name, binary: binary, lanes: lanes})
			}
		}
	}
	return nil
}

// execute runs tests with a mutation, 0 for none. It returns the output, and an error when they fail or do not end.
func (e *runner) execute(ctx context.Context, t *testFunction, names []string, mutation int, hits string, patience time.Duration) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	pattern := "^(" + strings.Join(names, "|") + ")$"
	// A missing bound must not take the memory of the machine.
	cmd := exec.CommandContext(ctx, "sh", "-c", `ulimit -v 12000000; exec "$0" "$@"`, t.binary, "-test.short", "-test.failfast", "-test.run", pattern)
	cmd.Dir = filepath.Join(e.root, t.pkg)
	cmd.Env = append(os.Environ(), "MUTATION="+strconv.Itoa(mutation), "MUTATION_HITS="+hits, "GOMEMLIMIT=2GiB", "STMVERIFY_LANES="+t.lanes)
	return cmd.CombinedOutput()
}

// learn runs every test alone, without a mutation, and notes what it reaches.
func (e *runner) learn(ctx context.Context) error {
	return e.parallel(len(e.tests), func(i int) error {
		t := e.tests[i]
		hits := filepath.Join(e.work, fmt.Sprintf("hits-%d", i))
		start := time.Now()
		if out, err := e.execute(ctx, t, []string{t.name}, 0, hits, 10*time.Minute); err != nil {
			return fmt.Errorf("%s %s fails without a mutation: %w\n%s", t.pkg, t.name, err, out)
		}
		t.took = time.Since(start)
		t.reaches = map[int]bool{}
		b, err := os.ReadFile(hits)
		if errors.Is(err, os.ErrNotExist) {
			return nil
		}
		for _, line := range strings.Fields(string(b)) {
			if id, err := strconv.Atoi(line); err == nil {
				t.reaches[id] = true
			}
		}
		return err
	})
}

// parallel calls f for 0 … n-1, some at a time, and returns an error of one.
func (e *runner) parallel(n int, f func(int) error) error {
	var next atomic.Int64
	errs := make([]error, e.jobs)
	var group sync.WaitGroup
	for j := range e.jobs {
		group.Go(func() {
			for errs[j] == nil {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				errs[j] = f(i)
			}
		})
	}
	group.Wait()
	return errors.Join(errs...)
}

// runAll decides every mutation.
func (e *runner) runAll(ctx context.Context) {
	var done atomic.Int64
	_ = e.parallel(len(e.sites), func(i int) error {
		s := e.sites[i]
		e.decide(ctx, s)
		if s.Outcome != "caught" {
			fmt.Fprintf(os.Stderr, "%s/%s:%d %s: %s %s: %s\n", s.Package, s.File, s.Line, s.Function, s.Kind, s.Text, s.Outcome)
		}
		if n := done.Add(1); n%50 == 0 {
			fmt.Fprintf(os.Stderr, "%d of %d\n", n, len(e.sites))
		}
		return ctx.Err()
	})
}

// decide runs the tests that reach a mutation: those of its package, the quick ones first, then the others.
func (e *runner) decide(ctx context.Context, s *site) {
	var reaching []*testFunction
	for _, t := range e.tests {
		if t.reaches[s.ID] {
			reaching = append(reaching, t)
		}
	}
	slices.SortStableFunc(reaching, func(a, b *testFunction) int {
		if own := order(a.pkg == s.Package) - order(b.pkg == s.Package); own != 0 {
			return own
		}
		if path := order(a.lanes == "") - order(b.lanes == ""); path != 0 {
			return path
		}
		return int(a.took - b.took)
	})
	if len(reaching) == 0 {
		s.Outcome = "not reached"
		return
	}
	for len(reaching) > 0 {
		// Tests of one package in one process, as many as take a few seconds.
		group, took := []string{reaching[0].name}, reaching[0].took
		first := reaching[0]
		for reaching = reaching[1:]; len(reaching) > 0 && reaching[0].sameProcess(first) && took+reaching[0].took < 3*time.Second; reaching = reaching[1:] {
			group, took = append(group, reaching[0].name), took+reaching[0].took
		}
		out, err := e.execute(ctx, first, group, s.ID, "", 30*time.Second+10*took)
		if err != nil {
			s.Outcome, s.By = "caught", first.pkg+"."+failed(out, group)
			return
		}
	}
	s.Outcome = "survived"
}

// sameProcess reports whether one process can run both.
func (t *testFunction) sameProcess(u *testFunction) bool {
	return t.binary == u.binary && t.lanes == u.lanes
}

func order(first bool) int {
	if first {
		return 0
	}
	return 1
}

var failureLine = regexp.MustCompile(`--- FAIL: (\w+)`)

// failed names the test that failed.
func failed(out []byte, group []string) string {
	if m := failureLine.FindSubmatch(out); m != nil {
		return string(m[1])
	}
	if bytes.Contains(out, []byte("panic:")) {
		return group[0] + " or after (panic)"
	}
	return group[0] + " or after (no end)"
}
