package checkpoint_test

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"os"

	"github.com/stmverify/stmverify/chain"
	"github.com/stmverify/stmverify/light"
	"github.com/stmverify/stmverify/light/aggregator"
	"github.com/stmverify/stmverify/light/checkpoint"
	"github.com/stmverify/stmverify/light/store"
	"github.com/stmverify/stmverify/network"
)

// Keep the tip of a verified chain as a checkpoint.
func ExampleNew() {
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
	var st store.Memory
	client, err := light.New(ctx, chain.Trust{GenesisKey: key}, files, &st)
	if err != nil {
		log.Fatal(err)
	}
	report, err := client.Sync(ctx, light.Newest())
	if err != nil {
		log.Fatal(err)
	}
	id, err := st.Identity(ctx)
	if err != nil {
		log.Fatal(err)
	}
	var file bytes.Buffer
	if err := checkpoint.New(id, report.Tip).Write(&file); err != nil {
		log.Fatal(err)
	}
	if _, err := checkpoint.Read(&file); err != nil {
		log.Fatal(err)
	}
	fmt.Println("epoch", report.Tip.Epoch)
	// Output: epoch 404
}
