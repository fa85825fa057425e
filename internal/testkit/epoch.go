package testkit

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"

	"golang.org/x/sync/errgroup"

	"github.com/stmverify/stmverify/certificate"
	"github.com/stmverify/stmverify/keyreg"
	"github.com/stmverify/stmverify/multisig"
	"github.com/stmverify/stmverify/stm"
)

// Epoch is the registration of one epoch with the signers' keys.
type Epoch struct {
	Number  uint64
	Parties []certificate.Signer
	Keys    []*multisig.SigningKey
	Closed  *keyreg.Closed
	Clerk   *stm.Clerk

	signers []*stm.Signer
}

// rngFor returns the randomness for one purpose, a function of the seed.
func rngFor(seed uint64, purpose string, numbers ...uint64) *rand.ChaCha8 {
	b := binary.BigEndian.AppendUint64([]byte(purpose), seed)
	for _, n := range numbers {
		b = binary.BigEndian.AppendUint64(b, n)
	}
	return rand.NewChaCha8(sha256.Sum256(b))
}

// NewEpoch registers the signers of an epoch. variant makes other signers of the same epoch.
func (s *Spec) NewEpoch(ctx context.Context, number, variant uint64) (*Epoch, error) {
	e := &Epoch{Number: number, Keys: make([]*multisig.SigningKey, s.Signers)}
	parties := make([]keyreg.Party, s.Signers)
	e.Parties = make([]certificate.Signer, s.Signers)
	err := each(ctx, s.Signers, func(i int) error {
		rng := rngFor(s.Seed, "signer", number, uint64(i), variant)
		ikm := make([]byte, multisig.SigningKeySize)
		_, _ = rng.Read(ikm) // It never fails.
		key, err := multisig.GenerateSigningKey(ikm)
		if err != nil {
			return err
		}
		stake := s.stake(rand.New(rng))
		e.Keys[i] = key
		parties[i] = keyreg.Party{Key: key.VerificationKey(), Possession: key.ProvePossession(), Stake: stake}
		e.Parties[i] = certificate.Signer{PartyID: fmt.Sprintf("pool1%051x", rng.Uint64()), Stake: stake}
		return nil
	})
	if err != nil {
		return nil, err
	}
	var registration keyreg.Registration
	if err := registration.RegisterAll(ctx, parties); err != nil {
		return nil, err
	}
	if e.Closed, err = registration.Close(); err != nil {
		return nil, err
	}
	return e, e.prepare(s.Parameters)
}

// prepare makes the signers and the clerk for the parameters.
func (e *Epoch) prepare(p stm.Parameters) (err error) {
	if e.Clerk, err = stm.NewClerk(e.Closed, p); err != nil {
		return err
	}
	e.signers = make([]*stm.Signer, len(e.Keys))
	for i, key := range e.Keys {
		if e.signers[i], err = stm.NewSigner(key, e.Closed, p); err != nil {
			return err
		}
	}
	return nil
}

// stake draws a stake in lovelace.
func (s *Spec) stake(rng *rand.Rand) uint64 {
	const ada = 1_000_000
	if s.Stake == HeavyTail {
		return uint64(1e5*math.Pow(750, rng.Float64())*ada) + rng.Uint64N(ada)
	}
	return 1_000_000*ada + rng.Uint64N(1_000_000*ada)
}

// Sign lets all signers sign msg and returns their single signatures.
func (e *Epoch) Sign(ctx context.Context, msg []byte) ([]*stm.SingleSignature, error) {
	singles := make([]*stm.SingleSignature, len(e.signers))
	err := each(ctx, len(e.signers), func(i int) (err error) {
		singles[i], err = e.signers[i].Sign(msg)
		if errors.Is(err, stm.ErrLotteryLost) {
			return nil
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	won := singles[:0]
	for _, s := range singles {
		if s != nil {
			won = append(won, s)
		}
	}
	return won, nil
}

// each calls f for 0 … n-1 on all cores.
func each(ctx context.Context, n int, f func(i int) error) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i := range n {
		group.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			return f(i)
		})
	}
	return group.Wait()
}
