package places

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"infomall/store/words/cut"
	"infomall/store/words/match"
)

// verdict says whether a name in a text means the place, and how certain that is.
type verdict uint8

const (
	plain     verdict = iota // the place, as far as the words around it say
	supported                // the place: the words around it say so
	other                    // a club or a person
	otherName                // something else that has the name in it, such as a newspaper or an address on the web
)

// smallWord is the most bytes that a word such as "of" or "zu" has.
const smallWord = 3

// judge returns what the tokens from i up to j, which spell the name x, mean. It serves scripts
// with spaces between words.
func (f *finder) judge(x *name, i, j int) verdict {
	l := lists()
	from, to := f.tokens[i].from, f.tokens[j-1].to
	if f.inAddress(from, to) {
		return otherName
	}
	if x.user {
		return supported
	}
	before, beforeUpper, start := f.before(i)
	after, afterUpper := f.after(j)
	switch {
	case l.clubBefore[before], l.clubAfter[after]:
		return other
	case l.after[after], before != "" && len(before) <= smallWord && i > 1 && l.beforeOf[f.text[f.tokens[i-2].from:f.tokens[i-2].to]]:
		return otherName
	case l.given[before], f.initial(i):
		return other
	case x.person && afterUpper && f.language != "de":
		return otherName
	}
	if strings.Contains(l.at[before], f.language) {
		return supported
	}
	if x.strength != strong && f.language != "de" && (beforeUpper && !start || afterUpper) {
		return otherName
	}
	return plain
}

// inAddress reports whether the bytes between the offsets from and to are a part of a web or mail
// address.
func (f *finder) inAddress(from, to int) bool {
	if from > 0 && strings.IndexByte("/@_=&?", f.text[from-1]) >= 0 {
		return true
	}
	if from > 1 && f.text[from-1] == '.' && isSmall(f.text[from-2]) && to < len(f.text) && (f.text[to] == '.' || f.text[to] == '/') {
		return true // www.Berlin.de
	}
	if to+1 < len(f.text) {
		switch next := f.text[to+1]; f.text[to] {
		case '@', '_', '=':
			return true
		case '.':
			return isSmall(next)
		}
	}
	return false
}

func isSmall(c byte) bool { return 'a' <= c && c <= 'z' }

// before returns the word before token i, whether it begins with a capital letter, and whether it
// is the first word of a sentence. The word is "" unless exactly one blank is between it and the
// token.
func (f *finder) before(i int) (word string, upper, start bool) {
	if i == 0 {
		return "", false, false
	}
	t := &f.tokens[i-1]
	if t.wide || !oneBlank(f.text[t.to:f.tokens[i].from]) {
		return "", false, false
	}
	start = i == 1 || !oneBlank(f.text[f.tokens[i-2].to:t.from]) && f.text[f.tokens[i-2].to:t.from] != "-"
	return f.text[t.from:t.to], t.upper, start
}

// initial reports whether the word before token i is an initial, as in J. London.
func (f *finder) initial(i int) bool {
	if i == 0 {
		return false
	}
	t := &f.tokens[i-1]
	return t.upper && t.to-t.from == 1 && f.text[t.to:f.tokens[i].from] == ". "
}

// after returns the word at token j, which follows a name, and whether it begins with a capital
// letter. The word is "" unless exactly one blank is between the name and the word.
func (f *finder) after(j int) (word string, upper bool) {
	if j >= len(f.tokens) {
		return "", false
	}
	t := &f.tokens[j]
	if t.wide || !oneBlank(f.text[f.tokens[j-1].to:t.from]) {
		return "", false
	}
	return f.text[t.from:t.to], t.upper
}

func oneBlank(gap string) bool { return gap == " " || gap == "\u00a0" }

var cutter = cut.Cutter{Fold: match.Simplified}

// judgeWide returns what the tokens from i up to j, which spell the name x, mean. It serves scripts
// without spaces between words.
func (f *finder) judgeWide(x *name, i, j int) verdict {
	if x.user {
		return supported
	}
	l := lists()
	from, to := f.tokens[i].from, f.tokens[j-1].to
	if strings.HasSuffix(f.text[:from], "·") || strings.HasPrefix(f.text[to:], "·") {
		return other
	}
	for _, club := range l.clubChinese {
		if strings.HasPrefix(f.text[to:], club) {
			return other
		}
	}
	if r, _ := utf8.DecodeLastRuneInString(f.text[:from]); unicode.Is(unicode.Katakana, r) && unicode.Is(unicode.Katakana, rune(f.tokens[i].id)) {
		return otherName
	}
	if r, _ := utf8.DecodeRuneInString(f.text[to:]); unicode.In(r, unicode.Katakana) && unicode.Is(unicode.Katakana, rune(f.tokens[j-1].id)) {
		return otherName
	}
	before, after, whole := f.around(i, j)
	switch {
	case !whole, l.afterChinese[after]:
		return otherName
	case strings.Contains(l.at[before], "zh"):
		return supported
	}
	return plain
}

// around returns the words before and after the tokens from i up to j, as package cut divides the
// letters around them into words. A word is "" if there is none. whole is false if the tokens begin
// or end inside a word.
func (f *finder) around(i, j int) (before, after string, whole bool) {
	from, to := f.tokens[i].from, f.tokens[j-1].to
	if from < f.runFrom || to > f.runTo {
		first, last := i, j-1
		for first > 0 && f.tokens[first-1].wide && f.tokens[first-1].to == f.tokens[first].from {
			first--
		}
		for last+1 < len(f.tokens) && f.tokens[last+1].wide && f.tokens[last].to == f.tokens[last+1].from {
			last++
		}
		f.runFrom, f.runTo = f.tokens[first].from, f.tokens[last].to
		f.bounds = f.bounds[:0]
		for at := range cutter.Of(f.text[f.runFrom:f.runTo]) {
			f.bounds = append(f.bounds, f.runFrom+at)
		}
		f.bounds = append(f.bounds, f.runTo)
	}
	a, okA := slices.BinarySearch(f.bounds, from)
	b, okB := slices.BinarySearch(f.bounds, to)
	if !okA || !okB {
		return "", "", false
	}
	if a > 0 {
		before = f.text[f.bounds[a-1]:from]
	}
	if b+1 < len(f.bounds) {
		after = f.text[to:f.bounds[b+1]]
	}
	return before, after, true
}
