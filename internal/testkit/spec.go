package testkit

import (
	"errors"
	"fmt"
	"math"

	"github.com/stmverify/stmverify/stm"
)

// Stake is how the stakes of the signers are distributed.
type Stake string

// The distributions.
const (
	Uniform   Stake = "uniform"    // between 1 and 2 million ada
	HeavyTail Stake = "heavy-tail" // between 0.1 and 75 million ada, uniform in the logarithm, as on mainnet
)

// Spec describes a chain. The zero value of a field has the default that Normalize sets.
type Spec struct {
	Certificates int            // in all, genesis included; default 10
	PerEpoch     int            // default 1
	Signers      int            // registered in every epoch; default 5
	Parameters   stm.Parameters // default k 5, m 100, phi_f 0.65
	Stake        Stake          // default Uniform
	Seed         uint64
	Network      string // default "testnet"
	FirstEpoch   uint64 // of the genesis certificate; default 100

	// Discontinued adds CardanoImmutableFilesFull to the kinds of signed entities; the reference refuses it.
	Discontinued bool

	// Fault, when not nil, is put into the chain.
	Fault *Fault
}

// Normalize sets defaults and refuses what makes no chain.
func (s *Spec) Normalize() error {
	setDefault(&s.Certificates, 10)
	setDefault(&s.PerEpoch, 1)
	setDefault(&s.Signers, 5)
	setDefault(&s.Stake, Uniform)
	setDefault(&s.Network, "testnet")
	setDefault(&s.FirstEpoch, 100)
	setDefault(&s.Parameters, stm.Parameters{K: 5, M: 100, PhiF: 0.65})
	switch {
	case s.Certificates < 1 || s.Certificates > 1<<20:
		return fmt.Errorf("testkit: %d certificates, want 1 to %d", s.Certificates, 1<<20)
	case s.PerEpoch < 1:
		return fmt.Errorf("testkit: %d certificates an epoch, want at least 1", s.PerEpoch)
	case s.Signers < 1 || s.Signers > 1<<14:
		return fmt.Errorf("testkit: %d signers, want 1 to %d", s.Signers, 1<<14)
	case s.Stake != Uniform && s.Stake != HeavyTail:
		return fmt.Errorf("testkit: stake distribution %q, want %q or %q", s.Stake, Uniform, HeavyTail)
	case s.FirstEpoch > math.MaxInt32:
		return fmt.Errorf("testkit: first epoch %d, want at most %d", s.FirstEpoch, math.MaxInt32)
	}
	if err := s.Parameters.Validate(); err != nil {
		return err
	}
	return s.Fault.check(s)
}

func setDefault[T comparable](field *T, value T) {
	if *field == *new(T) {
		*field = value
	}
}

// ErrQuorum says that the signers of an epoch won fewer lotteries than the quorum on a number of messages in a row: the
// parameters ask for too much.
var ErrQuorum = errors.New("testkit: the signers do not reach the quorum")
