package value

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"
)

// Pattern is a compiled pattern of LIKE. It may be used from several
// goroutines.
type Pattern struct {
	fold bool
	// Without _ in it a pattern is literals with % between them: the first
	// must begin and the last end the text. Exact: there is no % at all.
	exact  bool
	pieces []string
	// With _ in it, it is matched a character at a time.
	runes []rune
}

// The wildcards in Pattern.runes; no text has such characters.
const (
	anyRun  rune = -1
	anyRune rune = -2
)

// NewPattern compiles a pattern of LIKE, or of ILIKE if fold. Escape takes its
// meaning from the % _ or itself that follows it; 0 is none. The error says
// what follows an escape wrongly.
func NewPattern(pattern string, escape rune, fold bool) (*Pattern, error) {
	if fold {
		pattern, escape = foldCase(pattern), unicode.ToLower(escape)
	}
	p := &Pattern{fold: fold, exact: true}
	var piece []byte
	single, escaped := false, false
	for i := 0; i < len(pattern); {
		r, size := utf8.DecodeRuneInString(pattern[i:])
		char := pattern[i : i+size]
		i += size
		switch {
		case escaped:
			if r != '%' && r != '_' && r != escape {
				return nil, fmt.Errorf("the escape character %q stands before %q; it may stand before %%, _ and itself", escape, r)
			}
			escaped = false
		case r == escape && escape != 0:
			escaped = true
			continue
		case r == '%':
			p.pieces = append(p.pieces, string(piece))
			p.runes = append(p.runes, anyRun)
			p.exact, piece = false, nil
			continue
		case r == '_':
			r, single = anyRune, true
		}
		piece = append(piece, char...)
		p.runes = append(p.runes, r)
	}
	if escaped {
		return nil, fmt.Errorf("the pattern ends with its escape character %q", escape)
	}
	p.pieces = append(p.pieces, string(piece))
	if single {
		p.pieces = nil
	} else {
		p.runes = nil
	}
	return p, nil
}

// Literal gives the text that p matches if it matches only one, or the text
// that whatever it matches begins with.
func (p *Pattern) Literal() (text string, exact, prefix bool) {
	if p.fold || p.pieces == nil {
		return "", false, false
	}
	onlyPrefix := len(p.pieces) == 2 && p.pieces[1] == ""
	return p.pieces[0], p.exact, onlyPrefix
}

// Match reports whether the whole of s fits the pattern.
func (p *Pattern) Match(s string) bool {
	if p.fold {
		s = foldCase(s)
	}
	if p.pieces == nil {
		return matchRunes(p.runes, s)
	}
	if p.exact {
		return s == p.pieces[0]
	}
	last := len(p.pieces) - 1
	s, ok := strings.CutPrefix(s, p.pieces[0])
	if !ok {
		return false
	}
	for _, piece := range p.pieces[1:last] {
		i := strings.Index(s, piece)
		if i < 0 {
			return false
		}
		s = s[i+len(piece):]
	}
	return strings.HasSuffix(s, p.pieces[last])
}

// matchRunes goes back at most to the last %, so it takes no more than
// len(pattern) times len(s) steps.
func matchRunes(pattern []rune, s string) bool {
	at := 0               // in pattern
	star, again := -1, "" // the last % and where s goes on if it takes one more
	for s != "" {
		r, n := utf8.DecodeRuneInString(s)
		switch {
		case at < len(pattern) && pattern[at] == anyRun:
			star, again = at, s
			at++
		case at < len(pattern) && (pattern[at] == anyRune || pattern[at] == r):
			at, s = at+1, s[n:]
		case star >= 0:
			_, n := utf8.DecodeRuneInString(again)
			again = again[n:]
			at, s = star+1, again
		default:
			return false
		}
	}
	for at < len(pattern) && pattern[at] == anyRun {
		at++
	}
	return at == len(pattern)
}

// foldCase makes texts equal that differ only in case.
func foldCase(s string) string { return strings.Map(foldRune, s) }

// foldRune goes by way of the upper case, so that both forms of the Greek
// sigma become one.
func foldRune(r rune) rune {
	if r < utf8.RuneSelf {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}
	return unicode.ToLower(unicode.ToUpper(r))
}

// Folded is s as CONTAINS sees it: upper case made lower, full-width letters
// and half-width kana made normal, any run of blanks and line breaks made one
// blank, and none between Chinese characters, at the start and at the end.
func Folded(s string) string {
	if isFolded(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	foldInto(s, func(r rune, _ int) { b.WriteRune(r) })
	return b.String()
}

// isFolded reports whether s is surely equal to Folded(s), to spare the copy.
func isFolded(s string) bool {
	blank := true
	for i := range len(s) {
		c := s[i]
		if c >= utf8.RuneSelf || 'A' <= c && c <= 'Z' || c < ' ' || c == ' ' && blank {
			return false
		}
		blank = c == ' '
	}
	return s == "" || !blank
}

// foldInto calls put for each character of Folded(s) with the place in s that
// it comes from.
func foldInto(s string, put func(r rune, at int)) {
	last := rune(0) // the last one put
	blankAt := -1   // where a run of blanks began that is not yet put
	for i, r := range s {
		if unicode.IsSpace(r) {
			if blankAt < 0 {
				blankAt = i
			}
			continue
		}
		r = foldRune(narrow(r))
		if blankAt >= 0 && last != 0 && !(isChinese(last) && isChinese(r)) {
			put(' ', blankAt)
		}
		put(r, i)
		last, blankAt = r, -1
	}
}

// narrow makes a full-width letter, digit or sign the usual one and half-width
// kana full.
func narrow(r rune) rune {
	if r < 0xff00 || r > 0xffef {
		return r
	}
	if f := width.LookupRune(r).Folded(); f != 0 {
		return f
	}
	return r
}

// isChinese tells characters between which a blank means nothing.
func isChinese(r rune) bool {
	return r >= 0x2e80 && (unicode.Is(unicode.Han, r) || 0x3001 <= r && r <= 0x303f)
}

// Contains reports whether text holds what in the sense of CONTAINS; what is
// Folded already.
func Contains(text, what string) bool { return strings.Contains(Folded(text), what) }

// snippetAround is how many characters a snippet shows before what was found;
// behind it there are as many as fill snippetLength.
const (
	snippetAround = 30
	snippetLength = 100
)

// Snippet is a short piece of text around the first place that CONTAINS q,
// runs of blanks made one, with … where it was cut. Where q is not found, or is
// empty, it is the start of text.
func Snippet(text, q string) string {
	from := foundAt(text, Folded(q))
	start := from
	for n := 0; n < snippetAround && start > 0; n++ {
		_, size := utf8.DecodeLastRuneInString(text[:start])
		start -= size
	}
	end := start
	for n := 0; n < snippetLength && end < len(text); n++ {
		_, size := utf8.DecodeRuneInString(text[end:])
		end += size
	}
	s := strings.Join(strings.Fields(text[start:end]), " ")
	if start > 0 {
		s = "…" + s
	}
	if end < len(text) {
		s += "…"
	}
	return s
}

// foundAt is the place in text of the first folded q, or 0.
func foundAt(text, q string) int {
	var folded strings.Builder
	var places []int // of each byte of folded in text
	foldInto(text, func(r rune, at int) {
		n, _ := folded.WriteRune(r)
		for range n {
			places = append(places, at)
		}
	})
	i := strings.Index(folded.String(), q)
	if i < 0 || len(places) == 0 {
		return 0
	}
	return places[i]
}
