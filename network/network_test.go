package network_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stmverify/stmverify/network"
)

func TestLookup(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"mainnet", "release-mainnet"} {
		n, err := network.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := n.Key.String(), "bf428cb98a0bedcffa901b02bc1e0c519bcc0ab34b178ac4d9050e14394f27b0"; got != want {
			t.Errorf("%s: got key %s, want %s", name, got, want)
		}
	}
	for _, name := range []string{"preprod", "release-preprod", "preview", "pre-release-preview"} {
		n, err := network.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := n.Key.String(), "7f497ca1068983d5cf75c655b0c7a2f1447b77910de8f331e502f9cdcd27eb2c"; got != want {
			t.Errorf("%s: got key %s, want %s", name, got, want)
		}
	}
	for _, name := range []string{"", "Mainnet", "main", "devnet"} {
		if n, err := network.Lookup(name); err == nil {
			t.Errorf("Lookup(%q) = %v, want an error", name, n.Name)
		}
	}
}

func TestPublishedIsACopy(t *testing.T) {
	t.Parallel()
	network.Published()[0].Key[0] ^= 1
	if n, err := network.Lookup("mainnet"); err != nil || n.Key[0] != 0xbf {
		t.Fatalf("a caller changed the table: %v %v", n, err)
	}
}

func jsonHex(text string) string { return fmt.Sprintf("%x", text) }

func TestParseKey(t *testing.T) {
	t.Parallel()
	plain := strings.Repeat("0a", 32)
	numbers := strings.TrimSuffix(strings.Repeat("10,", 32), ",")
	for _, test := range []struct {
		name, text string
		want       error // nil: equals plain
	}{
		{"plain", plain, nil},
		{"plain upper case", strings.ToUpper(plain), nil},
		{"plain in white space", " \n" + plain + "\r\n", nil},
		{"json-hex", jsonHex("[" + numbers + "]"), nil},
		{"json-hex with spaces", jsonHex(" [ " + numbers + " ] "), nil},
		{"bundle", "0120" + plain + "40" + strings.Repeat("ff", 64), nil},
		{"empty", " \n", network.ErrKeyEmpty},
		{"too long", strings.Repeat("00", 513), network.ErrKeyTooLong},
		{"not hex", strings.Repeat("zz", 32), network.ErrKeyEncoding},
		{"odd hex", plain[1:], network.ErrKeyEncoding},
		{"31 bytes", plain[2:], network.ErrKeyEncoding},
		{"33 bytes", plain + "0a", network.ErrKeyEncoding},
		{"json-hex 31 numbers", jsonHex("[" + numbers[3:] + "]"), network.ErrKeyEncoding},
		{"json-hex 33 numbers", jsonHex("[" + numbers + ",1]"), network.ErrKeyEncoding},
		{"json-hex number 256", jsonHex("[" + numbers[3:] + ",256]"), network.ErrKeyEncoding},
		{"json-hex negative number", jsonHex("[" + numbers[3:] + ",-1]"), network.ErrKeyEncoding},
		{"json-hex fraction", jsonHex("[" + numbers[3:] + ",1.5]"), network.ErrKeyEncoding},
		{"json-hex null", jsonHex("[" + numbers[3:] + ",null]"), network.ErrKeyEncoding},
		{"json-hex base64", jsonHex(`"CgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgo="`), network.ErrKeyEncoding},
		{"json-hex trailing bytes", jsonHex("[" + numbers + "]]"), network.ErrKeyEncoding},
		{"bundle short", "0120" + plain + "40" + strings.Repeat("ff", 63), network.ErrKeyEncoding},
		{"bundle long", "0120" + plain + "40" + strings.Repeat("ff", 65), network.ErrKeyEncoding},
		{"bundle first length", "0121" + plain + "40" + strings.Repeat("ff", 64), network.ErrKeyEncoding},
		{"bundle second length", "0120" + plain + "41" + strings.Repeat("ff", 64), network.ErrKeyEncoding},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			key, err := network.ParseKey(test.text)
			if !errors.Is(err, test.want) {
				t.Fatalf("got error %v, want %v", err, test.want)
			}
			if test.want == nil && key.String() != plain {
				t.Errorf("got %s, want %s", key, plain)
			}
			if test.want != nil && key != (network.Key{}) {
				t.Errorf("got key %s with an error", key)
			}
		})
	}
}

func TestParseKeyOfGeneratedChain(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.FromSlash("../testdata/chains/small/genesis.vkey"))
	if err != nil {
		t.Fatal(err)
	}
	key, err := network.ParseKey(string(text))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := key.String(), "20fdbac9b10b7587bba7b5bc163bce69e796d71e4ed44c10fcb4488689f7a144"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func FuzzParseKey(f *testing.F) {
	f.Add(strings.Repeat("0a", 32))
	f.Add(jsonHex("[" + strings.TrimSuffix(strings.Repeat("10,", 32), ",") + "]"))
	f.Add("0120" + strings.Repeat("0a", 32) + "40" + strings.Repeat("ff", 64))
	f.Fuzz(func(t *testing.T, text string) {
		key, err := network.ParseKey(text)
		if err != nil {
			return
		}
		again, err := network.ParseKey(key.String())
		if err != nil || again != key {
			t.Fatalf("%s read again: %s, %v", key, again, err)
		}
	})
}
