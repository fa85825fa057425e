package light

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stmverify/stmverify/certificate"
	"github.com/stmverify/stmverify/chain"
	"github.com/stmverify/stmverify/internal/fakeaggregator/forge"
	"github.com/stmverify/stmverify/light/store"
	"github.com/stmverify/stmverify/verdict"
)

// forged returns a forge, a chain of it from epoch 10 on, newest first, and the chain with its trust.
func forged(n int) (*forge.Forge, []*forge.Link, *testChain) {
	f := forge.New("light", "forged")
	links := f.Chain(10, n)
	return f, links, &testChain{forge.Texts(links), chain.Trust{GenesisKey: f.GenesisKey(), Network: "forged"}}
}

// fork returns the chain of links with the newest n certificates replaced by others that verify too.
func fork(f *forge.Forge, links []*forge.Link, n int) []*forge.Link {
	out := append([]*forge.Link(nil), links[n:]...)
	for range n {
		out = append([]*forge.Link{f.Next(out[0], false, forge.Spec{Signer: "of the fork"})}, out...)
	}
	return out
}

func transactions(block, root string) forge.Spec {
	return forge.Spec{
		Entity: certificate.SignedEntityType{Kind: certificate.CardanoTransactions, BlockNumber: 7},
		Parts: map[certificate.PartKey]string{
			certificate.LatestBlockNumber:             block,
			certificate.CardanoTransactionsMerkleRoot: root,
		},
	}
}

func TestWitnesses(t *testing.T) {
	f, links, c := forged(6)
	other := certificate.Hash{1}.String()
	root := certificate.Hash{2}.String()
	withLeaf := func(s forge.Spec) [][]byte {
		return forge.Texts(append([]*forge.Link{f.Next(links[0], true, s)}, links...))
	}
	later := f.Genesis(12, forge.Spec{})
	tests := []struct {
		name     string
		primary  [][]byte
		witness  [][]byte
		fault    string
		outcome  Outcome
		evidence EvidenceKind
		class    error // of what is said about the witness
	}{
		{name: "the same chain", witness: c.texts, outcome: Agreed},
		{name: "another leaf", primary: withLeaf(transactions("7", root)), witness: withLeaf(transactions("8", other)), outcome: Agreed},
		{name: "one certificate behind", witness: c.texts[1:], outcome: Behind},
		{name: "one certificate ahead", primary: c.texts[1:], witness: c.texts, outcome: Ahead},
		{name: "another root for the same block", primary: withLeaf(transactions("7", root)), witness: withLeaf(transactions("7", other)),
			outcome: Disagreed, evidence: ConflictingStatement},
		{name: "a fork of one epoch", witness: forge.Texts(fork(f, links, 1)), outcome: Disagreed, evidence: ConflictingStatement},
		{name: "a fork of three epochs", witness: forge.Texts(fork(f, links, 3)), outcome: Disagreed, evidence: ConflictingStatement},
		{name: "a re-genesis", witness: forge.Texts([]*forge.Link{f.Next(later, false, forge.Spec{}), later}),
			outcome: Disagreed, evidence: OtherGenesis},
		{name: "the chain of another key", witness: forge.Texts(forge.New("other", "forged").Chain(10, 6)), outcome: Faulty, class: verdict.ErrInvalid},
		{name: "a chain of another network", witness: forge.Texts(forge.New("light", "elsewhere").Chain(10, 6)), outcome: Faulty, class: verdict.ErrInvalid},
		{name: "a forged fork", witness: forge.Texts(fork(f, links, 1)), fault: "tamper:route=certificate", outcome: Faulty, class: verdict.ErrInvalid},
		{name: "an endless answer", witness: forge.Texts(fork(f, links, 1)), fault: "endless:route=certificate", outcome: Faulty, class: verdict.ErrLimit},
		{name: "no answer", witness: c.texts, fault: "status:status=500", outcome: Unavailable, class: verdict.ErrUnavailable},
		{name: "no answer about genesis", witness: c.texts, fault: "status:status=500,route=genesis", outcome: Unavailable, class: verdict.ErrUnavailable},
		{name: "no genesis", witness: c.texts, fault: "not-found:route=genesis", outcome: Agreed},
		{name: "a broken list", witness: c.texts, fault: "garbage:route=certificates", outcome: Faulty, class: verdict.ErrInvalid},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if test.primary == nil {
				test.primary = c.texts
			}
			var faults []string
			if test.fault != "" {
				faults = append(faults, test.fault)
			}
			_, p := serve(t, test.primary)
			_, w := serve(t, test.witness, faults...)
			var st store.Memory
			var seen recorder
			_, err := newClient(t, c, p, &st, Witnesses(w), Observe(&seen)).Sync(t.Context(), Newest())

			got := eventsOf[WitnessChecked](&seen)
			if len(got) != 1 || got[0].Provider != w.Name() || got[0].Outcome != test.outcome || verdict.Class(got[0].Err) != test.class {
				t.Fatalf("got %+v, want %s by %s, class %v", got, test.outcome, w.Name(), test.class)
			}
			stored := len(hashes(t, &st))
			if test.evidence == "" {
				if err != nil || stored != len(test.primary) {
					t.Errorf("got %d certificates, %v; want %d", stored, err, len(test.primary))
				}
				return
			}
			var conflict *ConflictError
			if !errors.As(err, &conflict) || !errors.Is(err, verdict.ErrInvalid) || stored != 0 {
				t.Fatalf("got %v, %d certificates; want a ConflictError, none", err, stored)
			}
			checkEvidence(t, &conflict.Evidence, test.evidence, p.Name(), w.Name())
		})
	}
}

