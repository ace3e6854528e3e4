package robots

import "strings"

// pattern is the path of a rule, prepared for matching. It is split at each *.
type pattern struct {
	parts    []string // the parts between the *; the first must begin the path, the others follow in this order
	anchored bool     // whether the last part must end the path
	bytes    int      // length of the rule's path; the matching rule with the longest path decides
}

// newPattern parses the path of a rule. In it, * matches any bytes, and a $ at
// its end matches the end of the URL.
func newPattern(path string) pattern {
	path, anchored := strings.CutSuffix(path, "$")
	path = normalize(path, true)
	p := pattern{parts: strings.Split(path, "*"), anchored: anchored, bytes: len(path)}
	if anchored {
		p.bytes++
	}
	return p
}

// matches reports whether p matches path, which pathOf has returned. It
// takes each part at its first occurrence. That is correct because only the
// last part may be bound to the end of the path, and it takes linear time.
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

// pathOf returns the part of a canonical URL that rules are compared with: path
// and query, normalized.
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

// normalize brings a path into the form in which RFC 9309 §2.2.2 compares
// paths. It escapes bytes that no URL contains, such as bytes beyond ASCII
// and blanks. It resolves escapes of letters, digits and - . _ ~, and writes
// other escapes in upper case. It escapes every $, because a $ in a path is an
// ordinary character. rule says that s is the path of a rule, in which * is
// special; otherwise normalize escapes every * too.
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

// foreign reports whether RFC 3986 allows the byte c in a URL only as an
// escape, such as %20 for a blank. It reports false for a backslash, which
// browsers read as a slash.
func foreign(c byte) bool {
	return c <= ' ' || c >= 0x7f || strings.IndexByte("\"<>^`{|}", c) >= 0
}

// unhex returns the value of the hexadecimal digit c, or 16 if c is not a hexadecimal digit.
func unhex(c byte) byte {
	switch {
	case '0' <= c && c <= '9':
		return c - '0'
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return c | 0x20 - 'a' + 10
	}
	return 16
}

// unreserved reports whether c is an unreserved character of RFC 3986 §2.3:
// a letter, a digit, or one of - . _ ~. It needs no escape in any part of a
// URL.
func unreserved(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || strings.IndexByte("-._~", c) >= 0
}
