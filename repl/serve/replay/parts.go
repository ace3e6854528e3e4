package replay

import (
	"bytes"
	"io"
)

// Part is an address that a document loads: an image, style sheet, script, object or
// frame.
type Part struct {
	URL      string // canonical
	Modifier Modifier
}

// Parts returns the addresses that the markup of body, a document of kind k, loads,
// each once and in their order. It returns at most max of them; more reports whether
// there are others. It does not know what scripts and style sheets load.
func Parts(k Kind, body []byte, p *Page, max int) (list []Part, more bool) {
	r := newRewriter(io.Discard, body, p)
	r.xml = k == XHTML
	seen := map[string]bool{}
	r.link = func(ref []byte, m Modifier) []byte {
		if m == PageTop || r.alternative {
			return ref
		}
		linked := r.address(ref, m)
		if bytes.Equal(linked, ref) || linked[0] != '/' {
			return ref
		}
		_, u, _ := bytes.Cut(linked[1:], []byte("/"))
		u, _, _ = bytes.Cut(u, []byte("#"))
		switch {
		case seen[string(u)]:
		case len(list) == max:
			more = true
		default:
			seen[string(u)] = true
			list = append(list, Part{string(u), m})
		}
		return ref
	}
	_ = r.document() // io.Discard has no errors
	return list, more
}
