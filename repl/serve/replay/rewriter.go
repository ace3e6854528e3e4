package replay

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"infomall/store/page/markup"
	"infomall/store/urlkey"
)

// linker returns the text that replaces ref, an address in a page, in UTF-8 and without
// character references. If the result equals ref, the bytes of the page stay unchanged.
type linker func(ref []byte, m Modifier) []byte

// rewriter copies one source to its output with some ranges replaced. Places are offsets in the
// view of the source. Calls must give them in ascending order.
type rewriter struct {
	source
	out  *bufio.Writer
	done int // the place up to which the source was copied or replaced
	page *Page
	link linker

	base     string // the canonical URL that addresses are relative to
	resolver urlkey.Resolver
	asked    []byte   // the time that the reader asked for, in an address
	framed   Modifier // of frames, with the view
	captured []byte   // the time of the capture, in an address

	memory, decoded, encoded []byte // of the last address, and of the last value

	xml    bool
	feed   bool   // in XML: some elements have an address as their text
	first  bool   // the document gets the first script
	still  bool   // the scripts of the document do not run
	script []byte // the markup of the first script; nil once it was written
	rooted bool   // the html element was read
	based  bool   // the base of the page was read
	attrs  []attr // of the current tag
	depth  int    // how many srcdoc attributes the source is inside
	effort int    // the bytes that hidden has read more than once
	veil   int    // where the part begins that the rewriter does not read as markup, but replaces something in; or 0

	alternative bool   // inside an element such as noscript
	marks       []Mark // the marks that were not written yet
	open        bool   // the first of marks was opened
	ofCell      Mark   // the mark whose label the next cell gets; its End is 0 if there is none
}

// newRewriter returns a rewriter that writes to dst.
func newRewriter(dst io.Writer, body []byte, p *Page) *rewriter {
	r := &rewriter{source: newSource(body, p.Charset), out: bufio.NewWriterSize(dst, 32<<10), page: p}
	r.link = r.address
	r.asked, r.captured = appendTime(nil, p.Asked), appendTime(nil, p.Captured)
	r.framed = PageFrame + Modifier(p.View.String())
	if len(body) > 0 && len(r.body) == len(body) && &r.body[0] == &body[0] && r.width == 1 {
		r.marks = p.Marks // their places are those of body
	}
	r.rebase(p.URL)
	return r
}

// rebase makes base the URL against which addresses are resolved.
func (r *rewriter) rebase(base string) {
	r.base = base
	r.resolver.Page(base)
}

// replace puts text, which is ASCII, in the place of the units from start to
// end-1.
func (r *rewriter) replace(start, end int, text []byte) {
	if r.veil > 0 {
		from := max(r.veil, r.done)
		r.veil = 0 // hidden replaces, too
		r.hidden(from, start)
		r.veil = from
	}
	if start < r.done {
		return // The range was replaced together with what is around it.
	}
	r.copyTo(start)
	if r.width == 1 {
		r.out.Write(text)
	} else {
		r.out.Write(r.appendASCII(nil, text))
	}
	r.done = end
}

// copyTo copies the source up to the place end.
func (r *rewriter) copyTo(end int) {
	if end > r.done {
		r.out.Write(r.body[r.done*r.width : end*r.width])
		r.done = end
	}
}

// finish copies the rest of the source, and returns the error of the output if
// there was one.
func (r *rewriter) finish() error {
	r.out.Write(r.body[min(r.done*r.width, len(r.body)):])
	r.done = len(r.view)
	return r.out.Flush()
}

// noURL replaces an address that this program cannot read as a URL, because a browser may be
// able to.
var noURL = []byte("about:invalid")

