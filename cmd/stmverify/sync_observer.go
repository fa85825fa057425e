package main

import (
	"log/slog"
	"sync"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"github.com/stmverify/stmverify/light"
	"github.com/stmverify/stmverify/light/aggregator"
)

// syncObserver shows what a light client does: as two bars on a terminal, or as a log with --watch.
type syncObserver struct {
	app    *app
	log    *slog.Logger
	health *health

	mu        sync.Mutex
	container *mpb.Progress
	fetched   *mpb.Bar
	checked   *mpb.Bar
	expected  int            // certificates of the walk, about, or 0 when nothing is known
	next      light.Observer // metrics, when they are served
}

func newSyncObserver(a *app, watch, logJSON bool) *syncObserver {
	o := &syncObserver{app: a, log: slog.New(slog.DiscardHandler), health: new(health)}
	switch {
	case watch && !a.quiet && logJSON:
		o.log = slog.New(slog.NewJSONHandler(a.stderr, nil))
	case watch && !a.quiet:
		o.log = slog.New(slog.NewTextHandler(a.stderr, nil))
	case !watch && !a.quiet && isTerminal(a.stderr):
		o.container = mpb.New(mpb.WithOutput(a.stderr), mpb.WithWidth(40))
	}
	return o
}

// retried says that a request is repeated.
func (o *syncObserver) retried(r aggregator.Retry) {
	o.log.Warn("request failed, repeating", "provider", r.Provider, "request", r.Request, "attempt", r.Attempt, "wait", r.Wait, "error", r.Err)
}

// Observe implements light.Observer.
func (o *syncObserver) Observe(e light.Event) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.next != nil {
		o.next.Observe(e)
	}
	switch e := e.(type) {
	case light.Fetched:
		o.expected = e.Expected
		o.show(&o.fetched, "fetched ", e.Number)
	case light.Checked:
		o.show(&o.checked, "checked ", e.Number)
	case light.SyncFinished:
		o.health.finished(e.Err, e.Tip, time.Now())
	case light.Waiting:
		o.log.Debug("waiting", "for", e.For, "failures", e.Failures)
	}
}

// show moves a bar, which appears with its first certificate. Where nothing is known of the length of the walk, it is a
// spinner: a first sync learns only at genesis how long its chain is.
func (o *syncObserver) show(bar **mpb.Bar, name string, number int) {
	if o.container == nil {
		return
	}
	if *bar == nil {
		var style mpb.BarFillerBuilder = mpb.BarStyle()
		counter := decor.CountersNoUnit("%d / %d certificates")
		if o.expected == 0 {
			style, counter = mpb.SpinnerStyle(), decor.CurrentNoUnit("%d certificates")
		}
		*bar = o.container.New(int64(o.expected), style,
			mpb.PrependDecorators(decor.Name(name)),
			mpb.AppendDecorators(counter, decor.Elapsed(decor.ET_STYLE_MMSS, decor.WCSyncSpace)),
		)
	}
	(*bar).SetCurrent(int64(number))
}

// stop removes the bars. It may be called twice.
func (o *syncObserver) stop() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.container == nil {
		return
	}
	for _, bar := range []*mpb.Bar{o.fetched, o.checked} {
		if bar != nil {
			bar.Abort(true)
		}
	}
	o.container.Wait()
	o.container = nil
}
