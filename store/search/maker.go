package search

import (
	"infomall/store/block/facts"
	"infomall/store/segment"
	"infomall/store/words/match"
)

// memoryDefault is what Question.Memory means by 0. A quarter of the memory is for
// bodies, a quarter for ranks, and half for leaves.
const memoryDefault = 256 << 20

// About how many bytes of memory things take.
const (
	leafBytes  = 8   // a leaf of which nothing but the number of terms is remembered
	partBytes  = 120 // more, if the question finds something in it
	linkBytes  = 96  // more, if it is asked for the words in its links
	bodyBytes  = 48
	saidBytes  = 24
	knownBytes = 96 // of a page without a rank, of which others than before are known
	atomBytes  = 8  // for each atom of a page with a rank
)

// answersMax is how many captures get an answer, 4 bytes each; the others get Maybe.
const answersMax = 16 << 20

// LeafRef names a stored leaf.
type LeafRef struct {
	segment.RunRef
	N uint32 // number of the block in the run
}

// Reading says how a page and its leaves are read.
type Reading struct {
	Charset string
	Plain   bool
}

// Entry is one capture of a run, for Maker.Add.
type Entry struct {
	segment.BodyAt
	// As is a number that is equal for captures that were read in the same way. 0 means
	// that the page has to be read whole.
	As uint64
}

// Maker makes the answers of one question. Add is called for one run after the other, in
// an order in which the body that an entry holds comes before that entry. Only one
// goroutine may use a Maker.
type Maker struct {
	q      Question
	stored Stored
	words  *Words
	known  map[said]uint32 // the indexes in words.said of pages without a rank
	leaves map[leafRun][]*match.Part
	linked map[readLeaf][]int32 // how often links of a leaf have each atom; nil if none does
	held   int64                // bytes that leaves take
	asked  int                  // captures with an answer
	bodies map[segment.ID]bodyAnswer
	page   Page
	counts []int
}

// Stored reads leaves. An error of its methods ends the answers for a run.
type Stored interface {
	// Text returns the text of a leaf.
	Text(LeafRef, Reading) (string, error)
	// Anchors returns the texts of links in a leaf that lead to other addresses.
	Anchors(LeafRef, Reading) ([]string, error)
}

// readLeaf is a leaf in one reading.
type readLeaf struct {
	LeafRef
	Reading
}

// leafRun is the leaves of one run in one reading.
type leafRun struct {
	segment.RunRef
	Reading
}

// bodyAnswer is the answer for a body, as it was read.
type bodyAnswer struct {
	as     uint64
	answer uint32
}

// NewMaker returns a Maker for a question, or nil if the question cannot be answered in
// parts.
func NewMaker(q Question, stored Stored) *Maker {
	if !q.Query.InParts() {
		return nil
	}
	if q.Memory == 0 {
		q.Memory = memoryDefault
	}
	return &Maker{
		q: q, stored: stored, known: make(map[said]uint32),
		words:  &Words{answers: make(map[segment.RunRef][]uint32), said: []said{maybe: {answer: match.Maybe}}, atoms: len(q.Query.Atoms())},
		leaves: make(map[leafRun][]*match.Part), linked: make(map[readLeaf][]int32), bodies: make(map[segment.ID]bodyAnswer),
	}
}

// Words returns the answers. The Maker must not be used after that.
func (m *Maker) Words() *Words { return m.words }

// Full reports whether the Maker gives no further answers, because it would take too
// much memory.
func (m *Maker) Full() bool { return m.asked >= answersMax }

// Add answers for the entries of a run. own returns the leaves of the body of entry i,
// which the run stores, and the outline of its facts; ok is false if the page has to be
// read whole. title returns the title of entry i. An error of Stored ends Add; the entries
// of the run then get the answer Maybe.
func (m *Maker) Add(run segment.RunRef, entries []Entry, own func(i int) (leaves []LeafRef, o *facts.Outline, ok bool), title func(i int) string) error {
	list := make([]uint32, len(entries))
	for i := range entries {
		e := &entries[i]
		switch {
		case e.As == 0 || e.Form == segment.BodyNone:
		case int(e.Same) < i:
			list[i] = list[e.Same]
		case e.Form != segment.BodyOwn:
			if b, known := m.bodies[e.ID]; known && b.as == e.As {
				list[i] = b.answer
			}
		default:
			leaves, o, ok := own(i)
			if !ok {
				continue
			}
			var err error
			if list[i], err = m.answer(leaves, o, func() string { return title(i) }); err != nil {
				return err
			}
			if int64(len(m.bodies))*bodyBytes < m.q.Memory/4 {
				m.bodies[e.ID] = bodyAnswer{e.As, list[i]}
			}
		}
	}
	m.words.answers[run] = list
	m.asked += len(list)
	return nil
}

