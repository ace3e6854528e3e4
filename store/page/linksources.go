package page

import (
	"bytes"
	"fmt"
	"iter"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
)

// addressNames are the attributes that have addresses, or say that another has one.
var addressNames = []string{
	"href", "xlink:href", "src", "action", "data", "background", "http-equiv", "alt", "content", "cite", "code", "codebase", "archive", "longdesc", "poster",
	"srcset", "imagesrcset", "srcdoc", "data-src", "data-srcset", "data-original", "data-lazy-src", "data-lazy-srcset", "data-bg", "lowsrc", "dynsrc",
}

// addressForm says how an attribute has its addresses.
type addressForm uint8

const (
	formOne    addressForm = iota // it is an address
	formSet                       // a srcset: see Sources
	formList                      // addresses between commas or blanks
	formSource                    // a page
)

// otherSource is an attribute that has addresses beside the one of linkFrom.
type otherSource struct {
	attr string
	kind LinkKind
	form addressForm
}

// otherLink is what such an attribute of an element has.
type otherLink struct {
	otherSource
	value []byte
}

// lazy are the attributes that scripts put an image's address in until it is shown.
var lazy = []otherSource{
	{"data-src", LinkImg, formOne}, {"data-srcset", LinkImg, formSet}, {"data-original", LinkImg, formOne},
	{"data-lazy-src", LinkImg, formOne}, {"data-lazy-srcset", LinkImg, formSet},
}

var otherLinks = [TagCount][]otherSource{
	TagImg:    append([]otherSource{{"srcset", LinkImg, formSet}, {"lowsrc", LinkImg, formOne}, {"dynsrc", LinkMedia, formOne}, {"longdesc", LinkLink, formOne}}, lazy...),
	TagSource: append([]otherSource{{"srcset", LinkImg, formSet}}, lazy...),
	TagLink:   {{"imagesrcset", LinkImg, formSet}},
	TagVideo:  {{"poster", LinkImg, formOne}, {"data-src", LinkMedia, formOne}},
	TagAudio:  {{"data-src", LinkMedia, formOne}},
	TagIframe: {{"srcdoc", LinkIframe, formSource}, {"data-src", LinkIframe, formOne}, {"longdesc", LinkLink, formOne}},
	TagFrame:  {{"longdesc", LinkLink, formOne}},
	TagScript: {{"data-src", LinkScript, formOne}},
	TagDiv:    {{"data-src", LinkImg, formOne}, {"data-bg", LinkImg, formOne}},
	TagObject: {{"archive", LinkMedia, formList}},
	TagApplet: {{"archive", LinkMedia, formList}},
}

// addOthers adds the links of the further attributes of an element, whose own link
// is l.
func (w *linkWriter) addOthers(l *foundLink, others []otherLink, codebase []byte) {
	for _, o := range others {
		add := func(target []byte) {
			if len(target) > 0 {
				w.append(foundLink{kind: o.kind, target: within(codebase, target), offset: l.offset})
			}
		}
		switch o.form {
		case formOne:
			add(o.value)
		case formSet:
			for address := range Sources(string(o.value)) {
				add([]byte(address))
			}
		case formList:
			for address := range strings.FieldsFuncSeq(string(o.value), func(r rune) bool { return r == ',' || r <= ' ' }) {
				add([]byte(address))
			}
		case formSource:
			w.srcdoc(o.value, l.offset)
		}
	}
}

// srcdoc adds the links of a page that stands in an attribute of the element at
// offset. Of a page in an attribute of that it adds none, so that the work is linear.
func (w *linkWriter) srcdoc(source []byte, offset int) {
	if w.nested || len(source) == 0 {
		return
	}
	t := NewTree(source)
	defer t.Free()
	inner := linkWriter{t: t, charset: charsetUTF8, plain: true, end: int32(len(source)), nested: true}
	for i := range t.Nodes {
		if t.Nodes[i].Kind == Element {
			inner.element(i)
		}
	}
	for _, l := range inner.links {
		w.append(foundLink{kind: l.kind, target: bytes.Clone(l.target), rel: bytes.Clone(l.rel), offset: offset})
	}
}

// within puts a relative address below the folder codebase, which may be "".
func within(codebase, target []byte) []byte {
	if len(codebase) == 0 || target[0] == '/' || hasScheme(target) {
		return target
	}
	return append(append(bytes.Clone(bytes.TrimRight(codebase, "/")), '/'), target...)
}

