package main

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stmverify/stmverify/internal/limits"
)

// TestEd25519Windows verifies a file that is longer than what is kept of it at once: the lines of the refusals count
// from its beginning.
func TestEd25519Windows(t *testing.T) {
	// RFC 8032, section 7.1, test 2, and the same with another message.
	good := `{"public_key":"3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c","message":"72",` +
		`"signature":"92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"}`
	bad := strings.Replace(good, `"72"`, `"73"`, 1)
	const lines = ed25519Window + 20
	badLines := []int{1, ed25519Part, ed25519Part + 1, ed25519Window, ed25519Window + 1, lines}
	var file bytes.Buffer
	for line := 1; line <= lines; line++ {
		text := good
		if slices.Contains(badLines, line) {
			text = bad
		}
		file.WriteString(text + "\n")
	}
	var stdout, stderr bytes.Buffer
	a := newApp(&file, &stdout, &stderr, func(string) string { return "" })
	if code := a.run(context.Background(), []string{"ed25519", "verify", "--json", "--mode", "zip215", "-"}); code != exitInvalid {
		t.Errorf("exit code %d, want %d: %s", code, exitInvalid, &stderr)
	}
	var result ed25519Result
	if err := json.Unmarshal(stdout.Bytes(), &result); err != nil {
		t.Fatal(err)
	}
	var got []int
	for _, refusal := range result.Refused {
		got = append(got, refusal.Line)
	}
	if result.Signatures != lines || result.Invalid != len(badLines) || !slices.Equal(got, badLines) {
		t.Errorf("got %d signatures, %d invalid, lines %v; want %d, %d, %v",
			result.Signatures, result.Invalid, got, lines, len(badLines), badLines)
	}
}

// TestEd25519LongLine stops at a line that is longer than any signature needs.
func TestEd25519LongLine(t *testing.T) {
	var stdout, stderr bytes.Buffer
	a := newApp(strings.NewReader(strings.Repeat("x", limits.MaxEd25519Line+1)), &stdout, &stderr, func(string) string { return "" })
	if code := a.run(context.Background(), []string{"ed25519", "verify", "-"}); code != exitLimit {
		t.Errorf("exit code %d, want %d: %s", code, exitLimit, &stderr)
	}
}
