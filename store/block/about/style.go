package about

import (
	"hash/maphash"
	"math"
	"slices"

	"infomall/store/block/divide"
	"infomall/store/block/flow"
	"infomall/store/page/markup"
	"infomall/store/words"
)

// SiteStyle is the site style tree of pages of one host that look alike. It
// separates the template, which all pages share, from the content of each page.
// The method is that of Yi, Liu and Li, Eliminating Noisy Information in Web
// Pages for Data Mining, KDD 2003, with one change: many similar children in a
// row, such as the items of a list, are one child. Lists of any length thus have
// the same style.
//
// An element of the tree merges the corresponding elements of all pages. It has a
// list of styles. A style is a sequence of children that the element has on some
// page. An element without children is a leaf. A leaf has features: the words of
// its text, and the addresses of its links and images. The importance of an
// element is how much it differs from page to page: 0 if it is the same on all
// pages, 1 if each page has its own.
type SiteStyle struct {
	pages    int            // number of pages learned
	elements []styleElement // the first is the page
	features int            // number of stored features of all elements
}

// styleElement is an element of a SiteStyle's tree.
type styleElement struct {
	pages    int // number of pages that have the element
	last     int // number of the last page that has the element, counted from 1
	styles   []elementStyle
	places   map[uint64]int32 // the index of each feature in features, by the hash of the feature
	features []seen           // the features of a leaf, in the order of their first occurrence
	unique   int              // number of features that were not stored because of featuresMax

	// own is the result of SiteStyle.own, computed when the tree had ownPages pages.
	own      float64
	ownPages int
}

// elementStyle is one style of an element of the tree: a sequence of children
// that the element has on some page.
type elementStyle struct {
	sequence uint64  // hash of the keys of the children
	elements []int32 // the children, as indexes in SiteStyle.elements
}

// seen counts how often one feature occurs.
type seen struct {
	n       int32   // count in all pages
	now     int32   // count in the last page that has the feature
	last    int32   // number of that page
	entropy float64 // sum of c·ln c over the earlier pages; c is the count in a page
}

// The limits on the size of a SiteStyle, which then takes at most about 30 MB.
// Elements and features beyond the limits count as content that no other page
// has.
const (
	elementsMax = 1 << 14
	featuresMax = 1 << 18
	styleDepth  = 128 // the greatest depth of the tree
)

// NewSiteStyle returns a SiteStyle that has learned no page.
func NewSiteStyle() *SiteStyle {
	return &SiteStyle{elements: make([]styleElement, 1)}
}

// Pages returns the number of pages that s has learned.
func (s *SiteStyle) Pages() int { return s.pages }

// Learn merges a page into the tree.
func (s *SiteStyle) Learn(b *divide.Body) {
	s.pages++
	w := styleWalk{style: s, body: b, t: b.Page, learn: true}
	w.element(0, 0, 0)
}

// leafImportance returns the importance of a leaf: 1 minus the mean entropy of
// its features, or 1 if it has no features. entropies is the sum of the entropies
// of the features.
func leafImportance(entropies float64, features int) float64 {
	if features == 0 {
		return 1
	}
	return 1 - entropies/float64(features)
}

// entropyIn returns how evenly a feature is spread over a number of pages: 1 if it
// occurs equally often on each page, 0 if it occurs on one page only.
func (f *seen) entropyIn(pages int) float64 {
	if pages <= 1 {
		return 0
	}
	n, sum := float64(f.n), f.entropy+xlogx(f.now)
	return max(0, min(1, (math.Log(n)-sum/n)/math.Log(float64(pages))))
}

// xlogx returns c·ln c. For 0 it returns 0.
func xlogx(c int32) float64 {
	if c <= 1 {
		return 0
	}
	return float64(c) * math.Log(float64(c))
}

// own returns the importance of element n as a leaf, see leafImportance. It does
// not consider the children that n has on some pages. The result is remembered
// until the next page is learned.
func (s *SiteStyle) own(n int32) float64 {
	e := &s.elements[n]
	if e.ownPages != s.pages {
		sum := 0.0
		for i := range e.features {
			sum += e.features[i].entropyIn(e.pages)
		}
		e.own, e.ownPages = leafImportance(sum, len(e.features)+e.unique), s.pages
	}
	return e.own
}

