package firstseen

import (
	"unicode"
	"unicode/utf8"
)

// Hash returns a hash of the letters and digits of a text, without regard to case, white space
// and punctuation. ok is false if the text has neither letters nor digits.
func Hash(text string) (hash uint64, ok bool) {
	const basis, prime = 14695981039346656037, 1099511628211 // FNV-1a
	h := uint64(basis)
	for i := 0; i < len(text); {
		c := text[i]
		if c < utf8.RuneSelf {
			i++
			switch {
			case 'A' <= c && c <= 'Z':
				c |= 0x20
			case 'a' <= c && c <= 'z', '0' <= c && c <= '9':
			default:
				continue
			}
			h = (h ^ uint64(c)) * prime
			ok = true
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		i += size
		const firstHan, lastHan = 0x4e00, 0x9fff // most letters of Chinese, which are not looked up
		if r < firstHan || r > lastHan {
			if !unicode.In(r, unicode.L, unicode.M, unicode.N) {
				continue
			}
			r = unicode.ToLower(r)
		}
		h = (h ^ uint64(r)) * prime
		ok = true
	}
	return h, ok
}
