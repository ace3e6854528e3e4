// Package charset finds the charset of a body and converts text to UTF-8. A body
// may be wrong or hostile: a declaration that the bytes contradict is ignored,
// and time and memory are bounded.
//
// # Words
//
//	declaration  the charset that the header, a meta element or an XML declaration names
//	cost         -4 ln p of a character with probability p; the charset in which a
//	             text costs least is the most likely one
//	sample       the bytes of a body that are used to compare charsets
//	reading      a charset read as text of one language
//	usual        the charset of most other pages of the host
package charset

import (
	"bytes"
	"encoding/binary"
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"
	"golang.org/x/text/transform"
)

// The names of some charsets, as Find returns them and ToUTF8 accepts them. The
// other charsets have their names in the WHATWG Encoding Standard, in lower
// case, or are keys of legacy.
const (
	UTF8           = "utf-8"
	charsetUTF16LE = "utf-16le"
	charsetUTF16BE = "utf-16be"
	charsetUTF32LE = "utf-32le"
	charsetUTF32BE = "utf-32be"
	charsetGB18030 = "gb18030"
	charsetHZ      = "hz-gb-2312"
	charset2022JP  = "iso-2022-jp"
	charset2022KR  = "iso-2022-kr"
	charset2022CN  = "iso-2022-cn"
	charsetLatin1  = "windows-1252"
)

// prescanBytes is how many bytes of a page are searched for a declaration of its
// charset. The standard says 1024; old pages have scripts and comments before the
// declaration.
const prescanBytes = 4096

// Found is the charset of a body and how it was found.
type Found struct {
	Charset  string
	Declared string // the charset that the header, or otherwise the page, declares, in lower case, such as "gb2312"; "" if none
	Source   string // SourceBOM or another of the constants that follow
	// Unsure reports that only a few bytes support Charset. The charset of
	// other pages of the same site is then a better guess.
	Unsure bool
}

// The values of Found.Source, which says where the charset was found.
const (
	SourceBOM      = "bom"      // a byte order mark
	SourceHeader   = "header"   // Content-Type
	SourceMeta     = "meta"     // a meta element
	SourceXML      = "xml"      // an XML declaration
	SourceDetected = "detected" // the bytes: they are valid, and their letters are those of a language
	SourceHost     = "host"     // other pages of the host
	SourceDefault  = "default"  // nothing: the body is ASCII, or has too little beyond ASCII
)

// Find finds the charset of body. It uses the first of these that applies: a byte
// order mark, zero bytes that show UTF-16 or UTF-32, the header contentType, a
// meta element or XML declaration, the bytes themselves, and usual. usual is the
// charset of other pages of the host, or "". A declaration that the bytes
// contradict is ignored; see contradicts. For GB2312 and GBK the result is
// gb18030, which contains both.
//
// body must be decoded from its content coding; it is HTML, XML or plain text.
func Find(body []byte, contentType, usual string) Found {
	f := Found{Declared: Declared(contentType)}
	header := lookup(f.Declared)
	// The declaration in the body is read only if it is needed, because that takes
	// longer than the rest.
	inside := sync.OnceValues(func() (label, source string) { return declaration(body[:min(len(body), prescanBytes)]) })
	if f.Declared == "" {
		f.Declared, _ = inside()
	}
	if f.Charset = byteOrderMark(body); f.Charset != "" {
		f.Source = SourceBOM
		return f
	}
	if f.Charset = unmarkedUnicode(body); f.Charset != "" {
		if f.Source = SourceDetected; f.Charset == header || header == "utf-16" {
			f.Source = SourceHeader
		}
		return f
	}
	e := evidence{body: body}
	defer e.free()
	if header != "" && !e.contradicts(header) {
		f.Charset, f.Source = header, SourceHeader
		return f
	}
	label, source := inside()
	if name := lookup(label); name != "" && name != header {
		if strings.HasPrefix(name, "utf-16") {
			name = UTF8 // in UTF-16 the declaration could not have been read
		}
		if !e.contradicts(name) {
			f.Charset, f.Source = name, source
			return f
		}
	}
	f.Charset, f.Source, f.Unsure = e.detect(lookup(usual))
	return f
}

// ToUTF8 converts body from charset, a name that Find returns, to UTF-8. Invalid
// bytes become U+FFFD, and a byte order mark is removed. If charset is UTF8 and
// body is valid, the result is not a copy. An unknown charset is read as
// windows-1252.
func ToUTF8(body []byte, charset string) []byte {
	switch charset {
	case UTF8:
		body = bytes.TrimPrefix(body, []byte(bomUTF8))
		if utf8.Valid(body) {
			return body
		}
	case charset2022KR:
		body, charset = shifted(body), "euc-kr"
	case charset2022CN:
		body, charset = shifted(body), charsetGB18030
	}
	text := make([]byte, 0, len(body)+len(body)/2+utf8.UTFMax)
	text, _, err := transform.Append(decoderOf(charset), text, body)
	if err != nil {
		// Unreachable: these decoders replace what they cannot read.
		return bytes.ToValidUTF8(body, []byte("\uFFFD"))
	}
	return text
}

