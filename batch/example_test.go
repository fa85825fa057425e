package batch_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/stmverify/stmverify/batch"
	"github.com/stmverify/stmverify/multisig"
)

// Verify claims together, one of which does not hold.
func ExampleVerifier() {
	signer, err := multisig.GenerateSigningKey(make([]byte, multisig.SigningKeySize))
	if err != nil {
		log.Fatal(err)
	}
	var v batch.Verifier
	for i := range byte(5) {
		signature := signer.Sign([]byte{i})
		message := []byte{i}
		if i == 3 {
			message = []byte("another message")
		}
		claim, err := multisig.NewClaim(message, []*multisig.VerificationKey{signer.VerificationKey()}, []multisig.Signature{*signature})
		if err != nil {
			log.Fatal(err)
		}
		v.Add(claim)
	}
	err = v.Verify(context.Background())
	if e, ok := errors.AsType[*batch.Error](err); ok {
		for _, f := range e.Failures {
			fmt.Println("claim", f.Slot, "signatures", f.Signatures)
		}
	}
	// Output: claim 3 signatures [0]
}
