package rtf

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"infomall/store/document/office"
	"infomall/store/page/charset"
)

// char adds a byte of text.
func (r *reader) char(c byte) {
	if r.skip > 0 {
		r.skip--
		return
	}
	r.high = 0
	if r.now.dest == toNothing {
		return
	}
	f := r.font()
	if f.symbol && r.now.dest == toText {
		r.flush()
		r.symbol(c, f.greek)
		return
	}
	page := f.page
	if page == 0 {
		page = r.page
	}
	if page != r.rawPage || f.ansi != r.rawANSI {
		r.flush()
		r.rawPage, r.rawANSI = page, f.ansi
	}
	r.raw = append(r.raw, c)
}

// flush decodes the bytes of text so far and adds the text.
func (r *reader) flush() {
	if len(r.raw) == 0 {
		return
	}
	if ascii(r.raw) {
		r.add(r.raw)
	} else {
		page := r.rawPage
		if r.rawANSI && doubleByte(page) && !pairs(r.raw) {
			page = 1252
		}
		r.add(charset.ToUTF8(r.raw, charsetOf(page)))
	}
	r.raw = r.raw[:0]
}

func ascii(b []byte) bool {
	for _, c := range b {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// pairs reports whether the bytes beyond ASCII are pairs, as in a code page of Chinese,
// Japanese or Korean.
func pairs(b []byte) bool {
	for i := 0; i < len(b); i++ {
		if b[i] < 0x81 {
			continue
		}
		if i++; i >= len(b) || b[i] < 0x40 {
			return false
		}
	}
	return true
}

// add adds text, which is valid UTF-8, to the destination of the current group.
func (r *reader) add(text []byte) {
	switch r.now.dest {
	case toText:
		if r.now.hidden {
			return
		}
		if r.now.deleted {
			r.flow.Remove(string(text))
			return
		}
		if r.flow.Depth() == 0 {
			r.leaveTable()
		}
		langs := office.Languages{Western: r.now.lang, Asian: r.now.asian, Complex: r.now.lang}
		r.langs.Add(text, langs.Or(office.Languages{Western: r.deflang, Complex: r.deflang}))
		r.flow.SetBuffer(append(r.flow.Buffer(), text...))
	case toFonts:
		if strings.HasPrefix(string(text), "Symbol") {
			if f, ok := r.fonts[r.defined]; ok {
				f.greek = true
				r.fonts[r.defined] = f
			}
		}
	case toStyles:
		name := strings.ToLower(strings.TrimSpace(string(text)))
		if level, ok := strings.CutPrefix(name, "heading "); ok && len(level) == 2 || name == "title;" {
			if len(r.headings) < tableMax {
				r.headings[r.styled] = true
			}
		}
	case toCapture, toFieldCode:
		if len(r.capture) < captureMax {
			r.capture = append(r.capture, text...)
		}
	}
}

// font returns the font of the current text.
func (r *reader) font() font {
	n := r.now.font
	if r.now.wide && r.now.wideFont >= 0 {
		n = r.now.wideFont
	}
	if n < 0 {
		n = r.deffont
	}
	return r.fonts[n]
}

// greek are the letters of the font Symbol from A to Z and from a to z.
const (
	greekCapitals = "ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ"
	greekSmall    = "αβχδεφγηιϕκλμνοπθρστυϖωξψζ"
)

// symbol adds a character of a symbol font. Those of the font Symbol have a meaning as
// text; the pictures of others have none.
func (r *reader) symbol(c byte, greek bool) {
	switch {
	case c == ' ' || c == '\t':
		r.add([]byte{c})
	case c == 0xb7:
		r.add([]byte("•"))
	case !greek:
	case c >= 'A' && c <= 'Z':
		r.add([]byte(string([]rune(greekCapitals)[c-'A'])))
	case c >= 'a' && c <= 'z':
		r.add([]byte(string([]rune(greekSmall)[c-'a'])))
	case c < 0x7f:
		r.add([]byte{c})
	}
}

// fontOf returns what the number of a character set says of a font.
func fontOf(set int) font {
	switch set {
	case 0:
		return font{ansi: true}
	case 2:
		return font{symbol: true}
	}
	return font{page: setPages[set]}
}

// setPages are the code pages of the character sets of fonts.
var setPages = map[int]int{
	77: 10000, 78: 932, 79: 949, 80: 936, 81: 950, 83: 1255, 84: 1256, 85: 1253, 86: 1254, 87: 874, 88: 1250, 89: 10007,
	128: 932, 129: 949, 130: 949, 134: 936, 136: 950, 161: 1253, 162: 1254, 163: 1258, 177: 1255, 178: 1256,
	186: 1257, 204: 1251, 222: 874, 238: 1250, 254: 437, 255: 850,
}

// doubleByte reports whether characters of a code page may have two bytes.
func doubleByte(page int) bool { return page == 932 || page == 936 || page == 949 || page == 950 }

// charsetOf returns the charset of a code page.
func charsetOf(page int) string {
	switch page {
	case 437:
		return "ibm437"
	case 850:
		return "ibm850"
	case 852:
		return "ibm852"
	case 855:
		return "ibm855"
	case 862:
		return "ibm862"
	case 866:
		return "ibm866"
	case 874:
		return "windows-874"
	case 932:
		return "shift_jis"
	case 936, 54936:
		return "gb18030"
	case 949, 1361:
		return "euc-kr"
	case 950:
		return "big5"
	case 1250, 1251, 1253, 1254, 1255, 1256, 1257, 1258:
		return "windows-" + strconv.Itoa(page)
	case 10000:
		return "macintosh"
	case 10007:
		return "x-mac-cyrillic"
	case 65001:
		return "utf-8"
	}
	return "windows-1252"
}
