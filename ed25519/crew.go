package ed25519

import (
	"context"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/stmverify/stmverify/ed25519/internal/edwards"
	"github.com/stmverify/stmverify/internal/lanes/curve25519"
)

// crew carries out the tasks of a segment on several goroutines. A goroutine that has nothing left to do in a phase
// lingers for the next, since to wake another thread takes longer than what lies between two phases or two batches; it
// ends soon when none comes. Its working memory stays.
type crew struct {
	workers []*worker
	sum     edwards.Sum

	segment *segment
	ctx     context.Context
	phase   phase
	parts   []part
	began   time.Time
	linger  atomic.Int64  // nanoseconds that a goroutine waits for the next phase
	pending atomic.Int64  // workers in this phase beside the caller
	done    chan struct{} // the last of them, if the caller sleeps
}

// part is a run of tasks of a phase. Each worker has one, so that what it touches lies together, from one batch to the
// next too, and helps with those of others when it is through. Few tasks, which are long, have one part for all.
type part struct {
	next atomic.Int64
	end  int64
	_    [6]int64 // the counters of two workers are not in one cache line
}

// worker is the working memory of a goroutine, and what it runs.
type worker struct {
	number       int
	scratch      edwards.Scratch
	decoder      edwards.Decoder
	lanes        lanes
	coefficients [taskItems * coefficientSize]byte
	places       [taskItems]cachePlace
	base         edwards.Scalar // Σ z·S over the items it prepared
	run          func()
	state        atomic.Uint32
}

// state is what the goroutine of a worker is doing.
type state = uint32

const (
	gone      state = iota // there is no goroutine
	called                 // it carries out tasks, or is about to
	lingering              // it waits for the next phase
)

const (
	// breath is how often a goroutine that waits looks whether it may go on, about a microsecond in all, before it lets
	// others run and looks at the clock.
	breath = 1 << 10
	// longestLinger bounds how long a goroutine waits for the next phase. To wake a thread takes about that long where
	// the processor is virtual, and a tenth of it elsewhere.
	longestLinger = 100 * time.Microsecond
	// lingerShare bounds it after the last phase of a batch, for the next batch: to a part of the time that this one took.
	lingerShare = 20
	// fewTasks a worker are too few to be divided beforehand.
	fewTasks = 4
)

// init makes the crew's workers.
func (c *crew) init(workers int) {
	c.done = make(chan struct{}, 1)
	c.parts = make([]part, workers)
	for i := range workers {
		w := &worker{number: i}
		if curve25519.Available() {
			w.lanes.work = new(curve25519.Workspace)
			w.lanes.ok = make([]bool, lanesSpan)
			w.decoder.Lanes = w.lanes.work
		}
		w.run = func() { c.serve(w) }
		c.workers = append(c.workers, w)
	}
}

// run carries out the tasks of a phase on the caller's goroutine and others, and returns when all are done. It stops
// early with the cause of the end of ctx.
func (c *crew) run(ctx context.Context, s *segment, p phase, tasks int) error {
	c.segment, c.ctx, c.phase = s, ctx, p
	c.divide(tasks)
	others := c.workers[1:max(1, min(len(c.workers), tasks))]
	c.pending.Store(int64(len(others)) + 1)
	for _, w := range others {
		w.call()
	}
	c.work(c.workers[0])
	c.wait()
	return context.Cause(ctx)
}

// divide makes the parts of so many tasks.
func (c *crew) divide(tasks int) {
	n := len(c.workers)
	if tasks < fewTasks*n {
		n = 1
	}
	c.parts = c.parts[:n]
	for i := range c.parts {
		c.parts[i].next.Store(int64(i * tasks / n))
		c.parts[i].end = int64((i + 1) * tasks / n)
	}
}

// take returns the next task of the worker, or false when there are none left.
func (c *crew) take(w *worker) (task int, ok bool) {
	for i := range c.parts {
		p := &c.parts[(w.number+i)%len(c.parts)]
		if p.next.Load() >= p.end {
			continue
		}
		if t := p.next.Add(1) - 1; t < p.end {
			return int(t), true
		}
	}
	return 0, false
}

// call has the worker take part in the phase.
func (w *worker) call() {
	for {
		was := w.state.Load()
		if !w.state.CompareAndSwap(was, called) {
			continue
		}
		if was == gone {
			go w.run()
		}
		return
	}
}

// serve takes part in one phase after the other, until the next takes long to come.
func (c *crew) serve(w *worker) {
	for {
		c.work(w)
		w.state.Store(lingering)
		c.leave()
		for since := time.Now(); !w.isCalled(); {
			if time.Since(since) > time.Duration(c.linger.Load()) && w.state.CompareAndSwap(lingering, gone) {
				return
			}
			runtime.Gosched()
		}
	}
}

// isCalled waits a breath for a call.
func (w *worker) isCalled() bool {
	for range breath {
		if w.state.Load() == called {
			return true
		}
	}
	return false
}

// leave says that a goroutine has no tasks left; the last one wakes the caller of run.
func (c *crew) leave() {
	if c.pending.Add(-1) == 0 {
		c.done <- struct{}{}
	}
}

// wait waits for the workers in this phase.
func (c *crew) wait() {
	for i := 0; c.pending.Load() > 1 && i < breath*breath/16; i++ {
		if i%breath == breath-1 {
			runtime.Gosched()
		}
	}
	c.leave()
	<-c.done
}

// begin and end enclose the phases of a batch.
func (c *crew) begin() {
	c.began = time.Now()
	c.linger.Store(int64(longestLinger))
}

func (c *crew) end() {
	c.linger.Store(int64(min(longestLinger, time.Since(c.began)/lingerShare)))
}

// work carries out tasks until there are none left.
func (c *crew) work(w *worker) {
	for c.ctx.Err() == nil {
		task, ok := c.take(w)
		if !ok {
			return
		}
		c.segment.do(c, w, task)
	}
}