// shifted converts body from ISO-2022-KR to EUC-KR, or the GB2312 part of it from
// ISO-2022-CN to EUC-CN. It sets the high bit of the bytes between the control
// characters SO and SI (or the end of the line), and removes the escapes.
func shifted(body []byte) []byte {
	const so, si, esc = 0x0e, 0x0f, 0x1b
	out := make([]byte, 0, len(body))
	high := byte(0)
	for i := 0; i < len(body); i++ {
		switch c := body[i]; {
		case c == so:
			high = 0x80
		case c == si:
			high = 0
		case c == esc && i+3 < len(body) && body[i+1] == '$' && (body[i+2] == ')' || body[i+2] == '*'):
			i += 3
		case c > ' ' && c < 0x7f:
			out = append(out, c|high)
		default:
			if c == '\n' || c == '\r' {
				high = 0
			}
			out = append(out, c)
		}
	}
	return out
}

// legacy has the tables of charsets that old pages use and the standard lacks, by
// name.
var legacy = map[string]*charmap.Charmap{
	"ibm437": charmap.CodePage437,
	"ibm850": charmap.CodePage850,
	"ibm852": charmap.CodePage852,
	"ibm855": charmap.CodePage855,
	"ibm862": charmap.CodePage862,
}

// singleByte returns the table of a single-byte charset, or nil for any other
// charset.
func singleByte(charset string) *charmap.Charmap {
	if c := legacy[charset]; c != nil {
		return c
	}
	e, err := htmlindex.Get(charset)
	if err != nil {
		return nil
	}
	c, _ := e.(*charmap.Charmap)
	return c
}

// decoderOf returns a decoder for charset, a name that Find returns. For an
// unknown charset it returns the decoder of windows-1252.
func decoderOf(charset string) transform.Transformer {
	switch charset {
	case UTF8:
		return unicode.UTF8.NewDecoder()
	case charsetHZ:
		return simplifiedchinese.HZGB2312.NewDecoder()
	case charsetUTF16LE:
		return unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewDecoder()
	case charsetUTF16BE:
		return unicode.UTF16(unicode.BigEndian, unicode.UseBOM).NewDecoder()
	case charsetUTF32LE:
		return utf32.UTF32(utf32.LittleEndian, utf32.UseBOM).NewDecoder()
	case charsetUTF32BE:
		return utf32.UTF32(utf32.BigEndian, utf32.UseBOM).NewDecoder()
	}
	if c := legacy[charset]; c != nil {
		return c.NewDecoder()
	}
	e, err := htmlindex.Get(charset)
	if err != nil {
		e, _ = htmlindex.Get(charsetLatin1)
	}
	return e.NewDecoder()
}

const bomUTF8 = "\ufeff"

// byteOrderMark returns the charset whose byte order mark is at the start of
// body, or "" if there is none.
func byteOrderMark(body []byte) string {
	switch {
	case bytes.HasPrefix(body, []byte(bomUTF8)):
		return UTF8
	case bytes.HasPrefix(body, []byte{0xff, 0xfe, 0, 0}) && len(body)%4 == 0:
		return charsetUTF32LE
	case bytes.HasPrefix(body, []byte{0, 0, 0xfe, 0xff}):
		return charsetUTF32BE
	case bytes.HasPrefix(body, []byte{0xff, 0xfe}):
		return charsetUTF16LE
	case bytes.HasPrefix(body, []byte{0xfe, 0xff}):
		return charsetUTF16BE
	}
	return ""
}

// aliases maps labels that old pages use and the standard lacks to names of
// charsets.
var aliases = map[string]string{
	"cp936":       charsetGB18030,
	"ms936":       charsetGB18030,
	"windows-936": charsetGB18030,
	"gb-18030":    charsetGB18030,
	"gb_18030":    charsetGB18030,
	"hz":          charsetHZ,
	"hz-gb-2312":  charsetHZ,
	"cp950":       "big5",
	"utf8mb4":     UTF8,

	"iso-2022-kr":   charset2022KR,
	"csiso2022kr":   charset2022KR,
	"iso-2022-cn":   charset2022CN,
	"utf-32":        charsetUTF32LE,
	"utf-32le":      charsetUTF32LE,
	"utf-32be":      charsetUTF32BE,
	"cp437":         "ibm437",
	"ibm437":        "ibm437",
	"cp850":         "ibm850",
	"ibm850":        "ibm850",
	"cp852":         "ibm852",
	"ibm852":        "ibm852",
	"cp855":         "ibm855",
	"ibm855":        "ibm855",
	"cp862":         "ibm862",
	"ibm862":        "ibm862",
	"dos-862":       "ibm862",
	"x-maccyrillic": "x-mac-cyrillic",
	"mac-cyrillic":  "x-mac-cyrillic",
	"win-1251":      "windows-1251",
	"cp1252":        charsetLatin1,
}

