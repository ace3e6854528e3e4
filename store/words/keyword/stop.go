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

// languageLeast is how many words of a text must be stop words of a language, at least, to
// tell that the text is written in this language. Otherwise it counts as English.
const languageLeast = 3

// stopsOf returns the stop words of the language of which a text has the most. counts has
// the words of the text, in lower case, with the number of their occurrences. Of several
// equal languages, English counts, then the first of the file.
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