func checkEvidence(t *testing.T, e *Evidence, kind EvidenceKind, ours, theirs string) {
	t.Helper()
	if diff := cmp.Diff([]string{string(kind), ours, theirs}, []string{string(e.Kind), e.Ours.Source, e.Theirs.Source}); diff != "" {
		t.Errorf("evidence (-want +got):\n%s", diff)
	}
	if e.Ours.Value == e.Theirs.Value || e.Ours.Hash == e.Theirs.Hash {
		t.Errorf("both say %s in %s", e.Ours.Value, e.Ours.Hash)
	}
	for _, exhibit := range []Exhibit{e.Ours, e.Theirs} {
		c, err := certificate.Decode(exhibit.Certificate)
		if err != nil {
			t.Errorf("exhibit of %s: %v", exhibit.Source, err)
			continue
		}
		hash, err := c.ComputeHash()
		if err != nil || hash != exhibit.Hash || c.Epoch != exhibit.Epoch {
			t.Errorf("exhibit of %s: hash %s, epoch %d, %v; want %s, %d", exhibit.Source, hash, c.Epoch, err, exhibit.Hash, exhibit.Epoch)
		}
	}
}

// TestPrimaryAgainstStore lets the primary provider change its chain between two syncs.
func TestPrimaryAgainstStore(t *testing.T) {
	f, links, c := forged(6)
	later := f.Genesis(17, forge.Spec{})
	tests := []struct {
		name     string
		then     []*forge.Link
		evidence EvidenceKind
	}{
		{"a fork", fork(f, links, 2), ConflictingStatement},
		{"a longer fork", fork(f, links, 5), ConflictingStatement},
		{"a re-genesis", []*forge.Link{f.Next(later, false, forge.Spec{}), later}, OtherGenesis},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			server, p := serve(t, c.texts)
			var st store.Memory
			client := newClient(t, c, p, &st)
			_, err := client.Sync(t.Context(), Newest())
			must(t, err)
			before := hashes(t, &st)
			must(t, server.SetChain(forge.Texts(test.then)))
			_, err = client.Sync(t.Context(), Newest())
			var conflict *ConflictError
			if !errors.As(err, &conflict) {
				t.Fatalf("got %v, want a ConflictError", err)
			}
			checkEvidence(t, &conflict.Evidence, test.evidence, "store", p.Name())
			if diff := cmp.Diff(before, hashes(t, &st)); diff != "" {
				t.Errorf("the store changed (-before +after):\n%s", diff)
			}
			if err := client.Watch(t.Context(), Schedule{}); !errors.Is(err, ErrConflict) {
				t.Errorf("Watch: got %v, want ErrConflict", err)
			}
		})
	}
}

// TestRelabelledCertificateIsNoEvidence changes what no signature covers, so that the certificate looks like another
// version of an entity.
func TestRelabelledCertificateIsNoEvidence(t *testing.T) {
	f, links, c := forged(3)
	root, other := certificate.Hash{1}.String(), certificate.Hash{2}.String()
	ours := f.Next(links[0], true, transactions("7", root))
	theirs := f.Next(links[0], true, transactions("8", other)) // block 8, and labelled as of block 7 like ours
	_, p := serve(t, append([][]byte{ours.Text}, c.texts...))
	_, w := serve(t, append([][]byte{theirs.Text}, c.texts...))
	var seen recorder
	_, err := newClient(t, c, p, new(store.Memory), Witnesses(w), Observe(&seen)).Sync(t.Context(), Newest())
	must(t, err)
	if got := eventsOf[WitnessChecked](&seen); len(got) != 1 || got[0].Outcome != Agreed {
		t.Errorf("got %+v, want agreed", got)
	}
}

