package ed25519

import (
	"bytes"
	"context"
	std "crypto/ed25519"
	"math/rand/v2"
	"testing"

	consensus "github.com/hdevalence/ed25519consensus"
	voi "github.com/oasisprotocol/curve25519-voi/primitives/ed25519"
)

// voiOptions are the modes in the terms of another implementation.
var voiOptions = [modeCount]*voi.Options{
	Strict:           {Verify: &voi.VerifyOptions{CofactorlessVerify: true, AllowNonCanonicalA: true}},
	CofactoredStrict: {Verify: &voi.VerifyOptions{}},
	ZIP215:           {Verify: voi.VerifyOptionsZIP_215},
	StdLib:           {Verify: voi.VerifyOptionsStdLib},
}

// checkOracles compares the single verification in every mode with the independent implementations.
func checkOracles(t *testing.T, s signed) {
	t.Helper()
	for _, mode := range modes {
		err := Verify(mode, s.pub, s.msg, s.sig)
		if want := accepts(mode, s); (err == nil) != want {
			t.Errorf("%v: got %v, the definition says %t", mode, err, want)
		}
		if len(s.pub) != PublicKeySize { // the others panic
			continue
		}
		if want := voi.VerifyWithOptions(s.pub, s.msg, s.sig, voiOptions[mode]); (err == nil) != want {
			t.Errorf("%v: got %v, curve25519-voi says %t", mode, err, want)
		}
		switch mode {
		case StdLib:
			if want := std.Verify(s.pub, s.msg, s.sig); (err == nil) != want {
				t.Errorf("%v: got %v, crypto/ed25519 says %t", mode, err, want)
			}
		case ZIP215:
			if want := consensus.Verify(s.pub, s.msg, s.sig); (err == nil) != want {
				t.Errorf("%v: got %v, ed25519consensus says %t", mode, err, want)
			}
		}
	}
}

func TestOracles(t *testing.T) {
	t.Parallel()
	r := newRand(8)
	cases := edgeCases()
	for range less(400) {
		checkOracles(t, cases[r.IntN(len(cases))].signed)
	}
}

// FuzzVerify compares every mode with independent implementations.
func FuzzVerify(f *testing.F) {
	r := newRand(9)
	cases := edgeCases()
	for range 30 {
		c := cases[r.IntN(len(cases))]
		f.Add(c.pub, c.msg, c.sig)
	}
	honest := sign(1, "fuzz")
	f.Add(honest.pub, honest.msg, honest.sig)
	f.Add(honest.pub[:31], honest.msg, honest.sig[:63])
	f.Fuzz(func(t *testing.T, pub, msg, sig []byte) {
		checkOracles(t, signed{pub, msg, sig})
	})
}

// FuzzBatch compares batches with single verifications. The input chooses the mode, the number of workers and the size,
// and from a pool of edge cases, valid and spoilt signatures; its last bytes overwrite a part of one of them.
func FuzzBatch(f *testing.F) {
	pool := signMany(40, 25)
	for i := range 10 {
		pool = append(pool, pool[i].spoil())
	}
	for _, c := range edgeCases() {
		pool = append(pool, c.signed)
	}
	cache := NewKeyCache(64)
	for i := range 12 {
		f.Add(uint8(i), uint64(i), uint16(1)<<i, []byte{byte(i), 0, byte(17 * i)})
	}
	f.Fuzz(func(t *testing.T, choice uint8, seed uint64, size uint16, patch []byte) {
		options := Options{Workers: 1 + int(choice>>2)%3}
		if choice>>4&1 == 1 {
			options.Cache = cache
		}
		r := rand.New(rand.NewPCG(seed, 0))
		honest := choice>>5&1 == 1
		all := make([]signed, 1+int(size)%700)
		for i := range all {
			all[i] = pool[r.IntN(40)]
			if !honest && r.IntN(4) == 0 {
				all[i] = pool[r.IntN(len(pool))]
			}
		}
		if len(patch) > 2 {
			s := &all[int(patch[0])%len(all)]
			s.pub, s.sig = bytes.Clone(s.pub), bytes.Clone(s.sig)
			whole := s.sig
			if patch[1]&1 == 1 {
				whole = s.pub
			}
			copy(whole[int(patch[1]>>1)%len(whole):], patch[2:])
		}
		b, err := NewBatch(Mode(choice%4), options)
		if err != nil {
			t.Fatal(err)
		}
		for i, s := range all {
			b.Add(s.pub, s.msg, s.sig)
			if choice>>6&1 == 1 && i == len(all)/2 {
				b.Start(context.Background())
			}
		}
		checkVerdicts(t, b, all, b.Verify(context.Background()))
	})
}
