package chain

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"iter"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stmverify/stmverify/certificate"
	"github.com/stmverify/stmverify/internal/limits"
	"github.com/stmverify/stmverify/internal/testkit/vectors"
	"github.com/stmverify/stmverify/multisig"
	"github.com/stmverify/stmverify/network"
	"github.com/stmverify/stmverify/stm"
	"github.com/stmverify/stmverify/verdict"
)

// readChain reads the raw certificates of a folder and its genesis key.
func readChain(t testing.TB, folder string) ([][]byte, Trust) {
	t.Helper()
	raw, key := vectors.Chain(t, folder)
	return raw, Trust{GenesisKey: parseKey(t, key)}
}

func parseKey(t testing.TB, text string) [32]byte {
	t.Helper()
	key, err := network.ParseKey(text)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// walk orders raw certificates from the first of them to the genesis certificate.
func walk(t testing.TB, raw [][]byte) [][]byte {
	t.Helper()
	type link struct{ Hash, PreviousHash string }
	byHash := map[string]int{}
	links := make([]link, len(raw))
	for i, r := range raw {
		var l struct {
			Hash         string `json:"hash"`
			PreviousHash string `json:"previous_hash"`
		}
		if err := json.Unmarshal(r, &l); err != nil {
			t.Fatal(err)
		}
		links[i] = link(l)
		if _, found := byHash[l.Hash]; !found {
			byHash[l.Hash] = i
		}
	}
	out := [][]byte{raw[0]}
	for i := 0; links[i].PreviousHash != "" && len(out) <= len(raw); {
		next, found := byHash[links[i].PreviousHash]
		if !found {
			break
		}
		out = append(out, raw[next])
		i = next
	}
	return out
}

func sequence(raw [][]byte) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for _, r := range raw {
			if !yield(bytes.Clone(r), nil) {
				return
			}
		}
	}
}

// modes are the ways to verify that must agree.
var modes = map[string][]Option{
	"batch, one job":       {WithJobs(1)},
	"batch, three jobs":    {WithJobs(3)},
	"batch, window of 2":   {WithJobs(2), WithWindow(2)},
	"one by one":           {WithJobs(1), WithoutBatch()},
	"one by one, two jobs": {WithJobs(2), WithoutBatch()},
}

func TestValidChains(t *testing.T) {
	for dir, want := range map[string]int{
		"testdata/chains/small":                   6,
		vectors.Shared + "real/preprod":           106,
		vectors.Shared + "real/devnet-2025-02-25": 0,
		vectors.Shared + "real/devnet-2026-05-21": 0,
	} {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			raw, trust := readChain(t, dir)
			walked := walk(t, raw)
			for name, opts := range modes {
				v, err := VerifyEncoded(context.Background(), sequence(walked), trust, opts...)
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				if want != 0 && v.Len() != want {
					t.Errorf("%s: %d certificates, want %d", name, v.Len(), want)
				}
				if !v.Last().Genesis || v.EndedAt() != nil || v.Leaf().Hash != v.Checkpoint().Hash {
					t.Errorf("%s: ends in %v", name, v.Last().Hash)
				}
			}
		})
	}
}

// TestMainnetLike verifies in one mode only, because a certificate has some sixty signatures.
func TestMainnetLike(t *testing.T) {
	if testing.Short() {
		t.Skip("forty certificates with sixty signatures each")
	}
	raw, trust := readChain(t, "testdata/chains/mainnet-like")
	var stats Stats
	v, err := VerifyEncoded(context.Background(), sequence(raw), trust, WithStats(&stats))
	if err != nil {
		t.Fatal(err)
	}
	if v.Len() != 41 || stats.Operations.MillerLoops != 41 || stats.Operations.FinalExponentiations != 1 {
		t.Errorf("%d certificates, %+v", v.Len(), stats)
	}
	if decoded := int(stats.KeysDecoded + stats.KeysCached); decoded != stats.Signatures || stats.LotteryHashes < 40*2422 {
		t.Errorf("%+v", stats)
	}
}

