package edwards

import (
	"math/rand/v2"
	"testing"

	"github.com/stmverify/stmverify/internal/lanes/curve25519"
)

// TestDecoderMatchesDecode decodes numbers of encodings around the thresholds, some of which are no points.
func TestDecoderMatchesDecode(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 25519))
	decoders := map[string]*Decoder{"ordinary": {}}
	if curve25519.Available() {
		decoders["lanes"] = &Decoder{Lanes: new(curve25519.Workspace)}
	}
	for name, d := range decoders {
		for n := range 40 {
			encodings := make([][32]byte, n)
			got, onCurve := make([]Point, n), make([]bool, n)
			for i := range encodings {
				for j := range encodings[i] {
					encodings[i][j] = byte(r.Uint32())
				}
				d.Add(&got[i], &onCurve[i], &encodings[i])
			}
			d.Flush()
			for i := range encodings {
				var want Point
				if ok := Decode(&want, &encodings[i]); ok != onCurve[i] {
					t.Fatalf("%s: point %d of %d: on the curve %t, want %t", name, i, n, onCurve[i], ok)
				}
				if !got[i].yPlusX.equal(&want.yPlusX) || !got[i].yMinusX.equal(&want.yMinusX) || !got[i].t2d.equal(&want.t2d) {
					t.Fatalf("%s: point %d of %d is another", name, i, n)
				}
			}
		}
	}
}

// TestLanesSumMatches compares the same sum in lanes and without.
func TestLanesSumMatches(t *testing.T) {
	if !curve25519.Available() {
		t.Skip("no lanes on this machine")
	}
	r := rand.New(rand.NewPCG(6, 25519))
	points := samplePoints(t, r, 50)
	var scratch Scratch
	for _, n := range []int{7, 16, 17, 40, 120, 300} {
		var inLanes, ordinary Sum
		var l terms
		for i := range n {
			k := Scalar{r.Uint64(), r.Uint64(), r.Uint64(), r.Uint64() >> 4}
			l.add(&points[i%50], &k)
			l.addShort(&points[(i+7)%50], &Short{r.Uint64(), r.Uint64()})
		}
		l.set(&inLanes)
		l.setOrdinary(&ordinary)
		for task := range inLanes.Plan(1) {
			inLanes.Do(task, &scratch)
		}
		if !inLanes.inLanes {
			t.Fatalf("%d terms are not summed in lanes", 2*n)
		}
		ordinary.window = 5
		tasks := ordinary.planColumns()
		ordinary.partial = make([]extended, tasks)
		for task := range tasks {
			ordinary.Do(task, &scratch)
		}
		got, want := inLanes.Finish(), ordinary.Finish()
		var cross [2]element
		mul(&cross[0], &got.p.x, &want.p.z)
		mul(&cross[1], &want.p.x, &got.p.z)
		if !cross[0].equal(&cross[1]) {
			t.Fatalf("%d terms: x differs", 2*n)
		}
		mul(&cross[0], &got.p.y, &want.p.z)
		mul(&cross[1], &want.p.y, &got.p.z)
		if !cross[0].equal(&cross[1]) {
			t.Fatalf("%d terms: y differs", 2*n)
		}
	}
}
