package ed25519_test

import (
	"context"
	std "crypto/ed25519"
	"errors"
	"fmt"

	"github.com/stmverify/stmverify/ed25519"
)

// A genesis certificate is signed over the 64 hexadecimal characters of its signed message.
func ExampleVerify() {
	private := std.NewKeyFromSeed(make([]byte, std.SeedSize)) // of whoever signs
	public := private.Public().(std.PublicKey)
	message := []byte("29caf0db90ef0bb6a7f9a2ea2b4af3cb08e4c2a40f1a43aaf9eb7b1a0c5d54c6")
	signature := std.Sign(private, message)

	fmt.Println(ed25519.Verify(ed25519.Strict, public, message, signature))
	message[0] = '3'
	fmt.Println(ed25519.Verify(ed25519.Strict, public, message, signature))
	// Output:
	// <nil>
	// ed25519: signature does not match
}

// The lenient rule set accepts a key of small order, under which one signature is valid for every message.
func ExampleMode() {
	var key [ed25519.PublicKeySize]byte
	var signature [ed25519.SignatureSize]byte
	for _, mode := range []ed25519.Mode{ed25519.Strict, ed25519.ZIP215} {
		fmt.Printf("%v: %v\n", mode, ed25519.Verify(mode, key[:], []byte("any message"), signature[:]))
	}
	// Output:
	// strict: ed25519: public key has small order
	// zip215: <nil>
}

func ExampleBatch() {
	batch, err := ed25519.NewBatch(ed25519.CofactoredStrict, ed25519.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for i := range 5 {
		private := std.NewKeyFromSeed([]byte{31: byte(i)})
		message := fmt.Appendf(nil, "message %d", i)
		signature := std.Sign(private, message)
		if i == 3 {
			message = []byte("another message")
		}
		batch.Add(private.Public().(std.PublicKey), message, signature)
	}
	err = batch.Verify(context.Background())
	fmt.Println(err)
	var refused *ed25519.BatchError
	if errors.As(err, &refused) {
		for _, bad := range refused.Bad {
			fmt.Println(bad.Index, bad.Err)
		}
	}
	batch.Reset() // and the next one
	// Output:
	// ed25519: 1 of 5 signatures are invalid, the first at index 3: ed25519: signature does not match
	// 3 ed25519: signature does not match
}
