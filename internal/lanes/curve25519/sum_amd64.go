//go:build !purego && !nolanes

package curve25519

// The digits of a scalar are spread over the lanes: lane i of group g works on
// the digit position 8g+i of every term, in buckets of its own. So a term
// changes eight different buckets at once, and two lanes never meet in one.

// maxBuckets is the number of buckets of a lane for the largest window, with
// bucket zero, where the terms with digit zero go.
const maxBuckets = 1<<7 + 1

// chunkTerms is how many terms go to the assembly at once: about 10 µs, short
// enough for a garbage collector that waits.
const chunkTerms = 64

// A bucket is a point of one lane: four limbs of X, Y, Z, T each, then the
// fifth limbs of all.
type bucket [20]uint64

// bucketScratch is the working memory of bucketAdd: where the buckets of each
// lane start, and what the assembly keeps during an addition.
type bucketScratch = [176]uint64

// Scratch is the working memory of one task of a [Sum]. The zero value is
// ready for use. It has about 170 KB.
type Scratch struct {
	buckets [8 * maxBuckets]bucket
	digits  [chunkTerms + 1]uint64 // bucketAdd looks one ahead
	words   bucketScratch
	running point
	bucket  point
}

// partialSum is the result of a task: the sum of each lane's digit position.
type partialSum struct{ p point }

// SetBase sets long term i to k·B for the base point B.
func (s *Sum) SetBase(i int, k *[4]uint64) {
	var e [3]element
	for i, c := range base()[128+1][:12] {
		e[i/4][i%4][0] = c
	}
	for i := range e {
		e[i][4][0] = base()[128+1][12+i]
	}
	p := Point{laneWords(&e[0], 0), laneWords(&e[1], 0), laneWords(&e[2], 0)}
	s.Set(i, &p, k)
}

// Do carries out one of the tasks that Plan counted.
func (s *Sum) Do(task int, scratch *Scratch) {
	g, span := s.order(task%s.groups), task/s.groups
	scratch.clear(s.window)
	from, to := span*len(s.long)/s.spans, (span+1)*len(s.long)/s.spans
	scratch.add(s.long[from:to], s.longScalars[from:to], g, longBits, s.window)
	if g < groupsFor(shortBits, s.window) {
		from, to = span*len(s.short)/s.spans, (span+1)*len(s.short)/s.spans
		scratch.add(s.short[from:to], s.shortScalars[from:to], g, shortBits, s.window)
	}
	scratch.total(&s.partial[span*s.groups+g].p, s.window)
}

// order returns the group that comes i-th: the ones with short terms first, then from the top, where a last digit of
// few bits meets the same buckets again and again. The longest tasks come first, so that workers end together.
func (s *Sum) order(i int) int {
	if short := groupsFor(shortBits-1, s.window); i >= short {
		return s.groups - 1 - (i - short)
	}
	return i
}

// bucketsFor returns the buckets of a lane.
func bucketsFor(w int) int { return 1<<(w-1) + 1 }

// clear makes the buckets neutral elements.
func (s *Scratch) clear(w int) {
	n := bucketsFor(w)
	s.digits[chunkTerms] = zeroDigits
	for lane := range 8 {
		s.words[lane] = uint64(lane * n * entryBytes)
	}
	used := s.buckets[:8*n]
	used[0] = bucket{4: 1, 8: 1}
	for filled := 1; filled < len(used); filled *= 2 {
		copy(used[filled:], used[:filled])
	}
}

// add adds the terms' digits of group g, runs of digits that are not all zero.
func (s *Scratch) add(terms []term, scalars []scalar, g, n, w int) {
	count := 0
	flush := func(end int) {
		if count > 0 {
			bucketAdd(&s.buckets[0][0], &s.words, (*[20]uint64)(&terms[end-count]), &s.digits[0], uint64(count))
			count = 0
		}
	}
	for i := range terms {
		word := scalars[i].digitWord(g, n, w)
		if word == zeroDigits {
			flush(i)
			continue
		}
		s.digits[count] = word
		count++
		if count == chunkTerms {
			flush(i + 1)
		}
	}
	flush(len(terms))
}

// total sets p to the sum of the buckets of each lane, bucket i taken i times:
// the sum of the sums from the top down.
func (s *Scratch) total(p *point, w int) {
	n := bucketsFor(w)
	setIdentity(p)
	setIdentity(&s.running)
	var offsets [8]uint64
	for i := n - 1; i > 0; i-- {
		for lane := range offsets {
			offsets[lane] = s.words[lane] + uint64(i*entryBytes)
		}
		bucketLoad(&s.bucket, &s.buckets[0][0], &offsets)
		pointAddPoint(&s.running, &s.bucket)
		pointAddPoint(p, &s.running)
	}
}

// Finish puts the results of the tasks together. Requires that all are done.
func (s *Sum) Finish() Total {
	var t Total
	for span := 1; span < s.spans; span++ {
		for g := range s.groups {
			pointAddPoint(&s.partial[g].p, &s.partial[span*s.groups+g].p)
		}
	}
	w := uint64(s.window)
	t.p = s.partial[s.groups-1].p
	for g := s.groups - 2; g >= 0; g-- {
		pointDouble(&t.p, 8*w)
		pointAddPoint(&t.p, &s.partial[g].p)
	}
	// Lane i counts 2^(wi) times.
	var upper point
	for _, half := range []int{4, 2, 1} {
		for c := coordX; c <= coordT; c++ {
			for i := range upper[c] {
				copy(upper[c][i][:half], t.p[c][i][half:2*half])
				copy(upper[c][i][half:], t.p[c][i][half:])
			}
		}
		pointDouble(&upper, uint64(half)*w)
		pointAddPoint(&t.p, &upper)
	}
	return t
}

// Total is the value of a [Sum], in lane 0.
type Total struct{ p point }

// Extended returns X, Y, Z and T of the total, x = X/Z, y = Y/Z and xy = T/Z,
// each in four little-endian words.
func (t *Total) Extended() (x, y, z, xy [4]uint64) {
	var c element
	broadcast(&c, &one)
	for i := coordX; i <= coordT; i++ {
		feMul(&t.p[i], &t.p[i], &c) // form N
	}
	return laneWords(&t.p[coordX], 0), laneWords(&t.p[coordY], 0), laneWords(&t.p[coordZ], 0), laneWords(&t.p[coordT], 0)
}

// decode decodes up to sixteen points.
func (w *Workspace) decode(points []*Point, ok []bool, encodings []*[32]byte) {
	groups := (len(points) + 7) / 8
	for i := range 8 * groups {
		w.keys[i/8][i%8] = *encodings[min(i, len(points)-1)]
	}
	valid := decompress(w.aux[:groups], w.keys[:groups], 8)
	var d2 element
	broadcast(&d2, &edwardsD)
	feAdd(&d2, &d2, &d2)
	var e [3]element
	for g := range groups {
		p := &w.aux[g]
		feAdd(&e[0], &p[coordY], &p[coordX])
		feSub(&e[1], &p[coordY], &p[coordX])
		feMul(&e[2], &p[coordT], &d2)
		for i := 8 * g; i < min(8*g+8, len(points)); i++ {
			ok[i] = valid[g]>>(i%8)&1 == 1
			for c := range e {
				points[i][c] = laneWords(&e[c], i%8)
			}
		}
	}
}
