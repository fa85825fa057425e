package network_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stmverify/stmverify/internal/limits"
	"github.com/stmverify/stmverify/network"
)

// TestKeyAtItsLimit reads the JSON of a key with so much white space in it that its text is as long as it may be, and longer.
func TestKeyAtItsLimit(t *testing.T) {
	array := "[" + strings.TrimSuffix(strings.Repeat("10,", 32), ",") + "]"
	padded := func(n int) error {
		_, err := network.ParseKey(jsonHex(array[:1] + strings.Repeat(" ", n/2-len(array)) + array[1:]))
		return err
	}
	if err := padded(limits.MaxGenesisKeyText); err != nil {
		t.Errorf("%d characters: %v", limits.MaxGenesisKeyText, err)
	}
	if err := padded(limits.MaxGenesisKeyText + 2); !errors.Is(err, network.ErrKeyTooLong) {
		t.Errorf("%d characters: got %v", limits.MaxGenesisKeyText+2, err)
	}
	if _, err := network.ParseKey(strings.Repeat("5", limits.MaxGenesisKeyText+1)); !errors.Is(err, network.ErrKeyTooLong) {
		t.Errorf("%d characters: got %v", limits.MaxGenesisKeyText+1, err)
	}
}
