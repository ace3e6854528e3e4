// Package xmlscan reads XML as it is found on the web: badly nested, cut off, with
// undefined entities and undeclared prefixes. Any input has tokens. The first damage
// is reported at the end, and reading goes on after it. Time and memory are linear
// in the size of the input.
package xmlscan

import (
	"fmt"
	"html"
	"strings"

	"infomall/store/document"
	"infomall/store/page/charset"
)

// Kind is the kind of a Token.
type Kind uint8

// The kinds of tokens. Comments, processing instructions and the document type are
// left out.
const (
	Text  Kind = iota // character data, with its entities resolved
	Start             // a start tag
	End               // an end tag. A missing end tag has an End too, so that each Start has one.
)

// Token is a piece of an XML document.
type Token struct {
	Kind   Kind
	Prefix string // of a Start or End: the prefix as written
	Space  string // of a Start or End: the namespace that is declared for the prefix; "" if none is
	Local  string // of a Start or End: the name without its prefix
	Text   string // of a Text
	From   int    // offset in Source at which the token begins
	To     int    // offset in Source after the token
	attrs  string
}

// Attr is an attribute of a start tag.
type Attr struct{ Prefix, Local, Value string }

// Scanner reads the tokens of one document.
type Scanner struct {
	Source string // the document in UTF-8
	at     int
	tok    Token
	open   []element
	spaces []space
	ends   int    // how many elements are to be ended before the scanner goes on
	fault  string // the first damage; "" if there is none
	where  int    // offset of the damage
	deep   int    // how many elements may be open
	full   bool   // an element was too deep
	// none has the characters that were searched and do not occur in the rest of the
	// source. They are not searched again, so that time is linear.
	none [256]bool
}

// element is an open element.
type element struct {
	prefix, space, local string
	spaces               int // length of Scanner.spaces before the element
}

// space is the declaration of a namespace.
type space struct{ prefix, uri string }

// New returns a Scanner of the body of in. It finds the charset of the body.
func New(in *document.Input) *Scanner {
	cs := charset.Find(in.Body, "text/xml; charset="+in.Charset, "").Charset
	return &Scanner{Source: string(charset.ToUTF8(in.Body, cs)), deep: in.Limits.WithDefaults().Nesting}
}

// Next reads the next token and reports whether there is one.
func (s *Scanner) Next() bool {
	for {
		switch {
		case s.ends > 0:
			s.ends--
			s.end(s.at, s.at)
			return true
		case s.full:
			return false
		case s.at >= len(s.Source):
			if s.ends = len(s.open); s.ends == 0 {
				return false
			}
			s.damage(s.at, "the body ends inside of the element "+s.open[s.ends-1].local)
		case s.piece():
			return true
		}
	}
}

// Token returns the token that Next read.
func (s *Scanner) Token() *Token { return &s.tok }

// Depth returns how many elements are open. The element of a Start counts, and the
// element of an End does not.
func (s *Scanner) Depth() int { return len(s.open) }

// Fault returns where and how the document is damaged first, or nil if it is not
// damaged. It is complete after Next has returned false.
func (s *Scanner) Fault() error {
	if s.fault == "" {
		return nil
	}
	line := 1 + strings.Count(s.Source[:s.where], "\n")
	column := s.where - strings.LastIndexByte(s.Source[:s.where], '\n')
	return fmt.Errorf("the XML is damaged at line %d, column %d: %s", line, column, s.fault)
}

func (s *Scanner) damage(at int, fault string) {
	if s.fault == "" {
		s.fault, s.where = fault, at
	}
}

// piece reads the next piece of the source. It reports whether the piece is a token.
func (s *Scanner) piece() bool {
	rest := s.Source[s.at:]
	switch {
	case rest[0] != '<':
		return s.text(1)
	case strings.HasPrefix(rest, "<!--"):
		s.skip(rest, 4, "-->", "comment")
	case strings.HasPrefix(rest, "<![CDATA["):
		from := s.at + len("<![CDATA[")
		s.skip(rest, len("<![CDATA["), "]]>", "CDATA section")
		s.tok = Token{Kind: Text, Text: strings.TrimSuffix(s.Source[from:s.at], "]]>"), From: from - len("<![CDATA["), To: s.at}
		return true
	case strings.HasPrefix(rest, "<?"):
		s.skip(rest, 2, "?>", "processing instruction")
	case strings.HasPrefix(rest, "<!"):
		s.declaration(rest)
	case len(rest) > 2 && rest[1] == '/' && nameStart(rest[2]):
		return s.endTag(rest)
	case len(rest) > 1 && nameStart(rest[1]):
		return s.startTag(rest)
	default:
		s.damage(s.at, `"<" is not followed by a name`)
		return s.text(1)
	}
	return false
}

