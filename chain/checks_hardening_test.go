package chain

import (
	"context"
	"encoding/hex"
	"errors"
	"iter"
	"strings"
	"testing"

	"github.com/stmverify/stmverify/certificate"
	"github.com/stmverify/stmverify/internal/testkit"
	"github.com/stmverify/stmverify/verdict"
)

// TestPinsThatHold verifies with the right leaf and the right genesis certificate pinned, and alone with a leaf.
func TestPinsThatHold(t *testing.T) {
	certs, trust := decodeAll(t, "testdata/chains/small")
	trust.Leaf, trust.GenesisHash = &certs[0].Hash, &certs[len(certs)-1].Hash
	if _, err := Verify(context.Background(), decodedSequence(certs), trust, WithJobs(1)); err != nil {
		t.Error(err)
	}
	if err := VerifyAlone(certs[0], trust); err != nil {
		t.Error(err)
	}
	var e *Error
	if err := VerifyAlone(certs[1], trust); !errors.As(err, &e) || e.Rule != verdict.RuleRequestedHashMismatch {
		t.Errorf("another leaf: got %v", err)
	}
}

// TestLoopIsNamed gives a certificate itself for a parent. Its hash is wrong then too; the loop says more.
func TestLoopIsNamed(t *testing.T) {
	certs, trust := decodeAll(t, "testdata/chains/small")
	standard, genesis := certs[0], certs[len(certs)-1]
	for _, c := range []struct {
		cert *certificate.Certificate
		want verdict.Rule
	}{{standard, verdict.RuleChainLoop}, {genesis, verdict.RuleCertificateHashMismatch}} {
		c.cert.PreviousHash = c.cert.Hash
		if _, err := trust.examine(0, c.cert); err == nil || err.Rule != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

// TestIncompleteCertificates examines certificates that no decoder returns.
func TestIncompleteCertificates(t *testing.T) {
	certs, trust := decodeAll(t, "testdata/chains/small")
	c := *certs[0]
	c.AVK, c.Hash = nil, certificate.Hash{}
	if _, err := trust.examine(0, &c); err == nil || err.Rule != verdict.RuleMalformed {
		t.Errorf("no key: got %v", err)
	}
	raw, _ := readChain(t, "testdata/chains/small")
	text := string(raw[0])
	start := strings.Index(text, `"multi_signature":"`) + len(`"multi_signature":"`)
	end := start + strings.Index(text[start:], `"`)
	text = text[:start] + hex.EncodeToString([]byte(`{"Snark":{"proof":[]}}`)) + text[end:]
	snark, err := certificate.Inspect([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if snark.Hash, err = snark.ComputeHash(); err != nil {
		t.Fatal(err)
	}
	var e *Error
	if err := VerifyAlone(snark, trust); !errors.As(err, &e) || e.Rule != verdict.RuleUnsupported || !errors.Is(err, verdict.ErrUnsupported) {
		t.Errorf("SNARK proof: got %v", err)
	}
}

// TestAloneNamesSignatures verifies a certificate alone whose only fault is the pairing.
func TestAloneNamesSignatures(t *testing.T) {
	fault, err := testkit.ParseFault(string(verdict.DetailAggregateInvalid) + "@0")
	if err != nil {
		t.Fatal(err)
	}
	made, err := testkit.Generate(context.Background(), testkit.Spec{Certificates: 2, Signers: 2, Seed: 3, Fault: fault}, nil)
	if err != nil {
		t.Fatal(err)
	}
	c, err := certificate.Decode(made.Certificates[0])
	if err != nil {
		t.Fatal(err)
	}
	var e *Error
	if err := VerifyAlone(c, Trust{GenesisKey: made.GenesisKey}); !errors.As(err, &e) || e.Detail != verdict.DetailAggregateInvalid || e.Signature != 0 || len(e.Culprits) != 1 {
		t.Errorf("got %v", err)
	}
}

// TestSourceErrorsKeepTheirRule lets an iterator fail with errors that name a rule.
func TestSourceErrorsKeepTheirRule(t *testing.T) {
	_, trust := decodeAll(t, "testdata/chains/small")
	_, malformed := certificate.Decode([]byte("{"))
	own := &Error{Position: 7, Rule: verdict.RuleLimitExceeded, Signature: -1}
	for _, c := range []struct {
		err      error
		rule     verdict.Rule
		position int
	}{{own, verdict.RuleLimitExceeded, 7}, {malformed, verdict.RuleMalformed, 0}} {
		var failing iter.Seq2[*certificate.Certificate, error] = func(yield func(*certificate.Certificate, error) bool) { yield(nil, c.err) }
		_, err := Verify(context.Background(), failing, trust)
		e, ok := err.(*Error)
		if !ok || e.Rule != c.rule || e.Position != c.position {
			t.Errorf("got %#v, want %s at %d", err, c.rule, c.position)
		}
	}
}

// TestBatchWithoutVerdictIsNoSuccess completes a walk whose batch fails in another way than by naming culprits.
func TestBatchWithoutVerdictIsNoSuccess(t *testing.T) {
	v := &verification{o: newOptions(nil), complete: true, leaf: &Checkpoint{}}
	v.claims.Store(1) // which the batch never got
	if verified, err := v.verdict(context.Background()); err == nil || verified != nil {
		t.Errorf("got %v, %v", verified, err)
	}
}
