package stm_test

import (
	"bytes"
	"fmt"
	"log"

	"github.com/stmverify/stmverify/keyreg"
	"github.com/stmverify/stmverify/multisig"
	"github.com/stmverify/stmverify/stm"
)

// Register two signers, sign, aggregate and verify.
func Example() {
	parameters := stm.Parameters{K: 5, M: 50, PhiF: 0.8}
	message := []byte("message")

	var registration keyreg.Registration
	var keys []*multisig.SigningKey
	for seed := range byte(2) {
		key, err := multisig.GenerateSigningKey(bytes.Repeat([]byte{seed}, multisig.SigningKeySize))
		if err != nil {
			log.Fatal(err)
		}
		party := keyreg.Party{Key: key.VerificationKey(), Possession: key.ProvePossession(), Stake: 1000}
		if err := registration.Register(party); err != nil {
			log.Fatal(err)
		}
		keys = append(keys, key)
	}
	closed, err := registration.Close()
	if err != nil {
		log.Fatal(err)
	}

	var singles []*stm.SingleSignature
	for _, key := range keys {
		signer, err := stm.NewSigner(key, closed, parameters)
		if err != nil {
			log.Fatal(err)
		}
		single, err := signer.Sign(message)
		if err != nil {
			log.Fatal(err) // The signer won no lottery.
		}
		singles = append(singles, single)
	}
	clerk, err := stm.NewClerk(closed, parameters)
	if err != nil {
		log.Fatal(err)
	}
	aggregate, err := clerk.Aggregate(message, singles)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(aggregate.Verify(message, clerk.AVK(), parameters))

	parameters.K = 1000
	parameters.M = 1000
	fmt.Println(aggregate.Verify(message, clerk.AVK(), parameters) != nil)
	// Output:
	// <nil>
	// true
}

// Decide lotteries of one signer.
func ExampleNewThreshold() {
	threshold, err := stm.NewThreshold(0.2, 1, 10)
	if err != nil {
		log.Fatal(err)
	}
	small, large := [64]byte{}, [64]byte(bytes.Repeat([]byte{0xff}, 64))
	fmt.Println(threshold.Wins(&small), threshold.Wins(&large))
	// Output: true false
}
