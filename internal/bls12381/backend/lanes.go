package backend

import (
	"sync"
	"unsafe"

	"github.com/stmverify/stmverify/internal/bls12381"
	"github.com/stmverify/stmverify/internal/lanes"
	eight "github.com/stmverify/stmverify/internal/lanes/bls12381"
)

// This file does in eight lanes what there is enough of, and leaves the rest to the library. The lanes never decide that a
// point is refused: what they do not accept is decoded again by the library, which knows the reason.

// The least numbers for which the lanes are used: with fewer, most of them would idle (go test -bench Lanes).
const (
	leastDecode   = 2
	leastMultiply = 3
	leastMiller   = 4
	leastHash     = 2
)

// Lanes reports whether points are processed eight at a time, so that it pays to collect them.
func Lanes() bool { return lanes.Enabled() }

// engine is the working memory of the lanes, about 500 kB.
type engine struct {
	decoder    *eight.Decoder
	multiplier *eight.Multiplier
	normalizer *eight.Normalizer
	hasher     *eight.Hasher
	miller     *eight.Miller
}

var engines = sync.Pool{New: func() any {
	return &engine{eight.NewDecoder(), eight.NewMultiplier(), eight.NewNormalizer(), eight.NewHasher(), eight.NewMiller()}
}}

// borrow returns an engine that nobody else uses until it is given back.
func borrow() *engine     { return engines.Get().(*engine) }
func (e *engine) giveUp() { engines.Put(e) }

// The points of package bls12381 are arrays of words in memory, see there; these lines do not compile when they are not.
var (
	_ [unsafe.Sizeof([12]uint64{})]byte = [unsafe.Sizeof(bls12381.G1{})]byte{}
	_ [unsafe.Sizeof([24]uint64{})]byte = [unsafe.Sizeof(bls12381.G2{})]byte{}
	_ [unsafe.Sizeof([72]uint64{})]byte = [unsafe.Sizeof(GT{})]byte{}
	_ [unsafe.Sizeof([2]uint64{})]byte  = [unsafe.Sizeof(bls12381.Coefficient{})]byte{}
)

func words1(p []bls12381.G1) [][12]uint64 {
	return unsafe.Slice((*[12]uint64)(unsafe.Pointer(unsafe.SliceData(p))), len(p))
}

func words2(p []bls12381.G2) [][24]uint64 {
	return unsafe.Slice((*[24]uint64)(unsafe.Pointer(unsafe.SliceData(p))), len(p))
}

func wordsOf(k []bls12381.Coefficient) [][2]uint64 {
	return unsafe.Slice((*[2]uint64)(unsafe.Pointer(unsafe.SliceData(k))), len(k))
}

// DecodeG1s decodes len(points) compressed points, which lie in enc one after the other. It returns the position and the
// status of the first that [DecodeG1] refuses, or -1 when it accepts all; then, and only then, all points are set.
func DecodeG1s(points []bls12381.G1, enc []byte) (int, bls12381.Status) {
	done := make([]bool, len(points))
	if lanes.Enabled() && len(points) >= leastDecode {
		e := borrow()
		e.decoder.G1(words1(points), done, enc)
		e.giveUp()
	}
	for i := range points {
		if done[i] {
			continue
		}
		if s := DecodeG1(&points[i], (*[bls12381.G1Size]byte)(enc[i*bls12381.G1Size:])); s != bls12381.OK {
			return i, s
		}
	}
	return -1, bls12381.OK
}

// DecodeG2s is DecodeG1s for the other group.
func DecodeG2s(points []bls12381.G2, enc []byte) (int, bls12381.Status) {
	done := make([]bool, len(points))
	if lanes.Enabled() && len(points) >= leastDecode {
		e := borrow()
		e.decoder.G2(words2(points), done, enc)
		e.giveUp()
	}
	for i := range points {
		if done[i] {
			continue
		}
		if s := DecodeG2(&points[i], (*[bls12381.G2Size]byte)(enc[i*bls12381.G2Size:])); s != bls12381.OK {
			return i, s
		}
	}
	return -1, bls12381.OK
}

// MultiExpG1 sets dst to the sum of coefficients[i]·points[i]. No point is the point at infinity.
func MultiExpG1(dst *bls12381.G1, points []bls12381.G1, coefficients []bls12381.Coefficient) {
	if !lanes.Enabled() || len(points) < leastMultiply {
		bls12381.MultiExpG1(dst, points, coefficients)
		return
	}
	e := borrow()
	defer e.giveUp()
	sum := [1][18]uint64{e.multiplier.G1(words1(points), wordsOf(coefficients))}
	e.normalizer.G1(words1(unsafe.Slice(dst, 1)), sum[:])
}

// MultiExpG2 is MultiExpG1 for the other group.
func MultiExpG2(dst *bls12381.G2, points []bls12381.G2, coefficients []bls12381.Coefficient) {
	if !lanes.Enabled() || len(points) < leastMultiply {
		bls12381.MultiExpG2(dst, points, coefficients)
		return
	}
	e := borrow()
	defer e.giveUp()
	sum := [1][36]uint64{e.multiplier.G2(words2(points), wordsOf(coefficients))}
	e.normalizer.G2(words2(unsafe.Slice(dst, 1)), sum[:])
}

// MultiExpG2s computes many sums: dst[j] is that of the next counts[j] points.
func MultiExpG2s(dst []bls12381.G2, counts []int, points []bls12381.G2, coefficients []bls12381.Coefficient) {
	if lanes.Enabled() && len(points) >= leastMultiply {
		e := borrow()
		defer e.giveUp()
		sums := make([][36]uint64, len(dst))
		e.multiplier.G2Sums(sums, counts, words2(points), wordsOf(coefficients))
		e.normalizer.G2(words2(dst), sums)
		return
	}
	for j, n := range counts {
		bls12381.MultiExpG2(&dst[j], points[:n], coefficients[:n])
		points, coefficients = points[n:], coefficients[n:]
	}
}

// ScaleG1s sets dst[i] to coefficients[i]·points[i]. dst may be points.
func ScaleG1s(dst, points []bls12381.G1, coefficients []bls12381.Coefficient) {
	if lanes.Enabled() && len(points) >= leastMultiply {
		e := borrow()
		defer e.giveUp()
		products := make([][18]uint64, len(points))
		e.multiplier.G1Each(products, words1(points), wordsOf(coefficients))
		e.normalizer.G1(words1(dst), products)
		return
	}
	for i := range points {
		var p bls12381.G1
		bls12381.MultiExpG1(&p, points[i:i+1], coefficients[i:i+1])
		dst[i] = p
	}
}

// HashToG1s sets points[i] to the hash of messages[i], as [HashToG1].
func HashToG1s(points []bls12381.G1, messages [][]byte) {
	done := make([]bool, len(points))
	if lanes.Enabled() && len(points) >= leastHash {
		e := borrow()
		e.hasher.G1(words1(points), done, messages, nil)
		e.giveUp()
	}
	for i := range points {
		if !done[i] {
			HashToG1(&points[i], messages[i])
		}
	}
}

// millerLoops returns the product for pairs without the point at infinity.
func millerLoops(p []bls12381.G1, q []bls12381.G2) GT {
	if !lanes.Enabled() || len(p) < leastMiller {
		return millerLoop(p, q)
	}
	e := borrow()
	defer e.giveUp()
	product := e.miller.Product(words1(p), words2(q))
	return *(*GT)(unsafe.Pointer(&product))
}
