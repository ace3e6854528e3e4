package event

import (
	"cmp"
	"encoding/binary"
	"slices"
	"strings"
	"unicode/utf8"

	"infomall/store/words/cut"
	"infomall/store/words/keyword"
	"infomall/store/words/term"
)

// dictionaryMax is the most words that a dictionary has at once. A year of 300,000 articles
// has about half as many. If it is full, the rarest words are forgotten.
const dictionaryMax = 2_000_000

// dictionary gives words numbers, in the order in which they come.
type dictionary struct {
	numbers map[string]uint32
	names   []string // by number; "" for a word that was forgotten
	counts  []uint32 // how often each word occurred, by number
	reader  term.Reader
	stored  []uint32 // counts as they were stored
	forgot  bool     // forget was called
}

// number returns the number of a word.
func (d *dictionary) number(word []byte) uint32 {
	n, ok := d.numbers[string(word)]
	if !ok {
		if len(d.numbers) >= dictionaryMax {
			d.forget()
		}
		n = d.add(string(word))
	}
	d.counts[n]++
	return n
}

// add adds a new word and returns its number.
func (d *dictionary) add(word string) uint32 {
	if d.numbers == nil {
		d.numbers = make(map[string]uint32)
	}
	n := uint32(len(d.names))
	d.numbers[word] = n
	d.names = append(d.names, word)
	d.counts = append(d.counts, 0)
	return n
}

// grow makes room for n words, if the dictionary is empty. It trusts no more than dictionaryMax.
func (d *dictionary) grow(n int) {
	n = min(n, dictionaryMax)
	d.numbers = make(map[string]uint32, n)
	d.names, d.counts, d.stored = make([]string, 0, n), make([]uint32, 0, n), make([]uint32, 0, n)
}

// restore adds a stored word with its number and its count, or changes its count.
func (d *dictionary) restore(n uint32, word string, count uint32) {
	if d.numbers == nil {
		d.numbers = make(map[string]uint32)
	}
	for uint32(len(d.names)) <= n { // with words that were forgotten
		d.names, d.counts, d.stored = append(d.names, ""), append(d.counts, 0), append(d.stored, 0)
	}
	if d.names[n] == "" {
		d.names[n] = word
		d.numbers[word] = n
	}
	d.counts[n], d.stored[n] = count, count
}

// isStored reports whether word n was stored with the count that it has.
func (d *dictionary) isStored(n int) bool { return n < len(d.stored) && d.stored[n] == d.counts[n] }

// sorted returns the numbers of all words, in the order of the words.
func (d *dictionary) sorted() []uint32 {
	// begins has the first eight bytes of a word. Most words differ in them.
	type word struct {
		begins uint64
		number uint32
	}
	order := make([]word, 0, len(d.numbers))
	for n, name := range d.names {
		if name != "" {
			var first [8]byte
			copy(first[:], name)
			order = append(order, word{binary.BigEndian.Uint64(first[:]), uint32(n)})
		}
	}
	slices.SortFunc(order, func(a, b word) int {
		if a.begins != b.begins {
			return cmp.Compare(a.begins, b.begins)
		}
		return strings.Compare(d.names[a.number], d.names[b.number])
	})
	list := make([]uint32, len(order))
	for i := range order {
		list[i] = order[i].number
	}
	return list
}

// forget forgets the rarest words, so that there is room for others. The words of an event
// occur more often.
func (d *dictionary) forget() {
	d.forgot = true
	for rare := uint32(1); len(d.numbers) > dictionaryMax/2; rare *= 2 {
		for word, n := range d.numbers {
			if d.counts[n] <= rare {
				d.names[n] = ""
				delete(d.numbers, word)
			}
		}
	}
}

// append appends the numbers of the words of a text to dst, at most most of them. It leaves
// out words that say nothing of what a text is about: stop words, numbers, and single letters. lang is
// the language of the text, or "".
func (d *dictionary) append(dst []uint32, text, lang string, most int) []uint32 {
	for word := range d.reader.Of(text) {
		if len(dst) >= most {
			break
		}
		if telling(word, lang) {
			dst = append(dst, d.number(word))
		}
	}
	return dst
}

// known appends the numbers of those words of a text that the dictionary has to dst.
func (d *dictionary) known(dst []uint32, text, lang string) []uint32 {
	for word := range d.reader.Of(text) {
		if n, ok := d.numbers[string(word)]; ok && telling(word, lang) {
			dst = append(dst, n)
		}
	}
	return dst
}

// telling reports whether a word may say what a text is about, which is in the language lang.
func telling(word []byte, lang string) bool {
	if _, size := utf8.DecodeRune(word); size == len(word) {
		return false // a single letter
	}
	digits := true
	for _, c := range word {
		if c < '0' || c > '9' {
			digits = false
			break
		}
	}
	return !digits && !keyword.IsFunctionWord(word, lang) && !cut.Stop(string(word))
}
