package report

import (
	"maps"
	"math"
	"slices"

	"github.com/stmverify/stmverify/benches"
)

// rank puts regressions first, then improvements, noise and no change.
var rank = map[string]int{"regressed": 0, "improved": 1, "noise": 2, "no-change": 3}

// changed returns the compared results, the worst first.
func changed(run *benches.Run) []*benches.Result {
	var out []*benches.Result
	for _, r := range run.Results {
		if r.Change != nil {
			out = append(out, r)
		}
	}
	slices.SortStableFunc(out, func(a, b *benches.Result) int {
		if d := rank[a.Change.Outcome] - rank[b.Change.Outcome]; d != 0 {
			return d
		}
		x, y := math.Abs(a.Change.Judged().Point), math.Abs(b.Change.Judged().Point)
		switch {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	return out
}

func sortedKeys(m map[string]float64) []string { return slices.Sorted(maps.Keys(m)) }

func total(xs []float64) float64 {
	t := 0.0
	for _, x := range xs {
		t += x
	}
	return t
}
