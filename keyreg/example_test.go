package keyreg_test

import (
	"bytes"
	"context"
	"fmt"

	"github.com/stmverify/stmverify/keyreg"
	"github.com/stmverify/stmverify/multisig"
)

func ExampleRegistration() {
	var parties []keyreg.Party
	for i, stake := range []uint64{500, 20, 480} {
		key, err := multisig.GenerateSigningKey(bytes.Repeat([]byte{byte(i)}, 32)) // an example: real keys are random
		if err != nil {
			fmt.Println(err)
			return
		}
		parties = append(parties, keyreg.Party{Key: key.VerificationKey(), Possession: key.ProvePossession(), Stake: stake})
	}

	var r keyreg.Registration
	if err := r.RegisterAll(context.Background(), parties); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Register(parties[0]))
	closed, err := r.Close()
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, e := range closed.Entries() {
		fmt.Println(i, e.Stake)
	}
	fmt.Println(closed.NrLeaves(), closed.TotalStake())
	// Output:
	// keyreg: party 0: key is registered already
	// 0 20
	// 1 480
	// 2 500
	// 3 1000
}
