package main

import (
	"github.com/stmverify/stmverify/internal/testkit"
	"github.com/stmverify/stmverify/stm"
)

// makeBases generates the valid chains that are mutated. They are small, so that a verdict takes milliseconds: what they have few
// of, mutations rarely need.
func makeBases(seed uint64) ([]*forged, error) {
	specs := []testkit.Spec{
		{Certificates: 2, Signers: 1, Parameters: stm.Parameters{K: 1, M: 1, PhiF: 1}},
		{Certificates: 2, Signers: 2, Parameters: stm.Parameters{K: 2, M: 2, PhiF: 1}},
		{Certificates: 3, Signers: 2, Parameters: stm.Parameters{K: 2, M: 4, PhiF: 1}},
		{Certificates: 3, Signers: 3, Parameters: stm.Parameters{K: 3, M: 3, PhiF: 1}},
		{Certificates: 2, Signers: 3, Parameters: stm.Parameters{K: 2, M: 6, PhiF: 0.65}},
		{Certificates: 3, PerEpoch: 2, Signers: 2, Parameters: stm.Parameters{K: 1, M: 5, PhiF: 0.5}},
		{Certificates: 4, PerEpoch: 2, Signers: 1, Parameters: stm.Parameters{K: 1, M: 1, PhiF: 1}},
		{Certificates: 3, PerEpoch: 3, Signers: 3, Parameters: stm.Parameters{K: 3, M: 8, PhiF: 0.7}},
		{Certificates: 2, Signers: 5, Parameters: stm.Parameters{K: 4, M: 5, PhiF: 0.95}},
		{Certificates: 2, Signers: 1, Parameters: stm.Parameters{K: 1, M: 20, PhiF: 0.2}},
	}
	var bases []*forged
	for round := range uint64(4) {
		for i, spec := range specs {
			spec.Seed = seed*1000 + round*100 + uint64(i)
			spec.FirstEpoch = []uint64{100, 1, 1<<31 - 10, 9}[round]
			spec.Discontinued = round == 1
			f, err := generate(spec)
			if err != nil {
				return nil, err
			}
			bases = append(bases, f)
		}
	}
	return bases, nil
}
