//go:build amd64 && !purego && !nolanes

package bls12381

import "slices"

// maxShared is the largest number of points of a sum that G2Sums puts into one lane.
const maxShared = 24

// G2Sums computes many sums: dst[j] is Σ scalars[i]·points[i] over counts[j] consecutive
// indices i, the first counts[0] being those of dst[0], in Jacobian coordinates, under the
// conditions of [Multiplier.G2]. Eight sums of up to 24 points share a call, a lane each;
// longer ones are computed one after the other as by G2.
//
// It requires len(counts) = len(dst) and that the counts are not negative and add up to
// len(points) = len(scalars).
func (m *Multiplier) G2Sums(dst [][36]uint64, counts []int, points [][24]uint64, scalars [][2]uint64) {
	var short []run
	first := 0
	for j, n := range counts {
		if n > maxShared {
			dst[j] = m.G2(points[first:first+n], scalars[first:first+n])
		} else {
			short = append(short, run{j, first, n})
		}
		first += n
	}
	slices.SortStableFunc(short, func(a, b run) int { return a.count - b.count })
	for part := range slices.Chunk(short, Lanes) {
		m.shared(dst, part, points, scalars)
	}
}

// A run is one sum: its index and its points.
type run struct{ index, first, count int }

// shared computes up to eight sums, each in its lane: block r of the table has point r of
// every sum. A sum without a point r gets the scalar 0 there, and some other point.
func (m *Multiplier) shared(dst [][36]uint64, runs []run, points [][24]uint64, scalars [][2]uint64) {
	rows := runs[len(runs)-1].count
	if rows == 0 {
		for _, s := range runs {
			dst[s.index] = [36]uint64{}
		}
		return
	}
	longest := runs[len(runs)-1]
	at := func(i int) (point int, ok bool) {
		row, lane := i/Lanes, i%Lanes
		if lane < len(runs) && row < runs[lane].count {
			return runs[lane].first + row, true
		}
		return longest.first, false
	}
	m.k = &g2Kernel
	m.load(rows*Lanes, func(i int) []uint64 {
		p, _ := at(i)
		return points[p][:]
	})
	k := make([][2]uint64, rows*Lanes)
	for i := range k {
		if p, ok := at(i); ok {
			k[i] = scalars[p]
		}
	}
	blocks := make([]int, 2*rows)
	for b := range blocks {
		blocks[b] = b
	}
	m.straus(blocks, m.split(k))
	m.jacobian(len(runs), func(l int) []uint64 { return dst[runs[l].index][:] })
}
