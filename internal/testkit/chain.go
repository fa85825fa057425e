package testkit

import (
	"context"
	stded25519 "crypto/ed25519"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/stmverify/stmverify/certificate"
	"github.com/stmverify/stmverify/stm"
)

// Chain is a generated chain.
type Chain struct {
	// Certificates are the certificates as JSON, the newest first, as an aggregator lists them. Those of one epoch but the
	// first are not on the walk from a later epoch.
	Certificates [][]byte
	GenesisKey   [32]byte
}

// Progress is called after every certificate.
type Progress func(done, of int)

// Generate makes the chain that spec describes.
func Generate(ctx context.Context, spec Spec, progress Progress) (*Chain, error) {
	if err := spec.Normalize(); err != nil {
		return nil, err
	}
	b := &builder{ctx: ctx, spec: spec, progress: progress}
	if err := b.build(); err != nil {
		return nil, err
	}
	slices.Reverse(b.certs)
	chain := &Chain{GenesisKey: [32]byte(b.genesis.Public().(stded25519.PublicKey))}
	for _, c := range b.certs {
		raw, err := c.AppendJSON(nil)
		if err != nil {
			return nil, err
		}
		chain.Certificates = append(chain.Certificates, raw)
	}
	if spec.Fault != nil {
		return chain, spec.Fault.insert(ctx, b, chain)
	}
	return chain, nil
}

// builder makes a chain from the genesis certificate on.
type builder struct {
	ctx      context.Context
	spec     Spec
	progress Progress
	genesis  stded25519.PrivateKey
	certs    []*certificate.Certificate // the oldest first
	faulty   bool                       // a fault was built in
}

func (b *builder) build() error {
	seed := make([]byte, stded25519.SeedSize)
	_, _ = rngFor(b.spec.Seed, "genesis").Read(seed) // It never fails.
	b.genesis = stded25519.NewKeyFromSeed(seed)

	epoch := b.spec.FirstEpoch
	next, err := b.spec.NewEpoch(b.ctx, epoch+1, 0)
	if err != nil {
		return err
	}
	if err := b.addGenesis(b.faultGenesis(epoch), next); err != nil {
		return err
	}
	for len(b.certs) < b.spec.Certificates {
		current, err := b.startEpoch(next)
		if err != nil {
			return err
		}
		if next, err = b.spec.NewEpoch(b.ctx, current.Number+1, 0); err != nil {
			return err
		}
		master := b.certs[len(b.certs)-1]
		if first := len(b.certs) - b.spec.PerEpoch; first > 0 {
			master = b.certs[first]
		}
		for j := 0; j < b.spec.PerEpoch && len(b.certs) < b.spec.Certificates; j++ {
			c, err := b.standard(current, next, master, j)
			if err != nil {
				return err
			}
			if j == 0 || b.faultParent(j) {
				master = c
			}
			b.add(c)
		}
	}
	return nil
}

func (b *builder) add(c *certificate.Certificate) {
	b.certs = append(b.certs, c)
	if b.progress != nil {
		b.progress(len(b.certs), b.spec.Certificates)
	}
}

// message returns the parts that every message has.
func (b *builder) message(epoch uint64, next *Epoch) (m certificate.ProtocolMessage, err error) {
	hash, err := certificate.HashParameters(b.spec.Parameters)
	if err != nil {
		return m, err
	}
	m.SetPart(certificate.NextAggregateVerificationKey, string(next.Clerk.AVK().AppendJSONHex(nil)))
	m.SetPart(certificate.NextProtocolParameters, hash.String())
	m.SetPart(certificate.CurrentEpoch, fmt.Sprint(epoch))
	return m, nil
}

func (b *builder) addGenesis(epoch uint64, next *Epoch) error {
	message, err := b.message(epoch, next)
	if err != nil {
		return err
	}
	c := &certificate.Certificate{
		Epoch:            epoch,
		SignedEntityType: certificate.SignedEntityType{Kind: certificate.MithrilStakeDistribution, Epoch: epoch},
		Metadata:         b.metadata(epoch, 0, nil),
		ProtocolMessage:  message,
		SignedMessage:    message.ComputeHash().String(),
		AVK:              next.Clerk.AVK(),
	}
	sig := [certificate.SignatureSize]byte(stded25519.Sign(b.genesis, []byte(c.SignedMessage)))
	c.GenesisSignature = &sig
	if err := seal(c); err != nil {
		return err
	}
	b.add(c)
	return nil
}

// seal sets the hash.
func seal(c *certificate.Certificate) (err error) {
	c.Hash, err = c.ComputeHash()
	return err
}

