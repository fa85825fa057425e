package hash

import (
	"bytes"
	"crypto/sha512"
	"math/rand/v2"
	"testing"

	"golang.org/x/crypto/blake2b"
)

// source returns a random source with a fixed seed, so that failures repeat.
func source(seed byte) *rand.ChaCha8 { return rand.NewChaCha8([32]byte{seed}) }

func randomBytes(r *rand.ChaCha8, n int) []byte {
	b := make([]byte, n)
	r.Read(b)
	return b
}

func TestBlake2bMatchesScalar(t *testing.T) {
	r := source(1)
	for n := range 3*blockSize + 5 {
		var msgs [8][]byte
		for lane := range msgs {
			msgs[lane] = randomBytes(r, n)
		}
		var got [8][Size]byte
		Blake2b(&got, &msgs)
		for lane, m := range msgs {
			if want := blake2b.Sum512(m); got[lane] != want {
				t.Fatalf("length %d lane %d: got %x, want %x", n, lane, got[lane], want)
			}
		}
	}
}

func TestBlake2bUnequalLengths(t *testing.T) {
	r := source(2)
	var msgs [8][]byte
	for lane := range msgs {
		msgs[lane] = randomBytes(r, 120+3*lane)
	}
	var got [8][Size]byte
	Blake2b(&got, &msgs)
	for lane, m := range msgs {
		if want := blake2b.Sum512(m); got[lane] != want {
			t.Errorf("lane %d: got %x, want %x", lane, got[lane], want)
		}
	}
}

func TestLotteryMatchesScalar(t *testing.T) {
	r := source(3)
	l := new(Lottery)
	edges := []uint64{0, 1, 1<<8 - 1, 1<<24 - 1, 1 << 24, 1<<40 - 1, 1 << 40, 1 << 63, ^uint64(0)}
	for range 200 {
		msgp := [96]byte(randomBytes(r, 96))
		sigma := [48]byte(randomBytes(r, 48))
		if l.Set(&msgp, &sigma); *NewLottery(&msgp, &sigma) != *l {
			t.Fatal("a lottery set again differs from a new one")
		}
		var indices [8]uint64
		for lane := range indices {
			indices[lane] = r.Uint64() >> (r.Uint64() % 64)
			if r.Uint64()%4 == 0 {
				indices[lane] = edges[r.Uint64()%uint64(len(edges))]
			}
		}
		var got [8][Size]byte
		l.Eval8(&got, &indices)
		for lane, index := range indices {
			m := bytes.Join([][]byte{[]byte("map"), msgp[:], littleEndian(index), sigma[:]}, nil)
			want := blake2b.Sum512(m)
			if got[lane] != want {
				t.Fatalf("index %d lane %d: got %x, want %x", index, lane, got[lane], want)
			}
			if one := l.Sum(index); one != want {
				t.Fatalf("index %d: Sum %x, want %x", index, one, want)
			}
		}
	}
}

func littleEndian(x uint64) []byte {
	b := make([]byte, 8)
	for i := range b {
		b[i] = byte(x >> (8 * i))
	}
	return b
}

func TestSHA512MatchesScalar(t *testing.T) {
	r := source(4)
	check := func(lengths [8]int) {
		t.Helper()
		var prefix [8][64]byte
		var msgs [8][]byte
		for lane, n := range lengths {
			prefix[lane] = [64]byte(randomBytes(r, 64))
			msgs[lane] = randomBytes(r, n)
		}
		var got [8][Size]byte
		SHA512(&got, &prefix, &msgs)
		for lane, m := range msgs {
			want := sha512.Sum512(append(prefix[lane][:], m...))
			if got[lane] != want {
				t.Fatalf("lengths %v lane %d: got %x, want %x", lengths, lane, got[lane], want)
			}
		}
	}
	for n := range 3*blockSize + 5 {
		check([8]int{n, n, n, n, n, n, n, n})
	}
	for range 200 {
		var lengths [8]int
		for lane := range lengths {
			lengths[lane] = int(r.Uint64() % 600)
		}
		check(lengths)
	}
}

// TestLaneIsolation changes one lane at a time: the other digests stay.
func TestLaneIsolation(t *testing.T) {
	r := source(5)
	var msgs [8][]byte
	var prefix [8][64]byte
	for lane := range msgs {
		msgs[lane] = randomBytes(r, 200)
	}
	var blake, sha [8][Size]byte
	Blake2b(&blake, &msgs)
	SHA512(&sha, &prefix, &msgs)
	for bad := range msgs {
		msgs[bad][150] ^= 1
		var blake2, sha2 [8][Size]byte
		Blake2b(&blake2, &msgs)
		SHA512(&sha2, &prefix, &msgs)
		for lane := range msgs {
			if (blake2[lane] == blake[lane]) == (lane == bad) {
				t.Errorf("blake2b: lane %d changed: lane %d is wrong", bad, lane)
			}
			if (sha2[lane] == sha[lane]) == (lane == bad) {
				t.Errorf("sha512: lane %d changed: lane %d is wrong", bad, lane)
			}
		}
		msgs[bad][150] ^= 1
	}
}

// The benchmarks report the time of one message in ns/hash.

func perHash(b *testing.B) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/8, "ns/hash")
}

func BenchmarkLottery(b *testing.B) {
	l := NewLottery(new([96]byte), new([48]byte))
	b.Run("engine=lanes", func(b *testing.B) {
		var out [8][Size]byte
		var indices [8]uint64
		for b.Loop() {
			l.Eval8(&out, &indices)
		}
		perHash(b)
	})
	b.Run("engine=xcrypto", func(b *testing.B) {
		for b.Loop() {
			for i := range uint64(8) {
				l.Sum(i)
			}
		}
		perHash(b)
	})
	b.Run("prepare", func(b *testing.B) {
		for b.Loop() {
			l = NewLottery(new([96]byte), new([48]byte))
		}
	})
}

func BenchmarkBlake2b(b *testing.B) {
	var out [8][Size]byte
	var msgs [8][]byte
	for lane := range msgs {
		msgs[lane] = make([]byte, lotteryLength)
	}
	for b.Loop() {
		Blake2b(&out, &msgs)
	}
	perHash(b)
}

func BenchmarkSHA512(b *testing.B) {
	var prefix [8][64]byte
	var out [8][Size]byte
	var msgs [8][]byte
	for lane := range msgs {
		msgs[lane] = make([]byte, 128)
	}
	b.Run("engine=lanes", func(b *testing.B) {
		for b.Loop() {
			SHA512(&out, &prefix, &msgs)
		}
		perHash(b)
	})
	b.Run("engine=stdlib", func(b *testing.B) {
		h := sha512.New()
		for b.Loop() {
			for i := range msgs {
				h.Reset()
				h.Write(prefix[i][:])
				h.Write(msgs[i])
				h.Sum(out[i][:0])
			}
		}
		perHash(b)
	})
}
