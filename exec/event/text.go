package event

import (
	"encoding/binary"
	"errors"
	"fmt"

	"infomall/exec/dedup"
	"infomall/store/packed"
	"infomall/store/record"
	"infomall/store/words"
)

// text is one new text, as EVENTS keeps it.
type text struct {
	id        uint64 // names the text in all runs
	url, host string
	time      record.Time // of the first capture with the text
	published record.Time // as the page says; record.NoTime if it does not
	precision string      // of published
	dated     bool        // published says the day
	headline  bool
	title     string
	source    string
	lang      string
	places    []string
	print     dedup.Print
	printed   bool  // print is set: the text has words
	counts    []int // how often it has each word of ABOUT; nil without ABOUT
	terms     int   // number of its words, for ABOUT
	matches   bool  // it has the words of ABOUT
	words     []uint32
	titled    int // how many of words are those of the title
}

// at returns when the text was published, if the page says the day, or else first seen.
func (t *text) at() record.Time {
	if t.dated {
		return t.published
	}
	return t.time
}

// setID sets the number of the text. A page has one article at a time, and several headlines.
func (t *text) setID() {
	what := "article"
	if t.headline {
		what = t.title
	}
	t.id = words.Hash(fmt.Sprintf("%s\x00%d\x00%s", t.url, t.time, what))
}

// The flags of a stored text.
const (
	flagDated = 1 << iota
	flagHeadline
	flagPrinted
	flagMatches
)

// errStream is the error for a stored text that append has not made.
var errStream = errors.New("a stored text of EVENTS is damaged; DROP EVENTS removes what is stored")

// append appends the text to dst, in the form that parse reads.
func (t *text) append(dst []byte) []byte {
	flags := byte(0)
	for i, is := range []bool{t.dated, t.headline, t.printed, t.matches} {
		if is {
			flags |= 1 << i
		}
	}
	dst = append(dst, flags)
	dst = binary.BigEndian.AppendUint64(dst, t.id)
	dst = binary.AppendVarint(dst, int64(t.time))
	dst = binary.AppendVarint(dst, int64(t.published))
	for _, s := range []string{t.url, t.host, t.precision, t.title, t.source, t.lang} {
		dst = packed.AppendSized(dst, s)
	}
	dst = binary.AppendUvarint(dst, uint64(len(t.places)))
	for _, p := range t.places {
		dst = packed.AppendSized(dst, p)
	}
	if t.printed {
		dst = append(dst, t.print[:]...)
	}
	dst = binary.AppendUvarint(dst, uint64(len(t.counts)))
	for _, n := range t.counts {
		dst = binary.AppendUvarint(dst, uint64(n))
	}
	dst = binary.AppendUvarint(dst, uint64(t.terms))
	dst = binary.AppendUvarint(dst, uint64(t.titled))
	dst = binary.AppendUvarint(dst, uint64(len(t.words)))
	for _, w := range t.words {
		dst = binary.AppendUvarint(dst, uint64(w))
	}
	return dst
}

// parse sets t to the text that append has appended to nothing. With wordsOnly it reads only
// the words.
func (t *text) parse(src []byte, wordsOnly bool) error {
	r := &packed.Reader{B: src}
	flags := r.Byte()
	id := r.Take(8)
	if id != nil {
		t.id = binary.BigEndian.Uint64(id)
	}
	t.dated, t.headline, t.printed, t.matches = flags&flagDated != 0, flags&flagHeadline != 0, flags&flagPrinted != 0, flags&flagMatches != 0
	t.time, t.published = record.Time(r.Varint()), record.Time(r.Varint())
	for _, s := range []*string{&t.url, &t.host, &t.precision, &t.title, &t.source, &t.lang} {
		if b := r.Sized(); !wordsOnly {
			*s = string(b)
		}
	}
	t.places = t.places[:0]
	for range r.Count() {
		if b := r.Sized(); !wordsOnly {
			t.places = append(t.places, string(b))
		}
	}
	if t.printed {
		copy(t.print[:], r.Take(len(t.print)))
	}
	t.counts = t.counts[:0]
	for range r.Count() {
		t.counts = append(t.counts, int(r.Uvarint()))
	}
	t.terms, t.titled = int(r.Uvarint()), int(r.Uvarint())
	t.words = t.words[:0]
	for range r.Count() {
		t.words = append(t.words, uint32(r.Uvarint()))
	}
	if r.Bad || len(r.B) > 0 || t.titled > len(t.words) {
		return errStream
	}
	return nil
}