// answer returns the answer for a page.
func (m *Maker) answer(leaves []LeafRef, o *facts.Outline, title func() string) (uint32, error) {
	as := Reading{string(o.Charset), o.Plain}
	whole := m.q.Query.Whole()
	for _, l := range leaves {
		p, err := m.part(l, as)
		if err != nil {
			return maybe, err
		}
		whole.Add(p)
	}
	s := said{answer: whole.Answer(), sure: true, place: -1}
	for a := range m.words.atoms {
		switch whole.Has(a) {
		case match.Yes:
			s.has |= 1 << a
		case match.Maybe:
			s.sure = false
		}
	}
	if s.answer != match.Yes || m.q.Rank == nil {
		return m.add(s), nil
	}
	if int64(len(m.words.says))*atomBytes+int64(len(m.words.said))*saidBytes >= m.q.Memory/4 {
		s.answer = match.Maybe // the page is read for its rank
		return m.add(s), nil
	}
	if err := m.fill(leaves, as, o); err != nil {
		return maybe, err
	}
	m.page.Title = title()
	best := m.q.Rank(&m.page)
	s.place, s.at = int32(best.Place), uint32(len(m.words.says)/m.words.atoms)
	m.words.says = append(m.words.says, best.Says...)
	m.words.said = append(m.words.said, s)
	return uint32(len(m.words.said) - 1), nil
}

// add returns the index in m.words.said of what is known of a page without a rank. All
// pages of which the same is known share it.
func (m *Maker) add(s said) uint32 {
	i, known := m.known[s]
	if !known {
		if int64(len(m.known)) >= m.q.Memory/8/knownBytes {
			return maybe
		}
		i = uint32(len(m.words.said))
		m.words.said = append(m.words.said, s)
		m.known[s] = i
	}
	return i
}

// fill sets m.page to the words of a page.
func (m *Maker) fill(leaves []LeafRef, as Reading, o *facts.Outline) error {
	atoms := len(m.q.Query.Atoms())
	m.page.Blocks = m.page.Blocks[:0]
	if need := 2 * atoms * len(o.Cut); len(m.counts) < need {
		m.counts = make([]int, need)
	}
	clear(m.counts)
	next := 0
	for k, b := range o.Cut {
		counts := m.counts[2*k*atoms:]
		block := Block{Label: b.Label, Counts: counts[:atoms:atoms], Linked: counts[atoms:][:atoms:atoms]}
		for range b.Leaves {
			if next == len(leaves) {
				break // a page without leaves has one block
			}
			p, err := m.part(leaves[next], as)
			if err != nil {
				return err
			}
			block.Terms += int(p.Terms)
			for a, n := range p.Counts {
				block.Counts[a] += int(n)
			}
			if p.Counts != nil {
				linked, err := m.inLinks(leaves[next], as)
				if err != nil {
					return err
				}
				for a, n := range linked {
					block.Linked[a] += int(n)
				}
			}
			next++
		}
		m.page.Blocks = append(m.page.Blocks, block)
	}
	return nil
}

// part returns what the question finds in a leaf.
func (m *Maker) part(l LeafRef, as Reading) (*match.Part, error) {
	key := leafRun{l.RunRef, as}
	list := m.leaves[key]
	if int(l.N) < len(list) && list[l.N] != nil {
		return list[l.N], nil
	}
	text, err := m.stored.Text(l, as)
	if err != nil {
		return nil, err
	}
	p := m.q.Query.Part(text)
	if m.bound() {
		list = nil
	}
	if more := int(l.N) + 1 - len(list); more > 0 {
		m.held += int64(more) * leafBytes
		list = append(list, make([]*match.Part, more)...)
		m.leaves[key] = list
	}
	if !p.Plain() {
		m.held += partBytes
	}
	list[l.N] = p
	return p, nil
}

// bound forgets all leaves if they take too much memory, and reports whether it did.
func (m *Maker) bound() bool {
	if m.held <= m.q.Memory/2 {
		return false
	}
	clear(m.leaves)
	clear(m.linked)
	m.held = 0
	return true
}

// inLinks returns how often the texts of links in a leaf have each atom, or nil if none
// does.
func (m *Maker) inLinks(l LeafRef, as Reading) ([]int32, error) {
	key := readLeaf{l, as}
	if counts, known := m.linked[key]; known {
		return counts, nil
	}
	anchors, err := m.stored.Anchors(l, as)
	if err != nil {
		return nil, err
	}
	counts := make([]int, m.words.atoms)
	var out []int32
	for _, a := range anchors {
		m.q.Query.Count(a, counts)
	}
	for a, n := range counts {
		if n > 0 {
			if out == nil {
				out = make([]int32, len(counts))
			}
			out[a] = int32(n)
		}
	}
	m.bound()
	m.held += linkBytes
	m.linked[key] = out
	return out, nil
}
