package aggregator

import (
	"fmt"
	"net/http"
	"time"

	"github.com/stmverify/stmverify/internal/limits"
)

// The defaults of the options.
const (
	DefaultTimeout       = 30 * time.Second       // of one attempt, from the connection to the last byte of the body
	DefaultRetries       = 4                      // attempts after the first
	DefaultMinBackoff    = 250 * time.Millisecond // before the second attempt, halved at most by jitter
	DefaultMaxBackoff    = 10 * time.Second
	DefaultMaxRetryAfter = time.Minute // the longest Retry-After that is waited for
	DefaultRate          = 50          // requests a second
	DefaultUserAgent     = "stmverify"
	DefaultOrigin        = "STMVERIFY"
)

// maxRedirects bounds the redirects of one request.
const maxRedirects = 3

// maxHeaderBytes bounds the headers of an answer.
const maxHeaderBytes = 64 << 10

// settings are what the options set.
type settings struct {
	plainHTTP     bool
	timeout       time.Duration
	retries       int
	minBackoff    time.Duration
	maxBackoff    time.Duration
	maxRetryAfter time.Duration
	rate          float64
	bodyLimit     int64
	userAgent     string
	origin        string
	transport     http.RoundTripper
	onRetry       func(Retry)
}

// Option changes a setting of a [Client].
type Option func(*settings) error

// PlainHTTP allows an endpoint that is not HTTPS and not on this machine. Whoever is on the path then sees which
// certificates are asked for and can keep newer ones back; a forged certificate is refused all the same.
func PlainHTTP() Option {
	return func(s *settings) error {
		s.plainHTTP = true
		return nil
	}
}

// Timeout bounds one attempt, from the connection to the last byte of the body. The default is [DefaultTimeout].
func Timeout(d time.Duration) Option {
	return func(s *settings) error {
		s.timeout = d
		return positive("timeout", d)
	}
}

// Retries sets how many attempts may follow a failed one. The default is [DefaultRetries]; 0 asks once.
func Retries(n int) Option {
	return func(s *settings) error {
		s.retries = n
		if n < 0 {
			return fmt.Errorf("aggregator: negative number of retries: %d", n)
		}
		return nil
	}
}

// Backoff sets the wait before the second attempt, which doubles before each further one, and its upper bound. Each wait
// is shortened at random by up to one half.
func Backoff(first, longest time.Duration) Option {
	return func(s *settings) error {
		s.minBackoff, s.maxBackoff = first, longest
		if longest < first {
			return fmt.Errorf("aggregator: longest backoff %s is shorter than the first, %s", longest, first)
		}
		return positive("backoff", first)
	}
}

// MaxRetryAfter bounds the Retry-After of an answer that is waited for. A longer one ends the request as unavailable.
func MaxRetryAfter(d time.Duration) Option {
	return func(s *settings) error {
		s.maxRetryAfter = d
		return positive("longest Retry-After", d)
	}
}

// Rate bounds the requests a second, retries included. The default is [DefaultRate].
func Rate(perSecond float64) Option {
	return func(s *settings) error {
		s.rate = perSecond
		if !(perSecond > 0) {
			return fmt.Errorf("aggregator: rate must be positive, got %v", perSecond)
		}
		return nil
	}
}

// BodyLimit bounds the body of an answer in bytes, after decompression. The default is that of one certificate, 4 MiB.
func BodyLimit(bytes int64) Option {
	return func(s *settings) error {
		s.bodyLimit = bytes
		if bytes <= 0 || bytes > limits.MaxCertificateBytes {
			return fmt.Errorf("aggregator: body limit must be from 1 to %d bytes, got %d", limits.MaxCertificateBytes, bytes)
		}
		return nil
	}
}

// UserAgent sets the User-Agent header. The default is [DefaultUserAgent].
func UserAgent(text string) Option {
	return func(s *settings) error {
		s.userAgent = text
		return nil
	}
}

// Origin sets the mithril-origin-tag header, by which aggregators count their kinds of clients; empty sends none. The
// default is [DefaultOrigin].
func Origin(tag string) Option {
	return func(s *settings) error {
		s.origin = tag
		return nil
	}
}

// Transport replaces the HTTP transport, for a proxy or for private certificate authorities. It must neither decompress
// bodies nor cache; [Client.Close] does not close it.
func Transport(t http.RoundTripper) Option {
	return func(s *settings) error {
		s.transport = t
		return nil
	}
}

// OnRetry sets a function that is called before each wait, on the goroutine of the request.
func OnRetry(f func(Retry)) Option {
	return func(s *settings) error {
		s.onRetry = f
		return nil
	}
}

func positive(what string, d time.Duration) error {
	if d <= 0 {
		return fmt.Errorf("aggregator: %s must be positive, got %s", what, d)
	}
	return nil
}
