package aggregator

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"golang.org/x/time/rate"

	"github.com/stmverify/stmverify/certificate"
	"github.com/stmverify/stmverify/internal/limits"
	"github.com/stmverify/stmverify/light/provider"
	"github.com/stmverify/stmverify/verdict"
)

// Client asks an aggregator over HTTP. It implements provider.Provider and is safe for concurrent use.
//
// What cannot be repaired by asking again is not asked again: a certificate the aggregator does not have, a refused
// request, a redirect to another origin, a body over the limit, a TLS certificate that does not verify. Everything else
// that is not an answer (a broken connection, a body that ends early, a timeout, status 408, 429, 500, 502, 503 and 504)
// is repeated with exponentially growing, jittered waits, or the Retry-After of the answer where that is longer.
type Client struct {
	settings
	base    *url.URL
	name    string
	http    *http.Client
	limiter *rate.Limiter
	own     *http.Transport // nil when the caller gave one
}

var _ provider.Provider = (*Client)(nil)

// New returns a client for the aggregator at endpoint, the URL to which /certificates is appended. It makes no request.
func New(endpoint string, options ...Option) (*Client, error) {
	s := settings{
		timeout: DefaultTimeout, retries: DefaultRetries, minBackoff: DefaultMinBackoff, maxBackoff: DefaultMaxBackoff,
		maxRetryAfter: DefaultMaxRetryAfter, rate: DefaultRate, bodyLimit: limits.MaxCertificateBytes,
		userAgent: DefaultUserAgent, origin: DefaultOrigin,
	}
	for _, option := range options {
		if err := option(&s); err != nil {
			return nil, err
		}
	}
	base, err := parseEndpoint(endpoint, s.plainHTTP)
	if err != nil {
		return nil, err
	}
	c := &Client{settings: s, base: base, name: base.Redacted(), limiter: rate.NewLimiter(rate.Limit(s.rate), 10)}
	if c.transport == nil {
		c.own = newTransport()
		c.transport = c.own
	}
	c.http = &http.Client{Transport: c.transport, CheckRedirect: c.checkRedirect}
	return c, nil
}

// Name returns the endpoint, without a password.
func (c *Client) Name() string { return c.name }

// Close closes the idle connections of the client. Requests under way go on.
func (c *Client) Close() error {
	if c.own != nil {
		c.own.CloseIdleConnections()
	}
	return nil
}

// Certificate implements provider.Provider.
func (c *Client) Certificate(ctx context.Context, hash certificate.Hash) ([]byte, error) {
	return c.get(ctx, request{what: "certificate", hash: hash, path: "certificate/" + hash.String()})
}

// Genesis implements provider.Provider.
func (c *Client) Genesis(ctx context.Context) ([]byte, error) {
	return c.get(ctx, request{what: "genesis", path: "certificate/genesis"})
}

// Recent implements provider.Provider.
func (c *Client) Recent(ctx context.Context) ([]provider.Item, error) {
	r := request{what: "certificates", path: "certificates"}
	body, err := c.get(ctx, r)
	if err != nil {
		return nil, err
	}
	items, err := parseList(body)
	if err != nil {
		return nil, c.fail(r, outcome{err: err, rule: verdict.RuleMalformed}, 1)
	}
	return items, nil
}

func parseEndpoint(endpoint string, plainHTTP bool) (*url.URL, error) {
	u, err := url.Parse(endpoint)
	if err != nil {
		return nil, fmt.Errorf("aggregator: endpoint: %w", err)
	}
	switch {
	case u.Host == "":
		return nil, fmt.Errorf("aggregator: endpoint %q: want an absolute URL", u.Redacted())
	case u.RawQuery != "" || u.Fragment != "":
		return nil, fmt.Errorf("aggregator: endpoint %q: query and fragment are not supported", u.Redacted())
	case u.Scheme == "https":
	case u.Scheme != "http":
		return nil, fmt.Errorf("aggregator: endpoint %q: want an https URL", u.Redacted())
	case !plainHTTP && !loopback(u.Hostname()):
		return nil, fmt.Errorf("aggregator: endpoint %q: %w", u.Redacted(), ErrPlainHTTP)
	}
	u.Path = strings.TrimRight(u.Path, "/")
	return u, nil
}

// ErrPlainHTTP says that an endpoint without TLS was not explicitly allowed.
var ErrPlainHTTP = errors.New("plain http is allowed on this machine only, unless asked for")

func loopback(host string) bool {
	if host == "localhost" {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.IsLoopback()
}

func newTransport() *http.Transport {
	dialer := &net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}
	return &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            dialer.DialContext,
		TLSHandshakeTimeout:    10 * time.Second,
		MaxIdleConnsPerHost:    4,
		IdleConnTimeout:        90 * time.Second,
		MaxResponseHeaderBytes: maxHeaderBytes,
		ForceAttemptHTTP2:      true,
		DisableCompression:     true, // bodies are decompressed under a limit of our own
	}
}

// errRedirect marks a redirect that is not followed.
var errRedirect = verdict.Sentinel(verdict.ErrUnavailable, "redirect refused")

// checkRedirect follows redirects within the origin of the endpoint only: another scheme, host or port could read the
// request or answer in the aggregator's name.
func (c *Client) checkRedirect(to *http.Request, via []*http.Request) error {
	if to.URL.Scheme != c.base.Scheme || to.URL.Host != c.base.Host {
		return fmt.Errorf("%w: to another origin, %s://%s", errRedirect, to.URL.Scheme, to.URL.Host)
	}
	if len(via) > maxRedirects {
		return fmt.Errorf("%w: more than %d", errRedirect, maxRedirects)
	}
	return nil
}
