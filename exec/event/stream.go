package event

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"infomall/exec/firstseen"
	"infomall/exec/places"
	"infomall/exec/reports"
	"infomall/store/block/facts"
	"infomall/store/record"
	"infomall/store/record/task"
	"infomall/store/urlkey"
)

// The stream is a stored result of the kind task.ResultStream with the name of the ranking. The
// first letter of a key says what the row is. A number follows it, in 4 bytes.
//
//	c  the starts of periods with captures
//	d  a word; the number is that of the word
//	k  texts of all pages, see firstseen.Known.Rows
//	t  a text, see text.append; the number is its place
const (
	rowCovered = 'c'
	rowWord    = 'd'
	rowKnown   = 'k'
	rowText    = 't'
)

// coveredMost is how many periods a row has at most.
const coveredMost = 10_000

// streamVersion changes when the form of the stream changes, or how texts are cut into words.
const streamVersion = 1

// propertyMade is the property of a stream that says from what it was made.
const propertyMade = "made"

// made returns a text that says how the stream of the collection is made: by what clauses, what
// program, and what list of places, and what was deleted from the archive by then. A stream with
// another text has texts that are no longer there, or has them in another form.
func (c *collection) made(ctx context.Context) (string, error) {
	gone, err := c.snap.Tombstones(ctx)
	if err != nil {
		return "", err
	}
	lists, err := c.snap.Results(ctx, task.ResultGazetteer)
	if err != nil {
		return "", err
	}
	list := record.NoTime
	for _, r := range lists {
		if r.Name == places.ListName {
			list = max(list, r.Computed)
		}
	}
	return fmt.Sprintf("%s; zone %s; version %d, extractor %d; deletions %d; places of %d", c.text, c.zone, streamVersion, facts.Extractor, len(gone), list), nil
}

// recall reads the stream of the last EVENTS with this name, if it can be continued. If it was
// made in another way, recall adds a note.
func (c *collection) recall(ctx context.Context) error {
	list, err := c.snap.Results(ctx, task.ResultStream)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(list, func(r task.Result) bool { return r.Name == c.name })
	if i < 0 {
		return nil
	}
	if list[i].Properties[propertyMade] != c.stream {
		c.notes = append(c.notes, "all texts are read again: the clauses of EVENTS, the list of places or the program differ from the last EVENTS of this name, or captures were deleted since")
		return nil
	}
	known := func(yield func(task.ResultRow, error) bool) {
		for row, err := range c.snap.ResultRows(ctx, list[i], []urlkey.Range{{From: string(rune(rowKnown)), To: string(rune(rowKnown + 1))}}) {
			if err == nil {
				row.Key = row.Key[1:]
			}
			if !yield(row, err) || err != nil {
				return
			}
		}
	}
	if c.run.FirstSeen, err = firstseen.Load(known); err != nil {
		return err
	}
	for row, err := range c.snap.ResultRows(ctx, list[i], nil) {
		if err == nil {
			err = c.recallRow(row)
		}
		if err != nil {
			return err
		}
	}
	c.kept = len(c.list)
	return nil
}

// recallRow reads one row of a stream.
func (c *collection) recallRow(row task.ResultRow) error {
	if len(row.Key) != 5 {
		return errStream
	}
	switch row.Key[0] {
	case rowCovered:
		for b := row.Value; len(b) > 0; {
			t, n := binary.Varint(b)
			if n <= 0 {
				return errStream
			}
			c.covered[record.Time(t)] = true
			b = b[n:]
		}
	case rowWord:
		n, size := binary.Uvarint(row.Value)
		if size <= 0 {
			return errStream
		}
		number := binary.BigEndian.Uint32(row.Key[1:])
		for uint32(len(c.words.names)) < number { // words that were forgotten
			c.words.names, c.words.counts = append(c.words.names, ""), append(c.words.counts, 0)
		}
		c.words.counts[c.words.add(string(row.Value[size:]))] = uint32(n)
	case rowText:
		var t text
		if err := t.parse(row.Value, false); err != nil {
			return err
		}
		c.enter(&t)
		return c.rows.Add(row.Value)
	}
	return nil
}

