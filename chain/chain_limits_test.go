package chain

import (
	"context"
	"testing"

	"github.com/stmverify/stmverify/internal/limits"
	"github.com/stmverify/stmverify/multisig"
)

// TestMostCulprits names as many culprits as are named at most, and no more when there is one more; the walk goes on until that many
// are known.
func TestMostCulprits(t *testing.T) {
	certs, _ := decodeAll(t, "testdata/chains/small")
	claim, err := multisig.NewClaim([]byte("not what was signed"), []*multisig.VerificationKey{key0(certs[0])}, []multisig.Signature{*certs[0].MultiSignature.Signature(0)})
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{limits.MaxCulprits - 1, limits.MaxCulprits, limits.MaxCulprits + 1} {
		v := &verification{o: newOptions(nil)}
		v.batch.Window = 1
		for i := range n {
			v.batch.AddAt(i, claim)
			v.claims.Add(1)
			v.records = append(v.records, recordOf(certs[0]))
		}
		if got, want := v.enough(), n >= limits.MaxCulprits; got != want {
			t.Errorf("%d culprits: enough is %v", n, got)
		}
		if err := v.combine(context.Background()); err != nil {
			t.Fatal(err)
		}
		if got, want := len(v.culprits), min(n, limits.MaxCulprits); got != want {
			t.Errorf("%d culprits: %d named, want %d", n, got, want)
		}
	}
	one := &verification{o: newOptions([]Option{WithoutBatch()})}
	for n := range limits.MaxCulprits + 2 {
		if got, want := one.enough(), n >= limits.MaxCulprits; got != want {
			t.Errorf("%d culprits, one by one: enough is %v", n, got)
		}
		one.culprits = append(one.culprits, Culprit{})
	}
}
