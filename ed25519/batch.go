package ed25519

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"

	"github.com/stmverify/stmverify/verdict"
)

// ErrEmptyBatch says that [Batch.Verify] was called on a batch without signatures. That is refused, because a caller
// who lost the signatures on the way must not take silence for consent.
var ErrEmptyBatch = verdict.Sentinel(verdict.ErrInvalid, "ed25519: batch without signatures")

// errUndecided is the verdict of a signature before [Batch.Verify] came to it.
var errUndecided = errors.New("ed25519: not verified yet")

// Options are the choices of a [Batch] that change its speed but never a verdict. The zero value is ready for use.
type Options struct {
	// Workers is the number of goroutines that verify, the caller of Verify included. 0 or less means GOMAXPROCS.
	Workers int
	// Cache keeps decoded public keys from batch to batch, and may be shared between batches. nil means none.
	Cache *KeyCache
}

// Batch verifies many signatures under one [Mode]. The verdict on each is the one of [Verify]; it does not depend on
// the other signatures, on their order or on their number.
//
// In the modes [CofactoredStrict] and [ZIP215] the equations of up to 8 192 signatures are multiplied with independent
// secret 128-bit coefficients and checked as one. If the sum fails, halves of it are, until the invalid signatures are
// found; one of them costs about as much again as a batch without. A signature is accepted wrongly with a probability
// of at most 1/(2¹²⁸-1) a sum. The modes [Strict] and [StdLib] have no such equation (the components of small order
// would cancel by chance) and decide every signature by itself, on all cores.
//
// Signatures of several groups, such as blocks of different sizes, belong in one batch: it divides its signatures
// evenly over the workers, without regard to groups. The indices that [Batch.Add] returns tell them apart.
//
// Its goroutines outlive a verification by at most a twentieth of the time that it took, and by 100 µs, so that the next
// one finds them awake.
//
// A Batch is not safe for concurrent use. It keeps its memory for the next batch, at most about 1 KB a signature and
// the messages, and does not allocate once it has seen a batch of that size. The zero value is an empty batch of mode
// Strict.
type Batch struct {
	mode    Mode
	options Options

	segments []*segment // the last one is open if it is not sealed
	free     []*segment
	crew     crew

	background func() // what the goroutine of Start does
	idle       chan struct{}

	mu      sync.Mutex // guards what follows
	queue   []queued
	running bool
}

// queued is a segment that Start passed to the background.
type queued struct {
	ctx     context.Context
	segment *segment
}

// NewBatch returns an empty batch. It returns [ErrMode] if mode is none of the four.
func NewBatch(mode Mode, options Options) (*Batch, error) {
	if mode >= modeCount {
		return nil, ErrMode
	}
	return &Batch{mode: mode, options: options}, nil
}

// Add adds a signature and returns its index: 0 for the first, then one more each time. It copies its arguments, whose
// lengths may be wrong; such a signature is refused by Verify like any other invalid one.
func (b *Batch) Add(publicKey, message, sig []byte) int {
	s := b.open()
	s.add(publicKey, message, sig)
	return s.first + len(s.items) - 1
}

// Len returns the number of signatures added since the last Reset.
func (b *Batch) Len() int {
	if len(b.segments) == 0 {
		return 0
	}
	s := b.segments[len(b.segments)-1]
	return s.first + len(s.items)
}

// open returns the segment to which signatures are added.
func (b *Batch) open() *segment {
	if n := len(b.segments); n > 0 {
		if s := b.segments[n-1]; !s.sealed && len(s.items) < maxSegment {
			return s
		}
	}
	first := b.Len()
	b.seal()
	var s *segment
	if n := len(b.free); n > 0 {
		s, b.free = b.free[n-1], b.free[:n-1]
	} else {
		s = newSegment()
	}
	s.reset(b.mode, b.options.Cache, first)
	b.segments = append(b.segments, s)
	return s
}

// seal closes the open segment.
func (b *Batch) seal() {
	if n := len(b.segments); n > 0 {
		b.segments[n-1].sealed = true
	}
}

