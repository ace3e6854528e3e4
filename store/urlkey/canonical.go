package urlkey

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	whatwgerrors "github.com/nlnwa/whatwg-url/errors"
	whatwg "github.com/nlnwa/whatwg-url/url"
	"golang.org/x/text/encoding/simplifiedchinese"
)

// Bounds of a URL, before and after it is made canonical. Browsers and servers
// stop far below; a key must fit an index page, and the parser takes time in
// the square of what stands before the path.
const (
	urlBytesMax       = 16 << 10
	authorityBytesMax = 1 << 10 // user, password, host and port
)

// Canonical returns the form under which the archive knows the URL raw: its
// WHATWG serialisation without the fragment. That lower-cases scheme and host,
// resolves dot segments, drops a default port and escapes what must be. Escapes
// that mean the same are written in one way: %7e is ~, and %e4 is %E4. It
// keeps scheme, www, trailing slash, case of the path, order of the query and
// session ids, for URLs that differ in these may differ in content.
//
// Raw may be what old archives hold: a host without scheme (then http), a URL
// in angle brackets, blanks around it and line breaks within, and bytes that
// are no UTF-8. The latter stay the bytes they are, percent-encoded, but for
// those of a host, which are read as GB18030. Schemes without a host (dns:,
// urn:) are kept.
//
// Canonical of a canonical URL is the URL itself. An error says what is wrong
// with raw: it has no scheme and no host, its host cannot be, it is longer
// than 16 KB, or user and host are longer than 1 KB.
func Canonical(raw string) (string, error) {
	if n := canonicalPrefix(raw); n > 0 {
		return raw[:n], nil
	}
	if i := pathStart(raw); i > 0 {
		if path := uniform(raw[i:]); path != raw[i:] {
			u := raw[:i] + path
			if n := canonicalPrefix(u); n > 0 {
				return u[:n], nil
			}
		}
	}
	return canonicalize(raw)
}

// canonicalize is Canonical without its short cut.
func canonicalize(raw string) (string, error) {
	u, err := parse(clean(raw))
	if err != nil {
		return "", fmt.Errorf("%q is no URL: %w", clip(raw), err)
	}
	return u, nil
}

// parse is the part of canonicalize after the surroundings are cut off. Its
// errors are reasons only.
func parse(s string) (string, error) {
	if s == "" {
		return "", errors.New("it is empty")
	}
	if !hasScheme(s) {
		s = strings.TrimPrefix(s, "//")
		if !looksLikeHost(s) {
			return "", errors.New("it has neither a scheme nor a host; write it like http://www.pku.edu.cn/")
		}
		s = "http://" + s
	}
	if !utf8.ValidString(s) {
		s = escapeBytes(s)
	}
	if err := checkLength(s); err != nil {
		return "", err
	}
	u, err := whatwg.Parse(s)
	if err != nil {
		return "", reason(err)
	}
	href := u.Href(true)
	if u.OpaquePath() {
		// Blanks before a fragment now end the URL, where the next reading
		// would trim them.
		href = strings.TrimRight(href, " ")
	} else {
		href = uniform(href)
	}
	if err := checkLength(href); err != nil {
		return "", err
	}
	return href, nil
}

// checkLength reports whether s is too long, before or after escaping.
func checkLength(s string) error {
	if len(s) > urlBytesMax {
		return fmt.Errorf("it is longer than %d bytes", urlBytesMax)
	}
	if authorityBytes(s) > authorityBytesMax {
		return fmt.Errorf("its user and host are longer than %d bytes", authorityBytesMax)
	}
	return nil
}

// reason is what the parser found wrong, without the URL that it repeats.
func reason(err error) error {
	why := strings.TrimSuffix(string(whatwgerrors.Type(err)), ".")
	if why == "" {
		return err // Unreachable: all its errors have a type.
	}
	why = strings.ToLower(why[:1]) + why[1:]
	if what := whatwgerrors.Description(err); what != "" {
		why += fmt.Sprintf(": %q", what)
	}
	return errors.New(why)
}

// clip shortens a URL for a message.
func clip(s string) string {
	const most = 200
	if len(s) > most {
		return s[:most]
	}
	return s
}

