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
// lingers for the next, since to wake another thread takes longer than what lies between two phases or two segments; it
// ends soon when none comes. Its working memory stays.
type crew struct {
	workers []*worker
	sum     edwards.Sum

	segment *segment
	ctx     context.Context
	phase   phase
	parts   []part
	stopped atomic.Bool // ctx ended before a task of the segment
	began   time.Time
	linger  atomic.Int64  // nanoseconds that a goroutine waits for the next phase
	pending atomic.Int64  // goroutines in this phase, the caller's too
	done    chan struct{} // receives when the last of them leaves
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
	called                 // it is to take part in the phase
	working                // it does
	lingering              // it waits for the next phase
)

const (
	// breath is how often a goroutine that waits looks whether it may go on, about a microsecond in all, before it lets
	// others run and looks at the clock.
	breath = 1 << 10
	// longestLinger bounds how long a goroutine waits for the next phase. To wake a thread takes about that long where
	// the processor is virtual, and a tenth of it elsewhere.
	longestLinger = 100 * time.Microsecond
	// lingerShare bounds it after the last phase of a segment, for the next segment: to a part of the time that this one
	// took.
	lingerShare = 20
	// mostBreaths bounds it where the clock does not go on, as in a bubble of testing/synctest.
	mostBreaths = 1 << 10
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

// run carries out the tasks of a phase on the caller's goroutine and others, and returns when all are done. When ctx ends
// before that, it returns the cause, and so does every later phase of the segment: what was not done must not be taken
// for done, even if ctx, against its contract, takes back that it ended.
func (c *crew) run(ctx context.Context, s *segment, p phase, tasks int) error {
	c.segment, c.ctx, c.phase = s, ctx, p
	c.divide(tasks)
	others := c.workers[1:max(1, min(len(c.workers), tasks))]
	c.pending.Store(int64(len(others)) + 1)
	for _, w := range others {
		w.call()
	}
	c.work(c.workers[0])
	for _, w := range others {
		// All tasks are taken: a goroutine that waits for a processor need not come.
		if w.state.CompareAndSwap(called, lingering) {
			c.pending.Add(-1)
		}
	}
	c.wait()
	switch cause := context.Cause(ctx); {
	case cause != nil:
		c.stopped.Store(true)
		return cause
	case c.stopped.Load():
		return context.Canceled
	}
	return nil
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
	since, breaths := time.Now(), 0
	for {
		if w.isCalled() {
			c.work(w)
			w.state.Store(lingering)
			c.leave()
			since, breaths = time.Now(), 0
			continue
		}
		breaths++
		enough := breaths >= mostBreaths || time.Since(since) > time.Duration(c.linger.Load())
		if enough && w.state.CompareAndSwap(lingering, gone) {
			return
		}
		runtime.Gosched()
	}
}

// isCalled waits a breath for a call and takes it.
func (w *worker) isCalled() bool {
	for range breath {
		if w.state.Load() == called && w.state.CompareAndSwap(called, working) {
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
	for i := 0; c.pending.Load() > 1 && i < 64*breath; i++ {
		if i%breath == breath-1 {
			runtime.Gosched()
		}
	}
	c.leave()
	<-c.done
}

// begin and end enclose the phases of a segment.
func (c *crew) begin() {
	c.stopped.Store(false)
	c.began = time.Now()
	c.linger.Store(int64(longestLinger))
}

func (c *crew) end() {
	c.linger.Store(int64(min(longestLinger, time.Since(c.began)/lingerShare)))
}

// work carries out tasks until there are none left.
func (c *crew) work(w *worker) {
	for !c.stopped.Load() {
		if c.ctx.Err() != nil {
			c.stopped.Store(true)
			return
		}
		task, ok := c.take(w)
		if !ok {
			return
		}
		c.segment.do(c, w, task)
	}
}
