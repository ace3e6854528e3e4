package charset

import (
	"bytes"
	"encoding/binary"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// The limits of guesses.
const (
	// guessUnits is the largest number of characters outside ASCII that
	// countUTF8 checks.
	guessUnits = 4096
	// hanLetters is the least number of letters for which chinese16 can return
	// true.
	hanLetters = 8
)

// wideBytes is how many bytes of a body Wide reads.
const wideBytes = 4 << 10

// Wide returns the charset, such as "utf-16le", of a body in UTF-16 or UTF-32. It returns "" for
// any other body, and if the first bytes decode to characters that no text has.
func Wide(body []byte) string {
	head := body[:min(len(body), wideBytes)&^3]
	cs := byteOrderMark(head)
	if cs == "" {
		cs = unmarkedUnicode(head)
	}
	if cs == "" || cs == UTF8 {
		return ""
	}
	text := []rune(string(ToUTF8(head, cs)))
	for i, r := range text {
		cut := i+1 == len(text) && len(head) < len(body)
		if r == utf8.RuneError && !cut || r == 0xfffe || unicode.IsControl(r) && !unicode.IsSpace(r) && r != 0x1a {
			return ""
		}
	}
	return cs
}

// unmarkedUnicode returns the charset of a body that is UTF-16 or UTF-32 without
// a byte order mark, and "" for any other body. In UTF-16 and UTF-32, half or
// three quarters of the bytes of markup, digits and spaces are zero. A Chinese text in
// UTF-16 may have a zero byte in its line breaks only.
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
	case odd > 0 && chinese16(head, binary.LittleEndian):
		return charsetUTF16LE
	case even > 0 && chinese16(head, binary.BigEndian):
		return charsetUTF16BE
	}
	return ""
}

// chinese16 reports whether head, read as UTF-16, is a Chinese or Japanese
// text. Such a text has at least hanLetters letters, of which nine in ten are
// of these scripts, and no character that texts do not have. A head that is
// valid UTF-8 is none, even with a zero byte in it.
func chinese16(head []byte, order binary.ByteOrder) bool {
	if utf8.Valid(head) {
		return false
	}
	units := make([]uint16, len(head)/2)
	for i := range units {
		units[i] = order.Uint16(head[2*i:])
	}
	if utf16.IsSurrogate(rune(units[len(units)-1])) {
		units = units[:len(units)-1] // it may be half a character
	}
	letters, han := 0, 0
	for _, r := range utf16.Decode(units) {
		switch {
		case unicode.IsLetter(r):
			letters++
			if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) {
				han++
			}
		case r == utf8.RuneError || !unicode.IsGraphic(r) && !unicode.IsSpace(r):
			return false
		}
	}
	return letters >= hanLetters && han*10 >= letters*9
}

// valid16 reports whether head, read as UTF-16, has almost no control characters
// and no unpaired surrogates: at most one in fifty characters. high is the index
// of the high byte in each pair of bytes, 0 or 1.
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

// highByte returns the index of the high byte in each pair of bytes: 1 for
// UTF-16LE, 0 for UTF-16BE.
func highByte(charset string) int {
	if charset == charsetUTF16LE {
		return 1
	}
	return 0
}

// escapes returns the charset of body if it is one of the charsets that consist
// of ASCII bytes and escape sequences, such as ISO-2022-JP. Otherwise it
// returns "".
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

// hasHZ reports whether body has text in the charset HZ: after the first escape
// "~{" come pairs of bytes and then the closing "~}".
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

// countUTF8 checks up to guessUnits characters outside ASCII in body. good is
// the number of valid UTF-8 characters, and bad the number of bytes that are
// not part of one. A character that is cut off at the end does not count.
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

// highBits has the highest bit of each of eight bytes. In ASCII these bits are 0.
const highBits = 0x8080808080808080

// ascii returns n such that the first n bytes of b are ASCII. n is at least 1,
// because the first byte of b must be ASCII. Byte n may be ASCII too: ascii
// checks 8 or 32 bytes at a time.
func ascii(b []byte) int {
	n := 0
	for ; len(b)-n >= 32; n += 32 {
		w := b[n : n+32 : n+32]
		if (binary.LittleEndian.Uint64(w)|binary.LittleEndian.Uint64(w[8:])|binary.LittleEndian.Uint64(w[16:])|binary.LittleEndian.Uint64(w[24:]))&highBits != 0 {
			break
		}
	}
	for len(b)-n >= 8 && binary.LittleEndian.Uint64(b[n:])&highBits == 0 {
		n += 8
	}
	return max(n, 1)
}

func in(c, from, to byte) bool { return from <= c && c <= to }
