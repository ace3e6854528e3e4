package block

import (
	"bytes"
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

// The sizes by which lists and pages of detail differ.
const (
	saysWords    = 30  // words of main text of a page that says it is about one thing
	detailWords  = 60  // words of prose in a row, on a page with few links
	longWords    = 200 // words of prose in a row, on a page with many links
	entryWords   = 30  // words of main text for each link that begins a line in it
	headingWords = 20  // words of main text for each heading beside it that is a link
	listEntries  = 15  // links that begin a line; a page with fewer has few links
)

// PageType tells lists from pages about something. The main text of a page of detail
// has hardly any links that begin a line. Such a page says that it is about one thing,
// or it has prose that no heading or link interrupts: some sentences if it has few
// links, else a long text. All other pages with many links are lists.
func (b *Body) PageType() PageType {
	m := findMain(b.Page)
	best := m.best()
	c := takeCensus(nil, b.pageFlow())
	all, entries := c[len(c)-1].entries, int32(0)
	for _, r := range m.kept(best) {
		entries += c[r.to].entries - c[r.from].entries
	}
	prose, headings := m.longest(best, c)
	if words := m.of(best); words >= saysWords && words >= entryWords*entries && words >= headingWords*headings {
		if prose >= detailWords && all < listEntries || prose >= longWords && 2*words >= 3*all || b.saysArticle() {
			return DetailPage
		}
	}
	if all >= listEntries {
		return ListPage
	}
	return Unknown
}

// longest returns the words of the longest prose in element root that no heading and no
// link that begins a line interrupts, and the number of headings in root that are links.
// Asides are left out.
func (m *mainFinder) longest(root int, c []census) (most, headings int32) {
	words := int32(0)
	for i := root; i < int(m.t.Nodes[root].Next); i++ {
		n := &m.t.Nodes[i]
		if i > root && n.Kind == page.Element && m.aside(i) {
			i = int(n.Next) - 1
			continue
		}
		if c[i+1].entries > c[i].entries || n.Tag.Heading() > 0 {
			words = 0
		}
		headings += c[i+1].headings - c[i].headings
		words += max(0, m.sum[i+1]-m.sum[i])
		most = max(most, words)
	}
	return most, headings
}

// The title of a page names one thing if a heading with so many words and letters or
// more is part of it.
const (
	titleWords   = 3
	titleLetters = 16
	titleMost    = 1000 // letters of the title that are compared
)

// saysArticle reports whether a page says that it is about one thing: by og:type, by
// the time when it was published, or by a heading that is part of its title. The title
// of a list is short, or a name that no heading repeats.
func (b *Body) saysArticle() bool {
	t := b.Page
	var title []byte
	for i := 0; i < len(t.Nodes); i++ {
		n := &t.Nodes[i]
		if n.Kind != page.Element {
			continue
		}
		switch h := n.Tag.Heading(); {
		case n.Tag == page.TagMeta:
			property, _ := t.Attr(i, "property")
			content, _ := t.Attr(i, "content")
			switch {
			case bytes.EqualFold(property, []byte("og:type")) && bytes.EqualFold(content, []byte("article")),
				bytes.EqualFold(property, []byte("article:published_time")) && len(content) > 0:
				return true
			}
		case n.Tag == page.TagTitle && title == nil:
			title, _ = lettersOf(t, i, titleMost)
		case h >= 1 && h <= 3:
			if letters, words := lettersOf(t, i, len(title)+1); words >= titleWords && len(letters) >= titleLetters && bytes.Contains(title, letters) {
				return true
			}
			i = int(n.Next) - 1
		}
	}
	return false
}

// lettersOf returns the letters and digits of the text of element i, in small letters,
// up to most bytes, and the number of its words.
func lettersOf(t *page.Tree, i, most int) (letters []byte, words int32) {
	for k := i + 1; k < int(t.Nodes[i].Next); k++ {
		n := &t.Nodes[k]
		if n.Kind != page.Text && n.Kind != page.Raw {
			continue
		}
		text := t.Body[n.Inner:n.Outer]
		w, _ := countWords(text)
		words += w
		for _, c := range text {
			if len(letters) >= most {
				return letters, words
			}
			if c >= 0x80 || letter(c) || '0' <= c && c <= '9' {
				letters = append(letters, small(c))
			}
		}
	}
	return letters, words
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
	marks
	from       int
	start, end int32 // of the body, from its first text to its last
}

// marks are those that part the words of a text.
type marks struct {
	stops  int32 // that end sentences
	commas int32 // that part words or clauses
}

// noticeWords bounds what may be a notice to the reader, keywordsLeast what may be a
// heap of keywords.
const (
	noticeWords   = 60
	keywordsLeast = 20
)

// keywords reports whether a run is a heap of words for search engines: a comma
// for every three words at least, and no sentence.
func (r *lineRun) keywords() bool {
	return r.words >= keywordsLeast && r.stops == 0 && 3*r.commas >= r.words
}

// noticeTexts stand in what a page says to its reader's browser: that it should be
// another one, have a plug-in, or run scripts. The Chinese ones, 您的浏览器 (your
// browser) and 分辨率浏览 (to be viewed at a resolution), are in UTF-8 and GBK.
var noticeTexts = [][]byte{
	[]byte("your browser"), []byte("this browser"), []byte("browser that supports"), []byte("upgrade to a "), []byte("best viewed"), []byte("enable javascript"),
	[]byte("javascript enabled"), []byte("javascript is "), []byte("flash player"), []byte("plug-in"), []byte("ihr browser"), []byte("votre navigateur"),
	[]byte("su navegador"), []byte("seu navegador"), []byte("il tuo browser"),
	[]byte("您的浏览器"), []byte("\xc4\xfa\xb5\xc4\xe4\xaf\xc0\xc0\xc6\xf7"), []byte("分辨率浏览"), []byte("\xb7\xd6\xb1\xe6\xc2\xca\xe4\xaf\xc0\xc0"),
}

// notice reports whether a run tells the reader what browser to use.
func (r *lineRun) notice(body []byte) bool {
	if r.words < 4 || r.words > noticeWords {
		return false
	}
	text := bytes.Clone(body[r.start:r.end])
	for i, c := range text {
		if 'A' <= c && c <= 'Z' {
			text[i] = c | 0x20
		}
	}
	return slices.ContainsFunc(noticeTexts, func(n []byte) bool { return bytes.Contains(text, n) })
}

// value is what a run counts for the element that it is in: links against it, and
// what is too short for prose, as the cells of a table are, nothing. Keywords and
// notices count against it too.
func (r *lineRun) value(body []byte) int32 {
	switch {
	case linkedMost*r.linked > r.words, r.keywords(), r.notice(body):
		return -r.words
	case r.words >= proseWords && r.stops+r.commas > 0:
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
		values[run.from] += max(least, run.value(m.t.Body))
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
				run.from, run.start = i, n.Inner
			}
			words, marks := countWords(m.t.Body[n.Inner:n.Outer])
			run.words += words
			run.stops += marks.stops
			run.commas += marks.commas
			run.end = n.Outer
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

// countWords counts the words of a piece of text, and the marks in it. Letters
// beyond ASCII are taken for three bytes each and one word, which overrates
// accents and is right for ideographs; sixty such bytes have a stop.
func countWords(b []byte) (words int32, m marks) {
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
				if c == ',' {
					m.commas++
				} else {
					m.stops++
				}
			}
		}
	}
	m.stops += high / 60
	return words + high/3, m
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
