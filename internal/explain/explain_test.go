package explain_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stmverify/stmverify/certificate"
	"github.com/stmverify/stmverify/chain"
	"github.com/stmverify/stmverify/internal/explain"
	"github.com/stmverify/stmverify/internal/testkit/vectors"
	"github.com/stmverify/stmverify/network"
	"github.com/stmverify/stmverify/verdict"
)

// walkOf decodes the certificates of a case from the first to the one whose parent is not there. It returns nil when one does not decode.
func walkOf(c *vectors.ChainCase) []*certificate.Certificate {
	byHash := make(map[certificate.Hash]*certificate.Certificate)
	var first *certificate.Certificate
	for _, raw := range c.Certificates {
		cert, err := certificate.Decode(raw)
		if err != nil {
			return nil
		}
		if first == nil {
			first = cert
		}
		byHash[cert.Hash] = cert
	}
	var walk []*certificate.Certificate
	for cert := first; cert != nil && len(walk) < len(c.Certificates); cert = byHash[cert.PreviousHash] {
		walk = append(walk, cert)
	}
	return walk
}

// TestAgreesWithChain explains every certificate of every chain case. A valid chain has no broken rule; in an invalid one, the
// rule that package chain names is broken on the certificate that it names.
func TestAgreesWithChain(t *testing.T) {
	t.Parallel()
	explained := 0
	for _, test := range vectors.ChainCases(t) {
		walk := walkOf(&test)
		if walk == nil {
			continue // Nothing to explain: it does not decode.
		}
		key, err := network.ParseKey(test.GenesisKey)
		if err != nil {
			t.Fatal(err)
		}
		broken := make([][]explain.Check, len(walk))
		count := 0
		for i, cert := range walk {
			o := explain.Options{GenesisKey: (*[32]byte)(&key)}
			if i+1 < len(walk) {
				o.Parent = walk[i+1]
			}
			for _, check := range explain.Certificate(cert, o) {
				if check.Outcome == explain.Broken {
					broken[i] = append(broken[i], check)
					count++
				}
			}
		}
		_, err = chain.Verify(t.Context(), certs(walk), chain.Trust{GenesisKey: key})
		if err == nil {
			if count > 0 {
				t.Errorf("%s: valid, but a rule is broken: %+v", test.Name, broken)
			}
			continue
		}
		refused, ok := errors.AsType[*chain.Error](err)
		if !ok {
			t.Fatalf("%s: %v", test.Name, err)
		}
		if refused.Rule == verdict.RuleCertificateNotFound {
			continue // There is no certificate that this rule is about.
		}
		explained++
		if !contains(broken[refused.Position], refused) {
			t.Errorf("%s: %v is not among the broken rules %+v", test.Name, err, broken[refused.Position])
		}
	}
	if explained < 25 {
		t.Errorf("explained %d refusals", explained)
	}
}

func certs(walk []*certificate.Certificate) func(func(*certificate.Certificate, error) bool) {
	return func(yield func(*certificate.Certificate, error) bool) {
		for _, c := range walk {
			if !yield(c, nil) {
				return
			}
		}
	}
}

func contains(checks []explain.Check, e *chain.Error) bool {
	for _, c := range checks {
		if c.Rule == e.Rule && c.Detail == e.Detail {
			return true
		}
	}
	return false
}

// small returns the decoded certificates of the small chain by hash, and the genesis key.
func small(t *testing.T) (map[string]*certificate.Certificate, network.Key) {
	t.Helper()
	raw, text := vectors.Chain(t, "testdata/chains/small")
	all := make(map[string]*certificate.Certificate)
	for _, r := range raw {
		c, err := certificate.Decode(r)
		if err != nil {
			t.Fatal(err)
		}
		all[c.Hash.String()] = c
	}
	key, err := network.ParseKey(text)
	if err != nil {
		t.Fatal(err)
	}
	return all, key
}

