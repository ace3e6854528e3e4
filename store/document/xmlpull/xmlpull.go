// Package xmlpull reads XML element by element, for documents that are made of XML.
// It is lenient: an end tag that ends nothing is left out, and elements that are
// still open at the end are ended. It resolves no entities but the five of XML, and
// reads no document type, so that a small body has a small text.
//
// # Names
//
// A reader gives a table of the namespaces that it knows, each with a short prefix.
// Element and attribute names come back with that prefix, such as "w:p", whatever
// prefix the body itself uses. In other namespaces a name has the prefix "?".
package xmlpull

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"infomall/store/page/charset"
)

// Kind is the kind of what Next found.
type Kind uint8

// The kinds of what Next finds.
const (
	Start Kind = iota // the start of an element
	End               // the end of an element; an element without content has one too
	Text              // text between tags, or a CDATA section
)

// Scanner reads one body. The zero value is not usable; see New.
type Scanner struct {
	Kind Kind
	Name string // of the element that starts or ends, such as "w:p"
	err  error

	body    []byte
	at      int
	attrs   []byte // of the element that starts, as written
	text    []byte // of a Text, as written
	cdata   bool   // the Text is a CDATA section
	long    bool   // a text was longer than textMost
	empty   bool   // the element that started has no content: its end comes next
	nesting int
	open    []element
	spaces  map[string]string // namespace to short prefix
	bound   []binding
	names   map[string]name // elements by their names as written; valid for bound
	attrIn  map[string]name // the same for attributes
}

// name is a name as written and with the short prefix of its namespace.
type name struct{ raw, short string }

// boundMost is how many namespaces may be declared at one place of a body. namesMost
// is how many names a Scanner remembers. With them, hostile bodies take linear time.
const (
	boundMost = 256
	namesMost = 1024
)

// element is an element whose end was not reached.
type element struct {
	name
	bound int // length of Scanner.bound before the element
}

// binding says what a prefix stands for.
type binding struct{ prefix, short string }

// textMost is how many bytes of a text between two tags are kept. The rest of a longer
// text is left out.
const textMost = 8 << 20

// Namespaces maps the names of namespaces to short prefixes. Several namespaces may
// have the same short prefix.
type Namespaces map[string]string

// New returns a Scanner of body that knows the given namespaces. Elements may be inside
// of each other to a depth of nesting.
func New(body []byte, known Namespaces, nesting int) *Scanner {
	return &Scanner{body: utf(body), spaces: known, nesting: nesting, names: map[string]name{}, attrIn: map[string]name{}}
}

// utf returns the body in UTF-8.
func utf(body []byte) []byte {
	head := body[:min(len(body), 200)]
	declared := bytes.Contains(head, []byte("encoding")) && !bytes.Contains(bytes.ToLower(head), []byte("utf-8"))
	if declared || len(body) > 1 && (body[0] >= 0xef || body[0] == 0 || body[1] == 0) {
		return charset.ToUTF8(body, charset.Find(body, "", "").Charset)
	}
	return body
}

// Err returns why Next stopped before the end of the body, or why a text is cut, or nil.
func (s *Scanner) Err() error {
	if s.err == nil && s.long {
		return errLong
	}
	return s.err
}

var errLong = fmt.Errorf("a text is longer than %d MB: the rest of it is left out", textMost>>20)

// Depth returns how many elements are open. At a Start that includes the element that
// starts; at an End it does not include the element that ended.
func (s *Scanner) Depth() int { return len(s.open) }

// Next goes to the next start, end or text. It returns false at the end of the body,
// and if elements are nested too deeply.
func (s *Scanner) Next() bool {
	if s.err != nil {
		return false
	}
	if s.empty {
		s.empty = false
		s.pop()
		return true
	}
	for s.at < len(s.body) {
		rest := s.body[s.at:]
		if rest[0] != '<' {
			n := bytes.IndexByte(rest, '<')
			if n < 0 {
				n = len(rest)
			}
			s.at += n
			s.Kind, s.text, s.cdata, s.long = Text, rest[:min(n, textMost)], false, s.long || n > textMost
			return true
		}
		if len(rest) > 1 && (rest[1] == '!' || rest[1] == '?') {
			if s.declaration(rest) {
				return true
			}
			continue
		}
		end := tagEnd(rest)
		if end < 0 {
			s.at = len(s.body)
			break
		}
		s.at += end + 1
		if tag := rest[1:end]; len(tag) > 0 && tag[0] == '/' {
			if s.end(bytes.TrimSpace(tag[1:])) {
				return true
			}
		} else if s.start(tag) {
			return true
		} else if s.err != nil {
			return false
		}
	}
	if len(s.open) > 0 {
		s.pop()
		return true
	}
	return false
}

