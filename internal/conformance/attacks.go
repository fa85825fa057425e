package conformance

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/stmverify/stmverify/batch"
	"github.com/stmverify/stmverify/multisig"
	"github.com/stmverify/stmverify/stm"
)

// proofCase is one proof with what it is to be verified under.
type proofCase struct {
	Name       string     `json:"name"`
	Parameters parameters `json:"parameters"`
	AVKJSON    string     `json:"avk_json"`
	Message    hexBytes   `json:"msg"`
	ProofJSON  string     `json:"sig_json"`
	Expect     string     `json:"expect"`
}

func (c *proofCase) verify() error {
	avk, _, err := stm.ParseAggregateVerificationKey(hexText([]byte(c.AVKJSON)))
	if err != nil {
		return err
	}
	return verifyProof([]byte(c.ProofJSON), c.Message, avk, c.Parameters)
}

// claim checks all but the pairing.
func (c *proofCase) claim() (multisig.Claim, error) {
	avk, _, err := stm.ParseAggregateVerificationKey(hexText([]byte(c.AVKJSON)))
	if err != nil {
		return multisig.Claim{}, err
	}
	proof, _, err := stm.ParseAggregateSignature(hexText([]byte(c.ProofJSON)), nil)
	if err != nil {
		return multisig.Claim{}, err
	}
	return proof.Check(c.Message, avk, c.Parameters.stm())
}

func runAttacksSingle(_ context.Context, path string, r *Report) error {
	return decodeLines(path, func(c proofCase) error {
		valid, err := parseVerdict(c.Expect)
		if err == nil {
			r.check(c.Name, verdictOf(c.verify(), valid))
		}
		return err
	})
}

// batchCase is several proofs to verify at once.
type batchCase struct {
	Name   string      `json:"name"`
	Items  []proofCase `json:"items"`
	Expect string      `json:"expect"`
	Bad    []int       `json:"bad"` // the items that the verdict must name
}

func runAttacksBatch(ctx context.Context, path string, r *Report) error {
	return decodeLines(path, func(c batchCase) error {
		valid, err := parseVerdict(c.Expect)
		if err == nil {
			r.check(c.Name, c.run(ctx, valid))
		}
		return err
	})
}

func (c *batchCase) run(ctx context.Context, valid bool) error {
	var v batch.Verifier
	for i := range c.Items {
		claim, err := c.Items[i].claim()
		if err != nil {
			return fmt.Errorf("item %d: %w", i, err)
		}
		v.Add(claim)
	}
	err := v.Verify(ctx)
	if wrong := verdictOf(err, valid); wrong != nil {
		return wrong
	}
	var named *batch.Error
	if !errors.As(err, &named) {
		if len(c.Bad) > 0 {
			return fmt.Errorf("names no item, want %v: %w", c.Bad, err)
		}
		return nil
	}
	var bad []int
	for _, failure := range named.Failures {
		bad = append(bad, failure.Slot)
	}
	if !slices.Equal(bad, c.Bad) {
		return fmt.Errorf("names items %v, want %v: %w", bad, c.Bad, err)
	}
	return nil
}
