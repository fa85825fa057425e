package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stmverify/stmverify/internal/limits"
	"github.com/stmverify/stmverify/verdict"
)

// TestEd25519AtItsLimits verifies a file with a line as long as one may be, and one with a longer one.
func TestEd25519AtItsLimits(t *testing.T) {
	for more, want := range []int{exitInvalid, exitLimit} {
		line := `{"public_key":"","signature":"","message":"` // Spaces outside of strings, so that it is short to hash.
		line += `"` + strings.Repeat(" ", limits.MaxEd25519Line-len(line)-2+more) + "}"
		var stdout, stderr bytes.Buffer
		a := newApp(strings.NewReader(line+"\n"), &stdout, &stderr, func(string) string { return "" })
		if code := a.run(context.Background(), []string{"ed25519", "verify", "-"}); code != want {
			t.Errorf("line of %d bytes: exit code %d, want %d: %s", len(line), code, want, &stderr)
		}
	}
}

// TestDistributionsAtTheirLimits reads as many distributions as there may be, as long a one as may be, and one more.
func TestDistributionsAtTheirLimits(t *testing.T) {
	const one = `{"epoch":1,"certificate_hash":"","signers":[]}`
	parse := func(r io.Reader) error {
		_, err := parseDistributions(bufio.NewReader(r))
		return err
	}
	for name, c := range map[string]struct {
		most int
		text func(n int) io.Reader
	}{
		"distributions": {limits.MaxDistributions, func(n int) io.Reader {
			return strings.NewReader("[" + strings.Repeat(one+",", n-1) + one + "]")
		}},
		"bytes of one": {limits.MaxDistributionBytes, func(n int) io.Reader {
			return io.MultiReader(strings.NewReader(one), io.LimitReader(spaces{}, int64(n-len(one))))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && c.most > 1<<20 {
				t.Skip("reads hundreds of megabytes")
			}
			if err := parse(c.text(c.most)); err != nil {
				t.Errorf("%d: %v", c.most, err)
			}
			if err := parse(c.text(c.most + 1)); !errors.Is(err, verdict.ErrLimit) {
				t.Errorf("%d: got %v", c.most+1, err)
			}
		})
	}
}

// spaces is white space without end.
type spaces struct{}

func (spaces) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

// TestKeyFileAtItsLimit reads a key from a file as long as one may be, and from one of a byte more.
func TestKeyFileAtItsLimit(t *testing.T) {
	key := strings.Repeat("0a", 32)
	for more, valid := range []bool{true, false} {
		path := filepath.Join(t.TempDir(), "genesis.vkey")
		if err := os.WriteFile(path, []byte(key+strings.Repeat("\n", limits.MaxGenesisKeyFile-len(key)+more)), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := readGenesisKey("--genesis-vkey", path)
		if (err == nil) != valid || valid && hex.EncodeToString(got[:]) != key {
			t.Errorf("%d bytes: got %v, %v", limits.MaxGenesisKeyFile+more, got, err)
		}
		if !valid && !strings.Contains(fmt.Sprint(err), "more than 4096 bytes") {
			t.Errorf("got %v", err)
		}
	}
}
