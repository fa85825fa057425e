// Package hash computes Blake2b-512 and SHA-512 of eight messages at once.
//
// With AVX-512 every state word is a vector of eight lanes; without it, or
// when [lanes.Enabled] is false, the same functions hash one message after
// the other with golang.org/x/crypto/blake2b and crypto/sha512. The results
// are equal. The functions keep no state and may run concurrently.
package hash

import "golang.org/x/crypto/blake2b"

//go:generate go -C ../gen run ./hash -dir ../hash

// Size is the length of a digest in bytes.
const Size = 64

// blockSize is the length of a block of both functions in bytes.
const blockSize = 128

// Available reports whether the functions run in lanes. Without them they give
// the same results, one message after the other.
func Available() bool { return available() }

// Blake2b sets out[i] to the Blake2b-512 of msgs[i]. Lanes are used when the
// eight messages have one length; other calls hash one by one.
func Blake2b(out *[8][Size]byte, msgs *[8][]byte) {
	if !available() || !equalLengths(msgs) {
		for i, m := range msgs {
			out[i] = blake2b.Sum512(m)
		}
		return
	}
	blake2bLanes(out, msgs)
}

// equalLengths reports whether all messages are as long as the first.
func equalLengths(msgs *[8][]byte) bool {
	for _, m := range msgs {
		if len(m) != len(msgs[0]) {
			return false
		}
	}
	return true
}
