package markup

import (
	"encoding/binary"
	"html"
	"math/bits"
	"sync"
	"unicode"
	"unicode/utf8"

	"infomall/store/page/charset"
)

// spaceFolder folds text that it gets in pieces: it turns white space into single
// spaces and resolves character references, such as &amp;. In its output, "\t"
// and "\n" are the breaks of the layout. Its input is in the charset of a body.
// A piece may end inside a letter or a reference, which the next piece
// completes. From there on the input is held back until settle is called.
type spaceFolder struct {
	charset string
	direct  bool // result of charset.ASCIISafe(charset)
	out     []byte
	gap     byte   // the space or break that will be written before the next word; 0 for none
	held    []byte // the input that is held back, still in the charset
}

// fold returns the folded form of b, a text in UTF-8: single spaces, and no
// character references.
func fold(b []byte) string {
	f := spaceFolder{out: make([]byte, 0, len(b))}
	f.add(b)
	return string(f.out)
}

// brk adds a layout break, "\t" or "\n", after the text that was added so far.
func (f *spaceFolder) brk(c byte) {
	if len(f.held) > 0 {
		f.held = append(f.held, c)
	} else {
		f.gap = stronger(f.gap, c)
	}
}

// text adds b, a piece of the text of the body. If lines is true, newlines are
// line breaks. If raw is true, "&" begins no character reference.
func (f *spaceFolder) text(b []byte, lines, raw bool) {
	if len(f.held) == 0 && f.direct {
		b = b[f.addText(b, lines, raw):]
	}
	for _, c := range b {
		switch {
		case class[c]&classSpace != 0 && !(lines && c == '\n'):
			c = ' '
		case c == '&' && raw:
			f.held = append(f.held, "&amp;"...)
			continue
		}
		f.held = append(f.held, c)
	}
}

// use sets the charset of the text that is added after this call.
func (f *spaceFolder) use(cs string) { f.charset, f.direct = cs, charset.ASCIISafe(cs) }

// settle folds the input that is held back because later input could change its
// meaning. Call it after the last piece, and before the length of the output is
// used.
func (f *spaceFolder) settle() {
	if len(f.held) > 0 {
		f.add(charset.ToUTF8(f.held, f.charset))
		f.held = f.held[:0]
	}
}

// addText folds bytes at the beginning of b and returns their number. It stops
// before bytes whose meaning later bytes may change, and before bytes that are
// not UTF-8. It copies words with single spaces between them in one step. lines
// and raw are those of the method text.
func (f *spaceFolder) addText(b []byte, lines, raw bool) int {
	for i := 0; i < len(b); {
		c := b[i]
		switch {
		case class[c]&classInk != 0 || c == '&' && raw:
			f.flush()
			from := i
			for i = wordsEnd(b, i+1); i < len(b); i++ {
				if class[b[i]]&classInk == 0 && (b[i] != ' ' || i+1 == len(b) || class[b[i+1]]&classInk == 0) {
					break
				}
			}
			f.out = append(f.out, b[from:i]...)
		case c == '&':
			n := referenceEnd(b[i:])
			if i+n == len(b) && b[len(b)-1] != ';' {
				return i
			}
			f.reference(b[i : i+n])
			i += n
		case c < utf8.RuneSelf:
			if lines {
				if c != '\n' {
					c = ' '
				}
				i++
			} else {
				c = ' '
				i = spacesEnd(b, i+1)
			}
			f.gap = stronger(f.gap, c)
		default:
			r, size := utf8.DecodeRune(b[i:])
			if size == 1 || f.charset != charset.UTF8 {
				return i
			}
			f.letter(r, b[i:i+size])
			i += size
		}
	}
	return len(b)
}

const ones, highs = 0x0101010101010101, 0x8080808080808080

// spacesEnd returns the offset of the first byte of b, from i on, that is no
// space and no control character.
func spacesEnd(b []byte, i int) int {
	for len(b)-i >= 8 {
		w := binary.LittleEndian.Uint64(b[i:])
		if ink := (w | (w&^highs + ('~'-' '+1)*ones)) & highs; ink != 0 {
			return i + bits.TrailingZeros64(ink)/8
		}
		i += 8
	}
	for i < len(b) && b[i] <= ' ' {
		i++
	}
	return i
}

