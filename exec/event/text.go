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

// text is one row of the relation articles, as EVENTS reads it: an article or a headline that no
// page had before.
type text struct {
	id        uint64 // the same in all runs of EVENTS
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
	matches   bool // it has the words of ABOUT
}

// at returns when the text was published, if the page says the day, or else first seen.
func (t *text) at() record.Time {
	if t.dated {
		return t.published
	}
	return t.time
}

// setID computes t.id from the URL and the time, and for a headline also from the title: a page has
// one article at a time, but several headlines.
func (t *text) setID() {
	what := "article"
	if t.headline {
		what = t.title
	}
	t.id = words.Hash(fmt.Sprintf("%s\x00%d\x00%s", t.url, t.time, what))
}

// errStream is the error for a row of a stream that cannot be read.
var errStream = errors.New("a stored text of EVENTS is damaged; DROP EVENTS removes what is stored")

// append appends what EVENTS shows of the text to dst, in the form that parse reads, and returns
// the longer slice.
func (t *text) append(dst []byte) []byte {
	dst = binary.AppendVarint(dst, int64(t.published))
	for _, s := range []string{t.url, t.precision, t.title, t.source, t.lang} {
		dst = packed.AppendSized(dst, s)
	}
	dst = binary.AppendUvarint(dst, uint64(len(t.places)))
	for _, p := range t.places {
		dst = packed.AppendSized(dst, p)
	}
	return dst
}

// parse reads the fields of t that append writes from src, which must be one text that append has
// written.
func (t *text) parse(src []byte) error {
	r := &packed.Reader{B: src}
	t.published = record.Time(r.Varint())
	t.url, t.precision, t.title, t.source, t.lang = r.Text(), r.Text(), r.Text(), r.Text(), r.Text()
	t.places = t.places[:0]
	for range r.Count() {
		t.places = append(t.places, r.Text())
	}
	if r.Bad || len(r.B) > 0 {
		return errStream
	}
	return nil
}
