package stm

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stmverify/stmverify/keyreg"
	"github.com/stmverify/stmverify/multisig"
	"github.com/stmverify/stmverify/verdict"
)

// signingSet is the signing side of testdata/stm_sets.json.
type signingSet struct {
	Name       string
	Parameters parametersJSON
	Parties    []struct {
		IKM, SK, VK, PoP string
		Stake            uint64
		VKPoPJSON        string `json:"vk_pop_json"`
	}
	Order    []string `json:"registration_order_vk"`
	AVKJSON  string   `json:"avk_json"`
	Messages []struct {
		Msg     string
		Singles []struct {
			JSON string
			CBOR string
		} `json:"single_signatures"`
		AggregateJSON string `json:"aggregate_json"`
		AggregateCBOR string `json:"aggregate_cbor"`
		Error         string `json:"aggregate_error"`
	}
}

// register makes the keys and the registration of a set, every byte compared.
func (s *signingSet) register(t *testing.T) ([]*multisig.SigningKey, *keyreg.Closed) {
	t.Helper()
	var keys []*multisig.SigningKey
	var registration keyreg.Registration
	for i, p := range s.Parties {
		key, err := multisig.GenerateSigningKey(unhex(t, p.IKM))
		if err != nil {
			t.Fatal(err)
		}
		secret, vk, pop := key.SecretBytes(), key.VerificationKey(), key.ProvePossession()
		vkBytes, popBytes := vk.Bytes(), pop.Bytes()
		for name, pair := range map[string][2]string{
			"secret key": {hex.EncodeToString(secret[:]), p.SK}, "key": {hex.EncodeToString(vkBytes[:]), p.VK}, "possession": {hex.EncodeToString(popBytes[:]), p.PoP},
		} {
			if pair[0] != pair[1] {
				t.Errorf("%s: party %d: %s: got %s, want %s", s.Name, i, name, pair[0], pair[1])
			}
		}
		party := keyreg.Party{Key: vk, Possession: pop, Stake: p.Stake}
		if got := string(party.AppendJSON(nil)); got != p.VKPoPJSON {
			t.Errorf("%s: party %d: got %s, want %s", s.Name, i, got, p.VKPoPJSON)
		}
		if err := registration.Register(party); err != nil {
			t.Fatal(err)
		}
		keys = append(keys, key)
	}
	closed, err := registration.Close()
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range closed.Entries() {
		vk := e.Key.Bytes()
		if hex.EncodeToString(vk[:]) != s.Order[i] {
			t.Errorf("%s: order: position %d differs", s.Name, i)
		}
	}
	return keys, closed
}

