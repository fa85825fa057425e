package light_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http/httptest"
	"os"
	"path/filepath"
	"time"

	"github.com/stmverify/stmverify/certificate"
	"github.com/stmverify/stmverify/chain"
	"github.com/stmverify/stmverify/internal/fakeaggregator"
	"github.com/stmverify/stmverify/internal/fakeaggregator/forge"
	"github.com/stmverify/stmverify/light"
	"github.com/stmverify/stmverify/light/aggregator"
	"github.com/stmverify/stmverify/light/provider"
	"github.com/stmverify/stmverify/light/store"
	"github.com/stmverify/stmverify/light/store/bolt"
	"github.com/stmverify/stmverify/network"
)

// exampleTrust is the trust under which the chain of the examples verifies. A program takes the key of a published network
// from network.Lookup.
func exampleTrust() chain.Trust {
	text, err := os.ReadFile("../testdata/chains/small/genesis.vkey")
	if err != nil {
		log.Fatal(err)
	}
	key, err := network.ParseKey(string(text))
	if err != nil {
		log.Fatal(err)
	}
	return chain.Trust{GenesisKey: key}
}

// Verify the chain in a file, down to its genesis certificate.
func Example_verifyFile() {
	ctx := context.Background()
	files, err := aggregator.OpenFiles(ctx, "../testdata/chains/small/certificates.json")
	if err != nil {
		log.Fatal(err)
	}
	defer files.Close()
	client, err := light.New(ctx, exampleTrust(), files, new(store.Memory))
	if err != nil {
		log.Fatal(err)
	}
	report, err := client.Sync(ctx, light.EveryRecent())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d certificates, up to epoch %d\n", report.Added, report.Tip.Epoch)
	// Output: 12 certificates, up to epoch 404
}

// exampleAggregator stands for the aggregator of a network.
func exampleAggregator() (url string, trust chain.Trust, stop func()) {
	f := forge.New("example", "example")
	server, err := fakeaggregator.New(forge.Texts(f.Chain(100, 6)))
	if err != nil {
		log.Fatal(err)
	}
	h := httptest.NewServer(server)
	return h.URL, chain.Trust{GenesisKey: f.GenesisKey(), Network: "example"}, h.Close
}

// Keep a file of verified certificates up to date, and be told of each new tip.
func ExampleClient_Watch() {
	url, trust, stop := exampleAggregator()
	defer stop()
	folder, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)

	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	source, err := aggregator.New(url, aggregator.Timeout(10*time.Second))
	if err != nil {
		log.Fatal(err)
	}
	defer source.Close()
	kept, err := bolt.Open(filepath.Join(folder, "chain.store"))
	if err != nil {
		log.Fatal(err)
	}
	defer kept.Close()

	client, err := light.New(ctx, trust, source, kept, light.Observe(light.ObserverFunc(func(e light.Event) {
		if stored, ok := e.(light.Committed); ok {
			fmt.Printf("%d new certificates, tip of epoch %d\n", stored.Certificates, stored.Tip.Epoch)
			cancel() // a program would go on
		}
	})))
	if err != nil {
		log.Fatal(err)
	}
	err = client.Watch(ctx, light.Schedule{Interval: time.Minute})
	fmt.Println("ended:", err)
	// Output:
	// 6 new certificates, tip of epoch 105
	// ended: context canceled
}

// A bridge accepts a Merkle root only when a verified certificate signs it together with its block number.
func ExampleClient_Certifies() {
	ctx := context.Background()
	files, err := aggregator.OpenFiles(ctx, "../testdata/chains/small/certificates.json")
	if err != nil {
		log.Fatal(err)
	}
	defer files.Close()
	client, err := light.New(ctx, exampleTrust(), files, new(store.Memory))
	if err != nil {
		log.Fatal(err)
	}
	if _, err := client.Sync(ctx, light.EveryRecent()); err != nil {
		log.Fatal(err)
	}

	accept := func(root, block string) {
		r, err := client.Certifies(ctx, light.MessageParts(map[certificate.PartKey]string{
			certificate.CardanoBlocksTransactionsMerkleRoot: root,
			certificate.LatestBlockNumber:                   block,
		}))
		switch {
		case errors.Is(err, light.ErrNotCertified):
			fmt.Println("refused")
		case err != nil:
			log.Fatal(err)
		default:
			fmt.Println("accepted: certified in epoch", r.Epoch)
		}
	}
	latest, err := client.Latest(ctx)
	if err != nil {
		log.Fatal(err)
	}
	root := latest.Message[certificate.CardanoBlocksTransactionsMerkleRoot.String()]
	block := latest.Message[certificate.LatestBlockNumber.String()]
	accept(root, block)
	accept(root, "8726416")
	// Output:
	// accepted: certified in epoch 404
	// refused
}

// mapProvider is a provider over certificates in memory. A program could take them from a database or a message queue.
type mapProvider struct {
	items []provider.Item
	texts map[certificate.Hash][]byte
}

func (p *mapProvider) Name() string { return "memory" }

func (p *mapProvider) Certificate(_ context.Context, hash certificate.Hash) ([]byte, error) {
	text, ok := p.texts[hash]
	if !ok {
		return nil, &provider.Error{Provider: p.Name(), Request: "certificate", Hash: hash, Attempts: 1, Err: provider.ErrNotFound}
	}
	return text, nil
}

func (p *mapProvider) Genesis(ctx context.Context) ([]byte, error) {
	for _, item := range p.items {
		if item.PreviousHash.IsZero() {
			return p.Certificate(ctx, item.Hash)
		}
	}
	return nil, provider.ErrNotFound
}

func (p *mapProvider) Recent(context.Context) ([]provider.Item, error) { return p.items, nil }

// loggingStore is a store of a program's own, here one that says what is committed and leaves the rest to another.
type loggingStore struct{ store.Store }

func (s loggingStore) Commit(ctx context.Context, segment store.Segment) error {
	fmt.Printf("storing %d certificates, epochs %d to %d\n",
		len(segment), segment[len(segment)-1].Record.Epoch, segment[0].Record.Epoch)
	return s.Store.Commit(ctx, segment)
}

// Use a provider and a store of one's own. Package storetest checks that a store keeps its contract.
func Example_customProviderAndStore() {
	f := forge.New("example", "example")
	p := &mapProvider{texts: map[certificate.Hash][]byte{}}
	for _, link := range f.Chain(100, 4) {
		item, _, err := provider.ParseItem(link.Text)
		if err != nil {
			log.Fatal(err)
		}
		p.items = append(p.items, item)
		p.texts[item.Hash] = link.Text
	}
	ctx := context.Background()
	trust := chain.Trust{GenesisKey: f.GenesisKey(), Network: "example"}
	client, err := light.New(ctx, trust, p, loggingStore{new(store.Memory)})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := client.Sync(ctx, light.Newest()); err != nil {
		log.Fatal(err)
	}
	// Output: storing 4 certificates, epochs 100 to 103
}