// tagEnd returns the offset of the ">" that ends the tag at the start of b, or -1.
func tagEnd(b []byte) int {
	for i := 1; i < len(b); i++ {
		switch b[i] {
		case '>':
			return i
		case '"', '\'':
			n := bytes.IndexByte(b[i+1:], b[i])
			if n < 0 {
				return bytes.IndexByte(b, '>')
			}
			i += n + 1
		}
	}
	return -1
}

// declaration goes beyond a comment, a processing instruction, a document type or a
// CDATA section. It reports whether it is a CDATA section with text.
func (s *Scanner) declaration(rest []byte) bool {
	after := func(end string) int {
		if n := bytes.Index(rest, []byte(end)); n >= 0 {
			return n + len(end)
		}
		return len(rest)
	}
	switch {
	case bytes.HasPrefix(rest, []byte("<![CDATA[")):
		n := after("]]>")
		s.at += n
		s.Kind, s.cdata = Text, true
		s.text = bytes.TrimSuffix(rest[len("<![CDATA["):n], []byte("]]>"))
		s.text, s.long = s.text[:min(len(s.text), textMost)], s.long || len(s.text) > textMost
		return true
	case bytes.HasPrefix(rest, []byte("<!--")):
		s.at += after("-->")
	case rest[1] == '?':
		s.at += after("?>")
	default: // a document type: declarations in brackets may have ">" themselves
		n := after(">")
		if bytes.IndexByte(rest[:n], '[') >= 0 {
			n = after("]")
			if more := bytes.IndexByte(rest[n:], '>'); more >= 0 {
				n += more + 1
			}
		}
		s.at += n
	}
	return false
}

// start begins an element. tag is what is between "<" and ">".
func (s *Scanner) start(tag []byte) bool {
	s.empty = bytes.HasSuffix(tag, []byte("/"))
	if s.empty {
		tag = tag[:len(tag)-1]
	}
	n := 0
	for n < len(tag) && tag[n] > ' ' {
		n++
	}
	if n == 0 {
		s.empty = false
		return false
	}
	if len(s.open) >= s.nesting {
		s.err = fmt.Errorf("elements are nested more than %d deep: the rest is not read", s.nesting)
		return false
	}
	s.attrs = tag[n:]
	bound := len(s.bound)
	if bytes.Contains(s.attrs, []byte("xmlns")) {
		s.bind()
	}
	e := element{resolve(s, &s.names, tag[:n]), bound}
	s.open = append(s.open, e)
	s.Kind, s.Name = Start, e.short
	return true
}

// bind takes the namespaces that the element that starts declares.
func (s *Scanner) bind() {
	before := len(s.bound)
	for name, value := range s.rawAttrs {
		prefix, ok := bytes.CutPrefix(name, []byte("xmlns"))
		if !ok || len(prefix) > 0 && prefix[0] != ':' || len(s.bound) >= boundMost {
			continue
		}
		short, ok := s.spaces[string(value)]
		if !ok {
			short = "?"
		}
		s.bound = append(s.bound, binding{string(bytes.TrimPrefix(prefix, []byte(":"))), short})
	}
	if len(s.bound) != before {
		s.forget()
	}
}

// forget drops the names that were resolved. It replaces the maps, because clearing a
// map takes as long as the map once was large.
func (s *Scanner) forget() {
	if len(s.names) > 0 {
		s.names = map[string]name{}
	}
	if len(s.attrIn) > 0 {
		s.attrIn = map[string]name{}
	}
}

// resolve returns the name of an element, or of an attribute if known is &s.attrIn.
func resolve(s *Scanner, known *map[string]name, raw []byte) name {
	if n, ok := (*known)[string(raw)]; ok {
		return n
	}
	written := string(raw)
	prefix, local, ok := strings.Cut(written, ":")
	if !ok {
		prefix, local = "", written
	}
	short, found, full := "", false, ""
	for i := len(s.bound) - 1; i >= 0 && !found; i-- {
		if s.bound[i].prefix == prefix {
			short, found = s.bound[i].short, true
		}
	}
	switch {
	case found && short != "":
		full = short + ":" + local
	case found || !ok:
		full = local
	default: // "xml", or a prefix that is not declared: its meaning is likely
		full = written
	}
	if len(*known) >= namesMost {
		*known = map[string]name{}
	}
	n := name{written, full}
	(*known)[written] = n
	return n
}

