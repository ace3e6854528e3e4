package charset

import (
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
)

// Encode returns text, which is UTF-8, in a charset, as browsers send the fields of a
// form. charset is a label, such as gbk. A letter that the charset does not have is
// written as a character reference, such as &#21271;. For UTF-8, for an unknown
// charset and for charsets that are not sent, such as UTF-16, the result is UTF-8.
func Encode(text, charset string) []byte {
	if charset == UTF8 || !ASCIISafe(charset) || IsASCII([]byte(text)) {
		return []byte(text)
	}
	e, err := htmlindex.Get(charset)
	if err != nil {
		return []byte(text)
	}
	out, err := encoding.HTMLEscapeUnsupported(e.NewEncoder()).Bytes([]byte(text))
	if err != nil {
		return []byte(text) // Unreachable: every letter of UTF-8 has a reference.
	}
	return out
}

// Lookup returns the name of the charset that a label of a page means, in upper or
// lower case, such as gb18030 for GBK. It returns "" if the label is unknown.
func Lookup(label string) string { return lookup(strings.ToLower(label)) }
