package reports

import (
	"context"
	"errors"
	"iter"
	"slices"

	"infomall/exec/dedup"
)

// State has texts and the sets of near-copies that they form. The zero value has none. A text
// takes about 160 bytes of memory. Only one goroutine may use a State.
type State struct {
	texts    []text
	fresh    int  // number of texts to group in the next Update
	removed  bool // there are texts that the next Update takes out
	restored bool // there are texts whose places were not checked yet
}

// text is a Text with what is known of its group.
type text struct {
	Text
	// cluster is the index of a text that stands for the cluster: the same for all its texts.
	cluster uint32
	// leader is the index of the leader of the set.
	leader uint32
	// fresh reports that the text is to be grouped, and gone that it is in no set.
	fresh, gone bool
}

// Set is one set of near-copies.
type Set struct {
	// ID is the ID of the leader.
	ID uint64
	// Texts has the indexes of the texts, for State.Text, in their order. The first text is the
	// leader.
	Texts []int
}

// errPlaces is returned by Update if the places of restored texts contradict each other.
var errPlaces = errors.New("the stored sets of near-copies are damaged")

// Len returns the number of texts, with those that were removed.
func (s *State) Len() int { return len(s.texts) }

// Text returns the text with index i, which must be less than Len. It is valid until the next
// call of Add.
func (s *State) Text(i int) *Text { return &s.texts[i].Text }

// Add adds a text, whose ID no other text has, with the index Len. Sets include it after the next
// call of Update.
func (s *State) Add(t Text) {
	n := uint32(len(s.texts))
	s.texts = append(s.texts, text{Text: t, cluster: n, leader: n, fresh: true})
	s.fresh++
}

// Grow makes room for n more texts.
func (s *State) Grow(n int) { s.texts = slices.Grow(s.texts, n) }

// Remove takes the text with index i out of its set, in the next call of Update.
func (s *State) Remove(i int) {
	t := &s.texts[i]
	if t.gone {
		return
	}
	t.gone, s.removed = true, true
	if t.fresh {
		t.fresh = false
		s.fresh--
	}
}

// Place is where a text is, in the form in which a caller stores it. Alone means that the text is
// a cluster of its own, and Gone that it was removed.
type Place struct {
	Cluster, Leader uint32
	Alone, Gone     bool
}

// Place returns the place of the text with index i. Call it after Update.
func (s *State) Place(i int) Place {
	t := &s.texts[i]
	return Place{Cluster: t.cluster, Leader: t.leader, Alone: !t.gone && t.cluster == uint32(i) && t.leader == uint32(i), Gone: t.gone}
}

// Restore adds a text at the place that it had in another State, where all texts before it were
// restored, too. The next Update does not group it again, unless other texts demand it.
func (s *State) Restore(t Text, p Place) {
	if p.Alone || p.Gone {
		p.Cluster, p.Leader = uint32(len(s.texts)), uint32(len(s.texts))
	}
	s.texts = append(s.texts, text{Text: t, cluster: p.Cluster, leader: p.Leader, gone: p.Gone})
	s.restored = true
}

// Update groups the texts that were added since the last update, and again the texts of clusters
// from which a text was removed. The sets are then the same as if all texts had been added to a
// new State. The error is errPlaces, or that of ctx; after that of ctx Update must be called again
// before Sets.
func (s *State) Update(ctx context.Context) error {
	if err := s.check(); err != nil {
		return err
	}
	s.part()
	if s.fresh == 0 {
		return ctx.Err()
	}
	clusters := dedup.NewGroups(len(s.texts))
	for i := range s.texts {
		if of := s.texts[i].cluster; of != uint32(i) && !s.texts[i].gone {
			clusters.Join(uint32(i), of)
		}
	}
	if err := s.join(ctx, clusters); err != nil {
		return err
	}
	// A cluster is made again if it has a new text.
	changed := make(map[uint32][]uint32)
	for i := range s.texts {
		if s.texts[i].fresh {
			changed[clusters.Of(uint32(i))] = nil
		}
	}
	for i := range s.texts {
		if s.texts[i].gone {
			continue
		}
		of := clusters.Of(uint32(i))
		if members, ok := changed[of]; ok {
			changed[of] = append(members, uint32(i))
		}
	}
	for _, members := range changed {
		if err := s.lead(ctx, members); err != nil {
			return err
		}
	}
	for i := range s.texts {
		t := &s.texts[i]
		t.fresh = false
		if !t.gone {
			t.cluster = clusters.Of(uint32(i))
		}
	}
	s.fresh = 0
	return nil
}

// check returns errPlaces if the places of restored texts contradict each other.
func (s *State) check() error {
	if !s.restored {
		return nil
	}
	n := uint32(len(s.texts))
	for i := range s.texts {
		t := &s.texts[i]
		if t.gone {
			continue
		}
		if t.cluster >= n || t.leader >= n || s.texts[t.leader].leader != t.leader || s.texts[t.leader].cluster != t.cluster || s.texts[t.leader].gone && !s.removed {
			return errPlaces
		}
	}
	s.restored = false
	return nil
}

// part makes each text of a cluster from which a text was removed fresh, and a cluster of its own.
func (s *State) part() {
	if !s.removed {
		return
	}
	broken := make(map[uint32]bool)
	for i := range s.texts {
		if t := &s.texts[i]; t.gone {
			broken[t.cluster] = true
			t.cluster, t.leader = uint32(i), uint32(i)
		}
	}
	for i := range s.texts {
		t := &s.texts[i]
		if t.gone || !broken[t.cluster] {
			continue
		}
		t.cluster, t.leader = uint32(i), uint32(i)
		if !t.fresh {
			t.fresh = true
			s.fresh++
		}
	}
	s.removed = false
}

// lead divides one cluster, whose texts are members, into sets. It sorts members into their order.
func (s *State) lead(ctx context.Context, members []uint32) error {
	slices.SortFunc(members, func(a, b uint32) int { return s.texts[a].Compare(&s.texts[b].Text) })
	var leaders []uint32
	for n, m := range members {
		if n%ctxEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		t := &s.texts[m]
		t.leader = m
		for _, l := range leaders {
			if s.texts[l].Print.Near(&t.Print) {
				t.leader = l
				break
			}
		}
		if t.leader == m {
			leaders = append(leaders, m)
		}
	}
	return nil
}

// ctxEvery is after how many texts a loop checks its context again.
const ctxEvery = 1024

// Sets yields the sets as the last update has left them, in the order of the indexes of their
// leaders. A Set is valid until the next one.
func (s *State) Sets() iter.Seq[*Set] {
	return func(yield func(*Set) bool) {
		copies := make(map[uint32][]int) // the other texts of a set, by leader
		for i := range s.texts {
			if t := &s.texts[i]; !t.gone && t.leader != uint32(i) {
				copies[t.leader] = append(copies[t.leader], i)
			}
		}
		var set Set
		for i := range s.texts {
			t := &s.texts[i]
			if t.gone || t.leader != uint32(i) {
				continue
			}
			set.ID, set.Texts = t.ID, append(set.Texts[:0], i)
			if more := copies[t.leader]; more != nil {
				slices.SortFunc(more, func(a, b int) int { return s.texts[a].Compare(&s.texts[b].Text) })
				set.Texts = append(set.Texts, more...)
			}
			if !yield(&set) {
				return
			}
		}
	}
}
