package divide

import (
	"hash/maphash"

	"infomall/store/block/flow"
	"infomall/store/page/markup"
)

// classicDepth is how many elements deep the classic profile searches for the blocks of one level.
const classicDepth = 10

// tagClass is the class of an element in the published method of dividing pages, the profile
// Classic. The publication ends its lists of elements with "and so on"; the lists here are
// completed with the elements of HTML 4.
type tagClass uint8

const (
	classNone     tagClass = iota
	classSchema            // draws the layout
	classFormat            // draws text; text itself has this class too
	classFunction          // a control or link, or shows something other than text
)

var tagClasses = func() map[markup.Tag]tagClass {
	m := map[markup.Tag]tagClass{}
	for c, tags := range map[tagClass][]markup.Tag{
		classSchema: {
			markup.TagTable, markup.TagTd, markup.TagTr, markup.TagHr, markup.TagP, markup.TagUl,
			markup.TagTh, markup.TagThead, markup.TagTbody, markup.TagTfoot, markup.TagCaption, markup.TagOl, markup.TagLi, markup.TagDl, markup.TagDt, markup.TagDd,
			markup.TagMenu, markup.TagDir, markup.TagPre, markup.TagBlockquote, markup.TagH1, markup.TagH2, markup.TagH3, markup.TagH4, markup.TagH5, markup.TagH6,
		},
		classFormat: {
			markup.TagB, markup.TagBig, markup.TagEm, markup.TagFont, markup.TagI, markup.TagStrong, markup.TagU, markup.TagDiv,
			markup.TagBr, markup.TagSpan, markup.TagSmall, markup.TagS, markup.TagStrike, markup.TagSub, markup.TagSup, markup.TagTt, markup.TagCode, markup.TagNobr,
		},
		classFunction: {
			markup.TagForm, markup.TagA, markup.TagInput, markup.TagImg, markup.TagButton,
			markup.TagSelect, markup.TagOption, markup.TagTextarea, markup.TagLabel, markup.TagMap, markup.TagArea, markup.TagObject, markup.TagEmbed,
			markup.TagApplet, markup.TagIframe, markup.TagMarquee,
		},
	} {
		for _, t := range tags {
			m[t] = c
		}
	}
	return m
}()

// tagMinimum returns the least weight with which an element with tag t can be a block. The
// weight is its bytes of text without white space, plus eight for each image. The publication
// mentions a table of these weights but does not print it.
func tagMinimum(t markup.Tag) int32 {
	switch t {
	case markup.TagTable, markup.TagTr, markup.TagTbody:
		return 32
	case markup.TagTd, markup.TagTh, markup.TagUl, markup.TagOl, markup.TagDl:
		return 24
	}
	return 16
}

// classic divides a page by the rules of the published method, which is the
// profile Classic.
type classic struct {
	tree    *Tree
	flow    *flow.Flow
	kids    []kids
	colour  []uint64 // background of each node, its own or inherited
	verdict []bool   // whether a node was found to be a block
}

// kids holds the facts that the rules of the published method need about one node and
// its children. A child is an element that is not hidden, or text that is not
// blank.
type kids struct {
	count, schema, inline int32 // number of all children, of those of classSchema, and of those of classFormat or classFunction
	shown                 bool  // a child shows something
	differs               bool  // a child has another background than the node
	divided               int32 // number of classSchema children for which rules 8 and 9 both fail
	previous              int32 // the node's previous sibling, 0 if none
	last                  int32 // the last child so far
	whole                 bool  // rule 8 or 9 holds for the node
}

func (t *Tree) divideClassic() {
	c := classic{tree: t, flow: t.Flow()}
	if c.flow.All().Empty() {
		return
	}
	c.measure()
	c.divide(0, 0)
	if len(t.Blocks) == 1 { // What cannot be divided is one block.
		t.Blocks = append(t.Blocks, Block{End: len(t.Page.Body), Next: 2, Depth: 1})
		t.Blocks[0].Next = 2
	}
}

