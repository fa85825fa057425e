package conformance_test

import (
	"compress/gzip"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stmverify/stmverify/internal/conformance"
)

// vector returns a file of the repository as text.
func vector(t *testing.T, name string) string {
	t.Helper()
	f, err := os.Open(filepath.Join("..", "..", "testdata", filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var r io.Reader = f
	if strings.HasSuffix(name, ".gz") {
		if r, err = gzip.NewReader(f); err != nil {
			t.Fatal(err)
		}
	}
	data, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestWrongVectorsFail changes one expectation of a file, or one input, and wants exactly that case to fail: a check
// that cannot fail would say nothing.
func TestWrongVectorsFail(t *testing.T) {
	t.Parallel()

	for _, test := range []struct {
		name, file, from string
		old, new         string // the first occurrence is replaced; a space is any white space
		failure          string // part of the case's name
		text             string // part of its error
	}{
		{"accepted chain", "chain_cases.jsonl", "chain_cases.jsonl.gz", `"expect": "valid"`, `"expect": "invalid"`, "valid-tip-0", "accepted, want a refusal"},
		{"refused chain", "chain_cases.jsonl", "chain_cases.jsonl.gz", `"expect": "invalid"`, `"expect": "valid"`, "tip-hash-altered", "refused, want valid"},
		{"wrong rule", "chain_cases.jsonl", "chain_cases.jsonl.gz", `"reason": "certificate-not-found"`, `"reason": "epoch-gap"`, "parent-missing", "names the rule certificate-not-found, want epoch-gap"},
		{"wrong proof verdict", "attacks_single.jsonl", "attacks_single.jsonl", `"expect": "invalid"`, `"expect": "valid"`, "cancelling-pair-inside", "refused, want valid"},
		{"wrong culprits", "attacks_batch.jsonl", "attacks_batch.jsonl", `"bad": [0, 1]`, `"bad": [1]`, "cancelling-pair-across", "names items [0 1], want [1]"},
		{"missed culprit", "attacks_batch.jsonl", "attacks_batch.jsonl", `"expect": "valid", "bad": []`, `"expect": "invalid", "bad": [0]`, "valid-control", "accepted, want a refusal"},
		{"wrong winner", "lottery.json", "lottery.json.gz", `"won": true`, `"won": false`, "", "got won true, want false"},
		{"wrong registration order", "stm_sets.json", "stm_sets.json", `"registration_order_vk": [ "8`, `"registration_order_vk": [ "9`, "registration", "registration order"},
		{"wrong AVK", "stm_sets.json", "stm_sets.json", `"avk_cbor": "01`, `"avk_cbor": "02`, "AVK", "CBOR: got"},
		{"wrong key material", "stm_sets.json", "stm_sets.json", `"ikm": "c`, `"ikm": "d`, "keys", "secret key: got"},
		{"wrong refusal", "stm_sets.json", "stm_sets.json", `Got only 4 out`, `Got only 5 out`, "aggregate, made", "Got only 4 out of 19"},
		{"wrong aggregate", "stm_sets.json", "stm_sets.json", `"aggregate_cbor": "01`, `"aggregate_cbor": "02`, "CBOR", "want"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			text := vector(t, test.from)
			// White space between JSON tokens does not matter.
			place := regexp.MustCompile(strings.ReplaceAll(regexp.QuoteMeta(test.old), " ", `\s*`)).FindStringIndex(text)
			if place == nil {
				t.Fatalf("%s does not contain %s", test.from, test.old)
			}
			changed := text[:place[0]] + test.new + text[place[1]:]
			failures := runOne(t, map[string]string{test.file: changed})
			if len(failures) != 1 {
				t.Fatalf("got %d failures, want 1: %v", len(failures), failures)
			}
			if f := failures[0]; !strings.Contains(f.Case, test.failure) || !strings.Contains(f.Err.Error(), test.text) {
				t.Errorf("got %q: %v, want %q: %q", f.Case, f.Err, test.failure, test.text)
			}
		})
	}

}

// TestWrongChainFails gives a chain another genesis key, and one without its genesis certificate.
func TestWrongChainFails(t *testing.T) {
	t.Parallel()
	certificates := vector(t, "chains/small/certificates.json")
	genesis := certificates[strings.LastIndex(certificates, `{"hash"`)-1:]
	for name, files := range map[string]map[string]string{
		"key":    {"certificates.json": certificates, "genesis.vkey": strings.Repeat("0a", 32)},
		"single": {"certificate.json": genesis[1 : len(genesis)-1], "genesis.vkey": strings.Repeat("0a", 32)},
		"cut":    {"all.json": strings.Replace(certificates, genesis, "]", 1), "genesis.vkey": vector(t, "chains/small/genesis.vkey")},
	} {
		if failures := runOne(t, files); len(failures) == 0 {
			t.Errorf("%s: passes", name)
		}
	}
}

// runOne runs a folder with these files and returns the failures.
func runOne(t *testing.T, files map[string]string) []conformance.Failure {
	t.Helper()
	folder := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var failures []conformance.Failure
	if err := conformance.Run(context.Background(), folder, func(r *conformance.Report) { failures = append(failures, r.Failures...) }); err != nil {
		t.Fatal(err)
	}
	return failures
}

func TestUnreadableVectors(t *testing.T) {
	t.Parallel()
	for name, files := range map[string]map[string]string{
		"no vectors":  {"README.md": "text"},
		"cut":         {"lottery.json": `[{"phi_f":`},
		"not gzip":    {"lottery.json.gz": `[]`},
		"no verdict":  {"attacks_single.jsonl": `{"name":"x"}`},
		"no key":      {"certificates.json": vector(t, "chains/small/certificates.json")},
		"no evidence": {"chain_cases.jsonl": `{"name":"x","expect": "perhaps"}`},
	} {
		folder := t.TempDir()
		for file, text := range files {
			if err := os.WriteFile(filepath.Join(folder, file), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := conformance.Run(context.Background(), folder, func(*conformance.Report) {}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if err := conformance.Run(context.Background(), t.TempDir(), nil); !errors.Is(err, conformance.ErrNoFiles) {
		t.Errorf("empty folder: got %v, want %v", err, conformance.ErrNoFiles)
	}
}
