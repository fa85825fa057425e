// Package metrics turns the events of a light client into Prometheus metrics. It is a package of its own so that only
// programs that want metrics depend on them.
package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/stmverify/stmverify/light"
	"github.com/stmverify/stmverify/verdict"
)

// Observer counts events. It implements light.Observer and is safe for concurrent use.
type Observer struct {
	syncs     *prometheus.CounterVec
	fetched   prometheus.Counter
	bytes     prometheus.Counter
	fetchTime prometheus.Histogram
	stored    prometheus.Counter
	witnesses *prometheus.CounterVec
	failovers prometheus.Counter
	failures  prometheus.Gauge
	epoch     prometheus.Gauge
	success   prometheus.Gauge
}

var _ light.Observer = (*Observer)(nil)

// New registers the metrics with a registry of the caller. It returns an error when they are registered there already.
func New(registry prometheus.Registerer) (*Observer, error) {
	const namespace, subsystem = "stmverify", "light"
	counter := func(name, help string) prometheus.Counter {
		return prometheus.NewCounter(prometheus.CounterOpts{Namespace: namespace, Subsystem: subsystem, Name: name, Help: help})
	}
	vector := func(name, help, label string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: namespace, Subsystem: subsystem, Name: name, Help: help}, []string{label})
	}
	gauge := func(name, help string) prometheus.Gauge {
		return prometheus.NewGauge(prometheus.GaugeOpts{Namespace: namespace, Subsystem: subsystem, Name: name, Help: help})
	}
	o := &Observer{
		syncs:   vector("syncs_total", "Syncs by result: ok, invalid, unavailable, unsupported, limit or error.", "result"),
		fetched: counter("certificates_fetched_total", "Certificates that providers sent."),
		bytes:   counter("fetched_bytes_total", "Bytes of certificates that providers sent, after decompression."),
		fetchTime: prometheus.NewHistogram(prometheus.HistogramOpts{
			Namespace: namespace, Subsystem: subsystem, Name: "fetch_seconds", Help: "Time to fetch one certificate, retries included.",
			Buckets: prometheus.ExponentialBuckets(0.005, 2, 13),
		}),
		stored:    counter("certificates_verified_total", "Certificates that were verified and stored."),
		witnesses: vector("witness_checks_total", "Witnesses asked, by outcome.", "outcome"),
		failovers: counter("source_failures_total", "Times a provider did not deliver and another one was asked."),
		failures:  gauge("consecutive_failures", "Syncs that failed since the last one that succeeded."),
		epoch:     gauge("tip_epoch", "Epoch of the latest verified certificate."),
		success:   gauge("last_success_timestamp_seconds", "Time of the last sync that succeeded."),
	}
	for _, c := range []prometheus.Collector{
		o.syncs, o.fetched, o.bytes, o.fetchTime, o.stored, o.witnesses, o.failovers, o.failures, o.epoch, o.success,
	} {
		if err := registry.Register(c); err != nil {
			return nil, err
		}
	}
	return o, nil
}

// Observe implements light.Observer.
func (o *Observer) Observe(e light.Event) {
	switch e := e.(type) {
	case light.Fetched:
		o.fetched.Inc()
		o.bytes.Add(float64(e.Bytes))
		o.fetchTime.Observe(e.Took.Seconds())
	case light.Committed:
		o.stored.Add(float64(e.Certificates))
	case light.WitnessChecked:
		o.witnesses.WithLabelValues(string(e.Outcome)).Inc()
	case light.SourceFailed:
		o.failovers.Inc()
	case light.SyncFinished:
		o.finished(e)
	}
}

func (o *Observer) finished(e light.SyncFinished) {
	o.syncs.WithLabelValues(result(e.Err)).Inc()
	if e.Tip != nil {
		o.epoch.Set(float64(e.Tip.Epoch))
	}
	if e.Err != nil {
		o.failures.Inc()
		return
	}
	o.failures.Set(0)
	o.success.Set(float64(time.Now().UnixMilli()) / 1000)
}

func result(err error) string {
	switch class := verdict.Class(err); {
	case err == nil:
		return "ok"
	case class == verdict.ErrInvalid:
		return "invalid"
	case class == verdict.ErrUnavailable:
		return "unavailable"
	case class == verdict.ErrUnsupported:
		return "unsupported"
	case class == verdict.ErrLimit:
		return "limit"
	}
	return "error"
}
