package event

import (
	"context"
	"errors"
	"iter"
	"math"
	"slices"

	"infomall/exec/events"
	"infomall/exec/plan"
	"infomall/exec/reports"
	"infomall/store/record"
)

// foundEvent is an event with the numbers of its reports.
type foundEvent struct {
	events.Event
	named   events.Named
	reports []uint32 // numbers of its reports, the places in the stream of its documents
	title   uint32   // number of the report with the title of the event
}

// cover notes the periods in which the scope was captured. node is a plan of the query seen.
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

// group makes reports of the texts. It leaves out headlines with the title of an article:
// the front page says what the article says.
func (c *collection) group(ctx context.Context) error {
	titles := make(map[uint64]bool)
	for i := range c.list {
		if e := &c.list[i]; !e.headline {
			titles[e.title] = true
		}
	}
	var at []int // index in c.list, by index in c.state
	err := c.eachText(false, func(i int, t *text) error {
		e := &c.list[i]
		if e.headline && titles[e.title] {
			e.left = true
			return nil
		}
		if e.left = !c.state.Add(reports.Text{ID: t.id, Published: dateOf(t), Seen: t.time, URL: t.url, Host: t.host, Print: t.print}); !e.left {
			at = append(at, i)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := c.state.Update(ctx); err != nil {
		return err
	}
	for set := range c.state.Sets() {
		for order, i := range set.Texts {
			e := &c.list[at[i]]
			e.set, e.order = uint32(len(c.ids)), uint32(order)
		}
		c.ids = append(c.ids, set.ID)
	}
	c.sets = len(c.ids)
	return ctx.Err()
}

// findShare is the share of the memory that events.Find may use: the lists of the collection
// are in memory, too. 300,000 reports of 100 words fit into half of the default.
const findShare = 2

// find finds the events in the reports.
func (c *collection) find(ctx context.Context) error {
	if c.sets == 0 {
		return nil
	}
	rubrics, err := c.findRubrics()
	if err != nil {
		return err
	}
	first, last := record.Time(math.MaxInt64), record.Time(math.MinInt64)
	for i := range c.list {
		if c.list[i].order == 0 && !c.list[i].left {
			first, last = min(first, c.list[i].at), max(last, c.list[i].at)
		}
	}
	c.span(first, last)
	o := events.Options{Periods: c.count(), Coverage: make([]float64, c.count()), Cycle: c.cycle(), Bytes: c.s.Settings().MemoryBytes / findShare}
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
	var sets []uint32 // numbers of the reports, by place in the stream
	found, err := events.Find(ctx, func() iter.Seq2[*events.Document, error] {
		sets = sets[:0]
		return c.documents(ctx, rubrics, func(set uint32) { sets = append(sets, set) })
	}, o)
	if err != nil {
		return err
	}
	for _, e := range found {
		if c.lasts(&e) {
			continue
		}
		f := foundEvent{Event: e, title: sets[e.Title]}
		for _, d := range e.Documents {
			f.reports = append(f.reports, sets[d])
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

// quiet is the coverage of a period with captures and without new texts: it is no gap, but
// says next to nothing.
const quiet = .01

// documents yields the reports as documents, in the order of their representatives, and
// calls put with the number of each. The words of rubrics are left out.
func (c *collection) documents(ctx context.Context, rubrics rubrics, put func(set uint32)) iter.Seq2[*events.Document, error] {
	return func(yield func(*events.Document, error) bool) {
		var d events.Document
		err := c.eachText(len(rubrics) == 0, func(i int, t *text) error {
			e := &c.list[i]
			if i%1024 == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			if e.order > 0 || e.left || !e.matches {
				return nil
			}
			p := c.of(e.at)
			if p < 0 {
				return nil
			}
			put(e.set)
			if t.headline && len(rubrics) > 0 {
				if rest := rubrics.without(t.title); rest != t.title {
					t.words = c.words.known(t.words[:0], rest, t.lang)
					t.titled = len(t.words)
				}
			}
			d = events.Document{Key: c.ids[e.set], Period: p, Dated: e.dated, Source: e.source, Words: t.words, Title: t.titled}
			if !yield(&d, nil) {
				return errStop
			}
			return nil
		})
		if err != nil && !errors.Is(err, errStop) {
			yield(nil, err)
		}
	}
}

// keys returns the numbers of the reports of an event, sorted.
func (c *collection) keys(f *foundEvent) []uint64 {
	keys := make([]uint64, len(f.reports))
	for i, set := range f.reports {
		keys[i] = c.ids[set]
	}
	slices.Sort(keys)
	return keys
}
