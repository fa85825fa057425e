package main

import (
	"bytes"
	"context"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stmverify/stmverify/multisig"
)

// TestReadme runs the commands that the README shows, in the root of the repository, and compares what they print with what it
// shows; a line of three dots there stands for any lines. The name of the backend is the one that is in use.
func TestReadme(t *testing.T) {
	t.Chdir("../..")
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	shown := 0
	for _, block := range indentedBlocks(string(readme)) {
		command, output, _ := strings.Cut(block, "\n")
		arguments, ok := strings.CutPrefix(command, "$ stmverify ")
		if !ok {
			arguments, ok = strings.CutPrefix(command, "go run ./cmd/stmverify ")
		}
		if !ok {
			continue
		}
		shown++
		got := runReadme(arguments)
		if output == "" {
			if !strings.HasPrefix(got, "valid: ") {
				t.Errorf("%s: got\n%s", command, got)
			}
			continue
		}
		output = regexp.MustCompile(`(blst|gnark-crypto) v\S+.*`).ReplaceAllLiteralString(output, multisig.Backend())
		if !regexp.MustCompile(pattern(output)).MatchString(got) {
			t.Errorf("%s: the README differs (-README +got):\n%s", command, cmp.Diff(output, got))
		}
	}
	if shown < 5 {
		t.Errorf("found %d commands", shown)
	}
}

// pattern matches the text, in which a line of three dots stands for any lines.
func pattern(text string) string {
	return "^" + strings.ReplaceAll(regexp.QuoteMeta(text), `\.\.\.`+"\n", `(?s:.*\n)?`) + "$"
}

func runReadme(arguments string) string {
	var output bytes.Buffer
	newApp(strings.NewReader(""), &output, &output, func(string) string { return "" }).run(context.Background(), strings.Fields(arguments))
	return strings.TrimRight(output.String(), "\n")
}

// indentedBlocks returns the code blocks that are indented by four spaces, without the indentation.
func indentedBlocks(text string) []string {
	var blocks []string
	var block []string
	for line := range strings.SplitSeq(text+"\n", "\n") {
		code, ok := strings.CutPrefix(line, "    ")
		if ok || line == "" && len(block) > 0 {
			block = append(block, code)
			continue
		}
		if len(block) > 0 {
			blocks = append(blocks, strings.TrimRight(strings.Join(block, "\n"), "\n"))
			block = nil
		}
	}
	return append(blocks, strings.TrimRight(strings.Join(block, "\n"), "\n"))
}
