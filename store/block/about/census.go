package about

import (
	"slices"

	"infomall/store/block/flow"
	"infomall/store/page/markup"
)

// census counts the elements in a range of a page.
type census struct {
	anchors  int32 // links that show text
	entries  int32 // links that show text and begin a line
	headings int32 // headings that begin with a link
	items    int32 // items of lists and rows of tables
	controls int32 // form controls
	pictures int32 // images, objects, films, frames
}

func (c census) minus(o census) census {
	return census{c.anchors - o.anchors, c.entries - o.entries, c.headings - o.headings, c.items - o.items, c.controls - o.controls, c.pictures - o.pictures}
}

// takeCensus counts the elements of a page. result[i] has the counts for the
// nodes before node i. The difference of two elements of the result is
// therefore the census of a range of nodes. The result reuses the memory of
// list.
func takeCensus(list []census, f *flow.Flow) []census {
	nodes := f.Page.Nodes
	out := slices.Grow(list[:0], len(nodes)+1)[:len(nodes)+1]
	var c census
	var some [32]int32
	lines := some[:0] // the ends of the open elements that are on lines of their own
	fresh := true     // no text on this line yet
	for i := range nodes {
		out[i] = c
		n := &nodes[i]
		for len(lines) > 0 && lines[len(lines)-1] <= int32(i) {
			lines, fresh = lines[:len(lines)-1], true
		}
		switch n.Kind {
		case markup.Text, markup.Raw:
			fresh = fresh && f.UpTo(i+1).Text == f.UpTo(i).Text
		case markup.Element:
			switch n.Tag {
			case markup.TagBr, markup.TagHr:
				fresh = true
			case markup.TagA:
				if f.UpTo(int(n.Next)).Text > f.UpTo(i).Text {
					c.anchors++
					if fresh {
						c.entries++
						if nodes[n.Parent].Tag.Heading() > 0 {
							c.headings++
						}
					}
				}
			case markup.TagLi, markup.TagTr, markup.TagDd:
				c.items++
			case markup.TagInput, markup.TagSelect, markup.TagTextarea, markup.TagButton:
				c.controls++
			case markup.TagImg, markup.TagObject, markup.TagEmbed, markup.TagVideo, markup.TagIframe, markup.TagCanvas:
				c.pictures++
			}
			if n.Tag.Block() && n.Next > int32(i)+1 {
				lines, fresh = append(lines, n.Next), true
			}
		}
	}
	out[len(nodes)] = c
	return out
}
