//go:build linux

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stmverify/stmverify/internal/fakeaggregator/forge"
	"github.com/stmverify/stmverify/network"
)

// memoryHint is what the runtime is told of the limit: it leaves room for what the runtime does not count.
const memoryHint = "GOMEMLIMIT=64MiB"

// withinLimit returns a command that the kernel refuses more than mostMemory of private memory, mapped or used. Stacks of threads,
// which cgo maps whole, are small ones.
func withinLimit(args ...string) *exec.Cmd {
	script := fmt.Sprintf("ulimit -d %d && ulimit -s 1024 && exec stmverify \"$@\"", mostMemory>>10)
	return exec.Command("sh", append([]string{"-c", script, "sh"}, args...)...)
}

// TestVerifyMemory verifies files in 128 MB: chains of mainnet's shape and long ones under a limit of the kernel, and chains of the
// largest certificates that there may be, of which much is mapped and given back, by what is resident.
func TestVerifyMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("makes and verifies large chains")
	}
	f := forge.New("memory", "forged")
	key := network.Key(f.GenesisKey()).String()
	long := forge.Texts(f.ChainOf(1, 3000, forge.Spec{Signer: "genesis"}))
	// As large as certificates may be. They are read one by one where they follow one another, and kept nowhere.
	large := forge.Texts(f.ChainOf(1, 16, forge.Spec{Pad: 4_100_000}))
	const mainnet = "../../testdata/chains/mainnet-like/"
	tests := []struct {
		name  string
		texts [][]byte // nil: of testdata
		key   string
		hard  bool
		exit  int
		want  string
	}{
		{"mainnet", nil, mainnet + "genesis.vkey", true, exitOK, "valid: "},
		{"long", long, key, true, exitOK, "valid: "},
		{"long, in no order", slices.Concat(long[1500:], long[:1500]), key, true, exitOK, "valid: "},
		{"large", large, key, false, exitOK, "valid: "},
		{"large, in no order", slices.Concat(large[8:], large[:8]), key, false, exitOK, "valid: "},
		{"large, without genesis", large[:15], key, false, exitInvalid, "certificate-not-found"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			path := mainnet + "certificates.json.gz"
			if test.texts != nil {
				path = filepath.Join(t.TempDir(), "chain.json")
				if err := os.WriteFile(path, bytes.Join(test.texts, []byte("\n")), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			args := []string{"chain", "verify", "--jobs", "2", "--genesis-vkey", test.key, path}
			cmd := exec.Command("stmverify", args...)
			if test.hard {
				cmd = withinLimit(args...)
			}
			cmd.Env = append(os.Environ(), memoryHint, "GOMAXPROCS=2")
			var out bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &out
			most, err := runWatched(cmd)
			if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != test.exit || !strings.Contains(out.String(), test.want) {
				t.Fatalf("got %v, want exit code %d: %.2000s", err, test.exit, out.Bytes())
			}
			t.Logf("%d MiB", most>>20)
			if most > mostMemory {
				t.Errorf("%d MiB resident, want at most %d", most>>20, mostMemory>>20)
			}
		})
	}
}

// TestLimitIsOne makes sure that the limit of TestVerifyMemory is there: a command that needs more does not get it.
func TestLimitIsOne(t *testing.T) {
	if testing.Short() {
		t.Skip("reads hundreds of megabytes")
	}
	// One distribution that is a long text, all of which is read before it is refused.
	input := append([]byte(`"`), bytes.Repeat([]byte("x"), 100<<20)...)
	for _, limited := range []bool{false, true} {
		cmd := exec.Command("stmverify", "keyreg", "avk", "-")
		if limited {
			cmd = withinLimit("keyreg", "avk", "-")
		}
		cmd.Stdin = bytes.NewReader(input)
		out, err := cmd.CombinedOutput()
		if refused := strings.Contains(string(out), "stmverify: error: "); refused == limited {
			t.Errorf("limited %v: got %v, %.300s", limited, err, out)
		}
	}
}
