package xmlscan

import (
	"strings"

	"infomall/store/document"
	"infomall/store/page"
)

// headBytes is how many bytes of a body are searched for its root element. Comments
// and a document type may come before it.
const headBytes = 16 << 10

// Root is the start tag of the first element of an XML document.
type Root struct {
	Token
	Declared bool // the body has an XML declaration
}

// RootOf returns the root element of a body. ok is false if the body does not begin
// like XML.
func RootOf(in *document.Input) (root Root, ok bool) {
	head := in.Body[:min(len(in.Body), headBytes)]
	if !page.LooksLikeMarkup(head) {
		return root, false
	}
	s := New(&document.Input{Body: head, Charset: in.Charset})
	root.Declared = strings.HasPrefix(strings.TrimLeft(s.Source, " \t\r\n\x00"), "<?xml")
	for s.Next() {
		switch t := s.Token(); t.Kind {
		case Start:
			root.Token = *t
			return root, true
		case Text:
			if strings.TrimSpace(t.Text) != "" && !root.Declared {
				return root, false
			}
		}
	}
	return root, root.Declared
}
