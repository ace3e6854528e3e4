package events

import (
	"cmp"
	"context"
	"slices"
)

// Options say how events are found. The zero value of a field means its default.
type Options struct {
	// Periods is how many periods there are. They are numbered from 0.
	Periods int
	// Coverage has, by period, how many documents there were from which the index was
	// made, or numbers proportional to that. A rate is documents with a word over Coverage.
	// A period with 0 is a gap: nothing is known of it. Nil means the documents of the index.
	Coverage []float64
	// Cycle is the number of periods after which rates repeat, such as 7 days; 0 means none.
	Cycle int
	// Ratio and Cost are s and γ of Kleinberg's automaton: by how much the rate of a burst
	// exceeds the usual rate at least, and how much it costs to enter a burst. The defaults
	// are 2 and 1.
	Ratio, Cost float64
}

// Event is one event that Find has found.
type Event struct {
	// Start, Peak and End are numbers of periods. End is the last period.
	Start, Peak, End int
	// Dated reports that Start comes from documents that say when they were published. If
	// not, the event was only seen then.
	Dated bool
	// Documents has the indexes of the event's documents in Index.Documents, ascending.
	Documents []int
	// Title is the index, in Index.Documents, of the document whose title is the event's title.
	Title int
	// Sources is how many different sources the documents have.
	Sources int
	// Keywords has at most 40 words that tell the event from others, the most telling first.
	Keywords []Keyword
	// Weight is how much the bursts of all its words save in its documents, in nats.
	Weight float64

	keys []uint64 // of its documents, ascending
}

// Keyword is a word of an event, by its number. Share is its part of the event's Weight, from 0 to 1.
type Keyword struct {
	Word  int
	Share float64
}

// Scale returns how big the event is: its documents times its sources.
func (e *Event) Scale() int { return len(e.Documents) * e.Sources }

// Find returns the events in the documents of an index, sorted by Start, then by scale, then by the
// keys of their documents. The order of the documents changes nothing but the indexes in
// Event.Documents and Event.Title.
func Find(ctx context.Context, in *Index, o Options) ([]Event, error) {
	if o.Ratio <= 1 {
		o.Ratio = ratioDefault
	}
	if o.Cost <= 0 {
		o.Cost = costDefault
	}
	c, err := newCorpus(ctx, in, &o)
	if err != nil {
		return nil, err
	}
	a := newAutomaton(c.coverage, o.Cost)
	bursts, v, err := c.findBursts(ctx, a, &o)
	if err != nil {
		return nil, err
	}
	sets, err := clusterBursts(ctx, bursts, v)
	if err != nil {
		return nil, err
	}
	stories, err := c.settle(ctx, sets, bursts, a, &o)
	if err != nil {
		return nil, err
	}
	events := make([]Event, len(stories))
	for i, s := range stories {
		events[i] = c.event(s, bursts, v, a, &o)
	}
	slices.SortFunc(events, func(a, b Event) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.Scale(), a.Scale()), slices.Compare(a.keys, b.keys))
	})
	return events, ctx.Err()
}
