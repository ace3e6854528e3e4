package events

import (
	"cmp"
	"context"
	"errors"
	"math"
	"math/bits"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
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

// counter counts the documents with one word by period. A finder uses its memory again for each
// word. Between two words, n and hit are all zeros.
type counter struct {
	n      []uint32 // documents by period; the last element is for documents that are left out
	hit    []uint64 // a bit for each period with documents
	series []hits
}

// of returns the series of a word from its uses: how many documents have the word in each period
// that has such documents and is no gap. The series is valid until the next call. The result all
// is how many documents have the word, also in gaps.
func (r *counter) of(c *corpus, uses []Use) (series []hits, all float64) {
	periods := len(c.coverage)
	if r.n == nil {
		r.n, r.hit = make([]uint32, periods+1), make([]uint64, (periods+64)/64)
	}
	r.series = r.series[:0]
	add := func(p int) {
		n := float64(r.n[p])
		all += n
		if c.coverage[p] > 0 {
			r.series = append(r.series, hits{period: int32(p), n: n})
		}
		r.n[p] = 0
	}
	if len(uses) > periods { // most periods have documents
		for _, u := range uses {
			r.n[c.period[u.Doc()]]++
		}
		for p, n := range r.n[:periods] {
			if n > 0 {
				add(p)
			}
		}
	} else {
		for _, u := range uses {
			p := c.period[u.Doc()]
			r.n[p]++
			r.hit[p/64] |= 1 << (p % 64)
		}
		for i, hit := range r.hit {
			for ; hit != 0; hit &= hit - 1 {
				if p := i*64 + bits.TrailingZeros64(hit); p < periods {
					add(p)
				}
			}
			r.hit[i] = 0
		}
	}
	r.n[periods] = 0
	return r.series, all
}

// finder finds the bursts of some words. Several finders work at once.
type finder struct {
	c         *corpus
	a         *automaton
	ratio     float64
	different *atomic.Int64 // how many words can burst, counted so far by all finders
	found     []burst       // the bursts found so far, of which some may be noise

	uses  []Use
	count counter
	work  search
	quick scan
	level int // the logarithm of different when quick was made
}

// find adds to f.found the bursts of the words with the numbers from <= w < to.
func (f *finder) find(ctx context.Context, from, to int) error {
	for w := from; w < to; w++ {
		if w%wordsBetween == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if least, most := f.c.index.Count(w); most < wordDocsMin || !f.c.canBurst(float64(max(least-f.c.left, wordDocsMin))) {
			continue
		}
		f.uses = f.c.index.Uses(f.uses[:0], w)
		series, n := f.count.of(f.c, f.uses)
		if !f.c.canBurst(n) {
			continue
		}
		// The bound grows with the number of words that can burst, which is known only at the end.
		// So the bound for the words so far is never too high.
		different := int(f.different.Add(1))
		if level := bits.Len(uint(different)); level > f.level {
			f.level, f.quick = level, scan{a: f.a, bound: noiseBound(different, f.a)}
		}
		if !f.quick.may(series) {
			continue
		}
		for _, s := range f.work.best(f.a, series, f.ratio, f.quick.bound) {
			if s.n >= wordDocsMin {
				f.found = append(f.found, burst{word: uint32(w), from: int32(s.from), to: int32(s.to), saves: s.saves,
					x: (s.saves + f.a.enter) / s.n, docs: s.n})
			}
		}
	}
	return nil
}

// findBursts returns the bursts of all words, in the order of words, then of time. It also returns
// which of these bursts each document has.
func (c *corpus) findBursts(ctx context.Context, a *automaton, o *Options) ([]burst, *vectors, error) {
	var different atomic.Int64
	finders := make([]finder, min(runtime.GOMAXPROCS(0), findersMost))
	errs := make([]error, len(finders))
	var wait sync.WaitGroup
	for i := range finders {
		finders[i] = finder{c: c, a: a, ratio: o.Ratio, different: &different}
		wait.Go(func() {
			errs[i] = finders[i].find(ctx, i*c.index.Words/len(finders), (i+1)*c.index.Words/len(finders))
		})
	}
	wait.Wait()
	if err := errors.Join(errs...); err != nil {
		return nil, nil, err
	}
	var found []burst
	bound := noiseBound(int(different.Load()), a)
	for i := range finders {
		for _, b := range finders[i].found {
			if b.saves > bound {
				found = append(found, b)
			}
		}
	}
	var pairs []pair
	for first := 0; first < len(found); {
		last := first
		for last < len(found) && found[last].word == found[first].word {
			last++
		}
		for _, u := range c.usesOf(int(found[first].word)) {
			period := c.period[u.Doc()]
			for b := first; b < last; b++ {
				if found[b].from <= period && period <= found[b].to {
					pairs = append(pairs, pair{c.number[u.Doc()], int32(b)})
					break // the bursts of one word do not overlap
				}
			}
		}
		if first = last; ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
	}
	return found, c.vectorsOf(found, pairs), nil
}

// noiseBound returns how much a burst of a word must save. If the word has no events, the
// chance that some burst saves more than x is about e^-x: savings are logarithms of ratios of
// likelihoods, and enter pays for the choice of the first period. The bound lets noise have
// about noiseBursts bursts in each period over all words. They do no harm: an event needs
// bursts of several words in the same documents, and its own burst is tested again.
func noiseBound(words int, a *automaton) float64 {
	return max(1, math.Log(float64(max(words, 1))/(noiseBursts*float64(len(a.cover)))))
}

// search finds the bursts of series. Its fields are memory that is used again for each series.
type search struct {
	spans []span
	sums  []float64 // at i: how many documents the first i periods of a series have
}

// best returns the bursts of a series that save more than bound, in order of time. The result is
// valid until the next call.
//
// Neither the quiet rate nor the ratio is known. best runs the automaton with the mean rate as the
// quiet rate, and with the ratios s, s², s³ …. If the series has few of the periods, best does the
// same with a lower quiet rate, because a slow burst of a rare word has gaps: with the mean rate it
// would become several bursts. Then best computes how much each burst really saves. It takes the
// burst that saves most, then the next burst that does not overlap with it, and so on.
func (s *search) best(a *automaton, series []hits, ratio, bound float64) []span {
	n, highest := 0.0, 0.0 // all documents, and the highest rate of a period
	s.sums = append(s.sums[:0], 0)
	for _, h := range series {
		n += h.n
		s.sums = append(s.sums, n)
		highest = max(highest, h.n/a.of(int(h.period)))
	}
	if len(series) == 0 {
		return nil
	}
	a.measure(series)
	mean := n / max(a.total(), 1)
	rest := a.cover[series[len(series)-1].period+1] - a.cover[series[0].period] - n // documents without the word
	s.spans = s.spans[:0]
	rates := []float64{mean, mean * quietPart}
	if float64(len(series)) > rarePart*float64(a.known) {
		rates = rates[:1]
	}
	for _, q := range rates {
		r := ratio
		for r*q <= mean {
			r *= ratio // a burst has a higher rate than the mean
		}
		// A ratio with a rate above the highest is never better than the ratio before.
		for ; r*q < rateMax && r <= ratioMax && r*q < highest*ratio; r *= ratio {
			one, none := steps(q, r)
			// If all periods together are a burst, there is one.
			if n*one+rest*none > a.enter || a.mayBurst(series, one, none) {
				s.spans = a.bursts(series, one, none, s.spans)
			}
		}
	}
	for i := range s.spans {
		p := &s.spans[i]
		p.n = s.sums[p.last+1] - s.sums[p.first]
		if p.saves = a.mostSaved(p.n, n, p.from, p.to); p.saves > bound {
			p.saves = a.saves(p.n, n, p.from, p.to)
		}
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
