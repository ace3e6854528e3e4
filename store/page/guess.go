package page

import (
	"bytes"
	"encoding/binary"
	"unicode/utf8"
)

// Bounds of what a guess rests on.
const (
	// guessUnits is how many characters beyond ASCII are looked at.
	guessUnits = 4096
)

// unmarkedUnicode returns the charset of a body in UTF-16 or UTF-32 that has no byte
// order mark, or "". Markup, digits and spaces give it away: half their bytes, or
// three in four, are zero.
func unmarkedUnicode(body []byte) string {
	head := body[:min(len(body), 2048)&^3]
	if len(head) < 4 || bytes.IndexByte(head, 0) < 0 {
		return ""
	}
	var zeros [4]int
	for i, c := range head {
		if c == 0 {
			zeros[i%4]++
		}
	}
	n := len(head) / 4
	few, most := func(at int) bool { return zeros[at]*20 <= n }, func(at int) bool { return zeros[at]*10 >= n*9 }
	even, odd := zeros[0]+zeros[2], zeros[1]+zeros[3]
	switch {
	case most(0) && most(1) && few(3):
		return charsetUTF32BE
	case most(2) && most(3) && few(0):
		return charsetUTF32LE
	case odd*10 >= n && even*20 <= odd && valid16(head, highByte(charsetUTF16LE)):
		return charsetUTF16LE
	case even*10 >= n && odd*20 <= even && valid16(head, highByte(charsetUTF16BE)):
		return charsetUTF16BE
	}
	return ""
}

// valid16 reports whether head, in UTF-16 with the high bytes at high of each pair,
// has no control characters and no halves of surrogate pairs.
func valid16(head []byte, high int) bool {
	bad, pair := 0, false
	for i := 0; i+1 < len(head); i += 2 {
		h, l := head[i+high], head[i+1-high]
		switch {
		case h>>2 == 0xd8>>2:
			pair = true
			continue
		case (h>>2 == 0xdc>>2) != pair, h == 0 && l < ' ' && l != '\t' && l != '\n' && l != '\r':
			bad++
		}
		pair = false
	}
	return bad*100 <= len(head)
}

// highByte is the place of the high byte in each two of a charset of UTF-16.
func highByte(charset string) int {
	if charset == charsetUTF16LE {
		return 1
	}
	return 0
}

// escapes returns which of the charsets that are ASCII with escapes body is in, or "".
func escapes(body []byte) string {
	for rest := body; ; {
		i := bytes.IndexByte(rest, 0x1b)
		if i < 0 || len(rest)-i < 3 {
			break
		}
		rest = rest[i+1:]
		switch {
		case rest[0] == '$' && (rest[1] == 'B' || rest[1] == '@'), bytes.HasPrefix(rest, []byte("$(D")), rest[0] == '(' && (rest[1] == 'I' || rest[1] == 'J'):
			return charset2022JP
		case bytes.HasPrefix(rest, []byte("$)C")):
			return charset2022KR
		case bytes.HasPrefix(rest, []byte("$)A")):
			return charset2022CN
		}
	}
	if hasHZ(body) {
		return charsetHZ
	}
	return ""
}

// hasHZ reports whether the first escape of HZ in body ends, and holds pairs of
// bytes as its characters are.
func hasHZ(body []byte) bool {
	_, rest, found := bytes.Cut(body, []byte("~{"))
	if !found {
		return false
	}
	text, _, found := bytes.Cut(rest, []byte("~}"))
	if !found || len(text) == 0 || len(text)%2 != 0 {
		return false
	}
	for i := 0; i < len(text); i += 2 {
		if !in(text[i], 0x21, 0x77) || !in(text[i+1], 0x21, 0x7e) {
			return false
		}
	}
	return true
}

// countUTF8 counts, of up to guessUnits characters beyond ASCII in body, those
// that are valid UTF-8, and the bytes that are not. What a cut at the end has
// left does not count.
func countUTF8(body []byte) (good, bad int) {
	for i := 0; i < len(body) && good+bad < guessUnits; {
		if body[i] < utf8.RuneSelf {
			i += ascii(body[i:])
			continue
		}
		r, size := utf8.DecodeRune(body[i:])
		switch {
		case r != utf8.RuneError || size > 1:
			good++
		case utf8.FullRune(body[i:]):
			bad++
		}
		i += size
	}
	return good, bad
}

// ascii is how many bytes of ASCII b begins with, or fewer: it looks at eight at
// a time, and while there is nothing else at 32.
func ascii(b []byte) int {
	n := 0
	for ; len(b)-n >= 32; n += 32 {
		w := b[n : n+32 : n+32]
		if (binary.LittleEndian.Uint64(w)|binary.LittleEndian.Uint64(w[8:])|binary.LittleEndian.Uint64(w[16:])|binary.LittleEndian.Uint64(w[24:]))&highs != 0 {
			break
		}
	}
	for len(b)-n >= 8 && binary.LittleEndian.Uint64(b[n:])&highs == 0 {
		n += 8
	}
	return max(n, 1)
}

func in(c, from, to byte) bool { return from <= c && c <= to }
