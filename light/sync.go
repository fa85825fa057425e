package light

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/stmverify/stmverify/certificate"
	"github.com/stmverify/stmverify/light/provider"
	"github.com/stmverify/stmverify/light/store"
	"github.com/stmverify/stmverify/verdict"
)

// Target says what a sync must reach.
type Target struct {
	hash   certificate.Hash
	recent bool
}

// Newest is the certificate that the provider lists first.
func Newest() Target { return Target{} }

// Exactly is the certificate with this hash.
func Exactly(hash certificate.Hash) Target { return Target{hash: hash} }

// EveryRecent is all certificates that the provider lists, those beside the newest one too.
func EveryRecent() Target { return Target{recent: true} }

// Report says what a sync did.
type Report struct {
	Provider  string        // that was asked
	Tip       *store.Record // the latest verified certificate
	Added     int           // certificates that were verified and stored
	Behind    bool          // the provider's newest certificate is of an older epoch than Tip
	Witnesses []Witness     // what came of asking each witness
}

// Sync verifies and stores what leads from the target to what is verified already. When it returns an error, each walk
// that was not accepted as a whole has left the store as it was.
//
// The error wraps a *provider.Error when a provider did not deliver, a [*RefusedError] when it sent something that was
// refused, a [*ConflictError] when what was verified contradicts the store or a witness, and the cause of ctx when that
// is done.
func (c *Client) Sync(ctx context.Context, target Target) (*Report, error) {
	select {
	case c.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	defer func() { <-c.turn }()

	started := time.Now()
	report, err := c.syncAny(ctx, target)
	tip, latestErr := c.store.Latest(ctx)
	if latestErr != nil && !errors.Is(latestErr, store.ErrEmpty) {
		err = errors.Join(err, latestErr)
	}
	report.Tip = tip
	c.observer.Observe(SyncFinished{Provider: report.Provider, Tip: tip, Added: report.Added, Took: time.Since(started), Err: err})
	c.logSync(report, time.Since(started), err)
	if err != nil {
		return nil, err
	}
	return report, nil
}

func (c *Client) logSync(r *Report, took time.Duration, err error) {
	if err != nil {
		c.log.Error("sync failed", "provider", r.Provider, "added", r.Added, "took", took, "error", err)
		return
	}
	c.log.Info("synced", "provider", r.Provider, "added", r.Added, "took", took, "tip", r.Tip.Hash, "epoch", r.Tip.Epoch)
}

// syncAny asks the primary provider and, for what it fails to deliver, the witnesses.
func (c *Client) syncAny(ctx context.Context, target Target) (*Report, error) {
	sources := append([]provider.Provider{c.primary}, c.witnesses...)
	for i, source := range sources {
		report := &Report{Provider: source.Name()}
		err := c.syncFrom(ctx, source, target, report)
		last := i == len(sources)-1
		if err == nil || last || ctx.Err() != nil || !errors.Is(err, verdict.ErrUnavailable) {
			return report, err
		}
		next := sources[i+1].Name()
		c.log.Warn("provider failed", "provider", source.Name(), "next", next, "error", err)
		c.observer.Observe(SourceFailed{Provider: source.Name(), Next: next, Err: err})
	}
	panic("unreachable: the last source returns")
}

func (c *Client) syncFrom(ctx context.Context, p provider.Provider, target Target, report *Report) error {
	c.observer.Observe(SyncStarted{Provider: p.Name()})
	hashes, err := c.resolve(ctx, p, target, report)
	if err != nil {
		return err
	}
	for _, hash := range hashes {
		if _, err := c.store.Record(ctx, hash); err == nil {
			continue
		} else if !errors.Is(err, store.ErrNotFound) {
			return err
		}
		if err := c.extend(ctx, p, hash, report); err != nil {
			return err
		}
	}
	if report.Added > 0 || len(c.witnesses) == 0 {
		return nil
	}
	return c.compareStored(ctx, p, report)
}

// compareStored asks the witnesses although the provider has nothing new, which may be because it keeps something back.
func (c *Client) compareStored(ctx context.Context, p provider.Provider, report *Report) error {
	b, err := newBody(ctx, c.store)
	if err == nil {
		report.Witnesses, err = c.askWitnesses(ctx, p, b, b.newest)
	}
	return err
}

// resolve returns the hashes of the target's certificates.
func (c *Client) resolve(ctx context.Context, p provider.Provider, target Target, report *Report) ([]certificate.Hash, error) {
	if !target.hash.IsZero() {
		return []certificate.Hash{target.hash}, nil
	}
	items, err := p.Recent(ctx)
	if err != nil {
		return nil, err
	}
	if len(items) == 0 {
		return nil, fmt.Errorf("%w: %s", ErrNoTarget, p.Name())
	}
	if latest, err := c.store.Latest(ctx); err == nil {
		report.Behind = items[0].Epoch < latest.Epoch
	}
	if !target.recent {
		items = items[:1]
	}
	hashes := make([]certificate.Hash, len(items))
	for i := range items {
		hashes[i] = items[i].Hash
	}
	return hashes, nil
}

// extend verifies the walk from one certificate, compares it, and stores it.
func (c *Client) extend(ctx context.Context, p provider.Provider, tip certificate.Hash, report *Report) error {
	b, err := newBody(ctx, c.store)
	if err != nil {
		return err
	}
	walk, err := c.walk(ctx, p, tip, b)
	if err != nil {
		return err
	}
	if e := b.compare(ctx, p.Name(), walk); e != nil {
		return &ConflictError{*e}
	}
	b.add(p.Name(), walk)
	if report.Witnesses, err = c.askWitnesses(ctx, p, b, b.newest); err != nil {
		return err
	}
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if err := c.store.Commit(ctx, walk); err != nil {
		return err
	}
	report.Added += len(walk)
	c.log.Debug("stored", "provider", p.Name(), "certificates", len(walk), "tip", walk[0].Record.Hash)
	c.observer.Observe(Committed{Provider: p.Name(), Tip: walk[0].Record.Clone(), Certificates: len(walk)})
	return nil
}
