package certificate_test

import (
	"fmt"
	"log"
	"os"

	"github.com/stmverify/stmverify/certificate"
)

// This example reads a file of certificates, newest first, one at a time. A matching hash says that a certificate is whole, and nothing
// about who made it: that takes package chain.
func ExampleSplit() {
	f, err := os.Open("../testdata/chains/small/certificates.json")
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	for raw, err := range certificate.Split(f) {
		if err != nil {
			log.Fatal(err)
		}
		c, err := certificate.Decode(raw)
		if err != nil {
			log.Fatal(err)
		}
		computed, err := c.ComputeHash()
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(c.Hash.Short(), c.Epoch, c.SignedEntityType, computed == c.Hash)
	}
	// Output:
	// 86fa1711… 404 CardanoBlocksTransactions(404, 8726415, 15) true
	// 3bc135df… 404 MithrilStakeDistribution(404) true
	// 937ec3e6… 403 CardanoBlocksTransactions(403, 8704830, 15) true
	// 9e7effea… 403 CardanoBlocksTransactions(403, 8704815, 15) true
	// 0e87ff8d… 403 MithrilStakeDistribution(403) true
	// 7857aa63… 402 CardanoBlocksTransactions(402, 8683230, 15) true
	// a6d3ea90… 402 CardanoStakeDistribution(402) true
	// 70eecfff… 402 MithrilStakeDistribution(402) true
	// 8a33d3bd… 401 CardanoStakeDistribution(401) true
	// d06e95e3… 401 CardanoTransactions(401, 8661615) true
	// 9c1e48da… 401 MithrilStakeDistribution(401) true
	// f245ffe8… 400 MithrilStakeDistribution(400) true
}
