package bls12381

import "github.com/consensys/gnark-crypto/ecc/bls12-381/fp"

// treesG1 sums many groups of affine points at once. A level adds the points of every group in pairs; all the additions of
// a level share one inversion, which makes an addition cost six multiplications.
type treesG1 struct {
	points []G1 // the groups, one after the other
	groups []group
	slopes []fp.Element // a level's denominators, then its slopes
	prefix []fp.Element
	start  []int32 // scratch of fill
}

func (t *treesG1) groupSum(j int) G1 {
	if t.groups[j].size == 0 {
		return G1{}
	}
	return t.points[t.groups[j].first]
}

// fill sorts the table into one group for each bucket of the windows first to last-1, with the sign of the digit applied.
// Bucket b of a window holds the digits b+1 and -(b+1).
func (t *treesG1) fill(table []G1, digits []int16, w, c, first, last int) {
	perWindow := 1 << (c - 1)
	t.groups = resize(t.groups, (last-first)*perWindow)
	clear(t.groups)
	entries := int32(0)
	for i := range table {
		for j := first; j < last; j++ {
			if d := digits[i*w+j]; d != 0 {
				t.groups[(j-first)*perWindow+bucket(d)].size++
				entries++
			}
		}
	}
	t.start = resize(t.start, len(t.groups))
	next := int32(0)
	for g := range t.groups {
		t.groups[g].first, t.start[g] = next, next
		next += t.groups[g].size
	}
	t.points = resize(t.points, int(entries))
	for i := range table {
		for j := first; j < last; j++ {
			d := digits[i*w+j]
			if d == 0 {
				continue
			}
			g := (j-first)*perWindow + bucket(d)
			p := &t.points[t.start[g]]
			t.start[g]++
			*p = table[i]
			if d < 0 {
				p.Y.Neg(&p.Y)
			}
		}
	}
}

// regroup replaces the groups, which are the summed buckets of some windows of c bits, by one group for each of the c bits
// of each window: the buckets whose number (that is, digit) has this bit.
func (t *treesG1) regroup(c, windows int) {
	perWindow := 1 << (c - 1)
	points := make([]G1, 0, windows*c*(perWindow/2+1))
	groups := make([]group, 0, windows*c)
	for w := range windows {
		for bit := range c {
			g := group{first: int32(len(points))}
			for d := 1; d <= perWindow; d++ {
				b := t.groups[w*perWindow+d-1]
				if d>>bit&1 == 1 && b.size > 0 {
					points = append(points, t.points[b.first])
					g.size++
				}
			}
			groups = append(groups, g)
		}
	}
	t.points, t.groups = points, groups
}

// sum replaces every group of two or more points by one point, its sum.
func (t *treesG1) sum() {
	for t.level() {
	}
}

// level halves every group and reports whether one has still more than one point.
func (t *treesG1) level() bool {
	t.denominators()
	if len(t.slopes) == 0 {
		return false
	}
	t.prefix = resize(t.prefix, len(t.slopes))
	invertAllG1(t.slopes, t.prefix)
	more := false
	n := 0
	for g := range t.groups {
		r := &t.groups[g]
		half := r.size / 2
		for i := range half {
			p, q := &t.points[r.first+2*i], &t.points[r.first+2*i+1]
			addAffineG1(&t.points[r.first+i], p, q, &t.slopes[n])
			n++
		}
		if r.size%2 == 1 {
			t.points[r.first+half] = t.points[r.first+r.size-1]
			half++
		}
		r.size = half
		more = more || half > 1
	}
	return more
}

// denominators collects what the additions of a level divide by: x₂ - x₁, or 2y to double, or zero where no division is
// needed.
func (t *treesG1) denominators() {
	t.slopes = t.slopes[:0]
	for _, r := range t.groups {
		for i := range r.size / 2 {
			p, q := &t.points[r.first+2*i], &t.points[r.first+2*i+1]
			var d fp.Element
			switch {
			case p.IsInfinity() || q.IsInfinity():
			case !p.X.Equal(&q.X):
				d.Sub(&q.X, &p.X)
			case p.Y.Equal(&q.Y):
				d.Double(&p.Y)
			}
			t.slopes = append(t.slopes, d)
		}
	}
}

// addAffineG1 sets dst to p + q, given the inverse of the denominator, or zero as denominators left it. dst may be p or q.
func addAffineG1(dst, p, q *G1, inverse *fp.Element) {
	if inverse.IsZero() {
		*dst = addWithoutDivisionG1(p, q)
		return
	}
	var slope, x, y fp.Element
	if p.X.Equal(&q.X) {
		x.Square(&p.X)
		slope.Double(&x)
		slope.Add(&slope, &x)
	} else {
		slope.Sub(&q.Y, &p.Y)
	}
	slope.Mul(&slope, inverse)
	x.Square(&slope)
	x.Sub(&x, &p.X)
	x.Sub(&x, &q.X)
	y.Sub(&p.X, &x)
	y.Mul(&y, &slope)
	y.Sub(&y, &p.Y)
	dst.X, dst.Y = x, y
}

// addWithoutDivisionG1 is the sum of opposite points, or of points one of which is the point at infinity.
func addWithoutDivisionG1(p, q *G1) G1 {
	if p.IsInfinity() {
		return *q
	}
	if q.IsInfinity() {
		return *p
	}
	return G1{}
}
