package events

import (
	"cmp"
	"context"
	"slices"
)

// settle makes a story of each of sets, which has indexes in bursts, and returns the stories
// that are events. It joins two stories that share half of the documents of the smaller one.
// In the result, each document is in one story at most.
func (c *corpus) settle(ctx context.Context, sets [][]int32, bursts []burst, a *automaton, o *Options) ([]*story, error) {
	fresh := make([]*story, len(sets))
	for i, set := range sets {
		fresh[i] = newStory(set, bursts)
	}
	var stories []*story
	for len(fresh) > 0 {
		if err := c.matchStories(ctx, fresh); err != nil {
			return nil, err
		}
		for _, s := range fresh {
			if c.outbreak(s, a, o) || c.widened(s, a, o) {
				stories = append(stories, s)
			} else if s.larger != nil {
				stories = append(stories, s.larger)
			}
		}
		stories, fresh = c.join(stories, bursts)
	}
	for _, s := range stories {
		// Which stories are the same was decided by the documents that clearly belong to them. Now
		// documents that probably belong to a story may join it, too, if it stays an event.
		c.widened(s, a, o)
	}
	c.share(stories)
	return slices.DeleteFunc(stories, func(s *story) bool { return len(s.docs) < eventDocsMin }), nil
}

// widened lets documents that are probably of a story join it, and reports whether the story is
// then an event. If it reports false, it leaves the story as it was.
func (c *corpus) widened(s *story, a *automaton, o *Options) bool {
	before := *s
	s.least, s.docs = s.likely, nil
	if c.outbreak(s, a, o) {
		return true
	}
	*s = before
	return false
}

// join finds pairs of stories that are the same. It returns as fresh one new story for each pair,
// and as rest the stories that are in no pair. The pairs with the most documents in common come
// first, and a story is in one pair at most. So rest and fresh have fewer stories than the list.
func (c *corpus) join(stories []*story, bursts []burst) (rest, fresh []*story) {
	slices.SortFunc(stories, func(s, t *story) int { return slices.Compare(s.bursts, t.bursts) })
	of := map[int32][]int32{} // stories by document
	type pair struct{ s, t int32 }
	shared := map[pair]int{}
	for i, s := range stories {
		for _, m := range s.docs {
			for _, j := range of[m.doc] {
				shared[pair{j, int32(i)}]++
			}
			of[m.doc] = append(of[m.doc], int32(i))
		}
	}
	var pairs []pair
	for p, n := range shared {
		if float64(n) >= sameStory*float64(min(len(stories[p.s].docs), len(stories[p.t].docs))) {
			pairs = append(pairs, p)
		}
	}
	slices.SortFunc(pairs, func(p, q pair) int {
		return cmp.Or(cmp.Compare(shared[q], shared[p]), cmp.Compare(p.s, q.s), cmp.Compare(p.t, q.t))
	})
	gone := make([]bool, len(stories))
	for _, p := range pairs {
		if !gone[p.s] && !gone[p.t] {
			gone[p.s], gone[p.t] = true, true
			set := slices.Concat(stories[p.s].bursts, stories[p.t].bursts)
			slices.Sort(set)
			both := newStory(slices.Compact(set), bursts)
			both.larger = stories[p.s]
			if len(stories[p.t].docs) > len(both.larger.docs) {
				both.larger = stories[p.t]
			}
			fresh = append(fresh, both)
		}
	}
	for i, s := range stories {
		if !gone[i] {
			rest = append(rest, s)
		}
	}
	return rest, fresh
}

// share leaves a document that is in several stories only in the one that it matches best: there,
// the ratio of its score to the least score of the story is largest.
func (c *corpus) share(stories []*story) {
	type claim struct {
		story int
		part  float64
	}
	best := map[int32]claim{}
	for i, s := range stories {
		for _, m := range s.docs {
			if part := float64(m.score) / s.least; part > best[m.doc].part {
				best[m.doc] = claim{i, part}
			}
		}
	}
	for i, s := range stories {
		s.docs = slices.DeleteFunc(s.docs, func(m match) bool { return best[m.doc].story != i })
	}
}