// TestCases checks the verdicts of the reference on chains with faults, and the rule that is named.
func TestCases(t *testing.T) {
	cases := vectors.ChainCases(t)
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			trust := Trust{GenesisKey: parseKey(t, c.GenesisKey)}
			walked := walk(t, c.Certificates)
			var first string
			for name, opts := range modes {
				_, err := VerifyEncoded(context.Background(), sequence(walked), trust, opts...)
				if (err == nil) != (c.Expect == "valid") {
					t.Fatalf("%s: got %v, want %s", name, err, c.Expect)
				}
				if err == nil {
					continue
				}
				if first == "" {
					first = err.Error()
				}
				var e *Error
				if !errors.As(err, &e) || verdict.Class(err) == nil {
					t.Fatalf("%s: got %T: %v", name, err, err)
				}
				if c.Reason != "any" && string(e.Rule) != c.Reason {
					t.Errorf("%s: got %v, want %s", name, err, c.Reason)
				}
				if err.Error() != first {
					t.Errorf("%s: got %v, elsewhere %s", name, err, first)
				}
			}
		})
	}
	if len(cases) != 86 {
		t.Errorf("got %d cases, want 86", len(cases))
	}
}

// decodeAll decodes the walk through chains/small.
func decodeAll(t testing.TB, dir string) ([]*certificate.Certificate, Trust) {
	t.Helper()
	raw, trust := readChain(t, dir)
	var certs []*certificate.Certificate
	for _, r := range walk(t, raw) {
		c, err := certificate.Decode(r)
		if err != nil {
			t.Fatal(err)
		}
		certs = append(certs, c)
	}
	return certs, trust
}

func decodedSequence(certs []*certificate.Certificate) iter.Seq2[*certificate.Certificate, error] {
	return func(yield func(*certificate.Certificate, error) bool) {
		for _, c := range certs {
			if !yield(c, nil) {
				return
			}
		}
	}
}

// reseal recomputes the hashes from certificate i to the leaf, so that the rule under test is the only one broken.
func reseal(t testing.TB, certs []*certificate.Certificate, i int) {
	t.Helper()
	for ; i >= 0; i-- {
		c := certs[i]
		if i+1 < len(certs) && !c.IsGenesis() {
			c.PreviousHash = certs[i+1].Hash
		}
		hash, err := c.ComputeHash()
		if err != nil {
			t.Fatal(err)
		}
		c.Hash = hash
	}
}