// clean takes away what surrounds a URL in files: blanks, control characters,
// angle brackets; and the line breaks and tabs that WHATWG ignores within.
func clean(raw string) string {
	s := trimControl(raw)
	if len(s) > 1 && s[0] == '<' && s[len(s)-1] == '>' {
		s = trimControl(s[1 : len(s)-1])
	}
	if strings.ContainsAny(s, "\t\r\n") {
		s = strings.NewReplacer("\t", "", "\r", "", "\n", "").Replace(s)
		s = trimControl(s)
	}
	return s
}

// trimControl cuts blanks and control characters off both ends, bytewise: in
// none of the encodings that URLs come in does such a byte end a character.
func trimControl(s string) string {
	for len(s) > 0 && s[0] <= ' ' {
		s = s[1:]
	}
	for len(s) > 0 && s[len(s)-1] <= ' ' {
		s = s[:len(s)-1]
	}
	return s
}

// hasScheme reports whether s begins with a scheme. www.pku.edu.cn:8080/ and
// localhost:8080 do not: they are a host and a port.
func hasScheme(s string) bool {
	colon := schemeEnd(s)
	if colon < 0 {
		return false
	}
	if name := s[:colon]; name == "localhost" || strings.Contains(name, ".") {
		return strings.HasPrefix(s[colon+1:], "//")
	}
	return true
}

// schemeEnd returns the index of the colon that ends the scheme of s, or -1.
func schemeEnd(s string) int {
	for i := range len(s) {
		switch c := s[i]; {
		case 'a' <= c|0x20 && c|0x20 <= 'z':
		case i > 0 && ('0' <= c && c <= '9' || c == '+' || c == '-' || c == '.'):
		case i > 0 && c == ':':
			return i
		default:
			return -1
		}
	}
	return -1
}

// authorityBytes returns how long the part of s with user, host and port is: up
// to the first slash after those that part it from the scheme.
func authorityBytes(s string) int {
	scheme, rest, _ := strings.Cut(s, ":")
	switch strings.ToLower(scheme) {
	case "http", "https", "ftp", "ws", "wss":
	default:
		if !strings.HasPrefix(rest, "//") {
			return 0
		}
	}
	rest = strings.TrimLeft(rest, `/\`)
	if end := strings.IndexAny(rest, `/?#\`); end >= 0 {
		return end
	}
	return len(rest)
}

// looksLikeHost reports whether s, which has no scheme, may begin with a host:
// a name with a dot in it, an IP address, or localhost.
func looksLikeHost(s string) bool {
	host := s
	if end := strings.IndexAny(s, `/?#\`); end >= 0 {
		host = s[:end]
	}
	if strings.HasPrefix(host, "[") {
		return true
	}
	host, _, _ = strings.Cut(host, ":")
	if strings.ContainsAny(host, " %@") {
		return false
	}
	return host == "localhost" || len(host) > 2 && strings.ContainsAny(host, ".。") && host[0] != '.'
}

// isDigits reports whether s is one or more digits.
func isDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// escapeBytes makes a URL that is no UTF-8 one that is: the bytes of its host
// are read as GB18030, those after it are percent-encoded.
func escapeBytes(s string) string {
	var b strings.Builder
	b.Grow(len(s) * 3)
	rest := s
	if i := strings.Index(s, "://"); i >= 0 {
		end := i + len("://")
		for end < len(s) && strings.IndexByte(`/?#`, s[end]) < 0 {
			end++
		}
		host, err := simplifiedchinese.GB18030.NewDecoder().String(s[:end])
		if err != nil {
			host = s[:end] // Unreachable: the decoder replaces what it cannot read.
		}
		b.WriteString(host)
		rest = s[end:]
	}
	inPath := true
	for i := 0; i < len(rest); i++ {
		c := rest[i]
		inPath = inPath && c != '?'
		if c < utf8.RuneSelf {
			b.WriteByte(c)
			continue
		}
		writeEscaped(&b, c)
		// The second byte of a GBK character may be a backslash, which in a
		// path would else be taken for a slash.
		if inPath && i+1 < len(rest) && rest[i+1] == '\\' {
			writeEscaped(&b, '\\')
			i++
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
