package keyreg

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stmverify/stmverify/internal/limits"
	"github.com/stmverify/stmverify/multisig"
	"github.com/stmverify/stmverify/verdict"
)

func TestParseParty(t *testing.T) {
	party := makeParties(t, 1, 7)[0]
	plain := string(party.AppendJSON(nil))
	for _, c := range []struct{ name, text string }{
		{"as published", string(party.AppendJSONHex(nil))},
		{"upper-case hexadecimal", strings.ToUpper(string(party.AppendJSONHex(nil)))},
		{"spaces and another field", hex.EncodeToString([]byte(" " + strings.Replace(plain, ",\"pop", ", \"x\": {}, \"pop", 1) + "\n"))},
		{"binary", hex.EncodeToString(party.AppendBytes(nil))},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := ParseParty([]byte(c.text), 7)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got.AppendBytes(nil), party.AppendBytes(nil)) || got.Stake != 7 {
				t.Errorf("got %x with %d", got.AppendBytes(nil), got.Stake)
			}
		})
	}
}

func TestParsePartyRefusals(t *testing.T) {
	party := makeParties(t, 1, 7)[0]
	plain := string(party.AppendJSON(nil))
	zeros := strings.Repeat("0,", 95) + "0"
	infinity := "192," + strings.Repeat("0,", 94) + "0"
	for _, c := range []struct {
		name, json string
		want       error
	}{
		{"empty", "", ErrMalformed},
		{"not JSON", "{", ErrMalformed},
		{"trailing text", plain + "x", ErrMalformed},
		{"no proof", `{"vk":[` + zeros + `]}`, ErrMalformed},
		{"field twice", strings.Replace(plain, "{", `{"pop":[`+zeros+`],`, 1), ErrMalformed},
		{"a number too few", strings.Replace(plain, "[", "[", 1)[:len(plain)-6] + "]}", ErrMalformed},
		{"a number too many", strings.Replace(plain, "[", "[1,", 1), ErrMalformed},
		{"not a byte", `{"vk":[256,` + zeros[2:] + `],"pop":[` + zeros + `]}`, ErrMalformed},
		{"negative", `{"vk":[-1,` + zeros[2:] + `],"pop":[` + zeros + `]}`, ErrMalformed},
		{"key at infinity", `{"vk":[` + infinity + `],"pop":[` + zeros + `]}`, multisig.ErrInfinity},
		{"proof of zeros", strings.Split(plain, `"pop"`)[0] + `"pop":[` + zeros + `]}`, multisig.ErrNotCanonical},
		{"nested deeply", `{"x":` + strings.Repeat("[", 200), verdict.ErrLimit},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := ParseParty([]byte(hex.EncodeToString([]byte(c.json))), 7)
			if !errors.Is(err, c.want) || verdict.Class(err) == nil {
				t.Errorf("got %v, want %v", err, c.want)
			}
			if errors.Is(err, verdict.ErrInvalid) == errors.Is(err, verdict.ErrLimit) {
				t.Errorf("not of exactly one class: %v", err)
			}
			if e, ok := errors.AsType[*Error](err); !ok || e.Position != -1 {
				t.Errorf("got a %T", err)
			}
		})
	}
	for name, text := range map[string]string{
		"odd": "0", "not hexadecimal": "zz", "191 bytes": strings.Repeat("00", 191), "193 bytes": strings.Repeat("00", 193),
	} {
		if _, err := ParseParty([]byte(text), 7); !errors.Is(err, ErrMalformed) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if _, err := ParseParty(bytes.Repeat([]byte("zz"), limits.MaxKeyBytes+1), 7); !errors.Is(err, ErrTooLarge) {
		t.Errorf("too large: got %v", err)
	}
	if _, err := ParsePartyJSON(bytes.Repeat([]byte(" "), limits.MaxKeyBytes+1), 7); !errors.Is(err, ErrTooLarge) {
		t.Errorf("too large: got %v", err)
	}
	if _, err := PartyFromBytes(append(party.AppendBytes(nil), 0), 7); !errors.Is(err, ErrMalformed) {
		t.Errorf("a byte too many: got %v", err)
	}
}

