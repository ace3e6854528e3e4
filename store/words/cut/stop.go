package cut

import (
	_ "embed"
	"strings"
	"sync"
)

//go:embed stop.txt
var stopList string

// stopWords returns the set of the words of stop.txt, which say nothing of what a text is
// about.
var stopWords = sync.OnceValue(func() map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(stopList) {
		m[w] = true
	}
	return m
})

// StopLettersMax is the number of letters of the longest stop word.
const StopLettersMax = 3

// Stop reports whether a word, in simplified letters, is a stop word: it says nothing of
// what a text is about.
func Stop(word string) bool { return stopWords()[word] }

// CostOf returns how rare a word in simplified letters is, in tenths of a bit: 10 × log2(n ÷
// k), if the word is k of n words of text. It returns 0 if the list of words does not have the
// word.
func CostOf(word string) uint8 {
	node := -1
	for at, r := range word {
		if at == 0 {
			node = chinese.Root(r)
		} else {
			node = chinese.Next(node, r)
		}
		if node < 0 {
			return 0
		}
	}
	if node < 0 {
		return 0
	}
	return chinese.Cost(node)
}
