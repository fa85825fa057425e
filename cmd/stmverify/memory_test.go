//go:build linux

package main

import (
	"bytes"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/stmverify/stmverify/internal/fakeaggregator"
	"github.com/stmverify/stmverify/internal/fakeaggregator/forge"
	"github.com/stmverify/stmverify/network"
)

// mostMemory is what a sync may have resident, whatever an aggregator sends.
const mostMemory = 128 << 20

// TestSyncMemory runs sync against aggregators that send as much as they can, and looks at the memory of the process.
func TestSyncMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("serves hundreds of megabytes")
	}
	f := forge.New("memory", "forged")
	plain := f.Chain(100, 6)
	// Certificates as large as one may be, so many that a walk just fits and does not fit its bound.
	const pad = 4_100_000
	large := f.ChainOf(100, 9, forge.Spec{Pad: pad})
	tests := []struct {
		name  string
		links []*forge.Link
		fault fakeaggregator.Fault
		exit  int
	}{
		{"plain", plain, fakeaggregator.Fault{}, exitOK},
		{"bomb", plain, fakeaggregator.Fault{Kind: fakeaggregator.Bomb}, exitLimit},
		{"endless", plain, fakeaggregator.Fault{Kind: fakeaggregator.Endless}, exitLimit},
		{"no end", plain, fakeaggregator.Fault{Kind: fakeaggregator.NoEnd, Route: fakeaggregator.RouteCertificate}, exitInvalid},
		{"large certificates", large[2:], fakeaggregator.Fault{}, exitOK},
		{"too many large certificates", large, fakeaggregator.Fault{}, exitLimit},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			server, err := fakeaggregator.New(forge.Texts(test.links))
			if err != nil {
				t.Fatal(err)
			}
			if test.fault.Kind != "" {
				if err := server.Inject(test.fault); err != nil {
					t.Fatal(err)
				}
			}
			h := httptest.NewServer(server)
			defer h.Close()
			cmd := exec.Command("stmverify", "sync", "--aggregator", h.URL, "--network", "forged",
				"--genesis-vkey", network.Key(f.GenesisKey()).String(), "--store", filepath.Join(t.TempDir(), "s"))
			var out bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &out
			most, err := runWatched(cmd)
			if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != test.exit {
				t.Fatalf("got %v, want exit code %d: %s", err, test.exit, out.Bytes())
			}
			t.Logf("%d MiB", most>>20)
			if most > mostMemory {
				t.Errorf("%d MiB resident, want at most %d", most>>20, mostMemory>>20)
			}
		})
	}
}

// runWatched runs a command and returns the most memory that it had resident, in bytes. The kernel's own figure for a child
// begins with that of its parent, so that this one is read while the command runs.
func runWatched(cmd *exec.Cmd) (most int64, err error) {
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	for ticker := time.NewTicker(2 * time.Millisecond); ; {
		select {
		case err := <-done:
			ticker.Stop()
			return most, err
		case <-ticker.C:
			most = max(most, resident(cmd.Process.Pid))
		}
	}
}

var peakLine = regexp.MustCompile(`VmHWM:\s+(\d+) kB`)

// resident returns the most memory that a process had resident so far, or 0 when it is gone.
func resident(pid int) int64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	found := peakLine.FindSubmatch(status)
	if found == nil {
		return 0
	}
	kilobytes, _ := strconv.ParseInt(string(found[1]), 10, 64)
	return kilobytes << 10
}
