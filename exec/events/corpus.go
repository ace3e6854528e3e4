package events

import (
	"cmp"
	"context"
	"fmt"
	"slices"
)

// corpus holds the documents of a stream in memory, with only the words that can burst.
//
// Documents have numbers in the order of their periods, then of their keys, and words have
// numbers in the order in which they first come in these documents. All later steps go in
// the order of these numbers. So neither the order of the stream matters, nor which numbers
// the words have in it.
type corpus struct {
	docs []doc
	// words has the distinct words of the documents, by corpus number. Those of document d
	// are words[docs[d].from:docs[d].to], in the order of the text.
	words []uint32
	// titles has the distinct words of the titles in the same way.
	titles []uint32
	// vocabulary has the stream's number of each word.
	vocabulary []uint32
	// before has, by word, how many documents have it before the window.
	before []uint32
	// all is how many documents there are, in the window and before.
	all int
	// different is how many different words can burst, in the window and before.
	different int
	// coverage is the effective coverage by period: with the cycle, and 0 in gaps.
	coverage []float64
}

// doc is one document of a corpus.
type doc struct {
	key    uint64
	place  int32 // in the stream, from 0
	period int32
	source uint32
	dated  bool
	// Its words are words[from:to] of the corpus, and its title titles[titleFrom:titleTo].
	from, to           uint64
	titleFrom, titleTo uint32
}

// of returns the words of a document.
func (c *corpus) of(d int) []uint32 { return c.words[c.docs[d].from:c.docs[d].to] }

// titleOf returns the words of the title of a document.
func (c *corpus) titleOf(d int) []uint32 { return c.titles[c.docs[d].titleFrom:c.docs[d].titleTo] }

// wordBytes is how many bytes of memory one word of a document takes in a corpus, with its
// part of the series of the words.
const wordBytes = 8

// read reads the stream twice: to count words, then to keep the words that can burst. Words that
// fewer than wordDocsMin documents have are left out, and so are words that more than the
// share shareMax of all documents have, if they are more than shareDocsMin. If the words would
// not fit into o.Bytes, the most frequent are left out, too.
func read(ctx context.Context, stream Stream, o *Options) (*corpus, error) {
	c := &corpus{}
	all := newNumbers()
	var counts []count
	n := 0
	for d, err := range stream() {
		if err != nil {
			return nil, err
		}
		if n%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if d.Period < o.From || d.Period >= o.Periods {
			return nil, fmt.Errorf("document %d of the stream is of period %d: want %d to %d", n, d.Period, o.From, o.Periods-1)
		}
		n++
		for _, w := range d.Words {
			i := all.number(w)
			if int(i) == len(counts) {
				counts = append(counts, count{word: w})
			}
			if e := &counts[i]; e.last != uint32(n) {
				e.last = uint32(n)
				e.docs++
			}
		}
		c.docs = append(c.docs, doc{key: d.Key, place: int32(n - 1), period: int32(d.Period), source: d.Source, dated: d.Dated})
	}
	// number has the corpus number of a word by its number in all, plus 1; 0 if it is left out.
	number := c.choose(counts, n, o)
	last := make([]uint32, len(c.vocabulary))
	again := 0
	for d, err := range stream() {
		if err != nil {
			return nil, err
		}
		if again%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if again >= n || c.docs[again].key != d.Key {
			return nil, fmt.Errorf("document %d of the stream is another one when the stream is read again", again)
		}
		own := &c.docs[again]
		again++
		own.from, own.titleFrom = uint64(len(c.words)), uint32(len(c.titles))
		for i, w := range d.Words {
			at, ok := all.find(w)
			if !ok || number[at] == 0 {
				continue
			}
			w := number[at] - 1
			if last[w] == uint32(again) {
				continue
			}
			last[w] = uint32(again)
			c.words = append(c.words, w)
			if i < d.Title {
				c.titles = append(c.titles, w)
			}
		}
		own.to, own.titleTo = uint64(len(c.words)), uint32(len(c.titles))
	}
	if again != n {
		return nil, fmt.Errorf("the stream differs when it is read again: documents: %d, then %d", n, again)
	}
	slices.SortFunc(c.docs, func(a, b doc) int {
		return cmp.Or(cmp.Compare(a.period, b.period), cmp.Compare(a.key, b.key), cmp.Compare(a.place, b.place))
	})
	c.all = n + o.Before.documents()
	c.renumber()
	c.before = make([]uint32, len(c.vocabulary))
	for i, w := range c.vocabulary {
		c.before[i] = o.Before.of(w)
	}
	c.cover(o)
	return c, nil
}

// renumber gives the words numbers in the order in which they first come in the documents.
func (c *corpus) renumber() {
	number := make([]uint32, len(c.vocabulary)) // plus 1
	vocabulary := make([]uint32, 0, len(c.vocabulary))
	for d := range c.docs {
		for _, w := range c.of(d) {
			if number[w] == 0 {
				vocabulary = append(vocabulary, c.vocabulary[w])
				number[w] = uint32(len(vocabulary))
			}
		}
	}
	for i, w := range c.words {
		c.words[i] = number[w] - 1
	}
	for i, w := range c.titles {
		c.titles[i] = number[w] - 1
	}
	c.vocabulary = vocabulary
}

// count counts the documents that have a word.
type count struct {
	word uint32
	docs uint32
	last uint32 // the number of the last document that has it, from 1
}

// choose makes the vocabulary of the corpus: the words of counts that can burst. It returns,
// for each element of counts, the corpus number of the word plus 1, or 0 if it is left out.
func (c *corpus) choose(counts []count, docs int, o *Options) []uint32 {
	most := max(uint32(float64(docs+o.Before.documents())*shareMax), shareDocsMin)
	canBurst := func(n uint32) bool { return n >= wordDocsMin && n <= most }
	total := int64(0)
	var chosen []int32
	if o.Before != nil {
		for _, n := range o.Before.Words {
			if canBurst(n) {
				c.different++
			}
		}
	}
	for i := range counts {
		e := &counts[i]
		before := o.Before.of(e.word)
		all := before + e.docs
		if canBurst(before) {
			c.different--
		}
		if canBurst(all) {
			c.different++
			if e.docs >= wordDocsMin {
				chosen = append(chosen, int32(i))
				total += int64(e.docs)
			}
		}
	}
	if total*wordBytes > o.Bytes {
		slices.SortFunc(chosen, func(a, b int32) int { return cmp.Compare(counts[b].docs, counts[a].docs) })
		// Words that are equally frequent go together, whatever their order is.
		for last := uint32(0); len(chosen) > 0 && (total*wordBytes > o.Bytes || counts[chosen[0]].docs == last); chosen = chosen[1:] {
			last = counts[chosen[0]].docs
			total -= int64(last)
		}
	}
	number := make([]uint32, len(counts))
	c.vocabulary = make([]uint32, len(chosen))
	for n, i := range chosen {
		c.vocabulary[n] = counts[i].word
		number[i] = uint32(n) + 1
	}
	c.words = make([]uint32, 0, total)
	return number
}

// cover computes the effective coverage. The factors of a cycle are the medians, over all
// times of the same phase, of the documents by the coverage of their period. A median is not
// moved by an event.
func (c *corpus) cover(o *Options) {
	documents := make([]float64, o.Periods)
	for i := range c.docs {
		documents[c.docs[i].period]++
	}
	if o.Before != nil {
		for t, n := range o.Before.Documents {
			if t < o.Periods {
				documents[t] += float64(n)
			}
		}
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
