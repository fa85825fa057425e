package testkit

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"testing"

	"github.com/stmverify/stmverify/certificate"
	"github.com/stmverify/stmverify/chain"
	"github.com/stmverify/stmverify/stm"
	"github.com/stmverify/stmverify/verdict"
)

func generate(t testing.TB, spec Spec) *Chain {
	t.Helper()
	c, err := Generate(context.Background(), spec, nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// walk follows previous hashes from the newest certificate. Certificates that do not decode are found by their position.
func walk(c *Chain) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for i := 0; ; {
			raw := c.Certificates[i]
			if !yield(raw, nil) {
				return
			}
			parsed, err := certificate.Inspect(raw)
			if err != nil || parsed.IsGenesis() {
				return
			}
			next := -1
			for j, other := range c.Certificates {
				if bytes.HasPrefix(other, []byte(`{"hash":"`+parsed.PreviousHash.String())) {
					next = j
				}
			}
			if next < 0 {
				yield(nil, chain.ErrCertificateNotFound)
				return
			}
			i = next
		}
	}
}

func TestChainsVerify(t *testing.T) {
	for name, spec := range map[string]Spec{
		"default":           {},
		"genesis alone":     {Certificates: 1},
		"many an epoch":     {Certificates: 17, PerEpoch: 6, Seed: 3},
		"heavy tail":        {Certificates: 4, Signers: 40, Stake: HeavyTail, Seed: 4, Parameters: stm.Parameters{K: 30, M: 200, PhiF: 0.2}},
		"one signer":        {Certificates: 4, Signers: 1, Seed: 5},
		"everybody wins":    {Certificates: 4, Signers: 3, Parameters: stm.Parameters{K: 7, M: 7, PhiF: 1}},
		"all kinds":         {Certificates: 8, Discontinued: true, FirstEpoch: 1},
		"name of a network": {Network: "preview"},
	} {
		t.Run(name, func(t *testing.T) {
			c := generate(t, spec)
			trust := chain.Trust{GenesisKey: c.GenesisKey, Network: spec.Network}
			if _, err := chain.VerifyEncoded(context.Background(), walk(c), trust); err != nil {
				t.Error(err)
			}
			again := generate(t, spec)
			for i := range c.Certificates {
				if !bytes.Equal(c.Certificates[i], again.Certificates[i]) {
					t.Errorf("certificate %d differs the second time", i)
				}
			}
		})
	}
	if bytes.Equal(generate(t, Spec{Seed: 1}).Certificates[0], generate(t, Spec{Seed: 2}).Certificates[0]) {
		t.Error("two seeds give one chain")
	}
}

// TestFaults inserts every fault at several places: the verdict names the rule, and the certificate.
func TestFaults(t *testing.T) {
	for _, name := range FaultNames() {
		for _, position := range []int{0, 2, 5} {
			fault := &Fault{name, position}
			spec := Spec{Certificates: 6, Signers: 3, Seed: 7, Fault: fault}
			if name == string(verdict.RuleChainTooLong) {
				spec.PerEpoch = 5
			}
			c, err := Generate(context.Background(), spec, nil)
			if errors.Is(err, errNoPlace) && position == 5 {
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			t.Run(fault.String(), func(t *testing.T) {
				_, err := chain.VerifyEncoded(context.Background(), walk(c), chain.Trust{GenesisKey: c.GenesisKey, Network: "testnet"})
				checkFault(t, fault, err)
			})
		}
	}
}

func checkFault(t *testing.T, f *Fault, err error) {
	t.Helper()
	var e *chain.Error
	if !errors.As(err, &e) {
		t.Fatalf("got %v", err)
	}
	if string(e.Rule) != f.Name && string(e.Detail) != f.Name {
		// A walk by hashes does not find what a changed previous_hash names.
		if f.Name != string(verdict.RulePreviousHashMismatch) || e.Rule != verdict.RuleCertificateNotFound {
			t.Errorf("got %v", err)
		}
	}
	switch verdict.Rule(f.Name) {
	case verdict.RuleGenesisSignatureInvalid, verdict.RuleGenesisChildUnpinned, verdict.RuleChainTooLong:
		return // They have a place of their own.
	}
	if e.Position != f.Position {
		t.Errorf("at position %d: %v", e.Position, err)
	}
}

func TestParseFault(t *testing.T) {
	f, err := ParseFault("avk-mismatch@17")
	if err != nil || f.Name != "avk-mismatch" || f.Position != 17 || f.String() != "avk-mismatch@17" {
		t.Errorf("got %v, %v", f, err)
	}
	if f, err = ParseFault("lottery-lost"); err != nil || f.Position != 0 {
		t.Errorf("got %v, %v", f, err)
	}
	for _, text := range []string{"", "unknown", "avk-mismatch@", "avk-mismatch@-1", "avk-mismatch@x"} {
		if _, err := ParseFault(text); err == nil {
			t.Errorf("%q is accepted", text)
		}
	}
	for name, spec := range map[string]Spec{
		"fault outside":    {Certificates: 2, Fault: &Fault{"avk-mismatch", 2}},
		"unknown fault":    {Fault: &Fault{"x", 0}},
		"stake":            {Stake: "x"},
		"parameters":       {Parameters: stm.Parameters{K: 2, M: 1, PhiF: 1}},
		"negative":         {Certificates: -1},
		"negative signers": {Signers: -1},
	} {
		if err := spec.Normalize(); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
	if _, err := Generate(context.Background(), Spec{Certificates: 2, Parameters: stm.Parameters{K: 50, M: 50, PhiF: 0.01}}, nil); !errors.Is(err, ErrQuorum) {
		t.Errorf("got %v", err)
	}
}