// lookup returns the name of the charset that a label means, such as gb18030 for
// "gbk", or "" if the label is unknown. label must be in lower case.
func lookup(label string) string {
	if label == "" {
		return ""
	}
	if name, ok := aliases[label]; ok {
		return name
	}
	e, err := htmlindex.Get(label)
	if err != nil || e == encoding.Replacement {
		return "" // unknown, or a charset that the standard refuses to read
	}
	name, err := htmlindex.Name(e)
	if err != nil {
		return ""
	}
	if name == "gbk" {
		return charsetGB18030
	}
	return name
}

// declaration returns the charset that an XML declaration or a meta element in
// head, the start of a page, declares, in lower case. source is then SourceXML or
// SourceMeta. label is "" if nothing is declared.
func declaration(head []byte) (label, source string) {
	if label := xmlDeclaration(head); label != "" {
		return label, SourceXML
	}
	if !mayHaveMeta(head) {
		return "", ""
	}
	return metaDeclaration(head), SourceMeta
}

// metaDeclaration returns the charset that the first meta element with a charset
// in head declares, or "" if there is none.
func metaDeclaration(head []byte) string {
	z := html.NewTokenizer(bytes.NewReader(head))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return ""
		case html.StartTagToken, html.SelfClosingTagToken:
			if name, attrs := z.TagName(); attrs && string(name) == "meta" {
				if label := metaCharset(z); label != "" {
					return label
				}
			}
		}
	}
}

// mayHaveMeta reports whether head contains "<meta". This is a cheap check
// before a tokenizer is created, which takes more memory than many texts.
func mayHaveMeta(head []byte) bool {
	for {
		_, after, found := bytes.Cut(head, []byte("<"))
		if !found {
			return false
		}
		if len(after) >= len("meta") && strings.EqualFold(string(after[:len("meta")]), "meta") {
			return true
		}
		head = after
	}
}

// xmlDeclaration returns the encoding that the XML declaration at the start of
// head names, in lower case, or "" if there is none.
func xmlDeclaration(head []byte) string {
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte(bomUTF8)), " \t\r\n")
	if !bytes.HasPrefix(head, []byte("<?xml")) {
		return ""
	}
	decl, _, found := bytes.Cut(head, []byte(">"))
	if !found {
		return ""
	}
	return param(strings.ToLower(string(decl)), "encoding")
}

// metaCharset returns the charset that the current token of z, a meta element,
// declares, or "".
func metaCharset(z *html.Tokenizer) string {
	var label, content string
	var isType bool
	for more := true; more; {
		var key, val []byte
		key, val, more = z.TagAttr()
		value := strings.ToLower(strings.TrimSpace(string(val)))
		switch string(key) {
		case "charset":
			if label == "" {
				label = value
			}
		case "content":
			content = Declared(value)
		case "http-equiv":
			isType = value == "content-type"
		}
	}
	if label == "" && isType {
		label = content
	}
	return label
}

// Declared returns the parameter charset of contentType, a Content-Type, in
// lower case, or "". It accepts badly written headers.
func Declared(contentType string) string {
	return param(strings.ToLower(contentType), "charset")
}

// param returns the value, without quotes, that follows name and "=" in s, or ""
// if there is none.
func param(s, name string) string {
	for {
		_, rest, found := strings.Cut(s, name)
		if !found {
			return ""
		}
		s = rest
		value, found := strings.CutPrefix(strings.TrimLeft(rest, " \t\r\n"), "=")
		if !found {
			continue
		}
		value = strings.TrimLeft(value, " \t\r\n")
		if value != "" && (value[0] == '"' || value[0] == '\'') {
			value, _, _ = strings.Cut(value[1:], value[:1])
		} else if end := strings.IndexAny(value, "; ,\t\r\n\"'/?>"); end >= 0 {
			value = value[:end]
		}
		return strings.TrimSpace(value)
	}
}

// ASCIISafe reports whether bytes below 0x40 always mean ASCII in this charset.
// Markup can then be found in the bytes without conversion. The result is true
// for UTF-8, all single-byte charsets, the EUC family, GBK, GB18030, Big5 and
// Shift-JIS. It is false for UTF-16, UTF-32, and the 7-bit charsets that use
// escapes.
func ASCIISafe(charset string) bool {
	switch charset {
	case "utf-16", "utf-16le", "utf-16be", "utf-32", "utf-32le", "utf-32be",
		"iso-2022-jp", "iso-2022-kr", "iso-2022-cn", "hz-gb-2312", "utf-7":
		return false
	}
	return true
}

// IsASCII reports whether all bytes of b are ASCII.
func IsASCII(b []byte) bool {
	for len(b) >= 8 {
		if binary.LittleEndian.Uint64(b)&0x8080808080808080 != 0 {
			return false
		}
		b = b[8:]
	}
	for _, c := range b {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
