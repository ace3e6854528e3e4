package cut

import (
	_ "embed"
	"strings"
)

//go:embed stop.txt
var stopList string

// stopWords are the words of stop.txt.
var stopWords = func() map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(stopList) {
		m[w] = true
	}
	return m
}()

// StopLettersMax is the number of letters of the longest stop word.
const StopLettersMax = 3

// Stop reports whether a word, in simplified letters, is a stop word: it says nothing of
// what a text is about.
func Stop(word string) bool { return stopWords[word] }
