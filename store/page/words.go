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
		from := -1 // where the word being read starts
		for i := 0; i < len(text); {
			if c := text[i]; c < utf8.RuneSelf {
				if class[c]&classWord != 0 {
					if from < 0 {
						from = i
					}
					for i++; i < len(text) && class[text[i]]&classWord != 0; i++ {
					}
					continue
				}
				if from >= 0 {
					if !yield(from, text[from:i]) {
						return
					}
					from = -1
				}
				i++
				continue
			}
			r, size := utf8.DecodeRuneInString(text[i:])
			alone := Ideograph(r)
			inWord := !alone && (unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsNumber(r))
			if from >= 0 && !inWord {
				if !yield(from, text[from:i]) {
					return
				}
				from = -1
			}
			if inWord && from < 0 {
				from = i
			}
			if alone && !yield(i, text[i:i+size]) {
				return
			}
			i += size
		}
		if from >= 0 {
			yield(from, text[from:])
		}
	}
}

// Ideograph reports whether r is a letter that Words takes for a word.
func Ideograph(r rune) bool {
	switch {
	case r < 0x0e00:
		return false
	case r < 0x0e80: // Thai
		return unicode.IsLetter(r)
	case r < 0x3040:
		return r >= 0x2e80 && r < 0x3000 || r == 0x3005 || r == 0x3007
	case r < 0x3100, r >= 0x31f0 && r < 0x3200: // Kana
		return unicode.IsLetter(r)
	}
	return unicode.Is(unicode.Han, r)
}
