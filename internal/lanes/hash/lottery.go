package hash

import (
	"encoding/binary"

	"golang.org/x/crypto/blake2b"
)

const (
	lotteryPrefix = "map"
	// indexOffset is where the index stands in the message, after the prefix
	// and the 96 bytes of msgp.
	indexOffset = len(lotteryPrefix) + 96
	// lotteryLength is the length of the message: 155 bytes, two blocks.
	lotteryLength = indexOffset + 8 + 48
)

// lotteryState is what [Lottery] prepares, as the assembly reads it: sixteen
// words of block one with a zero index, four words of block two, and the
// sixteen state words after the seven of eight mixings of round 0 that do not
// see the index.
type lotteryState = [36]uint64

// Lottery hashes the lottery messages of one signature, which differ in their
// index only: Blake2b-512("map" ‖ msgp ‖ index ‖ sigma), the index eight bytes
// little-endian (SPEC section 4). Concurrent calls are safe but for [Lottery.Set].
type Lottery struct {
	message [lotteryLength]byte
	state   lotteryState
}

// NewLottery prepares the hashes for a message with its Merkle root and a
// compressed signature. It costs less than one hash.
func NewLottery(msgp *[96]byte, sigma *[48]byte) *Lottery {
	l := new(Lottery)
	l.Set(msgp, sigma)
	return l
}

// Set is [NewLottery] into l.
func (l *Lottery) Set(msgp *[96]byte, sigma *[48]byte) {
	copy(l.message[:], lotteryPrefix)
	copy(l.message[len(lotteryPrefix):], msgp[:])
	copy(l.message[indexOffset+8:], sigma[:])
	if available() {
		l.prepare()
	}
}

// Sum returns the hash for one index.
func (l *Lottery) Sum(index uint64) [Size]byte {
	m := l.message
	binary.LittleEndian.PutUint64(m[indexOffset:], index)
	return blake2b.Sum512(m[:])
}

// Eval8 sets out[i] to the hash for indices[i]. A caller with fewer than eight
// indices repeats one of them.
func (l *Lottery) Eval8(out *[8][Size]byte, indices *[8]uint64) {
	if !available() {
		for i, index := range indices {
			out[i] = l.Sum(index)
		}
		return
	}
	lotteryEval8(out, &l.state, indices)
}
