package ed25519

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/stmverify/stmverify/ed25519/internal/edwards"
	"github.com/stmverify/stmverify/internal/lanes/curve25519"
)

// crew carries out the tasks of a segment on several goroutines. The goroutines live for one call of run only; their
// working memory stays.
type crew struct {
	workers []*worker
	sum     edwards.Sum

	segment *segment
	ctx     context.Context
	phase   phase
	tasks   int64
	next    atomic.Int64
	failed  atomic.Pointer[error]
	wg      sync.WaitGroup
}

// worker is the working memory of a goroutine, and what it runs.
type worker struct {
	scratch      edwards.Scratch
	decoder      edwards.Decoder
	lanes        lanes
	coefficients [taskItems * coefficientSize]byte
	run          func()
}

// init makes the crew's workers.
func (c *crew) init(workers int) {
	for range workers {
		w := new(worker)
		if curve25519.Available() {
			w.lanes.work = new(curve25519.Workspace)
			w.lanes.ok = make([]bool, lanesSpan)
			w.decoder.Lanes = w.lanes.work
		}
		w.run = func() {
			defer c.wg.Done()
			c.work(w)
		}
		c.workers = append(c.workers, w)
	}
}

// run carries out the tasks of a phase on the caller's goroutine and others, and returns when all are done. It stops
// early with the cause of the end of ctx or with the first error of a task.
func (c *crew) run(ctx context.Context, s *segment, p phase, tasks int) error {
	c.segment, c.ctx, c.phase, c.tasks = s, ctx, p, int64(tasks)
	c.next.Store(0)
	c.failed.Store(nil)
	for _, w := range c.workers[1:max(1, min(len(c.workers), tasks))] {
		c.wg.Add(1)
		go w.run()
	}
	c.work(c.workers[0])
	c.wg.Wait()
	if err := c.failed.Load(); err != nil {
		return *err
	}
	return context.Cause(ctx)
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
