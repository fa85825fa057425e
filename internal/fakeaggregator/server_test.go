package fakeaggregator

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// certificates returns n made-up certificates, newest first: the server does not look into them.
func certificates(n int) [][]byte {
	var out [][]byte
	for i := n - 1; i >= 0; i-- {
		parent, genesis, multi := fmt.Sprintf("%064x", i-1), "", "aabbccdd"
		if i == 0 {
			parent, genesis, multi = "", "00ff", ""
		}
		out = append(out, fmt.Appendf(nil, `{"hash":"%064x","previous_hash":%q,"epoch":%d,"metadata":{"signers":[{},{}]},"multi_signature":%q,"genesis_signature":%q}`,
			i, parent, i, multi, genesis))
	}
	return out
}

func serve(t *testing.T, faults ...Fault) (*Server, *httptest.Server) {
	t.Helper()
	s, err := New(certificates(30), faults...)
	if err != nil {
		t.Fatal(err)
	}
	h := httptest.NewServer(s)
	t.Cleanup(h.Close)
	return s, h
}

func get(t *testing.T, url string) (*http.Response, []byte, error) {
	t.Helper()
	client := &http.Client{
		Timeout:       time.Minute,
		Transport:     &http.Transport{DisableKeepAlives: true}, // net/http repeats a request whose kept connection was reset
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	resp, err := client.Get(url)
	if err != nil {
		return nil, nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	return resp, body, err
}

func TestHonestRoutes(t *testing.T) {
	s, h := serve(t)
	want := certificates(30)

	_, body, err := get(t, h.URL+"/aggregator/certificate/"+fmt.Sprintf("%064x", 7))
	if err != nil || string(body) != string(want[22]) {
		t.Errorf("certificate 7: got %s, %v", body, err)
	}
	_, body, err = get(t, h.URL+"/certificate/genesis")
	if err != nil || string(body) != string(want[29]) {
		t.Errorf("genesis: got %s, %v", body, err)
	}
	resp, _, err := get(t, h.URL+"/certificate/ffff")
	if err != nil || resp.StatusCode != http.StatusNotFound {
		t.Errorf("unknown certificate: got %v, %v", resp, err)
	}
	_, body, err = get(t, h.URL+"/certificates")
	if err != nil {
		t.Fatal(err)
	}
	var list []map[string]json.RawMessage
	if err := json.Unmarshal(body, &list); err != nil {
		t.Fatal(err)
	}
	if len(list) != listed {
		t.Fatalf("list: got %d certificates, want %d", len(list), listed)
	}
	if list[0]["multi_signature"] != nil || string(list[0]["metadata"]) != `{"total_signers":2}` {
		t.Errorf("list item: got %s", body)
	}
	counts := []int{s.Requests(RouteCertificate), s.Requests(RouteGenesis), s.Requests(RouteList), s.Requests("")}
	if diff := cmp.Diff([]int{2, 1, 1, 4}, counts); diff != "" {
		t.Errorf("request counts (-want +got):\n%s", diff)
	}
}

func TestFaults(t *testing.T) {
	url := "/certificate/" + fmt.Sprintf("%064x", 7)
	honest := string(certificates(30)[22])
	tests := []struct {
		fault string
		check func(resp *http.Response, body []byte, err error) error
	}{
		{"status:status=429,retry-after=3", func(resp *http.Response, _ []byte, err error) error {
			if err != nil || resp.StatusCode != 429 || resp.Header.Get("Retry-After") != "3" {
				return fmt.Errorf("got %v", resp)
			}
			return nil
		}},
		{"reset", failed}, {"truncate", failed}, {"huge-header", failed},
		{"endless", func(_ *http.Response, body []byte, err error) error {
			if err != nil || len(body) != 1<<20 {
				return fmt.Errorf("got %d bytes", len(body))
			}
			return nil
		}},
		{"bomb", func(_ *http.Response, body []byte, err error) error {
			if err != nil || len(body) != 1<<20 {
				return fmt.Errorf("got %d bytes", len(body))
			}
			return nil
		}},
		{"drip:delay=1us", func(_ *http.Response, body []byte, err error) error {
			if string(body) != honest {
				return fmt.Errorf("got %s", body)
			}
			return err
		}},
		{"wrong:with=" + fmt.Sprintf("%064x", 8), func(_ *http.Response, body []byte, err error) error {
			if string(body) != string(certificates(30)[21]) {
				return fmt.Errorf("got %s", body)
			}
			return err
		}},
		{"redirect:location=http://elsewhere.invalid/", func(resp *http.Response, _ []byte, err error) error {
			if err != nil || resp.Header.Get("Location") != "http://elsewhere.invalid/" {
				return fmt.Errorf("got %v", resp)
			}
			return nil
		}},
		{"garbage", changed(honest)}, {"tamper", changed(honest)}, {"bad-length", changed(honest)},
		{"no-end", func(_ *http.Response, body []byte, err error) error {
			var c struct {
				Hash     string `json:"hash"`
				Previous string `json:"previous_hash"`
			}
			if err := json.Unmarshal(body, &c); err != nil {
				return err
			}
			if c.Hash != fmt.Sprintf("%064x", 7) || len(c.Previous) != 64 {
				return fmt.Errorf("got %s", body)
			}
			return err
		}},
	}
	for _, test := range tests {
		t.Run(test.fault, func(t *testing.T) {
			f, err := ParseFault(test.fault)
			if err != nil {
				t.Fatal(err)
			}
			f.After, f.Times = 1, 1
			_, h := serve(t, f)
			for i, want := range []bool{false, true, false} {
				resp, body, err := get(t, h.URL+url)
				if !want {
					if err != nil || string(body) != honest {
						t.Errorf("request %d should be undisturbed: %v", i, err)
					}
					continue
				}
				if err := test.check(resp, body, err); err != nil {
					t.Errorf("request %d: %v", i, err)
				}
			}
		})
	}
}

func failed(_ *http.Response, _ []byte, err error) error {
	if err == nil {
		return errors.New("got no error")
	}
	return nil
}

func changed(honest string) func(*http.Response, []byte, error) error {
	return func(_ *http.Response, body []byte, err error) error {
		if string(body) == honest {
			return errors.New("got the honest body")
		}
		return err
	}
}

func TestParseFaultRefuses(t *testing.T) {
	for _, text := range []string{
		"", "nonsense", "status", "status:status=20", "redirect", "wrong", "latency:delay", "latency:delay=x",
		"reset:colour=red", "reset:route=elsewhere", "reset:times=-1",
	} {
		if f, err := ParseFault(text); err == nil {
			t.Errorf("ParseFault(%q): got %+v, want an error", text, f)
		}
	}
}

func TestEveryKindIsImplemented(t *testing.T) {
	for _, kind := range Kinds() {
		t.Run(string(kind), func(t *testing.T) {
			s, err := New(certificates(3))
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			cancel() // the faults that would last for ever end with the request
			r := httptest.NewRequestWithContext(ctx, http.MethodGet, "/certificate/"+fmt.Sprintf("%064x", 1), nil)
			defer func() {
				// Only an aborted connection may panic: a recorder cannot be hijacked.
				if p := recover(); p != nil && p != http.ErrAbortHandler {
					t.Error(p)
				}
			}()
			f := Fault{Kind: kind, Status: 500, Location: "http://elsewhere.invalid/", With: fmt.Sprintf("%064x", 2)}
			if err := s.Inject(f); err != nil {
				t.Fatal(err)
			}
			s.ServeHTTP(httptest.NewRecorder(), r)
		})
	}
}
