//go:build amd64 && !purego && !nolanes

package curve25519

import (
	"crypto/ed25519"
	"testing"
)

// FuzzVerify compares the verdicts with those of crypto/ed25519, the strict one
// with the list of small-order encodings besides. The fuzzed item stands in one
// lane, valid signatures in the others.
func FuzzVerify(f *testing.F) {
	if !Available() {
		f.Skip("no AVX-512 IFMA, or lanes switched off")
	}
	items := signed(f, 8, 20)
	f.Add(items[0].Key[:], items[0].Signature[:], items[0].Message, uint8(3))
	f.Add(make([]byte, 32), make([]byte, 64), []byte("zero"), uint8(0))
	f.Add(smallOrderY[6][:], append(smallOrderY[2][:], make([]byte, 32)...), []byte{}, uint8(7))
	f.Fuzz(func(t *testing.T, key, sig, message []byte, lane uint8) {
		if len(key) != 32 || len(sig) != 64 {
			t.Skip()
		}
		lane %= 8
		group := append([]Item(nil), items...)
		group[lane] = Item{(*[32]byte)(key), (*[64]byte)(sig), message}
		w := new(Workspace)
		stdlib, strict := make([]bool, 8), make([]bool, 8)
		w.VerifyCofactorless(stdlib, group)
		w.VerifyStrict(strict, group)
		if one := VerifyOne(&group[lane], false); one != stdlib[lane] {
			t.Errorf("alone: got %v, in eight lanes %v", one, stdlib[lane])
		}
		want := ed25519.Verify(key, message, sig)
		for i := range group {
			if i != int(lane) {
				if !stdlib[i] || !strict[i] {
					t.Fatalf("lane %d: a valid signature was refused", i)
				}
				continue
			}
			if stdlib[i] != want {
				t.Errorf("cofactorless: got %v, want %v", stdlib[i], want)
			}
			if want = want && !smallOrder(key) && !smallOrder(sig[:32]); strict[i] != want {
				t.Errorf("strict: got %v, want %v", strict[i], want)
			}
		}
	})
}
