package stm

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/stmverify/stmverify/multisig"
	"github.com/stmverify/stmverify/verdict"
)

// TestBatchVerify compares the batch with every proof by itself, for proofs that fail before and in the pairing.
func TestBatchVerify(t *testing.T) {
	text, msg, avk, p := example(t)
	proof := func() Proof {
		s, err := ParseAggregateSignatureJSON([]byte(text), nil)
		if err != nil {
			t.Fatal(err)
		}
		return Proof{msg, avk, p, s}
	}
	var proofs []Proof
	for range 9 {
		proofs = append(proofs, proof())
	}
	proofs[2].Message = []byte("another message")
	proofs[4].Parameters.K = 0
	proofs[7].Parameters.PhiF = 1
	proofs[7].Signature.signatures[1] = proofs[7].Signature.signatures[0]

	var e *BatchError
	if err := BatchVerify(context.Background(), proofs); !errors.As(err, &e) || !errors.Is(err, verdict.ErrInvalid) {
		t.Fatalf("got %v", err)
	}
	var positions []int
	for _, f := range e.Failures {
		positions = append(positions, f.Position)
		if single := proofs[f.Position].verify(); single == nil || single.Error() != f.Err.Error() && f.Position != 7 {
			t.Errorf("proof %d: got %v, alone %v", f.Position, f.Err, single)
		}
	}
	if want := []int{2, 4, 7}; !slices.Equal(positions, want) {
		t.Errorf("names %v, want %v", positions, want)
	}
	var last *ProofError
	if !errors.As(e.Failures[2].Err, &last) || last.Detail != verdict.DetailAggregateInvalid || last.Signature != 1 {
		t.Errorf("got %v", e.Failures[2].Err)
	}
	if err := BatchVerify(context.Background(), proofs[:2]); err != nil {
		t.Error(err)
	}
	if err := BatchVerify(context.Background(), nil); !errors.Is(err, multisig.ErrEmpty) {
		t.Errorf("empty: got %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := BatchVerify(ctx, proofs); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: got %v", err)
	}
}

func (p *Proof) verify() error { return p.Signature.Verify(p.Message, p.Key, p.Parameters) }
