package light

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/stmverify/stmverify/certificate"
	"github.com/stmverify/stmverify/chain"
	"github.com/stmverify/stmverify/light/provider"
	"github.com/stmverify/stmverify/light/store"
	"github.com/stmverify/stmverify/stm"
	"github.com/stmverify/stmverify/verdict"
)

// walk fetches and verifies what leads from the tip to something in the body, or to what the client rests on.
func (c *Client) walk(ctx context.Context, p provider.Provider, tip certificate.Hash, b *body) (store.Segment, error) {
	f := &fetch{client: c, provider: p, tip: tip, floor: b.newest, known: func(h certificate.Hash) bool {
		return c.isCheckpoint(h) || b.record(ctx, h) != nil
	}}
	if c.trust.Checkpoint != nil {
		f.floor = max(f.floor, c.trust.Checkpoint.Epoch)
	}
	f.start(ctx)
	verified, err := c.verify(ctx, f, b)
	f.stop()
	var judged *judgement
	if err == nil && errors.As(f.err, &judged) {
		err = judged // what package chain does not mind: a bound of the client that the last certificate went over
	}
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, refusal(p, err)
	}
	return segment(verified, f)
}

// refusal says whose certificates were refused, and leaves an error of asking for them as it is.
func refusal(p provider.Provider, err error) error {
	var judged *judgement
	if errors.As(err, &judged) {
		return &RefusedError{Provider: p.Name(), Err: judged.err}
	}
	var asked *provider.Error
	if errors.As(err, &asked) || verdict.Class(err) == nil {
		return err
	}
	return &RefusedError{Provider: p.Name(), Err: err}
}

// verify verifies a walk while it is fetched when it can end only at what the client rests on, which is so for an empty
// store. Otherwise package chain must be told where the walk ends, so that the walk is fetched first; each text is checked
// to be what its hash says as it comes, so that a provider cannot make the client fetch what does not exist.
func (c *Client) verify(ctx context.Context, f *fetch, b *body) (*chain.Verified, error) {
	trust := c.trust
	trust.Leaf = &f.tip
	if b.empty() {
		return chain.VerifyEncoded(ctx, f.all(), trust, c.chainOptions()...)
	}
	var judged *judgement
	for text, err := range f.all() {
		if err != nil && !(errors.As(err, &judged) && errors.Is(err, verdict.ErrInvalid)) {
			return nil, err
		}
		if err != nil || !isWhatItSays(text) {
			break // package chain says why
		}
	}
	f.stop()
	if r := b.record(ctx, f.end); r != nil {
		checkpoint, err := NewCheckpoint(r)
		if err != nil {
			return nil, fmt.Errorf("%w: %v", store.ErrCorrupt, err) // without its class: no provider is to blame
		}
		trust.Checkpoint = checkpoint
	}
	return chain.VerifyEncoded(ctx, each(f.texts), trust, c.chainOptions()...)
}

func (c *Client) isCheckpoint(h certificate.Hash) bool {
	return c.trust.Checkpoint != nil && c.trust.Checkpoint.Hash == h
}

func (c *Client) chainOptions() []chain.Option {
	options := []chain.Option{
		chain.WithMaxLength(c.maxCertificates),
		chain.WithProgress(func(p chain.Progress) { c.observer.Observe(Checked{Number: p.Checked, Epoch: p.Epoch}) }),
	}
	if c.jobs > 0 {
		options = append(options, chain.WithJobs(c.jobs))
	}
	return options
}

func isWhatItSays(text []byte) bool {
	c, err := certificate.Decode(text)
	if err != nil {
		return false
	}
	hash, err := c.ComputeHash()
	return err == nil && hash == c.Hash
}

func each(texts [][]byte) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for _, text := range texts {
			if !yield(text, nil) {
				return
			}
		}
	}
}

// NewCheckpoint returns what package chain needs to end a walk at a verified certificate.
func NewCheckpoint(r *store.Record) (*chain.Checkpoint, error) {
	avk, _, err := stm.ParseAggregateVerificationKey([]byte(r.AVK))
	if err != nil {
		return nil, fmt.Errorf("light: checkpoint %s: aggregate verification key: %w", r.Hash, err)
	}
	checkpoint := &chain.Checkpoint{
		Hash: r.Hash, Epoch: r.Epoch, AVK: avk, Genesis: r.Genesis,
		Parameters:     stm.Parameters{K: r.Parameters.K, M: r.Parameters.M, PhiF: r.Parameters.PhiF},
		NextParameters: r.Message[certificate.NextProtocolParameters.String()],
	}
	if text := r.Message[certificate.NextAggregateVerificationKey.String()]; text != "" {
		if checkpoint.NextAVK, _, err = stm.ParseAggregateVerificationKey([]byte(text)); err != nil {
			return nil, fmt.Errorf("light: checkpoint %s: next aggregate verification key: %w", r.Hash, err)
		}
	}
	return checkpoint, nil
}

// segment puts what was verified together with the texts it was verified from.
func segment(v *chain.Verified, f *fetch) (store.Segment, error) {
	s := make(store.Segment, v.Len())
	if len(s) != len(f.texts) {
		return nil, &RefusedError{Provider: f.provider.Name(), Err: fmt.Errorf("%w: %d fetched, %d verified", errOther, len(f.texts), len(s))}
	}
	for i := range s {
		s[i] = store.Entry{Record: newRecord(v.Record(i)), Raw: f.texts[i]}
	}
	return s, nil
}

func newRecord(v *chain.Record) store.Record {
	u := &v.Unsigned
	r := store.Record{
		Hash: v.Hash, PreviousHash: v.PreviousHash, Epoch: v.Epoch, Genesis: v.Genesis, SignedMessage: v.SignedMessage,
		Message:    make(map[string]string),
		AVK:        string(v.AVK.AppendJSONHex(nil)),
		Parameters: store.Parameters{K: v.Parameters.K, M: v.Parameters.M, PhiF: v.Parameters.PhiF},
		Signatures: v.Signatures,
		Unsigned: store.Unsigned{
			SignedEntityType: string(u.EntityType.AppendJSON(nil)), Network: u.Network, Version: u.Version,
			InitiatedAt: u.InitiatedAt.Format(time.RFC3339Nano), SealedAt: u.SealedAt.Format(time.RFC3339Nano),
		},
	}
	for key, value := range v.Message.Parts() {
		r.Message[key.String()] = value
	}
	return r
}
