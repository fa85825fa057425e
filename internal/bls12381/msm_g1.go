package bls12381

// MultiExpG1 sets dst to the sum of coefficients[i]·points[i]. The slices have equal length; no point is the point at
// infinity. It starts no goroutine.
func MultiExpG1(dst *G1, points []G1, coefficients []Coefficient) {
	if len(points) <= strausMax {
		*dst = strausG1(points, coefficients)
		return
	}

	// table holds every point and its multiple by x², in this order, with their scalars.
	table := make([]G1, 2*len(points))
	scalars := make([]uint64, 2*len(points))
	for i := range points {
		table[2*i] = points[i]
		mulX2G1(&table[2*i+1], &points[i])
		scalars[2*i], scalars[2*i+1] = coefficients[i].A0, coefficients[i].A1
	}
	*dst = bucketsG1(table, scalars)
}

// bucketsG1 computes the sum of scalars[i]·table[i] with signed windows. The points of every bucket, then the buckets of
// every bit of the bucket's number, are summed in affine coordinates as trees whose additions share one inversion a
// level; the sums for the bit positions are put together by doubling and adding.
func bucketsG1(table []G1, scalars []uint64) G1 {
	c := windowBits(len(table))
	w := windows(c)
	all := make([]int16, w*len(table))
	for i, s := range scalars {
		digits(all[i*w:(i+1)*w], s, c)
	}
	positions := make([]G1, w*c) // positions[j] is to be multiplied by 2^j
	perPass := max(1, entriesPerPass/len(table))
	var t treesG1
	for first := 0; first < w; first += perPass {
		last := min(w, first+perPass)
		t.fill(table, all, w, c, first, last)
		t.sum()
		t.regroup(c, last-first)
		t.sum()
		for j := range t.groups {
			positions[first*c+j] = t.groupSum(j)
		}
	}
	return hornerG1(positions)
}

// hornerG1 returns the sum of 2^j·p[j].
func hornerG1(p []G1) G1 {
	var acc jacobianG1
	for j := len(p) - 1; j >= 0; j-- {
		acc.double()
		acc.add(&p[j])
	}
	return acc.affine()
}

// strausG1 sums few multiples with interleaved non-adjacent forms. The table for [x²]P is the image of the table for P.
func strausG1(points []G1, k []Coefficient) G1 {
	const size = 1 << (wnafWidth - 2)
	tables := oddMultiplesG1(points, size)
	var forms [2 * strausMax][65]int8
	top := 0
	for i := range points {
		top = max(top, wnaf(&forms[2*i], k[i].A0), wnaf(&forms[2*i+1], k[i].A1))
	}
	var acc jacobianG1
	for j := top - 1; j >= 0; j-- {
		acc.double()
		for i := range points {
			if d := forms[2*i][j]; d != 0 {
				acc.addSigned(&tables[i*size+int(abs(d))/2], d < 0)
			}
			if d := forms[2*i+1][j]; d != 0 {
				var q G1
				mulX2G1(&q, &tables[i*size+int(abs(d))/2])
				acc.addSigned(&q, d < 0)
			}
		}
	}
	return acc.affine()
}

// oddMultiplesG1 returns P, 3P, …, (2·size-1)P for every point P, size entries each, in affine coordinates.
func oddMultiplesG1(points []G1, size int) []G1 {
	jac := make([]jacobianG1, len(points)*size)
	for i := range points {
		var twice jacobianG1
		twice.add(&points[i])
		twice.double()
		jac[i*size].add(&points[i])
		for j := 1; j < size; j++ {
			jac[i*size+j] = jac[i*size+j-1]
			jac[i*size+j].addJacobian(&twice)
		}
	}
	return toAffineG1(jac)
}
