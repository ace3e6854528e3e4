package event

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"strings"

	"infomall/exec/event/kept"
	"infomall/exec/op"
	"infomall/exec/places"
	"infomall/exec/relation"
	"infomall/exec/reports"
	"infomall/exec/spill"
	"infomall/exec/value"
	"infomall/store/record"
	"infomall/store/urlkey"
	"infomall/store/words"
)

const (
	// wordsMax is how many words of a text are read at most. A report says at its beginning what it
	// is about.
	wordsMax = 300
	// placesBytes is how many bytes of a text are read for the names of places.
	placesBytes = 2000
	// rowsShare is the share of the memory of a query that the rows of texts may take, as a
	// divisor. They are read in their order, so a temporary file is as good.
	rowsShare = 128
	// sortShare is the share that the rows of events may take while they are sorted, as a divisor.
	sortShare = 4
)

// entry is what the collection holds in memory of one text.
type entry struct {
	at      record.Time
	source  uint32
	set     uint32 // number of its report, from 0
	order   uint32 // its place in the report; the text at place 0 represents the report
	title   uint64 // hash of the title
	dated   bool
	matches bool
	// left reports that the text is a headline that says nothing of its own, see
	// collection.group. It is in no report.
	left     bool
	headline bool
}

// collection is the state of one EVENTS: all texts, their reports and the events.
type collection struct {
	*finding
	snap  relation.Snapshot
	run   *op.Runner
	words dictionary
	parts []part       // of the stored stream
	rows  *spill.Spool // the texts that were read, each as text.append writes it
	list  []entry      // one for each text: first the texts of parts, then those of rows
	state reports.State
	uses  uses
	// covered has the starts of the periods with captures.
	covered map[record.Time]bool
	sources map[string]uint32
	names   []string // of the sources, by number; the first namesStored are in the stream

	namesStored int
	gaz         *places.Gazetteer
	stream      string // how the stream is made, see made
	kept        int    // how many texts come from the stream
	fresh       int    // how many texts were read from the archive
	sets        int    // how many reports there are
	ids         []uint64
	shown       map[uint64]kept.Text // texts of the last result of events, by ID
	notes       []string
	calendar
	found []foundEvent
	raw   []byte
	cut   []uint32 // a buffer that take uses again
}

// newCollection returns a collection without texts. The caller closes it.
func newCollection(ctx context.Context, f *finding, snap relation.Snapshot) (*collection, error) {
	gaz, err := relation.Places(ctx, snap)
	if err != nil {
		return nil, err
	}
	c := &collection{finding: f, snap: snap, run: f.s.Runner(snap, "events: texts"), covered: make(map[record.Time]bool), sources: make(map[string]uint32), shown: make(map[uint64]kept.Text), gaz: gaz}
	c.rows = c.run.Memory.Spool(rowsShare)
	c.uses.memory = &c.run.Memory
	c.calendar = calendar{unit: f.unit, zone: f.env.Location()}
	return c, nil
}

// close releases memory and temporary files.
func (c *collection) close() {
	c.rows.Close()
	c.uses.close()
	if c.run.FirstSeen != nil {
		c.run.FirstSeen.Close()
	}
}

// read reads the texts, and the times of captures, that were added after a time; record.NoTime
// means all.
func (c *collection) read(ctx context.Context, added record.Time) error {
	rows, err := c.run.Rows(ctx, c.texts)
	if err != nil {
		return err
	}
	var t text
	for b, err := range rows {
		if err != nil {
			return err
		}
		for i := range b.N {
			if err := c.take(&t, b, i); err != nil {
				return err
			}
		}
	}
	node := c.seen
	if where := c.since(added); where != "" {
		if node, err = c.plan(c.st.Scopes, seen, where); err != nil {
			return err
		}
	}
	return c.cover(ctx, node)
}

// take adds the text in row i of b, a batch of rows of the query newTexts. It uses the memory of t
// again.
func (c *collection) take(t *text, b *value.Batch, i int) error {
	at := func(n int) value.Value { return b.Cols[n].At(i) }
	*t = text{
		url: at(0).Text, time: record.Time(at(1).Int), host: at(2).Text, headline: at(3).Text == "headline",
		published: record.NoTime, precision: at(5).Text, title: at(6).Text, source: sourceOf(at(8).Text), lang: at(9).Text,
		places: t.places[:0],
	}
	if v := at(4); v.Type != value.Null {
		t.published = record.Time(v.Int)
	}
	t.dated = t.published != record.NoTime && (t.precision == "day" || t.precision == "minute")
	t.setID()
	body := at(7).Text
	var ok bool
	if t.print, ok = reports.PrintOf(body); !ok {
		t.print, ok = reports.PrintOf(t.title)
	}
	if !ok {
		return nil // a text without words is no report
	}
	n := len(c.list)
	c.cut = c.words.append(c.cut[:0], t.title, t.lang, wordsMax)
	titled := len(c.cut)
	if !t.headline {
		c.cut = c.words.append(c.cut, body, t.lang, wordsMax)
	}
	for at, w := range c.cut {
		if err := c.uses.add(w, n, at < titled); err != nil {
			return err
		}
	}
	t.matches = c.about == nil || c.about.Matches(t.title+"\n"+body)
	for _, p := range c.gaz.Find(t.title+"\n"+body[:min(len(body), placesBytes)], t.host) {
		t.places = append(t.places, p.Name)
	}
	c.fresh++
	return c.add(t)
}

