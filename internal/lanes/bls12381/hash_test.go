//go:build amd64 && !purego && !nolanes

package bls12381

import (
	"bytes"
	"testing"

	gnark "github.com/consensys/gnark-crypto/ecc/bls12-381"
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fp"
)

func TestHashG1(t *testing.T) {
	requireLanes(t)
	h := NewHasher()
	for _, tag := range []string{"", "BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_"} {
		for _, n := range []int{0, 1, 7, 8, 9, 200} {
			messages := make([][]byte, n)
			for i := range messages {
				messages[i] = bytes.Repeat([]byte{byte(i)}, i)
			}
			points, done := make([][12]uint64, n), make([]bool, n)
			h.G1(points, done, messages, []byte(tag))
			for i, m := range messages {
				want, err := gnark.HashToG1(m, []byte(tag))
				if err != nil {
					t.Fatal(err)
				}
				got := gnark.G1Affine{X: fp.Element(points[i][:6]), Y: fp.Element(points[i][6:])}
				if !done[i] || got != want {
					t.Errorf("tag %q, message %d of %d: done %v, got %v, want %v", tag, i, n, done[i], got, want)
				}
			}
		}
	}
}

func TestNormalize(t *testing.T) {
	requireLanes(t)
	m, z := NewMultiplier(), NewNormalizer()
	for _, n := range []int{0, 1, 8, 9, 16, 17, 40, 256, 270} {
		p, q := distinctG1(t, n), distinctG2(t, n)
		w1, w2 := pairWords(p, q)
		k := append([][2]uint64{{0, 0}, {1, 0}}, randomScalars(t, n)...)[:n]
		j1, j2 := make([][18]uint64, n), make([][36]uint64, n)
		m.G1Each(j1, w1, k)
		m.G2Each(j2, w2, k)
		a1, a2 := make([][12]uint64, n), make([][24]uint64, n)
		z.G1(a1, j1)
		z.G2(a2, j2)
		for i := range n {
			var want1 gnark.G1Affine
			var want2 gnark.G2Affine
			want1.FromJacobian(g1Jacobian(&j1[i]))
			want2.FromJacobian(g2Jacobian(&j2[i]))
			if a1[i] != g1Words(&want1) || a2[i] != g2Words(&want2) {
				t.Errorf("%d of %d: G1 %v, G2 %v", i, n, a1[i] == g1Words(&want1), a2[i] == g2Words(&want2))
			}
		}
	}
}
