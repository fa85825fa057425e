package main

import (
	"testing"

	"github.com/mmcloughlin/avo/build"
)

// TestBoundsRefused emits steps that could lose a bit: the generator must not.
func TestBoundsRefused(t *testing.T) {
	element := func(g *generator, f form) element {
		e := g.getElement()
		g.declare(e, f)
		return e
	}
	for name, emit := range map[string]func(g *generator){
		"difference without offset": func(g *generator) {
			a, b := element(g, formN), element(g, formN)
			g.sub(a, b, a)
		},
		"small offset below a product": func(g *generator) {
			a, b := element(g, formN), element(g, formN)
			w := g.mul(a, a, -1)
			g.addOffset(b, constSmall)
			g.sub(b, w, b)
		},
		"product of an uncarried sum": func(g *generator) {
			a := element(g, formN)
			g.add(a, a)
			g.mul(a, a, -1)
		},
		"product of a product": func(g *generator) {
			a := element(g, formN)
			w := g.mul(a, a, -1)
			g.square(w, -1)
		},
		"sum of a loose element": func(g *generator) {
			a := element(g, formM)
			g.add(a, a)
		},
		"loose element stored as normal": func(g *generator) {
			a := element(g, formM)
			g.require(a, formN)
		},
		"unknown register": func(g *generator) { g.mask52 = g.get(); g.exact(g.mask52) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("accepted")
				}
			}()
			g := newGenerator(build.NewContext(), "test")
			g.begin("f", "func()", "")
			emit(g)
		})
	}
}

// TestBoundsTight keeps the figures of README.md: the largest limbs of a
// product and of what norm makes of one.
func TestBoundsTight(t *testing.T) {
	g := newGenerator(build.NewContext(), "test")
	g.begin("f", "func()", "")
	a := g.getElement()
	g.declare(a, formN)
	w := g.mul(a, a, -1)
	for i, r := range w {
		if b := g.of(r); b.hi >= 11<<52 {
			t.Errorf("limb %d of a product is up to %#x, not below 11·2^52", i, b.hi)
		}
	}
	g.norm(w)
	g.require(w, formN)
}
