package page

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// Names of charsets as Charset returns them and ToUTF8 takes them. The others
// are those of the WHATWG Encoding Standard, in lower case.
const (
	charsetUTF8    = "utf-8"
	charsetUTF16LE = "utf-16le"
	charsetUTF16BE = "utf-16be"
	charsetGB18030 = "gb18030"
	charsetHZ      = "hz-gb-2312"
	charsetLatin1  = "windows-1252"
)

// prescanBytes is how far into a page a declaration is looked for. The standard
// says 1024; old pages have scripts and comments before it.
const prescanBytes = 4096

// Charset returns the charset to read body with, and the one that it is
// declared to be in, "" if none: the label in lower case as the header
// contentType says it, else a meta element or an XML declaration.
//
// A byte order mark comes first, then the declarations in that order, then the
// bytes: UTF-8 if they are that, else what of the Chinese, Japanese and Korean
// charsets they look like, else windows-1252. GB2312 and GBK are read, and
// named, as gb18030, which holds them. Two declarations are not believed: a
// Chinese one of a body that is UTF-8, and UTF-8 of a body that is mostly not.
//
// Body is after content-decoding; it is of HTML, XML or plain text.
func Charset(body []byte, contentType string) (name, declared string) {
	declared = charsetParam(contentType)
	name = lookup(declared)
	if name == "" || refuted(name, body) {
		inside := declaration(body[:min(len(body), prescanBytes)])
		if declared == "" {
			declared = inside
		}
		if name = lookup(inside); strings.HasPrefix(name, "utf-16") {
			name = charsetUTF8 // or it could not have been read
		}
	}
	if mark := byteOrderMark(body); mark != "" {
		return mark, declared
	}
	if name == "" || refuted(name, body) {
		return guess(body), declared
	}
	return name, declared
}

// ToUTF8 converts body from a charset as Charset names it. What is invalid in
// it becomes U+FFFD, a byte order mark goes. A body that is valid UTF-8 already
// is not copied. An unknown charset is read as windows-1252.
func ToUTF8(body []byte, charset string) []byte {
	if charset == charsetUTF8 {
		body = bytes.TrimPrefix(body, []byte(bomUTF8))
		if utf8.Valid(body) {
			return body
		}
	}
	text := make([]byte, 0, len(body)+len(body)/2+utf8.UTFMax)
	text, _, err := transform.Append(decoderOf(charset), text, body)
	if err != nil {
		// Unreachable: these decoders replace what they cannot read.
		return bytes.ToValidUTF8(body, []byte("\uFFFD"))
	}
	return text
}

// decoderOf returns a decoder for a charset as Charset names it.
func decoderOf(charset string) transform.Transformer {
	switch charset {
	case charsetUTF8:
		return unicode.UTF8.NewDecoder()
	case charsetHZ:
		return simplifiedchinese.HZGB2312.NewDecoder()
	case charsetUTF16LE:
		return unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewDecoder()
	case charsetUTF16BE:
		return unicode.UTF16(unicode.BigEndian, unicode.UseBOM).NewDecoder()
	}
	e, err := htmlindex.Get(charset)
	if err != nil {
		e, _ = htmlindex.Get(charsetLatin1)
	}
	return e.NewDecoder()
}

const bomUTF8 = "\ufeff"

// byteOrderMark returns the charset whose mark body begins with, or "".
func byteOrderMark(body []byte) string {
	switch {
	case bytes.HasPrefix(body, []byte(bomUTF8)):
		return charsetUTF8
	case bytes.HasPrefix(body, []byte{0xff, 0xfe}):
		return charsetUTF16LE
	case bytes.HasPrefix(body, []byte{0xfe, 0xff}):
		return charsetUTF16BE
	}
	return ""
}

// aliases are labels that old pages use and the standard does not know.
var aliases = map[string]string{
	"cp936":       charsetGB18030,
	"ms936":       charsetGB18030,
	"windows-936": charsetGB18030,
	"gb-18030":    charsetGB18030,
	"gb_18030":    charsetGB18030,
	"hz":          charsetHZ,
	"hz-gb-2312":  charsetHZ,
	"cp950":       "big5",
	"utf8mb4":     charsetUTF8,
}

// lookup returns the name of the charset that label means, or "".
func lookup(label string) string {
	if label == "" {
		return ""
	}
	if name, ok := aliases[label]; ok {
		return name
	}
	e, err := htmlindex.Get(label)
	if err != nil || e == encoding.Replacement {
		return "" // unknown, or one that the standard refuses to read
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

// refuted reports whether the bytes of body say that it is not in the charset
// it is declared to be in.
func refuted(name string, body []byte) bool {
	switch name {
	case charsetUTF8:
		good, bad := countUTF8(body)
		return bad > good
	case charsetGB18030, charsetHZ, "big5":
		return convincingUTF8(body)
	}
	return false
}

// declaration returns the label of the charset that the start of a page names
// in an XML declaration or a meta element, in lower case, or "".
func declaration(head []byte) string {
	if label := xmlDeclaration(head); label != "" {
		return label
	}
	if !mayHaveMeta(head) {
		return ""
	}
	return metaDeclaration(head)
}

// metaDeclaration returns the label that the first meta element with one names.
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

// mayHaveMeta reports whether a meta element may begin in head: a cheap look
// ahead of a tokenizer, which takes more memory than many a text has bytes.
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

// xmlDeclaration returns the encoding that head names if it begins with an XML
// declaration.
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

// metaCharset returns the charset that the meta element at z declares, or "".
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
			content = charsetParam(value)
		case "http-equiv":
			isType = value == "content-type"
		}
	}
	if label == "" && isType {
		label = content
	}
	return label
}

// charsetParam returns the charset parameter of a Content-Type in lower case,
// or "". It takes the header as badly written as it comes.
func charsetParam(contentType string) string {
	return param(strings.ToLower(contentType), "charset")
}

// param returns what follows name and an equals sign in s, without quotes, or
// "".
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
