package block

import (
	"hash/maphash"
	"math"
	"slices"

	"infomall/store/page"
)

// SiteStyle is the site style tree of the pages of one host, as long as these
// look alike: what they have in common is their template, what differs is what
// each is about. It is that of Yi, Liu and Li, Eliminating Noisy Information in
// Web Pages for Data Mining, KDD 2003, but for long runs of children that are
// alike, such as the items of a list: these are one child, so that lists of any
// length have one style.
//
// An element of the tree has the styles that pages give it, a style the elements
// that follow one another in it. An element without such elements is a leaf, and
// has features: words, and addresses of links and images.
type SiteStyle struct {
	pages    int
	elements []styleElement // the first is the page
	features int            // of all elements
}

type styleElement struct {
	pages    int // that have it
	last     int // the last of them
	styles   []elementStyle
	places   map[uint64]int32 // of features, by their hashes
	features []seen           // of a leaf, in the order in which they came first
	unique   int              // features beyond featuresMax, each taken for one of its own

	// Importances as they were when so many pages were known: of its features, and
	// of the element with all that is in it.
	own, composite           float64
	ownPages, compositePages int
}

// elementStyle is one style of an element.
type elementStyle struct {
	sequence uint64  // hash of it
	count    int     // how often the element has it
	elements []int32 // of the sequence
}

// seen counts a feature: n in all pages, of which now in the last; entropy is the
// sum of c·ln c over those before that, of which each has c.
type seen struct {
	n, now  int32
	last    int32
	entropy float64
}

// What a SiteStyle holds at most, some 30 MB. What is beyond it is content that
// no other page has.
const (
	elementsMax = 1 << 14
	featuresMax = 1 << 18
	styleDepth  = 128 // elements in each other
)

// styleDecay is γ: with each style more that an element has, what its children
// say counts less against the number of styles.
const styleDecay = .9

// NewSiteStyle returns the tree of no pages.
func NewSiteStyle() *SiteStyle {
	return &SiteStyle{elements: make([]styleElement, 1)}
}

// Pages is how many were learned.
func (s *SiteStyle) Pages() int { return s.pages }

// Learn adds a page.
func (s *SiteStyle) Learn(b *Body) {
	s.pages++
	w := styleWalk{style: s, body: b, t: b.Page, learn: true}
	w.element(0, 0, 0)
}

// nodeImportance is that of an element which its styles have in those shares of
// so many pages: the more evenly the pages differ, the nearer it is to 1.
func nodeImportance(shares []float64, pages int) float64 {
	if pages <= 1 {
		return 1
	}
	sum := 0.0
	for _, p := range shares {
		if p > 0 {
			sum -= p * math.Log(p)
		}
	}
	return min(1, sum/math.Log(float64(pages)))
}

// compositeImportance joins that of an element with what its children have, as a
// mean over styles. A leaf's is leafImportance.
func compositeImportance(node, children float64, styles int) float64 {
	decay := math.Pow(styleDecay, float64(styles))
	return (1-decay)*node + decay*children
}

// leafImportance is 1 less the mean of the entropies of a leaf's features.
func leafImportance(entropies float64, features int) float64 {
	if features == 0 {
		return 1
	}
	return 1 - entropies/float64(features)
}

// entropy is how evenly a feature stands in all of so many pages: 1 if in each
// alike, 0 if in one.
func (f *seen) entropyIn(pages int) float64 {
	if pages <= 1 {
		return 0
	}
	n, sum := float64(f.n), f.entropy+xlogx(f.now)
	return max(0, min(1, (math.Log(n)-sum/n)/math.Log(float64(pages))))
}

func xlogx(c int32) float64 {
	if c <= 1 {
		return 0
	}
	return float64(c) * math.Log(float64(c))
}

// own is the importance of element n where it is a leaf, whatever it is on other
// pages.
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

// composite is the composite importance of an element. It calls itself at most
// styleDepth deep.
func (s *SiteStyle) composite(n int32) float64 {
	e := &s.elements[n]
	if e.compositePages == s.pages {
		return e.composite
	}
	e.compositePages = s.pages
	switch {
	case e.pages <= 1:
		e.composite = 1
	case len(e.styles) == 0:
		e.composite = s.own(n)
	default:
		all, children := 0, 0.0
		for i := range e.styles {
			all += e.styles[i].count
		}
		shares := make([]float64, len(e.styles))
		for i := range e.styles {
			shares[i] = float64(e.styles[i].count) / float64(all)
			sum := 0.0
			for _, c := range e.styles[i].elements {
				sum += s.composite(c)
			}
			children += shares[i] * sum / float64(max(1, len(e.styles[i].elements)))
		}
		e.composite = compositeImportance(nodeImportance(shares, e.pages), children, len(shares))
	}
	return e.composite
}

