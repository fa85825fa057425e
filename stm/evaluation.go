package stm

import (
	"encoding/binary"

	"golang.org/x/crypto/blake2b"

	"github.com/stmverify/stmverify/internal/lanes"
	"github.com/stmverify/stmverify/internal/lanes/hash"
	"github.com/stmverify/stmverify/merkle"
	"github.com/stmverify/stmverify/multisig"
)

// evaluation computes what the lottery of an index is decided on:
//
//	ev = Blake2b-512("map" ‖ msg ‖ root ‖ index ‖ sigma)
//
// The index is hashed little-endian here and ev is read little-endian; elsewhere numbers are big-endian (SPEC 4). sigma is
// the canonical encoding of a validated point, never bytes as received: a second encoding would be a second ticket
// (SPEC 9.2).
type evaluation struct {
	input []byte
	index int           // where the index stands in input
	eight *hash.Lottery // eight indices at a time; nil where that is not possible
}

const evaluationPrefix = "map"

// certificateMessage is the length of msg ‖ root for the messages of certificates, which are 64 characters. The lanes hash
// no other.
const certificateMessage = 64 + merkle.HashSize

// Evaluate returns what the lottery of an index is decided on, for a signature on signed, which is msg ‖ root: see
// [AggregateVerificationKey.SignedMessage] and [Threshold.Wins].
func Evaluate(signed []byte, sigma *multisig.Signature, index uint64) [64]byte {
	e := newEvaluation(signed)
	e.setSignature(sigma)
	return e.at(index)
}

func newEvaluation(signed []byte) *evaluation {
	input := make([]byte, len(evaluationPrefix)+len(signed)+8+multisig.SignatureSize)
	copy(input, evaluationPrefix)
	copy(input[len(evaluationPrefix):], signed)
	return &evaluation{input: input, index: len(evaluationPrefix) + len(signed)}
}

func (e *evaluation) setSignature(sigma *multisig.Signature) {
	enc := sigma.Bytes()
	copy(e.input[e.index+8:], enc[:])
	if signed := e.input[len(evaluationPrefix):e.index]; len(signed) == certificateMessage && lanes.Enabled() {
		e.eight = hash.NewLottery((*[certificateMessage]byte)(signed), &enc)
	}
}

func (e *evaluation) at(index uint64) [64]byte {
	binary.LittleEndian.PutUint64(e.input[e.index:], index)
	return blake2b.Sum512(e.input)
}

// eightAt evaluates up to eight indices.
func (e *evaluation) eightAt(out *[8][64]byte, indexes []uint64) {
	var eight [8]uint64
	for i := range eight {
		eight[i] = indexes[min(i, len(indexes)-1)]
	}
	e.eight.Eval8(out, &eight)
}

// firstLost returns the first of the indices that does not win.
func (e *evaluation) firstLost(indexes []uint64, threshold *Threshold) (uint64, bool) {
	if e.eight == nil {
		for _, index := range indexes {
			if ev := e.at(index); !threshold.Wins(&ev) {
				return index, true
			}
		}
		return 0, false
	}
	var out [8][64]byte
	for len(indexes) > 0 {
		n := min(8, len(indexes))
		e.eightAt(&out, indexes[:n])
		for i := range n {
			if !threshold.Wins(&out[i]) {
				return indexes[i], true
			}
		}
		indexes = indexes[n:]
	}
	return 0, false
}

// appendWon appends the indices below m that win.
func (e *evaluation) appendWon(won []uint64, m uint64, threshold *Threshold) []uint64 {
	if e.eight == nil {
		for index := range m {
			if ev := e.at(index); threshold.Wins(&ev) {
				won = append(won, index)
			}
		}
		return won
	}
	var out [8][64]byte
	var eight [8]uint64
	for first := uint64(0); first < m; first += 8 {
		for i := range eight {
			eight[i] = first + uint64(i) // Those beyond m-1 are not looked at.
		}
		e.eight.Eval8(&out, &eight)
		for i := range min(8, m-first) {
			if threshold.Wins(&out[i]) {
				won = append(won, first+i)
			}
		}
	}
	return won
}
