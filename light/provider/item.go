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
	// A map and not a struct: encoding/json takes a field for one of a struct when only the case of its name differs.
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil {
		return Item{}, false, fmt.Errorf("%w: %w", ErrItem, err)
	}
	var hash, previous, signature string
	for _, f := range []struct {
		name  string
		value any
	}{
		{"hash", &hash}, {"previous_hash", &previous}, {"epoch", &item.Epoch},
		{"signed_message", &item.SignedMessage}, {"genesis_signature", &signature},
	} {
		if raw, ok := fields[f.name]; ok {
			if err := json.Unmarshal(raw, f.value); err != nil {
				return Item{}, false, fmt.Errorf("%w: %s: %w", ErrItem, f.name, err)
			}
		}
	}
	if item.Hash, err = certificate.ParseHash(hash); err != nil {
		return Item{}, false, fmt.Errorf("%w: hash: %w", ErrItem, err)
	}
	if previous != "" {
		if item.PreviousHash, err = certificate.ParseHash(previous); err != nil {
			return Item{}, false, fmt.Errorf("%w: previous hash: %w", ErrItem, err)
		}
	}
	if item.SignedEntityType, err = compact(fields["signed_entity_type"]); err != nil {
		return Item{}, false, fmt.Errorf("%w: signed entity type: %w", ErrItem, err)
	}
	return item, signature != "", nil
}

func compact(raw json.RawMessage) (string, error) {
	if len(raw) == 0 {
		return "", errors.New("missing")
	}
	var b bytes.Buffer
	err := json.Compact(&b, raw)
	return b.String(), err
}