// TestSeveralWitnesses names each with its outcome.
func TestSeveralWitnesses(t *testing.T) {
	f, links, c := forged(4)
	_, p := serve(t, c.texts)
	_, good := serve(t, c.texts)
	_, broken := serve(t, c.texts, "reset")
	_, liar := serve(t, forge.Texts(fork(f, links, 1)), "tamper:route=certificate")
	report, err := newClient(t, c, p, new(store.Memory), Witnesses(good, broken, liar)).Sync(t.Context(), Newest())
	must(t, err)
	got := map[string]Outcome{}
	for _, w := range report.Witnesses {
		got[w.Provider] = w.Outcome
	}
	if diff := cmp.Diff(map[string]Outcome{good.Name(): Agreed, broken.Name(): Unavailable, liar.Name(): Faulty}, got); diff != "" {
		t.Errorf("outcomes (-want +got):\n%s", diff)
	}
	var refused *RefusedError
	if !errors.As(report.Witnesses[2].Err, &refused) || refused.Provider != liar.Name() || ruleOf(refused) == "" {
		t.Errorf("the liar: got %v", report.Witnesses[2].Err)
	}
}

// TestConflictMessage checks that a message shows where two long values differ.
func TestConflictMessage(t *testing.T) {
	long := strings.Repeat("same ", 100)
	ours, theirs := differences(long+"ours"+long, long+"theirs"+long)
	if !strings.Contains(ours, "ours") || !strings.Contains(theirs, "theirs") || len(ours) > 80 {
		t.Errorf("got %q and %q", ours, theirs)
	}
	if a, b := differences("a", ""); a != "a" || b != "" {
		t.Errorf("got %q and %q", a, b)
	}
}

// TestQuietPrimary has nothing new while a witness forks, and then while it goes ahead.
func TestQuietPrimary(t *testing.T) {
	f, links, c := forged(5)
	_, p := serve(t, c.texts)
	server, w := serve(t, c.texts)
	var st store.Memory
	client := newClient(t, c, p, &st, Witnesses(w))
	_, err := client.Sync(t.Context(), Newest())
	must(t, err)
	must(t, server.SetChain(forge.Texts(fork(f, links, 1))))
	if _, err := client.Sync(t.Context(), Newest()); !errors.Is(err, ErrConflict) {
		t.Errorf("a fork: got %v, want ErrConflict", err)
	}
	must(t, server.SetChain(append([][]byte{f.Next(links[0], false, forge.Spec{}).Text}, c.texts...)))
	report, err := client.Sync(t.Context(), Newest())
	must(t, err)
	if len(report.Witnesses) != 1 || report.Witnesses[0].Outcome != Ahead {
		t.Errorf("ahead: got %+v", report.Witnesses)
	}
}

// TestLongChainIsBounded gives a chain that verifies and is longer than the limit, to an empty store and on top of its
// genesis certificate.
func TestLongChainIsBounded(t *testing.T) {
	_, _, c := forged(120)
	for _, stored := range []int{0, 1} {
		server, p := serve(t, c.texts)
		var st store.Memory
		client := newClient(t, c, p, &st, MaxCertificates(50))
		if stored > 0 {
			_, err := client.Verify(t.Context(), c.hash(t, len(c.texts)-1))
			must(t, err)
		}
		_, err := client.Sync(t.Context(), Newest())
		if !errors.Is(err, verdict.ErrLimit) || ruleOf(err) != verdict.RuleChainTooLong {
			t.Errorf("got %v, want %s", err, verdict.RuleChainTooLong)
		}
		if n := server.Requests(""); n > 60 || len(hashes(t, &st)) != stored {
			t.Errorf("got %d requests, %d certificates", n, len(hashes(t, &st)))
		}
	}
}

// TestManyCertificatesOfOneEpochAreBounded gives a chain whose certificates are all as they say, and more than an honest
// one has in an epoch.
func TestManyCertificatesOfOneEpochAreBounded(t *testing.T) {
	f, links, c := forged(2)
	walk := links
	for range 40 {
		walk = append([]*forge.Link{f.Next(walk[0], true, forge.Spec{})}, walk...)
	}
	server, p := serve(t, forge.Texts(walk))
	var st store.Memory
	client := newClient(t, c, p, &st)
	_, err := client.Verify(t.Context(), links[1].Hash)
	must(t, err)
	_, err = client.Sync(t.Context(), Newest())
	if !errors.Is(err, verdict.ErrLimit) || ruleOf(err) != verdict.RuleChainTooLong {
		t.Errorf("got %v, want %s", err, verdict.RuleChainTooLong)
	}
	if n := server.Requests(""); n > 10 || len(hashes(t, &st)) != 1 {
		t.Errorf("got %d requests, %d certificates", n, len(hashes(t, &st)))
	}
}
