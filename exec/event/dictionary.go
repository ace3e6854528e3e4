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
	names  []string // by number; "" for a word that was forgotten
	counts []uint32 // how often each word occurred, by number
	live   int      // how many words were not forgotten
	stored []uint32 // counts as they were stored
	// order has the numbers of the stored words, sorted by word. One day of texts has few of these
	// words, and a map of all takes 10 MB more for 250,000. find makes order when it needs it.
	order []uint32
	// found maps a word to its number. It has the words that were passed to find or add.
	found  map[string]uint32
	forgot bool // forget was called
	reader term.Reader
}

// number returns the number of a word, and counts it.
func (d *dictionary) number(word []byte) uint32 {
	n, ok := d.find(word)
	if !ok {
		if d.live >= dictionaryMax {
			d.forget()
		}
		n = d.add(string(word))
	}
	d.counts[n]++
	return n
}

// find returns the number of a word, and whether the dictionary has it.
func (d *dictionary) find(word []byte) (uint32, bool) {
	if n, ok := d.found[string(word)]; ok {
		return n, true
	}
	if d.order == nil && len(d.stored) > 0 {
		d.order = d.sort(0)
	}
	at, ok := slices.BinarySearchFunc(d.order, word, func(n uint32, word []byte) int { return strings.Compare(d.names[n], string(word)) })
	if !ok {
		return 0, false
	}
	d.note(d.order[at])
	return d.order[at], true
}

// note adds word n to found.
func (d *dictionary) note(n uint32) {
	if d.found == nil {
		d.found = make(map[string]uint32)
	}
	d.found[d.names[n]] = n
}

// add adds a new word and returns its number.
func (d *dictionary) add(word string) uint32 {
	n := uint32(len(d.names))
	d.names, d.counts = append(d.names, word), append(d.counts, 0)
	d.live++
	d.note(n)
	return n
}

// grow makes room for n words, if the dictionary is empty. It trusts no more than dictionaryMax.
func (d *dictionary) grow(n int) {
	n = min(n, dictionaryMax)
	d.names, d.counts, d.stored = make([]string, 0, n), make([]uint32, 0, n), make([]uint32, 0, n)
}

// restore adds a stored word with its number and its count, or changes its count. Call it before
// the first word is looked up.
func (d *dictionary) restore(n uint32, word string, count uint32) {
	for uint32(len(d.names)) <= n { // with words that were forgotten
		d.names, d.counts, d.stored = append(d.names, ""), append(d.counts, 0), append(d.stored, 0)
	}
	if d.names[n] == "" {
		d.names[n] = word
		d.live++
	}
	d.counts[n], d.stored[n] = count, count
}

// isStored reports whether word n was stored with the count that it has.
func (d *dictionary) isStored(n int) bool { return n < len(d.stored) && d.stored[n] == d.counts[n] }

// sorted returns the numbers of all words, in the order of the words.
func (d *dictionary) sorted() []uint32 {
	if d.order == nil {
		return d.sort(0)
	}
	list := make([]uint32, 0, d.live)
	old := d.order
	for _, n := range d.sort(len(d.stored)) {
		for len(old) > 0 && d.names[old[0]] < d.names[n] {
			list, old = append(list, old[0]), old[1:]
		}
		list = append(list, n)
	}
	return append(list, old...)
}

// sort returns the numbers of the words from a number on, in the order of the words.
func (d *dictionary) sort(from int) []uint32 {
	// begins has the first eight bytes of a word. Most words differ in them.
	type word struct {
		begins uint64
		number uint32
	}
	order := make([]word, 0, len(d.names)-from)
	for i, name := range d.names[from:] {
		if name != "" {
			var first [8]byte
			copy(first[:], name)
			order = append(order, word{binary.BigEndian.Uint64(first[:]), uint32(from + i)})
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
	for rare := uint32(1); d.live > dictionaryMax/2; rare *= 2 {
		for n, word := range d.names {
			if word != "" && d.counts[n] <= rare {
				d.names[n] = ""
				d.live--
				delete(d.found, word)
			}
		}
	}
	d.order = slices.DeleteFunc(d.order, func(n uint32) bool { return d.names[n] == "" })
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
		if n, ok := d.find(word); ok && telling(word, lang) {
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