// TestStricterRules breaks the rules that the vectors of the reference cannot, one at a time.
func TestStricterRules(t *testing.T) {
	type mutable struct {
		certs []*certificate.Certificate
		trust Trust
	}
	other := certificate.Hash{1}
	for name, test := range map[string]struct {
		change   func(t *testing.T, m *mutable)
		rule     verdict.Rule
		position int
	}{
		"another leaf than asked for": {func(_ *testing.T, m *mutable) { m.trust.Leaf = &other }, verdict.RuleRequestedHashMismatch, 0},
		"another genesis than pinned": {func(_ *testing.T, m *mutable) { m.trust.GenesisHash = &other }, verdict.RuleGenesisNotPinned, 5},
		"another network":             {func(_ *testing.T, m *mutable) { m.trust.Network = "mainnet" }, verdict.RuleNetworkMismatch, 0},
		"network of one certificate": {func(t *testing.T, m *mutable) {
			m.trust.Network = m.certs[0].Metadata.Network
			m.certs[3].Metadata.Network = "other"
			reseal(t, m.certs, 3)
		}, verdict.RuleNetworkMismatch, 3},
		"next certificate is not the parent": {func(_ *testing.T, m *mutable) { m.certs = slices.Delete(m.certs, 2, 3) }, verdict.RulePreviousHashMismatch, 1},
		"ends before genesis":                {func(_ *testing.T, m *mutable) { m.certs = m.certs[:3] }, verdict.RuleCertificateNotFound, 2},
		"no certificates":                    {func(_ *testing.T, m *mutable) { m.certs = nil }, verdict.RuleCertificateNotFound, 0},
		"parent newer than child": {func(t *testing.T, m *mutable) {
			// The parent's epoch differs from the one it signs, which says more than the broken link.
			m.certs[1].Epoch = m.certs[0].Epoch + 1
			reseal(t, m.certs, 1)
		}, verdict.RuleEpochMismatch, 1},
		"multi-signatures exchanged": {func(t *testing.T, m *mutable) {
			m.certs[1].MultiSignature = m.certs[2].MultiSignature
			reseal(t, m.certs, 1)
		}, verdict.RuleMultiSignatureInvalid, 1},
		"nil certificate": {func(_ *testing.T, m *mutable) { m.certs[2] = nil }, verdict.RuleMalformed, 2},
		"k of 0": {func(t *testing.T, m *mutable) {
			m.certs[0].Metadata.Parameters.K = 0
			reseal(t, m.certs, 0)
		}, verdict.RuleParametersOutOfRange, 0},
		"message part with two numbers": {func(t *testing.T, m *mutable) {
			m.certs[0].ProtocolMessage.SetPart(certificate.LatestBlockNumber, "1 2")
			m.certs[0].SignedMessage = m.certs[0].ProtocolMessage.ComputeHash().String()
			reseal(t, m.certs, 0)
		}, verdict.RuleMessagePartMalformed, 0},
	} {
		t.Run(name, func(t *testing.T) {
			for mode, opts := range modes {
				certs, trust := decodeAll(t, "testdata/chains/small")
				m := &mutable{certs, trust}
				test.change(t, m)
				_, err := Verify(context.Background(), decodedSequence(m.certs), m.trust, opts...)
				var e *Error
				if !errors.As(err, &e) || e.Rule != test.rule || e.Position != test.position {
					t.Errorf("%s: got %v, want %s at %d", mode, err, test.rule, test.position)
				}
			}
		})
	}
}

func TestGenesisChildInSameEpoch(t *testing.T) {
	certs, trust := decodeAll(t, "testdata/chains/small")
	genesis, child := certs[len(certs)-1], certs[len(certs)-2]
	// A genesis certificate of the child's epoch, as the child's parent; its signature is not looked at here.
	parent := checkpointOf(genesis)
	parent.Epoch, parent.AVK, parent.Parameters = child.Epoch, child.AVK, child.Metadata.Parameters
	if err := trust.checkLink(0, child, parent); err == nil || err.Rule != verdict.RuleGenesisChildUnpinned {
		t.Errorf("unpinned: got %v", err)
	}
	trust.GenesisAVK = &stm.AggregateVerificationKey{NrLeaves: 1, TotalStake: 1}
	if err := trust.checkLink(0, child, parent); err == nil || err.Rule != verdict.RuleGenesisChildUnpinned {
		t.Errorf("another key pinned: got %v", err)
	}
	trust.GenesisAVK = child.AVK
	if err := trust.checkLink(0, child, parent); err != nil {
		t.Errorf("pinned: %v", err)
	}
	parent.Parameters.K++
	if err := trust.checkLink(0, child, parent); err == nil || err.Rule != verdict.RuleProtocolParametersMismatch {
		t.Errorf("other parameters: got %v", err)
	}
}

// TestCheckpoint ends a walk at every certificate of the chain, and refuses a checkpoint that does not link.
func TestCheckpoint(t *testing.T) {
	certs, trust := decodeAll(t, "testdata/chains/small")
	for i := 1; i < len(certs); i++ {
		p := trust
		p.Checkpoint = checkpointOf(certs[i])
		v, err := Verify(context.Background(), decodedSequence(certs), p, WithJobs(1))
		if err != nil || v.Len() != i || v.EndedAt() != p.Checkpoint {
			t.Fatalf("checkpoint %d: got %v, %v", i, v, err)
		}
		if certs[i].Epoch == certs[i-1].Epoch {
			continue
		}
		wrong := *p.Checkpoint
		key := *wrong.NextAVK
		key.TotalStake++
		wrong.NextAVK = &key
		p.Checkpoint = &wrong
		var e *Error
		if _, err := Verify(context.Background(), decodedSequence(certs), p, WithJobs(1)); !errors.As(err, &e) || e.Rule != verdict.RuleAVKMismatch || e.Position != i-1 {
			t.Errorf("checkpoint %d with another key: got %v", i, err)
		}
	}
}

