package scan

import "strings"

// Lower converts A to Z to lower case and leaves all other characters,
// because folding may change the length or number of other letters.
func Lower(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}

// Upper converts a to z to upper case and leaves all other characters.
func Upper(s string) string {
	return strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' {
			return r + 'A' - 'a'
		}
		return r
	}, s)
}

// EqualFold reports whether text equals upper, an ASCII word in upper case, in
// any case.
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
