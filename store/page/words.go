package page

import (
	"iter"
	"unicode"
	"unicode/utf8"
)

// Words ranges over the words of a text: runs of letters, marks and digits.
// Scripts that put no spaces between words (Chinese, Japanese, Thai) give a
// word for each letter. With each comes its place in the text, in bytes.
func Words(text string) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		s := scanner{text: text}
		for s.next() {
			if !yield(s.from, s.text[s.from:s.at]) {
				return
			}
		}
	}
}

// scanner reads the words of a text one by one.
type scanner struct {
	text     string
	from, at int  // the word read last
	letter   bool // it is a letter that is a word
}

// next reads the next word, and reports whether there is one.
func (s *scanner) next() bool {
	text, i := s.text, s.at
	for i < len(text) && text[i] < utf8.RuneSelf && class[text[i]]&classWord == 0 {
		i++
	}
	from := i
	for i < len(text) && class[text[i]]&classWord != 0 {
		i++
	}
	if i < len(text) && text[i] >= utf8.RuneSelf {
		return s.nextWide(from, i)
	}
	s.from, s.at, s.letter = from, i, false
	return from < i
}

// nextWide reads a word from a place on, of which at is the first letter that is not
// ASCII: the word may end before it.
func (s *scanner) nextWide(from, at int) bool {
	text := s.text
	begun := from < at
	for at < len(text) {
		_, alone := chineseLetter(text[at:])
		size, inWord := 3, false
		switch c := text[at]; {
		case alone:
		case c < utf8.RuneSelf:
			size, inWord = 1, class[c]&classWord != 0
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

// classOf reports whether a letter is a word alone, and whether it is part of one.
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

// markBlocks are the stretches of 64 in which nearly all marks of Chinese text are:
// 、。《》, ，！？： and “”—…. They take a third of the time that words of it take if
// each is looked up in the tables of Unicode.
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

// markBlock tells of each of 64 letters what it is, by a bit.
type markBlock struct {
	first         rune
	alone, inWord uint64
}

// The block in which nearly all Chinese letters are, and nothing else is.
const firstIdeograph, lastIdeograph = 0x4e00, 0x9fff

// chineseLetter decodes a letter of that block at the beginning of a text, which
// takes three bytes, and reports whether there is one.
func chineseLetter(text string) (rune, bool) {
	if len(text) < 3 || text[0] < 0xe4 || text[0] > 0xe9 || text[1]&0xc0 != 0x80 || text[2]&0xc0 != 0x80 {
		return 0, false
	}
	r := rune(text[0]&0x0f)<<12 | rune(text[1]&0x3f)<<6 | rune(text[2]&0x3f)
	return r, r >= firstIdeograph
}

// Ideograph reports whether r is a letter that Words takes for a word.
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
