package event

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"strconv"

	"infomall/exec/event/kept"
	"infomall/exec/events"
	"infomall/exec/relation"
	"infomall/store/record"
	"infomall/store/record/task"
	"infomall/store/urlkey"
)

// halfLife is after how many milliseconds the recency of an event is one half.
const halfLife = 30 * 24 * 60 * 60 * 1000

// shownMost is the maximum number of texts of the last result that are kept in memory, so that
// their rows of the stream need not be read. A text takes about half a KB.
const shownMost = 1 << 16

// save gives the events their numbers and stores the events. Then it stores the stream.
func (c *collection) save(ctx context.Context) (task.Result, error) {
	before, err := lastEvents(ctx, c.snap, c.name)
	if err != nil {
		return task.Result{}, err
	}
	old, named, err := c.numbered(ctx, before)
	if err != nil {
		return task.Result{}, err
	}
	r := task.Result{
		Kind: task.ResultEvents, Name: c.name, Computed: c.env.Now, AsOf: c.env.Now, Statement: c.st.String(),
		Properties: map[string]string{"zone": c.zone.String(), "by": c.finding.unit, "texts": strconv.Itoa(len(c.list))},
	}
	if r, err = c.saveEvents(ctx, r, old, named); err != nil {
		return r, err
	}
	return r, c.saveStream(ctx, r)
}

// stillThere returns an error if captures were deleted while the events were computed. It then also
// removes what EVENTS has stored, because that may have words of the deleted captures.
func (c *collection) stillThere(ctx context.Context) error {
	before, err := c.snap.Tombstones(ctx)
	if err != nil {
		return err
	}
	snap, release, err := c.s.Snapshot(ctx)
	if err != nil {
		return err
	}
	defer release()
	now, err := snap.Tombstones(ctx)
	if err != nil || len(now) == len(before) {
		return err
	}
	for _, kind := range []string{task.ResultStream, task.ResultEvents} {
		if _, err := c.s.Archive().DropResult(ctx, kind, c.name); err != nil {
			return err
		}
	}
	return fmt.Errorf("captures were deleted while EVENTS %s ran; run it again", c.name)
}

// lastEvents returns the last result of EVENTS with this name, or nil if there is none.
func lastEvents(ctx context.Context, snap relation.Snapshot, name string) (*task.Result, error) {
	list, err := snap.Results(ctx, task.ResultEvents)
	for _, r := range kept.Newest(list) {
		if r.Name == name {
			return &r, err
		}
	}
	return nil, err
}

// numbered gives the reports and the events that were found the numbers that they had in the last
// result. The parameter before is that result, or nil. old has the events of the last result by
// number. gone has the events of the last result that were not found now.
func (c *collection) numbered(ctx context.Context, before *task.Result) (old map[int]*kept.Event, gone []events.Named, err error) {
	var was []events.Named
	if before != nil {
		rows := func(ranges []urlkey.Range) iter.Seq2[task.ResultRow, error] {
			return c.snap.ResultRows(ctx, *before, ranges)
		}
		if old, err = kept.ReadEvents(rows); err != nil {
			return nil, nil, err
		}
		keys := make(map[int][]uint64)
		reports := make(map[uint64]uint64)
		for t, err := range kept.AllTexts(rows) {
			if err != nil {
				return nil, nil, err
			}
			keys[t.Event] = append(keys[t.Event], t.Report)
			reports[t.ID] = t.Report
			if len(c.shown) < shownMost && c.kept > 0 {
				c.shown[t.ID] = t
			}
		}
		c.keepIDs(reports)
		for _, number := range slices.Sorted(maps.Keys(old)) {
			e := old[number]
			list := append(keys[number], e.Keys...)
			slices.Sort(list)
			was = append(was, events.Named{Number: number, Keys: slices.Compact(list), MergedInto: e.MergedInto, SplitFrom: e.SplitFrom})
		}
	}
	found := make([][]uint64, len(c.found))
	for i := range c.found {
		found[i] = c.keys(&c.found[i])
	}
	named := events.Number(was, found)
	for i := range c.found {
		c.found[i].named = named[i]
	}
	return old, named[len(found):], nil
}

// keepIDs gives each report the ID that most of its texts had in the last result. The
// parameter before has that ID for each text of the last result. If several reports have
// texts of one ID, the ID goes to the report that has most of these texts, and of several such
// reports to the one whose own ID is least.
func (c *collection) keepIDs(before map[uint64]uint64) {
	type claim struct {
		set   uint32
		id    uint64
		texts int
	}
	var claims []claim
	for i := range c.list {
		if e := &c.list[i]; !e.left {
			if id, ok := before[c.state.Text(i).ID]; ok {
				claims = append(claims, claim{e.set, id, 1})
			}
		}
	}
	slices.SortFunc(claims, func(a, b claim) int { return cmp.Or(cmp.Compare(a.set, b.set), cmp.Compare(a.id, b.id)) })
	different := claims[:0]
	for _, x := range claims {
		if last := len(different) - 1; last >= 0 && different[last].set == x.set && different[last].id == x.id {
			different[last].texts++
		} else {
			different = append(different, x)
		}
	}
	slices.SortFunc(different, func(a, b claim) int {
		return cmp.Or(cmp.Compare(b.texts, a.texts), cmp.Compare(c.ids[a.set], c.ids[b.set]), cmp.Compare(a.id, b.id))
	})
	has, given := make([]bool, c.sets), make(map[uint64]bool, len(different))
	ids := slices.Clone(c.ids)
	for _, x := range different {
		if !has[x.set] && !given[x.id] {
			has[x.set], given[x.id] = true, true
			ids[x.set] = x.id
		}
	}
	for i := range c.list { // a report whose own ID another has now is named by another text
		e := &c.list[i]
		if e.left || has[e.set] || !given[c.ids[e.set]] {
			continue
		}
		if id := c.state.Text(i).ID; !given[id] {
			has[e.set], given[id] = true, true
			ids[e.set] = id
		}
	}
	c.ids = ids
}

