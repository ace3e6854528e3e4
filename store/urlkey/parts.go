package urlkey

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/net/publicsuffix"
	"golang.org/x/text/encoding/simplifiedchinese"
)

// Host returns the host of a canonical URL without user and port, an IPv6
// address in its brackets; "" where there is none.
func Host(canonical string) string {
	authority, _, ok := authority(canonical)
	if !ok {
		return ""
	}
	host := authority[strings.LastIndexByte(authority, '@')+1:]
	if colon := strings.LastIndexByte(host, ':'); colon >= 0 && host[len(host)-1] != ']' {
		host = host[:colon]
	}
	return host
}

// Domain returns the registered domain that the host of a canonical URL
// belongs to, by the public suffix list: pku.edu.cn of www.pku.edu.cn. An
// address, a public suffix and a single label are their own.
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

// RawPath returns the path of a canonical URL as it stands, without the query.
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

// Path returns the path of a canonical URL with its percent-escapes resolved
// as Unescape does.
func Path(canonical string) string {
	return Unescape(RawPath(canonical))
}

// Depth returns how many segments the path of a canonical URL has: 0 for /, 1
// for /a and /a/, 2 for /a/b.htm.
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

// Unescape resolves percent-escapes: as UTF-8 where the result is that, else as
// GB18030, the encoding of old Chinese URLs. The result is valid UTF-8; what is
// neither becomes U+FFFD. A percent sign that begins no escape stays.
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

// authority splits a canonical URL into what stands between // and the path,
// and the rest. It reports false for a URL without //.
func authority(canonical string) (authority, rest string, ok bool) {
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

// unescapeOnce resolves the percent-escapes of s to the bytes they stand for.
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

// unhex is the value of a hexadecimal digit, and unspecified for other bytes.
func unhex(c byte) byte {
	if c <= '9' {
		return c - '0'
	}
	return c | 0x20 - 'a' + 10
}
