package events

import (
	"context"
	"math"
	"slices"
)

// story is a candidate for an event: words, and the documents that have enough of them.
type story struct {
	bursts []int32
	words  []uint32  // in the corpus, ascending
	x      []float64 // the weight of each word in a vector
	// from and to are the first and last period of its bursts.
	from, to int32
	least    float64 // the least score of the documents of the story
	likely   float64 // a document with at least this score is probably of the story; at most least
	matches  []match // with a score of likely at least, in the order of the documents
	main     span    // the periods of the event
	docs     []match // the matches in these periods
	larger   *story  // if join made the story of two others: the one of them with more documents; else nil
}

// match is a document that matches a story. Its score is the sum of the weights of the words
// of the story that it has.
type match struct {
	doc   int32
	score float32
}

// newStory returns a story of some bursts.
func newStory(set []int32, bursts []burst) *story {
	s := &story{bursts: set, from: math.MaxInt32}
	for _, i := range set {
		b := &bursts[i]
		s.from, s.to = min(s.from, b.from), max(s.to, b.to)
		if n := len(s.words); n > 0 && s.words[n-1] == b.word {
			s.x[n-1] = max(s.x[n-1], b.x)
			continue
		}
		s.words = append(s.words, b.word)
		s.x = append(s.x, b.x)
	}
	return s
}

// matchStories finds the documents of each story among all documents of the corpus, at any
// time. A document matches if it has eventWordsMin words of the story and at least the part
// usualPart of the usual score. The usual score is the mean score of the documents in the story's
// periods, weighted by the scores, so that many documents with few words do not lower it.
// Documents with a lower score are kept, too, if the odds are for the story: a score is the
// logarithm of a ratio of likelihoods, as in naive Bayes.
func (c *corpus) matchStories(ctx context.Context, stories []*story) error {
	scores := make([]float32, len(c.docs))
	words := make([]uint16, len(c.docs))
	var touched []int32
	for _, s := range stories {
		if err := ctx.Err(); err != nil {
			return err
		}
		touched = touched[:0]
		for j, w := range s.words {
			x := float32(s.x[j])
			for _, u := range c.usesOf(int(w)) {
				d := c.number[u.Doc()]
				if d < 0 {
					continue
				}
				scores[d] += x
				if words[d]++; words[d] == eventWordsMin {
					touched = append(touched, d)
				}
			}
		}
		slices.Sort(touched)
		for _, d := range touched {
			s.matches = append(s.matches, match{doc: d, score: scores[d]})
		}
		for _, w := range s.words {
			for _, u := range c.usesOf(int(w)) {
				if d := c.number[u.Doc()]; d >= 0 {
					scores[d], words[d] = 0, 0
				}
			}
		}
	}
	for _, s := range stories {
		sum, squares := 0.0, 0.0
		for _, m := range s.matches {
			if p := c.docs[m.doc].period; p >= s.from && p <= s.to {
				sum += float64(m.score)
				squares += float64(m.score) * float64(m.score)
			}
		}
		if sum == 0 {
			s.matches = nil
			continue
		}
		s.least = usualPart * squares / sum
		usual := 0.0
		for _, m := range s.matches {
			if p := c.docs[m.doc].period; p >= s.from && p <= s.to && float64(m.score) >= s.least {
				usual++
			}
		}
		s.likely = min(s.least, math.Log(float64(len(c.docs))/usual)+oddsMin)
		s.matches = slices.DeleteFunc(s.matches, func(m match) bool { return float64(m.score) < s.likely })
	}
	return nil
}

// seriesOfStory returns how many matches a story has in each period, without gaps. If dated is set,
// it counts only documents that say when they were published.
func (c *corpus) seriesOfStory(s *story, dated bool) []hits {
	var series []hits
	for _, m := range s.matches {
		d := &c.docs[m.doc]
		if float64(m.score) < s.least || c.coverage[d.period] <= 0 || dated && !d.dated {
			continue
		}
		if n := len(series); n == 0 || series[n-1].period != d.period {
			series = append(series, hits{period: d.period})
		}
		series[len(series)-1].n++
	}
	return series
}
