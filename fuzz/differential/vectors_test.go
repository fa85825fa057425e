package main

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stmverify/stmverify/multisig"
	"github.com/stmverify/stmverify/network"
)

// TestVectors judges the chains on which this module and the reference differed, or differ on purpose.
func TestVectors(t *testing.T) {
	files, err := filepath.Glob("../../testdata/differential/*.json")
	if err != nil || len(files) != len(recipes) {
		t.Fatalf("%d files for %d recipes, %v", len(files), len(recipes), err)
	}
	for _, path := range files {
		t.Run(filepath.Base(path), func(t *testing.T) {
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			var v vector
			if err := json.Unmarshal(b, &v); err != nil {
				t.Fatal(err)
			}
			key, err := network.ParseKey(v.GenesisKey)
			if err != nil {
				t.Fatal(err)
			}
			err = judge(v.raw(), key, multisig.NewKeyCache(4), true)
			if (err == nil) != (v.Expect == "valid") {
				t.Fatalf("got %v, want %s", err, v.Expect)
			}
			if err != nil && ruleOf(err) != v.Reason && !strings.Contains(err.Error(), v.Reason) {
				t.Errorf("got %v, want %s", err, v.Reason)
			}
			if same := (v.Reference == "VALID") == (v.Expect == "valid"); same != (v.Policy == "") {
				t.Errorf("the reference says %s, expected is %s, by the policy %q", v.Reference, v.Expect, v.Policy)
			}
			if allowed, difference := outcome(v.raw(), err, v.Reference); difference != "" || (allowed != "") != (v.Policy != "") {
				t.Errorf("allowed %q, difference %q", allowed, difference)
			}
		})
	}
}

// TestMutationsAreReproducible makes chains twice from the same seeds, and judges them in every way: no oracle is needed to see that
// the ways agree, and that some chains stay valid while most rules are broken by some.
func TestMutationsAreReproducible(t *testing.T) {
	bases, err := makeBases(3)
	if err != nil {
		t.Fatal(err)
	}
	keys := multisig.NewKeyCache(1 << 10)
	rules := map[string]int{}
	const chains = 150
	for seed := range uint64(chains) {
		var first string
		for range 2 {
			rng := rand.New(rand.NewPCG(seed, 1))
			m := mutate(rng, bases[rng.IntN(len(bases))], bases[rng.IntN(len(bases))], "")
			certs := m.chain.encode()
			text := string((&chainLine{certs, m.chain.vkey()}).append(nil))
			if first == "" {
				first = text
				err := judge(certs, m.chain.genesisKey, keys, true)
				if _, difference := outcome(certs, err, "INVALID"); strings.HasPrefix(difference, errWays.Error()) {
					t.Errorf("seed %d, %v: %v", seed, m.names, err)
				}
				rules[ruleOf(err)]++
			} else if text != first {
				t.Errorf("seed %d gives another chain the second time", seed)
			}
		}
	}
	if rules["valid"] < chains/10 || rules["valid"] > chains/2 || len(rules) < 12 {
		t.Errorf("the mutations lost their reach: %v", rules)
	}
}

// TestOracleIsAsked compares a few chains when an oracle is at hand.
func TestOracleIsAsked(t *testing.T) {
	path := os.Getenv("ORACLE")
	if path == "" {
		t.Skip("the variable ORACLE names no oracle")
	}
	out := filepath.Join(t.TempDir(), "differences.jsonl")
	if err := run(t.Context(), []string{"-oracle", path, "-chains", "200", "-seed", "77", "-out", out}); err != nil {
		t.Error(err)
	}
}

// TestMissingOracle says what is missing.
func TestMissingOracle(t *testing.T) {
	for _, args := range [][]string{{"-oracle", "no-such-file"}, {"-oracle", "", "-sources", "no-such-folder"}} {
		if err := run(t.Context(), args); err == nil || !strings.HasPrefix(err.Error(), errNoOracle.Error()) {
			t.Errorf("%v: got %v", args, err)
		}
	}
}
