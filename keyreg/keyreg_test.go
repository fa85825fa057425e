package keyreg

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stmverify/stmverify/internal/limits"
	"github.com/stmverify/stmverify/merkle"
	"github.com/stmverify/stmverify/multisig"
	"github.com/stmverify/stmverify/verdict"
)

// set is one registration of testdata/stm_sets.json, made by the reference.
type set struct {
	Name    string
	Parties []struct {
		Stake     uint64
		VK        string
		PoP       string
		VKPoPJSON string `json:"vk_pop_json"`
	}
	Order []string `json:"registration_order_vk"`
	AVK   string   `json:"avk_json"`
}

func readSets(t testing.TB) []set {
	t.Helper()
	data, err := os.ReadFile("../testdata/stm_sets.json")
	if err != nil {
		t.Fatal(err)
	}
	var sets []set
	if err := json.Unmarshal(data, &sets); err != nil {
		t.Fatal(err)
	}
	return sets
}

// commitment is the JSON form of an aggregate verification key.
type commitment struct {
	Tree struct {
		Root     []int
		NrLeaves uint64 `json:"nr_leaves"`
	} `json:"mt_commitment"`
	TotalStake uint64 `json:"total_stake"`
}

func (c *Closed) commitment() commitment {
	var m commitment
	for _, b := range c.Root() {
		m.Tree.Root = append(m.Tree.Root, int(b))
	}
	m.Tree.NrLeaves, m.TotalStake = c.NrLeaves(), c.TotalStake()
	return m
}

func TestReferenceRegistrations(t *testing.T) {
	sets := readSets(t)
	if len(sets) != 9 {
		t.Fatalf("got %d sets, want 9", len(sets))
	}
	for _, set := range sets {
		t.Run(set.Name, func(t *testing.T) {
			var parties []Party
			for _, p := range set.Parties {
				party, err := ParsePartyJSON([]byte(p.VKPoPJSON), p.Stake)
				if err != nil {
					t.Fatal(err)
				}
				if got := string(party.AppendJSON(nil)); got != p.VKPoPJSON {
					t.Errorf("JSON: got %s, want %s", got, p.VKPoPJSON)
				}
				if got := hex.EncodeToString(party.AppendBytes(nil)); got != p.VK+p.PoP {
					t.Errorf("bytes: got %s, want %s", got, p.VK+p.PoP)
				}
				parties = append(parties, party)
			}
			// The order of arrival must not matter.
			rand.New(rand.NewPCG(1, 2)).Shuffle(len(parties), func(i, j int) { parties[i], parties[j] = parties[j], parties[i] })
			var r Registration
			if err := r.RegisterAll(t.Context(), parties); err != nil {
				t.Fatal(err)
			}
			closed, err := r.Close()
			if err != nil {
				t.Fatal(err)
			}
			var order []string
			for i, e := range closed.Entries() {
				vk := e.Key.Bytes()
				order = append(order, hex.EncodeToString(vk[:]))
				if got, err := closed.Index(e.Key); err != nil || got != uint64(i) {
					t.Errorf("index of %x: got %d, %v, want %d", vk, got, err, i)
				}
				if got, err := closed.Entry(uint64(i)); err != nil || got != e {
					t.Errorf("entry %d: got %v, %v", i, got, err)
				}
			}
			if diff := cmp.Diff(set.Order, order); diff != "" {
				t.Errorf("order (-reference +ours):\n%s", diff)
			}
			var want commitment
			if err := json.Unmarshal([]byte(set.AVK), &want); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, closed.commitment()); diff != "" {
				t.Errorf("aggregate verification key (-reference +ours):\n%s", diff)
			}
		})
	}
}

