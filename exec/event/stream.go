package event

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"

	"infomall/exec/firstseen"
	"infomall/exec/places"
	"infomall/exec/reports"
	"infomall/store/block/facts"
	"infomall/store/packed"
	"infomall/store/record"
	"infomall/store/record/task"
	"infomall/store/urlkey"
)

// The stream is one or more stored results of the kind task.ResultStream with the name of the
// ranking: its parts. Each EVENTS that reads new texts adds a part, and all of them together are
// the stream. The first letter of a key says what the row is. A number follows it, in 4 bytes.
//
//	c  the starts of periods with captures
//	d  words and how often each occurred, several in a row; the number is that of the first
//	e  the entries of the texts of the part, several in a row; the number is that of the first
//	g  the places of all texts in their reports, several in a row, see putPlaces
//	k  texts of all pages, see firstseen.Known.Rows
//	p  the uses of a word in the texts of the part, see type uses; the number is that of the word,
//	   and a byte counts the rows of one word; after 255, a further byte counts on
//	s  the names of sources; the number is that of the source
//	t  what is shown of a text, see text.append; the number is that of the text
//
// In c, d and s a part has what is new or has changed since the part before. In g, only the last
// part counts.
const (
	rowCovered = 'c'
	rowWords   = 'd'
	rowEntries = 'e'
	rowPlaces  = 'g'
	rowKnown   = 'k'
	rowUses    = 'p'
	rowSource  = 's'
	rowText    = 't'
)

const (
	// coveredMost is how many periods a row has at most, and entriesMost how many entries, places or
	// words.
	coveredMost = 10_000
	entriesMost = 1000
	// piece is how many bytes a row with uses has at most.
	piece = 1 << 18
	// partsMost is how many parts a stream has at most. Then all are written as one.
	partsMost = 8
)

// streamVersion changes when the form of the stream changes, or how texts are cut into words.
const streamVersion = 4

// The properties of a part: from what it was made, the number of its first text, how many texts
// it has, how many uses of words and about how many bytes these take, and how many words the stream
// has up to its end.
const (
	propertyMade  = "made"
	propertyFrom  = "from"
	propertyTexts = "texts"
	propertyUses  = "uses"
	propertyBytes = "use_bytes"
	propertyWords = "words"
)

// part is one part of a stored stream.
type part struct {
	task.Result
	from, texts, words int
	uses, useBytes     int64
}

