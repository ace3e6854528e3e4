package event

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"infomall/exec/op"
	"infomall/exec/places"
	"infomall/exec/relation"
	"infomall/exec/reports"
	"infomall/exec/spill"
	"infomall/exec/value"
	"infomall/store/record"
	"infomall/store/words"
)

const (
	// wordsMax is how many words of a text count. A report says at its beginning what it is
	// about.
	wordsMax = 300
	// placesBytes is how many bytes of a text are read for the names of places.
	placesBytes = 2000
	// rowsShare is the share of the memory of a query that the texts may take, as a divisor.
	rowsShare = 2
)

// entry is what is held in memory of a text.
type entry struct {
	at      record.Time
	id      uint64
	source  uint32
	set     uint32 // number of its report, from 0
	order   uint32 // its place in the report
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
	rows  *spill.Spool // the texts, each as text.append writes it
	list  []entry      // of the texts, in the order of rows
	state reports.State
	// covered has the starts of the periods with captures.
	covered map[record.Time]bool
	sources map[string]uint32
	gaz     *places.Gazetteer
	stream  string // how the stream is made, see made
	kept    int    // how many texts come from the stream
	fresh   int    // how many texts were read from the archive
	sets    int    // how many reports there are
	ids     []uint64
	notes   []string
	calendar
	found []foundEvent
	raw   []byte
}

// newCollection returns a collection without texts. The caller closes it.
func newCollection(ctx context.Context, f *finding, snap relation.Snapshot) (*collection, error) {
	gaz, err := relation.Places(ctx, snap)
	if err != nil {
		return nil, err
	}
	c := &collection{finding: f, snap: snap, run: f.s.Runner(snap, "events: texts"), covered: make(map[record.Time]bool), sources: make(map[string]uint32), gaz: gaz}
	c.rows = c.run.Memory.Spool(rowsShare)
	c.calendar = calendar{unit: f.unit, zone: f.env.Location()}
	return c, nil
}

// close releases memory and temporary files.
func (c *collection) close() { c.rows.Close() }

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

// take adds the text in row i of a batch of newTexts. It uses the memory of t.
func (c *collection) take(t *text, b *value.Batch, i int) error {
	at := func(n int) value.Value { return b.Cols[n].At(i) }
	*t = text{
		url: at(0).Text, time: record.Time(at(1).Int), host: at(2).Text, headline: at(3).Text == "headline",
		published: record.NoTime, precision: at(5).Text, title: at(6).Text, source: sourceOf(at(8).Text), lang: at(9).Text,
		words: t.words[:0], counts: t.counts[:0],
	}
	if v := at(4); v.Type != value.Null {
		t.published = record.Time(v.Int)
	}
	t.dated = t.published != record.NoTime && (t.precision == "day" || t.precision == "minute")
	t.setID()
	body := at(7).Text
	if t.print, t.printed = reports.PrintOf(body); !t.printed {
		t.print, t.printed = reports.PrintOf(t.title)
	}
	if !t.printed {
		return nil // a text without words is no report
	}
	t.words = c.words.append(t.words, t.title, t.lang, wordsMax)
	t.titled = len(t.words)
	if !t.headline {
		t.words = c.words.append(t.words, body, t.lang, wordsMax)
	}
	if c.about != nil {
		whole := t.title + "\n" + body
		t.counts = append(t.counts, make([]int, len(c.about.Atoms()))...)
		t.terms, t.matches = c.about.Count(whole, t.counts), c.about.Matches(whole)
	}
	for _, p := range c.gaz.Find(t.title+"\n"+body[:min(len(body), placesBytes)], t.host) {
		t.places = append(t.places, p.Name)
	}
	c.fresh++
	return c.add(t)
}

// add adds a text.
func (c *collection) add(t *text) error {
	c.enter(t)
	c.raw = t.append(c.raw[:0])
	return c.rows.Add(c.raw)
}

// sourceOf returns the source that a page names, or "" if it names itself: 本报, this paper.
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

// enter adds the entry of a text to the list.
func (c *collection) enter(t *text) {
	source := cmp.Or(t.source, t.host)
	n, ok := c.sources[source]
	if !ok {
		n = uint32(len(c.sources))
		c.sources[source] = n
	}
	c.list = append(c.list, entry{at: t.at(), id: t.id, source: n, title: titleHash(t.title), dated: t.dated, matches: t.matches || c.about == nil, headline: t.headline})
}

// eachText yields the texts with their indexes. With wordsOnly, only the words and numbers
// are read. A text is valid until the next one.
func (c *collection) eachText(wordsOnly bool, f func(i int, t *text) error) error {
	var t text
	i := 0
	for row, err := range c.rows.All() {
		if err == nil {
			err = t.parse(row, wordsOnly)
		}
		if err == nil {
			err = f(i, &t)
		}
		if err != nil {
			return fmt.Errorf("read the texts of events: %w", err)
		}
		i++
	}
	return nil
}