// end ends the element with that name, and those inside of it that are still open. It
// reports false if no such element is open.
func (s *Scanner) end(raw []byte) bool {
	last := len(s.open) - 1
	if last >= 0 && s.open[last].raw == string(raw) {
		s.pop()
		return true
	}
	for i := last - 1; i >= 0; i-- {
		if s.open[i].raw == string(raw) {
			s.at -= len(raw) + 3 // read this end tag again after the inner elements are ended
			for s.body[s.at] != '<' {
				s.at--
			}
			s.pop()
			return true
		}
	}
	return false
}

// pop ends the innermost element.
func (s *Scanner) pop() {
	e := s.open[len(s.open)-1]
	s.open = s.open[:len(s.open)-1]
	if len(s.bound) != e.bound {
		s.bound = s.bound[:e.bound]
		s.forget()
	}
	s.Kind, s.Name = End, e.short
}

// Skip goes to the end of the element that has just started.
func (s *Scanner) Skip() {
	for depth := s.Depth() - 1; s.Depth() > depth && s.Next(); {
	}
}

// rawAttrs yields the attributes of the element that starts, as written.
func (s *Scanner) rawAttrs(yield func(name, value []byte) bool) {
	b := s.attrs
	for {
		b = afterBlanks(b)
		eq := bytes.IndexByte(b, '=')
		if eq <= 0 {
			return
		}
		name := b[:eq]
		for len(name) > 0 && name[len(name)-1] <= ' ' {
			name = name[:len(name)-1]
		}
		b = afterBlanks(b[eq+1:])
		if len(b) == 0 || b[0] != '"' && b[0] != '\'' {
			return
		}
		end := bytes.IndexByte(b[1:], b[0])
		if end < 0 {
			return
		}
		if !yield(name, b[1:1+end]) {
			return
		}
		b = b[2+end:]
	}
}

// afterBlanks returns b without the white space at its start.
func afterBlanks(b []byte) []byte {
	for len(b) > 0 && b[0] <= ' ' {
		b = b[1:]
	}
	return b
}

// Attr returns an attribute of the element that starts, and "" if it has none with that
// name. An attribute without a prefix belongs to no namespace.
func (s *Scanner) Attr(name string) string {
	value, _ := s.Lookup(name)
	return value
}

// Lookup is like Attr, and reports whether the element has the attribute.
func (s *Scanner) Lookup(name string) (value string, ok bool) {
	local := name[strings.IndexByte(name, ':')+1:]
	for raw, value := range s.rawAttrs {
		if !bytes.HasSuffix(raw, []byte(local)) {
			continue
		}
		if bytes.IndexByte(raw, ':') < 0 {
			if string(raw) == name {
				return string(appendText(nil, value)), true
			}
			continue
		}
		if resolve(s, &s.attrIn, raw).short == name {
			return string(appendText(nil, value)), true
		}
	}
	return "", false
}

// AppendText appends the Text that Next found to dst, with its references resolved.
func (s *Scanner) AppendText(dst []byte) []byte {
	if s.cdata {
		return append(dst, s.text...)
	}
	return appendText(dst, s.text)
}

// Blank reports whether the Text that Next found is white space.
func (s *Scanner) Blank() bool { return len(bytes.TrimSpace(s.text)) == 0 }

// Inner returns the text inside of the element that has just started, without the text
// of elements inside of it, and goes to its end.
func (s *Scanner) Inner() string {
	var out []byte
	for depth := s.Depth(); s.Depth() >= depth && s.Next(); {
		if s.Kind == Text && s.Depth() == depth {
			out = s.AppendText(out)
		}
	}
	return string(out)
}

// appendText appends text to dst with its references resolved. A reference that XML
// does not have stays as written.
func appendText(dst, text []byte) []byte {
	for {
		n := bytes.IndexByte(text, '&')
		if n < 0 {
			return append(dst, text...)
		}
		dst = append(dst, text[:n]...)
		text = text[n:]
		end := bytes.IndexByte(text[:min(len(text), 12)], ';')
		r := rune(-1)
		if end > 0 {
			r = reference(string(text[1:end]))
		}
		if r < 0 {
			dst, text = append(dst, '&'), text[1:]
			continue
		}
		dst, text = utf8.AppendRune(dst, r), text[end+1:]
	}
}

// reference returns the character that a reference stands for, or -1.
func reference(name string) rune {
	switch name {
	case "amp":
		return '&'
	case "lt":
		return '<'
	case "gt":
		return '>'
	case "quot":
		return '"'
	case "apos":
		return '\''
	}
	digits, ok := strings.CutPrefix(name, "#")
	if !ok {
		return -1
	}
	base := 10
	if hex, ok := strings.CutPrefix(strings.ToLower(digits), "x"); ok {
		digits, base = hex, 16
	}
	n, err := strconv.ParseUint(digits, base, 32)
	if err != nil || n > utf8.MaxRune {
		return -1
	}
	return rune(n)
}