// Start begins to verify, in the background, the signatures added so far and not yet started. More can be added in the
// meantime; Verify waits for all of them. What was started ends when nothing is left to do, or with ctx; Reset waits for
// it. Signatures that Start did not come to are left to Verify.
//
// Every call makes a sum of its own, so that there should be some hundred signatures between two calls.
func (b *Batch) Start(ctx context.Context) {
	b.seal()
	b.prepare()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, s := range b.segments {
		if !s.started {
			s.started = true
			b.queue = append(b.queue, queued{ctx, s})
		}
	}
	if len(b.queue) == 0 || b.running {
		return
	}
	select {
	case <-b.idle: // left over by a goroutine that nobody waited for
	default:
	}
	b.running = true
	go b.background()
}

// prepare makes what a batch needs before its first verification.
func (b *Batch) prepare() {
	if b.background != nil {
		return
	}
	b.idle = make(chan struct{}, 1)
	b.background = b.drain
	workers := b.options.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	b.crew.init(workers)
}

// drain verifies queued segments until there are none.
func (b *Batch) drain() {
	for {
		b.mu.Lock()
		if len(b.queue) == 0 {
			b.running = false
			b.idle <- struct{}{}
			b.mu.Unlock()
			return
		}
		next := b.queue[0]
		n := copy(b.queue, b.queue[1:])
		b.queue[n] = queued{}
		b.queue = b.queue[:n]
		b.mu.Unlock()
		// An error leaves the segment undecided. Verify does it again and reports the error if it persists.
		_ = next.segment.verify(next.ctx, &b.crew)
	}
}

// wait returns when the background has nothing left to do.
func (b *Batch) wait(ctx context.Context) error {
	b.mu.Lock()
	running := b.running
	b.mu.Unlock()
	if !running {
		return nil
	}
	select {
	case <-b.idle:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Verify returns nil if every signature of the batch is valid. Otherwise it returns a [*BatchError] that names every
// invalid one; [ErrEmptyBatch] if there is none to verify; or the cause of the end of ctx, after which some signatures
// are undecided and Verify may be called again. Verify after another Add decides the new signatures only, and reports
// on all.
func (b *Batch) Verify(ctx context.Context) error {
	if b.Len() == 0 {
		return ErrEmptyBatch
	}
	b.seal()
	b.prepare()
	if err := b.wait(ctx); err != nil {
		return err
	}
	bad := 0
	for _, s := range b.segments {
		s.started = true
		if err := s.verify(ctx, &b.crew); err != nil {
			return err
		}
		bad += s.bad
	}
	if bad > 0 {
		return b.failure(bad)
	}
	return nil
}

// Verdicts appends to dst the verdict on each signature in the order of Add: nil, or the error that [Verify] would
// return. It is meant for use after [Batch.Verify] and waits for what Start began; a signature that is not decided yet
// has an error that is not a verdict.
func (b *Batch) Verdicts(dst []error) []error {
	_ = b.wait(context.Background())
	for _, s := range b.segments {
		for i := range s.items {
			switch {
			case !s.decided:
				dst = append(dst, errUndecided)
			default:
				dst = append(dst, s.items[i].err)
			}
		}
	}
	return dst
}

// Reset empties the batch and keeps its memory, mode and options. It waits for what Start began.
func (b *Batch) Reset() {
	_ = b.wait(context.Background())
	b.free = append(b.free, b.segments...)
	clear(b.segments)
	b.segments = b.segments[:0]
}

// BatchError lists the invalid signatures of a batch. It wraps the reason against each.
type BatchError struct {
	Total int // the number of signatures in the batch
	Bad   []BadSignature
}

// BadSignature is one invalid signature of a batch.
type BadSignature struct {
	Index int   // what [Batch.Add] returned
	Err   error // what [Verify] would return
}

// failure lists the bad signatures.
func (b *Batch) failure(bad int) error {
	e := &BatchError{Total: b.Len(), Bad: make([]BadSignature, 0, bad)}
	for _, s := range b.segments {
		for i := range s.items {
			if err := s.items[i].err; err != nil {
				e.Bad = append(e.Bad, BadSignature{s.first + i, err})
			}
		}
	}
	return e
}

func (e *BatchError) Error() string {
	return fmt.Sprintf("ed25519: %d of %d signatures are invalid, the first at index %d: %v",
		len(e.Bad), e.Total, e.Bad[0].Index, e.Bad[0].Err)
}

// Unwrap returns the reasons, each once.
func (e *BatchError) Unwrap() []error {
	var reasons []error
next:
	for i := range e.Bad {
		for _, r := range reasons {
			if r == e.Bad[i].Err {
				continue next
			}
		}
		reasons = append(reasons, e.Bad[i].Err)
	}
	return reasons
}
