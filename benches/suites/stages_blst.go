//go:build cgo && !purego

package suites

import (
	"github.com/stmverify/stmverify/internal/bls12381"
	"github.com/stmverify/stmverify/internal/bls12381/blst"
)

func curveLibraries() []curveLibrary {
	b := curveLibrary{"blst", blst.DecodeG1, blst.DecodeG2, blst.HashToG1, func(p []bls12381.G1, q []bls12381.G2) (miller, final func()) {
		f := blst.MillerLoop(p, q)
		return func() { blst.MillerLoop(p, q) }, func() { blst.FinalExpIsOne(&f) }
	}}
	return []curveLibrary{b, gnarkLibrary()}
}
