package pdf

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"infomall/store/document"
)

// write adds the pages to b: a section for each, with its paragraphs and links.
func write(b *document.Builder, pages []page) error {
	if len(pages) == 0 {
		return nil
	}
	body := bodySize(pages)
	running := runningLines(pages)
	b.Doc.Scanned = scanned(pages)
	for i, p := range pages {
		if err := b.Begin(document.Page, itoa(i+1)); err != nil {
			return err
		}
		for _, l := range p.links {
			b.Link(l.Target, l.Anchor)
		}
		var paragraphs []paragraph
		// A title is often a running line too, but is in large type on the first page.
		for _, bl := range blocks(p.lines, func(l *line) bool {
			return l.size <= headingMin*body && running[runningKey(l.text)] && edge(p.lines, l)
		}) {
			paragraphs = append(paragraphs, bl.paragraphs(body, border(p.lines, &bl))...)
		}
		if i == 0 {
			b.Lead = lead(paragraphs)
		}
		for _, g := range paragraphs {
			if err := b.Add(g.kind, g.text); err != nil {
				return err
			}
		}
	}
	return nil
}

// scanned reports whether the pages are pictures: no page has text, and most have a
// picture.
func scanned(pages []page) bool {
	pictures := 0
	for _, p := range pages {
		if len(p.lines) > 0 {
			return false
		}
		if p.picture {
			pictures++
		}
	}
	return 2*pictures > len(pages)
}

// bodySize returns the size of most of the text, rounded to half a point.
func bodySize(pages []page) float64 {
	letters := make(map[float64]int)
	for _, p := range pages {
		for _, l := range p.lines {
			letters[math.Round(l.size*2)/2] += len(l.text)
		}
	}
	size, most := 0.0, 0
	for s, n := range letters {
		if n > most || n == most && s < size {
			size, most = s, n
		}
	}
	return size
}

// Running lines, such as page headers, are looked for in documents of at least runningPages pages.
// They must be on runningPages pages, and on one page in runningShare.
const (
	runningPages = 3
	runningShare = 5
)

// runningLines returns the keys, as runningKey makes them, of lines that many pages have at an
// edge.
func runningLines(pages []page) map[string]bool {
	count := make(map[string]int)
	for _, p := range pages {
		seen := make(map[string]bool)
		for i := range p.lines {
			if l := &p.lines[i]; edge(p.lines, l) {
				seen[runningKey(l.text)] = true
			}
		}
		for k := range seen {
			count[k]++
		}
	}
	out := make(map[string]bool)
	for k, n := range count {
		if n >= runningPages && n*runningShare >= len(pages) {
			out[k] = true
		}
	}
	return out
}

// edge reports whether l is in the first or the last row of a page, or next to such a row if it is
// short.
func edge(lines []line, l *line) bool {
	near := func(o *line) bool { return math.Abs(o.base-l.base) < l.size/2 }
	return near(&lines[0]) || near(&lines[len(lines)-1]) || len(lines) > 2 && (near(&lines[1]) && len(lines[0].text) < 60 || near(&lines[len(lines)-2]) && len(lines[len(lines)-1].text) < 60)
}

// runningKey returns text in lower case with "#" in place of each number, so that lines that
// differ only in the page number have the same key.
func runningKey(text string) string {
	var out strings.Builder
	number := false
	for _, r := range text {
		switch digit := unicode.IsDigit(r); {
		case digit && number:
			continue
		case digit:
			out.WriteByte('#')
			number = true
			continue
		}
		number = false
		out.WriteRune(unicode.ToLower(r))
	}
	return out.String()
}

// block is lines of a page without a gap between them.
type block struct {
	lines   []line
	running bool
	right   float64 // where its longest line ends
}

