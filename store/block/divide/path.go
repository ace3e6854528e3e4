package divide

import (
	"slices"
	"strconv"
	"sync"
)

// name sets the path of each block, such as "C.T2.1": the names of the blocks
// that contain it and its own name, joined by dots. Cells of one table row are
// named L for left, C for centre and R for right. Of three or more siblings, one
// that has over half of their bytes is named C, the siblings before it T for top,
// and those after it B for bottom. Several siblings with the same letter are
// numbered: T1, T2. All other siblings are named 1, 2, 3. The path of the page is
// "".
func (t *Tree) name() {
	w := pathWriters.Get().(*pathWriter)
	defer pathWriters.Put(w)
	all, siblings := w.all[:0], w.siblings[:0]
	starts := slices.Grow(w.starts[:0], len(t.Blocks))[:len(t.Blocks)]
	ends := slices.Grow(w.ends[:0], len(t.Blocks))[:len(t.Blocks)]
	for n := range t.Blocks {
		if t.Leaf(n) {
			continue
		}
		siblings = siblings[:0]
		for c := n + 1; c < t.Blocks[n].Next; c = t.Blocks[c].Next {
			siblings = append(siblings, int32(c))
		}
		from, to, places := t.places(siblings)
		for i, c := range siblings {
			starts[c] = int32(len(all))
			if n > 0 {
				all = append(append(all, all[starts[n]:ends[n]]...), '.')
			}
			switch {
			case i < from:
				all = appendPlace(all, places[0], i, from)
			case i < to:
				all = appendPlace(all, places[1], i-from, to-from)
			default:
				all = appendPlace(all, places[2], i-to, len(siblings)-to)
			}
			ends[c] = int32(len(all))
		}
	}
	starts[0], ends[0] = 0, 0
	paths := string(all)
	for n := range t.Blocks {
		t.Blocks[n].Path = paths[starts[n]:ends[n]]
	}
	*w = pathWriter{all, starts, ends, siblings}
}

// pathWriter is the memory in which the method name writes the paths of a page.
type pathWriter struct {
	all          []byte  // the paths of the page, one after the other
	starts, ends []int32 // offsets in all at which the path of each block begins and ends
	siblings     []int32 // the children of the current block
}

// pathWriters are the pathWriters that are not in use.
var pathWriters = sync.Pool{New: func() any { return new(pathWriter) }}

// places decides with which letters the names of siblings begin.
// siblings[from:to] are the centre. names has three letters: for the siblings
// before the centre, in it, and after it, such as "T", "C" and "B". If there is
// no centre, siblings[from:to] are all siblings, and the letters are "".
func (t *Tree) places(siblings []int32) (from, to int, names [3]string) {
	n := len(siblings)
	if n > 1 && t.sameRow(siblings) {
		return 1, n - 1, [3]string{"L", "C", "R"}
	}
	if c := t.centre(siblings); c >= 0 {
		return c, c + 1, [3]string{"T", "C", "B"}
	}
	return 0, n, names
}

// appendPlace appends the name of a sibling, such as "T2", to dst. side is its
// letter, i its index from 0 among the siblings with that letter, and n their
// number. It appends no number if n is 1, unless side is "".
func appendPlace(dst []byte, side string, i, n int) []byte {
	dst = append(dst, side...)
	if n == 1 && side != "" {
		return dst
	}
	return strconv.AppendInt(dst, int64(i+1), 10)
}

// sameRow reports whether all siblings are cells of one table row.
func (t *Tree) sameRow(siblings []int32) bool {
	row := t.Blocks[siblings[0]].row
	for _, s := range siblings {
		if t.Blocks[s].row != row {
			return false
		}
	}
	return row != 0
}

// centre returns the index of the sibling that has over half of the bytes of all
// siblings. It returns -1 if no sibling has, or if there are fewer than three
// siblings.
func (t *Tree) centre(siblings []int32) int {
	if len(siblings) < 3 {
		return -1
	}
	total, largest := 0, 0
	size := func(i int) int { return t.Blocks[siblings[i]].End - t.Blocks[siblings[i]].Start }
	for i := range siblings {
		total += size(i)
		if size(i) > size(largest) {
			largest = i
		}
	}
	if 2*size(largest) <= total {
		return -1
	}
	return largest
}
