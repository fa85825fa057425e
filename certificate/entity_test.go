package certificate

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"testing"

	"github.com/stmverify/stmverify/verdict"
)

func TestSignedEntityType(t *testing.T) {
	for _, c := range []struct {
		json  string
		want  SignedEntityType
		input string // of the hash, in hexadecimal
		text  string
	}{
		{
			`{"MithrilStakeDistribution":643}`,
			SignedEntityType{Kind: MithrilStakeDistribution, Epoch: 643},
			"0000000000000283", "MithrilStakeDistribution(643)",
		},
		{
			`{"CardanoStakeDistribution":18446744073709551615}`,
			SignedEntityType{Kind: CardanoStakeDistribution, Epoch: 1<<64 - 1},
			"ffffffffffffffff", "CardanoStakeDistribution(18446744073709551615)",
		},
		{
			`{"CardanoImmutableFilesFull":{"epoch":3,"immutable_file_number":5}}`,
			SignedEntityType{Kind: CardanoImmutableFilesFull, Epoch: 3, ImmutableFileNumber: 5},
			"00000000000000030000000000000005", "CardanoImmutableFilesFull(3, 5)",
		},
		{
			`{"CardanoTransactions":[643,13678859]}`,
			SignedEntityType{Kind: CardanoTransactions, Epoch: 643, BlockNumber: 13678859},
			"00000000000002830000000000d0b90b", "CardanoTransactions(643, 13678859)",
		},
		{
			`{"CardanoDatabase":{"epoch":3,"immutable_file_number":5}}`,
			SignedEntityType{Kind: CardanoDatabase, Epoch: 3, ImmutableFileNumber: 5},
			"00000000000000030000000000000005", "CardanoDatabase(3, 5)",
		},
		{
			`{"CardanoBlocksTransactions":[3,5,15]}`,
			SignedEntityType{Kind: CardanoBlocksTransactions, Epoch: 3, BlockNumber: 5, BlockNumberOffset: 15},
			"000500000000000000030000000000000005000000000000000f", "CardanoBlocksTransactions(3, 5, 15)",
		},
	} {
		got, err := parseEntityType([]byte(c.json))
		if err != nil || got != c.want {
			t.Errorf("%s: got %+v, %v", c.json, got, err)
		}
		if input := hex.EncodeToString(got.AppendHashInput(nil)); input != c.input {
			t.Errorf("%s: hash input: got %s, want %s", c.json, input, c.input)
		}
		if text, err := json.Marshal(got); err != nil || string(text) != c.json {
			t.Errorf("written back: got %s, %v, want %s", text, err, c.json)
		}
		if got.String() != c.text {
			t.Errorf("got %s, want %s", got, c.text)
		}
	}
	if got := EntityKind(9).String(); got != "EntityKind(9)" {
		t.Errorf("unknown kind: got %s", got)
	}
}

// TestOldBeacon reads the beacon that CardanoImmutableFilesFull had until November 2024.
func TestOldBeacon(t *testing.T) {
	got, err := parseEntityType([]byte(`{"CardanoImmutableFilesFull":{"network":"preview","epoch":3,"immutable_file_number":5}}`))
	if want := (SignedEntityType{Kind: CardanoImmutableFilesFull, Epoch: 3, ImmutableFileNumber: 5}); err != nil || got != want {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
}

func TestParseEntityTypeRefusals(t *testing.T) {
	for _, text := range []string{
		``, `{}`, `[]`, `null`, `"CardanoTransactions"`, `{"x":1}`, `{"":1}`, `{"mithrilStakeDistribution":1}`,
		`{"MithrilStakeDistribution":1,"MithrilStakeDistribution":1}`, `{"MithrilStakeDistribution":1,"x":1}`,
		`{"MithrilStakeDistribution":-1}`, `{"MithrilStakeDistribution":1.0}`, `{"MithrilStakeDistribution":18446744073709551616}`,
		`{"MithrilStakeDistribution":"1"}`, `{"MithrilStakeDistribution":{"epoch":1}}`, `{"MithrilStakeDistribution":[1]}`,
		`{"CardanoTransactions":1}`, `{"CardanoTransactions":[]}`, `{"CardanoTransactions":[1]}`, `{"CardanoTransactions":[1,2,3]}`,
		`{"CardanoTransactions":[1,null]}`, `{"CardanoBlocksTransactions":[1,2]}`, `{"CardanoBlocksTransactions":[1,2,3,4]}`,
		`{"CardanoDatabase":[1]}`, `{"CardanoDatabase":[1,2,3]}`, `{"CardanoDatabase":{"epoch":1}}`,
		`{"CardanoDatabase":{"epoch":1,"epoch":1,"immutable_file_number":2}}`, `{"CardanoDatabase":1}`,
	} {
		if got, err := parseEntityType([]byte(text)); !errors.Is(err, verdict.ErrInvalid) {
			t.Errorf("%s: got %+v, %v, want an error of class invalid", text, got, err)
		}
	}
}
