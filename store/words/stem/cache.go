package stem

// cacheWordsMax is how many words a Cache remembers: enough for the common
// words of a text. They take some hundred kilobytes.
const cacheWordsMax = 4096

// Cache returns the stems of words of one language. It remembers up to cacheWordsMax of them.
// Only one goroutine may use it.
type Cache struct {
	code  string
	stems map[string]string
}

// NewCache returns a Cache for the language with this code, which must be known.
func NewCache(code string) *Cache { return &Cache{code, make(map[string]string)} }

// Of returns the stem of a word, as the function Of does.
func (c *Cache) Of(word []byte) string {
	if s, ok := c.stems[string(word)]; ok {
		return s
	}
	if len(word) > wordBytesMax {
		return string(word)
	}
	if len(c.stems) >= cacheWordsMax {
		clear(c.stems)
	}
	w := string(word)
	s := Of(c.code, w)
	c.stems[w] = s
	return s
}
