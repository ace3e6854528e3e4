package events

import (
	"cmp"
	"maps"
	"slices"
)

// outbreak finds the main burst of a story and the documents in it, if the story is an event. A
// story is an event if its documents have a burst at the time of its words' bursts, and if this
// burst is neither noise nor one of many.
func (c *corpus) outbreak(s *story, a *automaton, o *Options) bool {
	var work search
	spans := work.best(a, c.seriesOfStory(s, false), o.Ratio, a.enter*eventBound)
	all := 0.0
	s.main = span{}
	for _, p := range spans {
		all += p.n
		if p.saves > s.main.saves && p.from <= int(s.to) && int(s.from) <= p.to {
			s.main = p
		}
	}
	if s.main.saves == 0 {
		return false
	}
	if len(spans) >= repeatsMin && s.main.n*repeatsMin <= all {
		// A column that comes each week, for example.
		return false
	}
	s.docs = s.docs[:0]
	for _, m := range s.matches {
		if p := int(c.docs[m.doc].period); float64(m.score) >= s.least && p >= s.main.from && p <= s.main.to {
			s.docs = append(s.docs, m)
		}
	}
	return len(s.docs) >= eventDocsMin
}

// event makes an event of a story and its documents, with start, end, peak, title and keywords.
func (c *corpus) event(s *story, bursts []burst, v *vectors, a *automaton, o *Options) Event {
	e := Event{Start: s.main.from, End: s.main.to}
	sources := map[uint32]bool{}
	for _, m := range s.docs {
		d := &c.docs[m.doc]
		e.Documents = append(e.Documents, int(d.place))
		e.keys = append(e.keys, d.key)
		sources[d.source] = true
	}
	e.Sources = len(sources)
	if from, ok := c.datedStart(s, a, o); ok {
		e.Start, e.Dated = from, true
	}
	e.Peak = c.peak(s, a, e.Start, e.End)
	e.Title = int(c.docs[c.titleDoc(s, e.Peak)].place)
	slices.Sort(e.Documents)
	slices.Sort(e.keys)
	e.Keywords, e.Weight = c.keywords(s, bursts, v)
	return e
}

// datedStart returns the first period of the main burst of those documents of a story that
// say when they were published. If they have no burst within the main burst of the story, or
// if the story has no document from then on because other stories have them, ok is false.
func (c *corpus) datedStart(s *story, a *automaton, o *Options) (from int, ok bool) {
	var work search
	best := span{}
	for _, p := range work.best(a, c.seriesOfStory(s, true), o.Ratio, 0) {
		if p.from <= s.main.to && s.main.from <= p.to && p.n >= wordDocsMin && p.saves > best.saves {
			best = p
		}
	}
	from = max(best.from, s.main.from)
	return from, best.saves > 0 && int(c.docs[s.docs[len(s.docs)-1].doc].period) >= from
}

// peak returns the period with the highest rate of documents of the story. It looks at the periods
// from the parameter from up to and including the parameter to. Periods of little coverage would
// have high rates by chance, so it adds the mean coverage to that of each period.
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
	scores := map[int32]float64{} // of the documents of the peak
	for _, m := range s.docs {
		if int(c.docs[m.doc].period) == peak {
			scores[m.doc] = float64(m.score)
		}
	}
	for i, w := range s.words {
		for _, u := range c.usesOf(int(w)) {
			if d := c.number[u.Doc()]; u.title() && d >= 0 {
				if _, ok := scores[d]; ok {
					scores[d] += s.x[i]
				}
			}
		}
	}
	best := -1
	for _, m := range s.docs {
		if x, ok := scores[m.doc]; ok && (best < 0 || x > scores[int32(best)]) {
			best = int(m.doc)
		}
	}
	return best
}

// keywords returns the words of an event, and what their bursts save in its documents: each
// document saves the x of the burst. The words are those of the story, and others that burst
// mostly in documents of the event.
func (c *corpus) keywords(s *story, bursts []burst, v *vectors) (words []Keyword, weight float64) {
	docs := map[int32]int{} // of the event, by burst
	for _, m := range s.docs {
		for _, b := range v.of(int(m.doc)) {
			docs[b]++
		}
	}
	saves := map[uint32]float64{}
	var order []uint32
	for _, i := range slices.Sorted(maps.Keys(docs)) {
		b, n := &bursts[i], docs[i]
		_, own := slices.BinarySearch(s.bursts, i)
		if !own && (n < wordDocsMin || float64(n) < keywordPart*b.docs) {
			continue
		}
		if len(order) == 0 || order[len(order)-1] != b.word {
			order = append(order, b.word)
		}
		saves[b.word] += b.x * float64(n)
		weight += b.x * float64(n)
	}
	for _, w := range order {
		words = append(words, Keyword{Word: int(w), Share: saves[w] / weight})
	}
	slices.SortStableFunc(words, func(a, b Keyword) int { return cmp.Compare(b.Share, a.Share) })
	return words[:min(len(words), keywordsMax)], weight
}
