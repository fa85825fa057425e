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

// newProgress starts a bar, or a spinner where the total is not known and given as 0.
func (a *app) newProgress(name string, total int) *progress {
	if a.quiet || !isTerminal(a.stderr) {
		return &progress{}
	}
	container := mpb.New(mpb.WithOutput(a.stderr), mpb.WithWidth(40))
	var style mpb.BarFillerBuilder = mpb.BarStyle()
	counter := decor.CountersNoUnit("%d / %d certificates")
	if total == 0 {
		style, counter = mpb.SpinnerStyle(), decor.CurrentNoUnit("%d certificates")
	}
	bar := container.New(int64(total), style,
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