// address is the linker of a replayed page: it returns the replay address for ref.
func (r *rewriter) address(ref []byte, m Modifier) []byte {
	clean := ref
	if mayNeedCleaning(ref) {
		clean = cleaned(ref)
	}
	if len(clean) == 0 || clean[0] == '#' {
		return ref
	}
	if scheme := schemeOf(clean); scheme != "" {
		switch scheme {
		case "http", "https", "ftp":
		case "javascript", "data", "blob":
			if m == PageFrame {
				return []byte("about:blank") // a frame without the first script
			}
			return ref
		default:
			return ref
		}
	}
	fragment := []byte(nil)
	if at := bytes.IndexByte(clean, '#'); at >= 0 {
		clean, fragment = clean[:at], clean[at:]
	}
	clean = markup.InCharset(clean, r.charset)
	u := r.resolver.Plain(clean)
	if u == nil {
		resolved, err := urlkey.Resolve(r.base, string(clean))
		if err != nil {
			return noURL
		}
		u = []byte(resolved)
	}
	at := r.captured
	if m.page() {
		at = r.asked
	}
	if m == PageFrame {
		m = r.framed
	}
	r.memory = appendPrefix(r.memory[:0], at, m)
	if bytes.IndexByte(u, '%') < 0 {
		r.memory = append(r.memory, u...)
	} else {
		r.memory = append(r.memory, urlkey.EscapePercent(string(u))...) // the server refuses 100%
	}
	r.memory = appendFragment(r.memory, fragment)
	return r.memory
}

// appendFragment appends a fragment, with everything escaped that is not a plain
// ASCII character.
func appendFragment(dst, fragment []byte) []byte {
	for _, c := range fragment {
		if c <= ' ' || c >= 0x7f || strings.IndexByte("\"'<>`\\", c) >= 0 {
			dst = append(dst, '%', hexDigits[c>>4], hexDigits[c&15])
		} else {
			dst = append(dst, c)
		}
	}
	return dst
}

const hexDigits = "0123456789ABCDEF"

// mayNeedCleaning reports whether cleaned may change ref.
func mayNeedCleaning(ref []byte) bool {
	return len(ref) > 0 && (ref[0] <= ' ' || ref[len(ref)-1] <= ' ') || bytes.ContainsAny(ref, "\t\n\r")
}

// cleaned returns ref without what browsers ignore in an address: control
// characters and blanks around it, and tabs and line breaks inside.
func cleaned(ref []byte) []byte {
	clean := make([]byte, 0, len(ref))
	for _, c := range bytes.TrimFunc(ref, func(r rune) bool { return r <= ' ' }) {
		if c != '\t' && c != '\n' && c != '\r' {
			clean = append(clean, c)
		}
	}
	return clean
}

// schemeOf returns the scheme of an address in lower case, or "" if the address is
// relative.
func schemeOf(address []byte) string {
	for i, c := range address {
		switch {
		case c == ':':
			return strings.ToLower(string(address[:i]))
		case c|0x20 >= 'a' && c|0x20 <= 'z', i > 0 && (c >= '0' && c <= '9' || c == '+' || c == '-' || c == '.'):
		default:
			return ""
		}
	}
	return ""
}

// appendValue appends text, which is UTF-8, as part of the value of an attribute.
// What cannot be written in ASCII becomes a character reference.
func appendValue(dst, text []byte) []byte {
	done := 0
	for i := 0; i < len(text); i++ {
		c := text[i]
		if !special[c] {
			continue
		}
		dst = append(dst, text[done:i]...)
		if done = i + 1; c < utf8.RuneSelf {
			dst = append(dst, references[c]...)
			continue
		}
		char, size := utf8.DecodeRune(text[i:])
		dst = fmt.Appendf(dst, "&#x%X;", char)
		done = i + size
		i = done - 1
	}
	return append(dst, text[done:]...)
}

// references are the characters that a value has as character references.
var references = map[byte]string{'&': "&amp;", '"': "&#34;", '\'': "&#39;", '<': "&lt;", '>': "&gt;"}

// special has true for each byte that cannot stand in the value of an attribute unchanged.
var special = func() (table [256]bool) {
	for c := range table {
		_, referenced := references[byte(c)]
		table[c] = referenced || c >= utf8.RuneSelf
	}
	return table
}()