func TestLinkRules(t *testing.T) {
	certs, trust := decodeAll(t, "testdata/chains/small")
	// A child and a parent of different epochs.
	i := slices.IndexFunc(certs, func(c *certificate.Certificate) bool { return c.Epoch < certs[0].Epoch })
	child := certs[i-1]
	for name, test := range map[string]struct {
		change func(p *Checkpoint)
		want   verdict.Rule
	}{
		"hash":                  {func(p *Checkpoint) { p.Hash[0] ^= 1 }, verdict.RulePreviousHashMismatch},
		"epoch after":           {func(p *Checkpoint) { p.Epoch = child.Epoch + 1 }, verdict.RuleEpochDecreases},
		"two epochs before":     {func(p *Checkpoint) { p.Epoch = child.Epoch - 2 }, verdict.RuleEpochGap},
		"epoch 0":               {func(p *Checkpoint) { p.Epoch = 0 }, verdict.RuleEpochGap},
		"last epoch":            {func(p *Checkpoint) { p.Epoch = 1<<64 - 1 }, verdict.RuleEpochDecreases},
		"no next key":           {func(p *Checkpoint) { p.NextAVK = nil }, verdict.RuleAVKMismatch},
		"next total stake":      {func(p *Checkpoint) { a := *p.NextAVK; a.TotalStake++; p.NextAVK = &a }, verdict.RuleAVKMismatch},
		"next leaves":           {func(p *Checkpoint) { a := *p.NextAVK; a.NrLeaves++; p.NextAVK = &a }, verdict.RuleAVKMismatch},
		"next root":             {func(p *Checkpoint) { a := *p.NextAVK; a.Root[31] ^= 1; p.NextAVK = &a }, verdict.RuleAVKMismatch},
		"no next parameters":    {func(p *Checkpoint) { p.NextParameters = "" }, verdict.RuleProtocolParametersMismatch},
		"next parameters":       {func(p *Checkpoint) { p.NextParameters = strings.Repeat("0", 64) }, verdict.RuleProtocolParametersMismatch},
		"same epoch, other key": {func(p *Checkpoint) { p.Epoch = child.Epoch }, verdict.RuleAVKMismatch},
		"same epoch, other parameters": {func(p *Checkpoint) {
			p.Epoch, p.AVK, p.Parameters.M = child.Epoch, child.AVK, p.Parameters.M+1
		}, verdict.RuleProtocolParametersMismatch},
		"nothing": {func(*Checkpoint) {}, ""},
	} {
		p := checkpointOf(certs[i])
		test.change(p)
		err := trust.checkLink(0, child, p)
		if test.want == "" && err != nil || test.want != "" && (err == nil || err.Rule != test.want) {
			t.Errorf("%s: got %v, want %s", name, err, test.want)
		}
	}
}

// TestLengthIsBounded links within one epoch for ever, and counts on an epoch for ever.
func TestLengthIsBounded(t *testing.T) {
	certs, trust := decodeAll(t, "testdata/chains/small")
	asked := 0
	endless := func(yield func(*certificate.Certificate, error) bool) {
		for i := 0; ; i++ {
			asked++
			if !yield(certs[i%2], nil) {
				return
			}
		}
	}
	for mode, opts := range modes {
		if _, err := Verify(context.Background(), endless, trust, opts...); !errors.Is(err, verdict.ErrInvalid) {
			t.Errorf("%s: got %v", mode, err)
		}
	}
	_, err := Verify(context.Background(), decodedSequence(certs), trust, WithMaxLength(3))
	var e *Error
	if !errors.As(err, &e) || e.Rule != verdict.RuleChainTooLong || !errors.Is(err, verdict.ErrLimit) {
		t.Errorf("got %v", err)
	}
	if _, err := Verify(context.Background(), decodedSequence(certs), trust, WithMaxLength(len(certs))); err != nil {
		t.Errorf("at the limit: %v", err)
	}
}

