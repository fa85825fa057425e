package aggregator

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/stmverify/stmverify/internal/limits"
	"github.com/stmverify/stmverify/light/provider"
	"github.com/stmverify/stmverify/verdict"
)

var (
	errTooLarge  = verdict.Sentinel(verdict.ErrLimit, "body too large")
	errCoding    = verdict.Sentinel(verdict.ErrUnsupported, "content coding")
	errListForm  = verdict.Sentinel(verdict.ErrInvalid, "not a list of certificates")
	errListItems = verdict.Sentinel(verdict.ErrLimit, "too many certificates in the list")
)

// readBody reads and decompresses a body of at most limit bytes. A body that breaks off may be better the next time; one
// that is too large or in an unknown coding will not.
func readBody(resp *http.Response, limit int64) ([]byte, outcome) {
	if resp.ContentLength > limit {
		return nil, outcome{err: fmt.Errorf("%w: %d bytes announced, limit %d", errTooLarge, resp.ContentLength, limit), rule: verdict.RuleLimitExceeded}
	}
	r, done, err := decompress(resp)
	if err != nil {
		return nil, bodyOutcome(err)
	}
	defer done()
	var body bytes.Buffer
	if resp.ContentLength > 0 {
		body.Grow(int(resp.ContentLength) + bytes.MinRead)
	}
	n, err := body.ReadFrom(io.LimitReader(r, limit+1))
	if n > limit {
		return nil, outcome{err: fmt.Errorf("%w: more than %d bytes", errTooLarge, limit), rule: verdict.RuleLimitExceeded}
	}
	if err != nil {
		return nil, bodyOutcome(err)
	}
	return body.Bytes(), outcome{}
}

func bodyOutcome(err error) outcome {
	switch {
	case errors.Is(err, errCoding):
		return outcome{err: err, rule: verdict.RuleUnsupported}
	case errors.Is(err, zstd.ErrWindowSizeExceeded), errors.Is(err, zstd.ErrDecoderSizeExceeded):
		return outcome{err: fmt.Errorf("%w: %w", errTooLarge, err), rule: verdict.RuleLimitExceeded}
	}
	return outcome{err: fmt.Errorf("%w: %w", errBody, err), retry: true}
}

// decompress returns a reader of the decompressed body and a function that releases it.
func decompress(resp *http.Response) (io.Reader, func(), error) {
	switch coding := strings.ToLower(strings.TrimSpace(resp.Header.Get("Content-Encoding"))); coding {
	case "", "identity":
		return resp.Body, func() {}, nil
	case "gzip", "x-gzip":
		r, err := gzip.NewReader(resp.Body)
		return r, func() {}, err
	case "zstd":
		r, err := zstd.NewReader(resp.Body, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxWindow(limits.MaxWindow), zstd.WithDecoderMaxMemory(2*limits.MaxWindow))
		if err != nil {
			return nil, nil, err
		}
		return r, r.Close, nil
	default:
		return nil, nil, fmt.Errorf("%w %q", errCoding, coding)
	}
}

// parseList reads the list of recent certificates. Fields it does not need are ignored.
func parseList(body []byte) ([]provider.Item, error) {
	var lines []json.RawMessage
	if err := json.Unmarshal(body, &lines); err != nil {
		return nil, fmt.Errorf("%w: %w", errListForm, err)
	}
	if len(lines) > limits.MaxListItems {
		return nil, fmt.Errorf("%w: %d, limit %d", errListItems, len(lines), limits.MaxListItems)
	}
	items := make([]provider.Item, len(lines))
	for i, line := range lines {
		var err error
		if items[i], _, err = provider.ParseItem(line); err != nil {
			return nil, fmt.Errorf("%w: certificate %d: %w", errListForm, i, err)
		}
	}
	return items, nil
}
