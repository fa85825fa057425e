package bundle_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log"
	"os"

	"github.com/stmverify/stmverify/certificate"
	"github.com/stmverify/stmverify/light/bundle"
)

// Write certificates into a bundle and read it. A bundle proves nothing: what it holds is verified like what an aggregator sends.
func ExampleWrite() {
	text, err := os.ReadFile("../../testdata/chains/small/certificates.json")
	if err != nil {
		log.Fatal(err)
	}
	var raw []json.RawMessage
	if err := json.Unmarshal(text, &raw); err != nil {
		log.Fatal(err)
	}
	tip, err := certificate.Decode(raw[0])
	if err != nil {
		log.Fatal(err)
	}
	genesis, err := certificate.Decode(raw[len(raw)-1])
	if err != nil {
		log.Fatal(err)
	}
	header := bundle.Header{
		Network: tip.Metadata.Network, GenesisKey: "20fdbac9b10b7587bba7b5bc163bce69e796d71e4ed44c10fcb4488689f7a144",
		Tips: []certificate.Hash{tip.Hash}, RestsOn: genesis.Hash, Genesis: true, Certificates: len(raw),
	}
	var file bytes.Buffer
	err = bundle.Write(&file, header, func(yield func([]byte, error) bool) {
		for _, r := range raw {
			if !yield(r, nil) {
				return
			}
		}
	})
	if err != nil {
		log.Fatal(err)
	}
	b, err := bundle.Read("example", &file)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(b.Header().Certificates, "certificates of", b.Header().Network)
	// Output: 12 certificates of testnet
}
