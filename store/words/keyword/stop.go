package keyword

import (
	_ "embed"
	"strings"
	"sync"
)

//go:embed stop.txt
var stopLists string

// stopList has the stop words of one language, in lower case.
type stopList struct {
	language string
	words    map[string]bool
}

// stops returns the lists of stop.txt, in the order of the file.
var stops = sync.OnceValue(func() (lists []stopList) {
	for line := range strings.Lines(stopLists) {
		words := strings.Fields(line)
		if words[0] == "#" {
			continue
		}
		l := stopList{language: words[0], words: make(map[string]bool, len(words))}
		for _, w := range words[1:] {
			l.words[w] = true
		}
		lists = append(lists, l)
	}
	return lists
})

// listOf returns the stop words of a language.
func listOf(language string) *stopList {
	lists := stops()
	for i := range lists {
		if lists[i].language == language {
			return &lists[i]
		}
	}
	return &stopList{}
}

// languageLeast is the least number of words of a text that must be stop words of a language,
// so that the text counts as a text in this language. A text with fewer counts as English.
const languageLeast = 3

// stopsOf returns the stop words of the language of a text: the language to which most of its
// stop words belong. counts has how often each word occurs in the text; the words are in lower
// case. If several languages have equally many, English counts first, then the language that
// comes first in stop.txt.
func stopsOf(counts map[string]int) *stopList {
	best, most := listOf("en"), 0
	lists := stops()
	for w, n := range counts {
		if best.words[w] {
			most += n
		}
	}
	most = max(most, languageLeast-1)
	for i := range lists {
		n := 0
		for w, c := range counts {
			if lists[i].words[w] {
				n += c
			}
		}
		if n > most {
			best, most = &lists[i], n
		}
	}
	return best
}
