package urlkey

import "strings"

// Percent-escapes that mean the same are written in one way, as RFC 3986 §6.2.2 has
// it: their digits in upper case, and signs that need none as they are. So %7e and
// %7E are ~, and %e4 is %E4.

// unescaped says which bytes stand for themselves in every part of a URL.
var unescaped = func() (t [256]bool) {
	for c := range t {
		t[c] = 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c == '-' || c == '.' || c == '_' || c == '~'
	}
	return t
}()

// isUniform reports whether the percent sign at i of s is written as it is in a
// canonical URL: it begins an escape in upper case of a sign that needs one, or no
// escape.
func isUniform[T string | []byte](s T, i int) bool {
	if i+2 >= len(s) || !isHex(s[i+1]) || !isHex(s[i+2]) {
		return true
	}
	return s[i+1] < 'a' && s[i+2] < 'a' && !unescaped[unhex(s[i+1])<<4|unhex(s[i+2])]
}

// uniform returns s with its percent-escapes written in one way. Uniform of the
// result is the result. What is uniform already is returned without a copy.
func uniform(s string) string {
	i := strings.IndexByte(s, '%')
	for i >= 0 && isUniform(s, i) {
		next := strings.IndexByte(s[i+1:], '%')
		if next < 0 {
			return s
		}
		i += 1 + next
	}
	if i < 0 {
		return s
	}
	out := append(make([]byte, 0, len(s)), s[:i]...)
	for ; i < len(s); i++ {
		if s[i] != '%' || i+2 >= len(s) || !isHex(s[i+1]) || !isHex(s[i+2]) {
			out = append(out, s[i])
			continue
		}
		c := unhex(s[i+1])<<4 | unhex(s[i+2])
		if unescaped[c] && !(isHex(c) && openEscape(out)) {
			out = append(out, c)
		} else {
			out = append(out, '%', upper(s[i+1]), upper(s[i+2]))
		}
		i += 2
	}
	return string(out)
}

// openEscape reports whether out ends in a percent sign that begins no escape, with
// one digit after it or none: with a further digit it would begin one.
func openEscape(out []byte) bool {
	n := len(out)
	if n > 0 && out[n-1] == '%' {
		return true
	}
	return n > 1 && out[n-2] == '%' && isHex(out[n-1])
}

func upper(c byte) byte {
	if 'a' <= c && c <= 'f' {
		c -= 'a' - 'A'
	}
	return c
}
