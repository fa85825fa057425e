package conformance

import (
	"context"
	"fmt"

	"github.com/stmverify/stmverify/stm"
)

// lotteryCase is one lottery and who won it.
type lotteryCase struct {
	PhiF       float64  `json:"phi_f"`
	Stake      uint64   `json:"stake"`
	TotalStake uint64   `json:"total_stake"`
	Evaluation hexBytes `json:"ev"` // little-endian number
	Won        bool     `json:"won"`
	Kind       string   `json:"kind"` // how near to the threshold
}

func runLottery(_ context.Context, path string, r *Report) error {
	cases, err := decodeFile[[]lotteryCase](path)
	if err != nil {
		return err
	}
	for i := range cases {
		r.check(fmt.Sprintf("%d, %s", i, cases[i].Kind), cases[i].run())
	}
	return nil
}

func (c *lotteryCase) run() error {
	threshold, err := stm.NewThreshold(c.PhiF, c.Stake, c.TotalStake)
	if err != nil {
		return err
	}
	if len(c.Evaluation) != 64 {
		return fmt.Errorf("evaluation of %d bytes, want 64", len(c.Evaluation))
	}
	if won := threshold.Wins((*[64]byte)(c.Evaluation)); won != c.Won {
		return fmt.Errorf("stake %d of %d, phi_f %v: got won %v, want %v", c.Stake, c.TotalStake, c.PhiF, won, c.Won)
	}
	return nil
}
