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

// dictionaryMax is the maximum number of words that a dictionary has at a time. A year of 300,000
// articles has about half as many. A full dictionary forgets its rarest words.
const dictionaryMax = 2_000_000

// dictionary gives each word a number, from 0 in the order in which the words come, and counts how
// often the word occurs.
type dictionary struct {
	names  []string // by number; "" for a word that was forgotten
	counts []uint32 // how often each word occurred, by number
	live   int      // how many words were not forgotten
	stored []uint32 // counts as the stream has them, by number
	// order has the numbers of the stored words, sorted by word, and find searches it. A map of all
	// 250,000 words would take 10 MB more, although one day of texts has few of them. find makes
	// order when it first needs it.
	order []uint32
	// found maps a word to its number. It has the words that were passed to find or add.
	found  map[string]uint32
	forgot bool // forget was called
	reader term.Reader
}

// number returns the number of a word, and adds 1 to the word's count. It adds a word that is new.
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

// grow makes room for n words in an empty dictionary, but for dictionaryMax words at most, because
// n comes from a stored stream and may be wrong.
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

// isStored reports whether the stored stream has word n with its current count.
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

// sort returns the numbers of the words from the number from on, sorted by word.
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

// forget removes the rarest words, until at most half of dictionaryMax words are left. The words of
// an event stay, because they occur more often.
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

// append appends the numbers of the words of a text to dst until dst has the length most, and
// returns the longer slice. It leaves out words that say nothing of what a text is about: stop
// words, numbers, and single letters. lang is the language of the text, or "".
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

// known appends the numbers of the words of a text to dst, and returns the longer slice. It leaves
// out words that the dictionary does not have, and words that say nothing (see append).
func (d *dictionary) known(dst []uint32, text, lang string) []uint32 {
	for word := range d.reader.Of(text) {
		if n, ok := d.find(word); ok && telling(word, lang) {
			dst = append(dst, n)
		}
	}
	return dst
}

// telling reports whether a word of a text in the language lang may say what the text is about: it
// is not a single letter, a number or a stop word.
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