func find(checks []explain.Check, rule verdict.Rule, detail verdict.Detail) explain.Check {
	for _, c := range checks {
		if c.Rule == rule && c.Detail == detail {
			return c
		}
	}
	return explain.Check{}
}

// TestEachBrokenRule changes one field of a certificate or of its parent, and wants the rule about it broken, with what was computed and
// what was claimed. Rules that the field does not touch still hold.
func TestEachBrokenRule(t *testing.T) {
	t.Parallel()
	const tip, parent = "86fa1711e0b13b1cf5056915b09c278da92faebe396e6dd12f086a026910ab1c", "3bc135dfa0c366563a851344fe41ead7ff45126fa876bd970c38de93bdca6dbd"
	const first, before = parent, "0e87ff8db4c6d4a7d234fbcd014d9c960d986803864639def37041e951bde95a"
	for _, test := range []struct {
		name          string
		child, parent string
		change        func(c, p *certificate.Certificate)
		rule          verdict.Rule
		detail        verdict.Detail
		note          string
	}{
		{"hash", tip, parent, func(c, _ *certificate.Certificate) { c.Hash[0] ^= 1 }, verdict.RuleCertificateHashMismatch, "", ""},
		{"message part", tip, parent, func(c, _ *certificate.Certificate) { c.ProtocolMessage.SetPart(certificate.LatestBlockNumber, "1") }, verdict.RuleSignedMessageMismatch, "", ""},
		{"epoch", tip, parent, func(c, _ *certificate.Certificate) { c.Epoch++ }, verdict.RuleEpochMismatch, "", ""},
		{"own parent", tip, parent, func(c, _ *certificate.Certificate) { c.PreviousHash = c.Hash }, verdict.RuleChainLoop, "", ""},
		{"network", tip, parent, func(c, _ *certificate.Certificate) { c.Metadata.Network = "elsewhere" }, verdict.RuleNetworkMismatch, "", ""},
		{"quorum", tip, parent, func(c, _ *certificate.Certificate) { c.Metadata.Parameters.K = 90 }, verdict.RuleMultiSignatureInvalid, verdict.DetailQuorumNotReached, "36 indices"},
		{"range", tip, parent, func(c, _ *certificate.Certificate) { c.Metadata.Parameters.M = 40 }, verdict.RuleMultiSignatureInvalid, verdict.DetailIndexOutOfRange, "at most 40"},
		{"no quorum", tip, parent, func(c, _ *certificate.Certificate) { c.Metadata.Parameters.K = 0 }, verdict.RuleParametersOutOfRange, "", ""},
		{"root", tip, parent, func(c, _ *certificate.Certificate) { avk := *c.AVK; avk.Root[0] ^= 1; c.AVK = &avk }, verdict.RuleMultiSignatureInvalid, verdict.DetailMerklePathInvalid, ""},
		{"total stake", tip, parent, func(c, _ *certificate.Certificate) { avk := *c.AVK; avk.TotalStake = 1; c.AVK = &avk }, verdict.RuleMultiSignatureInvalid, verdict.DetailStakeOutOfRange, ""},
		{"lottery", tip, parent, func(c, _ *certificate.Certificate) { c.Metadata.Parameters.PhiF = 0.001 }, verdict.RuleMultiSignatureInvalid, verdict.DetailLotteryLost, ""},
		{"parent's hash", tip, parent, func(_, p *certificate.Certificate) { p.Hash[0] ^= 1 }, verdict.RulePreviousHashMismatch, "", ""},
		{"newer parent", tip, parent, func(_, p *certificate.Certificate) { p.Epoch = 405 }, verdict.RuleEpochDecreases, "", ""},
		{"old parent", tip, parent, func(_, p *certificate.Certificate) { p.Epoch = 402 }, verdict.RuleEpochGap, "", ""},
		{"genesis parent", tip, parent, func(_, p *certificate.Certificate) { p.GenesisSignature = new([64]byte) }, verdict.RuleGenesisChildUnpinned, "", ""},
		{"AVK in the epoch", tip, parent, func(_, p *certificate.Certificate) { avk := *p.AVK; avk.NrLeaves++; p.AVK = &avk }, verdict.RuleAVKMismatch, "", "differs in nr_leaves"},
		{"parameters in the epoch", tip, parent, func(_, p *certificate.Certificate) { p.Metadata.Parameters.K++ }, verdict.RuleProtocolParametersMismatch, "", ""},
		{"AVK of the next epoch", first, before, func(c, _ *certificate.Certificate) { avk := *c.AVK; avk.TotalStake++; c.AVK = &avk }, verdict.RuleAVKMismatch, "", "differs in total_stake"},
		{"no AVK of the next epoch", first, before, func(_, p *certificate.Certificate) { p.ProtocolMessage = certificate.ProtocolMessage{} }, verdict.RuleAVKMismatch, "", "signed no next"},
		{"unreadable AVK of the next epoch", first, before, func(_, p *certificate.Certificate) {
			p.ProtocolMessage.SetPart(certificate.NextAggregateVerificationKey, "7b7d")
		}, verdict.RuleAVKMismatch, "", "7b7d"},
		{"parameters of the next epoch", first, before, func(c, _ *certificate.Certificate) { c.Metadata.Parameters.K++ }, verdict.RuleProtocolParametersMismatch, "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			all, _ := small(t)
			c, p := all[test.child], all[test.parent]
			o := explain.Options{Network: "testnet", Parent: p}
			if broken := explain.FirstBroken(explain.Certificate(c, o)); broken != nil {
				t.Fatalf("broken before the change: %+v", broken)
			}
			test.change(c, p)
			check := find(explain.Certificate(c, o), test.rule, test.detail)
			if check.Outcome != explain.Broken {
				t.Fatalf("got %+v, want it broken", check)
			}
			if text := check.Computed + check.Claimed + check.Note; !strings.Contains(text, test.note) {
				t.Errorf("got %q, want %q in it", text, test.note)
			}
			if test.rule == verdict.RuleAVKMismatch || test.rule == verdict.RuleProtocolParametersMismatch {
				want := "signed for the next epoch"
				if c.Epoch == p.Epoch {
					want = "own"
				}
				if !strings.Contains(check.ComputedIs, "this certificate's") || !strings.Contains(check.ClaimedIs, want) {
					t.Errorf("%q and %q do not say whose the values are", check.ComputedIs, check.ClaimedIs)
				}
			}
			if check.Computed != "" && check.Computed == check.Claimed {
				t.Errorf("broken, but computed and claimed are both %s", check.Computed)
			}
		})
	}
}

