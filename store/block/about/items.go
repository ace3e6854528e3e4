package about

import (
	"bytes"

	"infomall/store/page/markup"
)

// The limits by which holdsItems decides whether the children of an element are
// items of a list. The limits are such that the header, menu and footer of a
// page do not count as items.
const (
	itemsLeast  = 5      // the least number of children of the same kind
	itemsAlike  = 3. / 4 // the least share of the children that have the same kind
	itemLargest = .4     // no child has this share or more of the weight of all
)

// itemLevels is how many elements the method item checks: the innermost element
// at the start of a block, and those around it.
const itemLevels = 4

// item reports whether block n is one of several similar items, such as the
// entries of a list, or is part of one. It is used because the first item on a
// page is not a header, and the last item is not a footer.
func (l *labeller) item(n int) bool {
	nodes, b := l.flow.Page.Nodes, &l.tree.Blocks[n]
	from := l.ranges[n].from
	if from >= len(nodes) {
		return false
	}
	for e, step := int32(from), 0; e != 0 && step < itemLevels; e, step = nodes[e].Parent, step+1 {
		p := nodes[e].Parent
		if around := &nodes[p]; nodes[e].Kind == markup.Element && (int(around.Start) < b.Start || int(around.End) > b.End) && l.holdsItems(p) {
			return true
		}
	}
	return false
}

// holdsItems reports whether the children of element p are items: there are at least
// itemsLeast, most have the same kind, and none shows a large share of what all of them show.
func (l *labeller) holdsItems(p int32) bool {
	if known, ok := l.itemsIn[p]; ok {
		return known
	}
	nodes := l.flow.Page.Nodes
	var sum, largest int32
	count, alike := 0, 0
	sort := int32(0) // the child with which others are compared
	for c := p + 1; c < nodes[p].Next; c = nodes[c].Next {
		w := l.weight(int(c))
		if w == 0 {
			continue
		}
		sum, largest = sum+w, max(largest, w)
		count++
		if nodes[c].Kind != markup.Element || !nodes[c].Tag.Block() {
			continue
		}
		if sort == 0 || alike == 0 && !l.alike(sort, c) {
			sort = c
			continue
		}
		if l.alike(sort, c) {
			alike++
		}
	}
	is := alike+1 >= itemsLeast && float64(alike+1) >= itemsAlike*float64(count) && float64(largest) < itemLargest*float64(sum)
	l.itemsIn[p] = is
	return is
}

// alike reports whether elements a and b have the same kind: the same tag and, if
// the tag says little (such as div), the same class.
func (l *labeller) alike(a, b int32) bool {
	t := l.flow.Page
	if t.Nodes[a].Tag != t.Nodes[b].Tag {
		return false
	}
	switch t.Nodes[a].Tag {
	case markup.TagDiv, markup.TagTable, markup.TagSection, markup.TagTd, markup.TagCenter, markup.TagUl, markup.TagForm:
		first, ok := t.Attr(int(a), "class")
		second, _ := t.Attr(int(b), "class")
		return ok && bytes.Equal(first, second)
	}
	return true
}
