package robots

import "strings"

// pattern is the path of a rule, ready to match: literal parts with anything
// between them.
type pattern struct {
	parts    []string // the first at the start of the path, the others anywhere after
	anchored bool     // whether the last part ends the path
	bytes    int      // length, by which the longest is told
}

// newPattern reads the path of a rule, in which * stands for any bytes and a $
// at its end for the end of the URL.
func newPattern(path string) pattern {
	path, anchored := strings.CutSuffix(path, "$")
	path = normalize(path, true)
	p := pattern{parts: strings.Split(path, "*"), anchored: anchored, bytes: len(path)}
	if anchored {
		p.bytes++
	}
	return p
}

// matches reports whether a path, as pathOf gives it, begins so. Taking each
// part where it is first found is right, as only the end is bound: time is
// linear in both.
func (p pattern) matches(path string) bool {
	last := len(p.parts) - 1
	rest, ok := strings.CutPrefix(path, p.parts[0])
	if !ok {
		return false
	}
	if last == 0 {
		return !p.anchored || rest == ""
	}
	for _, part := range p.parts[1:last] {
		at := strings.Index(rest, part)
		if at < 0 {
			return false
		}
		rest = rest[at+len(part):]
	}
	if p.anchored {
		return strings.HasSuffix(rest, p.parts[last])
	}
	return strings.Contains(rest, p.parts[last])
}

// pathOf is what rules are held against: path and query of a canonical URL.
func pathOf(url string) string {
	if at := strings.Index(url, "://"); at >= 0 {
		url = url[at+len("://"):]
	}
	url, _, _ = strings.Cut(url, "#")
	at := strings.IndexAny(url, "/?")
	switch {
	case at < 0:
		return "/"
	case url[at] == '?':
		return normalize("/"+url[at:], false)
	}
	return normalize(url[at:], false)
}

// normalize brings a path into the form that RFC 9309 §2.2.2 compares: what no
// URL has as it is, such as bytes beyond ASCII and blanks, escaped, escaped
// letters, digits, "-", ".", "_" and "~" plain, other escapes in upper case. The
// two characters that are signs in a rule are escaped where they are none, as a
// rule writes them then.
func normalize(s string, rule bool) string {
	plain := true
	for i := 0; i < len(s) && plain; i++ {
		plain = !foreign(s[i]) && s[i] != '%' && s[i] != '$' && (rule || s[i] != '*')
	}
	if plain {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 16)
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '%' && i+2 < len(s) && unhex(s[i+1]) < 16 && unhex(s[i+2]) < 16:
			if v := unhex(s[i+1])<<4 | unhex(s[i+2]); unreserved(v) {
				b.WriteByte(v)
			} else {
				writeEscaped(&b, v)
			}
			i += 2
		case foreign(c) || c == '$' || c == '*' && !rule:
			writeEscaped(&b, c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

func writeEscaped(b *strings.Builder, c byte) {
	const hex = "0123456789ABCDEF"
	b.WriteByte('%')
	b.WriteByte(hex[c>>4])
	b.WriteByte(hex[c&15])
}

// foreign reports whether a byte stands in no URL by RFC 3986, but escaped. A
// backslash does not count, which browsers take for a slash.
func foreign(c byte) bool {
	return c <= ' ' || c >= 0x7f || strings.IndexByte("\"<>^`{|}", c) >= 0
}

// unhex is the value of a hexadecimal digit, 16 if c is none.
func unhex(c byte) byte {
	switch {
	case '0' <= c && c <= '9':
		return c - '0'
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return c | 0x20 - 'a' + 10
	}
	return 16
}

// unreserved is what RFC 3986 §2.3 lets stand for itself everywhere.
func unreserved(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || strings.IndexByte("-._~", c) >= 0
}
