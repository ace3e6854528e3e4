package article

import (
	"bytes"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The limits by which findTitle decides.
const (
	titleTextMax  = 400 // largest number of bytes of a title that are read
	titlePartMin  = .35 // a heading is the title if it has at least this share of the window title,
	titleAlike    = .6  // or if at least this share of the heading is in the window title
	headingReach  = 4   // a heading at most this many lines above the main text may be the title
	endsCompared  = 8   // a heading can only share a part with the window title if its first or its last this many bytes are in it
	titleShortest = 6   // size in bytes of the shortest title that is searched for in the text
)

// findTitle returns the title of the article, and sets r.title to the index of
// the line with the title. The title is the heading that the window title
// contains; otherwise the longest text that a heading and the window title have
// in common; otherwise the window title without the name of the site.
func (r *reader) findTitle() string {
	window := ""
	var raw []byte
	if r.window != 0 {
		c := &r.t.Nodes[r.window+1]
		raw = bytes.TrimSpace(r.t.Body[c.Inner:min(c.Outer, c.Inner+titleTextMax)])
		window = oneLine(r.value(raw))
	}
	bare := r.in.Site.bare(window, r.heads.site)
	best, text := 0.0, ""
	firstHead, firstHeadText := -1, ""
	for i := range r.lines {
		l := &r.lines[i]
		if l.heading == 0 && !l.single || l.end-l.start > titleTextMax || l.text < titleShortest {
			continue
		}
		if l.heading == 0 {
			// Only a line that is part of the window's title is decoded.
			own := r.raw(i)
			if len(own)*3 < len(raw) || len(raw) == 0 || !bytes.Contains(raw, own) {
				continue
			}
		}
		own := oneLine(r.text(i))
		if l.heading == 1 && firstHead < 0 && !r.beside(l.node) {
			firstHead, firstHeadText = i, own
		}
		w := alike(own, bare, l.heading == 1 || l.heading == 2)
		if w < titlePartMin {
			continue
		}
		switch {
		case l.heading == 1:
			w += .3
		case l.heading == 2:
			w += .2
		case l.heading > 0:
			w += .1
		}
		if 2*l.linked > l.text {
			w -= .15
		}
		if i >= r.mainTo && r.mainTo > 0 && r.mainFrom < len(r.lines) {
			w -= .3 // a link to the page itself
		}
		if w > best+1e-9 {
			best, text, r.title = w, own, i
		}
	}
	if r.title >= 0 {
		if part := common(text, bare); 10*len(part) < 9*len(text) && len(part) > 0 {
			if trimmed := trimTitle(part); 2*len(trimmed) > len(text) && setApart(bare, trimmed) {
				return trimmed
			}
		}
		return text
	}
	if firstHead < 0 && r.mainFrom < len(r.lines) {
		// The heading just above the main text.
		for i := r.mainFrom; i >= max(0, r.mainFrom-headingReach); i-- {
			if r.lines[i].heading > 0 && r.lines[i].text >= titleShortest && 2*r.lines[i].linked <= r.lines[i].text {
				firstHead, firstHeadText = i, oneLine(r.text(i))
				break
			}
		}
	}
	if firstHead >= 0 && 2*r.lines[firstHead].linked <= r.lines[firstHead].text && (r.mainFrom == len(r.lines) || firstHead <= r.mainFrom) {
		r.title = firstHead
		if bare == "" || r.heads.title != "" && alike(firstHeadText, r.heads.title, true) > titlePartMin {
			return firstHeadText
		}
	}
	if r.heads.title != "" {
		return r.in.Site.bare(oneLine(r.heads.title), r.heads.site)
	}
	return bare
}

// alike returns how similar a heading and a window title are, from 0 to 1: the
// length of their longest common text, divided by the length of the longer of
// them. The result is 0 if less than titleAlike of the heading is in the title.
// If parts is false, it is also 0 unless the title contains the whole heading.
func alike(heading, title string, parts bool) float64 {
	if heading == "" || title == "" {
		return 0
	}
	part := len(heading)
	if h, t := plain(heading), plain(title); !strings.Contains(t, h) {
		if !parts {
			return 0
		}
		if n := min(len(h), endsCompared); !strings.Contains(t, h[:n]) && !strings.Contains(t, h[len(h)-n:]) {
			return 0
		}
		part = len(common(heading, title))
		if float64(part) < titleAlike*float64(len(heading)) {
			return 0
		}
	}
	return float64(part) / float64(max(len(heading), len(title)))
}

// common returns the longest text that both a and b contain, spelled as in a. Characters that plain
// makes equal are the same. It compares only the first titleTextMax bytes of each.
func common(a, b string) string {
	if len(a) > titleTextMax {
		a = strings.ToValidUTF8(a[:titleTextMax], "")
	}
	if len(b) > titleTextMax {
		b = strings.ToValidUTF8(b[:titleTextMax], "")
	}
	if strings.Contains(b, a) {
		return a
	}
	text, x, y := []rune(a), []rune(plain(a)), []rune(plain(b))
	var row [titleTextMax + 1]int16
	most, end := int16(0), 0
	for i := range x {
		last := int16(0)
		for j := range y {
			above := row[j+1]
			if x[i] == y[j] {
				row[j+1] = last + 1
				if row[j+1] > most {
					most, end = row[j+1], i+1
				}
			} else {
				row[j+1] = 0
			}
			last = above
		}
	}
	return string(text[end-int(most) : end])
}

// plain returns s in lower case, with straight quotation marks and hyphens in place of other quotation
// marks and dashes. A site often writes them in one way in the heading and in another way in the
// title of the window. The result has as many characters as s.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		switch r {
		case '‘', '’', '‚', '‛', '′', '´', '`', '‹', '›':
			return '\''
		case '“', '”', '„', '‟', '″', '«', '»':
			return '"'
		case '‐', '‑', '‒', '–', '—', '―', '−':
			return '-'
		}
		return unicode.ToLower(r)
	}, s)
}