// TestSigningSets makes everything from the key material on, every byte equal to the reference's.
func TestSigningSets(t *testing.T) {
	data, err := os.ReadFile("../testdata/stm_sets.json")
	if err != nil {
		t.Fatal(err)
	}
	var sets []signingSet
	if err := json.Unmarshal(data, &sets); err != nil {
		t.Fatal(err)
	}
	refused := 0
	for _, s := range sets {
		t.Run(s.Name, func(t *testing.T) {
			keys, closed := s.register(t)
			clerk, err := NewClerk(closed, s.Parameters.parameters())
			if err != nil {
				t.Fatal(err)
			}
			if got := string(clerk.AVK().AppendJSON(nil)); got != s.AVKJSON {
				t.Errorf("AVK: got %s, want %s", got, s.AVKJSON)
			}
			for _, m := range s.Messages {
				msg := unhex(t, m.Msg)
				singles := signAll(t, keys, closed, s.Parameters.parameters(), msg)
				var want []*SingleSignature
				for _, text := range m.Singles {
					want = append(want, checkSingle(t, text.JSON, text.CBOR))
				}
				// The reference lists them in the order of its signers, we in ours.
				byIndex := func(a, b *SingleSignature) int { return int(a.signerIndex) - int(b.signerIndex) }
				slices.SortFunc(singles, byIndex)
				slices.SortFunc(want, byIndex)
				if !slices.EqualFunc(singles, want, (*SingleSignature).Equal) {
					t.Fatalf("single signatures differ: got %d, want %d", len(singles), len(want))
				}
				aggregate, err := clerk.Aggregate(msg, singles)
				if m.AggregateJSON == "" {
					refused++
					var e *NotEnoughError
					if !errors.As(err, &e) || e.Want != s.Parameters.K || e.Got >= e.Want || !errors.Is(err, verdict.ErrInvalid) {
						t.Errorf("got %v, want a refusal like %q", err, m.Error)
					}
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(m.AggregateJSON, string(aggregate.AppendJSON(nil))); diff != "" {
					t.Errorf("aggregate: %s", diff)
				}
				if got := hex.EncodeToString(aggregate.AppendCBOR(nil)); got != m.AggregateCBOR {
					t.Errorf("aggregate in CBOR differs")
				}
				checkClerkChoices(t, clerk, msg, singles, m.AggregateJSON)
			}
		})
	}
	if refused == 0 {
		t.Error("no set that the reference refuses to aggregate")
	}
}

func signAll(t *testing.T, keys []*multisig.SigningKey, closed *keyreg.Closed, p Parameters, msg []byte) []*SingleSignature {
	t.Helper()
	var singles []*SingleSignature
	for _, key := range keys {
		signer, err := NewSigner(key, closed, p)
		if err != nil {
			t.Fatal(err)
		}
		s, err := signer.Sign(msg)
		if errors.Is(err, ErrLotteryLost) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		party, err := closed.Entry(s.SignerIndex())
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Verify(msg, party.Key, party.Stake, NewAggregateVerificationKey(closed), p); err != nil {
			t.Errorf("signer %d: %v", s.SignerIndex(), err)
		}
		singles = append(singles, s)
	}
	return singles
}

// checkSingle decodes the three forms of a single signature.
func checkSingle(t *testing.T, text, cborHex string) *SingleSignature {
	t.Helper()
	s, err := ParseSingleSignatureJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if got := string(s.AppendJSON(nil)); got != text {
		t.Errorf("JSON: got %s, want %s", got, text)
	}
	if got := hex.EncodeToString(s.AppendCBOR(nil)); got != cborHex {
		t.Errorf("CBOR: got %s, want %s", got, cborHex)
	}
	for name, b := range map[string][]byte{"CBOR": s.AppendCBOR(nil), "legacy": s.AppendLegacy(nil)} {
		again, err := SingleSignatureFromBytes(b)
		if err != nil || !again.Equal(s) {
			t.Errorf("%s: %v", name, err)
		}
		for n := range len(b) {
			if _, err := SingleSignatureFromBytes(b[:n]); err == nil {
				t.Fatalf("%s: accepts %d of %d bytes", name, n, len(b))
			}
		}
	}
	return s
}

// checkClerkChoices aggregates in another order, with repetitions and with signatures that are not valid.
func checkClerkChoices(t *testing.T, clerk *Clerk, msg []byte, singles []*SingleSignature, want string) {
	t.Helper()
	reversed := slices.Clone(singles)
	slices.Reverse(reversed)
	other := *singles[0]
	other.sigma = singles[len(singles)-1].sigma // of another signer, unless there is one only
	if len(singles) == 1 {
		other.signerIndex = 1 << 40
	}
	outOfRange := *singles[0]
	outOfRange.indexes = append(slices.Clone(outOfRange.indexes), clerk.parameters.M+1)
	for name, list := range map[string][]*SingleSignature{
		"reversed":    reversed,
		"repeated":    append(slices.Clone(singles), singles...),
		"not valid":   append([]*SingleSignature{&other, &outOfRange}, singles...),
		"unknown one": append([]*SingleSignature{{sigma: singles[0].sigma, signerIndex: 1 << 63}}, singles...),
	} {
		aggregate, err := clerk.Aggregate(msg, list)
		if err != nil || string(aggregate.AppendJSON(nil)) != want {
			t.Errorf("%s: the aggregate differs (%v)", name, err)
		}
	}
	var e *NotEnoughError
	if _, err := clerk.Aggregate(msg, nil); !errors.As(err, &e) || e.Got != 0 {
		t.Errorf("nothing: got %v", err)
	}
	if _, err := clerk.Aggregate(append(bytes.Clone(msg), 1), singles); !errors.As(err, &e) {
		t.Errorf("another message: got %v", err)
	}
}

func TestSignerRefuses(t *testing.T) {
	key, err := multisig.GenerateSigningKey(bytes.Repeat([]byte{1}, 32))
	if err != nil {
		t.Fatal(err)
	}
	stranger, err := multisig.GenerateSigningKey(bytes.Repeat([]byte{2}, 32))
	if err != nil {
		t.Fatal(err)
	}
	var registration keyreg.Registration
	if err := registration.Register(keyreg.Party{Key: key.VerificationKey(), Possession: key.ProvePossession(), Stake: 5}); err != nil {
		t.Fatal(err)
	}
	closed, err := registration.Close()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := NewSigner(stranger, closed, Parameters{1, 10, 0.5}); !errors.Is(err, keyreg.ErrNotRegistered) {
		t.Errorf("not registered: got %v", err)
	}
	for _, p := range []Parameters{{11, 10, 0.5}, {0, 10, 0.5}, {1, 10, 2}} {
		if _, err := NewSigner(key, closed, p); !errors.Is(err, ErrParameters) {
			t.Errorf("%v: got %v", p, err)
		}
		if _, err := NewClerk(closed, p); !errors.Is(err, ErrParameters) {
			t.Errorf("%v: got %v", p, err)
		}
	}
	signer, err := NewSigner(key, closed, Parameters{1, 1, 1e-9})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := signer.Sign([]byte("m")); !errors.Is(err, ErrLotteryLost) {
		t.Errorf("got %v", err)
	}
}

func TestSingleSignatureRefuses(t *testing.T) {
	sigma := strings.TrimSuffix(strings.Repeat("0,", 48), ",")
	for name, text := range map[string]string{
		"empty": "", "array": `[[` + sigma + `],[1],0]`, "point": `{"sigma":[` + sigma + `],"indexes":[1],"signer_index":0}`,
		"without index": `{"sigma":[` + sigma + `],"indexes":[1]}`, "text behind": `{"sigma":[` + sigma + `],"indexes":[1],"signer_index":0}x`,
	} {
		var e *DecodeError
		if _, err := ParseSingleSignatureJSON([]byte(text)); !errors.As(err, &e) || !errors.Is(err, ErrMalformed) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if _, err := SingleSignatureFromBytes(make([]byte, 3<<20)); !errors.Is(err, verdict.ErrLimit) {
		t.Errorf("large: got %v", err)
	}
}

func FuzzParseSingleSignature(f *testing.F) {
	data, err := os.ReadFile("../testdata/stm_sets.json")
	if err != nil {
		f.Fatal(err)
	}
	var sets []signingSet
	if err := json.Unmarshal(data, &sets); err != nil {
		f.Fatal(err)
	}
	single := sets[0].Messages[0].Singles[0]
	f.Add([]byte(single.JSON))
	f.Add(unhex(f, single.CBOR))
	f.Fuzz(func(t *testing.T, data []byte) {
		for name, parse := range map[string]func([]byte) (*SingleSignature, error){"JSON": ParseSingleSignatureJSON, "bytes": SingleSignatureFromBytes} {
			s, err := parse(data)
			if err != nil {
				if verdict.Class(err) == nil {
					t.Fatalf("%s: error without a class: %v", name, err)
				}
				continue
			}
			again, err := SingleSignatureFromBytes(s.AppendCBOR(nil))
			if err != nil || !again.Equal(s) {
				t.Fatalf("%s: does not survive encoding: %v", name, err)
			}
		}
	})
}

func BenchmarkPlayLotteries(b *testing.B) {
	key, err := multisig.GenerateSigningKey(bytes.Repeat([]byte{1}, 32))
	if err != nil {
		b.Fatal(err)
	}
	other, err := multisig.GenerateSigningKey(bytes.Repeat([]byte{2}, 32))
	if err != nil {
		b.Fatal(err)
	}
	var registration keyreg.Registration
	for i, k := range []*multisig.SigningKey{key, other} {
		if err := registration.Register(keyreg.Party{Key: k.VerificationKey(), Possession: k.ProvePossession(), Stake: uint64(1 + 99*i)}); err != nil {
			b.Fatal(err)
		}
	}
	closed, err := registration.Close()
	if err != nil {
		b.Fatal(err)
	}
	signer, err := NewSigner(key, closed, Parameters{2422, 20973, 0.2})
	if err != nil {
		b.Fatal(err)
	}
	b.Run("m=20973", func(b *testing.B) {
		for b.Loop() {
			if _, err := signer.Sign(bytes.Repeat([]byte("a"), 64)); err != nil {
				b.Fatal(err)
			}
		}
	})
}