// text makes the source up to the next "<" the current token. The first n bytes belong to the text
// even if they contain a "<".
func (s *Scanner) text(n int) bool {
	from := s.at
	if i := strings.IndexByte(s.Source[from+n:], '<'); i >= 0 {
		s.at = from + n + i
	} else {
		s.at = len(s.Source)
	}
	s.tok = Token{Kind: Text, Text: unescape(s.Source[from:s.at]), From: from, To: s.at}
	return true
}

// skip moves past the next mark that is n bytes or more after the start of rest.
func (s *Scanner) skip(rest string, n int, mark, what string) {
	i := strings.Index(rest[n:], mark)
	if i < 0 {
		s.damage(s.at, "the "+what+" does not end")
		s.at = len(s.Source)
		return
	}
	s.at += n + i + len(mark)
}

// declaration moves past a declaration such as <!DOCTYPE>, with its internal subset.
func (s *Scanner) declaration(rest string) {
	end := strings.IndexByte(rest, '>')
	if end >= 0 && !s.none[']'] {
		if inner := strings.IndexByte(rest[:end], '['); inner >= 0 {
			if n := strings.IndexByte(rest[inner:], ']'); n < 0 {
				s.none[']'] = true
			} else if end = strings.IndexByte(rest[inner+n:], '>'); end >= 0 {
				end += inner + n
			}
		}
	}
	if end < 0 {
		s.damage(s.at, "a declaration does not end")
		s.at = len(s.Source)
		return
	}
	s.at += end + 1
}

// startTag reads a start tag. rest is the source from its "<" on.
func (s *Scanner) startTag(rest string) bool {
	name := rest[1:nameEnd(rest, 1)]
	i, ok := s.tagEnd(rest, 1+len(name))
	if !ok {
		s.damage(s.at, "the tag of the element "+name+" does not end")
		return s.text(1)
	}
	attrs := rest[1+len(name) : i]
	from := s.at
	if s.at += i + 1; rest[i] == '<' {
		s.damage(s.at-1, "the tag of the element "+name+" does not end")
		s.at--
	}
	empty := strings.HasSuffix(attrs, "/")
	if empty {
		attrs = attrs[:len(attrs)-1]
	}
	if len(s.open) >= s.deep {
		s.damage(from, "elements are nested too deeply: the rest is not read")
		s.full, s.ends = true, len(s.open)
		return false
	}
	e := element{spaces: len(s.spaces)}
	if e.prefix, e.local, ok = strings.Cut(name, ":"); !ok {
		e.prefix, e.local = "", name
	}
	s.tok = Token{Kind: Start, From: from, To: s.at, attrs: attrs}
	if strings.Contains(attrs, "xmlns") {
		s.declare()
	}
	e.space = s.spaceOf(e.prefix)
	s.tok.Prefix, s.tok.Space, s.tok.Local = e.prefix, e.space, e.local
	s.open = append(s.open, e)
	if empty {
		s.ends = 1
	}
	return true
}

// spacesMax is how many namespaces may be declared at a place.
const spacesMax = 256

// declare notes the namespaces that the current start tag declares.
func (s *Scanner) declare() {
	for a := range s.tok.Attrs {
		switch {
		case len(s.spaces) >= spacesMax:
			return
		case a.Prefix == "xmlns":
			s.spaces = append(s.spaces, space{a.Local, a.Value})
		case a.Prefix == "" && a.Local == "xmlns":
			s.spaces = append(s.spaces, space{"", a.Value})
		}
	}
}

