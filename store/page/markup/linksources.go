package markup

import (
	"bytes"
	"fmt"
	"iter"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"

	"infomall/store/page/charset"
)

// addressNames are the attributes that have an address, or that say whether
// another attribute has one.
var addressNames = []string{
	"href", "xlink:href", "src", "action", "data", "background", "http-equiv", "alt", "content", "cite", "code", "codebase", "archive", "longdesc", "poster",
	"srcset", "imagesrcset", "srcdoc", "data-src", "data-srcset", "data-original", "data-lazy-src", "data-lazy-srcset", "data-bg", "lowsrc", "dynsrc",
}

// addressForm is the form of the value of an attribute that has addresses.
type addressForm uint8

const (
	formOne    addressForm = iota // the value is an address
	formSet                       // a srcset: see sources
	formList                      // several addresses, separated by commas or blanks
	formSource                    // the value is itself a page
)

// otherSource is an attribute with addresses that an element may have besides
// the attribute in linkFrom.
type otherSource struct {
	attr string
	kind LinkKind
	form addressForm
}

// otherLink is one otherSource of an element together with the value of the
// attribute, see the method value of linkWriter.
type otherLink struct {
	otherSource
	value []byte
}

// lazy are the attributes in which a page keeps the address of an image until a
// script loads the image.
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

// addOthers adds to w.links the links in others, which are further attributes
// of an element. l is the link in the main attribute of that element. codebase
// is the folder to which relative addresses belong, or empty.
func (w *linkWriter) addOthers(l *foundLink, others []otherLink, codebase []byte) {
	for _, o := range others {
		add := func(target []byte) {
			if len(target) > 0 {
				w.append(foundLink{kind: o.kind, target: within(codebase, w.inCharset(target)), offset: l.offset})
			}
		}
		switch o.form {
		case formOne:
			add(o.value)
		case formSet:
			for address := range sources(string(o.value)) {
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

// srcdoc adds to w.links the links of source, a page inside an attribute of the
// element at offset. A page in an attribute of source is skipped, so that the
// time grows linearly with the size of the page.
func (w *linkWriter) srcdoc(source []byte, offset int) {
	if w.nested || len(source) == 0 {
		return
	}
	t := NewTree(source)
	defer t.Free()
	inner := linkWriter{t: t, charset: charset.UTF8, plain: true, end: int32(len(source)), nested: true}
	for i := range t.Nodes {
		if t.Nodes[i].Kind == Element {
			inner.element(i)
		}
	}
	for _, l := range inner.links {
		w.append(foundLink{kind: l.kind, target: bytes.Clone(l.target), rel: bytes.Clone(l.rel), offset: offset})
	}
}

// codebaseMax is the length in bytes of the longest codebase that counts. It is put before each of the
// addresses of an element, of which a hostile page may have very many.
const codebaseMax = 256

// within returns the address target, prefixed by the folder codebase if target
// is relative and codebase is not empty.
func within(codebase, target []byte) []byte {
	if len(codebase) == 0 || target[0] == '/' || hasScheme(target) {
		return target
	}
	return append(append(bytes.Clone(bytes.TrimRight(codebase, "/")), '/'), target...)
}

// hasScheme reports whether an address begins with a scheme, such as http:.
func hasScheme(address []byte) bool {
	i := bytes.IndexAny(address, ":/?#")
	return i > 0 && address[i] == ':'
}

// sharedImages maps the names of meta elements whose content is the address of an
// image, film or sound to the kind of that link. Other sites show these in
// previews of the page.
var sharedImages = map[string]LinkKind{
	"og:image": LinkImg, "og:image:url": LinkImg, "og:image:secure_url": LinkImg, "twitter:image": LinkImg, "twitter:image:src": LinkImg,
	"og:video": LinkMedia, "og:video:url": LinkMedia, "og:video:secure_url": LinkMedia, "og:audio": LinkMedia, "og:audio:url": LinkMedia,
	"og:audio:secure_url": LinkMedia, "msapplication-tileimage": LinkImg,
}

// shared adds the link to the image, film or sound that meta element i names, if
// its name is in sharedImages.
func (w *linkWriter) shared(i int) {
	var name, content []byte
	for a := range w.t.Attrs(i) {
		switch {
		case EqualFold(a.Name, "property"), EqualFold(a.Name, "name"):
			name = a.Value
		case EqualFold(a.Name, "content"):
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

// sources ranges over the addresses of a srcset. Descriptors may follow each
// address, up to a comma. A comma inside an address is part of it; a comma at
// its end is not.
func sources(srcset string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for start, end := range SourcePlaces(srcset) {
			if !yield(srcset[start:end]) {
				return
			}
		}
	}
}

// SourcePlaces ranges over the places of the addresses that sources returns: the
// offsets in srcset at which each begins and ends.
func SourcePlaces(srcset string) iter.Seq2[int, int] {
	const space = " \t\n\f\r"
	return func(yield func(start, end int) bool) {
		for rest := srcset; ; {
			rest = strings.TrimLeft(rest, space+",")
			if rest == "" {
				return
			}
			start := len(srcset) - len(rest)
			end := strings.IndexAny(rest, space)
			if end < 0 {
				end = len(rest)
			}
			address := rest[:end]
			rest = rest[end:]
			bare := strings.TrimRight(address, ",")
			if !yield(start, start+len(bare)) {
				return
			}
			if bare == address {
				rest = rest[descriptors(rest):]
			}
		}
	}
}

// descriptors returns the length of the descriptors at the start of s, which
// follow an address in a srcset. They end at a comma that is not in parentheses,
// or at the end of s.
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

// address returns the address in b, the value of an attribute, in UTF-8. Its
// query is encoded as a browser sends it, see inCharset.
func (w *linkWriter) address(b []byte) []byte { return w.inCharset(w.value(b)) }

// inCharset returns what InCharset returns for the charset of the page.
func (w *linkWriter) inCharset(address []byte) []byte { return InCharset(address, w.charset) }

// InCharset returns address, an address in UTF-8 of a page in charset cs, with
// its query encoded as a browser sends it, according to the URL standard:
// converted to the charset of the page, and each byte outside ASCII written as %
// and two digits. In a page in UTF-8, in charsets for which charset.ASCIISafe is
// false, and for schemes other than those of the web, it returns the address
// unchanged.
func InCharset(address []byte, cs string) []byte {
	if cs == charset.UTF8 || !charset.ASCIISafe(cs) {
		return address
	}
	at := bytes.IndexByte(address, '?')
	if at < 0 || standsForItself(address[at:]) || charset.IsASCII(address[at:]) {
		return address
	}
	if hasScheme(address) && (len(address) < 4 || !strings.EqualFold(string(address[:4]), "http")) {
		return address
	}
	e, err := htmlindex.Get(cs)
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

// appendQueryRune appends r, one letter of a query, to out, in percent-encoding.
// letter has its bytes in UTF-8. A letter that the charset of encoder does not
// have is written as a character reference.
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