// blocks divides the lines of a page at gaps, at a change of the size of the type, and
// where a column ends.
func blocks(lines []line, running func(*line) bool) []block {
	var out []block
	for i := range lines {
		l := &lines[i]
		run := running(l)
		if len(out) > 0 {
			b := &out[len(out)-1]
			if b.running == run && b.takes(l) {
				b.lines, b.right = append(b.lines, *l), max(b.right, l.right)
				continue
			}
		}
		out = append(out, block{lines: []line{*l}, running: run, right: l.right})
	}
	return out
}

// Distances between lines, in heights of the type; the height of a type is about 1.2
// times its nominal size.
const (
	rowMax   = .35 // lines in one row have base lines no farther apart
	pitchMax = 1.7 // lines of one block have base lines no farther apart
	gapMin   = 1.3 // a distance so many times that of the lines before is a gap
	sizeMax  = 1.15
	indent   = .6 // an indented line is so much farther right
)

// takes reports whether the line l, which comes after b, belongs to it.
func (b *block) takes(l *line) bool {
	prev := &b.lines[len(b.lines)-1]
	if prev.hyphen {
		return true
	}
	size := max(prev.size, l.size)
	if size == 0 {
		return true
	}
	if min(prev.size, l.size)*sizeMax < size && utf8.RuneCountInString(l.text) > 1 && utf8.RuneCountInString(prev.text) > 1 {
		return false
	}
	down := prev.base - l.base
	switch {
	case math.Abs(down) < rowMax*size:
		return true
	case down < 0, down > pitchMax*size:
		return false
	}
	if n := len(b.lines); n >= 2 {
		if pitch := b.lines[n-2].base - prev.base; pitch > rowMax*size && down > gapMin*pitch {
			return false
		}
	}
	// Lines one below the other that do not overlap are not of one column.
	return l.left < b.right && prev.left < max(l.right, l.left+1)
}

// paragraph is the text of one paragraph with the size of its type.
type paragraph struct {
	kind document.PartKind
	text string
	size float64 // height of its type
}

// Headings are larger than the body by headingMin and have no more than headingRunes
// characters.
const (
	headingMin   = 1.2
	headingRunes = 200
)

// Lines whose ends are within borderWidth points of each other, borderLines of them, make
// a border of a column. Borders are looked for on pages of at most borderLinesMax lines.
const (
	borderWidth    = 2
	borderLines    = 3
	borderLinesMax = 1000
)

// border returns the right border of the column that the block is in: the nearest place
// right of the block at which several lines of the page end. If there is none, it is the
// right border of the block.
func border(lines []line, b *block) float64 {
	right := b.right
	if len(lines) > borderLinesMax {
		return right
	}
	var ends []float64
	for i := range lines {
		if l := &lines[i]; l.right >= right-borderWidth && l.left < right {
			ends = append(ends, l.right)
		}
	}
	slices.Sort(ends)
	for i := borderLines - 1; i < len(ends); i++ {
		if ends[i]-ends[i-borderLines+1] <= borderWidth {
			return max(right, ends[i])
		}
	}
	return right
}

// paragraphs divides a block into paragraphs. body is the size of most of the text,
// right the right border of the column.
func (b *block) paragraphs(body, right float64) []paragraph {
	var out []paragraph
	var text strings.Builder
	flush := func(size float64) {
		if text.Len() == 0 {
			return
		}
		p := paragraph{text: text.String(), size: size}
		switch {
		case b.running:
			p.kind = document.Note
		case size > headingMin*body && body > 0 && utf8.RuneCountInString(p.text) <= headingRunes:
			p.kind = document.Heading
		}
		out = append(out, p)
		text.Reset()
	}
	start := 0 // first line of the current paragraph
	for i := range b.lines {
		l := &b.lines[i]
		if i > 0 {
			prev := &b.lines[i-1]
			switch b.between(start, i, right) {
			case newParagraph:
				flush(prev.size)
				start = i
			case newLine:
				text.WriteByte('\n')
			case newWord:
				if !joinsWithout(prev.text, l.text) {
					text.WriteByte(' ')
				}
			}
		}
		text.WriteString(l.text)
	}
	flush(b.lines[len(b.lines)-1].size)
	return out
}

