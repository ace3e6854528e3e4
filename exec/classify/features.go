package classify

import (
	"strings"

	"infomall/exec/vector"
	"infomall/store/words/term"
)

// urlPrefix begins the features that are words of URLs. No word of a text has a colon.
const urlPrefix = "url:"

// reader reads the features of texts and URLs. Only one goroutine may use it.
type reader struct {
	vector.Counter
	terms term.Reader
	word  []byte
}

// features returns how often a text has each feature. The features are the words of the text and,
// unless url is "", the words of its URL. The result is valid until the next call.
func (r *reader) features(text, url string) vector.Vector {
	r.Text(text)
	if _, rest, ok := strings.Cut(url, "://"); ok {
		url = rest
	}
	for w := range r.terms.Of(url) {
		r.word = append(append(r.word[:0], urlPrefix...), w...)
		r.Word(r.word)
	}
	return r.Vector()
}
