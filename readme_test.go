// Package stmverify_test compiles and runs what the README shows of the library.
package stmverify_test

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"strings"
	"testing"

	"github.com/stmverify/stmverify/certificate"
	"github.com/stmverify/stmverify/chain"
	"github.com/stmverify/stmverify/network"
)

// The text between the two marks stands in the README, letter for letter.
// README begins.

// newest verifies a chain in walk order, newest certificate first, and returns the epoch and the message that its tip signs.
func newest(ctx context.Context, file io.Reader, genesisKey [32]byte) (epoch uint64, message string, err error) {
	verified, err := chain.VerifyEncoded(ctx, certificate.Split(file), chain.Trust{GenesisKey: genesisKey})
	if refused, ok := errors.AsType[*chain.Error](err); ok {
		return 0, "", fmt.Errorf("certificate %v breaks the rule %s: %w", refused.Hash, refused.Rule, err)
	}
	if err != nil {
		return 0, "", err // reading, or the context
	}
	tip := verified.Leaf()
	return tip.Epoch, tip.SignedMessage, nil
}

// README ends.

func Example() {
	key, err := os.ReadFile("testdata/chains/mainnet-like/genesis.vkey")
	if err != nil {
		log.Fatal(err)
	}
	genesisKey, err := network.ParseKey(string(key))
	if err != nil {
		log.Fatal(err)
	}
	compressed, err := os.Open("testdata/chains/mainnet-like/certificates.json.gz")
	if err != nil {
		log.Fatal(err)
	}
	defer compressed.Close()
	file, err := gzip.NewReader(compressed)
	if err != nil {
		log.Fatal(err)
	}
	epoch, message, err := newest(context.Background(), file, genesisKey)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(epoch, message)
	// Output: 540 b8c26e18f428b8bf056b381c50eb8876a73a3d23e8e23b9ff5e29b7140f931bf
}

func TestReadmeShowsThisCode(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("readme_test.go")
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, code, _ := strings.Cut(string(source), "// README begins.\n\n")
	code, _, _ = strings.Cut(code, "\n// README ends.")
	if code == "" || !strings.Contains(string(readme), "```go\n"+code+"```\n") {
		t.Errorf("the README does not show this code:\n%s", code)
	}
}

func TestNewestRefuses(t *testing.T) {
	t.Parallel()
	file, err := os.Open("testdata/chains/small/certificates.json") // not in walk order
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	_, _, err = newest(t.Context(), file, [32]byte{})
	if err == nil || !strings.Contains(err.Error(), "previous-hash-mismatch") {
		t.Errorf("got %v, want previous-hash-mismatch", err)
	}
}
