package match

import (
	_ "embed"
	"strings"
	"sync"
	"sync/atomic"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// sort is the kind of a folded letter, which decides how terms are read.
type sort uint8

const (
	parts   sort = iota // a character that separates words
	blank               // white space: separates words, but is left out between two letters of a run
	quote               // an apostrophe
	letter              // part of a word
	marked              // part of a word, whose marks are left out: Latin and Greek
	digit               // a digit, part of a word
	mark                // a mark: part of the word or run before it
	single              // a letter of a run
	chinese             // a letter of a run in a script in which blanks mean nothing: Chinese, Japanese
	nothing             // left out
)

// folded is a letter in the form in which letters are compared.
type folded struct {
	letter rune
	sort   sort
}

// form is the result of folding one letter of a text.
type form struct {
	to   folded   // the only letter of the result, if there is one
	more []folded // all letters of the result, if there are more than one
	// joins is set if the letter may combine with the letter before it, so that both
	// must be normalized together.
	joins bool
}

// page has the forms of 256 letters in a row.
type page [256]form

// pages has the page of each letter that was asked for; the others are nil.
var pages [(unicode.MaxRune + 1) >> 8]atomic.Pointer[page]

// formOf returns the result of folding a letter.
func formOf(r rune) *form {
	p := pages[r>>8].Load()
	if p == nil {
		p = newPage(r &^ 0xff)
		pages[r>>8].Store(p)
	}
	return &p[r&0xff]
}

func newPage(first rune) *page {
	p := new(page)
	for i := range p {
		r := first + rune(i)
		f := &p[i]
		s := string(r)
		f.joins = utf8.ValidRune(r) && !norm.NFKC.PropertiesString(s).BoundaryBefore()
		switch all := foldAll(nil, norm.NFKC.String(s)); len(all) {
		case 0:
			f.to.sort = nothing
		case 1:
			f.to = all[0]
		default:
			f.more = all
		}
	}
	return p
}

var caser = cases.Fold()

// foldAll appends to dst the letters of a text after folding. The text must be in the form
// NFKC.
func foldAll(dst []folded, text string) []folded {
	if strings.ContainsFunc(text, mayFold) {
		text = norm.NFKC.String(caser.String(text))
	}
	for _, r := range text {
		s := sortOf(r)
		if s == letter && hasMarks(r) {
			s = marked
			r, _ = utf8.DecodeRuneInString(norm.NFD.String(string(r)))
		}
		switch {
		case r == 'ё':
			r = 'е'
		case r == 'ı':
			r, s = 'i', marked
		case 0xab70 <= r && r <= 0xabbf: // Cherokee: Unicode folds to the capital letters, and caser to the small ones
			r -= 0xab70 - 0x13a0
		case 0x13f8 <= r && r <= 0x13fd: // the same
			r -= 8
		case s == chinese:
			if to, ok := simplified()[r]; ok {
				r = to
			}
		}
		if n := len(dst); s == nothing || s == mark && n > 0 && dst[n-1].sort == marked {
			continue
		}
		dst = append(dst, folded{r, s})
	}
	return dst
}

// mayFold reports whether the case folder may change a letter in the form NFKC. It changes no
// letter of the category Lo, which has the letters of scripts without case. The check makes a
// page of Chinese letters in a third of the time.
func mayFold(r rune) bool { return !unicode.Is(unicode.Lo, r) }

// hasMarks reports whether the letter r loses its marks when it is folded.
func hasMarks(r rune) bool { return unicode.In(r, unicode.Latin, unicode.Greek) }

// sortOf returns the sort of a letter that is folded, except that it may still have marks.
func sortOf(r rune) sort {
	switch {
	case r == 0xad, unicode.Is(unicode.Cf, r), unicode.Is(unicode.Variation_Selector, r):
		return nothing
	case r == 'ـ': // only makes an Arabic word wider
		return nothing
	case unicode.IsSpace(r):
		return blank
	case r == '\'' || r == '’' || r == 'ʼ':
		return quote
	case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) && !unicode.IsPunct(r) && !unicode.IsSymbol(r), r == 'ー', r == '々', r == '〆':
		return chinese
	case unicode.In(r, unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar) && (unicode.IsLetter(r) || unicode.IsMark(r)):
		return single
	case unicode.IsMark(r):
		if unicode.In(r, unicode.Hebrew, unicode.Arabic) || 0x064b <= r && r <= 0x0670 {
			return nothing // points
		}
		return mark
	case unicode.IsLetter(r):
		return letter
	case unicode.IsNumber(r):
		return digit
	}
	return parts
}

//go:embed simplified.txt
var simplifiedList string

// simplified returns the simplified letter of each traditional Chinese letter.
var simplified = sync.OnceValue(func() map[rune]rune {
	to := make(map[rune]rune)
	for line := range strings.Lines(simplifiedList) {
		if line[0] == '#' {
			continue
		}
		letters := []rune(strings.TrimSpace(line))
		for i := 0; i+1 < len(letters); i += 2 {
			to[letters[i]] = letters[i+1]
		}
	}
	return to
})

// Simplified returns the simplified form of a traditional Chinese letter. It returns any other
// character unchanged.
func Simplified(r rune) rune {
	if r < 0x2e80 || r > unicode.MaxRune || !unicode.Is(unicode.Han, r) {
		return r
	}
	if f := formOf(r); f.more == nil && f.to.sort == chinese {
		return f.to.letter
	}
	return r
}

// AppendFolded appends a word to dst, folded as terms are: in lower case, and without the marks
// of Latin and Greek letters. It returns the longer slice.
func AppendFolded(dst []byte, word string) []byte {
	for _, r := range word {
		if r < utf8.RuneSelf {
			if 'A' <= r && r <= 'Z' {
				r += 'a' - 'A'
			}
			dst = append(dst, byte(r))
			continue
		}
		f := formOf(r)
		if f.more != nil {
			for _, x := range f.more {
				dst = utf8.AppendRune(dst, x.letter)
			}
		} else if f.to.sort != nothing && f.to.sort != mark {
			dst = utf8.AppendRune(dst, f.to.letter)
		}
	}
	return dst
}
