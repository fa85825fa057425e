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

// TestNoTotalStake asks that a total of 0 is refused as such, and not for what the stakes add up to.
func TestNoTotalStake(t *testing.T) {
	var e *ProofError
	if err := new(AggregateSignature).checkStakes(new(AggregateVerificationKey)); !errors.As(err, &e) || e.Detail != verdict.DetailStakeOutOfRange || e.Got != "a total stake of 0" {
		t.Errorf("got %v", err)
	}
}

// TestLotteryRefusesStakesByItself calls the check of the lottery without the checks in front of it.
func TestLotteryRefusesStakesByItself(t *testing.T) {
	text, msg, avk, p := example(t)
	s, err := ParseAggregateSignatureJSON([]byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	_, stake, _ := s.Party(0)
	for total, want := range map[uint64]error{0: ErrTotalStakeZero, stake - 1: ErrStakeAboveTotal} {
		key := *avk
		key.TotalStake = total
		var e *ProofError
		if err := s.checkLottery(key.SignedMessage(msg), &key, p); !errors.As(err, &e) || e.Detail != verdict.DetailStakeOutOfRange || !errors.Is(err, want) {
			t.Errorf("a total of %d: got %v, want %v", total, err, want)
		}
	}
}

// TestOddValueWhereNoneIsNeeded adds values to the path of a proof that all parties are in, which needs none: a value that is no hash
// would go unnoticed there.
func TestOddValueWhereNoneIsNeeded(t *testing.T) {
	keys, closed := registered(t, 2)
	p := Parameters{K: 8, M: 8, PhiF: 1}
	clerk, err := NewClerk(closed, p)
	if err != nil {
		t.Fatal(err)
	}
	msg := []byte("message")
	singles := signAll(t, keys, closed, p, msg)
	singles[0].indexes, singles[1].indexes = []uint64{0, 1, 2, 3}, []uint64{4, 5, 6, 7}
	s, err := clerk.Aggregate(msg, singles)
	if err != nil || s.Len() != 2 || len(s.path.Values) != 0 {
		t.Fatalf("got %v, want two signatures and no values (%v)", s, err)
	}
	if err := s.Verify(msg, clerk.AVK(), p); err != nil {
		t.Fatal(err)
	}
	for n, hash := range map[int]bool{0: false, 31: false, 32: true, 33: false} {
		s.setValues([][]byte{make([]byte, n)})
		var e *ProofError
		err := s.Verify(msg, clerk.AVK(), p)
		if !errors.As(err, &e) || e.Detail != verdict.DetailMerklePathInvalid || (e.Got == "") != hash {
			t.Errorf("value of %d bytes: got %v", n, err)
		}
		s.oddValues = nil
	}
}
