package chain

import (
	"encoding/hex"
	"fmt"
	"strconv"

	"github.com/stmverify/stmverify/stm"
)

func decimal(n uint64) string { return strconv.FormatUint(n, 10) }

// describe shows the three parts of an aggregate verification key.
func describe(a *stm.AggregateVerificationKey) string {
	return fmt.Sprintf("root %s of %d leaves, total stake %d", hex.EncodeToString(a.Root[:]), a.NrLeaves, a.TotalStake)
}

func describeParameters(p stm.Parameters) string {
	return fmt.Sprintf("k=%d m=%d phi_f=%v", p.K, p.M, p.PhiF)
}
