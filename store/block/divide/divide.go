// Package divide divides a page into blocks: the regions that a reader sees, such
// as menus, articles and footers. Blocks are ranges of the body's bytes. The body
// without its leaves is its layout, and the layout and the leaves together are
// the body again, byte for byte.
//
// # Words
//
//	block      a range of the body; blocks contain blocks, up to levelsMax levels
//	leaf       a block that divides no further; leaves are stored one by one
//	layout     the body without its leaves, with a mark for each
//	cut        the blocks of one level, and the leaves above it
//	part       a block while a page is being divided, and a block of a cut
//	atom       the smallest range that a division does not split further
//	group      neighbouring atoms that are joined into one
//	run        text and inline elements between two block elements
//	border     a rule, image or object that separates what is before from what is after it
//	region     a part at level 1
//	module     a part at level 2
//	profile    a method of dividing: modern, or classic, the published one
//
//	body    <ul><li>a<li>b</ul><p>text</p>
//	layout  <ul>##</ul>#                      # is a mark: a leaf was here
package divide

import (
	"infomall/store/block/flow"
	"infomall/store/document"
	"infomall/store/page/markup"
)

// Profile is a method of dividing pages: Modern or Classic.
type Profile uint8

// The profiles. Modern is the default. Classic is the published method, for
// comparison.
const (
	Modern Profile = iota
	Classic
)

// Options says how to divide pages. The zero value is Modern.
type Options struct{ Profile Profile }

// levelsMax is the greatest depth of a tree of blocks. Parts that are deeper
// belong to the leaf that contains them.
const levelsMax = 20

// leafBytes is the size in bytes that a leaf should have at least. For a smaller
// leaf, storing the name of the block costs more than it saves.
const leafBytes = 64

// Tree is the division of a page into blocks. Blocks[0] is the whole page. The
// blocks are in the order of the body, each before its descendants: the
// descendants of block n are the blocks n+1 to Blocks[n].Next-1. Siblings do not
// overlap and lie within their parent.
type Tree struct {
	Page    *markup.Tree
	Profile Profile
	Blocks  []Block
	flow    *flow.Flow // the flow that the page was divided by, or nil
	// Known are the parts of the page that a Memory knows. Package facts sets it to
	// nil once it has read them.
	Known []PlacedPart
	// Document is the document whose markup is divided, see ofDocument. It is nil if the
	// body itself is a page or plain text.
	Document *document.Document
	// spans has, for each block of a document, its section and its part. Both are -1
	// for the block of the whole document.
	spans []document.Span
}

// Block is one block of a Tree.
type Block struct {
	Start, End int    // the block is Body[Start:End]
	Parent     int    // index of the parent; 0 for the page itself
	Next       int    // index of the first later block that is no descendant
	Depth      int    // the level at which the block appears, from 1; 0 for the page
	Path       string // the names of its ancestors and its own, such as "C.C.3"; "" for the page
	row        int32  // for a table cell, the node of its row; otherwise 0
}

// Free gives the memory of the page's markup, which is larger than the body, to
// later pages. The blocks and their bytes stay valid. Calling Free is optional.
func (t *Tree) Free() {
	t.Page.Free()
	if t.flow != nil {
		t.flow.Free()
		t.flow = nil
	}
}

// Leaf reports whether block n is a leaf: a block that divides no further.
func (t *Tree) Leaf(n int) bool { return t.Blocks[n].Next == n+1 }

// Divide divides a page into a tree of blocks. If the page shows anything, the
// tree has at least one block besides the page itself.
func Divide(t *markup.Tree, o Options) *Tree { return divide(t, o, nil, "") }

// divide is Divide with two more arguments: known, a memory of parts that were
// divided before, which may be nil, and the charset of the page.
func divide(t *markup.Tree, o Options, known *Memory, charset string) *Tree {
	b := &Tree{Page: t, Profile: o.Profile}
	b.Blocks = append(b.Blocks, Block{End: len(t.Body)})
	switch o.Profile {
	case Classic:
		b.divideClassic()
	default:
		b.divideModern(modernShares, known, charset)
	}
	b.name()
	return b
}

// Cut returns the cut at a level: the blocks of that level and the leaves above
// it, in the order of the page, as indexes in t.Blocks. Level 0 or less means all
// leaves. If the page shows nothing, the result is nil.
func (t *Tree) Cut(level int) []int {
	if len(t.Blocks) == 1 {
		return nil
	}
	return t.AppendCut(make([]int, 0, t.cutSize(level)), level)
}

// cutSize returns how many blocks the cut at a level has.
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

// AppendCut appends the cut at a level, as Cut returns it, to cut.
func (t *Tree) AppendCut(cut []int, level int) []int {
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

// Level returns the greatest Depth of the blocks in the tree. It is 0 if the page
// shows nothing.
func (t *Tree) Level() int {
	level := 0
	for _, b := range t.Blocks {
		level = max(level, b.Depth)
	}
	return level
}

// Bytes returns the bytes of block n, a slice of the body.
func (t *Tree) Bytes(n int) []byte { return t.Page.Body[t.Blocks[n].Start:t.Blocks[n].End] }

// Children returns the indexes of the blocks into which block n divides, in
// order; nil if it is a leaf.
func (t *Tree) Children(n int) []int {
	var out []int
	for c := n + 1; c < t.Blocks[n].Next; c = t.Blocks[c].Next {
		out = append(out, c)
	}
	return out
}

// Flow returns the flow of the page: how much each node shows. The first call
// computes it if the division did not.
func (t *Tree) Flow() *flow.Flow {
	if t.flow == nil {
		t.flow = flow.New(t.Page)
	}
	return t.flow
}
