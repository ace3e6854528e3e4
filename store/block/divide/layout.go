package divide

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
)

// The marks of a layout, the body without its leaves. A mark is a zero byte
// followed by one of the bytes below. The marks alone give the tree of blocks:
// two bodies with equal layouts have equal trees.
const (
	mark      = 0x00
	markLeaf  = '#' // a leaf was taken out here
	markOpen  = '(' // a block that divides further begins here
	markClose = ')' // a block that divides further ends here
	markZero  = '0' // the body has a zero byte here
)

// errLayout is returned if a layout has an unknown or incomplete mark, or if the number of its
// marks for leaves is not the number of leaves.
var errLayout = errors.New("layout does not fit its blocks")

// Layout returns the layout of the page: the body with a mark in place of each
// leaf, and marks where the other blocks begin and end.
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

// layouter writes the layout of a tree.
type layouter struct {
	t     *Tree
	out   []byte
	at    int  // offset in the body up to which the layout is written
	zeros bool // the body has zero bytes, which markZero must replace
}

// around writes the layout of block n up to the end of its last child: the bytes
// between its children, and the marks of its descendants. It calls itself at most
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

// upTo writes the bytes of the body from offset l.at to offset end, and sets
// l.at to end.
func (l *layouter) upTo(end int) {
	if b := l.t.Page.Body[l.at:end]; l.zeros {
		l.out = appendEscaped(l.out, b)
	} else {
		l.out = append(l.out, b...)
	}
	l.at = end
}

// appendEscaped appends b to out, with mark and markZero in place of each zero
// byte.
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

// Join rebuilds a body from its layout and its leaves and appends it to dst. The
// leaves must be in the order of the body. If there are more or fewer leaves than
// marks for them, or a mark is damaged, Join returns nil and errLayout.
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
				return fmt.Errorf("%w: it has more places than blocks are given: %d", errLayout, len(leaves))
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
		return nil, fmt.Errorf("%w: the number of its places is %d, of its blocks %d", errLayout, taken, len(leaves))
	}
	return dst, nil
}

// AppendLeaves appends to dst the indexes of the leaves in Tree.Blocks, in order, for the page
// with this layout. blocks is the length of Tree.Blocks. The error is errLayout if the layout
// is damaged.
func AppendLeaves(dst []int, layout []byte) (leaves []int, blocks int, err error) {
	blocks = 1 // the page itself
	err = eachMark(layout, func(_ []byte, kind byte) error {
		if kind == markLeaf {
			dst = append(dst, blocks)
		}
		if kind == markLeaf || kind == markOpen {
			blocks++
		}
		return nil
	})
	return dst, blocks, err
}

// CutBlock is a block that FindCut found in the layout of a body. Joining CutBlock.Layout
// with the leaves First to First+Leaves-1 of the body gives the bytes of the
// block.
type CutBlock struct {
	Layout []byte // part of the layout of the body
	First  int    // index of the block's first leaf among all leaves of the body
	Leaves int    // number of leaves in the block; 1 if it is a leaf
}

// FindCut finds blocks in the layout of a body, by their indexes in the cut
// (the list of blocks) at a level. level is 1 or more. places are the indexes
// of the wanted blocks, from 0, ascending. The result has one Part for each of
// them; it is shorter if some are beyond the last block.
func FindCut(layout []byte, level int, places []int) ([]CutBlock, error) {
	parts := make([]CutBlock, 0, len(places))
	depth, leaf, at, place := 0, 0, 0, 0
	open, first := -1, 0 // where the current block begins, -1 if there is none; its first leaf
	found := func(to int) error {
		parts, open = append(parts, CutBlock{layout[open:to], first, leaf - first}), -1
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

// errFound is returned by a callback of eachMark to stop, because everything was
// found.
var errFound = errors.New("found")

// eachMark calls f for each mark of a layout. kind is the second byte of the
// mark, and text has the bytes between the previous mark and this mark. After the
// last mark, f is called once more with the remaining bytes and kind 0. If f
// returns an error, eachMark stops and returns it.
func eachMark(layout []byte, f func(text []byte, kind byte) error) error {
	for at := 0; ; {
		i := bytes.IndexByte(layout[at:], mark)
		if i < 0 {
			return f(layout[at:], 0)
		}
		if at+i+1 == len(layout) {
			return fmt.Errorf("%w: it ends in a mark", errLayout)
		}
		kind := layout[at+i+1]
		switch kind {
		case markLeaf, markOpen, markClose, markZero:
		default:
			return fmt.Errorf("%w: unknown mark %#x at byte %d", errLayout, kind, at+i+1)
		}
		if err := f(layout[at:at+i], kind); err != nil {
			return err
		}
		at += i + 2
	}
}
