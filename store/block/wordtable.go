package block

import (
	"bytes"

	"infomall/store/page"
)

// wordTable is a hash table of words, each with a value. Looking up a word
// allocates no memory.
type wordTable struct {
	slots   []wordSlot // their number is a power of two
	longest int
}

type wordSlot struct {
	word  string // in lower case; "" if the slot is free
	value uint8
}

// wordLongest is the most letters a word of a list may have.
const wordLongest = 32

// wordSlots is the number of slots, many times that of the words of any list.
const wordSlots = 1 << 11

func newWordTable() *wordTable { return &wordTable{slots: make([]wordSlot, wordSlots)} }

// add adds a word, in lower case. It panics if the word is longer than wordLongest.
func (t *wordTable) add(word string, value uint8) {
	h := uint32(0)
	for i := range len(word) {
		h = wordHash(h, word[i])
	}
	for ; t.slots[h%wordSlots].word != "" && t.slots[h%wordSlots].word != word; h++ {
	}
	t.slots[h%wordSlots] = wordSlot{word, value}
	if t.longest = max(t.longest, len(word)); t.longest > wordLongest {
		panic("block: a list has a word of too many letters: " + word)
	}
}

func wordHash(h uint32, c byte) uint32 { return (h ^ uint32(c)) * 0x9e3779b1 >> 1 }

// find returns the value of a word in upper or lower case. h is the hash of the word
// in lower case.
func (t *wordTable) find(word []byte, h uint32) (value uint8, ok bool) {
	for ; t.slots[h%wordSlots].word != ""; h++ {
		if s := &t.slots[h%wordSlots]; len(s.word) == len(word) && equalFold(word, s.word) {
			return s.value, true
		}
	}
	return 0, false
}

// has reports whether a word whose hash in small letters is h is in the table,
// in whatever case.
func (t *wordTable) has(word string, h uint32) bool {
	if len(word) > t.longest {
		return false
	}
	var b [wordLongest]byte
	_, ok := t.find(b[:copy(b[:], word)], h)
	return ok
}

// eachWord looks up the words of each name in value, such as the value of a class
// attribute. It calls word for each word of a name, with the result of find, and
// ends after each name: with the name if it has letters beyond ASCII, otherwise
// with nil. Spaces separate names. Punctuation, digits and changes of case separate
// words: "leftNav_2" has the words left and nav.
func (t *wordTable) eachWord(value []byte, word func(value uint8, ok bool), ends func(name []byte)) {
	if !page.IsASCII(value) {
		for _, name := range bytes.Fields(value) {
			t.words(name, word)
			if !page.IsASCII(name) {
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

// words calls word with the result of find for each word of a name.
func (t *wordTable) words(name []byte, word func(value uint8, ok bool)) {
	for i := 0; i < len(name); {
		if !letter(name[i]) {
			i++
			continue
		}
		from, h := i, uint32(0)
		for small := false; i < len(name) && letter(name[i]); i++ {
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
