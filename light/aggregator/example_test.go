package aggregator_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/stmverify/stmverify/light/aggregator"
)

// Ask an aggregator, with bounds on time, size and rate.
func ExampleNew() {
	client, err := aggregator.New("https://aggregator.example.net/aggregator",
		aggregator.Timeout(10*time.Second), aggregator.Retries(3), aggregator.BodyLimit(1<<20), aggregator.Rate(5))
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	fmt.Println(client.Name())
	// Output: https://aggregator.example.net/aggregator
}

// List the certificates of a file.
func ExampleOpenFiles() {
	ctx := context.Background()
	files, err := aggregator.OpenFiles(ctx, "../../testdata/chains/small/certificates.json")
	if err != nil {
		log.Fatal(err)
	}
	defer files.Close()
	items, err := files.Recent(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(items), "certificates, unverified")
	// Output: 12 certificates, unverified
}
