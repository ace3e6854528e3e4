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

// guess returns the charset that body looks most like.
func guess(body []byte) string {
	good, bad := countUTF8(body)
	switch {
	case good == 0 && bad == 0:
		return guessEscaped(body)
	case bad == 0, good > 20*bad:
		return charsetUTF8 // a title cut within a character does not change that
	}
	for _, c := range candidates {
		if s := tally(body, c.read); s.convinces(c.least) {
			return c.name
		}
	}
	return charsetLatin1
}

// guessEscaped tells apart the charsets that are ASCII with escapes.
func guessEscaped(body []byte) string {
	switch {
	case bytes.Contains(body, []byte("\x1b$B")) || bytes.Contains(body, []byte("\x1b$@")):
		return "iso-2022-jp"
	case hasHZ(body):
		return charsetHZ
	}
	return charsetUTF8
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

// convincingUTF8 reports whether body is UTF-8 and cannot well be anything
// else: two bytes in a row may be a Chinese character of GBK too.
func convincingUTF8(body []byte) bool {
	good, bad := countUTF8(body)
	if bad > 0 || good == 0 {
		return false
	}
	if good >= 8 {
		return true
	}
	return bytes.ContainsFunc(body, func(r rune) bool { return r >= 0x800 })
}

// kind says what one character read under a charset tells about it.
type kind uint8

const (
	bad     kind = iota // the charset has no such bytes
	rare                // it has, but texts in it seldom use them
	neutral             // punctuation, symbols, other scripts
	common              // what most texts in it are made of
	kana                // likewise, and Japanese for sure
	kinds
)

// candidates are the charsets that can be told by their bytes. The first that
// convinces is taken, so the narrower stand first: what fits Korean fits Chinese
// just as well.
var candidates = [...]struct {
	name  string
	read  func(b []byte) (kind, int)
	least threshold
}{
	{"euc-kr", readEUCKR, threshold{units: 24, common: 0.9}},
	{"euc-jp", readEUCJP, threshold{units: 24, common: 0.85, kana: 0.1}},
	{"shift_jis", readShiftJIS, threshold{units: 24, common: 0.6, kana: 0.1}},
	{"big5", readBig5, threshold{units: 24, common: 0.8}},
	{charsetGB18030, readGB18030, threshold{units: 1, common: 0.7}},
}

// threshold says what convinces that a body is in a charset: how many
// characters there must be at least (a title of ten can look like anything),
// and the shares of them that must be common and kana.
type threshold struct {
	units        int
	common, kana float64
}

// score counts by kind the characters beyond ASCII that a charset makes of a
// body.
type score [kinds]int

// convinces reports whether s reaches least, and not more than one character in
// forty is none of the charset.
func (s score) convinces(least threshold) bool {
	telling := s[bad] + s[rare] + s[common] + s[kana]
	if telling == 0 {
		return least.units == 1 && s[neutral] > 1 // Chinese quotes in an English text
	}
	if telling < least.units || s[bad]*40 > telling {
		return false
	}
	all := float64(telling)
	return float64(s[common]+s[kana]) >= least.common*all && float64(s[kana]) >= least.kana*all
}

// tally reads up to guessUnits characters of body.
func tally(body []byte, read func([]byte) (kind, int)) (s score) {
	for i, n := 0, 0; i < len(body) && n < guessUnits; {
		if body[i] < utf8.RuneSelf {
			i++
			continue
		}
		k, size := read(body[i:])
		s[k]++
		i += size
		n++
	}
	return s
}

// pair returns the second byte of b, or 0.
func pair(b []byte) byte {
	if len(b) < 2 {
		return 0
	}
	return b[1]
}

func in(c, from, to byte) bool { return from <= c && c <= to }

// readGB18030 takes the Han of GB2312 for common, the rest of GBK for rare.
func readGB18030(b []byte) (kind, int) {
	lead, trail := b[0], pair(b)
	switch {
	case !in(lead, 0x81, 0xfe):
		return bad, 1
	case in(trail, 0x30, 0x39):
		if len(b) >= 4 && in(b[2], 0x81, 0xfe) && in(b[3], 0x30, 0x39) {
			return rare, 4
		}
		return bad, 1
	case !in(trail, 0x40, 0x7e) && !in(trail, 0x80, 0xfe):
		return bad, 1
	case trail < 0xa1 || lead < 0xa1:
		return rare, 2
	case in(lead, 0xb0, 0xf7):
		return common, 2
	case in(lead, 0xa1, 0xa3):
		return neutral, 2
	}
	return rare, 2
}

// readBig5 takes the Han of its first level for common.
func readBig5(b []byte) (kind, int) {
	lead, trail := b[0], pair(b)
	switch {
	case !in(lead, 0x81, 0xfe) || !in(trail, 0x40, 0x7e) && !in(trail, 0xa1, 0xfe):
		return bad, 1
	case in(lead, 0xa4, 0xc6):
		return common, 2
	case in(lead, 0xa1, 0xa3):
		return neutral, 2
	}
	return rare, 2
}

// readShiftJIS takes kana and the Han of its first level for common.
func readShiftJIS(b []byte) (kind, int) {
	lead, trail := b[0], pair(b)
	switch {
	case in(lead, 0xa1, 0xdf):
		return rare, 1 // half-width kana
	case !in(lead, 0x81, 0x9f) && !in(lead, 0xe0, 0xfc) || !in(trail, 0x40, 0x7e) && !in(trail, 0x80, 0xfc):
		return bad, 1
	case lead == 0x81:
		return neutral, 2
	case lead == 0x82 && in(trail, 0x9f, 0xf1), lead == 0x83 && in(trail, 0x40, 0x96):
		return kana, 2
	case in(lead, 0x88, 0x97):
		return common, 2
	}
	return rare, 2
}

// readEUCJP takes kana and the Han of its first level for common.
func readEUCJP(b []byte) (kind, int) {
	lead, trail := b[0], pair(b)
	switch {
	case lead == 0x8e && in(trail, 0xa1, 0xdf):
		return rare, 2
	case lead == 0x8f && len(b) >= 3 && in(trail, 0xa1, 0xfe) && in(b[2], 0xa1, 0xfe):
		return rare, 3
	case !in(lead, 0xa1, 0xfe) || !in(trail, 0xa1, 0xfe):
		return bad, 1
	case lead == 0xa4 && trail <= 0xf3, lead == 0xa5 && trail <= 0xf6:
		return kana, 2
	case in(lead, 0xb0, 0xcf):
		return common, 2
	case in(lead, 0xa1, 0xa3):
		return neutral, 2
	}
	return rare, 2
}

// readEUCKR takes the Hangul of KS X 1001 for common.
func readEUCKR(b []byte) (kind, int) {
	lead, trail := b[0], pair(b)
	switch {
	case !in(lead, 0xa1, 0xfe) || !in(trail, 0xa1, 0xfe):
		return bad, 1
	case in(lead, 0xb0, 0xc8):
		return common, 2
	case in(lead, 0xa1, 0xa3):
		return neutral, 2
	}
	return rare, 2
}