// saveEvents stores the events and their texts, and the events that are gone.
func (c *collection) saveEvents(ctx context.Context, r task.Result, old map[int]*kept.Event, gone []events.Named) (task.Result, error) {
	memory := c.run.Memory
	sorter := memory.Sorter(ctx, sortShare)
	defer sorter.Close()
	for i := range c.found {
		e := c.event(&c.found[i])
		if was := old[e.Number]; was != nil && e.SplitFrom == 0 {
			e.SplitFrom = was.SplitFrom
		}
		row := e.Row()
		if err := sorter.Add(row.Key, row.Value); err != nil {
			return r, err
		}
	}
	for _, n := range gone {
		row := (&kept.Event{Number: n.Number, Gone: true, MergedInto: n.MergedInto, SplitFrom: n.SplitFrom, Start: record.NoTime, Peak: record.NoTime, End: record.NoTime, Keys: n.Keys}).Row()
		if err := sorter.Add(row.Key, row.Value); err != nil {
			return r, err
		}
	}
	if err := c.addTexts(ctx, func(key, val []byte) error { return sorter.Add(key, val) }); err != nil {
		return r, err
	}
	return c.s.Archive().SaveResult(ctx, r, func(yield func(task.ResultRow, error) bool) {
		for rec, err := range sorter.Sorted() {
			if !yield(task.ResultRow{Key: rec.Key, Value: rec.Val}, err) || err != nil {
				return
			}
		}
	})
}

// event returns f in the form in which it is stored.
func (c *collection) event(f *foundEvent) kept.Event {
	e := kept.Event{
		Number: f.named.Number, Start: c.starts[f.Start], Peak: c.starts[f.Peak], End: c.starts[f.End], Dated: f.Dated, Weight: f.Weight,
		MergedInto: f.named.MergedInto, SplitFrom: f.named.SplitFrom,
	}
	last := c.starts[c.count()-1]
	e.Recency = math.Exp2(-float64(last-e.End) / halfLife)
	return e
}

// addTexts calls put with a row for each text of the events.
func (c *collection) addTexts(ctx context.Context, put func(key, val []byte) error) error {
	of := make([]*foundEvent, c.sets) // by the number of a report
	for i := range c.found {
		f := &c.found[i]
		for _, set := range f.reports {
			of[set] = f
		}
	}
	first := make([]record.Time, c.sets) // when each report began
	for i := range c.list {
		if e := &c.list[i]; e.order == 0 && !e.left && of[e.set] != nil {
			first[e.set] = e.at
		}
	}
	keywords := c.keywordsOf(of)
	var key, val []byte
	// add adds a text of an event. row has what is shown of it.
	add := func(i int, row kept.Text) error {
		e, x := &c.list[i], c.state.Text(i)
		f := of[e.set]
		row.Time, row.ID, row.Event, row.Report, row.First, row.Order = x.Seen, x.ID, f.named.Number, c.ids[e.set], first[e.set], int(e.order)
		row.Named, row.Keywords = e.set == f.title, keywords[i]
		key, val = row.AppendKey(key[:0]), row.AppendValue(val[:0])
		return put(key, val)
	}
	inEvent := func(i int) bool { e := &c.list[i]; return !e.left && of[e.set] != nil }
	rest := make([]bool, len(c.list)) // texts of events that are not in shown
	for i := range c.list {
		if i%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if !inEvent(i) {
			continue
		}
		if row, ok := c.shown[c.state.Text(i).ID]; !ok || i >= c.kept {
			rest[i] = true
		} else if err := add(i, row); err != nil {
			return err
		}
	}
	var t text
	return c.eachRow(ctx, func(i int) bool { return rest[i] }, func(i int, stored []byte) error {
		if err := t.parse(stored); err != nil {
			return err
		}
		return add(i, kept.Text{URL: t.url, Published: t.published, Precision: t.precision, Title: t.title, Source: t.source, Lang: t.lang, Places: t.places})
	})
}

// keywordsOf returns, for each text, the keywords of its event that the text has. of has the event
// of each report, by number, or nil for a report without an event.
func (c *collection) keywordsOf(of []*foundEvent) [][]kept.Keyword {
	in := make([]*foundEvent, len(c.list)) // the event of each text
	for i := range c.list {
		if e := &c.list[i]; !e.left {
			in[i] = of[e.set]
		}
	}
	// A word is a keyword of few events.
	type share struct {
		of   *foundEvent
		part float64
	}
	shares := make(map[int][]share)
	for i := range c.found {
		for _, k := range c.found[i].Keywords {
			shares[k.Word] = append(shares[k.Word], share{&c.found[i], k.Share})
		}
	}
	keywords := make([][]kept.Keyword, len(c.list))
	var list []events.Use
	for _, w := range slices.Sorted(maps.Keys(shares)) {
		list = c.uses.of(list[:0], uint32(w))
		for _, u := range list {
			for _, s := range shares[w] {
				if s.of == in[u.Doc()] {
					keywords[u.Doc()] = append(keywords[u.Doc()], kept.Keyword{Word: c.words.names[w], Share: s.part})
				}
			}
		}
	}
	return keywords
}
