package chain_test

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stmverify/stmverify/chain"
	"github.com/stmverify/stmverify/internal/fakeaggregator/forge"
	"github.com/stmverify/stmverify/internal/limits"
	"github.com/stmverify/stmverify/multisig"
	"github.com/stmverify/stmverify/verdict"
)

func sequence(texts [][]byte) func(func([]byte, error) bool) {
	return func(yield func([]byte, error) bool) {
		for _, text := range texts {
			if !yield(text, nil) {
				return
			}
		}
	}
}

// TestLongestChain verifies a chain of as many certificates as one may have, and refuses one of one more.
func TestLongestChain(t *testing.T) {
	if testing.Short() || strings.HasPrefix(multisig.Backend(), "gnark") {
		t.Skip("signs some 16 000 certificates, which takes some seconds with blst and long with gnark-crypto")
	}
	f := forge.New("longest", "forged")
	// One signer in all epochs, so that making the chain takes little longer than verifying it.
	texts := forge.Texts(f.ChainOf(1, limits.MaxChainLength+1, forge.Spec{Signer: "genesis"}))
	trust := chain.Trust{GenesisKey: f.GenesisKey()}
	verified, err := chain.VerifyEncoded(t.Context(), sequence(texts[1:]), trust)
	if err != nil || verified.Len() != limits.MaxChainLength {
		t.Fatalf("%d certificates: %v", limits.MaxChainLength, err)
	}
	var e *chain.Error
	if _, err := chain.VerifyEncoded(t.Context(), sequence(texts), trust); !errors.As(err, &e) || !errors.Is(err, verdict.ErrLimit) || e.Rule != verdict.RuleChainTooLong {
		t.Errorf("one more: got %v", err)
	}
}

// TestManyVerificationsAtOnce verifies three chains from many goroutines, which share a cache of keys: one that is valid, one
// with a changed signature, and one that is cut. Each gets its own verdict, and no goroutine is left.
func TestManyVerificationsAtOnce(t *testing.T) {
	f := forge.New("many", "forged")
	texts := forge.Texts(f.Chain(1, 12))
	other := forge.Texts(forge.New("another", "forged").Chain(1, 12))
	chains := []struct {
		texts [][]byte
		rule  verdict.Rule
	}{
		{texts, ""},
		{slices.Concat(texts[:5], other[5:]), verdict.RulePreviousHashMismatch},
		{texts[:11], verdict.RuleCertificateNotFound},
		{other, verdict.RuleGenesisSignatureInvalid},
	}
	before := runtime.NumGoroutine()
	keys := multisig.NewKeyCache(8)
	trust := chain.Trust{GenesisKey: f.GenesisKey()}
	var group sync.WaitGroup
	for g := range 16 {
		group.Go(func() {
			for round := range 6 {
				c := chains[(g+round)%len(chains)]
				_, err := chain.VerifyEncoded(context.Background(), sequence(c.texts), trust, chain.WithKeyCache(keys), chain.WithJobs(1+g%3))
				var e *chain.Error
				if c.rule == "" && err != nil || c.rule != "" && (!errors.As(err, &e) || e.Rule != c.rule) {
					t.Errorf("goroutine %d, round %d: got %v, want %q", g, round, err, c.rule)
				}
			}
		})
	}
	group.Wait()
	if after := settled(before); after > before {
		t.Errorf("%d goroutines before, %d after", before, after)
	}
}

// settled waits until no more goroutines run than want, and returns how many do: one that has done its work may not have ended yet.
func settled(want int) (n int) {
	for range 1000 {
		if n = runtime.NumGoroutine(); n <= want {
			return n
		}
		time.Sleep(time.Millisecond)
	}
	return n
}
