package multisig

import "sync/atomic"

// Counters counts operations, so that what a verification did can be told exactly and tested. A nil *Counters counts
// nothing. It is safe for concurrent use.
type Counters struct {
	millerLoops, finalExponentiations, hashesToCurve atomic.Uint64
	g1Calls, g1Terms, g2Calls, g2Terms               atomic.Uint64
}

// Counts is what [Counters] counted up to a moment.
type Counts struct {
	MillerLoops          uint64 `json:"miller_loops"`
	FinalExponentiations uint64 `json:"final_exponentiations"`
	HashesToCurve        uint64 `json:"hashes_to_curve"`
	G1Multiplications    uint64 `json:"g1_multi_scalar_multiplications"` // calls
	G1Terms              uint64 `json:"g1_terms"`                        // points multiplied in them
	G2Multiplications    uint64 `json:"g2_multi_scalar_multiplications"`
	G2Terms              uint64 `json:"g2_terms"`
}

// Counts returns the counts up to now.
func (c *Counters) Counts() Counts {
	if c == nil {
		return Counts{}
	}
	return Counts{
		MillerLoops: c.millerLoops.Load(), FinalExponentiations: c.finalExponentiations.Load(), HashesToCurve: c.hashesToCurve.Load(),
		G1Multiplications: c.g1Calls.Load(), G1Terms: c.g1Terms.Load(), G2Multiplications: c.g2Calls.Load(), G2Terms: c.g2Terms.Load(),
	}
}

func (c *Counters) addMillerLoops(n int) {
	if c != nil {
		c.millerLoops.Add(uint64(n))
	}
}

func (c *Counters) addFinalExponentiation() {
	if c != nil {
		c.finalExponentiations.Add(1)
	}
}

func (c *Counters) addHashToCurve(n int) {
	if c != nil {
		c.hashesToCurve.Add(uint64(n))
	}
}

func (c *Counters) addG1(terms int) {
	if c != nil {
		c.g1Calls.Add(1)
		c.g1Terms.Add(uint64(terms))
	}
}

func (c *Counters) addG2(terms int) {
	if c != nil {
		c.g2Calls.Add(1)
		c.g2Terms.Add(uint64(terms))
	}
}