// spaceOf returns the namespace that is declared for a prefix.
func (s *Scanner) spaceOf(prefix string) string {
	for i := len(s.spaces) - 1; i >= 0; i-- {
		if s.spaces[i].prefix == prefix {
			return s.spaces[i].uri
		}
	}
	return ""
}

// tagEnd returns the offset in rest of the ">" that ends a start tag, or of the "<"
// that follows if the ">" is missing. i is an offset inside of the tag. ok is false
// if there is neither.
func (s *Scanner) tagEnd(rest string, i int) (end int, ok bool) {
	for i < len(rest) {
		switch c := rest[i]; c {
		case '>', '<':
			return i, true
		case '"', '\'':
			// A quote that does not end is an ordinary character. No later quote of
			// its kind ends either, so that the source is searched once.
			if !s.none[c] {
				if n := strings.IndexByte(rest[i+1:], c); n >= 0 {
					i += n + 1
				} else {
					s.none[c] = true
				}
			}
		}
		i++
	}
	return 0, false
}

// endTag reads an end tag. It ends the open elements inside of its element, too. An end
// tag without an open element is left out.
func (s *Scanner) endTag(rest string) bool {
	end := nameEnd(rest, 2)
	name, from := rest[2:end], s.at
	if i := strings.IndexAny(rest[end:], "<>"); i < 0 {
		s.at = len(s.Source)
	} else if s.at += end + i; rest[end+i] == '>' {
		s.at++
	}
	prefix, local, ok := strings.Cut(name, ":")
	if !ok {
		prefix, local = "", name
	}
	for i := len(s.open) - 1; i >= 0; i-- {
		if e := &s.open[i]; e.local == local && e.prefix == prefix {
			if s.ends = len(s.open) - i; s.ends > 1 {
				s.damage(from, "the element "+s.open[len(s.open)-1].local+" ends with the end tag of the element "+local)
			}
			s.ends--
			s.end(from, s.at)
			return true
		}
	}
	s.damage(from, "the end tag of "+local+" has no start tag")
	return false
}

// end makes the end of the innermost element the current token.
func (s *Scanner) end(from, to int) {
	e := s.open[len(s.open)-1]
	s.open, s.spaces = s.open[:len(s.open)-1], s.spaces[:e.spaces]
	s.tok = Token{Kind: End, Prefix: e.prefix, Space: e.space, Local: e.local, From: from, To: to}
}

// Attrs ranges over the attributes of a start tag.
func (t *Token) Attrs(yield func(Attr) bool) {
	rest := t.attrs
	for {
		rest = strings.TrimLeft(rest, " \t\r\n/")
		end := strings.IndexAny(rest, "= \t\r\n")
		if end < 0 {
			return
		}
		name := rest[:end]
		value, found := strings.CutPrefix(strings.TrimLeft(rest[end:], " \t\r\n"), "=")
		if rest = value; !found {
			continue
		}
		value = strings.TrimLeft(value, " \t\r\n")
		if value != "" && (value[0] == '"' || value[0] == '\'') {
			value, rest, _ = strings.Cut(value[1:], value[:1])
		} else if i := strings.IndexAny(value, " \t\r\n"); i >= 0 {
			value, rest = value[:i], value[i:]
		} else {
			rest = ""
		}
		a := Attr{Value: unescape(value)}
		if a.Prefix, a.Local, found = strings.Cut(name, ":"); !found {
			a.Prefix, a.Local = "", name
		}
		if !yield(a) {
			return
		}
	}
}

// Attr returns the value of the first attribute with this name, whatever its prefix.
func (t *Token) Attr(local string) string {
	for a := range t.Attrs {
		if a.Local == local && a.Prefix != "xmlns" {
			return a.Value
		}
	}
	return ""
}

// unescape resolves the entities of XML and HTML. Other entities stay as written.
func unescape(s string) string {
	if strings.IndexByte(s, '&') < 0 {
		return s
	}
	return html.UnescapeString(s)
}

func nameStart(c byte) bool {
	return c|0x20-'a' < 26 || c == '_' || c == ':' || c >= 0x80
}

// nameEnd returns the offset at which the name ends that begins at i.
func nameEnd(s string, i int) int {
	for i < len(s) && !strings.ContainsRune(" \t\r\n/><=\"'", rune(s[i])) {
		i++
	}
	return i
}
