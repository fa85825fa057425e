package metrics

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/stmverify/stmverify/light"
	"github.com/stmverify/stmverify/light/store"
	"github.com/stmverify/stmverify/verdict"
)

// values returns every counter and gauge but the time of the last success.
func values(t *testing.T, registry *prometheus.Registry) map[string]float64 {
	t.Helper()
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]float64{}
	for _, family := range families {
		for _, m := range family.GetMetric() {
			name := family.GetName()
			for _, label := range m.GetLabel() {
				name += "/" + label.GetValue()
			}
			switch {
			case name == "stmverify_light_last_success_timestamp_seconds":
			case m.GetCounter() != nil:
				out[name] = m.GetCounter().GetValue()
			case m.GetGauge() != nil:
				out[name] = m.GetGauge().GetValue()
			case m.GetHistogram() != nil:
				out[name] = float64(m.GetHistogram().GetSampleCount())
			}
		}
	}
	return out
}

func TestObserver(t *testing.T) {
	registry := prometheus.NewRegistry()
	o, err := New(registry)
	if err != nil {
		t.Fatal(err)
	}
	tip := &store.Record{Epoch: 300}
	for _, e := range []light.Event{
		light.SyncStarted{},
		light.Fetched{Bytes: 100, Took: time.Millisecond}, light.Fetched{Bytes: 20, Took: time.Second},
		light.Committed{Certificates: 2},
		light.WitnessChecked{Witness: light.Witness{Outcome: light.Agreed}},
		light.SyncFinished{Tip: tip},
		light.SourceFailed{},
		light.SyncFinished{Tip: tip, Err: verdict.ErrUnavailable},
		light.SyncFinished{Tip: tip, Err: verdict.ErrInvalid},
		light.SyncFinished{Err: errors.New("disk")},
	} {
		o.Observe(e)
	}
	want := map[string]float64{
		"stmverify_light_certificates_fetched_total":  2,
		"stmverify_light_fetched_bytes_total":         120,
		"stmverify_light_fetch_seconds":               2,
		"stmverify_light_certificates_verified_total": 2,
		"stmverify_light_witness_checks_total/agreed": 1,
		"stmverify_light_source_failures_total":       1,
		"stmverify_light_consecutive_failures":        3,
		"stmverify_light_tip_epoch":                   300,
		"stmverify_light_syncs_total/ok":              1,
		"stmverify_light_syncs_total/unavailable":     1,
		"stmverify_light_syncs_total/invalid":         1,
		"stmverify_light_syncs_total/error":           1,
	}
	if diff := cmp.Diff(want, values(t, registry)); diff != "" {
		t.Errorf("metrics (-want +got):\n%s", diff)
	}
	if _, err := New(registry); err == nil {
		t.Error("a second registration succeeds")
	}
}