// lowered returns s in lower case, or s itself if lower case would change its length in bytes.
func lowered(s string) string {
	if l := strings.ToLower(s); len(l) == len(s) {
		return l
	}
	return s
}

// setApart reports whether separators, such as "|", stand between part and the rest of title, or part
// is a question or exclamation. If not, part may end in the middle of a sentence.
func setApart(title, part string) bool {
	before, after, ok := strings.Cut(plain(title), plain(part))
	left, _ := utf8.DecodeLastRuneInString(strings.TrimSpace(before))
	last, _ := utf8.DecodeLastRuneInString(part)
	right, _ := utf8.DecodeRuneInString(strings.TrimSpace(after))
	return ok && (before == "" || separates(left)) && (after == "" || separates(right) || strings.ContainsRune("?!？！", last))
}

// separates reports whether r is a character that sites put between the parts of a title.
func separates(r rune) bool { return strings.ContainsRune("-–—|│_:：·•»«/\\>", r) }

// trimTitle returns s without white space and separators, such as "|", at its ends.
func trimTitle(s string) string {
	return strings.TrimFunc(s, func(r rune) bool { return unicode.IsSpace(r) || separates(r) })
}

// oneLine returns s with one space in place of each run of white space.
func oneLine(s string) string {
	single := true // nothing but single spaces
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == ' ' && (i == 0 || i == len(s)-1 || s[i-1] == ' ') || c >= utf8.RuneSelf {
			single = false
			break
		}
	}
	if single {
		return s
	}
	line := make([]byte, 0, len(s))
	space := false
	for i, c := range s {
		if unicode.IsSpace(c) {
			space = true
			continue
		}
		if space && len(line) > 0 {
			line = append(line, ' ')
		}
		space = false
		_, size := utf8.DecodeRuneInString(s[i:]) // 1 for a byte that is no UTF-8, which stays as it is
		line = append(line, s[i:i+size]...)
	}
	return string(line)
}

// score returns how much the page is one article, from 0 to 1.
func (r *reader) score(a *Article) float64 {
	if len(r.lines) == 0 {
		return 0
	}
	text, linked, lines := int32(0), int32(0), 0
	at := 0
	for i := range r.lines {
		l := &r.lines[i]
		for at < len(r.in.Main) && int32(r.in.Main[at].End) <= l.start {
			at++
		}
		if at < len(r.in.Main) && l.start >= int32(r.in.Main[at].Start) {
			text, linked = text+l.text, linked+l.linked
			lines++
		}
	}
	if text == 0 {
		return 0
	}
	last := &r.lines[len(r.lines)-1]
	all := float64(last.before + last.text)
	own := float64(text - linked)
	prose := min(1, own/scoreText)
	long := min(1, own/float64(lines)/scoreLine)
	s := .35*prose + .2*long + .1*min(1, 2*own/all)
	if a.Title != "" && r.title >= 0 {
		s += .1
	}
	if a.Published.Precision >= Day {
		s += .15
	}
	if r.heads.declaresArticle {
		s += .1
	}
	if links := float64(linked) / float64(text); links > 0 {
		s *= 1 - links
	}
	return math.Round(1000*min(1, max(0, s))) / 1000
}

// The main text of an article has at least scoreText bytes, and at least
// scoreLine bytes in some line.
const (
	scoreText = 900
	scoreLine = 120
)
