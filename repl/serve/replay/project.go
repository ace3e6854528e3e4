package replay

import (
	"bytes"

	"infomall/store/page/charset"
)

// source is a body, with a copy called its view in which markup can be found byte by byte.
type source struct {
	body    []byte // the body as it will be sent, but for the rewritten values
	view    []byte // one byte for each unit of body: an ASCII character is itself, and any part of another character is 0x80 or more
	width   int    // the bytes of a unit: 2 in UTF-16, otherwise 1
	big     bool   // the body is in UTF-16BE
	charset string // the charset of body
}

// newSource returns body, which is in charset cs, as a source. A body in a charset
// that browsers do not know becomes UTF-8.
func newSource(body []byte, cs string) source {
	if cs == "" {
		cs = charset.UTF8
	}
	if !browserKnows(cs) {
		body, cs = charset.ToUTF8(body, cs), charset.UTF8
	}
	s := source{body: body, view: body, width: 1, charset: cs}
	switch cs {
	case "utf-16le", "utf-16be":
		s.width, s.big = 2, cs == "utf-16be"
		s.view = unitsOf16(body, s.big)
	case charset2022:
		s.view = escaped2022(body)
	case "gbk", "gb18030", "big5", "euc-kr", "euc-jp", "shift_jis":
		if !charset.IsASCII(body) {
			s.view = doubleByte(body, cs == "shift_jis")
		}
	}
	return s
}

// charset2022 is a charset whose bytes are ASCII, but mean other letters after an
// escape.
const charset2022 = "iso-2022-jp"

// beyond is the byte by which a view replaces each byte of a character outside ASCII.
const beyond = 0x80

func unitsOf16(body []byte, big bool) []byte {
	view := make([]byte, len(body)/2)
	for i := range view {
		low, high := body[2*i], body[2*i+1]
		if big {
			low, high = high, low
		}
		if high != 0 || low > 0x7f {
			low = beyond
		}
		view[i] = low
	}
	return view
}

// doubleByte returns a view of body in which the second bytes of characters of two bytes are
// hidden, because they may look like a letter or a backslash. Second bytes below 0x40 stay: they
// are always ASCII, or digits of a character of four bytes.
func doubleByte(body []byte, shiftJIS bool) []byte {
	view := bytes.Clone(body)
	for i := 0; i < len(view); i++ {
		c := view[i]
		if c <= 0x80 || c == 0xff || shiftJIS && (c == 0xa0 || c >= 0xa1 && c <= 0xdf) {
			continue
		}
		if i+1 < len(view) && view[i+1] >= 0x40 {
			i++
			view[i] = beyond
		}
	}
	return view
}

// escaped2022 returns a view of body in which the characters between an escape to a set of
// two-byte characters and the next escape to ASCII are hidden, and the escapes too.
func escaped2022(body []byte) []byte {
	view := bytes.Clone(body)
	hidden := false
	for i := 0; i < len(view); i++ {
		if view[i] == 0x1b && i+2 < len(view) {
			hidden = !(body[i+1] == '(' && (body[i+2] == 'B' || body[i+2] == 'J'))
			view[i], view[i+1], view[i+2] = beyond, beyond, beyond
			i += 2
		} else if hidden {
			view[i] = beyond
		}
	}
	return view
}

// text returns the units from start to end-1 as UTF-8.
func (s *source) text(start, end int) []byte {
	if s.width == 1 && s.charset != charset2022 && charset.IsASCII(s.body[start:end]) {
		return s.body[start:end]
	}
	return charset.ToUTF8(s.body[start*s.width:end*s.width], s.charset)
}

// appendASCII appends text, which is ASCII, in the charset of the source.
func (s *source) appendASCII(dst, text []byte) []byte {
	if s.width == 1 {
		return append(dst, text...)
	}
	for _, c := range text {
		if s.big {
			dst = append(dst, 0, c)
		} else {
			dst = append(dst, c, 0)
		}
	}
	return dst
}
