package provider_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/stmverify/stmverify/certificate"
	"github.com/stmverify/stmverify/light/provider"
)

// folder is a provider of the certificates that somebody has put into memory. It decides nothing: a client verifies what it gets.
type folder map[certificate.Hash][]byte

func (f folder) Name() string { return "memory" }

func (f folder) Certificate(_ context.Context, hash certificate.Hash) ([]byte, error) {
	if text, ok := f[hash]; ok {
		return text, nil
	}
	return nil, &provider.Error{Provider: f.Name(), Request: "certificate", Hash: hash, Attempts: 1, Err: provider.ErrNotFound}
}

func (f folder) Genesis(context.Context) ([]byte, error) { return nil, provider.ErrNotFound }

func (f folder) Recent(context.Context) (items []provider.Item, err error) {
	for _, text := range f {
		item, _, err := provider.ParseItem(text)
		if err != nil {
			return nil, err
		}
		items = append(items, item)
	}
	return items, nil
}

// Implement a provider, and ask it for what it has and for what it has not.
func ExampleProvider() {
	file, err := os.Open("../../testdata/chains/small/certificates.json")
	if err != nil {
		log.Fatal(err)
	}
	defer file.Close()
	certificates := make(folder)
	for text, err := range certificate.Split(file) {
		if err != nil {
			log.Fatal(err)
		}
		item, _, err := provider.ParseItem(text)
		if err != nil {
			log.Fatal(err)
		}
		certificates[item.Hash] = text
	}
	var p provider.Provider = certificates
	items, err := p.Recent(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(items), "certificates")
	_, err = p.Certificate(context.Background(), certificate.Hash{})
	fmt.Println(err)
	// Output:
	// 12 certificates
	// provider memory: certificate: certificate not found
}
