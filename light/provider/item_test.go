package provider_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stmverify/stmverify/certificate"
	"github.com/stmverify/stmverify/light/provider"
	"github.com/stmverify/stmverify/verdict"
)

const one, two = "0000000000000000000000000000000000000000000000000000000000000001", "0000000000000000000000000000000000000000000000000000000000000002"

func TestParseItem(t *testing.T) {
	text := `{"hash":"` + two + `","previous_hash":"` + one + `","epoch":7,"signed_entity_type":{"CardanoTransactions": [7, 9]},` +
		`"signed_message":"m","genesis_signature":"","metadata":{"hash":3}}`
	want := provider.Item{
		Hash: certificate.Hash{31: 2}, PreviousHash: certificate.Hash{31: 1}, Epoch: 7,
		SignedEntityType: `{"CardanoTransactions":[7,9]}`, SignedMessage: "m",
	}
	got, genesis, err := provider.ParseItem([]byte(text))
	if err != nil || genesis {
		t.Fatalf("got genesis %v, %v", genesis, err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("item (-want +got):\n%s", diff)
	}
	_, genesis, err = provider.ParseItem([]byte(strings.Replace(text, `"genesis_signature":""`, `"genesis_signature":"ab"`, 1)))
	if err != nil || !genesis {
		t.Errorf("got genesis %v, %v", genesis, err)
	}
	// A field whose name differs in case is another field, as for the decoder of certificates.
	got, _, err = provider.ParseItem([]byte(strings.Replace(text, `"metadata"`, `"Previous_Hash":"`+two+`","metadata"`, 1)))
	if err != nil || got != want {
		t.Errorf("with a field of another case: got %+v, %v", got, err)
	}
}

func TestParseItemRefuses(t *testing.T) {
	good := `{"hash":"` + two + `","previous_hash":"` + one + `","epoch":7,"signed_entity_type":1}`
	for name, text := range map[string]string{
		"empty":          "",
		"an array":       "[]",
		"no hash":        strings.Replace(good, `"hash"`, `"other"`, 1),
		"short hash":     strings.Replace(good, two, "02", 1),
		"short previous": strings.Replace(good, one, "01", 1),
		"epoch below 0":  strings.Replace(good, "7", "-7", 1),
		"epoch a text":   strings.Replace(good, "7", `"7"`, 1),
		"no entity type": strings.Replace(good, "signed_entity_type", "other", 1),
		"cut short":      good[:len(good)-1],
	} {
		if item, _, err := provider.ParseItem([]byte(text)); verdict.Class(err) != verdict.ErrInvalid {
			t.Errorf("%s: got %+v, %v, want ErrInvalid", name, item, err)
		}
	}
}
