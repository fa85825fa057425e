package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/stmverify/stmverify/certificate"
	"github.com/stmverify/stmverify/internal/fakeaggregator"
	"github.com/stmverify/stmverify/internal/fakeaggregator/forge"
	"github.com/stmverify/stmverify/light/store"
	"github.com/stmverify/stmverify/network"
)

// forgeName is the text that the keys of the chains in TestSyncScripts are derived from.
const forgeName = "scripts"

// TestSyncScripts runs the scripts in testdata/sync/*.txtar. Besides 'exit' of TestScripts they have
//
//   - 'fake NAME CHAIN [FAULT…]', which starts a fake aggregator whose URL is then $NAME. CHAIN is the number of
//     certificates of a forged chain, or "fork", "regenesis" or "other" for one that contradicts the forged chain of six;
//   - 'serve NAME CHAIN', which lets it serve another chain;
//   - 'requests NAME N', which fails unless it was asked N times since the last 'requests';
//   - 'await NAME N', which waits until it was asked N times;
//   - 'flip FILE OFFSET', which flips a bit;
//   - 'half FILE', which cuts a file in two and keeps the first half;
//   - 'pack FILE TO', which compresses a file with zstd.
//
// $KEY is the genesis key of the forged chains, and $TIP, $ROOT and $FIRST are hashes of the chain of six.
func TestSyncScripts(t *testing.T) {
	f := forge.New(forgeName, "forged")
	six := f.Chain(100, 6)
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "sync"),
		Setup: func(env *testscript.Env) error {
			env.Setenv("KEY", network.Key(f.GenesisKey()).String())
			env.Setenv("TIP", six[0].Hash.String())
			env.Setenv("MIDDLE", six[3].Hash.String())
			env.Setenv("ROOT", six[5].Hash.String())
			env.Values[fakes{}] = map[string]*fakeServer{}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exit": exitCode, "fake": startFake, "serve": serveOther, "requests": countRequests, "await": awaitRequests, "flip": flipBit,
			"half": cutHalf, "pack": packFile,
		},
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
	})
}

// fakes is the key of the fake aggregators of a script.
type fakes struct{}

type fakeServer struct {
	*fakeaggregator.Server
	counted int
}

func fakeNamed(ts *testscript.TestScript, name string) *fakeServer {
	s, ok := ts.Value(fakes{}).(map[string]*fakeServer)[name]
	if !ok {
		ts.Fatalf("no fake aggregator %s", name)
	}
	return s
}

func startFake(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: fake name chain [fault…]")
	}
	server, err := fakeaggregator.New(forgedChain(ts, args[1]))
	ts.Check(err)
	for _, text := range args[2:] {
		f, err := fakeaggregator.ParseFault(text)
		ts.Check(err)
		ts.Check(server.Inject(f))
	}
	h := httptest.NewServer(server)
	ts.Defer(h.Close)
	ts.Value(fakes{}).(map[string]*fakeServer)[args[0]] = &fakeServer{Server: server}
	ts.Setenv(args[0], h.URL+"/aggregator")
}

func forgedChain(ts *testscript.TestScript, name string) [][]byte {
	f := forge.New(forgeName, "forged")
	links := f.Chain(100, 6)
	switch name {
	case "fork":
		return append([][]byte{f.Next(links[1], false, forge.Spec{Signer: "of the fork"}).Text}, forge.Texts(links[1:])...)
	case "regenesis":
		genesis := f.Genesis(102, forge.Spec{})
		return forge.Texts([]*forge.Link{f.Next(genesis, false, forge.Spec{}), genesis})
	case "other":
		return forge.Texts(forge.New("other", "forged").Chain(100, 6))
	}
	n, err := strconv.Atoi(name)
	ts.Check(err)
	return forge.Texts(f.Chain(100, n))
}

func serveOther(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: serve name chain")
	}
	ts.Check(fakeNamed(ts, args[0]).SetChain(forgedChain(ts, args[1])))
}

func countRequests(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: requests name number")
	}
	s := fakeNamed(ts, args[0])
	n := s.Requests("")
	if got := fmt.Sprint(n - s.counted); got != args[1] {
		ts.Fatalf("%s got %s requests, want %s", args[0], got, args[1])
	}
	s.counted = n
}

func awaitRequests(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: await name number")
	}
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	for deadline := time.Now().Add(20 * time.Second); fakeNamed(ts, args[0]).Requests("") < n; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			ts.Fatalf("%s got %d requests, want %d", args[0], fakeNamed(ts, args[0]).Requests(""), n)
		}
	}
}

func flipBit(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: flip file offset")
	}
	at, err := strconv.Atoi(args[1])
	ts.Check(err)
	b := []byte(ts.ReadFile(args[0]))
	b[at] ^= 1
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), b, 0o600))
}

func cutHalf(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: half file")
	}
	ts.Check(os.Truncate(ts.MkAbs(args[0]), int64(len(ts.ReadFile(args[0]))/2)))
}

func packFile(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: pack file to")
	}
	enc, err := zstd.NewWriter(nil)
	ts.Check(err)
	defer enc.Close()
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), enc.EncodeAll([]byte(ts.ReadFile(args[0])), nil), 0o600))
}

func TestHealth(t *testing.T) {
	h := &health{limit: time.Minute}
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	tip := &store.Record{Epoch: 300, Hash: certificate.Hash{1}}
	healthy := func(at time.Time) bool { return h.document(at).Healthy }
	if healthy(now) {
		t.Error("healthy before the first sync")
	}
	h.finished(nil, tip, now)
	if !healthy(now.Add(time.Minute)) {
		t.Error("not healthy after a sync")
	}
	h.finished(errors.New("no answer"), tip, now.Add(30*time.Second))
	d := h.document(now.Add(40 * time.Second))
	if !d.Healthy || d.Failures != 1 || d.Error != "no answer" || d.TipEpoch != 300 {
		t.Errorf("after one failure: got %+v", d)
	}
	if healthy(now.Add(61 * time.Second)) {
		t.Error("healthy long after the last success")
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/healthz", nil)) // the clock is far past the success
	if w.Code != http.StatusServiceUnavailable || !strings.Contains(w.Body.String(), `"schema":"stmverify/health/v1"`) {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
}

func TestListenIsOnThisMachine(t *testing.T) {
	l, err := listen(":0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if host := l.Addr().String(); !strings.HasPrefix(host, "127.0.0.1:") {
		t.Errorf("listens at %s", host)
	}
	if _, err := listen("nowhere"); err == nil {
		t.Error("an address without a port is accepted")
	}
}

func TestServeMetricsAndHealth(t *testing.T) {
	var stderr bytes.Buffer
	o := newSyncObserver(newApp(nil, nil, &stderr, os.Getenv), true, true)
	stop, err := o.serve("127.0.0.1:0", time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	var line struct {
		Address string `json:"address"`
	}
	if err := json.Unmarshal(stderr.Bytes(), &line); err != nil {
		t.Fatalf("%v: %s", err, stderr.Bytes())
	}
	for path, want := range map[string]int{"/metrics": http.StatusOK, "/healthz": http.StatusServiceUnavailable, "/": http.StatusNotFound} {
		resp, err := http.Get("http://" + line.Address + path)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("%s: got %d, want %d", path, resp.StatusCode, want)
		}
	}
	http.DefaultClient.CloseIdleConnections()
	if err := stop(); err != nil {
		t.Error(err)
	}
}
