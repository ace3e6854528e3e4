package kept

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"

	"infomall/store/packed"
	"infomall/store/record"
	"infomall/store/record/task"
	"infomall/store/urlkey"
)

// Text is one text of an event.
type Text struct {
	URL  string      // of the page that has the text
	Time record.Time // of the first capture with the text
	ID   uint64      // number of the text, different for each text of one page and time
	// Event is the number of the event, and Report that of the report.
	Event  int
	Report uint64
	// First is when the report began: when its earliest text was published, or else first
	// seen. Order is the place of the text in the report: 0 is the representative.
	First record.Time
	Order int

	Published record.Time // as the page says; record.NoTime if it does not
	Precision string      // of Published: year, month, day or minute; "" if unknown
	Title     string
	Source    string // who wrote the text, as the page says; "" if it does not
	Lang      string
	Named     bool      // the title of the event is the title of this report
	Keywords  []Keyword // keywords of the event that the text has
	Places    []string  // names of the places that the text names
}

// Keyword is a word of an event, with its share of the weight of the event's bursts, from 0
// to 1.
type Keyword struct {
	Word  string
	Share float64
}

// Event has the numbers of one event.
type Event struct {
	Number int
	// Start, Peak and End are the starts of periods, such as days. End is the start of the
	// last period.
	Start, Peak, End record.Time
	Dated            bool    // Start comes from dates on pages, and not from captures
	Weight           float64 // what its bursts save, in nats, see package events
	Recency          float64 // from 0 to 1: how near its end is to the end of all texts
	Relevance        float64 // how well its reports answer ABOUT; 0 without ABOUT
	// MergedInto is the number of the event that has become one with this event, or 0.
	// SplitFrom is the number of the event of which this event was a part, or 0.
	MergedInto, SplitFrom int
	// Gone reports that the event was found by an earlier EVENTS and not by the last. Keys
	// then has the numbers of its reports.
	Gone bool
	Keys []uint64
}

// firstOfEvents is the first byte of the keys of the rows of events. No key of a URL begins with
// it.
const firstOfEvents = "\xff"

// Events is the range of the keys of the rows of events.
var Events = []urlkey.Range{{From: firstOfEvents}}

// Texts is the range of the keys of the rows of texts.
var Texts = []urlkey.Range{{To: firstOfEvents}}

// AppendKey appends the key of the text's row to dst and returns the longer slice.
func (t *Text) AppendKey(dst []byte) []byte {
	dst = append(append(dst, urlkey.Key(t.URL)...), 0)
	dst = binary.BigEndian.AppendUint64(dst, uint64(t.Time)^1<<63)
	return binary.BigEndian.AppendUint64(dst, t.ID)
}

// The flags of a text and of an event.
const (
	flagNamed = 1 // of a text

	flagDated = 1 // of an event
	flagGone  = 2
)

// AppendValue appends the value of the text's row to dst and returns the longer slice.
func (t *Text) AppendValue(dst []byte) []byte {
	w := writer{dst}
	flags := uint64(0)
	if t.Named {
		flags |= flagNamed
	}
	w.whole(flags)
	w.whole(uint64(t.Event))
	w.whole(t.Report)
	w.time(t.First)
	w.whole(uint64(t.Order))
	w.time(t.Published)
	for _, s := range []string{t.Precision, t.Title, t.Source, t.Lang} {
		w.text(s)
	}
	w.whole(uint64(len(t.Keywords)))
	for _, k := range t.Keywords {
		w.text(k.Word)
		w.float(k.Share)
	}
	w.whole(uint64(len(t.Places)))
	for _, p := range t.Places {
		w.text(p)
	}
	return w.dst
}

// errRow is returned for a row that this package has not made.
var errRow = errors.New("a row of events is damaged; run EVENTS again")

// parseText returns the text of a row. It shares no memory with the row. The error says
// that the row is damaged.
func parseText(r task.ResultRow) (t Text, err error) {
	key := string(r.Key)
	at := strings.IndexByte(key, 0)
	if at < 0 || len(key) != at+17 {
		return t, errRow
	}
	t.URL = urlkey.URL(key[:at])
	t.Time = record.Time(binary.BigEndian.Uint64(r.Key[at+1:]) ^ 1<<63)
	t.ID = binary.BigEndian.Uint64(r.Key[at+9:])
	in := &packed.Reader{B: r.Value}
	t.Named = in.Uvarint()&flagNamed != 0
	t.Event = int(in.Uvarint())
	t.Report = in.Uvarint()
	t.First = record.Time(in.Varint())
	t.Order = int(in.Uvarint())
	t.Published = record.Time(in.Varint())
	t.Precision, t.Title, t.Source, t.Lang = in.Text(), in.Text(), in.Text(), in.Text()
	for range in.Count() {
		t.Keywords = append(t.Keywords, Keyword{in.Text(), in.Float()})
	}
	for range in.Count() {
		t.Places = append(t.Places, in.Text())
	}
	return t, end(in)
}

// Row returns the row of the event.
func (e *Event) Row() task.ResultRow {
	w := writer{}
	flags := uint64(0)
	if e.Dated {
		flags |= flagDated
	}
	if e.Gone {
		flags |= flagGone
	}
	w.whole(flags)
	for _, t := range []record.Time{e.Start, e.Peak, e.End} {
		w.time(t)
	}
	for _, x := range []float64{e.Weight, e.Recency, e.Relevance} {
		w.float(x)
	}
	w.whole(uint64(e.MergedInto))
	w.whole(uint64(e.SplitFrom))
	w.whole(uint64(len(e.Keys)))
	for _, k := range e.Keys {
		w.whole(k)
	}
	return task.ResultRow{Key: fmt.Appendf(nil, "%s%010d", firstOfEvents, e.Number), Value: w.dst}
}

// parseEvent returns the event of a row. The error says that the row is damaged.
func parseEvent(r task.ResultRow) (e Event, err error) {
	if _, err := fmt.Sscanf(string(r.Key), firstOfEvents+"%d", &e.Number); err != nil {
		return e, errRow
	}
	in := &packed.Reader{B: r.Value}
	flags := in.Uvarint()
	e.Dated, e.Gone = flags&flagDated != 0, flags&flagGone != 0
	e.Start, e.Peak, e.End = record.Time(in.Varint()), record.Time(in.Varint()), record.Time(in.Varint())
	e.Weight, e.Recency, e.Relevance = in.Float(), in.Float(), in.Float()
	e.MergedInto, e.SplitFrom = int(in.Uvarint()), int(in.Uvarint())
	for range in.Count() {
		e.Keys = append(e.Keys, in.Uvarint())
	}
	return e, end(in)
}

// writer appends values to dst.
type writer struct{ dst []byte }

func (w *writer) whole(n uint64)     { w.dst = binary.AppendUvarint(w.dst, n) }
func (w *writer) time(t record.Time) { w.dst = binary.AppendVarint(w.dst, int64(t)) }
func (w *writer) text(s string)      { w.dst = packed.AppendSized(w.dst, s) }

func (w *writer) float(x float64) {
	w.dst = binary.BigEndian.AppendUint64(w.dst, math.Float64bits(x))
}

// end returns an error unless r has read exactly what a writer has written.
func end(r *packed.Reader) error {
	if r.Bad || len(r.B) > 0 {
		return errRow
	}
	return nil
}