// Importances says of each block of a page how much of it is the page's own, from
// 0 for what all pages of the site have to 1 for what no other has: the mean of
// the importances of the leaves of the tree that it shows, by weight. It is nil where less than
// two pages are known, which says nothing.
func (s *SiteStyle) Importances(b *Body) []float64 {
	if s.pages < 2 {
		return nil
	}
	t := b.Tree
	w := styleWalk{style: s, body: b, t: t.Page, flow: t.pageFlow(), own: make([]float64, len(t.Page.Nodes)+1)}
	w.element(0, 0, 0)
	for i := 1; i < len(w.own); i++ {
		w.own[i] += w.own[i-1]
	}
	l := labeller{tree: t, flow: w.flow, ranges: make([]nodeRange, len(t.Blocks))}
	out := make([]float64, len(t.Blocks))
	for n := range t.Blocks {
		l.find(n, max(0, n-1))
		from, to := l.ranges[n].from, l.ranges[n].to
		all := float64(w.flow.weighs(from, to))
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

// styleWalk goes through a page and the tree at once.
type styleWalk struct {
	style *SiteStyle
	body  *Body
	t     *page.Tree
	learn bool
	// Of a page that is asked for: what each node shows, by its importance.
	flow *flow
	own  []float64
}

// stylePart is a child of an element: one that stands on its own lines, or what
// stands between two such.
type stylePart struct {
	from, to int32 // nodes
	key      uint64
	element  bool
	place    int // in the style
}

var styleSeed = maphash.MakeSeed()

// element takes node n, which is element e of the tree. A node that shows nothing
// has no style: the element is what it is on pages where it shows something. It
// calls itself at most styleDepth deep.
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

// visit notes that the page has element e.
func (w *styleWalk) visit(e int32) {
	if at := &w.style.elements[e]; w.learn && at.last < w.style.pages {
		at.last = w.style.pages
		at.pages++
	}
}

// styleOf is the place among the styles of element e of that with these children,
// -1 if it is not there.
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
	if w.learn {
		if i < 0 {
			i = len(at.styles)
			at.styles = append(at.styles, elementStyle{sequence: sequence})
		}
		at.styles[i].count++
	}
	return i
}

// child is the element at a place of a style; -1 if there is none and no room
// for it.
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

// parts are the children of node n.
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
		case e.Kind == page.Element && e.Tag == page.TagHr:
			flush()
		case e.Kind == page.Element && e.Tag.Hidden():
		case e.Kind == page.Element && e.Tag.Block():
			flush()
			parts = append(parts, stylePart{from: i, to: e.Next, key: w.key(int(i)), element: true})
		case e.Kind == page.Element && w.holdsBlock(i):
			i++ // Its children are taken for those of n.
			continue
		case e.Kind == page.Element, e.Kind == page.Text && !isBlank(w.t.Body[e.Inner:e.Outer]), e.Kind == page.Raw:
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

// foldMore is how many children alike, one after the other, have places of their
// own: a page of three tables has three parts, a list of more items has one.
const foldMore = 4

// placed gives children their places in the style.
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

// holdsBlock reports whether the first few elements in an inline one stand on
// lines of their own.
func (w *styleWalk) holdsBlock(i int32) bool {
	const looked = 8
	end := w.t.Nodes[i].Next
	for k := i + 1; k < min(end, i+1+looked); k++ {
		if e := &w.t.Nodes[k]; e.Kind == page.Element && e.Tag.Block() {
			return true
		}
	}
	return false
}

func isBlank(b []byte) bool { return inked(b) == 0 }

// key tells elements apart that pages style otherwise: by their tag and the first
// name of their class, without digits.
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

// leaf learns, or asks for, what nodes show that are leaf e.
func (w *styleWalk) leaf(from, to, e int32) {
	if !w.learn {
		w.show(from, to, w.style.own(e))
		return
	}
	text := w.t.TextRange(int(w.t.Nodes[from].Start), w.end(to), w.body.Charset)
	for _, word := range page.Words(text) {
		w.feature(e, page.HashWord(word))
	}
	for i := from; i < to; i++ {
		for _, name := range [...]string{"href", "src"} {
			if v, ok := w.t.Attr(int(i), name); ok {
				w.feature(e, maphash.Bytes(styleSeed, v))
			}
		}
	}
}

// end is where the body goes on behind nodes up to one.
func (w *styleWalk) end(to int32) int {
	if int(to) < len(w.t.Nodes) {
		return int(w.t.Nodes[to].Start)
	}
	return len(w.t.Body)
}

// feature counts a feature of a leaf.
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

// show notes how important nodes are.
func (w *styleWalk) show(from, to int32, importance float64) {
	if w.learn {
		return
	}
	for i := from; i < to; i++ {
		w.own[i] += importance * float64(w.flow.weighs(int(i), int(i)+1))
	}
}
