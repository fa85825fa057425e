package chain

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/stmverify/stmverify/batch"
	"github.com/stmverify/stmverify/certificate"
	"github.com/stmverify/stmverify/internal/limits"
	"github.com/stmverify/stmverify/multisig"
	"github.com/stmverify/stmverify/verdict"
)

// Verify verifies a chain of decoded certificates, the leaf first, each followed by its parent, down to a genesis certificate
// or to a child of the checkpoint in trust. A few certificates behind the end of the chain may be asked for, and are ignored.
// The certificates are not changed and not kept.
//
// The error is an [*Error] when a certificate breaks a rule, the context's error when it was cancelled, and otherwise what
// the iterator yielded, wrapped. Only a nil error means that the chain is verified.
func Verify(ctx context.Context, certs iter.Seq2[*certificate.Certificate, error], trust Trust, opts ...Option) (*Verified, error) {
	return run(ctx, trust, newOptions(opts), func(yield func(*item, error) bool) {
		for c, err := range certs {
			if !yield(&item{cert: c}, err) {
				return
			}
		}
	})
}

// VerifyEncoded is [Verify] for certificates in JSON, as an aggregator serves them, which it decodes on all cores. Each slice
// belongs to Verify once it was yielded.
func VerifyEncoded(ctx context.Context, certs iter.Seq2[[]byte, error], trust Trust, opts ...Option) (*Verified, error) {
	return run(ctx, trust, newOptions(opts), func(yield func(*item, error) bool) {
		for raw, err := range certs {
			if !yield(&item{raw: raw}, err) {
				return
			}
		}
	})
}

// item is a certificate on its way.
type item struct {
	position int
	raw      []byte
	cert     *certificate.Certificate
	failure  *Error // of a check that needs no parent
	pairing  error  // of the pairing, when certificates are verified one by one
	source   error  // of the iterator
}

func run(ctx context.Context, trust Trust, o *options, source iter.Seq2[*item, error]) (*Verified, error) {
	v := &verification{trust: trust, o: o, decoder: certificate.Decoder{Keys: o.keys}}
	v.batch = batch.Verifier{Window: o.window, Jobs: o.jobs, Counters: &v.counters}
	start := time.Now()
	v.hits, v.decoded = o.keys.Counts()
	if o.jobs == 1 {
		v.sequential(ctx, source)
	} else {
		v.parallel(ctx, source)
	}
	verified, err := v.verdict(ctx)
	v.fillStats(start)
	return verified, err
}

// verification is one call of Verify.
type verification struct {
	trust    Trust
	o        *options
	decoder  certificate.Decoder
	batch    batch.Verifier
	counters multisig.Counters
	claims   atomic.Int64
	times    stageTimes

	hits, decoded uint64 // of the cache of keys, before

	// Of the certificates accepted so far, in walk order; used by one goroutine.
	records   []Record
	text      int // bytes of text in records
	previous  *certificate.Certificate
	leaf      *Checkpoint
	sameEpoch int // links within an epoch
	complete  bool
	ended     *Checkpoint
	failure   error // what ended the walk
	failedAt  int   // its position
	culprits  []Culprit
}

type stageTimes struct{ decode, check, prepare, combine stopwatch }

// stopwatch adds up durations.
type stopwatch struct{ atomic.Int64 }

// since adds the time from start to now and returns now.
func (w *stopwatch) since(start time.Time) time.Time {
	now := time.Now()
	w.Add(int64(now.Sub(start)))
	return now
}

// The bounds of a group: certificates of few signatures are decoded together, so that their points fill the lanes of the
// decoder; one of many signatures is a group of its own.
const (
	groupCertificates = 16
	groupBytes        = 64 << 10
)

// groups numbers what the iterator yields and calls f with every group, until f returns false. Certificates that are decoded
// already come one by one.
func groups(source iter.Seq2[*item, error], f func(group []*item) bool) {
	var group []*item
	position, size := 0, 0
	for it, err := range source {
		it.position, it.source = position, err
		position++
		group = append(group, it)
		size += len(it.raw)
		if err == nil && it.raw != nil && len(group) < groupCertificates && size < groupBytes {
			continue
		}
		if !f(group) {
			return
		}
		group, size = nil, 0
	}
	if len(group) > 0 {
		f(group)
	}
}

// sequential verifies on the caller's goroutine.
func (v *verification) sequential(ctx context.Context, source iter.Seq2[*item, error]) {
	groups(source, func(group []*item) bool {
		if ctx.Err() != nil {
			return false
		}
		v.process(group)
		for _, it := range group {
			if !v.accept(it) {
				return false
			}
		}
		return true
	})
}

// work is a group on its way.
type work struct {
	group []*item
	done  chan struct{} // closed when the group was processed
}

