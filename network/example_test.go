package network_test

import (
	"fmt"
	"log"

	"github.com/stmverify/stmverify/network"
)

// Look up the genesis verification key of a published network.
func ExampleLookup() {
	n, err := network.Lookup("preprod")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(n.Name, n.Key)
	// Output: release-preprod 7f497ca1068983d5cf75c655b0c7a2f1447b77910de8f331e502f9cdcd27eb2c
}
