package edwards

// minSpan is the smallest number of terms of a task of a small sum. A task pays for 253 doublings of its own, about as
// much as two terms.
const minSpan = 32

// nafWidth is the width of the non-adjacent form of scalars in small sums: odd digits less than 2^(nafWidth-1) in
// absolute value, at least nafWidth apart.
const nafWidth = 5

// digitsNAF is the number of digits of the non-adjacent form of a scalar: one more than its bits.
const digitsNAF = longBits + 1

// table holds the odd multiples 1, 3, ..., 15 of a point.
type table [1 << (nafWidth - 2)]cached

// set fills the table with multiples of p.
func (t *table) set(p *Point) {
	var q, twice extended
	q.setAffine(p)
	twice = q
	twice.double()
	t[0].set(&q)
	for i := 1; i < len(t); i++ {
		q = twice
		q.addCached(&t[i-1])
		t[i].set(&q)
	}
}

// straus sums the terms of one task with one chain of doublings for all of them.
func (s *Sum) straus(task int, scratch *Scratch) {
	from := task * s.span
	to := min(from+s.span, len(s.long)+len(s.short))
	if cap(scratch.tables) < to-from {
		scratch.tables = make([]table, to-from)
		scratch.digits = make([][digitsNAF]int8, to-from)
	}
	tables, digits := scratch.tables[:to-from], scratch.digits[:to-from]
	for i := range tables {
		if j := from + i - len(s.long); j >= 0 {
			tables[i].set(&s.short[j])
			nonAdjacentForm(&digits[i], s.shortScalars[j][:])
			continue
		}
		tables[i].set(&s.long[from+i])
		nonAdjacentForm(&digits[i], s.longScalars[from+i][:])
	}
	p := &s.partial[task]
	*p = identity
	for position := digitsNAF - 1; position >= 0; position-- {
		p.double()
		for i := range digits {
			switch d := digits[i][position]; {
			case d > 0:
				p.addCached(&tables[i][d/2])
			case d < 0:
				p.subCached(&tables[i][-d/2])
			}
		}
	}
}

// nonAdjacentForm sets digits to the form of width nafWidth of a scalar below 2^longBits, least significant first.
func nonAdjacentForm(digits *[digitsNAF]int8, scalar []uint64) {
	*digits = [digitsNAF]int8{}
	var words [5]uint64 // one more, so that a digit can be read across the end
	copy(words[:], scalar)
	carry := 0
	for i := 0; i < digitsNAF; {
		v := words[i/64] >> (i % 64)
		if i%64 > 64-nafWidth {
			v |= words[i/64+1] << (64 - i%64)
		}
		d := carry + int(v&(1<<nafWidth-1))
		if d&1 == 0 { // the carry, if any, has made a 1 into a 0 and goes on
			i++
			continue
		}
		carry = d >> (nafWidth - 1)
		digits[i] = int8(d - carry<<nafWidth)
		i += nafWidth
	}
}
