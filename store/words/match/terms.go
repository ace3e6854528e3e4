package match

import (
	"slices"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Terms reads the terms of a text (its words, or single letters in scripts without spaces) one
// by one. The zero value has no text. Only one goroutine may use it.
type Terms struct {
	From, To int  // the term that was read last is text[From:To]
	Count    int  // number of terms read so far; the terms that Next leaves out count too
	Joined   bool // it directly follows the term before it in a run, see the package comment
	Letter   bool // it is a letter of a run

	text string
	term []byte
	// wanted is nil, or says as table.sizes which terms are of interest. Next then leaves out other
	// terms in ASCII.
	wanted *[256]uint64

	// ahead has the letters of text[from:to] after folding. They come from one letter of the
	// text, or from several that combine. The first taken of them were read already.
	ahead    []folded
	taken    int
	from, to int

	last  sort // single or chinese if the term read last is such a letter, otherwise parts
	apart bool // a character that separates words stands after the term read last
	space bool // a blank stands after the term read last
}

// Read prepares t to read the terms of text from the beginning.
func (t *Terms) Read(text string) {
	*t = Terms{text: text, term: t.term[:0], ahead: t.ahead[:0], wanted: t.wanted}
}

// Term returns the term that Next read last, folded. It is valid until the next call of Next.
func (t *Terms) Term() []byte { return t.term }

// ascii has the folded form of each ASCII letter and digit, and 0 for any other byte.
var ascii = func() (to [256]byte) {
	for c := range byte(utf8.RuneSelf) {
		switch {
		case c-'0' < 10, c-'a' < 26:
			to[c] = c
		case c-'A' < 26:
			to[c] = c | 0x20
		}
	}
	return to
}()

// Next reads the next term, and reports whether there is one.
func (t *Terms) Next() bool {
	t.term = t.term[:0]
	if t.taken == 0 && len(t.ahead) == 1 && t.to == t.from+1 { // an ASCII character after a word
		t.ahead, t.to = t.ahead[:0], t.from
	}
	if t.taken == len(t.ahead) && t.plain() {
		return true
	}
	for {
		l, ok := t.peek()
		if !ok {
			return false
		}
		t.From, t.To = t.from, t.to
		switch l.sort {
		case single, chinese:
			t.taken++
			t.Count++
			t.Letter = true
			t.Joined = t.last != parts && !t.apart && (!t.space || t.last == chinese && l.sort == chinese)
			t.term = utf8.AppendRune(t.term, l.letter)
			t.last, t.apart, t.space = l.sort, false, false
			t.trail()
			return true
		case blank:
			t.space = true
		case parts, quote:
			t.apart = true
		case nothing:
		default:
			t.word()
			return true
		}
		t.taken++
	}
}

// plain is a fast path of Next for terms in ASCII. If the next term, and all characters before
// it, are ASCII, plain reads the term and returns true. Otherwise it returns false; it may then
// have left out terms, and skipped characters between words.
//
// It leaves out terms in a loop of its own. When Next returned them as empty terms, a search for pages with three
// words took 10 % more CPU time, because its snippets come from the texts of whole pages.
func (t *Terms) plain() bool {
	text, i := t.text, t.to
	for {
		for i < len(text) && text[i] < utf8.RuneSelf && ascii[text[i]] == 0 {
			if c := text[i]; c == ' ' || c >= '\t' && c <= '\r' {
				t.space = true
			} else {
				t.apart = true
			}
			i++
		}
		from := i
		for i < len(text) && ascii[text[i]] != 0 {
			i++
		}
		if i == from || i < len(text) && (text[i] >= utf8.RuneSelf || text[i] == '\'') {
			t.to = from
			return false
		}
		t.begun()
		word := text[from:i]
		if t.wanted != nil && t.wanted[ascii[word[0]]]>>min(len(word), 63)&1 == 0 {
			continue
		}
		t.term = slices.Grow(t.term, len(word))[:len(word)]
		for k := range t.term {
			t.term[k] = ascii[word[k]]
		}
		t.From, t.To, t.to = from, i, i
		return true
	}
}

// begun sets the fields of t for a term that is a word, and not a letter of a run.
func (t *Terms) begun() {
	t.Count++
	t.Joined, t.Letter = false, false
	t.last, t.apart, t.space = parts, false, false
}

// word reads a word, whose first letter is the next one.
func (t *Terms) word() {
	t.begun()
	before := parts // sort of the letter that was taken last
	for {
		for t.taken == len(t.ahead) && t.to+1 < len(t.text) && t.text[t.to+1] < utf8.RuneSelf {
			// An ASCII letter or digit, with which nothing combines.
			c := t.text[t.to]
			if c >= utf8.RuneSelf || ascii[c] == 0 {
				break
			}
			if before = marked; c <= '9' {
				before = digit
			}
			t.term = append(t.term, ascii[c])
			t.to++
			t.To = t.to
		}
		l, ok := t.peek()
		if !ok {
			return
		}
		switch l.sort {
		case letter, marked, digit:
			t.term = utf8.AppendRune(t.term, l.letter)
			before = l.sort
		case mark:
			if before != marked {
				t.term = utf8.AppendRune(t.term, l.letter)
			}
		case nothing:
		case quote:
			if before != letter && before != marked || !t.letterAfter() {
				return
			}
			t.taken++
			continue
		default:
			return
		}
		t.To = t.to
		t.taken++
	}
}

// trail skips marks after a letter of a run.
func (t *Terms) trail() {
	for {
		l, ok := t.peek()
		if !ok || l.sort != mark {
			return
		}
		t.To = t.to
		t.taken++
	}
}

// letterAfter reports whether a letter of a word directly follows the apostrophe that is next.
func (t *Terms) letterAfter() bool {
	at := *t
	at.ahead = append([]folded(nil), t.ahead...)
	at.taken++
	l, ok := at.peek()
	for ok && l.sort == nothing {
		at.taken++
		l, ok = at.peek()
	}
	return ok && (l.sort == letter || l.sort == marked)
}

// combineMax is how many letters of a text are normalized together at most. Real
// letters consist of less than ten.
const combineMax = 64

// peek returns the next letter after folding, without reading it. The second result is false at
// the end of the text. Bytes that are no letter separate words.
func (t *Terms) peek() (folded, bool) {
	for t.taken == len(t.ahead) {
		t.ahead, t.taken, t.from = t.ahead[:0], 0, t.to
		if t.to == len(t.text) {
			return folded{}, false
		}
		r, size := utf8.DecodeRuneInString(t.text[t.to:])
		t.to += size
		f := formOf(r)
		n := 1
		for ; n < combineMax && t.to < len(t.text) && t.text[t.to] >= utf8.RuneSelf; n++ {
			r, size := utf8.DecodeRuneInString(t.text[t.to:])
			if !formOf(r).joins {
				break
			}
			t.to += size
		}
		switch {
		case n > 1:
			t.ahead = foldAll(t.ahead, norm.NFKC.String(t.text[t.from:t.to]))
		case f.more != nil:
			t.ahead = append(t.ahead, f.more...)
		case f.to.sort != nothing:
			t.ahead = append(t.ahead, f.to)
		}
	}
	return t.ahead[t.taken], true
}

// ReadPart prepares t to read text, which is a part of a longer text. Joined of its first term
// then says whether the term would join to a Chinese or Japanese letter at the end of the part
// before.
func (t *Terms) ReadPart(text string) {
	t.Read(text)
	t.last, t.space = chinese, true
}

// Shape returns the Shape of the text. Next must have returned false.
func (t *Terms) Shape() Shape {
	return Shape{Terms: t.Count, Open: t.Count > 0 && t.last == chinese && !t.apart, Parting: t.Count == 0 && t.apart}
}
