package page

import (
	"bytes"
	"strings"
)

// MimeSheet is the media type of style sheets.
const MimeSheet = "text/css"

// BytesMax is how many bytes of a decoded body are read by default.
const BytesMax = 8 << 20

// IsMarkup reports whether a body of this media type is read as HTML. mime is
// in lower case without parameters. A body with no type (mime is "") may be
// HTML; LooksLikeMarkup decides.
func IsMarkup(mime string) bool { return mime == "" || strings.Contains(mime, "html") }

// LooksLikeMarkup reports whether body begins with "<", after white space or a
// byte order mark.
func LooksLikeMarkup(body []byte) bool {
	for _, mark := range []string{"\ufeff", "\xff\xfe", "\xfe\xff"} {
		body = bytes.TrimPrefix(body, []byte(mark))
	}
	body = bytes.TrimLeft(body, " \t\r\n\f\x00")
	return len(body) > 0 && body[0] == '<'
}
