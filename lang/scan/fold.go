package scan

import "strings"

// Lower returns s with A to Z in lower case. It leaves all other letters,
// because a change of case may change their length in bytes.
func Lower(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}

// Upper returns s with a to z in upper case. It leaves all other letters, like
// Lower.
func Upper(s string) string {
	return strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' {
			return r + 'A' - 'a'
		}
		return r
	}, s)
}

// EqualFold reports whether text equals upper if the case of ASCII letters does
// not count. upper must be an ASCII word in upper case.
func EqualFold(text, upper string) bool {
	if len(text) != len(upper) {
		return false
	}
	for i := range len(text) {
		c := text[i]
		if 'a' <= c && c <= 'z' {
			c -= 'a' - 'A'
		}
		if c != upper[i] {
			return false
		}
	}
	return true
}
