package office

import "infomall/store/document"

// keywordBytesMax is about how many bytes of keywords a document keeps.
const keywordBytesMax = 64 << 10

// AddKeyword adds a keyword to those of d, after a comma. Once d has keywordBytesMax bytes of
// keywords, AddKeyword does nothing.
func AddKeyword(d *document.Document, word string) {
	word = document.Clean(word)
	if word == "" || len(d.Keywords) >= keywordBytesMax {
		return
	}
	if d.Keywords != "" {
		word = ", " + word
	}
	d.Keywords += word
}
