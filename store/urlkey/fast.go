package urlkey

import "strings"

// What each byte may do in a URL that is canonical as it stands.
const (
	inHost  = 1 << iota // a label of a host
	inPath              // a path: WHATWG leaves it alone
	inQuery             // a query: likewise
)

// classes tells for each byte where it may stand. A percent sign is looked at.
var classes = func() (t [256]uint8) {
	for c := byte('!'); c <= '~'; c++ {
		if strings.IndexByte("\"#<>'%", c) < 0 {
			t[c] |= inQuery
		}
		if strings.IndexByte("\"#<>?`{}^\\%", c) < 0 {
			t[c] |= inPath
		}
		if 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '-' || c == '_' {
			t[c] |= inHost
		}
	}
	return t
}()

// Prefix tells how much of raw is what [Canonical] makes of it, at a glance and
// without memory: 0 where that must be asked.
func Prefix(raw []byte) int { return canonicalPrefix(raw) }

// canonicalPrefix returns how much of raw is a canonical URL that only a
// fragment follows, or 0 where it cannot tell. It knows the URLs that most
// captures have (http or https, a plain host, nothing to resolve or escape) and
// spares them the parser, which takes a hundred times as long.
func canonicalPrefix[T string | []byte](raw T) int {
	if len(raw) > urlBytesMax {
		return 0
	}
	i := len("http://")
	defaultPort := "80"
	switch {
	case hasPrefix(raw, "http://"):
	case hasPrefix(raw, "https://"):
		i, defaultPort = len("https://"), "443"
	default:
		return 0
	}
	if i = plainHost(raw, i); i == 0 {
		return 0
	}
	if raw[i] == ':' {
		if i = plainPort(raw, i+1, defaultPort); i == 0 {
			return 0
		}
	}
	if raw[i] != '/' {
		return 0
	}
	return plainPath(raw, i)
}

// plainHost returns where the host that begins at i ends, or 0. It leaves to
// the parser: addresses but those of IPv4 as WHATWG writes them, punycode, empty
// labels, and a URL without a path.
func plainHost[T string | []byte](s T, i int) int {
	from, label := i, i
	for ; i < len(s); i++ {
		if classes[s[i]]&inHost != 0 {
			continue
		}
		if i == label || hasPrefix(s[label:i], "xn--") {
			return 0
		}
		if s[i] != '.' {
			break
		}
		label = i + 1
	}
	if i >= len(s) || i > authorityBytesMax || '0' <= s[label] && s[label] <= '9' && !isIPv4(string(s[from:i])) {
		return 0
	}
	return i
}

// isIPv4 reports whether s is four numbers of a byte in decimal, no digit too
// many.
func isIPv4(s string) bool {
	for n := 1; ; n++ {
		number, rest, more := strings.Cut(s, ".")
		if len(number) > 3 || !isDigits(number) || number[0] == '0' && number != "0" || len(number) == 3 && number > "255" {
			return false
		}
		if !more {
			return n == 4
		}
		s = rest
	}
}

// plainPort returns where the port that begins at i ends, or 0 unless it is
// written as WHATWG would write it.
func plainPort[T string | []byte](s T, i int, defaultPort string) int {
	end := i
	for end < len(s) && '0' <= s[end] && s[end] <= '9' {
		end++
	}
	port := string(s[i:end])
	if end == len(s) || port == "" || len(port) > 5 || port[0] == '0' && port != "0" || port == defaultPort {
		return 0
	}
	if len(port) == 5 && port > "65535" {
		return 0
	}
	return end
}

// plainPath returns where the path and query that begin at i end, or 0 if
// there is something to resolve or escape in them.
func plainPath[T string | []byte](s T, i int) int {
	for ; i < len(s); i++ {
		c := s[i]
		switch {
		case classes[c]&inPath != 0:
			if c == '.' && s[i-1] == '/' {
				return 0 // perhaps a dot segment
			}
		case c == '%':
			if !isUniform(s, i) {
				return 0 // perhaps a dot segment too
			}
		case c == '#':
			return i
		case c == '?':
			return plainQuery(s, i+1)
		default:
			return 0
		}
	}
	return i
}

func plainQuery[T string | []byte](s T, i int) int {
	for ; i < len(s); i++ {
		switch c := s[i]; {
		case classes[c]&inQuery != 0:
		case c == '%' && isUniform(s, i):
		case c == '#':
			return i
		default:
			return 0
		}
	}
	return i
}
