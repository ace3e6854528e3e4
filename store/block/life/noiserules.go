package life

import (
	_ "embed"
	"maps"
	"regexp"
	"regexp/syntax"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"infomall/store/words"
)

//go:embed noise.txt
var noiseList string

// noiseRules are the rules of noise.txt, which match dates, counters and other
// text that may change without a change of content.
//
// Trying the rules at every place of a text took nine tenths of the time of
// substantial. So a text is cut at barriers: words and letters that occur in no
// rule, so that no match contains one. The rules are tried only in the pieces
// between barriers, and only if a piece has the characters that every match has
// (see pieceMarks). On the versions of a documentation site, finding which
// changes are substantial takes 2.5 s instead of 30.6 s.
type noiseRules struct {
	match   *regexp.Regexp  // all rules as one expression, with a group for each rule
	reasons []string        // reasons[i] is the reason of rule i
	words   map[string]bool // the words of ASCII letters that may be in a match, in lower case
	letters map[rune]bool   // the letters beyond ASCII that may be in a match
}

var rules = sync.OnceValue(func() *noiseRules {
	r := &noiseRules{words: make(map[string]bool), letters: make(map[rune]bool)}
	var names, groups []string
	for line := range strings.Lines(noiseList) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		if name, list, ok := strings.Cut(line, " = "); ok {
			names = append(names, "${"+name+"}", list)
			continue
		}
		reason, rule, _ := strings.Cut(line, ": ")
		rule = strings.NewReplacer(names...).Replace(rule)
		groups = append(groups, "("+rule+")")
		r.reasons = append(r.reasons, reason)
		r.name(rule)
	}
	for c := 'a'; c <= 'z'; c++ {
		r.addLetter(c) // ſ and K match s and k
	}
	r.match = regexp.MustCompile("(?i)" + strings.Join(groups, "|"))
	return r
})

// name adds to r the words and letters that may be part of a match of the rule.
func (r *noiseRules) name(rule string) {
	tree, err := syntax.Parse(rule, syntax.Perl)
	if err != nil {
		panic("life: noise.txt: " + err.Error())
	}
	for x := range r.spellings(tree) {
		r.words[x.head], r.words[x.tail] = true, true
	}
	r.nameLetters(tree)
}

func (r *noiseRules) nameLetters(tree *syntax.Regexp) {
	switch tree.Op {
	case syntax.OpLiteral:
		for _, c := range tree.Rune {
			r.addLetter(c)
		}
	case syntax.OpCharClass:
		for i := 0; i < len(tree.Rune); i += 2 {
			for c := tree.Rune[i]; c <= tree.Rune[i+1]; c++ {
				r.addLetter(c)
			}
		}
	}
	for _, sub := range tree.Sub {
		r.nameLetters(sub)
	}
}

// addLetter adds to r.letters the letter c, and the letters that differ from c only in case. It
// leaves out ASCII letters.
func (r *noiseRules) addLetter(c rune) {
	for f := c; ; {
		if f >= utf8.RuneSelf {
			r.letters[f] = true
		}
		if f = unicode.SimpleFold(f); f == c {
			return
		}
	}
}

// spelling has the ASCII letters at the beginning and at the end of a text that a rule may
// match. head has the letters before the first other character, and tail those after the last
// one. If there is no other character, apart is false, head has all letters, and tail is "".
type spelling struct {
	head, tail string
	apart      bool
}

// gap is the spelling of a text without ASCII letters.
var gap = spelling{apart: true}

// spellings returns the spellings of all texts that a part of a rule may match, and adds the
// words inside these texts to r.words. A class of characters with digits, such as hexadecimal
// digits, has the spelling gap: its letters form no words, see barrierAt.
func (r *noiseRules) spellings(tree *syntax.Regexp) map[spelling]bool {
	out := make(map[spelling]bool)
	switch tree.Op {
	case syntax.OpLiteral:
		all := spelling{}
		for _, c := range tree.Rune {
			all = r.join(all, spell(c))
		}
		out[all] = true
	case syntax.OpCharClass:
		out[gap] = true
		for i := 0; i < len(tree.Rune); i += 2 {
			for c := tree.Rune[i]; c <= min(tree.Rune[i+1], unicode.MaxASCII); c++ {
				if '0' <= c && c <= '9' {
					return map[spelling]bool{gap: true}
				}
				out[spell(c)] = true
			}
		}
	case syntax.OpConcat:
		out[spelling{}] = true
		for _, sub := range tree.Sub {
			longer := make(map[spelling]bool)
			for tail := range r.spellings(sub) {
				for head := range out {
					longer[r.join(head, tail)] = true
				}
			}
			out = longer
		}
	case syntax.OpAlternate, syntax.OpCapture, syntax.OpQuest, syntax.OpStar, syntax.OpPlus, syntax.OpRepeat:
		for _, sub := range tree.Sub {
			maps.Copy(out, r.spellings(sub))
		}
		if tree.Op == syntax.OpQuest || tree.Op == syntax.OpStar {
			out[spelling{}] = true
		}
	default: // matches no character
		out[spelling{}] = true
	}
	return out
}

