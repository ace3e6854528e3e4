package words

import (
	"testing"
	"unicode"
	"unicode/utf8"
)

// TestWords splits a text of several scripts.
func TestWords(t *testing.T) {
	var got string
	for at, w := range Of("It's 2008年6月: déjà-vu, kafka_2 中文") {
		if at < 0 {
			t.Error("negative place")
		}
		got += w + "|"
	}
	if want := "It|s|2008|年|6|月|déjà|vu|kafka_2|中|文|"; got != want {
		t.Errorf("words = %s, want %s", got, want)
	}
}

// plainWords is Of by its definition, a letter at a time. A word that is one letter
// is marked.
func plainWords(text string) (words []string, at []int, letter []bool) {
	begun := -1
	add := func(from, to int, is bool) {
		words, at, letter = append(words, text[from:to]), append(at, from), append(letter, is)
	}
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		inWord := !Ideograph(r) && (r == '_' || unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsNumber(r))
		if begun >= 0 && !inWord {
			add(begun, i, false)
			begun = -1
		}
		if inWord && begun < 0 {
			begun = i
		}
		if i += size; Ideograph(r) {
			add(i-size, i, true)
		}
	}
	if begun >= 0 {
		add(begun, len(text), false)
	}
	return words, at, letter
}

// TestIdeographs holds the block of Chinese letters, and those of their marks, against
// the tables of Unicode.
func TestIdeographs(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		alone, inWord := classOf(r)
		if wantAlone, wantIn := lookUp(r); alone != wantAlone || inWord != wantIn {
			t.Errorf("%U is a word %v, in words %v; want %v, %v", r, alone, inWord, wantAlone, wantIn)
		}
	}
	for r := rune(firstIdeograph); r <= lastIdeograph; r++ {
		if !unicode.Is(unicode.Han, r) || unicode.ToLower(r) != r {
			t.Errorf("%U is not in the script Han, or has a lower case", r)
		}
	}
	for r := rune(0); r <= unicode.MaxRune; r++ {
		got, is := chineseLetter(string(r))
		if in := r >= firstIdeograph && r <= lastIdeograph; is != in || in && got != r {
			t.Errorf("%U is decoded to %U, %v", r, got, is)
		}
	}
	for _, text := range []string{"", "\xe4\xb8", "\xe4\xb8a", "\xe4a\x80", "\xea\x80\x80"} {
		if _, is := chineseLetter(text); is {
			t.Errorf("%q is taken for a letter", text)
		}
	}
}
