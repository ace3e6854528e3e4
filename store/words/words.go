// Package words says what a word is. It splits texts into words, hashes words,
// and compares texts by their words. It also looks up the words of names, such
// as class attributes. All functions are pure.
//
// # Words
//
//	word         a run of letters, marks and digits; in scripts without spaces, one letter
//	ideograph    a letter that is a word on its own, as in Chinese, Japanese and Thai
//	bag          the hashes of all words of a text, sorted
//	likeness     the share of words that two bags have in common, from 0 to 1
//	fingerprint  64 bits computed from the words of a text; similar texts differ in few bits
package words

import (
	"iter"
	"unicode"
	"unicode/utf8"
)

// Of ranges over the words of a text: runs of letters, marks and digits. In
// scripts that put no spaces between words (Chinese, Japanese, Thai), each letter
// is a word. The first value is the offset of the word in bytes, and the second
// the word.
func Of(text string) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		s := scanner{text: text}
		for s.next() {
			if !yield(s.from, s.text[s.from:s.at]) {
				return
			}
		}
	}
}

// Count returns the number of words in a text.
func Count(text string) int {
	n := 0
	for range Of(text) {
		n++
	}
	return n
}

// Least reports whether a text has at least n words. n must be at least 1.
func Least(text string, n int) bool {
	for range Of(text) {
		if n--; n == 0 {
			return true
		}
	}
	return false
}

// inWords has true for each ASCII character that may be part of a word: letters,
// digits and "_".
var inWords = func() (in [256]bool) {
	for c := range byte(utf8.RuneSelf) {
		in[c] = c == '_' || isLetter(c) || c-'0' < 10
	}
	return in
}()

// scanner reads the words of a text one by one.
type scanner struct {
	text     string
	from, at int  // the word that was read last is text[from:at]
	letter   bool // that word is a single letter in a script without spaces
}

// next reads the next word into s and reports whether there is one.
func (s *scanner) next() bool {
	text, i := s.text, s.at
	for i < len(text) && text[i] < utf8.RuneSelf && !inWords[text[i]] {
		i++
	}
	from := i
	for i < len(text) && inWords[text[i]] {
		i++
	}
	if i < len(text) && text[i] >= utf8.RuneSelf {
		return s.nextWide(from, i)
	}
	s.from, s.at, s.letter = from, i, false
	return from < i
}

// nextWide does the work of next if a letter outside ASCII is met. at is the
// offset of this letter. If from < at, a word has begun at offset from; it may
// end before the letter. nextWide reports whether there is a word.
func (s *scanner) nextWide(from, at int) bool {
	text := s.text
	begun := from < at
	for at < len(text) {
		_, alone := chineseLetter(text[at:])
		size, inWord := 3, false
		switch c := text[at]; {
		case alone:
		case c < utf8.RuneSelf:
			size, inWord = 1, inWords[c]
		default:
			var r rune
			r, size = utf8.DecodeRuneInString(text[at:])
			alone, inWord = classOf(r)
		}
		if begun && !inWord {
			break
		}
		if alone {
			s.from, s.at, s.letter = at, at+size, true
			return true
		}
		if inWord && !begun {
			from, begun = at, true
		}
		at += size
	}
	s.from, s.at, s.letter = from, at, false
	return begun
}

// classOf returns two properties of a letter: whether it is a word on its own
// (alone), and whether it is part of a longer word (inWord).
func classOf(r rune) (alone, inWord bool) {
	for i := range markBlocks {
		if b := &markBlocks[i]; r>>6 == b.first>>6 {
			return b.alone>>(r&63)&1 != 0, b.inWord>>(r&63)&1 != 0
		}
	}
	return lookUp(r)
}

func lookUp(r rune) (alone, inWord bool) {
	alone = Ideograph(r)
	return alone, !alone && (unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsNumber(r))
}

// markBlocks are the groups of 64 code points that have nearly all punctuation of
// Chinese text: 、。《》, ，！？： and “”—…. With them, classOf need not look up each of
// these characters in the tables of Unicode, which would take a third of the time
// of Of.
var markBlocks = func() (blocks [3]markBlock) {
	for i, first := range []rune{0x3000, 0xff00, 0x2000} {
		b := &blocks[i]
		b.first = first
		for bit := range rune(64) {
			switch alone, inWord := lookUp(first + bit); {
			case alone:
				b.alone |= 1 << bit
			case inWord:
				b.inWord |= 1 << bit
			}
		}
	}
	return blocks
}()

// markBlock has the two results of classOf for 64 code points: bit i of alone and
// of inWord is for code point first+i.
type markBlock struct {
	first         rune
	alone, inWord uint64
}

// firstIdeograph and lastIdeograph are the first and the last code point of the
// block of Unicode that has nearly all Chinese letters and nothing else.
const firstIdeograph, lastIdeograph = 0x4e00, 0x9fff

// chineseLetter decodes the letter at the start of text, if it is from
// firstIdeograph to lastIdeograph. Such a letter takes three bytes. The second
// result is false for any other letter.
func chineseLetter(text string) (rune, bool) {
	if len(text) < 3 || text[0] < 0xe4 || text[0] > 0xe9 || text[1]&0xc0 != 0x80 || text[2]&0xc0 != 0x80 {
		return 0, false
	}
	r := rune(text[0]&0x0f)<<12 | rune(text[1]&0x3f)<<6 | rune(text[2]&0x3f)
	return r, r >= firstIdeograph
}

// Ideograph reports whether r is a letter of a script without spaces, which Of
// returns as a word on its own.
func Ideograph(r rune) bool {
	switch {
	case r < 0x0e00:
		return false
	case r >= firstIdeograph && r <= lastIdeograph:
		return true
	case r < 0x0e80: // Thai
		return unicode.IsLetter(r)
	case r < 0x3040:
		return r >= 0x2e80 && r < 0x3000 || r == 0x3005 || r == 0x3007
	case r < 0x3100, r >= 0x31f0 && r < 0x3200: // Kana
		return unicode.IsLetter(r)
	}
	return unicode.Is(unicode.Han, r)
}
