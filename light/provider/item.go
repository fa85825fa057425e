package provider

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/stmverify/stmverify/certificate"
	"github.com/stmverify/stmverify/verdict"
)

// ErrItem says that a text does not name itself as a certificate must.
var ErrItem = verdict.Sentinel(verdict.ErrInvalid, "not a certificate")

// ParseItem reads what a certificate, or a line of an aggregator's list, says about itself, and whether it claims to be a
// genesis certificate. Fields it does not need are ignored; nothing is verified.
func ParseItem(text []byte) (item Item, genesis bool, err error) {
	var fields struct {
		Hash             string          `json:"hash"`
		PreviousHash     string          `json:"previous_hash"`
		Epoch            uint64          `json:"epoch"`
		SignedEntityType json.RawMessage `json:"signed_entity_type"`
		SignedMessage    string          `json:"signed_message"`
		GenesisSignature string          `json:"genesis_signature"`
	}
	if err := json.Unmarshal(text, &fields); err != nil {
		return Item{}, false, fmt.Errorf("%w: %w", ErrItem, err)
	}
	if item.Hash, err = certificate.ParseHash(fields.Hash); err != nil {
		return Item{}, false, fmt.Errorf("%w: hash: %w", ErrItem, err)
	}
	if fields.PreviousHash != "" {
		if item.PreviousHash, err = certificate.ParseHash(fields.PreviousHash); err != nil {
			return Item{}, false, fmt.Errorf("%w: previous hash: %w", ErrItem, err)
		}
	}
	if item.SignedEntityType, err = compact(fields.SignedEntityType); err != nil {
		return Item{}, false, fmt.Errorf("%w: signed entity type: %w", ErrItem, err)
	}
	item.Epoch, item.SignedMessage = fields.Epoch, fields.SignedMessage
	return item, fields.GenesisSignature != "", nil
}

func compact(raw json.RawMessage) (string, error) {
	if len(raw) == 0 {
		return "", errors.New("missing")
	}
	var b bytes.Buffer
	err := json.Compact(&b, raw)
	return b.String(), err
}