// origin returns a text that says how the stream of the collection was made: by what clauses, what
// program, and what list of places, and what was deleted from the archive by then. A stream with
// another text has texts that are no longer there, or has them in another form.
func (c *collection) origin(ctx context.Context) (string, error) {
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

// findParts returns the parts of the stream of the last EVENTS with this name, in their order. It
// returns none if the stream cannot be continued; then it adds a note, unless there is no stream.
func (c *collection) findParts(ctx context.Context) ([]part, error) {
	list, err := c.snap.Results(ctx, task.ResultStream)
	if err != nil {
		return nil, err
	}
	var parts []part
	texts, found, whole := 0, false, true
	for _, r := range list {
		if r.Name != c.name {
			continue
		}
		p := part{Result: r}
		var errs [5]error
		p.from, errs[0] = strconv.Atoi(r.Properties[propertyFrom])
		p.texts, errs[1] = strconv.Atoi(r.Properties[propertyTexts])
		p.uses, errs[2] = strconv.ParseInt(r.Properties[propertyUses], 10, 64)
		p.useBytes, errs[4] = strconv.ParseInt(r.Properties[propertyBytes], 10, 64)
		p.words, errs[3] = strconv.Atoi(r.Properties[propertyWords])
		// Two EVENTS at the same time may both have added a part.
		whole = whole && errors.Join(errs[:]...) == nil && p.from == texts && p.texts >= 0 && p.words >= 0 && p.useBytes >= 0 && r.Properties[propertyMade] == c.stream
		texts += p.texts
		parts, found = append(parts, p), true
	}
	if found && (!whole || texts > textsMost) {
		c.notes = append(c.notes, "all texts are read again: the clauses of EVENTS, the list of places or the program differ from the last EVENTS of this name, or captures were deleted since")
		return nil, nil
	}
	return parts, nil
}

// textsMost is the most texts that a stream has.
const textsMost = 1 << 30

// rowsOf yields the rows of part p whose key begins with the letter kind.
func (c *collection) rowsOf(ctx context.Context, p part, kind byte) iter.Seq2[task.ResultRow, error] {
	return c.rowsIn(ctx, p, []urlkey.Range{{From: string(rune(kind)), To: string(rune(kind + 1))}})
}

// rowsIn yields the rows of a part with keys in ranges.
func (c *collection) rowsIn(ctx context.Context, p part, ranges []urlkey.Range) iter.Seq2[task.ResultRow, error] {
	return func(yield func(task.ResultRow, error) bool) {
		for row, err := range c.snap.ResultRows(ctx, p.Result, ranges) {
			if err == nil && len(row.Key) < 5 {
				err = errStream
			}
			if !yield(row, err) || err != nil {
				return
			}
		}
	}
}

// recall reads the stream of the last EVENTS with this name into the collection. It reads nothing
// if the stream cannot be continued.
func (c *collection) recall(ctx context.Context) (err error) {
	if c.parts, err = c.findParts(ctx); err != nil || len(c.parts) == 0 {
		return err
	}
	var known []iter.Seq2[task.ResultRow, error]
	for _, p := range c.parts {
		known = append(known, func(yield func(task.ResultRow, error) bool) {
			for row, err := range c.rowsOf(ctx, p, rowKnown) {
				if err == nil {
					row.Key = row.Key[1:]
				}
				if !yield(row, err) || err != nil {
					return
				}
			}
		})
	}
	if c.run.FirstSeen, err = firstseen.Load(&c.run.Memory, known...); err != nil {
		return err
	}
	last := c.parts[len(c.parts)-1]
	places, err := c.readPlaces(ctx, last)
	if err != nil {
		return err
	}
	if len(places) != last.from+last.texts {
		return errStream
	}
	const day = 16 // room for new texts: 1/16 of the known ones
	c.list = make([]entry, 0, len(places)+len(places)/day)
	c.state.Grow(cap(c.list))
	c.words.grow(last.words + last.words/day)
	c.uses.grow(last.words + last.words/day)
	for _, p := range c.parts {
		for _, kind := range []byte{rowCovered, rowWords, rowEntries, rowSource} {
			for row, err := range c.rowsOf(ctx, p, kind) {
				if err == nil {
					err = c.recallRow(row, places)
				}
				if err != nil {
					return err
				}
			}
		}
		if len(c.list) != p.from+p.texts {
			return errStream
		}
	}
	c.kept, c.uses.from, c.namesStored = len(c.list), len(c.list), len(c.names)
	return nil
}

// recallRow adds what one row of a stream has to the collection. places has the places of the texts
// in their reports, by number of the text.
func (c *collection) recallRow(row task.ResultRow, places []reports.Place) error {
	r := &packed.Reader{B: row.Value}
	number := binary.BigEndian.Uint32(row.Key[1:])
	switch row.Key[0] {
	case rowCovered:
		for len(r.B) > 0 {
			c.covered[record.Time(r.Varint())] = true
		}
	case rowWords:
		all := string(row.Value) // the words are parts of one text
		for n := uint64(number); len(r.B) > 0; n++ {
			n += r.Uvarint()
			count := r.Uvarint()
			word := r.Sized()
			if end := len(all) - len(r.B); n < 1<<31 && !r.Bad {
				c.words.restore(uint32(n), all[end-len(word):end], uint32(count))
			} else {
				return errStream
			}
		}
	case rowSource:
		if int(number) != len(c.names) {
			return errStream
		}
		c.addSource(string(row.Value))
		return nil
	case rowEntries:
		for len(r.B) > 0 && len(c.list) < len(places) {
			c.recallEntry(r, places[len(c.list)])
		}
	}
	if r.Bad || len(r.B) > 0 {
		return errStream
	}
	return nil
}

// The flags of a stored entry.
const (
	flagDated = 1 << iota
	flagHeadline
	flagMatches
)

// appendEntry appends the entry of text i to dst, with the fields of reports.Text that decide which
// report the text is in.
func (c *collection) appendEntry(dst []byte, i int) []byte {
	e, t := &c.list[i], c.state.Text(i)
	flags := byte(0)
	for bit, is := range []bool{e.dated, e.headline, e.matches} {
		if is {
			flags |= 1 << bit
		}
	}
	dst = append(dst, flags)
	dst = binary.BigEndian.AppendUint64(dst, t.ID)
	dst = binary.BigEndian.AppendUint64(dst, e.title)
	dst = binary.AppendVarint(dst, int64(t.Seen))
	if e.dated {
		dst = binary.AppendVarint(dst, int64(t.Published))
	}
	dst = binary.AppendUvarint(dst, uint64(e.source))
	return append(dst, t.Print[:]...)
}

// recallEntry reads an entry that appendEntry has written, and adds it to the collection. p is the
// place of the text in its report.
func (c *collection) recallEntry(r *packed.Reader, p reports.Place) {
	flags := r.Byte()
	t := reports.Text{Published: record.NoTime}
	e := entry{dated: flags&flagDated != 0, headline: flags&flagHeadline != 0, matches: flags&flagMatches != 0, left: p.Gone}
	if b := r.Take(16); b != nil {
		t.ID, e.title = binary.BigEndian.Uint64(b), binary.BigEndian.Uint64(b[8:])
	}
	t.Seen = record.Time(r.Varint())
	if e.dated {
		t.Published = record.Time(r.Varint())
	}
	e.source = uint32(r.Uvarint())
	copy(t.Print[:], r.Take(len(t.Print)))
	e.at = t.At()
	if !r.Bad {
		c.enter(e)
		c.state.Restore(t, p)
	}
}

// The forms in which the place of a text in its report is stored.
const (
	placeAlone = iota
	placeGone
	placeOf // the numbers of the cluster and of its leader follow
)

// putPlaces calls put with rows that have the places of all texts in their reports.
func (c *collection) putPlaces(put func(kind byte, n int, val []byte) error) error {
	var val []byte
	for i := range c.list {
		switch p := c.state.Place(i); {
		case p.Alone:
			val = append(val, placeAlone)
		case p.Gone:
			val = append(val, placeGone)
		default:
			val = binary.AppendUvarint(append(val, placeOf), uint64(p.Cluster))
			val = binary.AppendUvarint(val, uint64(p.Leader))
		}
		if (i+1)%entriesMost == 0 || i+1 == len(c.list) {
			if err := put(rowPlaces, i/entriesMost, val); err != nil {
				return err
			}
			val = val[:0]
		}
	}
	return nil
}

// readPlaces reads the places, in their reports, of all texts up to the last text of part p.
func (c *collection) readPlaces(ctx context.Context, p part) ([]reports.Place, error) {
	places := make([]reports.Place, 0, p.from+p.texts)
	for row, err := range c.rowsOf(ctx, p, rowPlaces) {
		if err != nil {
			return nil, err
		}
		r := &packed.Reader{B: row.Value}
		for len(r.B) > 0 {
			var p reports.Place
			switch r.Byte() {
			case placeAlone:
				p.Alone = true
			case placeGone:
				p.Gone = true
			default:
				p.Cluster, p.Leader = uint32(r.Uvarint()), uint32(r.Uvarint())
			}
			places = append(places, p)
		}
		if r.Bad {
			return nil, errStream
		}
	}
	return places, nil
}

// saveStream stores what the next EVENTS needs: a further part, or the whole stream as one part.
func (c *collection) saveStream(ctx context.Context, of task.Result) error {
	a := c.s.Archive()
	from := c.kept
	uses, useBytes := c.uses.added, c.uses.moved+c.uses.bytes
	if c.kept == 0 || len(c.parts) >= partsMost || c.words.forgot {
		from = 0
		for _, p := range c.parts {
			uses, useBytes = uses+p.uses, useBytes+p.useBytes
		}
		if err := c.takeRows(ctx); err != nil {
			return err
		}
		if _, err := a.DropResult(ctx, task.ResultStream, c.name); err != nil {
			return err
		}
		if c.kept > 0 && c.uses.partly {
			return nil // not all uses are in memory: the next EVENTS reads all texts again
		}
	} else if c.fresh == 0 && !c.run.FirstSeen.Changed() {
		return nil
	}
	_, err := a.SaveResult(ctx, task.Result{
		Kind: task.ResultStream, Name: c.name, Computed: of.Computed, AsOf: of.AsOf, Statement: of.Statement,
		Properties: map[string]string{
			propertyMade: c.stream, propertyFrom: strconv.Itoa(from), propertyTexts: strconv.Itoa(len(c.list) - from), propertyUses: strconv.FormatInt(uses, 10),
			propertyBytes: strconv.FormatInt(useBytes, 10), propertyWords: strconv.Itoa(len(c.words.names)),
		},
	}, c.streamRows(from))
	return err
}

// takeRows copies the stored rows of all texts to c.rows, because the parts of the stream will be
// removed.
func (c *collection) takeRows(ctx context.Context) error {
	if len(c.parts) == 0 {
		return nil
	}
	all := c.run.Memory.Spool(rowsShare)
	err := c.eachRow(ctx, func(int) bool { return true }, func(_ int, row []byte) error { return all.Add(row) })
	c.rows.Close()
	c.rows, c.parts = all, nil
	return err
}

// errStop ends a loop over rows when the caller wants no more rows.
var errStop = errors.New("stop")

// streamRows yields the rows of a part of the stream, sorted by key. The part has the texts with
// the number from or a higher number. A row is valid until the next one.
func (c *collection) streamRows(from int) iter.Seq2[task.ResultRow, error] {
	return func(yield func(task.ResultRow, error) bool) {
		var key []byte
		put := func(kind byte, n int, val []byte) error {
			switch last := len(key) - 1; {
			case kind != rowUses || last < 5 || key[0] != kind || binary.BigEndian.Uint32(key[1:]) != uint32(n):
				key = binary.BigEndian.AppendUint32(append(key[:0], kind), uint32(n))
				if kind == rowUses {
					key = append(key, 0)
				}
			case key[last] < 255:
				key[last]++
			default:
				key = append(key, 0)
			}
			if !yield(task.ResultRow{Key: key, Value: val}, nil) {
				return errStop
			}
			return nil
		}
		if err := c.putStream(from, put); err != nil && !errors.Is(err, errStop) {
			yield(task.ResultRow{}, err)
		}
	}
}

// putStream calls put with each row of a part of the stream: the row's kind, number and value. The
// part has the texts with the number from or a higher number.
func (c *collection) putStream(from int, put func(kind byte, n int, val []byte) error) error {
	var val []byte
	for n, part := range slices.Collect(slices.Chunk(slices.Sorted(maps.Keys(c.covered)), coveredMost)) {
		val = val[:0]
		for _, t := range part {
			val = binary.AppendVarint(val, int64(t))
		}
		if err := put(rowCovered, n, val); err != nil {
			return err
		}
	}
	if err := c.putWords(from > 0, put); err != nil {
		return err
	}
	val = val[:0]
	first := from
	for i := from; i < len(c.list); i++ {
		val = c.appendEntry(val, i)
		if i+1-first == entriesMost || i+1 == len(c.list) {
			if err := put(rowEntries, first, val); err != nil {
				return err
			}
			val, first = val[:0], i+1
		}
	}
	if err := c.putPlaces(put); err != nil {
		return err
	}
	known := c.run.FirstSeen.Changes()
	if from == 0 {
		known = c.run.FirstSeen.Rows()
	}
	for row, err := range known {
		if err == nil {
			err = put(rowKnown, int(binary.BigEndian.Uint32(row.Key)), row.Value)
		}
		if err != nil {
			return err
		}
	}
	if err := c.uses.put(from == 0 && c.kept > 0, put); err != nil {
		return err
	}
	for n, name := range c.names {
		if from > 0 && n < c.namesStored {
			continue
		}
		if err := put(rowSource, n, []byte(name)); err != nil {
			return err
		}
	}
	i := from
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

// putWords calls put with the rows of all words. If changed is set, it leaves out each word that is
// stored with its current count.
func (c *collection) putWords(changed bool, put func(kind byte, n int, val []byte) error) error {
	var val []byte
	first, next, words := 0, 0, 0 // the first word of the row, the word after its last, and how many it has
	for n, name := range c.words.names {
		if name == "" || changed && c.words.isStored(n) {
			continue
		}
		if words == entriesMost {
			if err := put(rowWords, first, val); err != nil {
				return err
			}
			val, words = val[:0], 0
		}
		if words == 0 {
			first, next = n, n
		}
		val = binary.AppendUvarint(val, uint64(n-next))
		val = binary.AppendUvarint(val, uint64(c.words.counts[n]))
		val = packed.AppendSized(val, name)
		next = n + 1
		words++
	}
	if words == 0 {
		return nil
	}
	return put(rowWords, first, val)
}

// readNew reads the stored stream, and then the texts that were added to the archive later. If one
// of these captures is older than captures in the stream, other texts were new, and readNew reads
// all texts again.
func (c *collection) readNew(ctx context.Context) (err error) {
	if c.stream, err = c.origin(ctx); err != nil {
		return err
	}
	if err := c.recall(ctx); err != nil {
		return err
	}
	if c.run.FirstSeen == nil {
		c.run.FirstSeen = firstseen.NewKnown(&c.run.Memory)
	}
	added := c.run.FirstSeen.Added
	err = c.read(ctx, added)
	if !errors.Is(err, firstseen.ErrEarlier) {
		return err
	}
	c.notes = append(c.notes, "all texts are read again: captures were added that are older than others")
	c.forget()
	c.run.FirstSeen.Close()
	c.run.FirstSeen = firstseen.NewKnown(&c.run.Memory)
	return c.read(ctx, record.NoTime)
}

// forget makes the collection empty.
func (c *collection) forget() {
	c.rows.Clear()
	c.uses.close()
	c.list, c.words, c.state, c.uses = nil, dictionary{}, reports.State{}, uses{memory: c.uses.memory}
	c.parts, c.names, c.namesStored, c.kept, c.fresh = nil, nil, 0, 0, 0
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
