package edwards

import "github.com/stmverify/stmverify/internal/lanes/curve25519"

// lanesTerms is the least number of terms for which the lanes sum faster than one core of ordinary arithmetic
// (BenchmarkSum).
const lanesTerms = 14

// lanesPoints is the least number of points for which the lanes decode faster.
const lanesPoints = 5

// decodeSpan is the number of points that a Decoder decodes together.
const decodeSpan = 16

// Decoder decodes points together for less than the price of as many calls of [Decode]. The zero value is ready for
// use. The results are there after Flush.
type Decoder struct {
	Lanes *curve25519.Workspace // memory for decoding in lanes; nil for decoding without

	points    [decodeSpan]*Point
	onCurve   [decodeSpan]*bool
	encodings [decodeSpan]*[32]byte
	n         int

	lanePoints [decodeSpan]curve25519.Point
	laneOK     [decodeSpan]bool
	lanes      [decodeSpan]*curve25519.Point
}

// Add has p set to the point of the encoding, and onCurve to whether there is one, as [Decode] does, at the latest by
// the next Flush.
func (d *Decoder) Add(p *Point, onCurve *bool, encoding *[32]byte) {
	d.points[d.n], d.onCurve[d.n], d.encodings[d.n] = p, onCurve, encoding
	d.n++
	if d.n == decodeSpan {
		d.Flush()
	}
}

// Flush decodes what Add left.
func (d *Decoder) Flush() {
	n := d.n
	d.n = 0
	if n >= lanesPoints && d.Lanes != nil {
		d.flushLanes(n)
		return
	}
	for i := 0; i+1 < n; i += 2 {
		*d.onCurve[i], *d.onCurve[i+1] = DecodePair(d.points[i], d.points[i+1], d.encodings[i], d.encodings[i+1])
	}
	if n%2 == 1 {
		*d.onCurve[n-1] = Decode(d.points[n-1], d.encodings[n-1])
	}
}

// flushLanes decodes n points in lanes.
func (d *Decoder) flushLanes(n int) {
	for i := range n {
		d.lanes[i] = &d.lanePoints[i]
	}
	d.Lanes.Decode(d.lanes[:n], d.laneOK[:n], d.encodings[:n])
	for i := range n {
		p := &d.lanePoints[i]
		*d.points[i] = Point{yPlusX: p[0], yMinusX: p[1], t2d: p[2]}
		*d.onCurve[i] = d.laneOK[i]
	}
}

func (p *Point) forLanes() curve25519.Point {
	return curve25519.Point{p.yPlusX, p.yMinusX, p.t2d}
}

// Prepare allocates what the tasks of a planned sum need. Do does it too, but which goroutine carries out a task is a
// matter of chance.
func (s *Sum) Prepare(scratch *Scratch) {
	if s.inLanes && scratch.lanes == nil {
		scratch.lanes = new(curve25519.Scratch)
	}
}

// finishLanes returns the total of the lanes.
func (s *Sum) finishLanes() Total {
	total := s.lanes.Finish()
	var t Total
	t.p.x, t.p.y, t.p.z, t.p.t = total.Extended()
	return t
}
