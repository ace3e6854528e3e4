package block

import (
	_ "embed"
	"math"
	"slices"
	"strings"

	"infomall/store/page"
)

// MainText is what a page is about, as text: its article, without the frame
// around it and without what stands in it and is about something else, such
// as links to other pages, captions, comments and forms. Of a page without
// running text it is what the blocks show that are labelled main.
//
// The text is that of one element: the one for which the words of its
// paragraphs, less those of its links, are most. Prose counts for an element
// and link lists against it, so that going further out no longer pays where
// the frame begins.
func (b *Body) MainText() string {
	m := findMain(b.Page)
	best := m.best()
	switch words := m.of(best); {
	case words <= 0:
		return b.labelledMain()
	case words < detailWords:
		// The one sentence of a page may be that of its footer.
		if main := b.labelledMain(); main != "" && b.framing(&b.Page.Nodes[best]) {
			return main
		}
	}
	var texts []string
	for _, r := range m.kept(best) {
		if text := b.Page.TextRange(int(r.start), int(r.end), b.Charset); text != "" {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, "\n")
}

// mainLevel is the level whose blocks stand in for a main text: labels are
// surest of regions and their parts.
const mainLevel = 2

func (b *Body) labelledMain() string {
	labels := b.Labels()
	var texts []string
	for _, n := range b.Cut(mainLevel) {
		if labels[n] == Main {
			texts = append(texts, b.Page.TextRange(b.Blocks[n].Start, b.Blocks[n].End, b.Charset))
		}
	}
	return strings.Join(texts, "\n")
}

// framing reports whether an element lies in a block that is a header, a
// footer or a menu.
func (b *Body) framing(e *page.Node) bool {
	labels := b.Labels()
	for _, n := range b.Cut(mainLevel) {
		if b.Blocks[n].Start <= int(e.Inner) && int(e.Outer) <= b.Blocks[n].End {
			return labels[n] == Header || labels[n] == Footer || labels[n] == Nav
		}
	}
	return false
}

// PageType says what a page is to its reader.
type PageType uint8

// The types.
const (
	Unknown    PageType = iota
	ListPage            // it leads to others
	DetailPage          // it is about something itself
)

// String is the type as a query shows it.
func (p PageType) String() string { return [...]string{"unknown", "list", "detail"}[p] }

// A page of detail has a main text of some sentences that is most of its prose,
// has several words for each link that begins a line in it, many for each
// heading that is a link, and more words than there are links that begin a line
// on all the page. A list has a screenful of these.
const (
	detailWords  = 60
	entryWords   = 8
	headingWords = 40
	listEntries  = 15
)

// PageType tells lists from pages about something.
func (b *Body) PageType() PageType {
	m := findMain(b.Page)
	best := m.best()
	c := takeCensus(nil, b.pageFlow())
	all, inside := c[len(c)-1].entries, int32(0)
	for _, r := range m.kept(best) {
		inside += c[r.to].entries - c[r.from].entries
	}
	headings := c[b.Page.Nodes[best].Next].headings - c[best].headings
	words, prose := m.of(best), m.all[len(m.all)-1]
	switch {
	case words >= detailWords && words >= entryWords*inside && words >= headingWords*headings && 2*words >= 3*all && 2*words >= prose:
		return DetailPage
	case all >= listEntries:
		return ListPage
	}
	return Unknown
}

// How runs of text count.
const (
	proseWords = 10 // a run with fewer may be a label or a caption
	linkedMost = 3  // a run with more than a third of its words in links is no prose
)

// mainFinder finds the element that holds the main text.
type mainFinder struct {
	t   *page.Tree
	all []int32 // the prose in nodes 0 to i-1
	sum []int32 // what nodes 0 to i-1 count, asides left out
}

// lineRun is a run of text between elements that stand on lines of their own;
// from is its first node.
type lineRun struct {
	words, linked int32
	ends          int32 // marks that end sentences or part them
	from          int
}

// value is what a run counts for the element that it is in: links against it, and
// what is too short for prose, as the cells of a table are, nothing.
func (r *lineRun) value() int32 {
	switch {
	case linkedMost*r.linked > r.words:
		return -r.words
	case r.words >= proseWords && r.ends > 0:
		return r.words
	}
	return 0
}

// findMain scores a page.
func findMain(t *page.Tree) *mainFinder {
	m := &mainFinder{t: t, sum: make([]int32, len(t.Nodes)+1)}
	m.score(func(int) bool { return false }, 0)
	m.all = slices.Clone(m.sum)
	m.score(m.aside, math.MinInt32)
	return m
}

// score adds up what the runs count, each at its first node and none less than
// least. What is muted is left out.
func (m *mainFinder) score(muted func(int) bool, least int32) {
	nodes := m.t.Nodes
	var ends []int32 // of the open elements on lines of their own
	run := lineRun{}
	values := make([]int32, len(nodes)+1)
	flush := func(i int) {
		values[run.from] += max(least, run.value())
		run = lineRun{from: i}
	}
	linkEnd, mute := int32(0), int32(0)
	for i := range nodes {
		n := &nodes[i]
		for len(ends) > 0 && ends[len(ends)-1] <= int32(i) {
			ends = ends[:len(ends)-1]
			flush(i)
		}
		if int32(i) < mute {
			continue
		}
		switch n.Kind {
		case page.Text, page.Raw:
			if run.words == 0 {
				run.from = i
			}
			words, marks := countWords(m.t.Body[n.Inner:n.Outer])
			run.words += words
			run.ends += marks
			if int32(i) < linkEnd {
				run.linked += words
			}
		case page.Element:
			switch {
			case n.Tag.Hidden() || muted(i):
				mute = n.Next
			case n.Tag == page.TagA:
				linkEnd = max(linkEnd, n.Next)
			case n.Tag.Block():
				flush(i)
				ends = append(ends, n.Next)
			}
		}
	}
	flush(len(nodes))
	sum := int32(0)
	for i, v := range values {
		m.sum[i] = sum
		sum += v
	}
}

// countWords counts the words of a piece of text, and the marks in it that end
// sentences or part them. Letters beyond ASCII are taken for three bytes each
// and one word, which overrates accents and is right for ideographs.
func countWords(b []byte) (words, marks int32) {
	inWord := false
	high := int32(0)
	for i, c := range b {
		switch {
		case c >= 0x80:
			high++
		case c <= ' ':
			inWord = false
		case letter(c) || '0' <= c && c <= '9':
			if !inWord {
				words++
			}
			inWord = true
		case c == '.' || c == ',' || c == ';' || c == '!' || c == '?' || c == ':':
			if i+1 >= len(b) || b[i+1] <= ' ' || b[i+1] == '"' || b[i+1] >= 0x80 || b[i+1] == '&' {
				marks++
			}
		}
	}
	return words + high/3, marks + high/60
}

// best is the element whose text counts most, the innermost of equals.
func (m *mainFinder) best() int {
	best := 0
	for i := range m.t.Nodes {
		n := &m.t.Nodes[i]
		if (i == 0 || n.Kind == page.Element && n.Tag.Block()) && m.of(i) >= m.of(best) {
			best = i
		}
	}
	return best
}

// of is what element i counts.
func (m *mainFinder) of(i int) int32 { return m.sum[m.t.Nodes[i].Next] - m.sum[i] }

// stretch is a range of the body and the nodes that start in it.
type stretch struct{ start, end, from, to int32 }

// kept are the stretches of an element that are main text.
func (m *mainFinder) kept(root int) []stretch {
	nodes := m.t.Nodes
	var out []stretch
	s := stretch{start: nodes[root].Inner, from: int32(root)}
	take := func(end, to int32) {
		if end > s.start {
			s.end, s.to = end, to
			out = append(out, s)
		}
	}
	for i := int32(root) + 1; i < nodes[root].Next; {
		n := &nodes[i]
		if n.Kind == page.Element && (m.aside(int(i)) || n.Tag.Block() && m.of(int(i)) < 0) {
			take(n.Start, i)
			s = stretch{start: n.End, from: n.Next}
			i = n.Next
			continue
		}
		i++
	}
	take(nodes[root].Outer, nodes[root].Next)
	return out
}

// aside reports whether an element says by its name that it stands beside or
// inside a text and is no part of it. What holds most of the page's prose is
// not believed.
func (m *mainFinder) aside(i int) bool {
	if n := &m.t.Nodes[i]; 2*(m.all[n.Next]-m.all[i]) > m.all[len(m.all)-1] {
		return false
	}
	switch m.t.Nodes[i].Tag {
	case page.TagNav, page.TagFooter, page.TagAside, page.TagForm, page.TagFigure, page.TagFigcaption, page.TagButton, page.TagSelect,
		page.TagTextarea, page.TagH1, page.TagMenu:
		return true
	case page.TagHTML, page.TagBody, page.TagMain, page.TagArticle:
		return false
	}
	for a := range m.t.Attrs(i) {
		if naming(a.Name) != nameNone {
			beside := false
			besideWords.eachWord(a.Value, func(_ uint8, ok bool) { beside = beside || ok }, func([]byte) {})
			if beside {
				return true
			}
		}
	}
	return false
}

//go:embed data/beside.txt
var besideList string

// besideWords name what stands in or beside a text and is no part of it.
var besideWords = func() *wordTable {
	t := newWordTable()
	for line := range strings.Lines(besideList) {
		if line[0] != '#' {
			for w := range strings.FieldsSeq(line) {
				t.add(w, 0)
			}
		}
	}
	return t
}()