// TestRealRegistrations rebuilds what real certificates sign as the next aggregate verification key.
func TestRealRegistrations(t *testing.T) {
	const dir = "../../shared/vectors/real/devnet-2026-05-21/"
	data, err := os.ReadFile(dir + "mithril-stake-distributions.json")
	if errors.Is(err, os.ErrNotExist) {
		t.Skip("the real registrations are not at hand")
	}
	if err != nil {
		t.Fatal(err)
	}
	var texts map[string]json.RawMessage
	if err := json.Unmarshal(data, &texts); err != nil {
		t.Fatal(err)
	}
	if len(texts) != 9 {
		t.Fatalf("got %d registrations, want 9", len(texts))
	}
	signed := nextKeys(t, dir+"all.json")
	for name, text := range texts {
		d, err := ParseStakeDistribution(text)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var r Registration
		if err := r.RegisterAll(t.Context(), d.Parties()); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		closed, err := r.Close()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		want, ok := signed[d.CertificateHash]
		if !ok {
			t.Fatalf("%s: no certificate %s", name, d.CertificateHash)
		}
		if diff := cmp.Diff(want, closed.commitment()); diff != "" {
			t.Errorf("%s (-signed +rebuilt):\n%s", name, diff)
		}
		if d.Signers[0].PartyID == "" || d.Epoch == 0 {
			t.Errorf("%s: got epoch %d, first signer %q", name, d.Epoch, d.Signers[0].PartyID)
		}
	}
}

// nextKeys returns the next aggregate verification key that each certificate of a file signs, by certificate hash.
func nextKeys(t *testing.T, path string) map[string]commitment {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var certificates []struct {
		Hash    string
		Message struct {
			Parts map[string]string `json:"message_parts"`
		} `json:"protocol_message"`
	}
	if err := json.Unmarshal(data, &certificates); err != nil {
		t.Fatal(err)
	}
	keys := map[string]commitment{}
	for _, c := range certificates {
		text, err := hex.DecodeString(c.Message.Parts["next_aggregate_verification_key"])
		if err != nil {
			t.Fatal(err)
		}
		var key commitment
		if err := json.Unmarshal(text, &key); err != nil {
			t.Fatal(err)
		}
		keys[c.Hash] = key
	}
	return keys
}

// makeParties returns parties with keys of their own, all with the given stake.
func makeParties(t testing.TB, n int, stake uint64) []Party {
	t.Helper()
	parties := make([]Party, n)
	for i := range parties {
		key, err := multisig.GenerateSigningKey(slices.Repeat([]byte{byte(i), byte(i >> 8)}, 16))
		if err != nil {
			t.Fatal(err)
		}
		parties[i] = Party{key.VerificationKey(), key.ProvePossession(), stake}
	}
	return parties
}

// refused checks that err is the wanted one, at the wanted position.
func refused(t *testing.T, what string, err, want error, position int) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: got %v, want %v", what, err, want)
		return
	}
	e, ok := errors.AsType[*Error](err)
	if !ok || e.Position != position {
		t.Errorf("%s: got %#v, want position %d", what, err, position)
	}
	if class := verdict.Class(err); class != verdict.Class(want) || class == nil {
		t.Errorf("%s: got class %v", what, class)
	}
}

func TestRegisterRefusals(t *testing.T) {
	parties := makeParties(t, 4, 5)
	var r Registration
	if err := r.Register(parties[0]); err != nil {
		t.Fatal(err)
	}
	again := parties[0]
	again.Stake = 77
	refused(t, "same key, other stake", r.Register(again), ErrDuplicateKey, 0)
	refused(t, "registered before", r.RegisterAll(t.Context(), parties), ErrDuplicateKey, 0)
	refused(t, "twice in one call", r.RegisterAll(t.Context(), []Party{parties[1], parties[2], parties[1]}), ErrDuplicateKey, 2)
	refused(t, "no key", r.RegisterAll(t.Context(), []Party{parties[1], {Possession: parties[2].Possession}}), ErrIncomplete, 1)
	refused(t, "no proof", r.Register(Party{Key: parties[1].Key, Stake: 1}), ErrIncomplete, 0)
	refused(t, "too many", r.RegisterAll(t.Context(), make([]Party, limits.MaxLeaves)), ErrTooManyParties, -1)
	if err := r.Register(Party{new(multisig.VerificationKey), new(multisig.ProofOfPossession), 1}); !errors.Is(err, multisig.ErrZeroValue) {
		t.Errorf("zero values: got %v", err)
	}

	// Nothing of the refused calls stayed: the rest can be registered.
	if err := r.RegisterAll(t.Context(), parties[1:]); err != nil {
		t.Fatal(err)
	}
	if err := r.RegisterAll(t.Context(), nil); err != nil {
		t.Errorf("no parties: %v", err)
	}
	closed, err := r.Close()
	if err != nil {
		t.Fatal(err)
	}
	if closed.Len() != 4 || closed.TotalStake() != 20 {
		t.Errorf("got %d parties with %d, want 4 with 20", closed.Len(), closed.TotalStake())
	}
}

