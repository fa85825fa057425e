package ed25519

import (
	"context"
	"runtime"
	"sync/atomic"

	"github.com/stmverify/stmverify/ed25519/internal/edwards"
	"github.com/stmverify/stmverify/internal/lanes/curve25519"
)

// crew carries out the tasks of a segment on several goroutines. A goroutine that has nothing left to do in a phase
// lingers for the next, since to wake another thread takes longer than what lies between two phases; it ends soon when
// no phase comes. Its working memory stays.
type crew struct {
	workers []*worker
	sum     edwards.Sum

	segment *segment
	ctx     context.Context
	phase   phase
	tasks   int64
	next    atomic.Int64
	failed  atomic.Pointer[error]
	pending atomic.Int64  // workers in this phase beside the caller
	done    chan struct{} // the last of them, if the caller sleeps
}

// worker is the working memory of a goroutine, and what it runs.
type worker struct {
	scratch      edwards.Scratch
	decoder      edwards.Decoder
	lanes        lanes
	coefficients [taskItems * coefficientSize]byte
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
	dismissed              // it is to end
)

// patience is how often a goroutine looks whether the others are ready, some ten microseconds in all, and breath how
// often before it lets other goroutines run.
const (
	patience = 1 << 14
	breath   = 1 << 10
)

// init makes the crew's workers.
func (c *crew) init(workers int) {
	c.done = make(chan struct{}, 1)
	for range workers {
		w := new(worker)
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
// early with the cause of the end of ctx or with the first error of a task.
func (c *crew) run(ctx context.Context, s *segment, p phase, tasks int) error {
	c.segment, c.ctx, c.phase, c.tasks = s, ctx, p, int64(tasks)
	c.next.Store(0)
	c.failed.Store(nil)
	others := c.workers[1:max(1, min(len(c.workers), tasks))]
	c.pending.Store(int64(len(others)) + 1)
	for _, w := range others {
		w.call()
	}
	c.work(c.workers[0])
	c.wait()
	if err := c.failed.Load(); err != nil {
		return *err
	}
	return context.Cause(ctx)
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
		for i := 1; ; i++ {
			now := w.state.Load()
			if now == called {
				break
			}
			if (now == dismissed || i == patience) && w.state.CompareAndSwap(now, gone) {
				return
			}
			if i%breath == 0 {
				runtime.Gosched()
			}
		}
	}
}

// leave says that a goroutine has no tasks left; the last one wakes the caller of run.
func (c *crew) leave() {
	if c.pending.Add(-1) == 0 {
		c.done <- struct{}{}
	}
}

// wait waits for the workers in this phase.
func (c *crew) wait() {
	for i := 1; i < patience && c.pending.Load() > 1; i++ {
		if i%breath == 0 {
			runtime.Gosched()
		}
	}
	c.leave()
	<-c.done
}

// dismiss ends the goroutines that linger.
func (c *crew) dismiss() {
	for _, w := range c.workers {
		w.state.CompareAndSwap(lingering, dismissed)
	}
}

// work carries out tasks until there are none left.
func (c *crew) work(w *worker) {
	for {
		task := c.next.Add(1) - 1
		if task >= c.tasks || c.ctx.Err() != nil || c.failed.Load() != nil {
			return
		}
		if err := c.segment.do(c, w, int(task)); err != nil {
			c.fail(err)
			return
		}
	}
}

// fail notes the first error of a task. It is a function of its own because err escapes to the heap here.
func (c *crew) fail(err error) { c.failed.CompareAndSwap(nil, &err) }