// Importances returns the importance of each block of a page: 0 if all pages of
// the site have the block, 1 if no other page has it. It is the mean importance
// of the tree's leaves that the block shows, weighted by how much each shows. The
// result is nil if fewer than two pages were learned, because nothing can be
// compared then.
func (s *SiteStyle) Importances(b *divide.Body) []float64 {
	if s.pages < 2 {
		return nil
	}
	t := b.Tree
	w := styleWalk{style: s, body: b, t: t.Page, flow: t.Flow(), own: make([]float64, len(t.Page.Nodes)+1)}
	w.element(0, 0, 0)
	for i := 1; i < len(w.own); i++ {
		w.own[i] += w.own[i-1]
	}
	l := labeller{tree: t, flow: w.flow, ranges: make([]nodeRange, len(t.Blocks))}
	out := make([]float64, len(t.Blocks))
	for n := range t.Blocks {
		l.find(n, max(0, n-1))
		from, to := l.ranges[n].from, l.ranges[n].to
		all := float64(w.flow.Weighs(from, to))
		if out[n] = 1; all > 0 && to > from {
			own := w.own[to-1]
			if from > 0 {
				own -= w.own[from-1]
			}
			out[n] = max(0, min(1, own/all))
		}
	}
	return out
}

// styleWalk walks over a page and the tree of a SiteStyle at the same time. Either it merges
// the page into the tree, if learn is set, or it finds the importances of the page's nodes.
type styleWalk struct {
	style *SiteStyle
	body  *divide.Body
	t     *markup.Tree
	learn bool // merge the page into the tree

	// flow and own are set if learn is false: flow has the amounts that nodes show, and own has,
	// for each node, its weight times its importance.
	flow *flow.Flow
	own  []float64
}

// stylePart is a child of an element on a page: a block element, or everything
// between two block elements.
type stylePart struct {
	from, to int32  // the nodes of the child are Nodes[from:to]
	key      uint64 // the same for similar children
	element  bool   // the child is a block element
	place    int    // index of the child in the style, the same for the items of a list
}

// styleSeed seeds all hashes of a SiteStyle. They are never stored.
var styleSeed = maphash.MakeSeed()

// element walks over node n of the page, which corresponds to element e of the
// tree. A node without children adds no style to e. depth is the depth of e in
// the tree; element calls itself at most styleDepth deep.
func (w *styleWalk) element(n int, e int32, depth int) {
	w.visit(e)
	parts := w.parts(n)
	if len(parts) == 0 {
		return
	}
	if depth == styleDepth || len(parts) == 1 && !parts[0].element {
		w.leaf(int32(n), w.t.Nodes[n].Next, e)
		return
	}
	style := w.styleOf(e, parts)
	for _, p := range parts {
		c := w.child(e, style, p.place)
		switch {
		case c < 0:
			w.show(p.from, p.to, 1)
		case p.element:
			w.element(int(p.from), c, depth+1)
		default:
			w.visit(c)
			w.leaf(p.from, p.to, c)
		}
	}
}

// visit counts the page as one that has element e of the tree. It does nothing if
// the page is not being learned.
func (w *styleWalk) visit(e int32) {
	if at := &w.style.elements[e]; w.learn && at.last < w.style.pages {
		at.last = w.style.pages
		at.pages++
	}
}

// styleOf returns the index of the style of element e that has these children. If
// e has no such style, styleOf adds it when learning and if the tree has room, and
// otherwise returns -1.
func (w *styleWalk) styleOf(e int32, parts []stylePart) int {
	var h maphash.Hash
	h.SetSeed(styleSeed)
	for i, p := range parts {
		if i == 0 || p.place != parts[i-1].place {
			maphash.WriteComparable(&h, p.key)
		}
	}
	sequence := h.Sum64()
	at := &w.style.elements[e]
	i := slices.IndexFunc(at.styles, func(s elementStyle) bool { return s.sequence == sequence })
	if w.learn && i < 0 && len(w.style.elements) < elementsMax { // otherwise there is no room for its children
		i = len(at.styles)
		at.styles = append(at.styles, elementStyle{sequence: sequence})
	}
	return i
}

// child returns a child of element e of the tree: the child at index place in the
// style. If there is no such child, child adds it, but only while the page is being
// learned and the tree has room. Otherwise it returns -1, as it does if style is -1.
func (w *styleWalk) child(e int32, style, place int) int32 {
	if style < 0 {
		return -1
	}
	s := w.style
	list := &s.elements[e].styles[style].elements
	if place < len(*list) {
		return (*list)[place]
	}
	if !w.learn || len(s.elements) == elementsMax {
		return -1
	}
	c := int32(len(s.elements))
	*list = append(*list, c)
	s.elements = append(s.elements, styleElement{})
	return c
}

