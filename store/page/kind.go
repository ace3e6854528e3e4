package page

import (
	"bytes"
	"strings"
)

// MimeSheet is the media type of style sheets.
const MimeSheet = "text/css"

// BytesMax is how many bytes of a body are read by default, counted after
// content-decoding.
const BytesMax = 8 << 20

// IsMarkup reports whether a body of this media type is read as HTML. mime must
// be in lower case without parameters. The result is also true if mime is "" (no
// type); then the body may be HTML, and LooksLikeMarkup decides.
func IsMarkup(mime string) bool { return mime == "" || strings.Contains(mime, "html") }

// LooksLikeMarkup reports whether the first byte of body is "<". White space and
// a byte order mark may come before it.
func LooksLikeMarkup(body []byte) bool {
	for _, mark := range []string{"\ufeff", "\xff\xfe", "\xfe\xff"} {
		body = bytes.TrimPrefix(body, []byte(mark))
	}
	body = bytes.TrimLeft(body, " \t\r\n\f\x00")
	return len(body) > 0 && body[0] == '<'
}
