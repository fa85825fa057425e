package edwards

import (
	"slices"

	"github.com/stmverify/stmverify/internal/lanes/curve25519"
)

// Sum is a sum of points with scalars, Σ kᵢ·Pᵢ, of which only one thing can be asked: whether it has small order.
//
// A sum is computed in four steps: [Sum.Expect] fixes the number of terms; [Sum.Set] and [Sum.SetShort] set each of them,
// different ones at the same time if the caller likes; [Sum.Plan] divides the work into tasks, which [Sum.Do] carries out
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

// Expect makes the sum one of so many long and short terms, all of which are to be set before Plan.
func (s *Sum) Expect(long, short int) {
	if s.inLanes = long+short >= lanesTerms && curve25519.Available(); s.inLanes {
		s.lanes.Expect(long, short)
		return
	}
	s.long, s.longScalars = slices.Grow(s.long[:0], long)[:long], slices.Grow(s.longScalars[:0], long)[:long]
	s.short, s.shortScalars = slices.Grow(s.short[:0], short)[:short], slices.Grow(s.shortScalars[:0], short)[:short]
}

// Set sets long term i to k·p.
func (s *Sum) Set(i int, p *Point, k *Scalar) {
	if s.inLanes {
		q := p.forLanes()
		s.lanes.Set(i, &q, (*[4]uint64)(k))
		return
	}
	s.long[i], s.longScalars[i] = *p, *k
}

// SetScalar sets the scalar of long term i again.
func (s *Sum) SetScalar(i int, k *Scalar) {
	if s.inLanes {
		s.lanes.SetScalar(i, (*[4]uint64)(k))
		return
	}
	s.longScalars[i] = *k
}

// SetShort sets short term i to k·p at about half the cost of [Sum.Set].
func (s *Sum) SetShort(i int, p *Point, k *Short) {
	if s.inLanes {
		q := p.forLanes()
		s.lanes.SetShort(i, &q, (*[2]uint64)(k))
		return
	}
	s.short[i] = *p
	if k.negative() {
		s.short[i].negate()
	}
	size := k.abs()
	s.shortScalars[i] = shortScalar{size[0], size[1]}
}

// SetBase sets long term i to k·B, where B is the generator.
func (s *Sum) SetBase(i int, k *Scalar) { s.Set(i, &basepoint, k) }

// Plan divides the work into tasks for the given number of workers and returns the number of tasks.
func (s *Sum) Plan(workers int) int {
	if s.inLanes {
		return s.lanes.Plan(workers)
	}
	n := len(s.long) + len(s.short)
	s.window = windowFor(n)
	tasks := 0
	if s.window == 0 {
		s.span = max(minSpan, (n+workers-1)/max(workers, 1))
		tasks = (n + s.span - 1) / s.span
	} else {
		tasks = s.planColumns()
	}
	s.partial = slices.Grow(s.partial[:0], tasks)[:tasks]
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
