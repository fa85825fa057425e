package keyreg

import (
	"errors"
	"strings"
	"testing"

	"github.com/stmverify/stmverify/internal/limits"
	"github.com/stmverify/stmverify/verdict"
)

// TestDistributionAtItsLimits reads distributions with texts as long as they may be, and longer by one. The key of the one signer is no
// key, so that none is accepted.
func TestDistributionAtItsLimits(t *testing.T) {
	long := func(n int) string { return strings.Repeat("5", n) }
	for name, c := range map[string]struct {
		most int
		text func(n int) string
	}{
		"certificate's hash": {limits.MaxStringBytes, func(n int) string { return `{"epoch":1,"certificate_hash":"` + long(n) + `","signers":[{}]}` }},
		"party": {limits.MaxStringBytes, func(n int) string {
			return `{"epoch":1,"certificate_hash":"","signers":[{"party_id":"` + long(n) + `"}]}`
		}},
		"key": {2 * limits.MaxKeyBytes, func(n int) string {
			return `{"epoch":1,"certificate_hash":"","signers":[{"party_id":"","stake":1,"verification_key":"` + long(n) + `"}]}`
		}},
	} {
		if _, err := ParseStakeDistribution([]byte(c.text(c.most))); !errors.Is(err, ErrMalformed) || errors.Is(err, verdict.ErrLimit) {
			t.Errorf("%s of %d characters: got %v", name, c.most, err)
		}
		if _, err := ParseStakeDistribution([]byte(c.text(c.most + 1))); !errors.Is(err, verdict.ErrLimit) {
			t.Errorf("%s of %d characters: got %v", name, c.most+1, err)
		}
	}
}
