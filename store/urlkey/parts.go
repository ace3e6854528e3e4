package urlkey

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/net/publicsuffix"
	"golang.org/x/text/encoding/simplifiedchinese"
)

// Host returns the host of a canonical URL without user and port. An IPv6 address
// keeps its brackets. For a URL without a host, Host returns "".
func Host(canonical string) string {
	host := HostPort(canonical)
	if colon := strings.LastIndexByte(host, ':'); colon >= 0 && host[len(host)-1] != ']' {
		host = host[:colon]
	}
	return host
}

// HostPort returns the host of a canonical URL with its port, if the URL has
// one, but without the user.
func HostPort(canonical string) string {
	authority, _, _ := authority(canonical)
	return authority[strings.LastIndexByte(authority, '@')+1:]
}

// IsHTTP reports whether a canonical URL has the scheme http or https.
func IsHTTP(canonical string) bool {
	return strings.HasPrefix(canonical, "http://") || strings.HasPrefix(canonical, "https://")
}

// Domain returns the registered domain of the host of a canonical URL, by the
// public suffix list: pku.edu.cn for www.pku.edu.cn. If the host is an IP
// address, a public suffix or a single label, Domain returns the host itself.
func Domain(canonical string) string {
	host := Host(canonical)
	if isIP(host) {
		return host
	}
	domain, err := publicsuffix.EffectiveTLDPlusOne(host)
	if err != nil {
		return host
	}
	return domain
}

// HasUser reports whether a canonical URL has a name or a password in front of its host.
func HasUser(canonical string) bool {
	before, _, _ := authority(canonical)
	return strings.Contains(before, "@")
}

// RawPath returns the path of a canonical URL without the query. Percent-escapes
// such as %20 stay as they are.
func RawPath(canonical string) string {
	_, path, ok := authority(canonical)
	if !ok {
		path = canonical[schemeEnd(canonical)+1:]
	}
	if q := strings.IndexByte(path, '?'); q >= 0 {
		path = path[:q]
	}
	return path
}

// Path returns the path of a canonical URL without the query, with its
// percent-escapes decoded by Unescape.
func Path(canonical string) string {
	return Unescape(RawPath(canonical))
}

// Depth returns the number of segments in the path of a canonical URL: 0 for /,
// 1 for /a and /a/, 2 for /a/b.htm.
func Depth(canonical string) int {
	n := 0
	path := RawPath(canonical)
	for i := range len(path) {
		if path[i] != '/' && (i == 0 || path[i-1] == '/') {
			n++
		}
	}
	return n
}

// Unescape replaces the percent-escapes of s by their bytes. If the result is not
// UTF-8, it is decoded as GB18030, the encoding of old Chinese URLs. Bytes that are
// in neither encoding become U+FFFD, so the result is always valid UTF-8. A percent
// sign that begins no escape stays.
func Unescape(s string) string {
	if strings.IndexByte(s, '%') >= 0 {
		s = unescapeOnce(s)
	}
	if utf8.ValidString(s) {
		return s
	}
	text, err := simplifiedchinese.GB18030.NewDecoder().String(s)
	if err != nil {
		return strings.ToValidUTF8(s, "\uFFFD") // Unreachable: the decoder replaces what it cannot read.
	}
	return text
}

// authority splits a canonical URL in two. The result authority is the part between // and the
// path: user, host and port. The result rest is the path and query. For a URL with the prefix DOM
// or Screenshot, both are parts of the URL after the prefix. ok is false for a URL without //.
func authority(canonical string) (authority, rest string, ok bool) {
	canonical = PageOf(canonical)
	i := schemeEnd(canonical) + 1
	if !strings.HasPrefix(canonical[i:], "//") {
		return "", "", false
	}
	canonical = canonical[i+2:]
	end := 0
	for end < len(canonical) && canonical[end] != '/' && canonical[end] != '?' {
		end++
	}
	return canonical[:end], canonical[end:], true
}

// unescapeOnce replaces each percent-escape of s by its byte. An escape that results from a
// replacement stays: "%2541" becomes "%41".
func unescapeOnce(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) && isHex(s[i+1]) && isHex(s[i+2]) {
			b.WriteByte(unhex(s[i+1])<<4 | unhex(s[i+2]))
			i += 2
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f'
}

// unhex returns the value of the hexadecimal digit c, 0 to 15. For other bytes
// the result means nothing.
func unhex(c byte) byte {
	if c <= '9' {
		return c - '0'
	}
	return c | 0x20 - 'a' + 10
}

// Form returns a canonical http or https URL without its scheme and without www. before
// its host, such as pku.edu.cn/news/ for https://www.pku.edu.cn/news/. Two URLs with
// equal results probably lead to the same page. Form returns other URLs unchanged.
func Form(canonical string) string {
	rest, ok := strings.CutPrefix(canonical, "https://")
	if !ok {
		if rest, ok = strings.CutPrefix(canonical, "http://"); !ok {
			return canonical
		}
	}
	bare, www := strings.CutPrefix(rest, "www.")
	if host, _, _ := strings.Cut(bare, "/"); www && strings.Contains(host, ".") {
		return bare // the host of http://www.cn/ is no form of a host cn
	}
	return rest
}

// Forms returns the canonical URLs with the same Form as canonical, at most four. canonical is one of them.
func Forms(canonical string) []string {
	form := Form(canonical)
	if form == canonical {
		return []string{canonical}
	}
	var list []string
	for _, start := range []string{"http://", "https://", "http://www.", "https://www."} {
		if url := start + form; Form(url) == form {
			list = append(list, url)
		}
	}
	return list
}
