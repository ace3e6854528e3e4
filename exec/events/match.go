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
	least    float64 // the score that its documents have at least
	matches  []match // in the order of the documents
	main     span    // the periods of the event
	docs     []match // the matches in these periods
	larger   *story  // the larger part of a story that two others have become, or nil
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
// usualPart of the usual score. The usual score is the mean over the documents of the story's
// periods, with the scores as weights: so many documents with few words do not lower it.
func (c *corpus) matchStories(ctx context.Context, stories []*story) error {
	// The stories that have word w are of[first[w]:first[w+1]].
	type use struct {
		story int32
		x     float32
	}
	first := make([]uint32, len(c.vocabulary)+1)
	for _, s := range stories {
		for _, w := range s.words {
			first[w+1]++
		}
	}
	for w := range c.vocabulary {
		first[w+1] += first[w]
	}
	uses := make([]use, first[len(first)-1])
	next := slices.Clone(first[:len(first)-1])
	for i, s := range stories {
		for j, w := range s.words {
			uses[next[w]] = use{story: int32(i), x: float32(s.x[j])}
			next[w]++
		}
	}
	scores := make([]float32, len(stories))
	words := make([]int32, len(stories))
	var touched []int32
	for d := range c.docs {
		if d%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		touched = touched[:0]
		for _, w := range c.of(d) {
			for _, u := range uses[first[w]:first[w+1]] {
				if words[u.story] == 0 {
					touched = append(touched, u.story)
				}
				words[u.story]++
				scores[u.story] += u.x
			}
		}
		for _, i := range touched {
			if words[i] >= eventWordsMin {
				stories[i].matches = append(stories[i].matches, match{doc: int32(d), score: scores[i]})
			}
			words[i], scores[i] = 0, 0
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
		s.least = min(s.least, math.Log(float64(len(c.docs))/usual)+oddsMin)
		s.matches = slices.DeleteFunc(s.matches, func(m match) bool { return float64(m.score) < s.least })
	}
	return nil
}

// seriesOfStory counts the matches of a story by period, without gaps. It takes only documents
// that say when they were published if dated is set.
func (c *corpus) seriesOfStory(s *story, dated bool) []hits {
	var series []hits
	for _, m := range s.matches {
		d := &c.docs[m.doc]
		if c.coverage[d.period] <= 0 || dated && !d.dated {
			continue
		}
		if n := len(series); n == 0 || series[n-1].period != d.period {
			series = append(series, hits{period: d.period})
		}
		series[len(series)-1].n++
	}
	return series
}
