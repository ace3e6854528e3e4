package facts

import (
	"cmp"
	"slices"

	"infomall/store/block/divide"
	"infomall/store/page/markup"
)

// Link is a link of a page, with the leaf and the block of the cut that contain
// it.
type Link struct {
	markup.Link
	Leaf int // index of the leaf that contains the link, -1 if the link is in the layout
	Part int // index in the cut at KeptLevel of the block that contains the link, -1 if none does
}

// OutsideLinks converts the links of Body.Outside, which are not in the markup,
// to Links. Their Offset, Leaf and Part are -1.
func OutsideLinks(outside []markup.Link) []Link {
	var links []Link
	for _, l := range outside {
		l.Offset = -1
		links = append(links, Link{l, -1, -1})
	}
	return links
}

// Links returns the links of a page: first those outside of its markup (in the
// headers), then the others in the order of the page. The text around a link in a
// leaf ends with the leaf; it depends on nothing but the leaf's bytes.
func Links(b *divide.Body) []Link {
	links := OutsideLinks(b.Outside)
	cut := b.Cut(KeptLevel)
	var rest []markup.Link // of the page, not yet passed
	asked := false
	stretches(b, func(start, end, leaf int) {
		if leaf >= 0 {
			for _, l := range b.Page.Links(start, end, b.Charset) {
				links = append(links, Link{l, leaf, partAt(b, cut, l.Offset)})
			}
			return
		}
		if !b.Page.MayLink(start, end) {
			return
		}
		if !asked {
			rest, asked = b.Page.Links(0, len(b.Page.Body), b.Charset), true
		}
		for len(rest) > 0 && rest[0].Offset < end {
			if l := rest[0]; l.Offset >= start {
				links = append(links, Link{l, -1, partAt(b, cut, l.Offset)})
			}
			rest = rest[1:]
		}
	})
	return links
}

// partAt returns which block of a cut contains the given offset of the body. The
// result is an index in cut, or -1 if no block contains the offset. cut has the
// indexes of its blocks in b.Blocks, in order.
func partAt(b *divide.Body, cut []int, offset int) int {
	i, _ := slices.BinarySearchFunc(cut, offset, func(n, at int) int { return cmp.Compare(b.Blocks[n].End-1, at) })
	if i < len(cut) && b.Blocks[cut[i]].Start <= offset {
		return i
	}
	return -1
}

// stretches divides the whole body into the leaves and the ranges between
// leaves, and calls f for each of them in order. start and end are offsets in
// the body. leaf is the index of the leaf, or -1 for a range between leaves.
func stretches(b *divide.Body, f func(start, end, leaf int)) {
	at := 0
	for i, n := range b.Cut(0) {
		p := &b.Blocks[n]
		if at < p.Start {
			f(at, p.Start, -1)
		}
		f(p.Start, p.End, i)
		at = p.End
	}
	if at < len(b.Page.Body) {
		f(at, len(b.Page.Body), -1)
	}
}

// LinksOfCut returns the number of links in each block of the cut at KeptLevel.
func (r *Reading) LinksOfCut() []int {
	cut := r.Cut(KeptLevel)
	links := make([]int, len(cut))
	leaf := 0
	for i, n := range cut {
		for ; leaf < len(r.Leaves) && r.Leaves[leaf] < r.Blocks[n].Next; leaf++ {
			links[i] += int(r.Made[leaf].links)
		}
	}
	for _, p := range r.placed {
		if p.part >= 0 {
			links[p.part]++
		}
	}
	return links
}