// saveStream stores the texts for the next EVENTS, in place of those of the last one.
func (c *collection) saveStream(ctx context.Context, of task.Result) error {
	a := c.s.Archive()
	if _, err := a.DropResult(ctx, task.ResultStream, c.name); err != nil {
		return err
	}
	_, err := a.SaveResult(ctx, task.Result{
		Kind: task.ResultStream, Name: c.name, Computed: of.Computed, AsOf: of.AsOf, Statement: of.Statement,
		Properties: map[string]string{propertyMade: c.stream, "texts": strconv.Itoa(len(c.list))},
	}, c.streamRows())
	return err
}

// errStop ends a loop when the reader of rows wants no more.
var errStop = errors.New("stop")

// streamRows yields the rows of the stream, sorted by key. A row is valid until the next one.
func (c *collection) streamRows() iter.Seq2[task.ResultRow, error] {
	return func(yield func(task.ResultRow, error) bool) {
		key := make([]byte, 5)
		put := func(kind byte, n int, val []byte) error {
			key[0] = kind
			binary.BigEndian.PutUint32(key[1:], uint32(n))
			if !yield(task.ResultRow{Key: key, Value: val}, nil) {
				return errStop
			}
			return nil
		}
		if err := c.putStream(put); err != nil && !errors.Is(err, errStop) {
			yield(task.ResultRow{}, err)
		}
	}
}

// putStream calls put with each row of the stream: its kind, its number and its value.
func (c *collection) putStream(put func(kind byte, n int, val []byte) error) error {
	var val []byte
	starts := make([]record.Time, 0, len(c.covered))
	for t := range c.covered {
		starts = append(starts, t)
	}
	slices.Sort(starts)
	n := 0
	for part := range slices.Chunk(starts, coveredMost) {
		val = val[:0]
		for _, t := range part {
			val = binary.AppendVarint(val, int64(t))
		}
		if err := put(rowCovered, n, val); err != nil {
			return err
		}
		n++
	}
	for n, name := range c.words.names {
		if name == "" {
			continue
		}
		val = append(binary.AppendUvarint(val[:0], uint64(c.words.counts[n])), name...)
		if err := put(rowWord, n, val); err != nil {
			return err
		}
	}
	for row := range c.run.FirstSeen.Rows() {
		if err := put(rowKnown, int(binary.BigEndian.Uint32(row.Key)), row.Value); err != nil {
			return err
		}
	}
	i := 0
	for row, err := range c.rows.All() {
		if err == nil {
			err = put(rowText, i, row)
		}
		if err != nil {
			return err
		}
		i++
	}
	return nil
}

// readNew reads the texts that were added since the stream was made, or all texts. A capture that
// is older than others of the stream changes what is new: then readNew begins again with all.
func (c *collection) readNew(ctx context.Context) (err error) {
	if c.stream, err = c.made(ctx); err != nil {
		return err
	}
	if err := c.recall(ctx); err != nil {
		return err
	}
	if c.run.FirstSeen == nil {
		c.run.FirstSeen = firstseen.NewKnown()
	}
	added := c.run.FirstSeen.Added
	err = c.read(ctx, added)
	if !errors.Is(err, firstseen.ErrEarlier) {
		return err
	}
	c.notes = append(c.notes, "all texts are read again: captures were added that are older than others")
	c.forget()
	c.run.FirstSeen = firstseen.NewKnown()
	return c.read(ctx, record.NoTime)
}

// forget makes the collection empty.
func (c *collection) forget() {
	c.rows.Clear()
	c.list, c.words, c.state = nil, dictionary{}, reports.State{}
	c.kept, c.fresh = 0, 0
	clear(c.covered)
	clear(c.sources)
}

// since returns the condition that a capture was added after t, for a query, or "" if t is
// record.NoTime.
func (c *collection) since(t record.Time) string {
	if t == record.NoTime {
		return ""
	}
	return "added > '" + strings.Replace(t.Std().UTC().Format("2006-01-02 15:04:05.000"), " ", "T", 1) + "Z'"
}
