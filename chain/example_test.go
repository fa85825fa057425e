package chain_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"log"
	"os"

	"github.com/stmverify/stmverify/certificate"
	"github.com/stmverify/stmverify/chain"
	"github.com/stmverify/stmverify/network"
)

// exampleChain reads a list of certificates and the genesis key of their chain.
func exampleChain() (map[certificate.Hash]*certificate.Certificate, certificate.Hash, chain.Trust) {
	text, err := os.ReadFile("../testdata/chains/small/certificates.json")
	if err != nil {
		log.Fatal(err)
	}
	var raw []json.RawMessage
	if err := json.Unmarshal(text, &raw); err != nil {
		log.Fatal(err)
	}
	certs := map[certificate.Hash]*certificate.Certificate{}
	var leaf certificate.Hash
	for i := len(raw) - 1; i >= 0; i-- {
		c, err := certificate.Decode(raw[i])
		if err != nil {
			log.Fatal(err)
		}
		certs[c.Hash], leaf = c, c.Hash
	}
	if text, err = os.ReadFile("../testdata/chains/small/genesis.vkey"); err != nil {
		log.Fatal(err)
	}
	key, err := network.ParseKey(string(text))
	if err != nil {
		log.Fatal(err)
	}
	return certs, leaf, chain.Trust{GenesisKey: key}
}

// Verify a chain whose certificates are found by their hashes.
func ExampleVerify() {
	certs, leaf, trust := exampleChain()
	trust.Leaf = &leaf
	walk := chain.Walk(leaf, func(h certificate.Hash) (*certificate.Certificate, error) { return certs[h], nil })
	verified, err := chain.Verify(context.Background(), walk, trust)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d certificates, epoch %d\n", verified.Len(), verified.Leaf().Epoch)
	// Output: 6 certificates, epoch 404
}

// Verify a chain under the key of another network.
func ExampleError() {
	certs, leaf, trust := exampleChain()
	mainnet, err := network.Lookup("mainnet")
	if err != nil {
		log.Fatal(err)
	}
	trust.GenesisKey = mainnet.Key
	var walk iter.Seq2[*certificate.Certificate, error] = chain.Walk(leaf, func(h certificate.Hash) (*certificate.Certificate, error) {
		return certs[h], nil
	})
	_, err = chain.Verify(context.Background(), walk, trust)
	if e, ok := errors.AsType[*chain.Error](err); ok {
		fmt.Println(e.Rule, "at certificate", e.Position)
	}
	// Output: genesis-signature-invalid at certificate 5
}
