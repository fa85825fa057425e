package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/stmverify/stmverify/light/metrics"
	"github.com/stmverify/stmverify/light/store"
)

// health is what /healthz answers from. It is healthy from the first sync that succeeds, as long as the last success is not
// older than a few intervals.
type health struct {
	mu       sync.Mutex
	limit    time.Duration
	success  time.Time
	failures int
	epoch    uint64
	err      string
}

// healthDocument is what /healthz prints.
type healthDocument struct {
	Schema      string    `json:"schema"`
	Healthy     bool      `json:"healthy"`
	LastSuccess time.Time `json:"last_success"`
	Failures    int       `json:"consecutive_failures"`
	TipEpoch    uint64    `json:"tip_epoch"`
	Error       string    `json:"error,omitempty"`
}

func (h *health) finished(err error, tip *store.Record, now time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if tip != nil {
		h.epoch = tip.Epoch
	}
	if err != nil {
		h.failures++
		h.err = err.Error()
		return
	}
	h.success, h.failures, h.err = now, 0, ""
}

func (h *health) document(now time.Time) healthDocument {
	h.mu.Lock()
	defer h.mu.Unlock()
	return healthDocument{
		Schema: "stmverify/health/v1", LastSuccess: h.success, Failures: h.failures, TipEpoch: h.epoch, Error: h.err,
		Healthy: !h.success.IsZero() && now.Sub(h.success) <= h.limit,
	}
}

func (h *health) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	document := h.document(time.Now())
	w.Header().Set("Content-Type", "application/json")
	if !document.Healthy {
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	_ = json.NewEncoder(w).Encode(document) // the client may be gone
}

// serve serves /metrics and /healthz at the address until the returned function is called. It does nothing without one.
func (o *syncObserver) serve(address string, interval time.Duration) (stop func() error, err error) {
	if address == "" {
		return func() error { return nil }, nil
	}
	o.health.limit = max(5*interval, 5*time.Minute)
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	observer, err := metrics.New(registry)
	if err != nil {
		return nil, err
	}
	o.mu.Lock()
	o.next = observer
	o.mu.Unlock()
	listener, err := listen(address)
	if err != nil {
		return nil, fmt.Errorf("--listen: %w", err)
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	mux.Handle("GET /healthz", o.health)
	return serveHTTP(listener, mux, func() { o.log.Info("listening", "address", listener.Addr().String()) }), nil
}

// listen listens at an address, on this machine only when it has no host.
func listen(address string) (net.Listener, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	if host == "" {
		host = "127.0.0.1"
	}
	return net.Listen("tcp", net.JoinHostPort(host, port))
}

// serveHTTP serves until the returned function is called, and calls ready before.
func serveHTTP(listener net.Listener, handler http.Handler, ready func()) (stop func() error) {
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: time.Minute}
	failed := make(chan error, 1)
	ready()
	go func() { failed <- server.Serve(listener) }()
	return func() error {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if server.Shutdown(ctx) != nil {
			_ = server.Close() // some answer goes on for ever
		}
		if err := <-failed; !errors.Is(err, http.ErrServerClosed) {
			return err
		}
		return nil
	}
}
