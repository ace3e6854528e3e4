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

// Bounds on the length of a URL, before and after it is made canonical.
// Browsers and servers allow far less. There are two reasons: a key must fit
// into a page of an index, and the time that the parser takes grows with the
// square of the length of the part before the path.
const (
	urlBytesMax       = 16 << 10
	authorityBytesMax = 1 << 10 // user, password, host and port
)

// Canonical returns the canonical form of the URL raw: its WHATWG serialisation
// without the fragment. That means: scheme and host are in lower case, dot
// segments are resolved, a default port is dropped, and characters that need an
// escape are escaped. Equivalent escapes get one spelling: %7e becomes ~, and
// %e4 becomes %E4. Canonical keeps the scheme, www, a trailing slash, the case
// of the path, the order of the query and session ids, because URLs that differ
// in these may have different content.
//
// Old archives hold URLs that are not well formed, so raw may have: no scheme,
// only a host (http is assumed); angle brackets or blanks around it; line
// breaks inside it; bytes that are not UTF-8. Such bytes are read as GB18030 in
// the host, and percent-encoded as they are elsewhere. Schemes without a host
// (dns:, urn:) are kept. After dom: and screenshot:, the URL of the page is made
// canonical.
//
// The canonical form of a canonical URL is the URL itself. It is an error if
// raw has neither a scheme nor a host, if its host is invalid, if raw is longer
// than 16 KB, or if user and host are longer than 1 KB. The error says which of
// these.
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

// canonicalize returns the same as Canonical, but always calls the parser. Canonical
// does not call the parser for URLs that are canonical already.
func canonicalize(raw string) (string, error) {
	u, err := parse(clean(raw))
	if err != nil {
		return "", fmt.Errorf("%q is no URL: %w", clip(raw), err)
	}
	return u, nil
}

// parse returns the canonical form of s, a URL that the function clean has trimmed. An
// error gives only the reason; the caller adds the URL to the message.
func parse(s string) (string, error) {
	if s == "" {
		return "", errors.New("it is empty")
	}
	if prefix, page := cutShown(s); prefix != "" {
		page, err := parse(page)
		if err != nil {
			return "", err
		}
		return prefix + page, checkLength(prefix + page)
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
		// The blanks stood before the fragment and now end the URL. Without
		// this trim, a second Canonical would cut them off and give another
		// URL.
		href = strings.TrimRight(href, " ")
	} else {
		href = uniform(href)
	}
	if err := checkLength(href); err != nil {
		return "", err
	}
	return href, nil
}

// checkLength returns an error if the URL s, or the part of it with user and host, is
// too long. It is called before and after characters are escaped.
func checkLength(s string) error {
	if len(s) > urlBytesMax {
		return fmt.Errorf("it is longer than %d bytes", urlBytesMax)
	}
	if authorityBytes(s) > authorityBytesMax {
		return fmt.Errorf("its user and host are longer than %d bytes", authorityBytesMax)
	}
	return nil
}

// reason returns an error with only the reason why the WHATWG parser refused a URL.
// err is the parser's error; its message also has the URL.
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

// clip returns s, cut to its first 200 bytes, for an error message.
func clip(s string) string {
	const most = 200
	if len(s) > most {
		return s[:most]
	}
	return s
}

// clean returns raw without characters that do not belong to the URL: blanks, control
// characters and angle brackets at both ends, and line breaks and tabs inside. WHATWG
// ignores these too, except angle brackets.
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

// trimControl returns s without the blanks and control characters at both ends. It
// works on bytes. That is safe, because in the encodings of URLs such a byte is
// never the last byte of a longer character.
func trimControl(s string) string {
	for len(s) > 0 && s[0] <= ' ' {
		s = s[1:]
	}
	for len(s) > 0 && s[len(s)-1] <= ' ' {
		s = s[:len(s)-1]
	}
	return s
}

// hasScheme reports whether s begins with a scheme, such as http:. For
// www.pku.edu.cn:8080/ and localhost:8080 it reports false: they begin with a host
// and a port.
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

// schemeEnd returns the index of the colon that ends the scheme of s, or -1 if
// s begins with no scheme.
func schemeEnd[T string | []byte](s T) int {
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

// authorityBytes returns the length in bytes of the part of the URL s that has user,
// host and port. That part begins after the slashes that follow the scheme, and ends
// before the path, query or fragment. For a URL without a host the result is 0.
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

// looksLikeHost reports whether s, which has no scheme, seems to begin with a
// host: a name with a dot in it, an IP address, or localhost.
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

// isDigits reports whether s consists of digits only and is not empty.
func isDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// escapeBytes returns s, a URL that is not UTF-8, as valid UTF-8. It decodes the
// bytes of the host as GB18030, and percent-encodes the other bytes beyond ASCII.
func escapeBytes(s string) string {
	b := make([]byte, 0, len(s)*3)
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
		b = append(b, host...)
		rest = s[end:]
	}
	inPath := true
	for i := 0; i < len(rest); i++ {
		c := rest[i]
		inPath = inPath && c != '?'
		if c < utf8.RuneSelf {
			b = append(b, c)
			continue
		}
		b = appendEscaped(b, c)
		// The second byte of a GBK character may be a backslash. Unescaped in a
		// path, it would be read as a slash.
		if inPath && i+1 < len(rest) && rest[i+1] == '\\' {
			b = appendEscaped(b, '\\')
			i++
		}
	}
	return string(b)
}

// appendEscaped appends the percent-escape of the byte c to dst, such as %2F.
func appendEscaped(dst []byte, c byte) []byte {
	const hex = "0123456789ABCDEF"
	return append(dst, '%', hex[c>>4], hex[c&15])
}
