// Package block divides a page into blocks, the closed regions that a reader
// sees in it, names what they are about and what they are for, and tells what
// became of each from one version to the next. Blocks are ranges of the body's
// bytes: what is left of the body without them is its layout, and layout and
// blocks together are the body again, byte for byte, whatever it holds. All
// functions here are pure; keeping blocks is the work of others.
package block

import "infomall/store/page"

// Profile names a way of dividing pages.
type Profile uint8

// The profiles. Modern is the default; Classic is the published method, kept
// to compare with.
const (
	Modern Profile = iota
	Classic
)

// Options say how to divide. The zero value is Modern with its defaults.
type Options struct {
	Profile Profile
	// MaxDepth is how many elements deep the classic profile looks for the
	// blocks of one level. 0 stands for 10.
	MaxDepth int
}

// levelsMax bounds the depth of a block tree. What lies deeper is part of the
// leaf there.
const levelsMax = 20

// leafBytes is the least a leaf should hold; it is settled by what it costs to
// name a block.
const leafBytes = 64

// Tree is how a page divides. Blocks[0] is the page; the descendants of block
// n are the blocks n+1 to Blocks[n].Next-1, in the order of the body. Siblings
// are disjoint and lie within their parent.
type Tree struct {
	Page    *page.Tree
	Profile Profile
	Blocks  []Block
	flow    *flow        // that it was divided by, nil if there was none
	parts   []placedPart // that a Reader knows, until it has read the page
}

// Block is one block of a Tree.
type Block struct {
	Start, End int    // range of the body
	Parent     int    // index; the page's is 0
	Next       int    // index of the first block that is no descendant
	Depth      int    // 0 for the page, else the level at which the block appears
	Path       string // its place among its siblings, and theirs: "C.C.3"; "" for the page
	row        int32  // of a cell, the node of its row; else 0
}

// Free gives the memory of the page's markup, which is more than its body's, to
// a later page. What the tree says of blocks and their bytes stays. To call it
// is never necessary.
func (t *Tree) Free() {
	t.Page.Free()
	if t.flow != nil {
		t.flow.free()
		t.flow = nil
	}
}

// Leaf reports whether the block divides no further.
func (t *Tree) Leaf(n int) bool { return t.Blocks[n].Next == n+1 }

// Divide divides a page. Every page has at least one block unless it shows
// nothing at all.
func Divide(t *page.Tree, o Options) *Tree { return divide(t, o, nil, "") }

// divide is Divide with a memory of parts, which may be nil, and the charset that
// the page is read in.
func divide(t *page.Tree, o Options, known *knownParts, charset string) *Tree {
	b := &Tree{Page: t, Profile: o.Profile}
	b.Blocks = append(b.Blocks, Block{End: len(t.Body)})
	switch o.Profile {
	case Classic:
		b.divideClassic(o)
	default:
		b.divideModern(modernShares, known, charset)
	}
	b.name()
	return b
}

// Cut returns the blocks at a level: those that appear there, and the leaves
// above. Level 0 and below stand for the leaves.
func (t *Tree) Cut(level int) []int {
	if len(t.Blocks) == 1 {
		return nil
	}
	return t.appendCut(make([]int, 0, t.cutSize(level)), level)
}

// cutSize is how many blocks the cut at a level has.
func (t *Tree) cutSize(level int) int {
	size := 0
	for n := 1; n < len(t.Blocks); {
		if t.Leaf(n) || t.Blocks[n].Depth == level {
			size++
			n = t.Blocks[n].Next
		} else {
			n++
		}
	}
	return size
}

// appendCut appends the cut at a level.
func (t *Tree) appendCut(cut []int, level int) []int {
	for n := 1; n < len(t.Blocks); {
		if t.Leaf(n) || t.Blocks[n].Depth == level {
			cut = append(cut, n)
			n = t.Blocks[n].Next
		} else {
			n++
		}
	}
	return cut
}

// Level is the tree's greatest depth.
func (t *Tree) Level() int {
	level := 0
	for _, b := range t.Blocks {
		level = max(level, b.Depth)
	}
	return level
}

// Bytes are the bytes of a block; they are part of the body.
func (t *Tree) Bytes(n int) []byte { return t.Page.Body[t.Blocks[n].Start:t.Blocks[n].End] }

// Children returns the blocks that block n divides into.
func (t *Tree) Children(n int) []int {
	var out []int
	for c := n + 1; c < t.Blocks[n].Next; c = t.Blocks[c].Next {
		out = append(out, c)
	}
	return out
}