// join returns the spelling of two texts that follow each other.
func (r *noiseRules) join(a, b spelling) spelling {
	switch {
	case a.apart && b.apart:
		r.words[a.tail+b.head] = true
		return spelling{a.head, b.tail, true}
	case a.apart:
		return spelling{a.head, a.tail + b.head, true}
	}
	return spelling{a.head + b.head, b.tail, b.apart}
}

// spell returns the spelling of a character.
func spell(c rune) spelling {
	if c < utf8.RuneSelf && isLetter(byte(c)) {
		return spelling{head: string(c | 0x20)}
	}
	return gap
}

// barrierAt returns the offset at which the barrier that begins at text[at:] ends, or 0 if none
// begins there. A barrier is a letter beyond ASCII, or a word of ASCII letters, that occurs in
// no rule. The word must stand between blanks or punctuation marks that are part of no address
// and no hexadecimal number.
func (r *noiseRules) barrierAt(text string, at int) int {
	if text[at] >= utf8.RuneSelf {
		c, size := utf8.DecodeRuneInString(text[at:])
		if r.letters[c] {
			return 0
		}
		return at + size
	}
	if !isLetter(text[at]) || at > 0 && !partsWords[text[at-1]] {
		return 0
	}
	end := skip(text, at, isLetter)
	if end < len(text) && !partsWords[text[end]] || end-at <= longestNamed && r.words[strings.ToLower(text[at:end])] {
		return 0
	}
	return end
}

// longestNamed is at least the length of the longest word in a rule, in bytes.
const longestNamed = 16

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// partsWords are the ASCII characters that may stand beside a barrier.
var partsWords = func() (set [256]bool) {
	for _, c := range " \t\n\f\r.,;:!?()\"'" {
		set[c] = true
	}
	return set
}()

// pieceMarks says which kinds of characters occur in a piece of a text. Without some of them,
// no rule can match.
type pieceMarks struct {
	number, letter bool
	joined         bool // the piece has a sign that can be part of a match without letters, as in 2008-06-01, 12:30 or sid=7; see joins
}

// may reports whether a rule may match in the piece. It is false for pages that
// are only decimal numbers: trying the rules on them took half of the time of
// their import.
func (m *pieceMarks) may() bool { return m.number && m.letter || m.joined }

// see adds to m the number, word or single character that begins at text[at:].
// It returns the offset in text after it.
func (m *pieceMarks) see(text string, at int) int {
	switch c := text[at]; {
	case isDigit(c):
		m.number = true
		return skip(text, at, isDigit)
	case isLetter(c):
		m.letter = true
		return skip(text, at, isLetter)
	case c >= utf8.RuneSelf:
		m.letter = true
		_, size := utf8.DecodeRuneInString(text[at:])
		return at + size
	case joins(text, at):
		m.joined = true
	}
	return at + 1
}

// joins reports whether text[at] is a sign that can be part of a match without letters. Each
// match without letters has one of these: "=", a hyphen between hexadecimal digits, a colon
// between digits, or a slash or full stop that is followed by one or two digits and another
// slash or full stop.
func joins(text string, at int) bool {
	between := func(is func(byte) bool) bool {
		return at > 0 && is(text[at-1]) && at+1 < len(text) && is(text[at+1])
	}
	switch text[at] {
	case '=':
		return true
	case '-':
		return between(isHex)
	case ':':
		return between(isDigit)
	case '/', '.':
		end := skip(text, at+1, isDigit)
		return (end == at+2 || end == at+3) && end < len(text) && (text[end] == '/' || text[end] == '.')
	}
	return false
}

// skip returns the offset of the first character from text[at] on for which the
// function is returns false, or len(text) if there is none.
func skip(text string, at int, is func(byte) bool) int {
	for at < len(text) && is(text[at]) {
		at++
	}
	return at
}

