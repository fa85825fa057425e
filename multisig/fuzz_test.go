package multisig

import (
	"bytes"
	"testing"

	"github.com/stmverify/stmverify/verdict"
)

// FuzzKeys reads bytes as each of the four things that this package decodes. A refusal has a class; what is accepted has one
// encoding, that which was read.
func FuzzKeys(f *testing.F) {
	key, err := GenerateSigningKey(bytes.Repeat([]byte{7}, SigningKeySize))
	if err != nil {
		f.Fatal(err)
	}
	vk, sig, pop, sk := key.VerificationKey().Bytes(), key.Sign([]byte("message")).Bytes(), key.ProvePossession().Bytes(), key.SecretBytes()
	for _, b := range [][]byte{vk[:], sig[:], pop[:], sk[:]} {
		f.Add(b)
	}
	cache := NewKeyCache(4)
	f.Fuzz(func(t *testing.T, data []byte) {
		check := func(what string, err error, encode func() []byte) {
			switch {
			case err != nil && verdict.Class(err) == nil:
				t.Errorf("%s: error without a class: %v", what, err)
			case err == nil && !bytes.Equal(encode(), data):
				t.Errorf("%s: read %x, encoded %x", what, data, encode())
			}
		}
		vk, err := VerificationKeyFromBytes(data)
		check("verification key", err, func() []byte { b := vk.Bytes(); return b[:] })
		var keys [1]*VerificationKey
		if again := DecodeVerificationKeys(keys[:], data, cache); (again == nil) != (err == nil) {
			t.Errorf("verification key: %v alone, %v among others", err, again)
		}
		sig, err := SignatureFromBytes(data)
		check("signature", err, func() []byte { b := sig.Bytes(); return b[:] })
		var sigs [1]Signature
		if again := DecodeSignatures(sigs[:], data); (again == nil) != (err == nil) {
			t.Errorf("signature: %v alone, %v among others", err, again)
		}
		pop, err := ProofOfPossessionFromBytes(data)
		check("proof of possession", err, func() []byte { b := pop.Bytes(); return b[:] })
		sk, err := SigningKeyFromBytes(data)
		check("signing key", err, func() []byte { b := sk.SecretBytes(); return b[:] })
	})
}

// FuzzBatchIsTheConjunctionOfSingles makes claims as the input says and compares the batch with each signature alone. A claim is two
// bytes: how many of the five keys sign and which message; and what is wrong: nothing, the message, a key, two signatures in each
// other's place, the sum of two signatures kept while both are changed, or everything.
func FuzzBatchIsTheConjunctionOfSingles(f *testing.F) {
	keys := signers(f, 5, 12)
	f.Fuzz(func(t *testing.T, data []byte) {
		var aggregates []Aggregate
		for ; len(data) >= 2 && len(aggregates) < 8; data = data[2:] {
			a := aggregate(keys[:1+data[0]%5], []byte{data[0] / 5 % 4})
			spoil(&a, keys, data[1])
			aggregates = append(aggregates, a)
		}
		if len(aggregates) > 0 {
			compareWithSingles(t, aggregates)
		}
	})
}

func spoil(a *Aggregate, keys []*SigningKey, how byte) {
	n := byte(len(a.Signatures))
	i, j := how/8%n, how/40%n
	switch how % 8 {
	case 1:
		a.Signatures[i] = *keys[i].Sign([]byte("another message"))
	case 2:
		a.Keys[i] = keys[4].VerificationKey()
	case 3:
		a.Signatures[i], a.Signatures[j] = a.Signatures[j], a.Signatures[i]
	case 4:
		if delta := keys[4].Sign([]byte("delta")); i != j {
			a.Signatures[i].point.Add(&a.Signatures[i].point, &delta.point)
			a.Signatures[j].point.Sub(&a.Signatures[j].point, &delta.point)
		}
	case 5:
		a.Message = []byte("nobody signed this")
	}
}
