package light

import (
	"context"
	"errors"

	"golang.org/x/sync/errgroup"

	"github.com/stmverify/stmverify/certificate"
	"github.com/stmverify/stmverify/light/provider"
	"github.com/stmverify/stmverify/verdict"
)

// Outcome is what came of asking a witness.
type Outcome string

// The outcomes.
const (
	Agreed      Outcome = "agreed"      // it lists a certificate that is verified here, or one that does not contradict
	Disagreed   Outcome = "disagreed"   // one of its certificates is valid and contradicts: see the evidence
	Faulty      Outcome = "faulty"      // one of its certificates is refused: see the error
	Unavailable Outcome = "unavailable" // it did not deliver: see the error
	Behind      Outcome = "behind"      // it lists only certificates of epochs before those verified here
	Ahead       Outcome = "ahead"       // it lists one of a later epoch, which is not verified: the provider may keep it back
)

// Witness says what came of asking one witness.
type Witness struct {
	Provider string
	Outcome  Outcome
	Err      error
	Evidence *Evidence
}

// askWitnesses asks all witnesses but the one that was the source. It returns an error only when one of them disagrees, or
// ctx is done: a witness that fails or lies does not stop a sync.
func (c *Client) askWitnesses(ctx context.Context, source provider.Provider, b *body, epoch uint64) ([]Witness, error) {
	var others []provider.Provider
	for _, w := range c.witnesses {
		if w != source {
			others = append(others, w)
		}
	}
	reports := make([]Witness, len(others))
	var group errgroup.Group
	for i, w := range others {
		group.Go(func() error {
			reports[i] = c.ask(ctx, w, b, epoch)
			return nil
		})
	}
	_ = group.Wait()
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	var conflict error
	for _, r := range reports {
		c.log.Info("witness", "provider", r.Provider, "outcome", r.Outcome, "error", r.Err)
		c.observer.Observe(WitnessChecked{r})
		if r.Evidence != nil && conflict == nil {
			conflict = &ConflictError{*r.Evidence}
		}
	}
	return reports, conflict
}

// ask compares one witness with what is verified.
func (c *Client) ask(ctx context.Context, w provider.Provider, b *body, epoch uint64) Witness {
	report := Witness{Provider: w.Name(), Outcome: Agreed}
	fail := func(err error) Witness {
		report.Err, report.Outcome = err, Faulty
		if errors.Is(err, verdict.ErrUnavailable) || verdict.Class(err) == nil {
			report.Outcome = Unavailable
		}
		return report
	}
	suspects, err := c.suspects(ctx, w, b, epoch, &report)
	if err != nil {
		return fail(err)
	}
	for _, hash := range suspects {
		walk, err := c.walk(ctx, w, hash, b)
		if err != nil {
			return fail(err)
		}
		if e := b.compare(ctx, w.Name(), walk); e != nil {
			report.Outcome, report.Evidence = Disagreed, e
			return report
		}
	}
	return report
}

// suspects returns the certificates of a witness that may contradict what is verified: the one whose message differs
// from a verified one of the same kind and epoch, as far as the list can be believed; else the newest one up to the epoch,
// when nothing that it lists is verified here; and its genesis certificate when it is another one. It also says whether the
// witness is behind or ahead.
func (c *Client) suspects(ctx context.Context, w provider.Provider, b *body, epoch uint64, report *Witness) (out []certificate.Hash, err error) {
	items, err := w.Recent(ctx)
	if err != nil {
		return nil, err
	}
	var differs, newest *provider.Item
	common, highest := false, uint64(0)
	for i := range items {
		item := &items[i]
		highest = max(highest, item.Epoch)
		switch {
		case b.record(ctx, item.Hash) != nil:
			common = true
		case differs == nil && b.differs(item):
			differs = item
		case newest == nil && item.Epoch <= epoch:
			newest = item
		}
	}
	switch {
	case highest < epoch:
		report.Outcome = Behind
	case highest > epoch:
		report.Outcome = Ahead
	}
	switch {
	case differs != nil:
		out = append(out, differs.Hash)
	case !common && newest != nil:
		out = append(out, newest.Hash)
	}
	genesis, err := c.otherGenesis(ctx, w, b)
	if err == nil && !genesis.IsZero() {
		out = append(out, genesis)
	}
	return out, err
}

// otherGenesis returns the genesis certificate of a witness when it is not the verified one.
func (c *Client) otherGenesis(ctx context.Context, w provider.Provider, b *body) (certificate.Hash, error) {
	if b.genesis.IsZero() {
		return certificate.Hash{}, nil
	}
	text, err := w.Genesis(ctx)
	if errors.Is(err, provider.ErrNotFound) {
		return certificate.Hash{}, nil
	}
	if err != nil {
		return certificate.Hash{}, err
	}
	item, _, err := provider.ParseItem(text)
	if err != nil {
		return certificate.Hash{}, &provider.Error{
			Provider: w.Name(), Request: "genesis", Attempts: 1, Rule: verdict.RuleMalformed, Err: err,
		}
	}
	if item.Hash == b.genesis {
		return certificate.Hash{}, nil
	}
	return item.Hash, nil
}
