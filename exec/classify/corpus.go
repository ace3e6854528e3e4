package classify

import (
	"fmt"
	"slices"

	"infomall/exec/value"
	"infomall/exec/vector"
)

// Corpus collects examples. NewCorpus makes one. Only one goroutine may use it.
type Corpus struct {
	memory   int64 // how many bytes the corpus may take, about
	words    vector.Dictionary
	reader   reader
	counts   vector.Matrix // the features of each example
	class    []uint32      // of each example, an index of classes
	classes  []string      // in the order in which they came
	index    map[string]uint32
	copies   copies
	byURL    map[string]int // the last example of each URL
	replaced []bool         // of each example: a later one has the same URL
	used     int            // examples that are not replaced
	urlBytes int64
}

// urlBytes is about how many bytes of memory a URL takes, besides its letters.
const urlBytes = 64

// NewCorpus returns an empty corpus that takes about memory bytes at most.
func NewCorpus(memory int64) *Corpus {
	c := &Corpus{memory: memory, index: make(map[string]uint32), byURL: make(map[string]int)}
	c.reader.Dictionary = &c.words
	return c
}

// TooLargeError is returned when the examples or the classifier need more memory than there
// is.
type TooLargeError struct {
	What  string // what needs it, such as "1000 texts with 20000 different words"
	Bytes int64  // how much memory there is
	Fewer bool   // fewer features would need less; otherwise only fewer texts
}

// Error says what needs more memory than there is.
func (e *TooLargeError) Error() string {
	return fmt.Sprintf("%s need more than %s of memory", e.What, value.Size(e.Bytes))
}

// Add adds an example. url may be ""; if an earlier example has the same URL, that one is no
// longer used. Add does not add an example without words, and then returns false. The error
// is a *TooLargeError.
func (c *Corpus) Add(text, class, url string) (ok bool, err error) {
	v := c.reader.features(text, url)
	if len(v.Words) == 0 {
		return false, nil
	}
	if url != "" {
		if before, ok := c.byURL[url]; ok {
			c.replaced[before] = true
			c.used--
		} else {
			c.urlBytes += urlBytes + int64(len(url))
		}
		c.byURL[url] = len(c.class)
	}
	n, ok := c.index[class]
	if !ok {
		n = uint32(len(c.classes))
		c.index[class] = n
		c.classes = append(c.classes, class)
	}
	c.counts.Add(v)
	c.class, c.replaced = append(c.class, n), append(c.replaced, false)
	c.copies.add(text)
	c.used++
	if c.words.Bytes()+c.counts.Bytes()+c.copies.bytes()+c.urlBytes > c.memory {
		return true, &TooLargeError{fmt.Sprintf("%s with %s", value.Counted(len(c.class), "text"), value.Counted(c.words.Len(), "different word")), c.memory, false}
	}
	return true, nil
}

// Len returns how many examples are used.
func (c *Corpus) Len() int { return c.used }

// Replaced returns how many examples are not used, because a later one has the same URL.
func (c *Corpus) Replaced() int { return len(c.class) - c.used }

// Classes returns the classes of the examples that are used, sorted.
func (c *Corpus) Classes() []string {
	var list []string
	for _, n := range c.rows() {
		list = append(list, c.classes[c.class[n]])
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// URLs returns the URLs of the examples, sorted.
func (c *Corpus) URLs() []string {
	list := make([]string, 0, len(c.byURL))
	for u := range c.byURL {
		list = append(list, u)
	}
	slices.Sort(list)
	return list
}

// rows returns the examples that are used.
func (c *Corpus) rows() []int {
	rows := make([]int, 0, c.used)
	for i, r := range c.replaced {
		if !r {
			rows = append(rows, i)
		}
	}
	return rows
}
