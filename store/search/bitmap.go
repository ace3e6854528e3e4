package search

import (
	"iter"
	"math/bits"
)

// bitmap is a set of numbers from 0 on: number n is in it if bit n%64 of element n/64 is set.
type bitmap []uint64

// newBitmap returns an empty bitmap for numbers below count. It is not nil.
func newBitmap(count int) bitmap { return make(bitmap, count/64+1) }

func (b bitmap) has(n uint32) bool { return b[n/64]>>(n%64)&1 != 0 }

// setRange adds the numbers from <= n < to.
func (b bitmap) setRange(from, to uint32) {
	for ; from < to && from%64 != 0; from++ {
		b[from/64] |= 1 << (from % 64)
	}
	for ; from+64 <= to; from += 64 {
		b[from/64] = ^uint64(0)
	}
	for ; from < to; from++ {
		b[from/64] |= 1 << (from % 64)
	}
}

// add adds the number n+i for each bit i that is set in the parameter few.
func (b bitmap) add(n uint32, few uint64) {
	b[n/64] |= few << (n % 64)
	if few = few >> 1 >> (63 - n%64); few != 0 {
		b[n/64+1] |= few
	}
}

// next returns the first number of b that is from or greater, or to if all of them are to or greater.
func (b bitmap) next(from, to uint32) uint32 {
	for from < to {
		if word := b[from/64] >> (from % 64); word != 0 {
			return min(to, from+uint32(bits.TrailingZeros64(word)))
		}
		from += 64 - from%64
	}
	return to
}

// count returns how many numbers from <= n < to are in b.
func (b bitmap) count(from, to uint32) (n int) {
	for from < to {
		word := b[from/64] >> (from % 64)
		if left := to - from; left < 64 {
			word &= 1<<left - 1
		}
		n += bits.OnesCount64(word)
		from += 64 - from%64
	}
	return n
}

// all yields the numbers from <= n < to that are in b, ascending.
func (b bitmap) all(from, to uint32) iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		for n := b.next(from, to); n < to; n = b.next(n+1, to) {
			if !yield(n) {
				return
			}
		}
	}
}
