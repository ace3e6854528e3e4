package vector

import (
	"slices"

	"infomall/store/words/term"
)

// Counter counts the words of a text and returns the counts as a vector. Only one goroutine may use
// it.
type Counter struct {
	// Dictionary has the numbers of words. It must not be nil.
	Dictionary *Dictionary
	// Fixed says that words missing in Dictionary are ignored. Otherwise they are added to it.
	Fixed bool

	reader term.Reader
	counts map[uint32]uint32
	vector Vector
}

// Text adds the terms of a text to the current vector.
func (c *Counter) Text(text string) {
	for w := range c.reader.Of(text) {
		c.Word(w)
	}
}

// Word adds one word to the current vector.
func (c *Counter) Word(word []byte) {
	n, ok := uint32(0), true
	if c.Fixed {
		n, ok = c.Dictionary.Find(word)
	} else {
		n = c.Dictionary.Number(word)
	}
	if !ok {
		return
	}
	if c.counts == nil {
		c.counts = make(map[uint32]uint32)
	}
	c.counts[n]++
}

// Vector returns the counts of the words that were added since the last call of Vector.
// The result is valid until the next call.
func (c *Counter) Vector() Vector {
	v := &c.vector
	v.Words, v.Values = v.Words[:0], v.Values[:0]
	for n := range c.counts {
		v.Words = append(v.Words, n)
	}
	slices.Sort(v.Words)
	for _, n := range v.Words {
		v.Values = append(v.Values, float32(c.counts[n]))
	}
	clear(c.counts)
	return *v
}
