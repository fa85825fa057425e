package fakeaggregator

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// listed is the number of certificates /certificates returns.
const listed = 20

// Server is an HTTP handler that serves one chain. It is safe for concurrent use.
type Server struct {
	mu     sync.Mutex
	chain  *served
	faults []*armed
	count  map[Route]int
}

// served is a chain prepared for serving. It does not change once built.
type served struct {
	byHash  map[string][]byte
	list    []byte
	genesis []byte
}

// request is what the server understood of an HTTP request.
type request struct {
	route Route
	hash  string
}

// New returns a server for the given certificates, newest first, each the JSON text of SPEC section 1.
func New(certificates [][]byte, faults ...Fault) (*Server, error) {
	s := &Server{count: make(map[Route]int)}
	if err := s.SetChain(certificates); err != nil {
		return nil, err
	}
	for _, f := range faults {
		if err := s.Inject(f); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// SetChain replaces what is served: newer certificates were added, the aggregator forked, the network was re-genesised.
func (s *Server) SetChain(certificates [][]byte) error {
	chain, err := prepare(certificates)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.chain = chain
	return nil
}

// Inject adds a fault. The first fault that takes a request decides its answer; a latency only delays it.
func (s *Server) Inject(f Fault) error {
	if err := f.check(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, &armed{Fault: f})
	return nil
}

// Heal removes every fault.
func (s *Server) Heal() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = nil
}

// Requests returns the number of requests of a route so far, disturbed or not, and of all routes when route is empty.
func (s *Server) Requests(route Route) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if route != "" {
		return s.count[route]
	}
	total := 0
	for _, n := range s.count {
		total += n
	}
	return total
}

// ServeHTTP answers a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	req, ok := route(r)
	if !ok {
		http.NotFound(w, r)
		return
	}
	s.mu.Lock()
	s.count[req.route]++
	chain := s.chain
	var faults []armed
	for _, f := range s.faults {
		if !f.takes(req) {
			continue
		}
		faults = append(faults, *f)
		if f.Kind != Latency {
			break
		}
	}
	s.mu.Unlock()

	a := &answer{w: w, r: r, request: req, chain: chain}
	for _, f := range faults {
		if done := a.disturb(f); done {
			return
		}
	}
	a.honest()
}

func route(r *http.Request) (request, bool) {
	if r.Method != http.MethodGet {
		return request{}, false
	}
	dir, last := path.Split(strings.TrimSuffix(r.URL.Path, "/"))
	switch {
	case last == "certificates":
		return request{route: RouteList}, true
	case path.Base(dir) == "certificate" && last == "genesis":
		return request{route: RouteGenesis}, true
	case path.Base(dir) == "certificate":
		return request{route: RouteCertificate, hash: last}, true
	}
	return request{}, false
}

// prepare indexes the certificates by the hash they claim and builds the list.
func prepare(certificates [][]byte) (*served, error) {
	c := &served{byHash: make(map[string][]byte, len(certificates))}
	var items []json.RawMessage
	for i, raw := range certificates {
		var fields map[string]json.RawMessage
		if err := json.Unmarshal(raw, &fields); err != nil {
			return nil, fmt.Errorf("fakeaggregator: certificate %d: %w", i, err)
		}
		hash, genesis := text(fields["hash"]), text(fields["genesis_signature"])
		if hash == "" {
			return nil, fmt.Errorf("fakeaggregator: certificate %d has no hash", i)
		}
		c.byHash[hash] = raw
		if genesis != "" && c.genesis == nil {
			c.genesis = raw
		}
		if len(items) == listed {
			continue
		}
		item, err := listItem(fields)
		if err != nil {
			return nil, fmt.Errorf("fakeaggregator: certificate %d: %w", i, err)
		}
		items = append(items, item)
	}
	if items == nil {
		return nil, errors.New("fakeaggregator: no certificate to serve")
	}
	var err error
	c.list, err = json.Marshal(items)
	return c, err
}

// listItem turns a certificate into a line of the list: no signatures, and the number of signers in place of their names.
func listItem(fields map[string]json.RawMessage) (json.RawMessage, error) {
	item := make(map[string]json.RawMessage, len(fields))
	for key, value := range fields {
		if key != "multi_signature" && key != "genesis_signature" {
			item[key] = value
		}
	}
	var metadata map[string]json.RawMessage
	if err := json.Unmarshal(fields["metadata"], &metadata); err != nil {
		return nil, err
	}
	var signers []json.RawMessage
	if err := json.Unmarshal(metadata["signers"], &signers); err != nil {
		return nil, err
	}
	delete(metadata, "signers")
	metadata["total_signers"] = json.RawMessage(strconv.Itoa(len(signers)))
	var err error
	if item["metadata"], err = json.Marshal(metadata); err != nil {
		return nil, err
	}
	return json.Marshal(item)
}

func text(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

// body returns what an honest aggregator answers, or nil when it has no such certificate.
func (c *served) body(r request) []byte {
	switch r.route {
	case RouteList:
		return c.list
	case RouteGenesis:
		return c.genesis
	}
	return c.byHash[r.hash]
}

// answer is one request being answered.
type answer struct {
	w http.ResponseWriter
	r *http.Request
	request
	chain *served
}

// honest answers as an aggregator does, compressed when the client accepts it.
func (a *answer) honest() {
	body := a.chain.body(a.request)
	if body == nil {
		http.Error(a.w, `{"message":"not found"}`, http.StatusNotFound)
		return
	}
	a.send(body)
}

func (a *answer) send(body []byte) {
	a.w.Header().Set("Content-Type", "application/json")
	accepted := a.r.Header.Get("Accept-Encoding")
	switch {
	case strings.Contains(accepted, "zstd"):
		a.w.Header().Set("Content-Encoding", "zstd")
		enc, err := zstd.NewWriter(a.w, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(1<<20))
		if err != nil {
			panic(err) // the options are constants
		}
		_, _ = enc.Write(body)
		_ = enc.Close()
	case strings.Contains(accepted, "gzip"):
		a.w.Header().Set("Content-Encoding", "gzip")
		enc := gzip.NewWriter(a.w)
		_, _ = enc.Write(body)
		_ = enc.Close()
	default:
		_, _ = a.w.Write(body)
	}
}
