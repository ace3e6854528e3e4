package urlkey

import "strings"

// The bits of an element of classes. They say in which parts of a canonical URL a byte
// may appear without an escape.
const (
	inHost  = 1 << iota // in a label of a host
	inPath              // in a path; WHATWG does not change the byte there
	inQuery             // in a query; WHATWG does not change the byte there
)

// classes says for each byte in which parts of a canonical URL it may appear, as a
// combination of the bits inHost, inPath and inQuery. The percent sign has none of
// these bits, because isUniform decides about it.
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

// Prefix returns the length in bytes of the canonical form of the URL raw, if raw begins with that
// form and only a fragment may follow, as in most URLs. It returns 0 if it cannot decide quickly;
// the caller then calls [Canonical]. Prefix allocates no memory.
func Prefix(raw []byte) int { return canonicalPrefix(raw) }

// canonicalPrefix returns the length in bytes of the canonical URL with which raw begins, if
// nothing or only a fragment follows it. It returns 0 if it cannot decide. It decides for URLs
// like those of most captures: http or https, a plain host, nothing to resolve or escape. For
// these, the parser would take a hundred times as long.
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

// plainHost returns the index at which the host that begins at s[i] ends. It
// returns 0 if only the parser can decide: on IPv6 addresses, IPv4 addresses not in
// WHATWG's spelling, punycode, empty labels, and URLs without a path.
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

// isIPv4 reports whether s is an IPv4 address in its usual spelling: four
// decimal numbers up to 255, without leading zeros.
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

// plainPort returns the index at which the port that begins at s[i] ends. It
// returns 0 if the canonical form of the URL would have the port in another
// spelling or not at all.
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

// plainPath returns the index at which the path and query that begin at s[i]
// end. It returns 0 if something in them may have to be resolved or escaped.
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
