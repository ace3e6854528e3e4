package article

import (
	"unicode"
	"unicode/utf8"
)

// token is a part of a text in which dates are looked for: a number, a word of letters, or
// one other character. White space is not a token.
type token struct {
	kind       tokenKind
	start, end int32 // the token is text[start:end]
	digits     int8  // for a number: how many digits it is written with; 0 for Chinese tens, such as 二十三
	spaced     bool  // white space comes before the token
	value      int32 // for a number: its value
	sign       rune  // for a sign: the character
}

type tokenKind uint8

const (
	number tokenKind = iota
	word
	sign // one character that is no letter or digit, or a Chinese or Japanese character
)

// tokensMax is the largest number of tokens of one text. Dates after them are
// not found.
const tokensMax = 400

// tokens appends the tokens of text to list, up to tokensMax.
func tokens(list []token, text string) []token {
	spaced := false
	for i := 0; i < len(text) && len(list) < tokensMax; {
		c := text[i]
		switch {
		case c == ' ' || c-'\t' < 5:
			spaced = true
			i++
			continue
		case c-'0' < 10:
			t := token{kind: number, start: int32(i), spaced: spaced}
			for ; i < len(text) && text[i]-'0' < 10; i++ {
				if t.digits < 20 {
					t.digits++
				}
				if t.digits <= 9 {
					t.value = t.value*10 + int32(text[i]-'0')
				}
			}
			t.end = int32(i)
			list = append(list, t)
		case letter(c):
			t := token{kind: word, start: int32(i), spaced: spaced}
			i = wordEnd(text, i)
			t.end = int32(i)
			list = append(list, t)
		case c < utf8.RuneSelf:
			list = append(list, token{kind: sign, start: int32(i), end: int32(i + 1), sign: rune(c), spaced: spaced})
			i++
		default:
			r, size := utf8.DecodeRuneInString(text[i:])
			if r == 0x3000 || r == 0xa0 || r == 0x202f || r == 0x200b || r == 0x2009 {
				spaced = true
				i += size
				continue
			}
			if t, ok := otherNumber(text, i); ok {
				t.spaced = spaced
				list = append(list, t)
				i = int(t.end)
				break
			}
			if t, ok := hanNumber(text, i); ok {
				t.spaced = spaced
				list = append(list, t)
				i = int(t.end)
				break
			}
			t := token{kind: sign, start: int32(i), end: int32(i + size), sign: r, spaced: spaced}
			if !unicode.Is(unicode.Han, r) && (unicode.IsLetter(r) || unicode.IsMark(r)) {
				t.kind, t.end = word, int32(wordEnd(text, i))
			}
			list = append(list, t)
			i = int(t.end)
		}
		spaced = false
	}
	return list
}

// letter reports whether c is an ASCII letter.
func letter(c byte) bool { return c|0x20-'a' < 26 }

// wordEnd returns the offset in text after the word of letters that begins at
// offset i.
func wordEnd(text string, i int) int {
	for i < len(text) {
		if c := text[i]; c < utf8.RuneSelf {
			if !letter(c) {
				break
			}
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		if r == utf8.RuneError || unicode.Is(unicode.Han, r) || !unicode.IsLetter(r) && !unicode.IsMark(r) {
			break
		}
		i += size
	}
	return i
}

// hanDigit returns the value of r, a Chinese or fullwidth digit: 0 to 9, or 10 for 十, 20 for 廿, 30
// for 卅. It returns -1 for any other character.
func hanDigit(r rune) int32 {
	if r >= '０' && r <= '９' {
		return r - '０'
	}
	switch r {
	case '〇', '○', '零', 'Ｏ', '◯', '０':
		return 0
	case '一', '元':
		return 1
	case '二':
		return 2
	case '三':
		return 3
	case '四':
		return 4
	case '五':
		return 5
	case '六':
		return 6
	case '七':
		return 7
	case '八':
		return 8
	case '九':
		return 9
	case '十':
		return 10
	case '廿':
		return 20
	case '卅':
		return 30
	}
	return -1
}

// hanNumber reads the number in Chinese or fullwidth digits that begins at i in text. ok is
// false if there is none, or if no unit follows, such as 年. A number is 二○○八, 8 as ８,
// 十五, 二十三 or 廿三.
func hanNumber(text string, i int) (t token, ok bool) {
	t = token{kind: number, start: int32(i)}
	tens, plain := false, int8(0)
	wide := true
	for n := 0; n < 8 && i < len(text); n++ {
		r, size := utf8.DecodeRuneInString(text[i:])
		d := hanDigit(r)
		if d < 0 {
			break
		}
		wide = wide && r >= '０' && r <= '９'
		if d >= 10 {
			if d == 10 && t.value > 0 && !tens {
				t.value *= 10
			} else {
				t.value += d
			}
			tens = true
		} else if tens {
			t.value += d
		} else {
			t.value = t.value*10 + d
			plain++
		}
		i += size
	}
	if t.end = int32(i); t.end == t.start {
		return t, false
	}
	if !tens {
		t.digits = plain
	}
	if wide {
		return t, true
	}
	unit, _ := utf8.DecodeRuneInString(text[i:])
	switch unit {
	case '年', '月', '日', '号', '號', '时', '時', '点', '點', '分', '小', '天', '周', '个', '個':
		return t, true
	}
	return t, false
}

// digitZeros are the zeros of decimal digits of other scripts: Arabic, Persian, Devanagari
// and Bengali.
var digitZeros = [...]rune{'٠', '۰', '०', '০'}

// otherNumber reads the number in digits of another script that begins at i in text. ok is
// false if there is none.
func otherNumber(text string, i int) (t token, ok bool) {
	t = token{kind: number, start: int32(i)}
	for i < len(text) {
		r, size := utf8.DecodeRuneInString(text[i:])
		d := rune(-1)
		for _, zero := range digitZeros {
			if r >= zero && r <= zero+9 {
				d = r - zero
			}
		}
		if d < 0 {
			break
		}
		if t.digits++; t.digits <= 9 {
			t.value = t.value*10 + d
		} else {
			t.digits = 20
		}
		i += size
	}
	t.end = int32(i)
	return t, t.end > t.start
}