// TestGenesis checks a genesis certificate with its key, with another, and without.
func TestGenesis(t *testing.T) {
	t.Parallel()
	all, key := small(t)
	c := all["f245ffe89aacd00a5b8c8f02a06fe8a2796dbce7eac259dcbd69ed4539527837"]
	for _, test := range []struct {
		key  *[32]byte
		want explain.Outcome
	}{
		{(*[32]byte)(&key), explain.Holds},
		{new([32]byte), explain.Broken},
		{nil, explain.NotChecked},
	} {
		check := find(explain.Certificate(c, explain.Options{GenesisKey: test.key}), verdict.RuleGenesisSignatureInvalid, "")
		if check.Outcome != test.want {
			t.Errorf("got %v, want %v", check.Outcome, test.want)
		}
	}
}

// TestWithoutParent leaves the links unchecked and says so.
func TestWithoutParent(t *testing.T) {
	t.Parallel()
	all, _ := small(t)
	for _, check := range explain.Certificate(all["86fa1711e0b13b1cf5056915b09c278da92faebe396e6dd12f086a026910ab1c"], explain.Options{}) {
		if check.Outcome == explain.NotChecked && !strings.Contains(check.Note, "was not given") {
			t.Errorf("%s: not checked without a reason", check.Rule)
		}
	}
}