func TestLinksWithinAnEpochAreBounded(t *testing.T) {
	certs, trust := decodeAll(t, "testdata/chains/small")
	v := &verification{trust: trust, o: newOptions(nil)}
	c := certs[0]
	var err *Error
	links := 0
	for ; err == nil && links < 10; links++ {
		// The same certificate, as if it were its own parent: only the count is looked at.
		next := *c
		next.Hash = c.PreviousHash
		v.previous = c
		err = v.link(&item{position: links + 1, cert: &next})
	}
	if links != 3 || err.Rule != verdict.RuleChainTooLong || !errors.Is(err, verdict.ErrLimit) {
		t.Errorf("%d links, %v", links, err)
	}
}

func TestEveryCulpritIsNamed(t *testing.T) {
	for mode, opts := range modes {
		certs, trust := decodeAll(t, "testdata/chains/small")
		// Signatures by the right signers on another message of the same epoch: everything but the pairing is re-made to fit by
		// a lottery that everybody wins, which the parents did not sign; so look at the batch below the link rules.
		v := &verification{trust: trust, o: newOptions(opts)}
		for i := range certs[:3] {
			v.records = append(v.records, recordOf(certs[i]))
		}
		v.culprits = []Culprit{{Position: 1, Hash: certs[1].Hash, Epoch: certs[1].Epoch, Signatures: []int{2, 4}}, {Position: 2, Hash: certs[2].Hash}}
		v.fail(3, mismatch(3, certs[3], verdict.RuleEpochGap, 1, 2))
		_, err := v.verdict(context.Background())
		var e *Error
		if !errors.As(err, &e) || e.Detail != verdict.DetailAggregateInvalid || len(e.Culprits) != 2 || e.Position != 1 || e.Signature != 2 || !errors.Is(err, multisig.ErrSignature) {
			t.Errorf("%s: got %v", mode, err)
		}
		v.failedAt = 1
		if _, err := v.verdict(context.Background()); !errors.As(err, &e) || e.Rule != verdict.RuleEpochGap {
			t.Errorf("%s: a rule on the same certificate speaks first: got %v", mode, err)
		}
	}
}