// parallel runs the iterator on the caller's goroutine, the jobs on others, and one more that takes the results in order.
func (v *verification) parallel(ctx context.Context, source iter.Seq2[*item, error]) {
	todo := make(chan work)
	order := make(chan work, 2*v.o.jobs)
	var stopped atomic.Bool
	var workers, consumer sync.WaitGroup
	for range v.o.jobs {
		workers.Go(func() {
			for w := range todo {
				if !stopped.Load() {
					v.process(w.group)
				}
				close(w.done)
			}
		})
	}
	consumer.Go(func() {
		for w := range order {
			<-w.done
			for _, it := range w.group {
				if !stopped.Load() && !v.accept(it) {
					stopped.Store(true)
				}
			}
		}
	})
	groups(source, func(group []*item) bool {
		if stopped.Load() || ctx.Err() != nil {
			return false
		}
		w := work{group, make(chan struct{})}
		order <- w // Its room is what bounds the certificates on their way.
		todo <- w
		return true
	})
	close(todo)
	workers.Wait()
	close(order)
	consumer.Wait()
}

// process decodes and examines certificates, and hands what remains to the batch.
func (v *verification) process(group []*item) {
	start := time.Now()
	v.decode(group)
	examined := v.times.decode.since(start)
	for _, it := range group {
		if it.cert != nil && it.failure == nil {
			examined = v.examine(it, examined)
		}
	}
}

// decode decodes the certificates of a group that are not decoded yet.
func (v *verification) decode(group []*item) {
	var texts [][]byte
	var encoded []*item
	for _, it := range group {
		switch {
		case it.source != nil || it.cert != nil:
		case it.raw == nil:
			it.failure = decodeError(it.position, errNoCertificate)
		default:
			texts, encoded = append(texts, it.raw), append(encoded, it)
		}
	}
	certs, errs := v.decoder.DecodeAll(texts)
	for i, it := range encoded {
		if errs[i] != nil {
			it.failure = decodeError(it.position, errs[i])
			continue
		}
		it.cert, it.raw = certs[i], nil
	}
}

// examine checks a decoded certificate; it began at start and returns when it ended.
func (v *verification) examine(it *item, start time.Time) time.Time {
	claim, failure := v.trust.examine(it.position, it.cert)
	examined := v.times.check.since(start)
	if failure != nil || it.cert.IsGenesis() {
		it.failure = failure
		return examined
	}
	if v.o.oneByOne {
		it.pairing = claim.VerifyCounting(&v.counters)
	} else {
		v.batch.AddAt(it.position, claim)
		v.claims.Add(1)
	}
	return v.times.prepare.since(examined)
}

var errNoCertificate = verdict.Sentinel(verdict.ErrInvalid, "the iterator yielded no certificate")

// accept takes the next certificate in walk order: it checks the link that ends in it and decides whether the walk goes on.
func (v *verification) accept(it *item) bool {
	if it.source != nil {
		return v.fail(it.position, v.sourceError(it))
	}
	// A certificate that is wrong by itself also breaks the link to it; the former says more.
	if it.failure != nil {
		return v.fail(it.position, it.failure)
	}
	if err := v.link(it); err != nil {
		return v.fail(err.Position, err)
	}
	v.records = append(v.records, recordOf(it.cert))
	if v.text += v.records[len(v.records)-1].text(); v.text > limits.MaxChainText {
		return v.fail(it.position, mismatch(it.position, it.cert, verdict.RuleLimitExceeded,
			decimal(uint64(v.text))+" bytes of messages and names", decimal(limits.MaxChainText)+" at most"))
	}
	v.previous = it.cert
	if it.position == 0 {
		v.leaf = checkpointOf(it.cert)
	}
	if it.pairing != nil {
		v.culprits = append(v.culprits, aggregateError(it.position, it.cert, it.pairing).Culprits...)
	}
	if v.enough() {
		return v.fail(math.MaxInt, errEnough) // The culprits are what is reported.
	}
	if v.o.progress != nil {
		v.o.progress(Progress{Checked: len(v.records), Epoch: it.cert.Epoch})
	}
	return v.goOn(it)
}

var errEnough = errors.New("chain: enough culprits are known")

// enough reports whether as many culprits among the accepted certificates are known as are named.
func (v *verification) enough() bool {
	if v.o.oneByOne {
		return len(v.culprits) >= limits.MaxCulprits
	}
	return v.batch.FailedBelow(len(v.records)) >= limits.MaxCulprits
}

// link checks the rules between the certificate before and this one, or those of a leaf.
func (v *verification) link(it *item) *Error {
	if it.position == 0 {
		if leaf := v.trust.Leaf; leaf != nil && it.cert.Hash != *leaf {
			return mismatch(0, it.cert, verdict.RuleRequestedHashMismatch, it.cert.Hash, *leaf)
		}
		return nil
	}
	if err := v.trust.checkLink(it.position-1, v.previous, checkpointOf(it.cert)); err != nil {
		return err
	}
	if it.cert.Epoch != v.previous.Epoch {
		return nil
	}
	// A chain is at most as long as its epochs and three more: the leaf, the first certificate of its epoch, the first of
	// each epoch before (SPEC 6.4). With the epochs falling by one otherwise, this bounds the links within an epoch.
	const most = 2
	if v.sameEpoch++; v.sameEpoch > most {
		return mismatch(it.position-1, v.previous, verdict.RuleChainTooLong, "another link within an epoch", decimal(most)+" at most")
	}
	return nil
}

