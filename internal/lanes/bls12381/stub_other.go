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

// A Multiplier computes sums of multiples of points; this build has none.
type Multiplier struct{}

// NewMultiplier panics.
func NewMultiplier() *Multiplier { panic(absent) }

// G1 panics.
func (m *Multiplier) G1(points [][12]uint64, scalars [][2]uint64) (sum [18]uint64) { panic(absent) }

// G2 panics.
func (m *Multiplier) G2(points [][24]uint64, scalars [][2]uint64) (sum [36]uint64) { panic(absent) }

// G1Each panics.
func (m *Multiplier) G1Each(dst [][18]uint64, points [][12]uint64, scalars [][2]uint64) {
	panic(absent)
}

// G2Each panics.
func (m *Multiplier) G2Each(dst [][36]uint64, points [][24]uint64, scalars [][2]uint64) {
	panic(absent)
}

// A Miller computes products of Miller loops; this build has none.
type Miller struct{}

// NewMiller panics.
func NewMiller() *Miller { panic(absent) }

// Product panics.
func (m *Miller) Product(p [][12]uint64, q [][24]uint64) (product [72]uint64) { panic(absent) }

// A Hasher hashes messages to G1; this build has none.
type Hasher struct{}

// NewHasher panics.
func NewHasher() *Hasher { panic(absent) }

// G1 panics.
func (h *Hasher) G1(points [][12]uint64, done []bool, messages [][]byte, tag []byte) { panic(absent) }

// A Normalizer turns Jacobian into affine coordinates; this build has none.
type Normalizer struct{}

// NewNormalizer panics.
func NewNormalizer() *Normalizer { panic(absent) }

// G1 panics.
func (n *Normalizer) G1(dst [][12]uint64, src [][18]uint64) { panic(absent) }

// G2 panics.
func (n *Normalizer) G2(dst [][24]uint64, src [][36]uint64) { panic(absent) }

// G2Sums panics.
func (m *Multiplier) G2Sums(dst [][36]uint64, counts []int, points [][24]uint64, scalars [][2]uint64) {
	panic(absent)
}
