package light

import (
	"context"

	"github.com/stmverify/stmverify/certificate"
	"github.com/stmverify/stmverify/light/provider"
	"github.com/stmverify/stmverify/light/store"
)

// part is short for what statements names often.
type part = certificate.PartKey

// statements returns what a message says about what. Two certificates of one chain never say different things about the
// same. Only signed parts are used: a provider can relabel a certificate, but not change what it states. The digests of
// immutable files have no statement, because no part says up to which file they go.
func statements(message map[string]string) map[string]string {
	out := make(map[string]string)
	state := func(value part, about ...part) {
		said, ok := message[value.String()]
		subject := value.String() + " of"
		for _, key := range about {
			at, found := message[key.String()]
			ok = ok && found
			subject += " " + key.String() + " " + at
		}
		if ok {
			out[subject] = said
		}
	}
	state(certificate.NextAggregateVerificationKey, certificate.CurrentEpoch)
	state(certificate.NextProtocolParameters, certificate.CurrentEpoch)
	state(certificate.CardanoTransactionsMerkleRoot, certificate.LatestBlockNumber)
	state(certificate.CardanoBlocksTransactionsMerkleRoot, certificate.LatestBlockNumber, certificate.CardanoBlocksTransactionsBlockNumberOffset)
	state(certificate.CardanoStakeDistributionMerkleRoot, certificate.CardanoStakeDistributionEpoch)
	return out
}

// body is what is known to be verified, and who vouches for which certificate.
type body struct {
	store    store.Store
	said     map[string]claim
	fresh    map[certificate.Hash]*store.Entry // verified and not stored
	provider map[certificate.Hash]string       // who sent those
	labels   map[string]string                 // signed messages by unsigned signed entity type
	genesis  certificate.Hash
	newest   uint64 // highest epoch
}

// claim is a value and one certificate that states it.
type claim struct {
	value  string
	record *store.Record
}

// newBody collects what the store says.
func newBody(ctx context.Context, s store.Store) (*body, error) {
	id, err := s.Identity(ctx)
	if err != nil {
		return nil, err
	}
	b := &body{
		store: s, said: make(map[string]claim), genesis: id.Genesis,
		fresh: make(map[certificate.Hash]*store.Entry), provider: make(map[certificate.Hash]string),
		labels: make(map[string]string),
	}
	for r, err := range s.Records(ctx) {
		if err != nil {
			return nil, err
		}
		b.learn(r)
	}
	return b, nil
}

// compare returns evidence when a verified walk from a provider contradicts the body.
func (b *body) compare(ctx context.Context, from string, walk store.Segment) *Evidence {
	for i := range walk {
		r := &walk[i].Record
		if r.Genesis && !b.genesis.IsZero() && b.genesis != r.Hash {
			ours := b.record(ctx, b.genesis)
			if ours == nil { // pruned
				ours = &store.Record{Hash: b.genesis}
			}
			return b.evidence(ctx, OtherGenesis, "genesis certificate", claim{ours.Hash.String(), ours}, from, &walk[i], r.Hash.String())
		}
		for subject, value := range statements(r.Message) {
			if ours, ok := b.said[subject]; ok && ours.value != value {
				return b.evidence(ctx, ConflictingStatement, subject, ours, from, &walk[i], value)
			}
		}
	}
	return nil
}

func (b *body) evidence(ctx context.Context, kind EvidenceKind, subject string, ours claim, from string, theirs *store.Entry, value string) *Evidence {
	var text []byte
	source := "store"
	if e := b.fresh[ours.record.Hash]; e != nil {
		text, source = e.Raw, b.provider[ours.record.Hash]
	} else if raw, err := b.store.Raw(ctx, ours.record.Hash); err == nil {
		text = raw
	}
	return &Evidence{
		Kind: kind, Statement: subject,
		Ours:   Exhibit{source, ours.record.Hash, ours.record.Epoch, ours.value, text},
		Theirs: Exhibit{from, theirs.Record.Hash, theirs.Record.Epoch, value, theirs.Raw},
	}
}

// add takes a verified walk into the body.
func (b *body) add(from string, walk store.Segment) {
	for i := range walk {
		r := &walk[i].Record
		b.fresh[r.Hash], b.provider[r.Hash] = &walk[i], from
		if r.Genesis {
			b.genesis = r.Hash
		}
		b.learn(r)
	}
}

func (b *body) learn(r *store.Record) {
	for subject, value := range statements(r.Message) {
		b.said[subject] = claim{value, r}
	}
	b.newest = max(b.newest, r.Epoch)
	b.labels[r.Unsigned.SignedEntityType] = r.SignedMessage
}

// differs reports whether a listed certificate has the label of a verified one and another signed message. Both are claims.
func (b *body) differs(item *provider.Item) bool {
	message, ok := b.labels[item.SignedEntityType]
	return ok && message != item.SignedMessage
}

// empty reports whether nothing is verified yet.
func (b *body) empty() bool { return len(b.labels) == 0 }

// record returns a verified certificate, or nil.
func (b *body) record(ctx context.Context, hash certificate.Hash) *store.Record {
	if e := b.fresh[hash]; e != nil {
		return &e.Record
	}
	r, err := b.store.Record(ctx, hash)
	if err != nil {
		return nil
	}
	return r
}
