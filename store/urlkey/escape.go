package urlkey

import "strings"

// Equivalent percent-escapes get one spelling, by RFC 3986 §6.2.2: hexadecimal
// digits are in upper case, and a character that needs no escape is written
// without. So %7e and %7E become ~, and %e4 becomes %E4. An escape in this
// spelling is called uniform.

// unescaped says for each byte whether it needs no escape in any part of a URL:
// letters, digits and - . _ ~.
var unescaped = func() (t [256]bool) {
	for c := range t {
		t[c] = 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c == '-' || c == '.' || c == '_' || c == '~'
	}
	return t
}()

// isUniform reports whether the percent sign at s[i] may stay as it is in a
// canonical URL. It may stay if it begins an escape whose digits are in upper case
// and whose character needs an escape, or if it begins no escape at all.
func isUniform[T string | []byte](s T, i int) bool {
	if i+2 >= len(s) || !isHex(s[i+1]) || !isHex(s[i+2]) {
		return true
	}
	return s[i+1] < 'a' && s[i+2] < 'a' && !unescaped[unhex(s[i+1])<<4|unhex(s[i+2])]
}

// uniform returns s with every percent-escape in its uniform spelling: %7e becomes
// ~, and %e4 becomes %E4. If nothing changes, it returns s without a copy. Calling
// uniform on its own result changes nothing.
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

// EscapePercent returns url with %25 in place of each percent sign in its path that begins no
// escape: http://a.example/100%25 for http://a.example/100%. Browsers take such percent signs as
// they are, but other programs refuse them. In a query they are no fault.
func EscapePercent(url string) string {
	return replacePercent(url, "%", "%25")
}

// BarePercent is the reverse of EscapePercent: it returns http://a.example/100% for
// http://a.example/100%25. %2541 stays, because %41 is an escape.
func BarePercent(url string) string {
	return replacePercent(url, "%25", "%")
}

// replacePercent returns url with new in place of each old in its path that two hexadecimal digits
// do not follow.
func replacePercent(url, old, new string) string {
	path, _, _ := strings.Cut(url, "?")
	var b strings.Builder
	done := 0
	for at := strings.Index(path, old); at >= 0; {
		end := at + len(old)
		if end+1 >= len(path) || !isHex(path[end]) || !isHex(path[end+1]) {
			b.WriteString(url[done:at])
			b.WriteString(new)
			done = end
		}
		next := strings.Index(path[end:], old)
		if next < 0 {
			break
		}
		at = end + next
	}
	if done == 0 {
		return url
	}
	b.WriteString(url[done:])
	return b.String()
}

// openEscape reports whether out ends in an incomplete percent-escape: a percent sign, alone or
// with one hexadecimal digit after it. If a digit were appended, it could complete an escape
// that was not in the URL.
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
