//go:build !amd64 || purego || nolanes

package bls12381

const absent = "bls12381: this build has no lanes; ask lanes.Enabled first"

// A Decoder decompresses points; this build has none.
type Decoder struct{}

// NewDecoder panics.
func NewDecoder() *Decoder { panic(absent) }

// G1 panics.
func (d *Decoder) G1(points [][12]uint64, done []bool, src []byte) { panic(absent) }

// G2 panics.
func (d *Decoder) G2(points [][24]uint64, done []bool, src []byte) { panic(absent) }
