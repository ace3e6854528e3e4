package reports

import (
	"context"
	"iter"
	"slices"

	"infomall/exec/dedup"
)

// State has texts and the sets of near-copies that they form. The zero value has none. A text
// takes about 250 bytes of memory and its URL. Only one goroutine may use a State.
type State struct {
	texts   []text
	of      map[uint64]uint32 // the index of each text by its ID
	grouped int               // the first texts, which Update has grouped
	updates uint32            // number of updates so far
	hosts   map[string]string // each host once
}

// text is a Text with what is known of its group.
type text struct {
	Text
	// cluster is the index of a text of the same cluster.
	cluster uint32
	// leader is the index of the leader of the set.
	leader uint32
	// made is the number of the update that made the text the owner of a set, or 0.
	made uint32
}

// Set is one set of near-copies.
type Set struct {
	ID uint64
	// Texts has the indexes of the texts, for State.Text, in their order. The first text
	// represents the set.
	Texts []int
	// Hosts has the hosts of the texts, sorted, each once.
	Hosts []string
	// Merged has the IDs of further sets that have become one with this set, sorted.
	Merged []uint64
}

// Len returns the number of texts.
func (s *State) Len() int { return len(s.texts) }

// Text returns the text with index i, which must be less than Len. It is valid until the next
// call of Add.
func (s *State) Text(i int) *Text { return &s.texts[i].Text }

// Index returns the index of the text with an ID. ok is false if there is none.
func (s *State) Index(id uint64) (i int, ok bool) {
	n, ok := s.of[id]
	return int(n), ok
}

// Add adds a text and reports whether it is new: a text with a known ID is not added again.
// Sets include it after the next call of Update.
func (s *State) Add(t Text) bool { return s.add(text{Text: t}) }

// add does the work of Add. The text begins a cluster and a set of its own.
func (s *State) add(t text) bool {
	if _, known := s.of[t.ID]; known {
		return false
	}
	if s.of == nil {
		s.of, s.hosts = make(map[uint64]uint32), make(map[string]string)
	}
	if host, known := s.hosts[t.Host]; known {
		t.Host = host
	} else {
		s.hosts[t.Host] = t.Host
	}
	n := uint32(len(s.texts))
	t.cluster, t.leader = n, n
	s.of[t.ID] = n
	s.texts = append(s.texts, t)
	return true
}

// Update groups the texts that were added since the last update. It fails only when ctx is
// done, and must then be called again before Sets.
func (s *State) Update(ctx context.Context) error {
	if s.grouped == len(s.texts) {
		return ctx.Err()
	}
	clusters := dedup.NewGroups(len(s.texts))
	for i := range s.texts {
		clusters.Join(uint32(i), s.texts[i].cluster)
	}
	if err := s.join(ctx, clusters); err != nil {
		return err
	}
	// A cluster is made again if it has a new text.
	changed := make(map[uint32][]uint32)
	for i := s.grouped; i < len(s.texts); i++ {
		changed[clusters.Of(uint32(i))] = nil
	}
	for i := range s.texts {
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
		s.texts[i].cluster = clusters.Of(uint32(i))
	}
	s.updates++
	for _, members := range changed {
		s.own(members)
	}
	s.grouped = len(s.texts)
	return nil
}

// lead makes the sets of one cluster. Afterwards its members are in their order.
func (s *State) lead(ctx context.Context, members []uint32) error {
	slices.SortFunc(members, func(a, b uint32) int { return s.texts[a].compare(&s.texts[b].Text) })
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

// own makes the leader of each set of a cluster that has no owner an owner.
func (s *State) own(members []uint32) {
	owned := make(map[uint32]bool)
	for _, m := range members {
		if t := &s.texts[m]; t.made != 0 {
			owned[t.leader] = true
		}
	}
	for _, m := range members {
		if t := &s.texts[m]; t.leader == m && !owned[m] {
			t.made = s.updates
		}
	}
}

// Sets yields the sets as the last update has left them, sorted by their first texts. A Set is
// valid until the next one.
func (s *State) Sets() iter.Seq[*Set] {
	return func(yield func(*Set) bool) {
		order := make([]uint32, s.grouped)
		for i := range order {
			order[i] = uint32(i)
		}
		// Texts of one set come together, and sets by their leaders.
		slices.SortFunc(order, func(a, b uint32) int {
			x, y := &s.texts[a], &s.texts[b]
			if x.leader != y.leader {
				x, y = &s.texts[x.leader], &s.texts[y.leader]
			}
			return x.compare(&y.Text)
		})
		var set Set
		for len(order) > 0 {
			n := 1
			for n < len(order) && s.texts[order[n]].leader == order[0] {
				n++
			}
			s.fill(&set, order[:n])
			order = order[n:]
			if !yield(&set) {
				return
			}
		}
	}
}

// fill sets set to the set of these texts, which are in their order.
func (s *State) fill(set *Set, members []uint32) {
	set.Texts, set.Hosts, set.Merged = set.Texts[:0], set.Hosts[:0], set.Merged[:0]
	var owner *text
	for _, m := range members {
		t := &s.texts[m]
		set.Texts = append(set.Texts, int(m))
		set.Hosts = append(set.Hosts, t.Host)
		if t.made == 0 {
			continue
		}
		set.Merged = append(set.Merged, t.ID)
		if owner == nil || t.made < owner.made {
			owner = t
		}
	}
	set.ID = owner.ID
	set.Merged = slices.DeleteFunc(set.Merged, func(id uint64) bool { return id == owner.ID })
	slices.Sort(set.Merged)
	slices.Sort(set.Hosts)
	set.Hosts = slices.Compact(set.Hosts)
}
