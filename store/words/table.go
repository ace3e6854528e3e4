package words

import (
	"bytes"
	"unicode/utf8"
)

// Table is a hash table of words, each with a value. To look up a word allocates
// no memory. Once all words are added, several goroutines may use the table at
// once.
type Table struct {
	slots   []slot // their number is a power of two
	longest int
}

type slot struct {
	word  string // in lower case; "" if the slot is free
	value uint8
}

// longestMax is the greatest length in bytes of a word in a Table.
const longestMax = 32

// tableSlots is the number of slots of a Table, a power of two and many times the
// number of words in any list.
const tableSlots = 1 << 11

// NewTable returns a Table without words.
func NewTable() *Table { return &Table{slots: make([]slot, tableSlots)} }

// Add adds a word with its value. The word must be in lower case. Add panics if
// it is longer than longestMax.
func (t *Table) Add(word string, value uint8) {
	h := uint32(0)
	for i := range len(word) {
		h = wordHash(h, word[i])
	}
	for ; t.slots[h%tableSlots].word != "" && t.slots[h%tableSlots].word != word; h++ {
	}
	t.slots[h%tableSlots] = slot{word, value}
	if t.longest = max(t.longest, len(word)); t.longest > longestMax {
		panic("words: a list has a word of too many letters: " + word)
	}
}

func wordHash(h uint32, c byte) uint32 { return (h ^ uint32(c)) * 0x9e3779b1 >> 1 }

// find returns the value of a word in upper or lower case. ok is false if the
// table does not have the word. h is the wordHash of the word in lower case.
func (t *Table) find(word []byte, h uint32) (value uint8, ok bool) {
	for ; t.slots[h%tableSlots].word != ""; h++ {
		if s := &t.slots[h%tableSlots]; len(s.word) == len(word) && equalFold(word, s.word) {
			return s.value, true
		}
	}
	return 0, false
}

// Has reports whether the table has a word, in upper or lower case.
func (t *Table) Has(word string) bool {
	if len(word) > t.longest {
		return false
	}
	var b [longestMax]byte
	h := uint32(0)
	for i := range len(word) {
		b[i] = word[i]
		h = wordHash(h, word[i]|0x20)
	}
	_, ok := t.find(b[:len(word)], h)
	return ok
}

// EachWord looks up the words of each name in value, such as the value of a class
// attribute. Spaces separate names. Punctuation, digits and changes of case
// separate words: "leftNav_2" has the words left and nav.
//
// EachWord calls the function word for each word of a name. If the table has the
// word, value is its value and ok is true. After each name, EachWord calls the
// function ends: with the name if it has letters beyond ASCII, otherwise with
// nil.
func (t *Table) EachWord(value []byte, word func(value uint8, ok bool), ends func(name []byte)) {
	if !isASCII(value) {
		for _, name := range bytes.Fields(value) {
			t.words(name, word)
			if !isASCII(name) {
				ends(name)
			} else {
				ends(nil)
			}
		}
		return
	}
	for len(value) > 0 {
		n := 0
		for n < len(value) && !isSpace(value[n]) {
			n++
		}
		if n > 0 {
			t.words(value[:n], word)
			ends(nil)
		}
		value = value[min(n+1, len(value)):]
	}
}

// words splits a name into words, looks up each word in the table, and calls
// the function word with the word's value and whether the table has the word.
func (t *Table) words(name []byte, word func(value uint8, ok bool)) {
	for i := 0; i < len(name); {
		if !isLetter(name[i]) {
			i++
			continue
		}
		from, h := i, uint32(0)
		for small := false; i < len(name) && isLetter(name[i]); i++ {
			if name[i] >= 'a' {
				small = true
			} else if small {
				break
			}
			h = wordHash(h, name[i]|0x20)
		}
		if i-from > t.longest {
			word(0, false)
		} else {
			word(t.find(name[from:i], h))
		}
	}
}

func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

// equalFold reports whether b equals want if the case of ASCII letters is
// ignored. want must be in lower case, and as long as b.
func equalFold(b []byte, want string) bool {
	for i := range len(want) {
		if b[i]|0x20 != want[i] {
			return false
		}
	}
	return true
}

// isASCII reports whether all bytes of b are ASCII.
func isASCII(b []byte) bool {
	for _, c := range b {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
