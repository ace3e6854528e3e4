package lang

import "strings"

// foldASCII converts A to Z to lower case and leaves all other characters,
// because folding may change the length or number of other letters.
func foldASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}

// upperASCII converts a to z to upper case and leaves all other characters.
func upperASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' {
			return r + 'A' - 'a'
		}
		return r
	}, s)
}
