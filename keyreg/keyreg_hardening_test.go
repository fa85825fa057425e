package keyreg

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stmverify/stmverify/internal/jsonhex"
	"github.com/stmverify/stmverify/internal/limits"
)

// TestPartyBounds decodes the longest text there may be, and one of a character more.
func TestPartyBounds(t *testing.T) {
	plain := string(makeParties(t, 1, 7)[0].AppendJSON(nil))
	longest := plain + strings.Repeat(" ", limits.MaxKeyBytes-len(plain))
	if _, err := ParsePartyJSON([]byte(longest), 7); err != nil {
		t.Errorf("JSON of %d bytes: %v", len(longest), err)
	}
	if _, err := ParsePartyJSON([]byte(longest+" "), 7); !errors.Is(err, ErrTooLarge) {
		t.Errorf("JSON of %d bytes: got %v", len(longest)+1, err)
	}
	text := hex.EncodeToString([]byte(longest))
	if _, err := ParseParty([]byte(text), 7); err != nil {
		t.Errorf("%d characters: %v", len(text), err)
	}
	if _, err := ParseParty([]byte(text+"0"), 7); !errors.Is(err, ErrTooLarge) {
		t.Errorf("%d characters: got %v", len(text)+1, err)
	}
}

// TestPartySlips decodes texts with errors behind which everything looks well again.
func TestPartySlips(t *testing.T) {
	party := makeParties(t, 1, 7)[0]
	plain := string(party.AppendJSON(nil))
	for name, text := range map[string]string{
		"hexadecimal that ends in something else": string(party.AppendJSONHex(nil)) + "xx",
		"array left open behind its last number":  hexOf(strings.Replace(plain, `],"pop"`, `,,"pop"`, 1)),
		"array left open behind a number":         hexOf(strings.Replace(plain, `],"pop"`, `,256,"pop"`, 1)),
	} {
		if _, err := ParseParty([]byte(text), 7); !errors.Is(err, ErrMalformed) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func scanText(text string, dst []byte) error {
	s := jsonhex.NewScanner([]byte(text))
	return scanBytes(&s, dst)
}

func hexOf(text string) string { return hex.EncodeToString([]byte(text)) }

// TestMissingByteIsNoZero leaves out a byte that is 0.
func TestMissingByteIsNoZero(t *testing.T) {
	var dst [4]byte
	for _, text := range []string{`[1,,3,4]`, `[,2,3,4]`, `[1,2,3,]`} {
		if err := scanText(text, dst[:]); err == nil {
			t.Errorf("%s is taken for %v", text, dst)
		}
	}
	if err := scanText(`[1,2,3,4]`, dst[:]); err != nil || dst != [4]byte{1, 2, 3, 4} {
		t.Errorf("got %v, %v", dst, err)
	}
}

// TestMalformedSaysSoOnce keeps messages short: an error that is malformed already is not wrapped again.
func TestMalformedSaysSoOnce(t *testing.T) {
	_, err := ParsePartyJSON([]byte(`{"vk":[1],"pop":[1]}`), 7)
	if n := strings.Count(fmt.Sprint(err), "malformed"); n != 1 {
		t.Errorf("%v says it %d times", err, n)
	}
}

// TestSignerSlips decodes distributions in which one signer lacks something or is no text.
func TestSignerSlips(t *testing.T) {
	key := string(makeParties(t, 1, 7)[0].AppendJSONHex(nil))
	whole := `{"epoch":1,"signers":[{"party_id":"pool","verification_key":"` + key + `","stake":7}],"certificate_hash":"x"}`
	if _, err := ParseStakeDistribution([]byte(whole)); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"no stake":                  strings.Replace(whole, `,"stake":7`, "", 1),
		"no party":                  strings.Replace(whole, `"party_id":"pool",`, "", 1),
		"party that is no UTF-8":    strings.Replace(whole, "pool", "\xff", 1),
		"certificate that is none":  strings.Replace(whole, `"x"`, "\"\xff\"", 1),
		"party with half a pair":    strings.Replace(whole, "pool", `\ud800`, 1),
		"stake that is no integer":  strings.Replace(whole, `"stake":7`, `"stake":7.5`, 1),
		"stake beyond 64 bits":      strings.Replace(whole, `"stake":7`, `"stake":18446744073709551616`, 1),
		"something behind the text": whole + "x",
	} {
		if _, err := ParseStakeDistribution([]byte(text)); !errors.Is(err, ErrMalformed) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// TestMostParties registers as many parties as there may be, and one more. They are incomplete, which is found out later.
func TestMostParties(t *testing.T) {
	parties := make([]Party, limits.MaxLeaves+1)
	for _, c := range []struct {
		n    int
		want error
	}{{limits.MaxLeaves, ErrIncomplete}, {limits.MaxLeaves + 1, ErrTooManyParties}} {
		var r Registration
		if err := r.RegisterAll(t.Context(), parties[:c.n]); !errors.Is(err, c.want) {
			t.Errorf("%d parties: got %v, want %v", c.n, err, c.want)
		}
	}
}
