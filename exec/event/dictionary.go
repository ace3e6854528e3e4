package event

import (
	"unicode/utf8"

	"infomall/store/words/cut"
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

// forget forgets the rarest words, so that there is room for others. The words of an event
// occur more often.
func (d *dictionary) forget() {
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
	return !digits && !functionWords[lang][string(word)] && !cut.Stop(string(word))
}