func TestPossessionOfAnotherKey(t *testing.T) {
	parties := makeParties(t, 5, 5)
	parties[1].Possession, parties[3].Possession = parties[3].Possession, parties[1].Possession
	var r Registration
	err := r.RegisterAll(t.Context(), parties)
	culprits, ok := errors.AsType[*multisig.PossessionError](err)
	if !ok || !errors.Is(err, verdict.ErrInvalid) {
		t.Fatalf("got %v", err)
	}
	if diff := cmp.Diff([]int{1, 3}, culprits.Positions); diff != "" {
		t.Errorf("culprits (-want +got):\n%s", diff)
	}
	if _, err := r.Close(); !errors.Is(err, ErrNoStake) {
		t.Errorf("something was registered: %v", err)
	}
	if err := r.Register(parties[1]); !errors.Is(err, multisig.ErrPossession) {
		t.Errorf("alone: got %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := r.RegisterAll(ctx, parties); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: got %v", err)
	}
}

func TestClose(t *testing.T) {
	parties := makeParties(t, 3, math.MaxUint64/2)
	for _, c := range []struct {
		name   string
		stakes []uint64
		want   error
	}{
		{"no parties", nil, ErrNoStake},
		{"no stake", []uint64{0, 0}, ErrNoStake},
		{"overflow", []uint64{math.MaxUint64, 1}, ErrStakeOverflow},
		{"overflow to 0", []uint64{1 << 63, 1 << 63}, ErrStakeOverflow},
		{"largest", []uint64{math.MaxUint64 - 1, 1}, nil},
		{"one without stake", []uint64{0, 1}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			var r Registration
			for i, stake := range c.stakes {
				if err := r.Register(Party{parties[i].Key, parties[i].Possession, stake}); err != nil {
					t.Fatal(err)
				}
			}
			_, err := r.Close()
			if c.want == nil {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			refused(t, "close", err, c.want, -1)
			// The registration is still open.
			if err := r.Register(Party{parties[2].Key, parties[2].Possession, 1}); err != nil {
				t.Errorf("register after a refused close: %v", err)
			}
		})
	}
}

func TestClosedTwice(t *testing.T) {
	parties := makeParties(t, 2, 5)
	var r Registration
	if err := r.Register(parties[0]); err != nil {
		t.Fatal(err)
	}
	closed, err := r.Close()
	if err != nil {
		t.Fatal(err)
	}
	_, err = r.Close()
	refused(t, "closed twice", err, ErrClosed, -1)
	refused(t, "registered after", r.Register(parties[1]), ErrClosed, -1)

	_, err = closed.Index(parties[1].Key)
	refused(t, "index of another key", err, ErrNotRegistered, -1)
	_, err = closed.Index(nil)
	refused(t, "index of no key", err, ErrNotRegistered, -1)
	_, err = closed.Entry(1)
	refused(t, "entry beyond the last", err, ErrNotRegistered, -1)
	_, err = closed.Entry(math.MaxUint64)
	refused(t, "entry far beyond", err, ErrNotRegistered, -1)
}

func TestPathOfClosed(t *testing.T) {
	var r Registration
	if err := r.RegisterAll(t.Context(), makeParties(t, 5, 9)); err != nil {
		t.Fatal(err)
	}
	closed, err := r.Close()
	if err != nil {
		t.Fatal(err)
	}
	path, err := closed.Path([]uint64{1, 4})
	if err != nil {
		t.Fatal(err)
	}
	var leaves []merkle.Hash
	for _, i := range path.Indices {
		e, err := closed.Entry(i)
		if err != nil {
			t.Fatal(err)
		}
		vk := e.Key.Bytes()
		leaves = append(leaves, merkle.LeafHash(&vk, e.Stake))
	}
	root := closed.Root()
	if err := path.Verify(&root, closed.NrLeaves(), leaves); err != nil {
		t.Error(err)
	}
}

func BenchmarkRegisterAll(b *testing.B) {
	for name, n := range map[string]int{"parties=1": 1, "parties=100": 100} {
		parties := makeParties(b, n, 5)
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				var r Registration
				if err := r.RegisterAll(b.Context(), parties); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/party")
		})
	}
}