// hasScheme reports whether an address begins with a scheme.
func hasScheme(address []byte) bool {
	i := bytes.IndexAny(address, ":/?#")
	return i > 0 && address[i] == ':'
}

// sharedImages are the names of meta elements that have the address of an image or a
// film, for those who share the page.
var sharedImages = map[string]LinkKind{
	"og:image": LinkImg, "og:image:url": LinkImg, "og:image:secure_url": LinkImg, "twitter:image": LinkImg, "twitter:image:src": LinkImg,
	"og:video": LinkMedia, "og:video:url": LinkMedia, "og:video:secure_url": LinkMedia, "og:audio": LinkMedia, "og:audio:url": LinkMedia,
	"og:audio:secure_url": LinkMedia, "msapplication-tileimage": LinkImg,
}

// shared adds the image or film that meta element i names.
func (w *linkWriter) shared(i int) {
	var name, content []byte
	for a := range w.t.Attrs(i) {
		switch {
		case equalFold(a.Name, "property"), equalFold(a.Name, "name"):
			name = a.Value
		case equalFold(a.Name, "content"):
			content = a.Value
		}
	}
	if len(name) > 30 || len(content) == 0 {
		return
	}
	if kind, ok := sharedImages[strings.ToLower(string(bytes.TrimSpace(name)))]; ok {
		if target := w.address(content); len(target) > 0 {
			w.append(foundLink{kind: kind, target: target, offset: int(w.t.Nodes[i].Start)})
		}
	}
}

// Sources ranges over the addresses of a srcset, each with descriptors after it up
// to a comma. A comma within an address is part of it, one at its end is not.
func Sources(srcset string) iter.Seq[string] {
	const space = " \t\n\f\r"
	return func(yield func(string) bool) {
		for {
			srcset = strings.TrimLeft(srcset, space+",")
			if srcset == "" {
				return
			}
			end := strings.IndexAny(srcset, space)
			if end < 0 {
				end = len(srcset)
			}
			address := srcset[:end]
			srcset = srcset[end:]
			bare := strings.TrimRight(address, ",")
			if !yield(bare) {
				return
			}
			if bare == address {
				srcset = srcset[descriptors(srcset):]
			}
		}
	}
}

// descriptors is the length of what follows an address in a srcset: up to a comma
// that stands in no parentheses.
func descriptors(s string) int {
	within := false
	for i := range len(s) {
		switch s[i] {
		case '(':
			within = true
		case ')':
			within = false
		case ',':
			if !within {
				return i
			}
		}
	}
	return len(s)
}

// address is an attribute's value as text, its query as a browser would send it.
func (w *linkWriter) address(b []byte) []byte { return w.inCharset(w.value(b)) }

// inCharset returns an address with the query as a browser sends it, by the URL
// standard: in the charset of the page, with a percent sign before the digits of each
// byte that is no ASCII. A query in UTF-8 is left as it is, as are addresses that are
// not of the web.
func (w *linkWriter) inCharset(address []byte) []byte {
	if w.charset == charsetUTF8 || !w.plain {
		return address
	}
	at := bytes.IndexByte(address, '?')
	if at < 0 || standsForItself(address[at:]) || isASCII(string(address[at:])) {
		return address
	}
	if hasScheme(address) && (len(address) < 4 || !strings.EqualFold(string(address[:4]), "http")) {
		return address
	}
	e, err := htmlindex.Get(w.charset)
	if err != nil {
		return address
	}
	encoder := e.NewEncoder()
	out := bytes.Clone(address[:at])
	for query := address[at:]; len(query) > 0; {
		r, size := utf8.DecodeRune(query)
		switch {
		case r == '#':
			return append(out, query...)
		case r < utf8.RuneSelf:
			out = append(out, query[0])
		default:
			out = appendQueryRune(out, encoder, r, query[:size])
		}
		query = query[size:]
	}
	return out
}

// appendQueryRune appends a letter of a query. One that the charset does not have is
// sent as a character reference.
func appendQueryRune(out []byte, encoder *encoding.Encoder, r rune, letter []byte) []byte {
	encoded, err := encoder.Bytes(letter)
	if err != nil {
		return fmt.Appendf(out, "%%26%%23%d%%3B", r)
	}
	for _, c := range encoded {
		if c <= ' ' || c > '~' || bytes.IndexByte([]byte("\"#<>'"), c) >= 0 {
			out = fmt.Appendf(out, "%%%02X", c)
		} else {
			out = append(out, c)
		}
	}
	return out
}
