package classify

import (
	"fmt"
	"slices"

	"infomall/exec/value"
	"infomall/exec/vector"
)

// Corpus collects the examples for one classifier. NewCorpus creates one. Only one goroutine may
// use it.
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

// urlBytes is an estimate of the memory that a URL takes besides its letters, in bytes.
const urlBytes = 64

// NewCorpus returns an empty corpus that may take about the given number of bytes of memory.
func NewCorpus(memory int64) *Corpus {
	c := &Corpus{memory: memory, index: make(map[string]uint32), byURL: make(map[string]int)}
	c.reader.Dictionary = &c.words
	return c
}

// TooLargeError is returned when the examples or the classifier need more memory than they may
// take.
type TooLargeError struct {
	What  string // what needs it, such as "1000 texts with 20000 different words"
	Bytes int64  // how much memory there is
	Fewer bool   // fewer features would need less; otherwise only fewer texts
}

// Error says what needs more memory than there is.
func (e *TooLargeError) Error() string {
	return fmt.Sprintf("%s need more than %s of memory", e.What, value.Size(e.Bytes))
}

// Add adds an example: a text of a class. url may be "". If an earlier example has the same URL,
// the new one replaces it. ok is false if the text has no words; then the example is not added. The
// error is a *TooLargeError.
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

// Replaced returns how many examples were replaced by a later example with the same URL.
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

// rows returns the indexes of the examples that are used.
func (c *Corpus) rows() []int {
	rows := make([]int, 0, c.used)
	for i, r := range c.replaced {
		if !r {
			rows = append(rows, i)
		}
	}
	return rows
}
