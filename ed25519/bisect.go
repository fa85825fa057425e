package ed25519

import (
	"context"

	"github.com/stmverify/stmverify/ed25519/internal/edwards"
)

// verifySums decides the active items by sums of their equations multiplied with their coefficients,
//
//	Σ z·R + Σ (z·k)·A - (Σ z·S)·B,
//
// which have small order if all of the equations hold, and otherwise do so with a probability of at most 1/(2¹²⁸-1),
// because the component of order L of an invalid equation is not 0 and z is uniform and unknown to whoever chose the
// equation.
func (s *segment) verifySums(ctx context.Context, c *crew) error {
	if len(s.active) == 0 {
		return nil
	}
	total, err := s.sum(ctx, c, s.active)
	if err != nil || total.IsSmallOrder() {
		return err
	}
	return s.find(ctx, c, total)
}

// find decides the active items, the sum of whose equations is total, not of small order.
func (s *segment) find(ctx context.Context, c *crew, total edwards.Total) error {
	s.single = s.single[:0]
	s.search = search{budget: searchBudget * (len(s.active) + sumOverhead)}
	s.bisect(ctx, c, s.active, total)
	return c.run(ctx, s, phaseSingle, tasksFor(len(s.single))) // reports the end of ctx, during the search too
}

// whole returns the sum over all items, whose terms are set but for what several signatures share.
func (s *segment) whole(ctx context.Context, c *crew) (edwards.Total, error) {
	for _, i := range s.shared {
		it := &s.items[i]
		k := s.key(it)
		k.scalar.Add(&k.scalar, &it.zk)
		c.sum.SetScalar(int(it.key), &k.scalar)
	}
	var base edwards.Scalar
	for _, w := range c.workers {
		base.Add(&base, &w.base)
	}
	base.Neg(&base)
	c.sum.SetBase(len(s.table.keys), &base)
	return s.finish(ctx, c)
}

// sum returns the sum over some items.
func (s *segment) sum(ctx context.Context, c *crew, items []int32) (edwards.Total, error) {
	s.summed, s.summedKeys = items, s.summedKeys[:0]
	s.sums++
	var base edwards.Scalar
	for _, i := range items {
		it := &s.items[i]
		base.Add(&base, &it.zs)
		if k := s.key(it); k.sum == s.sums {
			k.scalar.Add(&k.scalar, &it.zk)
		} else {
			k.sum, k.scalar = s.sums, it.zk
			s.summedKeys = append(s.summedKeys, it.key)
		}
	}
	base.Neg(&base)
	c.sum.Expect(len(s.summedKeys)+1, len(items))
	c.sum.SetBase(len(s.summedKeys), &base)
	_ = c.run(ctx, s, phaseTerms, (len(items)+termTask-1)/termTask) // if ctx ended, finish reports it
	return s.finish(ctx, c)
}

// finish returns the value of a sum whose terms are set.
func (s *segment) finish(ctx context.Context, c *crew) (edwards.Total, error) {
	tasks := c.sum.Plan(len(c.workers))
	for _, w := range c.workers {
		c.sum.Prepare(&w.scratch)
	}
	if err := c.run(ctx, s, phaseSum, tasks); err != nil {
		return edwards.Total{}, err
	}
	return c.sum.Finish(), nil
}

// setTerms sets the terms of one task: those of its items, and as many of the keys, of which there are no more than items.
func (s *segment) setTerms(sum *edwards.Sum, task int) {
	for i := task * termTask; i < min((task+1)*termTask, len(s.summed)); i++ {
		it := &s.items[s.summed[i]]
		sum.SetShort(i, &it.r, &it.z)
		if i < len(s.summedKeys) {
			k := &s.table.keys[s.summedKeys[i]]
			sum.Set(i, &k.point, &k.scalar)
		}
	}
}

const (
	// searchBudget bounds the search for invalid items: it may sum that many times as many items as there are.
	// One invalid item takes 1, two take 1.5, four take 2. Where there are more, the search has gone most of its way
	// when the budget ends, because it goes to the bottom first.
	searchBudget = 2
	// sumOverhead is the fixed part of the cost of a sum, in items.
	sumOverhead = 4
	// searchSample is the number of decided items from which the search judges whether too many are invalid: one in
	// searchSample is about where verifying each costs no more.
	searchSample = 16
)

// search is the state of the search for the invalid items of a segment.
type search struct {
	budget  int // items that may still be summed
	decided int // items decided so far
	invalid int // of which invalid
}

// pays reports whether to go on with sums. When many items are invalid it is cheaper to verify each by itself.
func (t *search) pays() bool {
	return t.budget > 0 && (t.decided < searchSample || searchSample*t.invalid < t.decided)
}

// bisect finds the invalid ones among items, whose sum is total, not of small order. The sum of one half gives the
// other half's by subtraction. A sum of one item is its equation times a number that is not a multiple of L, so that an
// item is never refused by mistake. The search stops when ctx ends.
func (s *segment) bisect(ctx context.Context, c *crew, items []int32, total edwards.Total) {
	if len(items) == 1 {
		s.items[items[0]].err = ErrEquation
		s.search.decided++
		s.search.invalid++
		return
	}
	if !s.search.pays() {
		s.single = append(s.single, items...)
		return
	}
	half := len(items) / 2
	left, err := s.sum(ctx, c, items[:half])
	if err != nil {
		return
	}
	s.search.budget -= half + sumOverhead
	total.Sub(&left)
	s.settle(ctx, c, items[:half], left)
	s.settle(ctx, c, items[half:], total)
}

// settle goes on with one half.
func (s *segment) settle(ctx context.Context, c *crew, items []int32, total edwards.Total) {
	if total.IsSmallOrder() {
		s.search.decided += len(items)
		return
	}
	s.bisect(ctx, c, items, total)
}
