package tight

import (
	"math"
	"slices"
)

// sequence is some literals and then a match of n bytes. value is the offset of the match as
// Zstandard writes it: 1 to 3 for one of the last offsets, otherwise the offset plus 3.
type sequence struct{ literals, n, value uint32 }

// parser chooses the sequences of a block so that they take few bits.
type parser struct {
	last   [3]uint32 // the last three offsets before the block
	prices prices
	nodes  []node // for each place of the block, and for its end
	seqs   []sequence
	lits   []byte // the literals of all sequences, and those after them
}

// node is the cheapest known way to a place of the block.
type node struct {
	price    uint32    // of the whole way to the place, in units of 1/256 bit
	n        uint32    // length of the match that ends here; 0 for a literal
	value    uint32    // offset of that match, as in sequence
	literals uint32    // number of literals in a row that end here
	last     [3]uint32 // the last three offsets at the place
}

// reset prepares p for a frame.
func (p *parser) reset() {
	p.last = [3]uint32{1, 4, 8}
	p.prices.reset()
}

// passes is how often a block is parsed. Each pass uses the prices of the result before it; the first
// pass of a frame uses the prices that guess sets.
const passes = 2

// parse returns the sequences that it chooses for the block from one place of f to another, and sets
// p.last to the last three offsets after the block. literals has the literals of all sequences, and
// those after the last sequence.
func (p *parser) parse(f *finder, from, to int) (literals []byte, seqs []sequence) {
	f.begin(from, to)
	p.prices.guess(f.b[from:to])
	var last [3]uint32
	for range passes {
		if last = p.path(f, from, to); len(p.lits) > (to-from)*15/16 {
			break // nearly all bytes are literals: another pass gains little
		}
		p.prices.count(p.lits, p.seqs)
	}
	p.last = last
	return p.lits, p.seqs
}

// path finds the cheapest way through the block, and sets p.seqs and p.lits to the sequences and
// literals on it. It returns the last three offsets after the block.
func (p *parser) path(f *finder, from, to int) [3]uint32 {
	size := to - from
	p.nodes = slices.Grow(p.nodes[:0], size+1)[:size+1]
	nodes, pr, b := p.nodes, &p.prices, f.b
	for i := range nodes {
		nodes[i].price = math.MaxUint32
	}
	nodes[0] = node{last: p.last, price: pr.run(0)}
	for at := 0; at < size; {
		here := &nodes[at]
		if here.price == math.MaxUint32 {
			at++
			continue
		}
		if at > 0 && here.n > 0 {
			before := &nodes[at-int(here.n)]
			here.last = after(before.last, here.value, before.literals)
			here.literals = 0
		} else if at > 0 {
			here.last = nodes[at-1].last
		}
		// The next byte as a literal.
		run := here.literals + 1
		price := here.price + pr.byte[b[from+at]] + pr.run(run) - pr.run(here.literals)
		if next := &nodes[at+1]; price < next.price {
			next.price, next.n, next.literals = price, 0, run
		}
		place, most := from+at, size-at
		if most < 3 {
			at++
			continue
		}
		base := here.price + pr.run(0)
		long := 0
		// A match with one of the last offsets.
		for i := range 3 {
			offset := here.last[i]
			if here.literals == 0 {
				if i < 2 {
					offset = here.last[i+1]
				} else {
					offset = here.last[0] - 1
				}
			}
			if offset == 0 || int(offset) > place {
				continue
			}
			c := place - int(offset)
			if b[c] != b[place] || b[c+1] != b[place+1] || b[c+2] != b[place+2] {
				continue
			}
			n := same(b, c, place, most)
			price := base + pr.offset(uint32(i+1))
			least := 3
			if n >= matchLong {
				least = n
				long = max(long, n)
			}
			for k := least; k <= n; k++ {
				if x, next := price+pr.length(uint32(k)), &nodes[at+k]; x < next.price {
					*next = node{price: x, n: uint32(k), value: uint32(i + 1)}
				}
			}
		}
		if long > 0 {
			at += long
			continue
		}
		least := 3
		for _, m := range f.at(place, to) {
			n := int(m.n)
			price := base + pr.offset(uint32(m.offset)+3)
			if n >= matchLong {
				least = n
				long = n
			}
			for k := least; k <= n; k++ {
				if x, next := price+pr.length(uint32(k)), &nodes[at+k]; x < next.price {
					*next = node{price: x, n: uint32(k), value: uint32(m.offset) + 3}
				}
			}
			least = n + 1
		}
		at += max(long, 1)
	}
	return p.back(b[from:to])
}

// after returns the last three offsets after a match. last has those before it. value is the offset
// of the match as in sequence, and literals is the number of literals before the match.
func after(last [3]uint32, value, literals uint32) [3]uint32 {
	if value > 3 {
		return [3]uint32{value - 3, last[0], last[1]}
	}
	if literals == 0 {
		value++
	}
	switch value {
	case 1:
		return last
	case 2:
		return [3]uint32{last[1], last[0], last[2]}
	case 3:
		return [3]uint32{last[2], last[0], last[1]}
	}
	return [3]uint32{last[0] - 1, last[0], last[1]}
}

// back follows the cheapest way from the end of the block b to its start, and sets p.seqs and p.lits
// to the sequences and literals on it. It returns the last three offsets after the block.
func (p *parser) back(b []byte) [3]uint32 {
	p.seqs, p.lits = p.seqs[:0], p.lits[:0]
	literals := uint32(0)
	begin := func() {
		if n := len(p.seqs); n > 0 {
			p.seqs[n-1].literals = literals
		}
		literals = 0
	}
	for at := len(b); at > 0; {
		n := &p.nodes[at]
		if n.n == 0 {
			literals++
			at--
			continue
		}
		begin()
		p.seqs = append(p.seqs, sequence{n: n.n, value: n.value})
		at -= int(n.n)
	}
	begin()
	slices.Reverse(p.seqs)
	last, at := p.last, 0
	for _, s := range p.seqs {
		p.lits = append(p.lits, b[at:at+int(s.literals)]...)
		last = after(last, s.value, s.literals)
		at += int(s.literals + s.n)
	}
	p.lits = append(p.lits, b[at:]...)
	return last
}
