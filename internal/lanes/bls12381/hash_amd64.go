//go:build amd64 && !purego && !nolanes

package bls12381

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/binary"
)

// A Hasher hashes messages to G1, eight at a time. It keeps its working space of 120 kB and
// is not safe for concurrent use.
type Hasher struct {
	exponentiation
	plainOne, fromPlain, high, to384 Fp
	curve                            [6]Fp
	isogeny                          [53]Fp

	u, y, check [groups]Fp
	parity      [groups]uint8 // of u, a bit a lane
	steps       [groups][6]Fp
	other       [groups][2]Fp
	point       [groups][3]Fp
	acc         [3]Fp
	tmp         [24]Fp
}

// NewHasher returns a Hasher. The caller has made sure that the processor has the lanes.
func NewHasher() *Hasher {
	h := &Hasher{}
	h.plainOne.broadcast(&limbsPlainOne)
	h.fromPlain.broadcast(&limbsFromPlain)
	h.high.broadcast(&limbsHigh)
	h.to384.broadcast(&limbsTo384)
	for i := range h.curve {
		h.curve[i].broadcast(&mapLimbs[i])
	}
	for i := range h.isogeny {
		h.isogeny[i].broadcast(&isogenyLimbs[i])
	}
	return h
}

// G1 hashes messages by BLS12381G1_XMD:SHA-256_SSWU_RO_ of RFC 9380 with the given domain
// separation tag, of at most 255 bytes and possibly empty. points[i] receives the affine
// coordinates as [Decoder.G1] gives them; done[i] is false, with probability about 2^−250,
// if the formulas met an exceptional case and the ordinary backend has to hash message i.
//
// It requires that the three lengths are equal.
func (h *Hasher) G1(points [][12]uint64, done []bool, messages [][]byte, tag []byte) {
	for len(points) > 0 {
		n := min(len(points), Lanes)
		h.g1(points[:n], done[:n], messages[:n], tag)
		points, done, messages = points[n:], done[n:], messages[n:]
	}
}

func (h *Hasher) g1(points [][12]uint64, done []bool, messages [][]byte, tag []byte) {
	h.load(messages, tag)
	for g := range groups {
		mapStartAsm(&h.steps[g], &h.in[g], &h.u[g], &h.curve, (*[4]Fp)(h.tmp[:4]))
	}
	h.power(groups)
	for g := range groups {
		h.finishMap(g)
	}
	sum := &h.point[0]
	g1AddAsm(sum, &h.point[1], (*[8]Fp)(h.tmp[:8]))
	isogenyAsm(&h.acc, sum, &h.isogeny, &h.tmp)
	*sum = h.acc
	h.clearCofactor(sum)
	h.in[0] = h.acc[2]
	h.invert(1)
	q := (*[2]Fp)(h.y[:])
	g1AffineAsm(q, &h.acc, &h.root[0], &h.tmp[0])
	infinite := zeroLanes(&h.acc[2], &h.plainOne, &h.tmp[0])
	mulAsm(&q[0], &q[0], &h.to384)
	mulAsm(&q[1], &q[1], &h.to384)
	for l := range points {
		done[l] = infinite>>l&1 == 0
		points[l] = [12]uint64{}
		if done[l] {
			*(*fp6)(points[l][:6]), *(*fp6)(points[l][6:]) = q[0].lane(l), q[1].lane(l)
		}
	}
}

// load expands the messages into u[0] and u[1]. An absent message has u = 0.
func (h *Hasher) load(messages [][]byte, tag []byte) {
	low, high := &h.tmp, &h.point[0]
	clear(low[:groups])
	clear(high[:groups])
	for l, m := range messages {
		uniform := expand(m, tag)
		for g := range groups {
			b := uniform[64*g : 64*g+64]
			var w fp6
			for i := range w {
				w[5-i] = binary.BigEndian.Uint64(b[16+8*i:])
			}
			low[g].setLane(l, &w)
			high[g].setLane(l, &fp6{binary.BigEndian.Uint64(b[8:]), binary.BigEndian.Uint64(b)})
		}
	}
	for g := range groups {
		mulAsm(&low[g], &low[g], &h.fromPlain)
		mulAsm(&high[g], &high[g], &h.high)
		addAsm(&h.u[g], &low[g], &high[g])
		h.parity[g] = h.odd(&h.u[g])
	}
}

// odd returns the lanes in which x, reduced and out of Montgomery form, is odd: sgn0 of
// RFC 9380.
func (h *Hasher) odd(x *Fp) (lanes uint8) {
	t := &h.tmp[0]
	mulAsm(t, x, &h.plainOne)
	for l := range Lanes {
		w := t.lane(l)
		lanes |= uint8(w[0]&1) << l
	}
	return lanes
}

// finishMap completes the map of u[g] to a point of the isogenous curve.
func (h *Hasher) finishMap(g int) {
	s, y, x := &h.steps[g], &h.y[g], &h.steps[g][1]
	mapEndAsm(y, &h.check[g], &h.other[g], s, &h.root[g], &h.u[g], &h.curve)
	square := zeroLanes(&h.check[g], &h.plainOne, &h.tmp[0])
	for l := range Lanes {
		if square>>l&1 == 0 {
			for i := range x {
				x[i][l], y[i][l] = h.other[g][0][i][l], h.other[g][1][i][l]
			}
		}
	}
	if negative := h.odd(y) ^ h.parity[g]; negative != 0 {
		negateLanesAsm(y, negative)
	}
	mapPointAsm(&h.point[g], x, y, s)
}

// clearCofactor sets acc to [1 − u]p = [|u| + 1]p.
func (h *Hasher) clearCofactor(p *[3]Fp) {
	h.acc = *p
	last := len(blockLengths) - 1
	for i, n := range blockLengths {
		g1DoubleAsm(&h.acc, (*[5]Fp)(h.tmp[:5]), n)
		if i < last {
			g1AddAsm(&h.acc, p, (*[8]Fp)(h.tmp[:8]))
		}
	}
	g1AddAsm(&h.acc, p, (*[8]Fp)(h.tmp[:8]))
}

// expand is expand_message_xmd of RFC 9380, 5.3.1, with SHA-256 for 128 bytes.
func expand(message, tag []byte) (uniform [128]byte) {
	h := sha256.New()
	suffix := append(append([]byte(nil), tag...), byte(len(tag)))
	h.Write(make([]byte, sha256.BlockSize))
	h.Write(message)
	h.Write([]byte{0, byte(len(uniform)), 0})
	h.Write(suffix)
	var first, previous, block [sha256.Size]byte
	h.Sum(first[:0])
	for i := range len(uniform) / sha256.Size {
		subtle.XORBytes(block[:], first[:], previous[:])
		h.Reset()
		h.Write(block[:])
		h.Write([]byte{byte(i + 1)})
		h.Write(suffix)
		h.Sum(previous[:0])
		copy(uniform[sha256.Size*i:], previous[:])
	}
	return uniform
}