// parts returns the children of node n, each with its place in the style. Hidden
// elements and blank text are left out. If an inline element contains block
// elements, its children count as children of n.
func (w *styleWalk) parts(n int) (parts []stylePart) {
	nodes := w.t.Nodes
	run := stylePart{from: -1, key: 1}
	flush := func() {
		if run.from >= 0 {
			parts = append(parts, run)
			run.from = -1
		}
	}
	for i := int32(n) + 1; i < nodes[n].Next; {
		e := &nodes[i]
		switch {
		case e.Kind == markup.Element && e.Tag == markup.TagHr:
			flush()
		case e.Kind == markup.Element && e.Tag.Hidden():
		case e.Kind == markup.Element && e.Tag.Block():
			flush()
			parts = append(parts, stylePart{from: i, to: e.Next, key: w.key(int(i)), element: true})
		case e.Kind == markup.Element && w.holdsBlock(i):
			i++ // Its children count as children of n.
			continue
		case e.Kind == markup.Element, e.Kind == markup.Text && !isBlank(w.t.Body[e.Inner:e.Outer]), e.Kind == markup.Raw:
			if run.from < 0 {
				run.from = i
			}
			run.to = e.Next
		}
		i = e.Next
	}
	flush()
	placed(parts)
	return parts
}

// foldMore is the largest number of similar children in a row that get a place of
// their own each. Three tables in a row have three places. The items of a list
// with more than foldMore items have one place together.
const foldMore = 4

// placed sets the field place (the index in the style) of each child. Similar children in a row
// share a place if there are more than foldMore.
func placed(parts []stylePart) {
	at := 0
	for i := 0; i < len(parts); {
		n := 1
		for i+n < len(parts) && parts[i+n].key == parts[i].key {
			n++
		}
		for k := range n {
			parts[i+k].place = at
			if n <= foldMore || k == n-1 {
				at++
			}
		}
		i += n
	}
}

// holdsBlock reports whether one of the first few nodes in inline element i is a
// block element.
func (w *styleWalk) holdsBlock(i int32) bool {
	const looked = 8
	end := w.t.Nodes[i].Next
	for k := i + 1; k < min(end, i+1+looked); k++ {
		if e := &w.t.Nodes[k]; e.Kind == markup.Element && e.Tag.Block() {
			return true
		}
	}
	return false
}

// isBlank reports whether b shows nothing.
func isBlank(b []byte) bool { return flow.Inked(b) == 0 }

// key returns a hash of the tag of element i and of the first name of its class,
// without digits: "post-17" and "post-18" have the same key.
func (w *styleWalk) key(i int) uint64 {
	var h maphash.Hash
	h.SetSeed(styleSeed)
	h.WriteByte(byte(w.t.Nodes[i].Tag))
	class, _ := w.t.Attr(i, "class")
	for _, c := range class {
		if isSpace(c) {
			break
		}
		if c < '0' || c > '9' {
			h.WriteByte(c)
		}
	}
	return h.Sum64()
}

// leaf compares Nodes[from:to] of the page with leaf e of the tree, to which they correspond.
// If the page is being learned, leaf adds the features of these nodes to e. Otherwise it
// records the importance of e as theirs.
func (w *styleWalk) leaf(from, to, e int32) {
	if !w.learn {
		w.show(from, to, w.style.own(e))
		return
	}
	text := w.t.TextRange(int(w.t.Nodes[from].Start), w.end(to), w.body.Charset)
	for _, word := range words.Of(text) {
		w.feature(e, words.Hash(word))
	}
	for i := from; i < to; i++ {
		for _, name := range [...]string{"href", "src"} {
			if v, ok := w.t.Attr(int(i), name); ok {
				w.feature(e, maphash.Bytes(styleSeed, v))
			}
		}
	}
}

// end returns the offset in the body at which node to starts. If the page has no
// node to, it returns the length of the body.
func (w *styleWalk) end(to int32) int {
	if int(to) < len(w.t.Nodes) {
		return int(w.t.Nodes[to].Start)
	}
	return len(w.t.Body)
}

// feature counts one occurrence of a feature in leaf e of the tree. The argument
// feature is its hash.
func (w *styleWalk) feature(e int32, feature uint64) {
	s := w.style
	at := &s.elements[e]
	i, ok := at.places[feature]
	if !ok {
		if s.features == featuresMax {
			at.unique++
			return
		}
		s.features++
		if at.places == nil {
			at.places = map[uint64]int32{}
		}
		i = int32(len(at.features))
		at.places[feature] = i
		at.features = append(at.features, seen{})
	}
	f := &at.features[i]
	if f.last < int32(s.pages) {
		f.entropy += xlogx(f.now)
		f.now, f.last = 0, int32(s.pages)
	}
	f.now++
	f.n++
}

// show records an importance, from 0 to 1, for Nodes[from:to] of the page. It
// does nothing if the page is being learned.
func (w *styleWalk) show(from, to int32, importance float64) {
	if w.learn {
		return
	}
	for i := from; i < to; i++ {
		w.own[i] += importance * float64(w.flow.Weighs(int(i), int(i)+1))
	}
}

func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }
