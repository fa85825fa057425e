package stm

import (
	"errors"
	"testing"

	"github.com/stmverify/stmverify/verdict"
)

// TestStakesTogether lowers the total so that each stake is below it and all of them together are not.
func TestStakesTogether(t *testing.T) {
	text, msg, avk, p := example(t)
	s, err := ParseAggregateSignatureJSON([]byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	sum := uint64(0)
	for i := range s.Len() {
		_, stake, _ := s.Party(i)
		sum += stake
	}
	if s.Len() < 2 {
		t.Fatal("this needs two signatures")
	}
	for total, want := range map[uint64]bool{sum: true, sum - 1: false, 0: false} {
		key := *avk
		key.TotalStake = total
		err := s.checkStakes(&key)
		if (err == nil) != want {
			t.Errorf("total %d of %d: got %v", total, sum, err)
		}
		if want {
			continue
		}
		var e *ProofError
		if _, err := s.Check(msg, &key, p); !errors.As(err, &e) || e.Detail != verdict.DetailStakeOutOfRange {
			t.Errorf("total %d of %d: got %v", total, sum, err)
		}
	}
}

// TestNoSignaturesNoQuorum asks for a signature even where no index is.
func TestNoSignaturesNoQuorum(t *testing.T) {
	s := &AggregateSignature{}
	var e *ProofError
	if err := s.checkIndexes(Parameters{K: 0, M: 1, PhiF: 1}); !errors.As(err, &e) || e.Detail != verdict.DetailQuorumNotReached {
		t.Errorf("got %v", err)
	}
}
