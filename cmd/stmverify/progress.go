package main

import (
	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
)

// progress shows on a terminal how many certificates passed all checks but the last. On anything else, and with --quiet, it does nothing.
type progress struct {
	container *mpb.Progress
	bar       *mpb.Bar
}

// newProgress starts a bar; total is 0 where it is not known.
func (a *app) newProgress(name string, total int) *progress {
	if a.quiet || !isTerminal(a.stderr) {
		return &progress{}
	}
	container := mpb.New(mpb.WithOutput(a.stderr), mpb.WithWidth(40))
	counter := decor.CountersNoUnit("%d / %d certificates")
	if total == 0 {
		counter = decor.CurrentNoUnit("%d certificates")
	}
	bar := container.AddBar(int64(total),
		mpb.PrependDecorators(decor.Name(name+" ")),
		mpb.AppendDecorators(counter, decor.Elapsed(decor.ET_STYLE_MMSS, decor.WCSyncSpace)),
		mpb.BarRemoveOnComplete(),
	)
	return &progress{container, bar}
}

// set shows that n certificates passed.
func (p *progress) set(n int) {
	if p.bar != nil {
		p.bar.SetCurrent(int64(n))
	}
}

// stop removes the bar.
func (p *progress) stop() {
	if p.bar == nil {
		return
	}
	p.bar.Abort(true)
	p.container.Wait()
}
