package certificate

import (
	"errors"
	"math"
	"testing"
	"time"

	"github.com/stmverify/stmverify/internal/fixed"
	"github.com/stmverify/stmverify/stm"
)

// TestHashParameters compares with the next_protocol_parameters part of real certificates: mainnet since epoch 619, preprod.
func TestHashParameters(t *testing.T) {
	for want, p := range map[string]stm.Parameters{
		"cc6da4edf2228a4bb3650adb42bd598d1778e95325a1b96da173b889f086e578": {K: 1944, M: 16948, PhiF: 0.2},
	} {
		if got, err := HashParameters(p); err != nil || got.String() != want {
			t.Errorf("%+v: got %v, %v, want %s", p, got, err, want)
		}
	}
	for _, phi := range []float64{math.NaN(), math.Inf(1), -0.1, 256.2} {
		if _, err := HashParameters(stm.Parameters{K: 1, M: 1, PhiF: phi}); !errors.Is(err, fixed.ErrOutOfRange) {
			t.Errorf("phi_f %v: got %v, want %v", phi, err, fixed.ErrOutOfRange)
		}
	}
}

func TestSameParameters(t *testing.T) {
	p := stm.Parameters{K: 5, M: 100, PhiF: 0.65}
	near := p
	near.PhiF = 0.65 + 1e-9 // less than half of 2⁻²⁴ away
	if !SameParameters(p, near) {
		t.Error("equal in fixed point, but not the same")
	}
	for name, q := range map[string]stm.Parameters{
		"k":        {K: 6, M: 100, PhiF: 0.65},
		"m":        {K: 5, M: 101, PhiF: 0.65},
		"phi_f":    {K: 5, M: 100, PhiF: 0.6500001},
		"no phi_f": {K: 5, M: 100, PhiF: math.NaN()},
	} {
		if SameParameters(p, q) || SameParameters(q, p) {
			t.Errorf("another %s, but the same", name)
		}
	}
	if q := (stm.Parameters{K: 5, M: 100, PhiF: math.NaN()}); SameParameters(q, q) {
		t.Error("parameters without a fixed-point value are the same")
	}
}

func TestMetadataHashRefusals(t *testing.T) {
	good := Metadata{Parameters: stm.Parameters{K: 1, M: 1, PhiF: 1}, InitiatedAt: time.Unix(0, 0), SealedAt: time.Unix(0, 0)}
	if _, err := good.ComputeHash(); err != nil {
		t.Fatal(err)
	}
	bad := good
	bad.SealedAt = time.Date(2300, 1, 1, 0, 0, 0, 0, time.UTC)
	if _, err := bad.ComputeHash(); !errors.Is(err, errDateRange) {
		t.Errorf("date out of range: got %v, want %v", err, errDateRange)
	}
	bad = good
	bad.Parameters.PhiF = 256.2
	if _, err := bad.ComputeHash(); !errors.Is(err, fixed.ErrOutOfRange) {
		t.Errorf("phi_f out of range: got %v, want %v", err, fixed.ErrOutOfRange)
	}
}
