package aggregator

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/stmverify/stmverify/internal/limits"
	"github.com/stmverify/stmverify/verdict"
)

// TestListAtItsLimit reads a list of as many certificates as one may have, and of one more.
func TestListAtItsLimit(t *testing.T) {
	list := func(n int) []byte {
		item := fmt.Sprintf(`{"hash":"%064d","previous_hash":"","epoch":1,"signed_entity_type":{"MithrilStakeDistribution":1}}`, 1)
		return []byte("[" + strings.Repeat(item+",", n-1) + item + "]")
	}
	if items, err := parseList(list(limits.MaxListItems)); err != nil || len(items) != limits.MaxListItems {
		t.Errorf("%d certificates: got %d, %v", limits.MaxListItems, len(items), err)
	}
	if _, err := parseList(list(limits.MaxListItems + 1)); !errors.Is(err, verdict.ErrLimit) {
		t.Errorf("%d certificates: got %v", limits.MaxListItems+1, err)
	}
}

// TestBodyAtItsLimit reads a body of as many bytes as one may have, and of one more, announced and not.
func TestBodyAtItsLimit(t *testing.T) {
	for _, announced := range []bool{true, false} {
		for n, want := range map[int64]error{limits.MaxCertificateBytes: nil, limits.MaxCertificateBytes + 1: verdict.ErrLimit} {
			resp := &http.Response{Body: io.NopCloser(strings.NewReader(strings.Repeat(" ", int(n)))), ContentLength: -1}
			if announced {
				resp.ContentLength = n
			}
			body, o := readBody(resp, limits.MaxCertificateBytes)
			if !errors.Is(o.err, want) || want == nil && (o.err != nil || int64(len(body)) != n) {
				t.Errorf("%d bytes, announced %v: got %d, %v, want %v", n, announced, len(body), o.err, want)
			}
		}
	}
	for n, valid := range map[int64]bool{0: false, 1: true, limits.MaxCertificateBytes: true, limits.MaxCertificateBytes + 1: false} {
		if _, err := New("https://aggregator.example", BodyLimit(n)); (err == nil) != valid {
			t.Errorf("a limit of %d bytes: got %v", n, err)
		}
	}
}

// TestWindowAtItsLimit reads a body whose stream asks for as much memory as it may, and one that asks for more.
func TestWindowAtItsLimit(t *testing.T) {
	for window, want := range map[int]error{limits.MaxWindow: nil, 2 * limits.MaxWindow: verdict.ErrLimit} {
		var packed bytes.Buffer
		w, err := zstd.NewWriter(&packed, zstd.WithWindowSize(window))
		if err != nil {
			t.Fatal(err)
		}
		// In two parts, so that the length is not known when the frame begins and the window is what it says.
		for _, part := range []string{"one", "two"} {
			if _, err := io.WriteString(w, part); err != nil {
				t.Fatal(err)
			}
			if err := w.Flush(); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		resp := &http.Response{Body: io.NopCloser(&packed), ContentLength: -1, Header: http.Header{"Content-Encoding": {"zstd"}}}
		body, o := readBody(resp, 100)
		if !errors.Is(o.err, want) || want == nil && (o.err != nil || string(body) != "onetwo") {
			t.Errorf("window of %d bytes: got %q, %v, want %v", window, body, o.err, want)
		}
	}
}
