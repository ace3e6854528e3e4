package events

import (
	"cmp"
	"context"
	"math"
	"slices"
)

// burst is one burst of a word.
type burst struct {
	word     uint32 // number in the corpus
	from, to int32  // periods
	saves    float64
	// x is what one document with the word saves: the weight of the word in a vector.
	x    float64
	docs float64 // how many documents it has
}

// seriesOf counts, for each word of the corpus, the documents by period. The series of word w
// is all[at[w]:at[w+1]].
func (c *corpus) seriesOf() (all []hits, at []uint32) {
	at = make([]uint32, len(c.vocabulary)+1)
	last := make([]int32, len(c.vocabulary))
	for w := range last {
		last[w] = -1
	}
	c.each(func(d *doc, w uint32) {
		if last[w] != d.period {
			last[w] = d.period
			at[w+1]++
		}
	})
	for w := range last {
		at[w+1] += at[w]
		last[w] = -1
	}
	all = make([]hits, at[len(at)-1])
	next := slices.Clone(at[:len(at)-1])
	c.each(func(d *doc, w uint32) {
		if last[w] != d.period {
			last[w] = d.period
			all[next[w]].period = d.period
			next[w]++
		}
		all[next[w]-1].n++
	})
	return all, at
}

// each calls f with each word of each document whose period is not a gap, in the order of
// the documents.
func (c *corpus) each(f func(d *doc, w uint32)) {
	for i := range c.docs {
		d := &c.docs[i]
		if c.coverage[d.period] <= 0 {
			continue
		}
		for _, w := range c.words[d.from:d.to] {
			f(d, w)
		}
	}
}

// findBursts returns the bursts of all words, in the order of words, then of time.
func (c *corpus) findBursts(ctx context.Context, a *automaton, o *Options) ([]burst, error) {
	all, at := c.seriesOf()
	var found []burst
	var work search
	bound := noiseBound(c.different, a)
	for w := range c.vocabulary {
		if w%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		series := all[at[w]:at[w+1]]
		for _, s := range work.best(a, series, float64(c.before[w]), o.Ratio, bound) {
			if s.n < wordDocsMin {
				continue
			}
			found = append(found, burst{word: uint32(w), from: int32(s.from), to: int32(s.to), saves: s.saves,
				x: (s.saves + a.enter) / s.n, docs: s.n})
		}
	}
	return found, nil
}

// noiseBound returns how much a burst of a word must save. If the word has no events, the
// chance that some burst saves more than x is about e^-x: savings are logarithms of ratios of
// likelihoods, and enter pays for the choice of the first period. The bound lets noise have
// about noiseBursts bursts in each period over all words. They do no harm: an event needs
// bursts of several words in the same documents, and its own burst is tested again.
func noiseBound(words int, a *automaton) float64 {
	return max(1, math.Log(float64(max(words, 1))/(noiseBursts*float64(len(a.cover)))))
}

// search finds the bursts of series. It only serves to use memory again.
type search struct {
	spans []span
	sums  []float64 // the documents of the periods of a series before each
}

// best returns the bursts of a series that save more than bound, in order of time. before is
// how many documents there are before the series. The result is valid until the next call.
//
// Neither the quiet rate nor the ratio is known. best runs the automaton with the mean rate
// as the quiet one and with a lower rate, and with the ratios s, s², s³ … of each. Then it
// computes what each burst saves really, and takes the burst that saves most, then the next
// one that does not overlap with it, and so on.
func (s *search) best(a *automaton, series []hits, before, ratio, bound float64) []span {
	n, highest := before, 0.0 // all documents, and the highest rate of a period
	s.sums = append(s.sums[:0], before)
	for _, h := range series {
		n += float64(h.n)
		s.sums = append(s.sums, n)
		highest = max(highest, float64(h.n)/a.of(int(h.period)))
	}
	if len(series) == 0 {
		return nil
	}
	mean := n / max(a.total(), 1)
	s.spans = s.spans[:0]
	for _, q := range []float64{mean, mean * quietPart} {
		r := ratio
		for r*q <= mean {
			r *= ratio // a burst has a higher rate than the mean
		}
		// A ratio with a rate above the highest is never better than the ratio before.
		for ; r*q < rateMax && r <= ratioMax && r*q < highest*ratio; r *= ratio {
			s.spans = a.bursts(series, q, r, s.spans)
		}
	}
	for i := range s.spans {
		p := &s.spans[i]
		// A burst begins and ends with a period of the series.
		first, _ := slices.BinarySearchFunc(series, p.from, byPeriod)
		last, _ := slices.BinarySearchFunc(series, p.to, byPeriod)
		p.n = s.sums[last+1] - s.sums[first]
		p.saves = a.saves(p.n, n, p.from, p.to)
	}
	s.spans = slices.DeleteFunc(s.spans, func(p span) bool {
		return p.saves <= bound || a.cover[p.to+1]-a.cover[p.from] > spanMax*a.total()
	})
	slices.SortFunc(s.spans, func(p, q span) int {
		return cmp.Or(cmp.Compare(q.saves, p.saves), cmp.Compare(p.from, q.from), cmp.Compare(p.to, q.to))
	})
	kept := s.spans[:0]
	for _, p := range s.spans {
		if len(kept) == wordBurstsMax {
			break
		}
		if !slices.ContainsFunc(kept, func(k span) bool { return p.from <= k.to && k.from <= p.to }) {
			kept = append(kept, p)
		}
	}
	slices.SortFunc(kept, func(p, q span) int { return cmp.Compare(p.from, q.from) })
	return kept
}

// byPeriod compares the period of an element of a series.
func byPeriod(h hits, period int) int { return cmp.Compare(int(h.period), period) }