func isDigit(c byte) bool { return c-'0' < 10 }

func isHex(c byte) bool { return isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'f' }

// eachNoise calls f for each range text[from:to] that a rule matches, in order.
// reason is the reason of the rule.
func eachNoise(text string, f func(from, to int, reason string)) {
	r := rules()
	piece := 0 // offset at which the current piece begins
	var marks pieceMarks
	try := func(end int) {
		may := marks.may()
		if marks = (pieceMarks{}); !may {
			return
		}
		for _, m := range r.match.FindAllStringSubmatchIndex(text[piece:end], -1) {
			for i, reason := range r.reasons {
				if m[2*i+2] >= 0 {
					f(piece+m[0], piece+m[1], reason)
				}
			}
		}
	}
	for at := 0; at < len(text); {
		if end := r.barrierAt(text, at); end > 0 {
			try(at)
			at, piece = end, end
			continue
		}
		at = marks.see(text, at)
	}
	try(len(text))
}

// hasOther reports whether text has a barrier (a word that no rule matches) that occurs nowhere
// in other. The two texts then differ in more than noise. Most substantial changes are found in
// this way, without trying the rules. An import of a documentation site then takes 1.03 times
// as long as without the senses of its versions, instead of 1.11 times.
func hasOther(text, other string) bool {
	r := rules()
	var known map[string]bool // the words of other
	for at, tries := 0, 0; at < len(text) && tries < otherTries; {
		end := r.barrierAt(text, at)
		if end == 0 {
			at += max(1, skip(text, at, isLetter)-at)
			continue
		}
		word := text[at:end]
		at = end
		if known == nil {
			known = make(map[string]bool)
			for _, w := range words.Of(other) {
				known[w] = true
			}
		}
		if known[word] || !words.Least(word, 1) {
			continue
		}
		if !strings.Contains(other, word) {
			return true
		}
		known[word] = true // as a part of longer words
		tries++
	}
	return false
}

// otherTries is the largest number of words of text that hasOther looks up in
// the other text.
const otherTries = 64

// withoutCommon returns old and new without most of their common beginning and of their common
// end. It cuts only at barriers, so the words and the matches of rules in the rest stay the
// same.
func withoutCommon(old, new string) (string, string) {
	r := rules()
	most := min(len(old), len(new))
	n := 0
	for n < most && old[n] == new[n] {
		n++
	}
	n = r.cutBefore(old[:n])
	old, new, most = old[n:], new[n:], most-n
	n = 0
	for n < most && old[len(old)-1-n] == new[len(new)-1-n] {
		n++
	}
	n = r.cutAfter(old[len(old)-n:])
	return old[:len(old)-n], new[:len(new)-n]
}

// cutReach is how many bytes before the first difference of two texts, and
// after the last one, withoutCommon searches for a barrier.
const cutReach = 200

// cutBefore returns how many bytes can be cut from the beginning of texts that
// all begin with common: everything up to the end of the last barrier in
// common. If the barrier is a word, another character of common must follow it,
// so that the word ends there in each of the texts.
func (r *noiseRules) cutBefore(common string) int {
	for at := len(common) - 1; at >= 0 && at > len(common)-cutReach; at-- {
		if !utf8.RuneStart(common[at]) || !startsWord(common, at) {
			continue
		}
		if end := r.barrierAt(common, at); end > 0 && (end < len(common) || alone(common[at:end])) {
			return end
		}
	}
	return 0
}

// cutAfter returns how many bytes can be cut from the end of texts that all end
// with common: everything from the first barrier in common on. If the barrier
// is a word, another character of common must come before it.
func (r *noiseRules) cutAfter(common string) int {
	for at := 0; at < len(common) && at < cutReach; at++ {
		if !utf8.RuneStart(common[at]) || !startsWord(common, at) {
			continue
		}
		if end := r.barrierAt(common, at); end > 0 && (at > 0 || alone(common[:end])) {
			return len(common) - at
		}
	}
	return 0
}

// startsWord reports whether a word begins at text[at:], or an ideograph, which is a word by
// itself.
func startsWord(text string, at int) bool {
	if text[at] >= utf8.RuneSelf {
		c, size := utf8.DecodeRuneInString(text[at:])
		return size > 1 && words.Ideograph(c)
	}
	return isLetter(text[at]) && (at == 0 || !isLetter(text[at-1]))
}

// alone reports whether a barrier is a letter that is a word on its own.
func alone(barrier string) bool { return barrier[0] >= utf8.RuneSelf }
