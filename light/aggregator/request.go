package aggregator

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"

	"github.com/stmverify/stmverify/certificate"
	"github.com/stmverify/stmverify/light/provider"
	"github.com/stmverify/stmverify/verdict"
)

// Retry describes a wait before another attempt.
type Retry struct {
	Provider string
	Request  string           // "certificate", "genesis" or "certificates"
	Hash     certificate.Hash // of the certificate asked for, or zero
	Attempt  int              // number of the attempt that failed, from 1
	Wait     time.Duration
	Err      error // why it failed
}

// request is what is asked for.
type request struct {
	what string
	hash certificate.Hash
	path string
}

// outcome is how one attempt ended without a body.
type outcome struct {
	err        error
	rule       verdict.Rule
	status     int
	retry      bool
	retryAfter time.Duration
}

// The reasons for which a request fails.
var (
	errStatus     = verdict.Sentinel(verdict.ErrUnavailable, "unexpected status")
	errAPIVersion = verdict.Sentinel(verdict.ErrUnsupported, "the aggregator does not serve this version of its interface")
	errTransport  = verdict.Sentinel(verdict.ErrUnavailable, "no answer")
	errTimeout    = verdict.Sentinel(verdict.ErrUnavailable, "no complete answer in time")
	errTooLong    = verdict.Sentinel(verdict.ErrUnavailable, "Retry-After longer than is waited for")
	errBody       = verdict.Sentinel(verdict.ErrUnavailable, "body broke off")
)

// get asks until there is a body, repeating cannot help, or the retries are used up.
func (c *Client) get(ctx context.Context, r request) ([]byte, error) {
	for attempt := 1; ; attempt++ {
		body, o := c.attempt(ctx, r)
		if o.err == nil {
			return body, nil
		}
		if err := context.Cause(ctx); err != nil {
			return nil, fmt.Errorf("provider %s: %s: %w", c.name, r.what, err)
		}
		if !o.retry || attempt > c.retries {
			return nil, c.fail(r, o, attempt)
		}
		wait := max(c.backoff(attempt), o.retryAfter)
		if o.retryAfter > c.maxRetryAfter {
			o.err = fmt.Errorf("%w: %s: %w", errTooLong, o.retryAfter, o.err)
			return nil, c.fail(r, o, attempt)
		}
		if c.onRetry != nil {
			c.onRetry(Retry{Provider: c.name, Request: r.what, Hash: r.hash, Attempt: attempt, Wait: wait, Err: o.err})
		}
		if err := sleep(ctx, wait); err != nil {
			return nil, fmt.Errorf("provider %s: %s: %w", c.name, r.what, err)
		}
	}
}

func (c *Client) fail(r request, o outcome, attempts int) error {
	return &provider.Error{
		Provider: c.name, Request: r.what, Hash: r.hash, Status: o.status, Attempts: attempts, Rule: o.rule, Err: o.err,
	}
}

// backoff returns the wait after the n-th attempt: the first, doubled n-1 times, capped, and shortened at random.
func (c *Client) backoff(n int) time.Duration {
	wait := c.maxBackoff
	if n < 32 && c.minBackoff < c.maxBackoff>>(n-1) {
		wait = c.minBackoff << (n - 1)
	}
	return wait/2 + rand.N(wait/2+1)
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// attempt asks once.
func (c *Client) attempt(ctx context.Context, r request) ([]byte, outcome) {
	if err := c.limiter.Wait(ctx); err != nil {
		// Wait also fails early when the deadline of ctx would pass first.
		return nil, outcome{err: fmt.Errorf("%w: %w", errTimeout, err)}
	}
	ctx, cancel := context.WithTimeoutCause(ctx, c.timeout, errTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.base.JoinPath(r.path).String(), nil)
	if err != nil {
		return nil, outcome{err: fmt.Errorf("%w: %w", errTransport, err)}
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("Accept-Encoding", "zstd, gzip")
	req.Header.Set("User-Agent", c.userAgent)
	if c.origin != "" {
		req.Header.Set("mithril-origin-tag", c.origin)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, transportOutcome(ctx, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, statusOutcome(resp, r)
	}
	body, o := readBody(resp, c.bodyLimit)
	if o.retry && ctx.Err() != nil {
		o.err = fmt.Errorf("%w: %w", errTimeout, o.err)
	}
	return body, o
}

// transportOutcome judges an error of the HTTP client: everything but a refused redirect and a TLS certificate that does
// not verify may be better the next time.
func transportOutcome(ctx context.Context, err error) outcome {
	var untrusted *tls.CertificateVerificationError
	switch {
	case errors.Is(err, errRedirect):
		return outcome{err: err}
	case errors.As(err, &untrusted):
		return outcome{err: fmt.Errorf("%w: %w", errTransport, err)}
	case ctx.Err() != nil:
		return outcome{err: fmt.Errorf("%w: %w", errTimeout, err), retry: true}
	}
	return outcome{err: fmt.Errorf("%w: %w", errTransport, err), retry: true}
}

func statusOutcome(resp *http.Response, r request) outcome {
	o := outcome{status: resp.StatusCode, err: fmt.Errorf("%w %d", errStatus, resp.StatusCode)}
	switch resp.StatusCode {
	case http.StatusNotFound:
		if r.what != "certificates" { // otherwise there is no aggregator at this URL
			o.err, o.rule = provider.ErrNotFound, verdict.RuleCertificateNotFound
		}
	case http.StatusPreconditionFailed:
		o.err, o.rule = errAPIVersion, verdict.RuleUnsupported
	case http.StatusRequestTimeout, http.StatusTooManyRequests, http.StatusInternalServerError,
		http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		o.retry = true
		o.retryAfter = parseRetryAfter(resp.Header.Get("Retry-After"), time.Now())
	}
	return o
}

// parseRetryAfter reads both forms of the header, seconds and a date. It returns 0 for anything else.
func parseRetryAfter(text string, now time.Time) time.Duration {
	if seconds, err := strconv.ParseUint(text, 10, 32); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if date, err := http.ParseTime(text); err == nil {
		return max(0, date.Sub(now))
	}
	return 0
}
