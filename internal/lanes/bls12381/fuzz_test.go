//go:build amd64 && !purego && !nolanes

package bls12381

import "testing"

// FuzzG1Decode compares the verdict and the coordinates with gnark-crypto for arbitrary
// bytes, in a lane that the length chooses, among good neighbours.
func FuzzG1Decode(f *testing.F) {
	requireLanes(f)
	for _, c := range g1Cases(f)[:20] {
		f.Add(c.b, uint8(len(c.name)))
	}
	p := g1Point(f)
	good := p.Bytes()
	f.Fuzz(func(t *testing.T, b []byte, lane uint8) {
		if len(b) != 48 {
			return
		}
		batch := make([]encoding, Lanes)
		for i := range batch {
			batch[i] = encoding{"good neighbour", good[:]}
		}
		batch[lane%Lanes] = encoding{"fuzzed", b}
		checkG1(t, batch)
	})
}

// FuzzG2Decode is FuzzG1Decode for G2.
func FuzzG2Decode(f *testing.F) {
	requireLanes(f)
	for _, c := range g2Cases(f)[:19] {
		f.Add(c.b, uint8(len(c.name)))
	}
	p := g2Point(f)
	good := p.Bytes()
	f.Fuzz(func(t *testing.T, b []byte, lane uint8) {
		if len(b) != 96 {
			return
		}
		batch := make([]encoding, Lanes)
		for i := range batch {
			batch[i] = encoding{"good neighbour", good[:]}
		}
		batch[lane%Lanes] = encoding{"fuzzed", b}
		checkG2(t, batch)
	})
}
