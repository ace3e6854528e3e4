package block

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
)

// A layout is the body without its leaves. In it a zero byte is a mark, and
// the byte after it says which. The tree of blocks is in the layout: two
// bodies with equal layouts divide alike.
const (
	mark      = 0x00
	markLeaf  = '#' // a leaf was taken out here
	markOpen  = '(' // a block that divides further begins
	markClose = ')' // and ends
	markZero  = '0' // the body has a zero byte here
)

// ErrLayout is returned when a layout's marks are damaged, or are not those of
// the blocks at hand.
var ErrLayout = errors.New("layout does not fit its blocks")

// Layout returns what is left of the body without its leaves.
func (t *Tree) Layout() []byte {
	size := len(t.Page.Body)
	for n := 1; n < len(t.Blocks); n++ {
		if t.Leaf(n) {
			size += 2 - (t.Blocks[n].End - t.Blocks[n].Start)
		} else {
			size += 4
		}
	}
	l := layouter{t: t, out: make([]byte, 0, size), zeros: bytes.IndexByte(t.Page.Body, mark) >= 0}
	l.around(0)
	l.upTo(len(t.Page.Body))
	return l.out
}

// layouter makes a layout.
type layouter struct {
	t     *Tree
	out   []byte
	at    int  // all of the body before it is dealt with
	zeros bool // the body has such bytes, so that marks have to be told from them
}

// around adds what lies around the children of block n. It calls itself at most
// levelsMax deep.
func (l *layouter) around(n int) {
	for c := n + 1; c < l.t.Blocks[n].Next; c = l.t.Blocks[c].Next {
		b := &l.t.Blocks[c]
		l.upTo(b.Start)
		if l.t.Leaf(c) {
			l.out = append(l.out, mark, markLeaf)
		} else {
			l.out = append(l.out, mark, markOpen)
			l.around(c)
			l.upTo(b.End)
			l.out = append(l.out, mark, markClose)
		}
		l.at = b.End
	}
}

// upTo adds the bytes of the body before offset end.
func (l *layouter) upTo(end int) {
	if b := l.t.Page.Body[l.at:end]; l.zeros {
		l.out = appendEscaped(l.out, b)
	} else {
		l.out = append(l.out, b...)
	}
	l.at = end
}

func appendEscaped(out, b []byte) []byte {
	for {
		i := bytes.IndexByte(b, mark)
		if i < 0 {
			return append(out, b...)
		}
		out = append(append(out, b[:i]...), mark, markZero)
		b = b[i+1:]
	}
}

// Join appends to dst the body that has this layout and these leaves, in
// order.
func Join(dst, layout []byte, leaves [][]byte) ([]byte, error) {
	size := len(layout)
	for _, b := range leaves {
		size += len(b)
	}
	dst = slices.Grow(dst, size)
	taken := 0
	err := eachMark(layout, func(text []byte, kind byte) error {
		dst = append(dst, text...)
		switch kind {
		case markLeaf:
			if taken == len(leaves) {
				return fmt.Errorf("%w: it has more places than the %d blocks given", ErrLayout, len(leaves))
			}
			dst = append(dst, leaves[taken]...)
			taken++
		case markZero:
			dst = append(dst, mark)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if taken != len(leaves) {
		return nil, fmt.Errorf("%w: it has %d places for %d blocks", ErrLayout, taken, len(leaves))
	}
	return dst, nil
}

// Part is a block as the layout of its body has it.
type Part struct {
	Layout []byte // its own
	First  int    // of its leaves
	Leaves int
}

// FindCut returns the blocks at some places of the cut at a level, for the body
// that has this layout. places are ascending and count from 0. The result is
// shorter if a place is after the last block.
func FindCut(layout []byte, level int, places []int) ([]Part, error) {
	parts := make([]Part, 0, len(places))
	depth, leaf, at, place := 0, 0, 0, 0
	open, first := -1, 0 // where the block begins, while it is at hand, and its leaves
	found := func(to int) error {
		parts, open = append(parts, Part{layout[open:to], first, leaf - first}), -1
		if len(parts) == len(places) {
			return errFound
		}
		return nil
	}
	err := eachMark(layout, func(text []byte, kind byte) error {
		from := at + len(text)
		at = from + 2
		if depth < level && (kind == markLeaf || kind == markOpen && depth+1 == level) {
			if len(parts) < len(places) && place == places[len(parts)] {
				open, first = from, leaf
			}
			place++
		}
		switch kind {
		case markLeaf:
			leaf++
			if open >= 0 && depth < level {
				return found(at)
			}
		case markOpen:
			depth++
		case markClose:
			depth--
			if open >= 0 && depth < level {
				return found(from)
			}
		}
		return nil
	})
	if errors.Is(err, errFound) {
		err = nil
	}
	return parts, err
}

// errFound ends a walk over marks.
var errFound = errors.New("found")

// eachMark calls f with each text of a layout and the mark that follows it, 0
// at the end.
func eachMark(layout []byte, f func(text []byte, kind byte) error) error {
	for at := 0; ; {
		i := bytes.IndexByte(layout[at:], mark)
		if i < 0 {
			return f(layout[at:], 0)
		}
		if at+i+1 == len(layout) {
			return fmt.Errorf("%w: it ends in a mark", ErrLayout)
		}
		kind := layout[at+i+1]
		switch kind {
		case markLeaf, markOpen, markClose, markZero:
		default:
			return fmt.Errorf("%w: unknown mark %#x at byte %d", ErrLayout, kind, at+i+1)
		}
		if err := f(layout[at:at+i], kind); err != nil {
			return err
		}
		at += i + 2
	}
}
