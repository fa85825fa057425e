package multisig

import (
	"encoding/binary"
	"errors"
	"io"

	"github.com/stmverify/stmverify/internal/bls12381"
)

// errZeroCoefficients is returned when a source of randomness yields zeros again and again: it is broken.
var errZeroCoefficients = errors.New("multisig: the source of randomness yields zeros")

// drawCoefficients draws n coefficients, none of them zero, of 16 bytes each. A coefficient of zero would leave its
// signature unchecked.
func drawCoefficients(random io.Reader, n int) ([]bls12381.Coefficient, error) {
	b := make([]byte, 16*n)
	if _, err := io.ReadFull(random, b); err != nil {
		return nil, err
	}
	k := make([]bls12381.Coefficient, n)
	for i := range k {
		k[i] = coefficient(b[16*i:])
		for tries := 0; k[i] == (bls12381.Coefficient{}); tries++ {
			if tries == 4 {
				return nil, errZeroCoefficients
			}
			if _, err := io.ReadFull(random, b[:16]); err != nil {
				return nil, err
			}
			k[i] = coefficient(b)
		}
	}
	return k, nil
}

func coefficient(b []byte) bls12381.Coefficient {
	return bls12381.Coefficient{A0: binary.LittleEndian.Uint64(b), A1: binary.LittleEndian.Uint64(b[8:])}
}