// distribution writes the text of a stake distribution.
func distribution(keys ...string) string {
	var signers []string
	for i, key := range keys {
		signers = append(signers, fmt.Sprintf(`{"party_id":"pool%d","verification_key":%q,"stake":%d,"kes_period":0}`, i, key, i+1))
	}
	return `{"epoch":3,"hash":"","signers":[` + strings.Join(signers, ",") + `],"certificate_hash":"ab"}`
}

func TestParseStakeDistribution(t *testing.T) {
	parties := makeParties(t, 2, 0)
	good, other := string(parties[0].AppendJSONHex(nil)), string(parties[1].AppendJSONHex(nil))
	d, err := ParseStakeDistribution([]byte(distribution(good, other)))
	if err != nil {
		t.Fatal(err)
	}
	if d.Epoch != 3 || d.CertificateHash != "ab" || len(d.Signers) != 2 || d.Signers[1].PartyID != "pool1" {
		t.Errorf("got %+v", d)
	}
	for i, p := range d.Parties() {
		if p.Stake != uint64(i+1) || !p.Key.Equal(parties[i].Key) {
			t.Errorf("party %d: got %+v", i, p)
		}
	}

	for _, c := range []struct {
		name, text string
		want       error
		position   int
	}{
		{"empty", "", ErrMalformed, -1},
		{"trailing text", distribution(good) + "{}", ErrMalformed, -1},
		{"no signers", `{"epoch":3,"certificate_hash":""}`, ErrMalformed, -1},
		{"epoch is a text", strings.Replace(distribution(good), "3", `"3"`, 1), ErrMalformed, -1},
		{"second key", distribution(good, "00"), ErrMalformed, 1},
		{"second stake", strings.Replace(distribution(good, other), `"stake":2`, `"stake":-2`, 1), ErrMalformed, 1},
		{"no stake", strings.Replace(distribution(good, other), `"stake":2`, `"steak":2`, 1), ErrMalformed, 1},
		{"cut", distribution(good)[:400], ErrMalformed, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := ParseStakeDistribution([]byte(c.text))
			refused(t, c.name, err, c.want, c.position)
		})
	}
	_, err = ParseStakeDistribution([]byte(distribution(make([]string, limits.MaxSigners+1)...)))
	refused(t, "too many", err, ErrTooManyParties, limits.MaxSigners)
	_, err = ParseStakeDistribution([]byte(distribution(make([]string, limits.MaxSigners)...)))
	refused(t, "as many as there may be, without keys", err, ErrMalformed, 0)
}

func FuzzParseParty(f *testing.F) {
	party := makeParties(f, 1, 7)[0]
	f.Add(party.AppendJSONHex(nil))
	f.Add([]byte(hex.EncodeToString(party.AppendBytes(nil))))
	f.Add([]byte(hex.EncodeToString([]byte(`{"vk":[1],"pop":[2]}`))))
	f.Fuzz(func(t *testing.T, text []byte) {
		party, err := ParseParty(text, 7)
		if err != nil {
			if verdict.Class(err) == nil {
				t.Fatalf("an error without class: %v", err)
			}
			return
		}
		again, err := ParseParty(party.AppendJSONHex(nil), 7)
		if err != nil || !bytes.Equal(again.AppendBytes(nil), party.AppendBytes(nil)) {
			t.Errorf("not the same when encoded and parsed again: %v", err)
		}
	})
}

func FuzzParseStakeDistribution(f *testing.F) {
	key := string(makeParties(f, 1, 7)[0].AppendJSONHex(nil))
	f.Add([]byte(distribution(key)))
	f.Add([]byte(distribution("00")))
	f.Fuzz(func(t *testing.T, text []byte) {
		d, err := ParseStakeDistribution(text)
		if err != nil {
			if _, ok := errors.AsType[*Error](err); !ok || verdict.Class(err) == nil {
				t.Fatalf("got %T: %v", err, err)
			}
			return
		}
		for i, p := range d.Parties() {
			if p.Key == nil || p.Possession == nil {
				t.Errorf("signer %d has no key", i)
			}
		}
	})
}
