package value

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"
)

// Pattern is the compiled form of a pattern of LIKE or ILIKE. Several
// goroutines may use it.
type Pattern struct {
	fold bool // ILIKE: case is ignored
	// pieces are the texts between the wildcards % of a pattern without _. A text
	// matches if it begins with the first piece, ends with the last piece, and has
	// the other pieces between them in order. exact is set if the pattern has no %:
	// then the only piece is the whole text.
	exact  bool
	pieces []string
	// runes are the characters of a pattern with _, which is matched one
	// character at a time. pieces is nil then.
	runes []rune
}

// These values stand for the wildcards % and _ in Pattern.runes. They cannot
// occur in a text.
const (
	anyRun  rune = -1
	anyRune rune = -2 // _
)

// NewPattern compiles a pattern of LIKE, or of ILIKE if fold is set, which
// ignores case. The character escape makes a following %, _ or escape stand for
// itself; 0 means that there is no escape character. The error says that
// another character follows an escape, or none.
func NewPattern(pattern string, escape rune, fold bool) (*Pattern, error) {
	if fold {
		pattern, escape = foldCase(pattern), foldRune(escape)
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
				return nil, fmt.Errorf("the escape character %q is before %q; it may only be before %%, _ and itself", escape, r)
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

// Literal returns the text before the first % of p, and what it says about
// matching texts. If exact is set, p has no wildcards and matches only text. If
// prefix is set, p matches exactly the texts that begin with text. If neither
// is set, every match still begins with text, which may be empty. For ILIKE,
// and for a pattern with _, Literal returns "", false, false.
func (p *Pattern) Literal() (text string, exact, prefix bool) {
	if p.fold || p.pieces == nil {
		return "", false, false
	}
	onlyPrefix := len(p.pieces) == 2 && p.pieces[1] == ""
	return p.pieces[0], p.exact, onlyPrefix
}

// Match reports whether p matches s from its start to its end.
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

// matchRunes reports whether pattern matches s from its start to its end. After
// a mismatch it goes back to the last % only, so it takes at most len(pattern)
// times len(s) steps.
func matchRunes(pattern []rune, s string) bool {
	at := 0               // an index in pattern
	star, again := -1, "" // the last %, and the rest of s from which to retry if % takes one more character
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

// foldCase returns s in lower case, such that texts that differ only in case
// give the same result.
func foldCase(s string) string { return strings.Map(foldRune, s) }

// foldRune returns r in lower case. It converts r to upper case first, so that
// the two lower case forms of the Greek sigma become the same.
func foldRune(r rune) rune {
	if r < utf8.RuneSelf {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}
	return unicode.ToLower(unicode.ToUpper(r))
}

// Folded returns s in the form in which CONTAINS compares texts. Letters become
// lower case, full-width letters become narrow, and half-width kana become
// full. Spaces and line breaks that follow each other become one space. At the
// start, at the end and between Chinese characters they are removed.
func Folded(s string) string {
	if isFolded(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	last := rune(0) // the last character written; 0 before the first
	blank := false  // spaces stand after it
	for _, r := range s {
		if unicode.IsSpace(r) {
			blank = true
			continue
		}
		r = foldRune(narrow(r))
		if blank && last != 0 && !(isChinese(last) && isChinese(r)) {
			b.WriteByte(' ')
		}
		b.WriteRune(r)
		last, blank = r, false
	}
	return b.String()
}

// isFolded reports whether s is certain to equal Folded(s), so that no copy is
// needed. It may report false for a text that is equal.
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

// narrow returns the usual form of r if r is a full-width letter, digit or
// sign, and the full-width form if r is half-width kana. It returns other
// characters unchanged.
func narrow(r rune) rune {
	if r < 0xff00 || r > 0xffef {
		return r
	}
	if f := width.LookupRune(r).Folded(); f != 0 {
		return f
	}
	return r
}

// isChinese reports whether r is a Chinese character or a punctuation mark of
// Chinese text. A space between two of these has no meaning.
func isChinese(r rune) bool {
	return r >= 0x2e80 && (unicode.Is(unicode.Han, r) || 0x3001 <= r && r <= 0x303f)
}

// Contains reports whether text CONTAINS what, as the query language defines
// it: ignoring case, width and extra spaces. what must be a result of Folded.
func Contains(text, what string) bool { return strings.Contains(Folded(text), what) }
