package edwards

import "github.com/stmverify/stmverify/internal/lanes/curve25519"

// Sum is a sum of points with scalars, Σ kᵢ·Pᵢ, of which only one thing can be asked: whether it has small order.
//
// A sum is computed in three steps: terms are added; [Sum.Plan] divides the work into tasks, which [Sum.Do] carries out
// in any order and, each with its own [Scratch], at the same time; [Sum.Finish] puts the results together. Buffers are
// kept from one sum to the next. The zero value is an empty sum.
type Sum struct {
	long         []Point
	longScalars  []Scalar
	short        []Point
	shortScalars []shortScalar

	window  uint       // bits of a digit, or 0 if the terms are few
	span    int        // terms of a task if the terms are few
	partial []extended // the results of the tasks

	direct  bool // terms go to the lanes when they are added
	inLanes bool // the terms are in lanes
	lanes   curve25519.Sum
}

// shortScalar is a 128-bit integer, with room for the carry of the recoding.
type shortScalar [3]uint64

// Scratch is the working memory of one task of a [Sum]. The zero value is ready for use.
type Scratch struct {
	buckets buckets
	lanes   *curve25519.Scratch
	tables  []table
	digits  [][digitsNAF]int8
}

// Expect empties the sum and prepares it for at least n terms: if these are enough for the lanes, terms go there at
// once, and Plan has less to do.
func (s *Sum) Expect(n int) {
	s.Reset()
	if s.direct = n >= lanesTerms && curve25519.Available(); s.direct {
		s.lanes.Reset()
	}
}

// Reset empties the sum.
func (s *Sum) Reset() {
	s.direct = false
	s.long, s.longScalars = s.long[:0], s.longScalars[:0]
	s.short, s.shortScalars = s.short[:0], s.shortScalars[:0]
}

// Add adds k·p.
func (s *Sum) Add(p *Point, k *Scalar) {
	if s.direct {
		q := p.forLanes()
		s.lanes.Add(&q, (*[4]uint64)(k))
		return
	}
	s.long = append(s.long, *p)
	s.longScalars = append(s.longScalars, *k)
}

// AddShort adds k·p for a 128-bit k at about half the cost of [Sum.Add].
func (s *Sum) AddShort(p *Point, k *[2]uint64) {
	if s.direct {
		q := p.forLanes()
		s.lanes.AddShort(&q, k)
		return
	}
	s.short = append(s.short, *p)
	s.shortScalars = append(s.shortScalars, shortScalar{k[0], k[1]})
}

// AddBase adds k·B, where B is the generator.
func (s *Sum) AddBase(k *Scalar) { s.Add(&basepoint, k) }

// Plan fixes the terms, divides the work into tasks for the given number of workers and returns the number of tasks.
func (s *Sum) Plan(workers int) int {
	if s.inLanes = s.direct; s.inLanes {
		return s.lanes.Plan(workers)
	}
	n := len(s.long) + len(s.short)
	if s.inLanes = n >= lanesTerms && curve25519.Available(); s.inLanes {
		return s.planLanes(workers)
	}
	s.window = windowFor(n)
	tasks := 0
	if s.window == 0 {
		s.span = max(minSpan, (n+workers-1)/max(workers, 1))
		tasks = (n + s.span - 1) / s.span
	} else {
		tasks = s.planColumns()
	}
	if cap(s.partial) < tasks {
		s.partial = make([]extended, tasks)
	}
	s.partial = s.partial[:tasks]
	return tasks
}

// Do carries out one of the tasks that Plan counted.
func (s *Sum) Do(task int, scratch *Scratch) {
	if s.inLanes {
		s.Prepare(scratch)
		s.lanes.Do(task, scratch.lanes)
		return
	}
	if s.window == 0 {
		s.straus(task, scratch)
		return
	}
	s.column(task, scratch)
}

// Finish puts the results of the tasks together. Requires that all tasks are done.
func (s *Sum) Finish() Total {
	if s.inLanes {
		return s.finishLanes()
	}
	t := Total{identity}
	for i := len(s.partial) - 1; i >= 0; i-- {
		for range s.window { // none if the tasks are spans of terms
			t.p.double()
		}
		t.p.add(&s.partial[i])
	}
	return t
}

// Total is the value of a [Sum].
type Total struct{ p extended }

// IsSmallOrder reports whether 8 times the total is the neutral element.
func (t *Total) IsSmallOrder() bool { return t.p.isSmallOrder() }

// Sub sets t = t - u.
func (t *Total) Sub(u *Total) {
	var c cached
	c.set(&u.p)
	t.p.subCached(&c)
}

// windowFor returns the number of bits of a digit for n terms, about half of which are short, or 0 if tables of
// multiples are cheaper than buckets. The bounds are measured (BenchmarkSum).
func windowFor(n int) uint {
	switch {
	case n < 120:
		return 0
	case n < 180:
		return 5
	case n < 450:
		return 6
	case n < 900:
		return 7
	case n < 3000:
		return 8
	case n < 20000:
		return 9
	}
	return 10
}
