package store_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/stmverify/stmverify/chain"
	"github.com/stmverify/stmverify/light"
	"github.com/stmverify/stmverify/light/aggregator"
	"github.com/stmverify/stmverify/light/store"
	"github.com/stmverify/stmverify/network"
)

// List what a store holds after a sync.
func ExampleStore() {
	ctx := context.Background()
	text, err := os.ReadFile("../../testdata/chains/small/genesis.vkey")
	if err != nil {
		log.Fatal(err)
	}
	key, err := network.ParseKey(string(text))
	if err != nil {
		log.Fatal(err)
	}
	files, err := aggregator.OpenFiles(ctx, "../../testdata/chains/small/certificates.json")
	if err != nil {
		log.Fatal(err)
	}
	defer files.Close()
	var st store.Store = new(store.Memory)
	client, err := light.New(ctx, chain.Trust{GenesisKey: key}, files, st)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := client.Sync(ctx, light.Newest()); err != nil {
		log.Fatal(err)
	}
	for r, err := range st.Records(ctx) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(r.Epoch)
	}
	// Output:
	// 404
	// 404
	// 403
	// 402
	// 401
	// 400
}
