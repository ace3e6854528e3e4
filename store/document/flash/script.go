package flash

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"infomall/store/document/media"
	"infomall/store/page/charset"
)

// actions reads the actions (instructions) of a script of ActionScript 1 or 2,
// and keeps the addresses in them.
func (m *movie) actions(v media.View) {
	if m.scripts += len(v); m.scripts > scriptsMax {
		return
	}
	for at := 0; at < len(v) && v[at] != 0; {
		op, size := v[at], 0
		if at++; op >= 0x80 {
			size = v.Little16(at)
			at += 2
		}
		c := v.Sub(at, size)
		switch at += size; op {
		case 0x83: // GetURL: address, window
			target, _, _ := bytes.Cut(c, []byte{0})
			m.target(string(target))
		case 0x88: // ConstantPool
			texts := c.From(2)
			for range c.Little16(0) {
				text, rest, ok := bytes.Cut(texts, []byte{0})
				if !ok {
					break
				}
				m.constant(text)
				texts = rest
			}
		case 0x96: // Push
			m.push(c)
		}
	}
}

// pushBytes has the size in bytes of a pushed value, by the type of the value.
// -1 means that it is a text, which ends in a zero.
var pushBytes = [...]int{-1, 4, 0, 0, 1, 1, 8, 4, 1, 2}

// push reads the values of an action that pushes values on the stack, and keeps
// the addresses among them.
func (m *movie) push(c media.View) {
	for len(c) > 0 {
		kind := int(c[0])
		switch c = c[1:]; {
		case kind == 0:
			text, rest, ok := bytes.Cut(c, []byte{0})
			if !ok {
				return
			}
			m.constant(text)
			c = rest
		case kind < len(pushBytes):
			c = c.From(pushBytes[kind])
		default:
			return
		}
	}
}

// button reads the actions of a button. In the older form, the actions follow
// the shapes of the button. In the newer form, a field says where they begin.
func (m *movie) button(kind int, c media.View) {
	if kind == 34 {
		at := c.Little16(3)
		if at == 0 {
			return
		}
		for c = c.From(3 + at); len(c) > 4; {
			size := c.Little16(0)
			if size == 0 {
				m.actions(c.From(4))
				return
			}
			m.actions(c.Sub(4, max(0, size-4)))
			c = c.From(max(size, 4))
		}
		return
	}
	r := bits{v: c, at: 16}
	for r.bytes() < len(c) {
		flags := r.take(8)
		if flags == 0 {
			break
		}
		r.at += 32 // character and depth
		r.matrix()
	}
	m.actions(c.From(r.bytes()))
}

// clip reads the actions of a clip (a sprite placed on the stage).
func (m *movie) clip(kind int, c media.View) {
	flags := c.Byte(0)
	if flags&0x80 == 0 {
		return
	}
	// Most clips have a matrix, a name and other parts before the actions. The actions are
	// found by what pushes texts: a scan for the opcodes whose operands are texts.
	from := 3
	if kind == 70 {
		from = 4
	}
	c = c.From(from)
	for at := 0; at+3 < len(c); at++ {
		if op := c[at]; op == 0x83 || op == 0x88 || op == 0x96 {
			size := c.Little16(at + 1)
			if size > 1 && at+3+size <= len(c) {
				m.actions(c.Sub(at, 3+size))
				at += 2 + size
			}
		}
	}
}

// code reads the texts among the constants of ActionScript 3, and keeps the
// addresses among them.
func (m *movie) code(v media.View) {
	at := 4              // the version
	next := func() int { // a number of variable length
		n := 0
		for i := range 5 {
			b := v.Byte(at)
			at++
			if n |= int(b&0x7f) << (7 * i); b&0x80 == 0 {
				break
			}
		}
		return n
	}
	for range 2 { // whole numbers with and without a sign
		for n := next(); n > 1 && at < len(v); n-- {
			next()
		}
	}
	at += 8 * max(0, next()-1)
	for n := next(); n > 1 && at < len(v); n-- {
		size := next()
		m.constant(v.Sub(at, size))
		at += size
	}
}

// constantBytesMax is the size in bytes of the longest constant that may be an
// address.
const constantBytesMax = 4096

// files are extensions of files that scripts load or show.
var files = strings.Fields(".swf .html .htm .shtml .xhtml .php .php3 .asp .aspx .jsp .cgi .xml .txt .jpg .jpeg .png .gif .flv .mp3 .mp4 .pdf")

// constant adds raw, a constant of a script, to the links if it is an address:
// a URL, or the name of a file such as "intro.swf".
func (m *movie) constant(raw []byte) {
	if len(raw) < 5 || len(raw) > constantBytesMax {
		return
	}
	text := string(raw)
	lower := strings.ToLower(text)
	for _, scheme := range []string{"http://", "https://", "ftp://", "rtmp://", "mms://", "mailto:"} {
		if strings.HasPrefix(lower, scheme) {
			if len(lower) > len(scheme) {
				m.target(text)
			}
			return
		}
	}
	name, _, _ := strings.Cut(lower, "?")
	ext := path.Ext(name)
	if slices.Contains(files, ext) && len(name) > len(ext) && !strings.ContainsAny(name, " \t\r\n<>\"'(){}|,;:*+") {
		m.target(text)
	}
}

// target adds text to m.targets, the targets of links, unless it is there
// already.
func (m *movie) target(text string) {
	lower := strings.ToLower(text)
	if text == "" || m.seen[text] || len(m.targets) >= m.b.Limits().Links || strings.HasPrefix(lower, "fscommand:") {
		return
	}
	m.seen[text] = true
	m.targets = append(m.targets, text)
}

// links adds the links to the document. In files before version 6, the charset
// of addresses is that of the author's computer.
func (m *movie) links() {
	for _, text := range m.decode(m.targets) {
		m.b.Link(text, "")
	}
}

// decode returns the texts converted to UTF-8.
func (m *movie) decode(texts []string) []string {
	all := []byte(strings.Join(texts, "\n"))
	cs := charset.UTF8
	if m.version < 6 {
		cs = charset.Find(all[:min(len(all), 64<<10)], "", "").Charset
	}
	out := make([]string, len(texts))
	for i, text := range texts {
		out[i] = string(charset.ToUTF8([]byte(text), cs))
	}
	return out
}
