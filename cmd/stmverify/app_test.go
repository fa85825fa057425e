package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stmverify/stmverify/verdict"
)

// blocked is standard input on which nothing ever arrives.
type blocked struct{}

func (blocked) Read([]byte) (int, error) { select {} }

func runApp(ctx context.Context, stdin blocked, args ...string) (code int, stdout, stderr string) {
	var out, errOut bytes.Buffer
	code = newApp(stdin, &out, &errOut, func(string) string { return "" }).run(ctx, args)
	return code, out.String(), errOut.String()
}

func TestBlockedInputTimesOut(t *testing.T) {
	t.Parallel()
	code, stdout, stderr := runApp(t.Context(), blocked{}, "chain", "verify", "--network", "mainnet", "--timeout", "10ms", "-")
	if code != exitLimit || stdout != "" || !strings.Contains(stderr, "no verdict within --timeout 10ms") {
		t.Errorf("got exit code %d, %q, %q", code, stdout, stderr)
	}
}

func TestInterrupt(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	code, stdout, stderr := runApp(ctx, blocked{}, "chain", "verify", "--network", "mainnet", "-")
	if code != exitError || stdout != "" || stderr != "stmverify: error: interrupted\n" {
		t.Errorf("got exit code %d, %q, %q", code, stdout, stderr)
	}
}

func TestClass(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		err  error
		name string
		code int
	}{
		{verdict.ErrInvalid, "invalid", 2},
		{fmt.Errorf("wrapped: %w", verdict.ErrUnavailable), "unavailable", 3},
		{verdict.ErrUnsupported, "unsupported", 4},
		{errors.Join(verdict.ErrInvalid, verdict.ErrLimit), "limit", 5},
		{&timeoutError{1}, "limit", 5},
		{&usage{"stmverify", errors.New("x")}, "usage", 1},
		{fs.ErrNotExist, "error", 1},
		{context.Canceled, "error", 1},
		{&plain{verdict.ErrInvalid}, "error", 1},
	} {
		if name, code := class(test.err); name != test.name || code != test.code {
			t.Errorf("%v: got %s, %d, want %s, %d", test.err, name, code, test.name, test.code)
		}
	}
}

// TestEveryRuleHasAHint keeps the table of hints complete: it reads the rules from the source of package verdict.
func TestEveryRuleHasAHint(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile(filepath.FromSlash("../../verdict/rules.go"))
	if err != nil {
		t.Fatal(err)
	}
	rules := regexp.MustCompile(`\bRule = "([a-z-]+)"|^\s+Rule\w+ += "([a-z-]+)"`).FindAllStringSubmatch(string(source), -1)
	if len(rules) < 20 {
		t.Fatalf("found %d rules in the source", len(rules))
	}
	for _, match := range rules {
		if rule := verdict.Rule(match[1] + match[2]); ruleHints[rule] == "" {
			t.Errorf("no hint for %s", rule)
		}
	}
}
