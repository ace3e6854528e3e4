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
// numbers in the order of the stream's word numbers. All later steps go in the order of
// these numbers, so that the order of the stream does not matter.
type corpus struct {
	docs []doc
	// words has the distinct words of the documents, by corpus number. Those of document d
	// are words[docs[d].from:docs[d].to], ascending.
	words []uint32
	// vocabulary has the stream's number of each word.
	vocabulary []uint32
	// coverage is the effective coverage by period: with the cycle, and 0 in gaps.
	coverage []float64
}

// doc is one document of a corpus.
type doc struct {
	key      uint64
	place    int32 // in the stream, from 0
	period   int32
	source   uint32
	dated    bool
	title    uint32 // how many of its words, in the order of the text, are those of the title
	from, to uint64
}

// of returns the words of a document.
func (c *corpus) of(d int) []uint32 { return c.words[c.docs[d].from:c.docs[d].to] }

// wordBytes is how many bytes of memory one word of a document takes in a corpus, with its
// part of the series of the words.
const wordBytes = 8

// read reads the stream twice: to count words, then to keep those that can burst. Words that
// fewer than least documents have are left out, and so are words that more than the share
// most of all documents have. If the words would not fit into bytes, the most frequent are
// left out, too.
func read(ctx context.Context, stream Stream, o *Options) (*corpus, error) {
	c := &corpus{}
	counts := map[uint32]*count{}
	n := 0
	for d, err := range stream() {
		if err != nil {
			return nil, err
		}
		if n%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if d.Period < 0 || d.Period >= o.Periods {
			return nil, fmt.Errorf("document %d of the stream is of period %d: want 0 to %d", n, d.Period, o.Periods-1)
		}
		n++
		for _, w := range d.Words {
			e := counts[w]
			if e == nil {
				e = &count{}
				counts[w] = e
			}
			if e.last != uint32(n) {
				e.last = uint32(n)
				e.docs++
			}
		}
		c.docs = append(c.docs, doc{key: d.Key, place: int32(n - 1), period: int32(d.Period), source: d.Source, dated: d.Dated})
	}
	c.choose(counts, n, o)
	clear(counts)

	number := make(map[uint32]uint32, len(c.vocabulary))
	for i, w := range c.vocabulary {
		number[w] = uint32(i)
	}
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
		own.from = uint64(len(c.words))
		for _, w := range d.Words {
			if i, ok := number[w]; ok {
				c.words = append(c.words, i)
			}
		}
		slices.Sort(c.words[own.from:])
		c.words = c.words[:int(own.from)+len(slices.Compact(c.words[own.from:]))]
		own.to = uint64(len(c.words))
		again++
	}
	if again != n {
		return nil, fmt.Errorf("the stream has %d documents when it is read again, and had %d", again, n)
	}
	slices.SortFunc(c.docs, func(a, b doc) int {
		return cmp.Or(cmp.Compare(a.period, b.period), cmp.Compare(a.key, b.key), cmp.Compare(a.place, b.place))
	})
	c.cover(o)
	return c, nil
}

// count counts the documents that have a word.
type count struct {
	docs uint32
	last uint32 // the number of the last document that has it, from 1
}

// choose makes the vocabulary of the corpus: the words of counts that can burst.
func (c *corpus) choose(counts map[uint32]*count, docs int, o *Options) {
	most := uint32(float64(docs) * shareMax)
	// sums has, by number of documents, how many words there are with that number.
	total := int64(0)
	var frequent []uint32
	for w, e := range counts {
		if e.docs >= wordDocsMin && e.docs <= max(most, wordDocsMin) {
			frequent = append(frequent, w)
			total += int64(e.docs)
		}
	}
	// The most frequent words first. They are the first to go.
	slices.SortFunc(frequent, func(a, b uint32) int {
		return cmp.Or(cmp.Compare(counts[b].docs, counts[a].docs), cmp.Compare(a, b))
	})
	for len(frequent) > 0 && total*wordBytes > o.Bytes {
		total -= int64(counts[frequent[0]].docs)
		frequent = frequent[1:]
	}
	slices.Sort(frequent)
	c.vocabulary = frequent
	c.words = make([]uint32, 0, total+1024)
}

// cover computes the effective coverage. The factors of a cycle are the medians, over all
// times of the same phase, of the words that documents have by the coverage of their period.
// A median is not moved by an event.
func (c *corpus) cover(o *Options) {
	c.coverage = make([]float64, o.Periods)
	words := make([]float64, o.Periods)
	for i := range c.docs {
		d := &c.docs[i]
		words[d.period] += float64(d.to - d.from)
		if o.Coverage == nil {
			c.coverage[d.period]++
		}
	}
	if o.Coverage != nil {
		copy(c.coverage, o.Coverage)
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
				rates = append(rates, words[t]/c.coverage[t])
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