func (c *classic) class(n int) tagClass {
	if e := &c.flow.Page.Nodes[n]; e.Kind == markup.Element {
		return tagClasses[e.Tag]
	}
	return classFormat
}

// measure computes c.colour for all nodes from the top down, and c.kids from the
// bottom up.
func (c *classic) measure() {
	nodes := c.flow.Page.Nodes
	c.kids = make([]kids, len(nodes))
	c.colour = make([]uint64, len(nodes))
	c.verdict = make([]bool, len(nodes))
	seed := maphash.MakeSeed()
	for i := 1; i < len(nodes); i++ {
		n := &nodes[i]
		p := &c.kids[n.Parent]
		c.colour[i] = c.colour[n.Parent]
		switch n.Kind {
		case markup.Element:
			if n.Tag.Hidden() {
				i = int(n.Next) - 1
				continue
			}
			if v, ok := c.flow.Page.Attr(i, "bgcolor"); ok {
				c.colour[i] = maphash.Bytes(seed, v)
			}
		case markup.Text, markup.Raw:
			if c.flow.Shows(i).Text == 0 {
				continue
			}
		default:
			continue
		}
		c.kids[i].previous, p.last = p.last, int32(i)
		p.count++
		p.shown = p.shown || !c.flow.Shows(i).Empty()
		p.differs = p.differs || c.colour[i] != c.colour[n.Parent]
		switch c.class(i) {
		case classSchema:
			p.schema++
		case classFormat, classFunction:
			p.inline++
		}
	}
	for i := len(nodes) - 1; i > 0; i-- {
		k := &c.kids[i]
		if nodes[i].Kind != markup.Element || c.class(i) != classSchema {
			continue
		}
		k.whole = k.count > 0 && (k.inline == k.count || k.schema > 0 && k.divided == 0)
		if !k.whole {
			c.kids[nodes[i].Parent].divided++
		}
	}
}

// divide adds the blocks inside node root to the tree. Block n is the block of
// that node. divide calls itself at most levelsMax deep.
func (c *classic) divide(n, root int) {
	nodes := c.flow.Page.Nodes
	depth := c.tree.Blocks[n].Depth + 1
	below := map[int32]int{int32(root): 0} // depth of the elements looked into
	for i := root + 1; depth <= levelsMax && i < int(nodes[root].Next); {
		e := &nodes[i]
		d := below[e.Parent] + 1
		if d > classicDepth || e.Kind != markup.Element || e.Tag.Hidden() {
			i = int(e.Next)
			continue
		}
		if !c.isBlock(i) {
			below[int32(i)] = d
			i++
			continue
		}
		c.verdict[i] = true
		b := len(c.tree.Blocks)
		c.tree.Blocks = append(c.tree.Blocks, Block{
			Start: int(e.Start), End: int(e.End), Parent: n, Depth: depth, row: rowOf(c.flow.Page, int32(i)),
		})
		c.divide(b, i)
		i = int(e.Next)
	}
	c.tree.Blocks[n].Next = len(c.tree.Blocks)
}

// isBlock reports whether node n is a block. The first of the eleven rules that
// applies to the node decides.
func (c *classic) isBlock(n int) bool {
	k, class := &c.kids[n], c.class(n)
	switch {
	case k.count == 0 || !k.shown: // 1
		return false
	case class == classFunction: // 2
		return false
	case class == classFormat: // 3
		return false
	case k.count == 1: // 4
		return false
	case c.flow.Shows(n).Weight() < tagMinimum(c.flow.Page.Nodes[n].Tag): // 5
		return false
	case k.differs: // 6
		return false
	case class == classSchema && k.inline == 0: // 7
		return false
	case class == classSchema && k.inline == k.count: // 8
		return true
	case class == classSchema && k.whole: // 9
		return true
	case k.previous != 0 && c.verdict[k.previous]: // 10
		return true
	}
	return false // 11
}
