package events

import (
	"cmp"
	"context"
	"fmt"
	"slices"
)

// corpus has the documents of an index in the order of their periods, then of their keys.
// Documents have numbers in this order, and all later steps go in the order of these numbers
// and of those of the words. So the order of the index does not matter.
type corpus struct {
	index *Index
	docs  []doc
	// number has the number of each document by its place in the index, or -1 if it is left
	// out.
	number []int32
	// period has the period of each document by its place in the index, or the number of periods if
	// it is left out. Loops over all uses read it, because it fits into the cache of the processor.
	period []int32
	// coverage is the effective coverage of each period, see cover. It is 0 in gaps.
	coverage []float64
	left     int // how many documents of the index are left out

	uses []Use // memory that usesOf uses again
}

// doc is one document of a corpus.
type doc struct {
	key    uint64
	place  int32 // in the index
	period int32
	source uint32
	dated  bool
}

// canBurst reports whether a word that n documents have can burst. A rare word cannot: fewer than
// wordDocsMin documents have it. A frequent word cannot either: more than the share shareMax of all
// documents have it, and more than shareDocsMin documents.
func (c *corpus) canBurst(n float64) bool {
	return n >= wordDocsMin && n <= max(float64(len(c.docs))*shareMax, shareDocsMin)
}

// usesOf returns the uses of a word. They are valid until the next call.
func (c *corpus) usesOf(word int) []Use {
	c.uses = c.index.Uses(c.uses[:0], word)
	return c.uses
}

const (
	// wordsBetween is after how many words a loop checks its context again.
	wordsBetween = 256
	// findersMost is how many goroutines look for bursts at once at most. Each has tables of 1 MB.
	findersMost = 8
)

// newCorpus returns the corpus of an index.
func newCorpus(ctx context.Context, in *Index, o *Options) (*corpus, error) {
	c := &corpus{index: in, number: make([]int32, len(in.Documents)), period: make([]int32, len(in.Documents))}
	n := 0
	for i := range in.Documents {
		d := &in.Documents[i]
		switch {
		case int(d.Period) >= o.Periods:
			return nil, fmt.Errorf("document %d is of period %d: want 0 to %d", i, d.Period, o.Periods-1)
		case d.Period < 0:
			c.period[i] = int32(o.Periods)
		default:
			c.period[i] = d.Period
			n++
		}
	}
	c.left = len(in.Documents) - n
	c.sort(n, o.Periods)
	for i := range c.number {
		c.number[i] = -1
	}
	for i := range c.docs {
		c.number[c.docs[i].place] = int32(i)
	}
	c.cover(o)
	return c, ctx.Err()
}

// sort makes the list of the n documents that have a period, in their order. Keys are evenly
// distributed, so it puts the documents into buckets by the upper bits of their keys, and then by
// their periods. Little is left to sort in a period.
func (c *corpus) sort(n, periods int) {
	const upper = 48
	documents := c.index.Documents
	order := make([]int32, n) // places of the documents, by the upper bits of their keys
	next := make([]int, 1<<(64-upper)+1)
	for i := range documents {
		if documents[i].Period >= 0 {
			next[documents[i].Key>>upper+1]++
		}
	}
	addUp(next)
	for i := range documents {
		if d := &documents[i]; d.Period >= 0 {
			order[next[d.Key>>upper]] = int32(i)
			next[d.Key>>upper]++
		}
	}
	next = make([]int, periods+1)
	for _, i := range order {
		next[documents[i].Period+1]++
	}
	addUp(next)
	starts := slices.Clone(next)
	c.docs = make([]doc, n)
	for _, i := range order {
		d := &documents[i]
		c.docs[next[d.Period]] = doc{key: d.Key, place: i, period: d.Period, source: d.Source, dated: d.Dated}
		next[d.Period]++
	}
	for p := range periods {
		slices.SortFunc(c.docs[starts[p]:starts[p+1]], func(a, b doc) int {
			return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.place, b.place))
		})
	}
}

// addUp adds to each number the sum of the numbers before it.
func addUp(numbers []int) {
	for i := 1; i < len(numbers); i++ {
		numbers[i] += numbers[i-1]
	}
}

// cover computes c.coverage, the effective coverage of each period: documents are expected in
// proportion to it. Without a cycle that is the coverage of the period. With a cycle, such as
// the seven days of a week, it is the coverage times a factor of the period's phase, such as
// Monday. The factor is the median, over all Mondays, of the documents divided by the coverage:
// a single event does not move a median.
func (c *corpus) cover(o *Options) {
	documents := make([]float64, o.Periods)
	for i := range c.docs {
		documents[c.docs[i].period]++
	}
	c.coverage = documents
	if o.Coverage == nil {
		return
	}
	c.coverage = make([]float64, o.Periods)
	copy(c.coverage, o.Coverage)
	all, covered := 0.0, 0.0
	for t := range documents {
		all += documents[t]
		covered += max(c.coverage[t], 0)
	}
	if covered > 0 && covered < all {
		// The unit of coverage is not documents. A rate is a probability, so no word may
		// have more documents than there is coverage.
		for t := range c.coverage {
			c.coverage[t] *= all / covered
		}
	}
	if o.Cycle < 2 || o.Periods < 2*o.Cycle {
		return
	}
	factors := make([]float64, o.Cycle)
	sum := 0.0
	for phase := range factors {
		var rates []float64
		for t := phase; t < o.Periods; t += o.Cycle {
			if c.coverage[t] > 0 {
				rates = append(rates, documents[t]/c.coverage[t])
			}
		}
		factors[phase] = median(rates)
		sum += factors[phase]
	}
	for t, v := range c.coverage {
		if f := factors[t%o.Cycle] * float64(o.Cycle) / sum; sum > 0 && f > 0 {
			c.coverage[t] = v * f
		}
	}
}

// median returns the median of values, which it sorts, or 0 if there are none.
func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	return (values[(len(values)-1)/2] + values[len(values)/2]) / 2
}
