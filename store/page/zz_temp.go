package page

import "golang.org/x/net/html/charset"
import "unicode/utf8"

func ToUTF8(b []byte, name string) []byte {
	if utf8.Valid(b) {
		return b
	}
	e, _ := charset.Lookup(name)
	if e == nil {
		return b
	}
	out, _ := e.NewDecoder().Bytes(b)
	return out
}
