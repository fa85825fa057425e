package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stmverify/stmverify/verdict"
)

// FuzzStandardInput gives every command that reads standard input whatever it is. The exit code is one of the documented ones, and with
// --json there is exactly one document on standard output, which has a schema.
func FuzzStandardInput(f *testing.F) {
	const key = "20fdbac9b10b7587bba7b5bc163bce69e796d71e4ed44c10fcb4488689f7a144"
	commands := [][]string{
		{"chain", "verify", "--genesis-vkey", key, "-"},
		{"chain", "show", "-"},
		{"certificate", "show", "-"},
		{"certificate", "hash", "-"},
		{"certificate", "verify", "-"},
		{"certificate", "explain", "--genesis-vkey", key, "-"},
		{"genesis", "verify", "--genesis-vkey", key, "-"},
		{"keyreg", "avk", "-"},
		{"ed25519", "verify", "--mode", "zip215", "-"},
		{"ed25519", "verify", "--key", key, "--signature", strings.Repeat("00", 64), "--message-file", "-"},
	}
	f.Fuzz(func(t *testing.T, input []byte, command uint8) {
		args := append([]string{"--jobs", "1"}, commands[int(command)%len(commands)]...)
		var codes [2]int
		for i, args := range [][]string{args, append(args, "--json")} {
			var stdout, stderr bytes.Buffer
			a := newApp(bytes.NewReader(input), &stdout, &stderr, func(string) string { return "" })
			codes[i] = a.run(context.Background(), args)
			if codes[i] < exitOK || codes[i] > exitLimit {
				t.Errorf("exit code %d", codes[i])
			}
			if (codes[i] == exitOK) == strings.Contains(stderr.String(), "stmverify: error:") {
				t.Errorf("exit code %d with %q", codes[i], &stderr)
			}
			if i == 0 {
				continue
			}
			var document struct{ Schema string }
			d := json.NewDecoder(&stdout)
			if err := d.Decode(&document); err != nil || d.More() || !strings.HasPrefix(document.Schema, "stmverify/") {
				t.Errorf("not one document with a schema: %v, %q", err, document.Schema)
			}
		}
		if codes[0] != codes[1] {
			t.Errorf("exit code %d as text, %d as JSON", codes[0], codes[1])
		}
	})
}

// FuzzEd25519Line compares the reader of lines with encoding/json, which accepts more: members that occur twice or in other case.
func FuzzEd25519Line(f *testing.F) {
	f.Fuzz(func(t *testing.T, text []byte) {
		var line ed25519Line
		err := line.parse(text)
		if err != nil {
			if verdict.Class(err) == nil {
				t.Fatalf("error without a class: %v", err)
			}
			return
		}
		var members map[string]string
		if err := json.Unmarshal(text, &members); err != nil || len(members) != 3 {
			t.Fatalf("encoding/json: %v, %d members", err, len(members))
		}
		for name, got := range map[string][]byte{"public_key": line.publicKey, "message": line.message, "signature": line.signature} {
			if want := members[name]; !strings.EqualFold(want, hex.EncodeToString(got)) {
				t.Errorf("%s: got %x, want %s", name, got, want)
			}
		}
	})
}

// FuzzDistributions reads registrations in each of their three forms. A refusal has a class; each distribution that is accepted can be
// built or refused.
func FuzzDistributions(f *testing.F) {
	f.Fuzz(func(t *testing.T, text []byte) {
		list, err := parseDistributions(bufio.NewReader(bytes.NewReader(text)))
		if err != nil {
			if verdict.Class(err) == nil {
				t.Fatalf("error without a class: %v", err)
			}
			return
		}
		if len(list) == 0 {
			t.Fatal("neither a distribution nor an error")
		}
		for _, d := range list {
			if len(d.Signers) != len(d.Parties()) {
				t.Errorf("%d signers, %d parties", len(d.Signers), len(d.Parties()))
			}
		}
	})
}
