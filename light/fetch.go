package light

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"time"

	"github.com/stmverify/stmverify/certificate"
	"github.com/stmverify/stmverify/light/provider"
	"github.com/stmverify/stmverify/verdict"
)

// What ends a walk before its time. The place is in the provider.Error around it.
var (
	errOther  = verdict.Sentinel(verdict.ErrInvalid, "the provider sent another certificate")
	errEpochs = verdict.Sentinel(verdict.ErrInvalid, "a certificate is newer than its child")
	errLoop   = verdict.Sentinel(verdict.ErrInvalid, "the walk returns to a certificate that it has passed")
	errLong   = verdict.Sentinel(verdict.ErrLimit, "the walk is too long")
	errBytes  = verdict.Sentinel(verdict.ErrLimit, "the walk has too many bytes")
)

// fetch follows the names of parents through a provider, ahead of who verifies. Names are claims: a walk that ends where it
// should not, or that is not one, is for package chain to refuse.
type fetch struct {
	client   *Client
	provider provider.Provider
	tip      certificate.Hash
	known    func(certificate.Hash) bool // where a walk may end
	floor    uint64                      // epoch at which it will end, or 0

	pieces chan []byte   // one text after another, closed at the end
	done   chan struct{} // closed when run has returned
	cancel context.CancelFunc

	// The fields below belong to run until done is closed.
	texts [][]byte
	end   certificate.Hash // known, and the parent of the last text; zero after any other end
	err   error
}

// start begins to fetch. The caller must call stop.
func (f *fetch) start(ctx context.Context) {
	ctx, f.cancel = context.WithCancel(ctx)
	f.pieces = make(chan []byte, fetchAhead)
	f.done = make(chan struct{})
	go func() {
		defer close(f.done)
		defer close(f.pieces)
		f.err = f.run(ctx)
	}()
}

// stop ends the fetching and waits for that. It may be called twice.
func (f *fetch) stop() {
	f.cancel()
	<-f.done
}

// all yields the texts as they arrive, and at last the error that ended the walk.
func (f *fetch) all() iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for text := range f.pieces {
			if !yield(text, nil) {
				return
			}
		}
		<-f.done
		if f.err != nil {
			yield(nil, f.err)
		}
	}
}

func (f *fetch) run(ctx context.Context) error {
	seen := map[certificate.Hash]bool{}
	var first, last provider.Item
	size := 0
	for next := f.tip; ; {
		seen[next] = true
		started := time.Now()
		text, err := f.provider.Certificate(ctx, next)
		if err != nil {
			return err
		}
		if cap(text) > len(text)+len(text)/4 {
			text = bytes.Clone(text) // it stays in memory for the length of the walk
		}
		f.texts, size = append(f.texts, text), size+len(text)
		// What is wrong with the text, package chain says better: it gets the text before this function judges it.
		select {
		case f.pieces <- text:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		item, genesis, err := provider.ParseItem(text)
		if err != nil {
			return f.refuse(next, verdict.RuleMalformed, err)
		}
		if len(f.texts) == 1 {
			first, last = item, item
		}
		f.client.observer.Observe(Fetched{
			Provider: f.provider.Name(), Hash: next, Number: len(f.texts), Expected: f.expected(first),
			Bytes: len(text), Took: time.Since(started),
		})
		if item.Hash != next {
			return f.refuse(next, f.otherRule(), fmt.Errorf("%w, %s", errOther, item.Hash))
		}
		if err := f.checkBounds(first, last, item, size); err != nil {
			return err
		}
		last = item
		next = item.PreviousHash
		switch {
		case genesis || next.IsZero():
			return nil
		case f.known(next):
			f.end = next
			return nil
		case seen[next]:
			return f.refuse(next, verdict.RuleChainLoop, errLoop)
		}
	}
}

// expected returns how many certificates the walk has when there is one an epoch down to the floor, or 0 when the floor
// is not known.
func (f *fetch) expected(first provider.Item) int {
	if f.floor == 0 || first.Epoch < f.floor {
		return 0
	}
	return int(min(first.Epoch-f.floor+1, uint64(f.client.maxCertificates)))
}

// otherRule names what another certificate than the one asked for breaks.
func (f *fetch) otherRule() verdict.Rule {
	if len(f.texts) == 1 {
		return verdict.RuleRequestedHashMismatch
	}
	return verdict.RulePreviousHashMismatch
}

// checkBounds stops a walk that no honest chain has: more certificates than epochs passed, and three (SPEC 6.4), an epoch
// that grows on the way to genesis, or more than the limits of the client.
func (f *fetch) checkBounds(first, last, item provider.Item, size int) error {
	n := len(f.texts)
	switch {
	case item.Epoch > last.Epoch:
		return f.refuse(item.Hash, verdict.RuleEpochDecreases, fmt.Errorf("%w: epoch %d is its child's", errEpochs, last.Epoch))
	case n > f.client.maxCertificates:
		return f.refuse(item.Hash, verdict.RuleChainTooLong, fmt.Errorf("%w: limit %d", errLong, f.client.maxCertificates))
	case uint64(n) > first.Epoch-item.Epoch+3:
		return f.refuse(item.Hash, verdict.RuleChainTooLong,
			fmt.Errorf("%w: %d certificates between epochs %d and %d", errLong, n, item.Epoch, first.Epoch))
	case size > f.client.maxBytes:
		return f.refuse(item.Hash, verdict.RuleLimitExceeded, fmt.Errorf("%w: limit %d", errBytes, f.client.maxBytes))
	}
	return nil
}

func (f *fetch) refuse(hash certificate.Hash, rule verdict.Rule, err error) error {
	return &judgement{&provider.Error{
		Provider: f.provider.Name(), Request: "certificate", Hash: hash, Attempts: 1, Rule: rule, Err: err,
	}}
}

// judgement is an error about what a provider sent, rather than one of asking it.
type judgement struct{ err *provider.Error }

func (j *judgement) Error() string { return j.err.Error() }
func (j *judgement) Unwrap() error { return j.err }
