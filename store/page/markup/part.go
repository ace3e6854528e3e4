package markup

import (
	"bytes"
	"sort"
)

// ReadPart makes t the tree of the bytes Body[start:end] of the tree of. The
// result is the same as that of Read for these bytes. If the bytes are whole
// nodes that would be the same on their own, their nodes are copied and no byte
// is parsed again.
func (t *Tree) ReadPart(of *Tree, start, end int) {
	if from, to, ok := of.standAlone(start, end); ok {
		t.copyPart(of, start, end, from, to)
		return
	}
	t.Read(of.Body[start:end])
}

// foreignMost is the largest number of ancestors of a part that are checked for
// SVG and MathML.
const foreignMost = 64

// standAlone returns the range of nodes Nodes[from:to] that is exactly
// Body[start:end]. ok is false if there is none, or if these bytes might be
// parsed differently by themselves. The nodes are children of one element, so
// that no tag in them closes an element outside.
func (t *Tree) standAlone(start, end int) (from, to int, ok bool) {
	from = 1 + sort.Search(len(t.Nodes)-1, func(i int) bool { return int(t.Nodes[i+1].Start) >= start })
	if from >= len(t.Nodes) || int(t.Nodes[from].Start) != start {
		return 0, 0, false
	}
	around, last := t.Nodes[from].Parent, from
	if tags[t.Nodes[around].Tag].props&propRaw != 0 {
		return 0, 0, false
	}
	for to = from; to < len(t.Nodes) && int(t.Nodes[to].Start) < end; to = int(t.Nodes[to].Next) {
		if t.Nodes[to].Parent != around {
			return 0, 0, false
		}
		last = to
	}
	if int(t.Nodes[last].End) != end {
		return 0, 0, false
	}
	for i := from; i < to; i++ {
		if !t.readsAlike(&t.Nodes[i]) {
			return 0, 0, false
		}
	}
	for range foreignMost {
		if around == 0 {
			return from, to, true
		}
		if tag := t.Nodes[around].Tag; tag == TagSvg || tag == TagMath {
			return 0, 0, false
		}
		around = t.Nodes[around].Parent
	}
	return 0, 0, false
}

// readsAlike reports whether a node is parsed the same way without its parent.
// It is false for html, head and body (a page has one of each), for end tags
// that close nothing, and for CDATA.
func (t *Tree) readsAlike(n *Node) bool {
	switch n.Kind {
	case Element:
		return n.Tag != TagHTML && n.Tag != TagHead && n.Tag != TagBody
	case Text:
		return true
	case Raw, Comment:
		return !bytes.HasPrefix(t.Body[n.Start:n.End], []byte("<!["))
	}
	return false
}

// copyPart makes t a copy of Nodes[from:to] of the tree of, which are exactly
// Body[start:end] of that tree.
func (t *Tree) copyPart(of *Tree, start, end, from, to int) {
	t.Body = of.Body[start:end]
	n := int32(end - start)
	t.Nodes = append(t.Nodes[:0], Node{End: n, Outer: n, Next: int32(1 + to - from)})
	t.Nodes = append(t.Nodes, of.Nodes[from:to]...)
	shift, first := int32(start), int32(from-1)
	for i := range t.Nodes[1:] {
		n := &t.Nodes[i+1]
		n.Start, n.End, n.Inner, n.Outer = n.Start-shift, n.End-shift, n.Inner-shift, n.Outer-shift
		n.Parent, n.Next = max(0, n.Parent-first), n.Next-first
	}
}
