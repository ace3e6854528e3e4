package page

import (
	"bytes"
	"strings"
)

// MimeSheet is the media type of style sheets.
const MimeSheet = "text/css"

// BytesMax is how many bytes of a body after content-decoding are read, unless a
// caller says otherwise.
const BytesMax = 8 << 20

// IsMarkup reports whether a body of that media type, which is in lower case and
// without parameters, is read as HTML. A body without a type is if it LooksLikeMarkup.
func IsMarkup(mime string) bool { return mime == "" || strings.Contains(mime, "html") }

// LooksLikeMarkup reports whether a body begins as pages do.
func LooksLikeMarkup(body []byte) bool {
	for _, mark := range []string{bomUTF8, "\xff\xfe", "\xfe\xff"} {
		body = bytes.TrimPrefix(body, []byte(mark))
	}
	body = bytes.TrimLeft(body, " \t\r\n\f\x00")
	return len(body) > 0 && body[0] == '<'
}