func TestSourceErrors(t *testing.T) {
	certs, trust := decodeAll(t, "testdata/chains/small")
	broken := errors.New("broken pipe")
	for mode, opts := range modes {
		failing := func(yield func(*certificate.Certificate, error) bool) {
			_ = yield(certs[0], nil) && yield(certs[1], nil) && yield(nil, broken)
		}
		if _, err := Verify(context.Background(), failing, trust, opts...); !errors.Is(err, broken) || verdict.Class(err) != nil {
			t.Errorf("%s: got %v", mode, err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		cancelled := func(yield func(*certificate.Certificate, error) bool) {
			for _, c := range certs {
				if !yield(c, nil) {
					return
				}
				cancel()
			}
		}
		if _, err := Verify(ctx, cancelled, trust, opts...); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: got %v", mode, err)
		}
	}
}

func TestWalk(t *testing.T) {
	certs, trust := decodeAll(t, "testdata/chains/small")
	byHash := map[certificate.Hash]*certificate.Certificate{}
	for _, c := range certs {
		byHash[c.Hash] = c
	}
	lookup := func(h certificate.Hash) (*certificate.Certificate, error) { return byHash[h], nil }
	if _, err := Verify(context.Background(), Walk(certs[0].Hash, lookup), trust); err != nil {
		t.Error(err)
	}
	delete(byHash, certs[2].Hash)
	var e *Error
	if _, err := Verify(context.Background(), Walk(certs[0].Hash, lookup), trust); !errors.As(err, &e) || e.Rule != verdict.RuleCertificateNotFound || e.Position != 1 || e.Parent != certs[2].Hash {
		t.Errorf("got %v", err)
	}
}

func TestVerifyAlone(t *testing.T) {
	certs, trust := decodeAll(t, "testdata/chains/small")
	for _, c := range certs {
		if err := VerifyAlone(c, trust); err != nil {
			t.Error(err)
		}
	}
	data := vectors.Read(t, vectors.Shared+"real/mainnet-epoch-643/certificate.json")
	c, err := certificate.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	if err := VerifyAlone(c, Trust{Network: "mainnet"}); err != nil {
		t.Error(err)
	}
	if err := VerifyAlone(c, Trust{Network: "preprod"}); !errors.Is(err, verdict.ErrInvalid) {
		t.Errorf("another network: %v", err)
	}
}

// TestCulpritsAreBounded makes a chain of certificates whose signatures do not verify, as anybody can: the walk ends when
// enough are known, and names the same ones in every mode.
func TestCulpritsAreBounded(t *testing.T) {
	var first string
	for mode, opts := range modes {
		v := &verification{o: newOptions(opts)}
		v.batch.Window = 64
		certs, _ := decodeAll(t, "testdata/chains/small")
		accepted := 0
		for ; accepted < 1000; accepted++ {
			it := &item{position: accepted, cert: certs[0]}
			claim, err := multisig.NewClaim([]byte("not what was signed"), []*multisig.VerificationKey{key0(certs[0])}, []multisig.Signature{*certs[0].MultiSignature.Signature(0)})
			if err != nil {
				t.Fatal(err)
			}
			if v.o.oneByOne {
				it.pairing = claim.Verify()
			} else {
				v.batch.AddAt(it.position, claim)
				v.claims.Add(1)
			}
			v.records = append(v.records, recordOf(it.cert))
			if it.pairing != nil {
				v.culprits = append(v.culprits, aggregateError(it.position, it.cert, it.pairing).Culprits...)
			}
			if v.enough() {
				break
			}
		}
		if accepted > limits.MaxCulprits+64 {
			t.Errorf("%s: goes on to %d certificates", mode, accepted)
		}
		v.complete = true
		_, err := v.verdict(context.Background())
		var e *Error
		if !errors.As(err, &e) || len(e.Culprits) != limits.MaxCulprits || e.Culprits[limits.MaxCulprits-1].Position != limits.MaxCulprits-1 {
			t.Fatalf("%s: got %v", mode, err)
		}
		if first == "" {
			first = err.Error()
		}
		if err.Error() != first {
			t.Errorf("%s: got %v, elsewhere %s", mode, err, first)
		}
	}
}

func key0(c *certificate.Certificate) *multisig.VerificationKey {
	key, _, _ := c.MultiSignature.Party(0)
	return key
}

// TestTextIsBounded: the names in a certificate are not signed, so that whoever serves a chain decides their length.
func TestTextIsBounded(t *testing.T) {
	certs, trust := decodeAll(t, "testdata/chains/small")
	v := &verification{trust: trust, o: newOptions(nil)}
	v.text = limits.MaxChainText - recordText(certs[0])
	if !v.accept(&item{cert: certs[0]}) {
		t.Errorf("at the bound: %v", v.failure)
	}
	v = &verification{trust: trust, o: newOptions(nil)}
	v.text = limits.MaxChainText - recordText(certs[0]) + 1
	var e *Error
	if v.accept(&item{cert: certs[0]}) || !errors.As(v.failure, &e) || e.Rule != verdict.RuleLimitExceeded || !errors.Is(e, verdict.ErrLimit) {
		t.Errorf("one byte above: %v", v.failure)
	}
	long := *certs[0]
	long.Metadata.Network += "1234567"
	if got, want := recordText(&long), recordText(certs[0])+7; got != want {
		t.Errorf("text of %d bytes, want %d", got, want)
	}
}

func recordText(c *certificate.Certificate) int {
	r := recordOf(c)
	return r.text()
}