// seam says how two lines of a block join: within a word, between words, or as two lines.
type seam int

const (
	sameWord seam = iota
	newWord
	newLine
	newParagraph
)

// between returns how line i of the block joins the line before it. start is the index of the
// first line of the current paragraph, and right is the right border of the column, in points.
func (b *block) between(start, i int, right float64) seam {
	prev, l := &b.lines[i-1], &b.lines[i]
	if prev.hyphen {
		return sameWord
	}
	if l.size == 0 || math.Abs(prev.base-l.base) < rowMax*l.size {
		return newWord
	}
	if startsItem(l.text) {
		return newParagraph
	}
	if i-start >= 2 && math.Abs(l.left-prev.left) > indent*l.size && math.Abs(prev.left-b.lines[i-2].left) < indent*l.size {
		return newParagraph
	}
	// If the first word of this line had fit into the line before, the author ended that line on
	// purpose.
	word, _, _ := strings.Cut(l.text, " ")
	runes := utf8.RuneCountInString(l.text)
	width := (l.right - l.left) * float64(utf8.RuneCountInString(word)+1) / float64(max(runes, 1))
	if prev.right+width+indent*l.size > right {
		return newWord
	}
	if endsSentence(prev.text) {
		return newParagraph
	}
	return newLine
}

// itemMarks begin the items of lists.
const itemMarks = "•‣◦▪▫■□●○◆➢✓"

// startsItem reports whether a line begins with the mark of an item of a list.
func startsItem(text string) bool {
	r, n := utf8.DecodeRuneInString(text)
	return strings.ContainsRune(itemMarks, r) && len(text) > n
}

func endsSentence(text string) bool {
	r, _ := utf8.DecodeLastRuneInString(strings.TrimRight(text, "\"'”’»)]"))
	return strings.ContainsRune(".!?:;。！？：；", r)
}

// joinsWithout reports whether two lines of one paragraph join without a blank, as in
// Chinese and Japanese.
func joinsWithout(a, b string) bool {
	last, _ := utf8.DecodeLastRuneInString(a)
	first, _ := utf8.DecodeRuneInString(b)
	return isUnspaced(last) && isUnspaced(first)
}

// isUnspaced reports whether r is a character of Chinese or Japanese text, which has no blanks
// between words, or a punctuation mark of such text.
func isUnspaced(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) || r >= 0x3000 && r <= 0x303f || r >= 0xff00 && r <= 0xff60
}

// A lead has no more than leadRunes characters. It is larger by leadMin than what comes before
// it: the heights of lines of one type differ by up to an eighth, by the letters that are in them.
const (
	leadRunes = 300
	leadMin   = 1.15
)

// lead returns the text in the largest type among the paragraphs of a page: paragraphs
// that follow each other in that type, up to three.
func lead(paragraphs []paragraph) string {
	best := -1
	for i, p := range paragraphs {
		if p.kind == document.Note || letters(p.text) < 3 || utf8.RuneCountInString(p.text) > leadRunes {
			continue
		}
		if best < 0 || p.size > leadMin*paragraphs[best].size {
			best = i
		}
	}
	if best < 0 {
		return ""
	}
	text := []string{paragraphs[best].text}
	for i := best + 1; i < min(best+3, len(paragraphs)); i++ {
		if p := paragraphs[i]; p.kind != document.Heading || math.Abs(p.size-paragraphs[best].size) > .02*p.size {
			break
		}
		text = append(text, paragraphs[i].text)
	}
	out := document.Clean(strings.Join(text, " "))
	if utf8.RuneCountInString(out) > leadRunes {
		out = document.Clean(text[0])
	}
	return strings.TrimLeft(out, itemMarks+" ")
}

// letters returns the number of letters in text.
func letters(text string) int {
	return len(slices.DeleteFunc([]rune(text), func(r rune) bool { return !unicode.IsLetter(r) }))
}
