package about

import (
	"bytes"
	_ "embed"
	"math"
	"math/bits"
	"slices"
	"strings"
	"sync"

	"infomall/store/block/divide"
	"infomall/store/block/label"
	"infomall/store/page/markup"
	"infomall/store/words"
)

// MainText returns the article of a page as text. It leaves out the menus,
// headers and footers around the article, and parts of the article that are about
// something else: lists of links, captions, comments, forms. If a page has no
// running text, or only a little in its header, footer or menu, MainText returns
// the text of the blocks labelled Main.
//
// The article is the element with the highest count. Words of prose add to the
// count of each element that contains them, and words of link lists reduce it. An
// element that contains the article and a menu thus has a lower count than the
// article alone.
//
// The main text of a document, such as a PDF, is all its text.
func MainText(b *divide.Body) string {
	if b.Document != nil {
		return b.Page.Text(b.Charset)
	}
	return TextOf(b, MainRanges(b))
}

// Range is a range of the bytes of a body.
type Range struct{ Start, End int }

// TextOf returns the text of some ranges of a page, such as those of MainRanges, each
// beginning on a new line.
func TextOf(b *divide.Body, ranges []Range) string {
	var texts []string
	for _, r := range ranges {
		if text := b.Page.TextRange(r.Start, r.End, b.Charset); text != "" {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, "\n")
}

// MainRanges returns the ranges of the body of a page whose text is its main text, see
// MainText. b must not be a document. The ranges are in order and do not overlap.
func MainRanges(b *divide.Body) []Range {
	return mainRanges(b, findMain(b.Page))
}

// Outline returns the type of a page and the ranges of its main text, as TypeOf and MainRanges
// do, but faster than both. b must not be a document.
func Outline(b *divide.Body) (PageType, []Range) {
	m := findMain(b.Page)
	return typeOf(b, m), mainRanges(b, m)
}

// mainRanges does the work of MainRanges. m has counted the words of the page.
func mainRanges(b *divide.Body, m *mainFinder) []Range {
	best := m.best()
	switch words := m.of(best); {
	case words <= 0:
		return labelledMain(b)
	case words < detailWords:
		// If a page has only one sentence, the sentence may be in its footer.
		if main := labelledMain(b); len(main) > 0 && framing(b, &b.Page.Nodes[best]) {
			return main
		}
	}
	var ranges []Range
	for _, r := range m.kept(best) {
		ranges = append(ranges, Range{int(r.start), int(r.end)})
	}
	return ranges
}

// mainLevel is the level of the cut (the list of blocks) whose labels MainText
// uses. Labels are most reliable for the large blocks of the first two levels.
const mainLevel = 2

// labelledMain returns the ranges of the blocks labelled Main that show text.
func labelledMain(b *divide.Body) []Range {
	labels := Labels(b.Tree)
	var ranges []Range
	for _, n := range b.Cut(mainLevel) {
		if at := &b.Blocks[n]; labels[n] == label.Main && b.Page.TextRange(at.Start, at.End, b.Charset) != "" {
			ranges = append(ranges, Range{at.Start, at.End})
		}
	}
	return ranges
}

// framing reports whether element e lies in a block labelled Header, Footer or
// Nav.
func framing(b *divide.Body, e *markup.Node) bool {
	labels := Labels(b.Tree)
	for _, n := range b.Cut(mainLevel) {
		if b.Blocks[n].Start <= int(e.Inner) && int(e.Outer) <= b.Blocks[n].End {
			return labels[n] == label.Header || labels[n] == label.Footer || labels[n] == label.Nav
		}
	}
	return false
}

// PageType says whether a page lists other pages or has content of its own.
type PageType uint8

// The types of pages.
const (
	Unknown    PageType = iota
	ListPage            // mostly links to other pages, such as a home page
	DetailPage          // about one thing, such as an article
)

// String returns "unknown", "list" or "detail".
func (p PageType) String() string { return [...]string{"unknown", "list", "detail"}[p] }

// The limits by which TypeOf decides. An entry is a link that begins a line.
const (
	saysWords    = 30  // a DetailPage has at least so many words of main text
	detailWords  = 60  // with few entries, a DetailPage has at least so many words of uninterrupted prose
	longWords    = 200 // with many entries, a DetailPage has at least so many words of uninterrupted prose
	entryWords   = 30  // a DetailPage has so many words of main text for each entry in the main text
	headingWords = 20  // a DetailPage has so many words of main text for each linked heading in the article
	listEntries  = 15  // a page with at least so many entries has many, otherwise few
)

// TypeOf returns the type of a page. An entry is a link that begins a line. A
// DetailPage has main text with few entries and linked headings for its length.
// It also has one of these properties:
//
//   - The page declares that it is about one thing.
//   - It has few entries, and detailWords words of prose without interruption.
//   - It has longWords words of such prose, and its main text is large for the
//     number of entries.
//
// Any other page is a ListPage if it has many entries, and Unknown if it has few.
//
// A document, such as a PDF, has no entries. With detailWords words it is a DetailPage,
// and otherwise Unknown.
func TypeOf(b *divide.Body) PageType {
	if b.Document != nil {
		if words.Least(b.Page.Text(b.Charset), detailWords) {
			return DetailPage
		}
		return Unknown
	}
	return typeOf(b, findMain(b.Page))
}

// typeOf does the work of TypeOf for a page. m has counted its words.
func typeOf(b *divide.Body, m *mainFinder) PageType {
	best := m.best()
	c := takeCensus(nil, b.Flow())
	all, entries := c[len(c)-1].entries, int32(0)
	for _, r := range m.kept(best) {
		entries += c[r.to].entries - c[r.from].entries
	}
	prose, headings := m.longest(best, c)
	if words := m.of(best); words >= saysWords && words >= entryWords*entries && words >= headingWords*headings {
		if prose >= detailWords && all < listEntries || prose >= longWords && 2*words >= 3*all || saysArticle(b) {
			return DetailPage
		}
	}
	if all >= listEntries {
		return ListPage
	}
	return Unknown
}

// longest looks for the longest prose in element root that no heading and no
// entry (a link that begins a line) interrupts. most is its number of words.
// headings is the number of headings in root that are links. Asides are left out.
// c is the census of the page.
func (m *mainFinder) longest(root int, c []census) (most, headings int32) {
	words := int32(0)
	for i := root; i < int(m.t.Nodes[root].Next); i++ {
		n := &m.t.Nodes[i]
		if i > root && n.Kind == markup.Element && m.aside(i) {
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

// The limits of saysArticle. The title of a page names one thing if the title
// contains a heading of at least titleWords words and titleLetters bytes of
// letters and digits.
const (
	titleWords   = 3
	titleLetters = 16
	titleMost    = 1000 // at most so many bytes of the title's letters and digits are compared
)

// saysArticle reports whether a page declares to be about one thing. It does if
// it has the og:type "article" or an article:published_time, or if its title
// contains the text of one of its headings h1 to h3. (The title of a list is
// short, or is a name that no heading repeats.)
func saysArticle(b *divide.Body) bool {
	t := b.Page
	var title []byte
	for i := 0; i < len(t.Nodes); i++ {
		n := &t.Nodes[i]
		if n.Kind != markup.Element {
			continue
		}
		switch h := n.Tag.Heading(); {
		case n.Tag == markup.TagMeta:
			property, _ := t.Attr(i, "property")
			content, _ := t.Attr(i, "content")
			switch {
			case bytes.EqualFold(property, []byte("og:type")) && bytes.EqualFold(content, []byte("article")),
				bytes.EqualFold(property, []byte("article:published_time")) && len(content) > 0:
				return true
			}
		case n.Tag == markup.TagTitle && title == nil:
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

// lettersOf returns the letters and digits in the text of element i, in lower
// case if they are ASCII. All bytes beyond ASCII count as letters. letters ends
// after the number of bytes that the argument most says. words is the number of
// words in the text nodes that were read.
func lettersOf(t *markup.Tree, i, most int) (letters []byte, words int32) {
	for k := i + 1; k < int(t.Nodes[i].Next); k++ {
		n := &t.Nodes[k]
		if n.Kind != markup.Text && n.Kind != markup.Raw {
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

// The limits by which lineRun.value decides whether a run is prose.
const (
	proseWords = 10 // a run with fewer words may be a label or a caption
	linkedMost = 3  // a run with more than 1/linkedMost of its words in links is not prose
)

// mainFinder finds the element that contains the main text of a page. It adds up the words of
// prose in each element.
type mainFinder struct {
	t   *markup.Tree
	all []int32 // all[i] is the number of words of prose in nodes 0 to i-1
	sum []int32 // sum[i] is the sum of lineRun.value over the runs in nodes 0 to i-1, without asides
}

// lineRun is a run of text: the text between two places where a block element
// begins or ends, such as a paragraph. It may extend over inline elements.
type lineRun struct {
	words, linked int32 // number of words, and how many of them are in links
	marks
	from       int   // the first node of the run
	start, end int32 // the range of the run in the body
}

// marks counts the punctuation marks of a text.
type marks struct {
	stops  int32 // marks other than commas, such as full stops and colons
	commas int32
}

// noticeWords is the largest number of words of a notice about the reader's
// browser. keywordsLeast is the least number of words of a list of keywords.
const (
	noticeWords   = 60
	keywordsLeast = 20
)

// keywords reports whether a run of text is a list of keywords for search
// engines: it has at least keywordsLeast words and one comma for every three
// words, and no other punctuation.
func (r *lineRun) keywords() bool {
	return r.words >= keywordsLeast && r.stops == 0 && 3*r.commas >= r.words
}

// noticeTexts are phrases, in lower case, of notices about the reader's browser:
// the reader should use another browser, install a plug-in, or enable scripts.
// " on line <b>" is of the messages of PHP about faults of the site.
// The Chinese phrases, 您的浏览器 (your browser) and 分辨率浏览 (to be viewed at a
// resolution), are in the list in UTF-8 and in GBK.
var noticeTexts = [][]byte{
	[]byte("your browser"), []byte("this browser"), []byte("browser that supports"), []byte("upgrade to a "), []byte("best viewed"), []byte("enable javascript"),
	[]byte("javascript enabled"), []byte("javascript is "), []byte("flash player"), []byte("plug-in"), []byte("ihr browser"), []byte("votre navigateur"),
	[]byte("su navegador"), []byte("seu navegador"), []byte("il tuo browser"), []byte(" on line <b>"),
	[]byte("您的浏览器"), []byte("\xc4\xfa\xb5\xc4\xe4\xaf\xc0\xc0\xc6\xf7"), []byte("分辨率浏览"), []byte("\xb7\xd6\xb1\xe6\xc2\xca\xe4\xaf\xc0\xc0"),
}

// notice reports whether a run of text is a notice about the reader's browser: it
// has 4 to noticeWords words, and contains a phrase of noticeTexts in upper or
// lower case.
func (r *lineRun) notice(body []byte) bool {
	if r.words < 4 || r.words > noticeWords {
		return false
	}
	text := body[r.start:r.end]
	begins := noticeBegins()
	for i := 0; i+1 < len(text); i++ {
		for set := begins[small(text[i])][small(text[i+1])]; set != 0; set &= set - 1 {
			if hasPrefixFold(text[i:], noticeTexts[bits.TrailingZeros32(set)]) {
				return true
			}
		}
	}
	return false
}

// noticeBegins returns a table of the first two bytes of the noticeTexts: bit n of table[a][b]
// is set if text n begins with the bytes a and b. The first call makes the table. It takes 256
// KB, and most runs of the program do not need it.
var noticeBegins = sync.OnceValue(func() *[256][256]uint32 {
	begins := new([256][256]uint32)
	for i, n := range noticeTexts {
		begins[n[0]][n[1]] |= 1 << i
	}
	return begins
})

// hasPrefixFold reports whether text begins with prefix if the case of ASCII letters is
// ignored. prefix must be in lower case.
func hasPrefixFold(text, prefix []byte) bool {
	if len(text) < len(prefix) {
		return false
	}
	for i, c := range prefix {
		if small(text[i]) != c {
			return false
		}
	}
	return true
}

// value returns how many words the run of text adds to the count of each element
// that contains it. Prose adds its number of words. A run of links or keywords,
// or a notice, adds its number of words with a minus sign. A run too short for
// prose, such as a table cell, adds 0.
func (r *lineRun) value(body []byte) int32 {
	switch {
	case linkedMost*r.linked > r.words, r.keywords(), r.notice(body):
		return -r.words
	case r.words >= proseWords && r.stops+r.commas > 0:
		return r.words
	}
	return 0
}

// findMain returns a mainFinder that has counted the words of the page t.
func findMain(t *markup.Tree) *mainFinder {
	m := &mainFinder{t: t, sum: make([]int32, len(t.Nodes)+1)}
	m.score(func(int) bool { return false }, 0)
	m.all = slices.Clone(m.sum)
	m.score(m.aside, math.MinInt32)
	return m
}

// score fills m.sum with the values of the runs of text on the page, see
// lineRun.value. A run counts at its first node, with its value or with the
// argument least, whichever is greater. score skips hidden elements, and elements
// for which the function muted returns true.
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
		case markup.Text, markup.Raw:
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
		case markup.Element:
			switch {
			case n.Tag.Hidden() || muted(i):
				mute = n.Next
			case n.Tag == markup.TagA:
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

// countWords estimates the number of words in b, and counts its punctuation marks. Three bytes
// beyond ASCII count as one word, which is right for ideographs in UTF-8 and too much for
// accented letters. Sixty bytes beyond ASCII count as one full stop.
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

// best returns the node of the block element with the highest count. If several
// have that count it returns the last, which is the innermost. It returns 0, the
// page, if no element has a higher count than the page.
func (m *mainFinder) best() int {
	best := 0
	for i := range m.t.Nodes {
		n := &m.t.Nodes[i]
		if (i == 0 || n.Kind == markup.Element && n.Tag.Block()) && m.of(i) >= m.of(best) {
			best = i
		}
	}
	return best
}

// of returns the count of element i: the sum of the values of the runs of text in
// it.
func (m *mainFinder) of(i int) int32 { return m.sum[m.t.Nodes[i].Next] - m.sum[i] }

// stretch is a range of a page: the bytes Body[start:end], and the nodes
// Nodes[from:to] that start in these bytes.
type stretch struct{ start, end, from, to int32 }

// kept returns the ranges of element root that are main text: all of root except
// its asides and its block elements whose count is negative.
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
		if n.Kind == markup.Element && (m.aside(int(i)) || n.Tag.Block() && m.of(int(i)) < 0) {
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

// aside reports whether element i is an aside: it is beside or inside a text without being part of
// it, according to its tag, class, id or role, or it is markup that only a program of the page would
// show. An element that contains over half of the page's prose is never an aside, unless it is a
// popup: a question about cookies may be longer than the text that it covers. A popup is an aside if
// the rest of the page has at least detailWords words of prose.
func (m *mainFinder) aside(i int) bool {
	n := &m.t.Nodes[i]
	own, all := m.all[n.Next]-m.all[i], m.all[len(m.all)-1]
	most := 2*own > all
	if most && all-own < detailWords {
		return false
	}
	switch n.Tag {
	case markup.TagHTML, markup.TagBody, markup.TagMain, markup.TagArticle:
		return false
	case markup.TagNav, markup.TagFooter, markup.TagAside, markup.TagForm, markup.TagFigure, markup.TagFigcaption, markup.TagButton, markup.TagSelect,
		markup.TagTextarea, markup.TagH1, markup.TagMenu, markup.TagMarkupScript:
		if !most {
			return true
		}
	}
	sort := m.nameSort(i)
	return sort == popup && n.Tag.Block() || (sort == beside || sort == first) && !most
}

// The values of besideWords.
const (
	beside uint8 = iota + 1 // the element is beside a text
	first                   // the same, if the word begins a name
	popup                   // the element is shown over the page, if the word begins a name
)

// nameSort returns beside, first or popup if the class, id or role of element i has such a word, and 0
// otherwise.
func (m *mainFinder) nameSort(i int) (sort uint8) {
	for a := range m.t.Attrs(i) {
		if !label.IsNaming(a.Name) {
			continue
		}
		if bytes.EqualFold(a.Value, []byte("dialog")) || bytes.EqualFold(a.Value, []byte("alertdialog")) {
			return popup // its role
		}
		begins := true
		besideWords().EachWord(a.Value, func(value uint8, ok bool) {
			if ok && (value == beside || begins) {
				sort = max(sort, value)
			}
			begins = false
		}, func([]byte) { begins = true })
	}
	return sort
}

//go:embed beside.txt
var besideList string

// besideWords are the words of beside.txt.
var besideWords = sync.OnceValue(func() *words.Table {
	t := words.NewTable()
	for line := range strings.Lines(besideList) {
		if line[0] == '#' {
			continue
		}
		value := beside
		if rest, ok := strings.CutPrefix(line, "popup:"); ok {
			line, value = rest, popup
		} else if rest, ok := strings.CutPrefix(line, "first:"); ok {
			line, value = rest, first
		}
		for w := range strings.FieldsSeq(line) {
			t.Add(w, value)
		}
	}
	return t
})

// letter reports whether c is an ASCII letter.
func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