func (b *builder) metadata(epoch uint64, j int, parties []certificate.Signer) certificate.Metadata {
	start := time.Unix(1_506_203_091, 123_456_789).UTC().Add(time.Duration(j) * time.Hour)
	// An epoch lasts five days; the date wraps around so that it stays in range for every epoch.
	start = start.Add(time.Duration(epoch%20_000) * 5 * 24 * time.Hour)
	return certificate.Metadata{
		Network:     b.spec.Network,
		Version:     "0.1.0",
		Parameters:  b.spec.Parameters,
		InitiatedAt: start,
		SealedAt:    start.Add(31_207 * time.Millisecond),
		Signers:     parties,
	}
}

// standard makes certificate j of an epoch. When the quorum is missed it tries another beacon, as an aggregator waits for
// the next one.
func (b *builder) standard(current, next *Epoch, parent *certificate.Certificate, j int) (*certificate.Certificate, error) {
	const tries = 32
	for try := range uint64(tries) {
		c, err := b.unsigned(current, next, parent, j, try)
		if err != nil {
			return nil, err
		}
		singles, err := current.Sign(b.ctx, []byte(c.SignedMessage))
		if err != nil {
			return nil, err
		}
		c.MultiSignature, err = current.Clerk.Aggregate([]byte(c.SignedMessage), singles)
		var short *stm.NotEnoughError
		if errors.As(err, &short) {
			continue
		}
		if err != nil {
			return nil, err
		}
		return c, seal(c)
	}
	return nil, fmt.Errorf("%w: epoch %d, %v", ErrQuorum, current.Number, b.spec.Parameters)
}

// unsigned makes a certificate without its multi-signature.
func (b *builder) unsigned(current, next *Epoch, parent *certificate.Certificate, j int, try uint64) (*certificate.Certificate, error) {
	message, err := b.message(current.Number, next)
	if err != nil {
		return nil, err
	}
	entity := b.entity(&message, current.Number, j, try)
	b.faultMessage(&message)
	return &certificate.Certificate{
		PreviousHash:     parent.Hash,
		Epoch:            current.Number,
		SignedEntityType: entity,
		Metadata:         b.metadata(current.Number, j, current.Parties),
		ProtocolMessage:  message,
		SignedMessage:    message.ComputeHash().String(),
		AVK:              current.Clerk.AVK(),
	}, nil
}

// entity chooses what certificate j of an epoch is about and adds its parts to the message. The kinds take turns; a second
// try moves the beacon.
func (b *builder) entity(m *certificate.ProtocolMessage, epoch uint64, j int, try uint64) certificate.SignedEntityType {
	root := sha256.Sum256(fmt.Appendf(nil, "root %d %d %d %d", b.spec.Seed, epoch, j, try))
	digest := fmt.Sprintf("%x", root)
	block := 21_600*epoch + 15*uint64(j) + try
	kinds := []certificate.EntityKind{certificate.MithrilStakeDistribution, certificate.CardanoDatabase, certificate.CardanoTransactions,
		certificate.CardanoStakeDistribution, certificate.CardanoBlocksTransactions}
	if b.spec.Discontinued {
		kinds = append(kinds, certificate.CardanoImmutableFilesFull)
	}
	t := certificate.SignedEntityType{Kind: kinds[(epoch+uint64(j)+try)%uint64(len(kinds))], Epoch: epoch}
	switch t.Kind {
	case certificate.CardanoDatabase:
		t.ImmutableFileNumber = 100*epoch + uint64(j) + try
		m.SetPart(certificate.CardanoDatabaseMerkleRoot, digest)
	case certificate.CardanoImmutableFilesFull:
		t.ImmutableFileNumber = 100*epoch + uint64(j) + try
		m.SetPart(certificate.SnapshotDigest, digest)
	case certificate.CardanoTransactions:
		t.BlockNumber = block
		m.SetPart(certificate.CardanoTransactionsMerkleRoot, digest)
		m.SetPart(certificate.LatestBlockNumber, fmt.Sprint(block))
	case certificate.CardanoStakeDistribution:
		m.SetPart(certificate.CardanoStakeDistributionEpoch, fmt.Sprint(epoch-1))
		m.SetPart(certificate.CardanoStakeDistributionMerkleRoot, digest)
	case certificate.CardanoBlocksTransactions:
		t.BlockNumber, t.BlockNumberOffset = block, 15
		m.SetPart(certificate.CardanoBlocksTransactionsMerkleRoot, digest)
		m.SetPart(certificate.LatestBlockNumber, fmt.Sprint(block))
		m.SetPart(certificate.CardanoBlocksTransactionsBlockNumberOffset, "15")
	}
	return t
}