// wordsEnd skips words of b that are separated by single spaces, eight bytes at
// a time, from offset i on. b[i-1] must be part of a word. The result is the
// offset up to which it has skipped; a word may end there or go on.
func wordsEnd(b []byte, i int) int {
	zeros := func(w uint64) uint64 { return (w - ones) &^ w & highs } // the high bit of each zero byte; and perhaps of a byte of 1 above a zero byte
	for len(b)-i >= 8 {
		w := binary.LittleEndian.Uint64(b[i:])
		spaces := zeros(w ^ ' '*ones)
		if w&highs|(w-' '*ones)&^w&highs|zeros(w^'&'*ones)|zeros(w^0x7f*ones)|spaces&(spaces<<8) != 0 {
			break
		}
		if i += 8; spaces>>63 != 0 {
			i-- // The last byte is a space. It separates words only if a word follows.
		}
	}
	return i
}

// add folds b, a text in UTF-8 in which "\t" and "\n" are layout breaks.
func (f *spaceFolder) add(b []byte) {
	for i := 0; i < len(b); {
		c := b[i]
		switch {
		case c == '&':
			n := referenceEnd(b[i:])
			f.reference(b[i : i+n])
			i += n
		case c > ' ' && c < 0x7f:
			f.flush()
			from := i
			for i++; i < len(b) && b[i] > ' ' && b[i] < 0x7f && b[i] != '&'; i++ {
			}
			f.out = append(f.out, b[from:i]...)
		case c < utf8.RuneSelf:
			f.gap = stronger(f.gap, c)
			i++
		default:
			r, size := utf8.DecodeRune(b[i:])
			f.letter(r, b[i:i+size])
			i += size
		}
	}
}

// letter adds r, a letter outside ASCII, to the output. b has its bytes. A space
// character becomes a space; characters without width are dropped.
func (f *spaceFolder) letter(r rune, b []byte) {
	switch {
	case r <= 0x3000 && unicode.IsSpace(r):
		f.gap = stronger(f.gap, ' ')
	case r != '\u200b' && r != '\ufeff':
		f.flush()
		f.out = append(f.out, b...)
	}
}

// referenceEnd returns the length of what looks like a character reference at
// the start of b.
func referenceEnd(b []byte) int {
	n := 1
	for n < len(b) && (isAlnum(b[n]) || b[n] == '#') {
		n++
	}
	if n < len(b) && b[n] == ';' {
		n++
	}
	return n
}

// reference adds the character for which the character reference b stands. If b
// is not a valid reference, it adds b itself.
func (f *spaceFolder) reference(b []byte) {
	switch string(b) {
	case "&nbsp;":
		f.gap = stronger(f.gap, ' ')
	case "&amp;":
		f.literal("&")
	case "&lt;":
		f.literal("<")
	case "&gt;":
		f.literal(">")
	case "&quot;":
		f.literal(`"`)
	default:
		f.resolved(html.UnescapeString(string(b)))
	}
}

// literal adds s, a part of a word, to the output unchanged.
func (f *spaceFolder) literal(s string) {
	f.flush()
	f.out = append(f.out, s...)
}

// resolved folds s, text in which no character reference is left.
func (f *spaceFolder) resolved(s string) {
	for i, r := range s {
		switch {
		case r > ' ' && r < 0x7f:
			f.literal(s[i : i+1])
		case r < utf8.RuneSelf:
			f.gap = stronger(f.gap, byte(r))
		case unicode.IsSpace(r):
			f.gap = stronger(f.gap, ' ')
		case r != '\u200b' && r != '\ufeff':
			f.literal(string(r))
		}
	}
}

// flush writes the space or break that separates the next word from the output. It writes nothing
// if the output is empty.
func (f *spaceFolder) flush() {
	if f.gap != 0 && len(f.out) > 0 {
		f.out = append(f.out, f.gap)
	}
	f.gap = 0
}

// stronger returns the stronger of two breaks: "\n" is stronger than "\t", and
// "\t" is stronger than a space. If two breaks follow each other, only the
// stronger one is written.
func stronger(gap, c byte) byte {
	switch {
	case gap == '\n' || c == '\n':
		return '\n'
	case gap == '\t' || c == '\t':
		return '\t'
	}
	return ' '
}

// folders holds unused folders.
var folders = sync.Pool{New: func() any { return new(spaceFolder) }}

// free gives the memory of f to later folders. f must not be used after that.
func (f *spaceFolder) free() {
	*f = spaceFolder{out: f.out[:0], held: f.held[:0]}
	folders.Put(f)
}
