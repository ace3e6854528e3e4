package replay

import (
	"strings"

	"infomall/store/page/charset"
)

// kept are the header fields of a capture that a browser gets unchanged.
var kept = map[string]bool{
	"content-language":    true,
	"content-disposition": true,
	"last-modified":       true,
}

// Header returns the fields that replay sends for a capture, from the fields of its stored
// header. k is the kind of the body, for which Rewrites has the type. The result has a
// Content-Type, the policy and the other fields that keep a page inside; stored fields that are
// not sent unchanged have the prefix X-Archive-Orig-. The caller adds Content-Length,
// Content-Encoding, Location, caching and Memento's fields.
func Header(stored [][2]string, k Kind, p *Page) [][2]string {
	contentType := ""
	var out [][2]string
	for _, f := range stored {
		name, value := f[0], printable(f[1])
		switch lower := strings.ToLower(name); {
		case !isToken(name):
		case lower == "content-type":
			if contentType == "" {
				contentType = value
			}
		case kept[lower]:
			out = append(out, [2]string{name, value})
		default:
			out = append(out, [2]string{"X-Archive-Orig-" + name, value})
		}
	}
	out = append(out, [2]string{"Content-Type", sentType(contentType, k, p)})
	return append(out,
		[2]string{"Content-Security-Policy", Policy(p.InterfaceOrigin, k)},
		[2]string{"Permissions-Policy", permissions},
		[2]string{"Referrer-Policy", "no-referrer"},
		[2]string{"X-Content-Type-Options", "nosniff"},
		[2]string{"X-DNS-Prefetch-Control", "off"},
	)
}

// sentType returns the Content-Type to send for a body of kind k that was captured
// with contentType. It names the charset in which the rewriter read the body, so
// that the browser reads the same.
func sentType(contentType string, k Kind, p *Page) string {
	media := mediaType(contentType)
	switch k {
	case Plain, Captured, Manifest:
		if contentType == "" {
			return "application/octet-stream"
		}
		return contentType
	case Source:
		media = "text/plain"
	case Code:
		media = "text/javascript"
	case Sheet:
		media = "text/css"
	}
	return media + "; charset=" + sentCharset(p.Charset)
}

// sentCharset returns the charset in which a rewritten body is sent. It is the
// body's own, unless browsers do not know it.
func sentCharset(cs string) string {
	if cs == "" || !browserKnows(cs) {
		return charset.UTF8
	}
	return cs
}

// unknown are the charsets that browsers refuse to read.
var unknown = map[string]bool{
	"ibm437": true, "ibm850": true, "ibm852": true, "ibm855": true, "ibm862": true,
	"utf-32le": true, "utf-32be": true, "hz-gb-2312": true, "iso-2022-kr": true, "iso-2022-cn": true,
}

func browserKnows(cs string) bool { return !unknown[cs] }

// isToken reports whether s may be the name of a header field.
func isToken(s string) bool {
	for i := range len(s) {
		if c := s[i]; c <= ' ' || c >= 0x7f || strings.IndexByte(`"(),/:;<=>?@[\]{}`, c) >= 0 {
			return false
		}
	}
	return s != ""
}

// printable returns s with each control character replaced by a space, so that a
// stored value cannot begin another field. Bytes beyond ASCII stay, whatever their charset is.
func printable(s string) string {
	b := []byte(s)
	for i, c := range b {
		if c < ' ' && c != '\t' || c == 0x7f {
			b[i] = ' '
		}
	}
	return string(b)
}
