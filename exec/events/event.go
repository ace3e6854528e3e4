package events

import (
	"cmp"
	"slices"
)

// event makes an event of a story, if it is one: if its documents have a burst that is not
// noise and that is not one of many.
func (c *corpus) event(s *story, a *automaton, bursts []burst, o *Options) (Event, bool) {
	var work search
	spans := work.best(a, c.seriesOfStory(s, false), o.Ratio, 0)
	if len(spans) == 0 {
		return Event{}, false
	}
	main := slices.MaxFunc(spans, func(p, q span) int {
		return cmp.Or(cmp.Compare(p.saves, q.saves), cmp.Compare(q.from, p.from))
	})
	if main.saves < a.enter {
		return Event{}, false
	}
	e := Event{Start: main.from, End: main.to}
	sources := map[uint32]bool{}
	byPeriod := map[int]int{}
	for _, m := range s.matches {
		d := &c.docs[m.doc]
		if p := int(d.period); p < main.from || p > main.to {
			continue
		}
		e.Documents = append(e.Documents, int(d.place))
		e.keys = append(e.keys, d.key)
		sources[d.source] = true
		byPeriod[int(d.period)]++
		e.Dated = e.Dated || d.dated
	}
	if len(e.Documents) < eventDocsMin {
		return Event{}, false
	}
	e.Sources = len(sources)
	e.Peak = e.Start
	for p := e.Start; p <= e.End; p++ {
		if byPeriod[p] > byPeriod[e.Peak] {
			e.Peak = p
		}
	}
	best := match{doc: -1}
	for _, m := range s.matches {
		if int(c.docs[m.doc].period) == e.Peak && (best.doc < 0 || m.score > best.score) {
			best = m
		}
	}
	e.Title = int(c.docs[best.doc].place)
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
