package multisig_test

import (
	"bytes"
	"context"
	"fmt"
	"log"

	"github.com/stmverify/stmverify/multisig"
)

// Verify the signatures of several signers on one message.
func ExampleClaim_Verify() {
	message := []byte("message")
	var keys []*multisig.VerificationKey
	var signatures []multisig.Signature
	for seed := range byte(3) {
		signer, err := multisig.GenerateSigningKey(bytes.Repeat([]byte{seed}, multisig.SigningKeySize))
		if err != nil {
			log.Fatal(err)
		}
		keys = append(keys, signer.VerificationKey())
		signatures = append(signatures, *signer.Sign(message))
	}
	claim, err := multisig.NewClaim(message, keys, signatures)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(claim.Verify())

	// The second signer's signature of something else.
	signatures[1] = signatures[0]
	claim, err = multisig.NewClaim(message, keys, signatures)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(claim.Verify())
	// Output:
	// <nil>
	// multisig: claim 0: signatures [1]: signature does not verify
}

// Verify many claims by one combination.
func ExampleVerifyPrepared() {
	signer, err := multisig.GenerateSigningKey(make([]byte, multisig.SigningKeySize))
	if err != nil {
		log.Fatal(err)
	}
	var prepared []*multisig.Prepared
	for i := range byte(3) {
		message := []byte{i}
		claim, err := multisig.NewClaim(message, []*multisig.VerificationKey{signer.VerificationKey()}, []multisig.Signature{*signer.Sign(message)})
		if err != nil {
			log.Fatal(err)
		}
		p, err := claim.Prepare(nil)
		if err != nil {
			log.Fatal(err)
		}
		prepared = append(prepared, p)
	}
	fmt.Println(multisig.VerifyPrepared(context.Background(), prepared, 1))
	// Output: <nil>
}