// add adds a text to the collection.
func (c *collection) add(t *text) error {
	source := cmp.Or(t.source, t.host)
	n, ok := c.sources[source]
	if !ok {
		n = c.addSource(strings.Clone(source))
	}
	c.enter(entry{at: t.at(), source: n, title: titleHash(t.title), dated: t.dated, matches: t.matches, headline: t.headline})
	c.state.Add(reports.Text{ID: t.id, Published: dateOf(t), Seen: t.time, Print: t.print})
	c.raw = t.append(c.raw[:0])
	return c.rows.Add(c.raw)
}

// addSource adds a source and returns its number.
func (c *collection) addSource(name string) uint32 {
	n := uint32(len(c.names))
	c.sources[name] = n
	c.names = append(c.names, name)
	return n
}

// enter adds the entry of a text to the list.
func (c *collection) enter(e entry) { c.list = append(c.list, e) }

// sourceOf returns the source that a page names. It returns "" if the page names its own
// publisher, such as 本报 (this paper).
func sourceOf(source string) string {
	if strings.HasPrefix(source, "本") {
		return ""
	}
	return source
}

// titleHash returns a number that is the same for titles with the same letters and digits.
func titleHash(title string) uint64 {
	h := uint64(0)
	for _, w := range words.Of(title) {
		h = h*0x9e3779b97f4a7c15 + words.Hash(w)
	}
	return h
}

// dateOf returns when a text was published, if the page says the day.
func dateOf(t *text) record.Time {
	if t.dated {
		return t.published
	}
	return record.NoTime
}

// eachRow calls f with the stored row of each text for which wanted(i) is true, in the form of
// text.append, and with the number i of the text, ascending. A row is valid until the next one.
func (c *collection) eachRow(ctx context.Context, wanted func(i int) bool, f func(i int, row []byte) error) error {
	next := 0 // the first text after the texts whose rows were read
	// upTo reports whether the rows of all wanted texts before i were read.
	upTo := func(i int) bool {
		for ; next < i; next++ {
			if wanted(next) {
				return false
			}
		}
		return next == i
	}
	take := func(i int, row []byte, err error) error {
		if err == nil && !upTo(i) {
			err = errStream
		}
		if err == nil && wanted(i) {
			err = f(i, row)
		}
		if err != nil {
			return fmt.Errorf("read the texts of events: %w", err)
		}
		next++
		return nil
	}
	first := 0 // the first text of c.rows
	for _, p := range c.parts {
		first = p.from + p.texts
		ranges := textRanges(p, wanted)
		if len(ranges) == 0 {
			continue
		}
		for row, err := range c.rowsIn(ctx, p, ranges) {
			i := 0
			if err == nil {
				i = int(binary.BigEndian.Uint32(row.Key[1:]))
			}
			if err := take(i, row.Value, err); err != nil {
				return err
			}
		}
	}
	for row, err := range c.rows.All() {
		if err := take(first, row, err); err != nil {
			return err
		}
		first++
	}
	if !upTo(len(c.list)) {
		return errStream
	}
	return nil
}

// nearText is the maximum number of unwanted texts between two wanted texts that are read too,
// because one long range of keys takes less time than several short ones.
const nearText = 64

// textRanges returns the ranges of keys that have the wanted texts of part p, and unwanted texts
// between them (see nearText).
func textRanges(p part, wanted func(i int) bool) (ranges []urlkey.Range) {
	key := func(i int) string {
		return string(binary.BigEndian.AppendUint32([]byte{rowText}, uint32(i)))
	}
	last := 0 // the last wanted text
	for i := p.from; i < p.from+p.texts; i++ {
		if !wanted(i) {
			continue
		}
		if len(ranges) == 0 || i-last > nearText {
			ranges = append(ranges, urlkey.Range{From: key(i)})
		}
		ranges[len(ranges)-1].To = key(i + 1)
		last = i
	}
	return ranges
}
