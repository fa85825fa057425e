//go:build cgo && !purego

package backend

import (
	"bytes"
	"testing"

	"github.com/stmverify/stmverify/internal/bls12381"
	"github.com/stmverify/stmverify/internal/bls12381/blst"
	"github.com/stmverify/stmverify/internal/bls12381/gnark"
)

// FuzzBackendsDecodeAlike decodes 48 bytes as a point of G1, or 96 as one of G2, with blst, with gnark-crypto, and with what this
// build uses for many points. All must give the same status, the same point and the same encoding.
func FuzzBackendsDecodeAlike(f *testing.F) {
	f.Fuzz(func(t *testing.T, e []byte) {
		switch len(e) {
		case bls12381.G1Size:
			decodeG1Alike(t, (*[bls12381.G1Size]byte)(e))
		case bls12381.G2Size:
			decodeG2Alike(t, (*[bls12381.G2Size]byte)(e))
		}
	})
}

func decodeG1Alike(t *testing.T, e *[bls12381.G1Size]byte) {
	var p, q bls12381.G1
	status := DecodeG1(&p, e)
	if first := bls12381.CheckEncoding(e[:]); first != bls12381.OK {
		if status != first {
			t.Fatalf("status %d, want %d", status, first)
		}
		return
	}
	if a, b := blst.DecodeG1(&p, e), gnark.DecodeG1(&q, e); a != b || a != status || p != q {
		t.Fatalf("blst: %d, %v; gnark: %d, %v; backend: %d", a, p, b, q, status)
	}
	many := make([]bls12381.G1, 9)
	if at, got := DecodeG1s(many, bytes.Repeat(e[:], len(many))); got != status || (at == -1) != (status == bls12381.OK) || status == bls12381.OK && many[8] != p {
		t.Fatalf("many at a time: status %d at %d, want %d", got, at, status)
	}
	if status != bls12381.OK {
		return
	}
	if a, b := blst.EncodeG1(&p), gnark.EncodeG1(&q); a != *e || b != *e {
		t.Fatalf("encoded again: blst %x, gnark %x", a, b)
	}
}

func decodeG2Alike(t *testing.T, e *[bls12381.G2Size]byte) {
	var p, q bls12381.G2
	status := DecodeG2(&p, e)
	if first := bls12381.CheckEncoding(e[:]); first != bls12381.OK {
		if status != first {
			t.Fatalf("status %d, want %d", status, first)
		}
		return
	}
	if a, b := blst.DecodeG2(&p, e), gnark.DecodeG2(&q, e); a != b || a != status || p != q {
		t.Fatalf("blst: %d, %v; gnark: %d, %v; backend: %d", a, p, b, q, status)
	}
	many := make([]bls12381.G2, 9)
	if at, got := DecodeG2s(many, bytes.Repeat(e[:], len(many))); got != status || (at == -1) != (status == bls12381.OK) || status == bls12381.OK && many[8] != p {
		t.Fatalf("many at a time: status %d at %d, want %d", got, at, status)
	}
	if status != bls12381.OK {
		return
	}
	if a, b := blst.EncodeG2(&p), gnark.EncodeG2(&q); a != *e || b != *e {
		t.Fatalf("encoded again: blst %x, gnark %x", a, b)
	}
}

// FuzzBackendsComputeAlike derives a key, hashes a message, signs it and pairs the signature with blst and with gnark-crypto, once as it
// should be and once with another message's hash.
func FuzzBackendsComputeAlike(f *testing.F) {
	f.Fuzz(func(t *testing.T, ikm, msg []byte, n uint8) {
		if len(ikm) < 32 {
			return // Shorter ones have no key.
		}
		computeAlike(t, ikm, msg, 1+int(n%9))
	})
}
