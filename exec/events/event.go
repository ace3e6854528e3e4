package events

import (
	"cmp"
	"slices"
)

// event makes an event of a story, if it is one: if its documents have a burst that is not
// noise and that is not one of many.
func (c *corpus) event(s *story, a *automaton, bursts []burst, o *Options) (Event, bool) {
	var work search
	spans := work.best(a, c.seriesOfStory(s, false), o.Ratio, a.enter*eventBound)
	if len(spans) == 0 {
		return Event{}, false
	}
	main, all := spans[0], 0.0
	for _, p := range spans {
		all += p.n
		if p.saves > main.saves {
			main = p
		}
	}
	if len(spans) >= repeatsMin && main.n*repeatsMin <= all {
		// A column that comes each week, for example.
		return Event{}, false
	}
	e := Event{Start: main.from, End: main.to}
	sources := map[uint32]bool{}
	s.docs = s.docs[:0]
	for _, m := range s.matches {
		d := &c.docs[m.doc]
		if p := int(d.period); p < main.from || p > main.to {
			continue
		}
		s.docs = append(s.docs, m)
		e.Documents = append(e.Documents, int(d.place))
		e.keys = append(e.keys, d.key)
		sources[d.source] = true
	}
	if len(e.Documents) < eventDocsMin {
		return Event{}, false
	}
	e.Sources = len(sources)
	if from, ok := c.datedStart(s, a, main, o); ok {
		e.Start, e.Dated = from, true
	}
	e.Peak = c.peak(s, a, e.Start, e.End)
	e.Title = int(c.docs[c.titleDoc(s, e.Peak)].place)
	slices.Sort(e.Documents)
	slices.Sort(e.keys)
	for _, i := range s.bursts {
		e.Weight += bursts[i].saves
	}
	for _, i := range s.bursts {
		e.Keywords = append(e.Keywords, Keyword{Word: c.vocabulary[bursts[i].word], Share: bursts[i].saves / e.Weight})
	}
	slices.SortFunc(e.Keywords, func(a, b Keyword) int {
		return cmp.Or(cmp.Compare(b.Share, a.Share), cmp.Compare(a.Word, b.Word))
	})
	return e, true
}

// datedStart returns the first period of the main burst of those documents of a story that
// say when they were published. If they have no burst within the main burst of the story, ok
// is false.
func (c *corpus) datedStart(s *story, a *automaton, main span, o *Options) (from int, ok bool) {
	var work search
	best := span{}
	for _, p := range work.best(a, c.seriesOfStory(s, true), o.Ratio, 0) {
		if p.from <= main.to && main.from <= p.to && p.n >= wordDocsMin && p.saves > best.saves {
			best = p
		}
	}
	return max(best.from, main.from), best.saves > 0
}

// peak returns the period from from to to with the highest rate of documents of the story.
// Periods of little coverage would have high rates by chance, so each period is taken to have
// the mean coverage in addition.
func (c *corpus) peak(s *story, a *automaton, from, to int) int {
	mean := a.total() / float64(len(c.coverage))
	peak, most := from, 0.0
	for i := 0; i < len(s.docs); {
		p, n := c.docs[s.docs[i].doc].period, 0.0
		for ; i < len(s.docs) && c.docs[s.docs[i].doc].period == p; i++ {
			n++
		}
		if rate := n / (max(c.coverage[p], 0) + mean); rate > most && int(p) >= from && int(p) <= to {
			peak, most = int(p), rate
		}
	}
	return peak
}

// titleDoc returns the document whose title is the event's: of the documents of the peak, the
// one that has most of the weight of the story's words in its text and in its title.
func (c *corpus) titleDoc(s *story, peak int) int {
	best, most := -1, -1.0
	for _, m := range s.docs {
		if int(c.docs[m.doc].period) != peak {
			continue
		}
		score := float64(m.score)
		for _, w := range c.titleOf(int(m.doc)) {
			if i, ok := slices.BinarySearch(s.words, w); ok {
				score += s.x[i]
			}
		}
		if score > most {
			best, most = int(m.doc), score
		}
	}
	return best
}
