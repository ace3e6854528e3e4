package event

import (
	"context"
	"math"
	"slices"

	"infomall/exec/events"
	"infomall/exec/plan"
	"infomall/store/record"
)

// foundEvent is an event that was found, with its reports.
type foundEvent struct {
	events.Event
	named   events.Named
	reports []uint32 // the numbers of its reports, as in entry.set
	title   uint32   // the number of the report whose title the event has
}

// cover adds to c.covered the start of each period in which the scope of the statement was
// captured. node is a plan of the query seen.
func (c *collection) cover(ctx context.Context, node plan.Node) error {
	rows, err := c.run.Rows(ctx, node)
	if err != nil {
		return err
	}
	from, to := record.Time(math.MaxInt64), record.Time(math.MinInt64)
	for b, err := range rows {
		if err != nil {
			return err
		}
		for _, at := range b.Cols[0].Ints[:b.N] {
			t := record.Time(at)
			if t >= from && t < to {
				continue
			}
			from = c.start(t)
			to = c.after(from)
			c.covered[from] = true
		}
	}
	return nil
}

// group joins texts that are nearly the same into reports. It leaves out a headline that has the
// title of an article, because the front page then only repeats the article. It also leaves out a
// text that was read before.
func (c *collection) group(ctx context.Context) error {
	titles := make(map[uint64]bool)
	if slices.ContainsFunc(c.list, func(e entry) bool { return e.headline }) {
		for i := range c.list {
			if e := &c.list[i]; !e.headline {
				titles[e.title] = true
			}
		}
	}
	seen := make(map[uint64]bool) // the texts that were read now, by ID; true after the first of an ID
	for i := c.kept; i < len(c.list); i++ {
		seen[c.state.Text(i).ID] = false
	}
	for i := range c.list {
		e, id := &c.list[i], c.state.Text(i).ID
		again, fresh := seen[id]
		if fresh {
			seen[id] = true
		}
		if !e.left && (again && fresh || e.headline && titles[e.title]) {
			e.left = true
			c.state.Remove(i)
		}
	}
	if err := c.state.Update(ctx); err != nil {
		return err
	}
	c.ids = make([]uint64, 0, len(c.list))
	for set := range c.state.Sets() {
		for order, i := range set.Texts {
			e := &c.list[i]
			e.set, e.order = uint32(len(c.ids)), uint32(order)
		}
		c.ids = append(c.ids, set.ID)
	}
	c.sets = len(c.ids)
	return ctx.Err()
}

// findShare divides the memory of the statement: the uses of words may take 1/findShare of it, and
// the lists of the collection need the rest. The uses in 300,000 texts of 100 words take 60 MB.
const findShare = 2

// find finds the events in the reports, and adds them to c.found.
func (c *collection) find(ctx context.Context) error {
	if err := c.uses.load(ctx, c, c.s.Settings().MemoryBytes/findShare); err != nil {
		return err
	}
	if c.sets == 0 {
		return nil
	}
	if err := c.leaveRubrics(ctx); err != nil {
		return err
	}
	first, last := record.Time(math.MaxInt64), record.Time(math.MinInt64)
	for i := range c.list {
		if c.list[i].order == 0 && !c.list[i].left {
			first, last = min(first, c.list[i].at), max(last, c.list[i].at)
		}
	}
	c.span(first, last)
	o := events.Options{Periods: c.count(), Coverage: make([]float64, c.count()), Cycle: c.cycle()}
	for i := range c.list {
		if e := &c.list[i]; e.order == 0 && !e.left {
			if p := c.of(e.at); p >= 0 {
				o.Coverage[p]++
			}
		}
	}
	for start := range c.covered {
		if p := c.of(start); p >= 0 && o.Coverage[p] == 0 {
			o.Coverage[p] = quiet
		}
	}
	words := c.words.sorted()
	in := &events.Index{
		Documents: c.documents(), Words: len(words),
		Uses:  func(dst []events.Use, word int) []events.Use { return c.uses.of(dst, words[word]) },
		Count: func(word int) (least, most int) { return c.uses.count(words[word]) },
	}
	found, err := events.Find(ctx, in, o)
	if err != nil {
		return err
	}
	for _, e := range found {
		if c.lasts(&e) {
			continue
		}
		f := foundEvent{Event: e, title: c.list[e.Title].set}
		for i := range f.Keywords {
			f.Keywords[i].Word = int(words[f.Keywords[i].Word]) // the number in the dictionary
		}
		for _, d := range e.Documents {
			f.reports = append(f.reports, c.list[d].set)
		}
		c.found = append(c.found, f)
	}
	return nil
}

// lasts reports whether an event lasts for more than a year and for more than a third of all
// periods. That is a subject, such as a series on television, and not an event.
func (c *collection) lasts(e *events.Event) bool {
	const year = 365 * 24 * 60 * 60 * 1000
	return 3*(e.End+1-e.Start) > c.count() && c.starts[e.End+1]-c.starts[e.Start] > year
}

// quiet is the coverage of a period with captures and without new texts. It is not 0, because a
// period without coverage is a gap, of which nothing is known.
const quiet = .01

// documents returns one document for each text, at the same index. Find leaves out a document whose
// period is -1: a text that does not represent a report, or that does not match ABOUT.
func (c *collection) documents() []events.Document {
	list := make([]events.Document, len(c.list))
	for i := range c.list {
		e := &c.list[i]
		if e.order > 0 || e.left || !e.matches {
			list[i].Period = -1
			continue
		}
		list[i] = events.Document{Key: c.ids[e.set], Period: int32(c.of(e.at)), Dated: e.dated, Source: e.source}
	}
	return list
}

// keys returns the IDs of the reports of an event, sorted.
func (c *collection) keys(f *foundEvent) []uint64 {
	keys := make([]uint64, len(f.reports))
	for i, set := range f.reports {
		keys[i] = c.ids[set]
	}
	slices.Sort(keys)
	return keys
}
