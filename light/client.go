package light

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/stmverify/stmverify/certificate"
	"github.com/stmverify/stmverify/chain"
	"github.com/stmverify/stmverify/light/provider"
	"github.com/stmverify/stmverify/light/store"
)

// Client keeps the chain in a store up to date and answers from it.
type Client struct {
	settings
	trust   chain.Trust
	primary provider.Provider
	store   store.Store
	turn    chan struct{} // holds one token; whoever syncs has it
}

// New returns a client that asks primary, fills st and rests on trust. It ties an empty store to the genesis key, the
// network and the checkpoint of trust, and returns an error that wraps store.ErrOtherIdentity when the store is tied to
// others for good; see store.Store. The store remains the caller's to close.
func New(ctx context.Context, trust chain.Trust, primary provider.Provider, st store.Store, options ...Option) (*Client, error) {
	s := settings{
		observer: ObserverFunc(func(Event) {}), log: slog.New(slog.DiscardHandler),
		maxCertificates: DefaultMaxCertificates, maxBytes: DefaultMaxBytes,
	}
	for _, option := range options {
		if err := option(&s); err != nil {
			return nil, err
		}
	}
	if primary == nil || st == nil {
		return nil, errors.New("light: a client needs a provider and a store")
	}
	id := store.Identity{GenesisKey: trust.GenesisKey, Network: trust.Network}
	if trust.Checkpoint != nil {
		id.Checkpoint = trust.Checkpoint.Hash
	}
	if err := st.Bind(ctx, id); err != nil {
		return nil, err
	}
	c := &Client{settings: s, trust: trust, primary: primary, store: st, turn: make(chan struct{}, 1)}
	return c, c.checkPin(ctx)
}

// checkPin refuses a store that rests on another genesis certificate than the pinned one.
func (c *Client) checkPin(ctx context.Context) error {
	id, err := c.store.Identity(ctx)
	if err != nil {
		return err
	}
	if pin := c.trust.GenesisHash; pin != nil && !id.Genesis.IsZero() && id.Genesis != *pin {
		return fmt.Errorf("%w: genesis certificate %s, want %s", store.ErrOtherIdentity, id.Genesis, pin)
	}
	return nil
}

// Latest returns the newest verified certificate, or an error that wraps store.ErrEmpty before the first sync.
func (c *Client) Latest(ctx context.Context) (*store.Record, error) { return c.store.Latest(ctx) }

// Trusted returns a certificate that has been verified, or an error that wraps store.ErrNotFound. It asks no provider.
func (c *Client) Trusted(ctx context.Context, hash certificate.Hash) (*store.Record, error) {
	return c.store.Record(ctx, hash)
}

// Verify returns the certificate with this hash, after a sync to it when it is not verified yet.
func (c *Client) Verify(ctx context.Context, hash certificate.Hash) (*store.Record, error) {
	if r, err := c.store.Record(ctx, hash); !errors.Is(err, store.ErrNotFound) {
		return r, err
	}
	if _, err := c.Sync(ctx, Exactly(hash)); err != nil {
		return nil, err
	}
	return c.store.Record(ctx, hash)
}

// Certifies returns the newest verified certificate that signs the message, or an error that wraps [ErrNotCertified]. It
// asks no provider: sync first for a message that is new.
func (c *Client) Certifies(ctx context.Context, m Message) (*store.Record, error) {
	for r, err := range c.store.Records(ctx) {
		if err != nil {
			return nil, err
		}
		if m.signedBy(r) {
			return r, nil
		}
	}
	return nil, ErrNotCertified
}

// Message is what somebody wants to see certified.
type Message struct {
	signed string
	parts  map[certificate.PartKey]string
}

// SignedMessage is the message with this hash, as 64 lowercase hexadecimal characters.
func SignedMessage(hash string) Message { return Message{signed: hash} }

// MessageParts is any message in which each of these parts has exactly this value. A message may have more parts. Name
// the part that says what the others are about, such as the block number of a Merkle root; no parts are certified by
// nothing.
func MessageParts(parts map[certificate.PartKey]string) Message { return Message{parts: parts} }

func (m Message) signedBy(r *store.Record) bool {
	if m.parts == nil {
		return m.signed != "" && r.SignedMessage == m.signed
	}
	for key, want := range m.parts {
		if got, ok := r.Message[key.String()]; !ok || got != want {
			return false
		}
	}
	return len(m.parts) > 0
}