// goOn decides whether the walk goes on behind an accepted certificate.
func (v *verification) goOn(it *item) bool {
	if it.cert.IsGenesis() {
		v.complete = true
		return false
	}
	if p := v.trust.Checkpoint; p != nil && it.cert.PreviousHash == p.Hash {
		if err := v.trust.checkLink(it.position, it.cert, p); err != nil {
			return v.fail(it.position, err)
		}
		v.complete, v.ended = true, p
		return false
	}
	if len(v.records) >= v.o.most {
		return v.fail(it.position, mismatch(it.position, it.cert, verdict.RuleChainTooLong, "another certificate", decimal(uint64(v.o.most))+" at most"))
	}
	return true
}

func (v *verification) fail(position int, err error) bool {
	v.failure, v.failedAt = err, position
	return false
}

// sourceError is the error for an iterator that failed instead of yielding a certificate.
func (v *verification) sourceError(it *item) error {
	if errors.Is(it.source, ErrCertificateNotFound) {
		return v.notFound(it.source)
	}
	var e *Error
	if errors.As(it.source, &e) {
		return e
	}
	var c *certificate.Error
	if errors.As(it.source, &c) {
		return decodeError(it.position, it.source)
	}
	return fmt.Errorf("chain: certificate %d from the leaf: %w", it.position, it.source)
}

// notFound is the error for a chain that ends too early.
func (v *verification) notFound(err error) *Error {
	if v.previous == nil {
		return &Error{Rule: verdict.RuleCertificateNotFound, Signature: -1, Err: err}
	}
	e := mismatch(len(v.records)-1, v.previous, verdict.RuleCertificateNotFound, "no such certificate", "its parent "+v.previous.PreviousHash.String())
	e.Parent, e.Err = v.previous.PreviousHash, err
	return e
}

// verdict completes the batch and decides.
func (v *verification) verdict(ctx context.Context) (*Verified, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if v.failure == nil && !v.complete {
		err := v.notFound(ErrCertificateNotFound)
		v.fail(err.Position, err)
	}
	if err := v.combine(ctx); err != nil {
		return nil, err
	}
	if len(v.culprits) > 0 && (v.failure == nil || v.culprits[0].Position < v.failedAt) {
		return nil, v.pairingError()
	}
	if v.failure != nil {
		return nil, v.failure
	}
	return &Verified{records: v.records, leaf: v.leaf, checkpoint: v.ended}, nil
}

// combine completes the batch and collects the culprits among the accepted certificates.
func (v *verification) combine(ctx context.Context) error {
	if v.claims.Load() == 0 {
		return nil
	}
	start := time.Now()
	err := v.batch.Verify(ctx)
	v.times.combine.since(start)
	var failed *batch.Error
	if err == nil || !errors.As(err, &failed) {
		return err
	}
	for _, f := range failed.Failures {
		if f.Slot < len(v.records) && len(v.culprits) < limits.MaxCulprits {
			r := &v.records[f.Slot]
			v.culprits = append(v.culprits, Culprit{f.Slot, r.Hash, r.Epoch, f.Signatures})
		}
	}
	return nil
}

// pairingError reports the culprits.
func (v *verification) pairingError() *Error {
	first := v.culprits[0]
	e := &Error{Position: first.Position, Hash: first.Hash, Epoch: first.Epoch, HasEpoch: true, Rule: verdict.RuleMultiSignatureInvalid,
		Detail: verdict.DetailAggregateInvalid, Signature: -1, Culprits: v.culprits, Err: multisig.ErrSignature}
	if len(first.Signatures) > 0 {
		e.Signature = first.Signatures[0]
	}
	return e
}

func (v *verification) fillStats(start time.Time) {
	s := v.o.stats
	if s == nil {
		return
	}
	*s = Stats{Certificates: len(v.records), Operations: v.counters.Counts(), Total: time.Since(start)}
	for i := range v.records {
		s.Signatures += v.records[i].Signatures
		s.LotteryHashes += v.records[i].Indexes
	}
	hits, decoded := v.o.keys.Counts()
	s.KeysCached, s.KeysDecoded = hits-v.hits, decoded-v.decoded
	s.Decode = time.Duration(v.times.decode.Load())
	s.Check = time.Duration(v.times.check.Load())
	s.Prepare = time.Duration(v.times.prepare.Load())
	s.Combine = time.Duration(v.times.combine.Load())
}
