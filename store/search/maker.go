package search

import (
	"slices"

	"infomall/store/block/facts"
	"infomall/store/search/index"
	"infomall/store/segment"
	"infomall/store/words/match"
)

// MemoryDefault is the memory limit in bytes of a search whose Question.Memory is 0. A
// quarter of it is for bodies, a quarter for ranks, and half for leaves.
const MemoryDefault = 256 << 20

// These constants estimate how many bytes of memory one item of each kind takes.
const (
	runBytes   = 128 // a run with leaves
	leafBytes  = 40  // a leaf for which only the number of terms is remembered
	partBytes  = 120 // in addition, if the query matches something in the leaf
	linkBytes  = 96  // in addition, if the words in the leaf's links were needed
	bodyBytes  = 48
	saidBytes  = 40
	knownBytes = 96 // a page without a rank that matches in a new way
	atomBytes  = 8  // for each atom of a page with a rank
)

// answersMax is the largest number of captures that get an answer, which takes 4 bytes.
// All further captures get Maybe.
const answersMax = 16 << 20

// LeafRef refers to a stored leaf.
type LeafRef struct {
	segment.RunRef
	N uint32 // number of the block in the run
}

// Entry is one capture of a run, as Maker.Add needs it.
type Entry struct {
	segment.BodyAt
	// NoPage says that the capture is not a page. Document then says which text it has.
	NoPage   bool
	Document DocumentText
	// As is a number for the way in which the body was read, for example its charset. It is
	// equal for captures read in the same way. 0 means that the whole page must be read.
	As uint64
}

// DocumentText says whether a capture that is not a page has a text, as far as that is
// known.
type DocumentText uint8

// The values of DocumentText.
const (
	NoDocument    DocumentText = iota // it has no text
	EmptyDocument                     // it is a document without text, such as a picture
	FullDocument                      // it is a document with text, and the text must be read
)

func (d DocumentText) answer() uint32 {
	switch d {
	case EmptyDocument:
		return empty
	case FullDocument:
		return maybe
	}
	return null
}

// Maker computes the answers to one search query: for each capture, whether the query
// matches it. Add is called for one run after the other. A run that stores a body must
// come before the runs whose captures refer to that body. Only one goroutine may use a
// Maker.
type Maker struct {
	q      Question
	stored Stored
	words  *Words
	known  map[said]uint32 // for pages without a rank: the index of each value in words.said
	found  [1 << 8]uint32  // the last results of lookUp, each at the place that said.spot returns
	// readings has a number for each reading of pages.
	readings    map[index.Reading]int
	lastAs      index.Reading           // the last argument of the method reading
	lastReading int                     // the number of lastAs
	leaves      []map[uint64]*runLeaves // for each reading, the leaves of each run; the key joins the segment and number of the run
	recent      [64]recentRun           // the runs that open returned last, each at the place that place returns
	linked      map[readLeaf][]int32    // how often the links of each leaf have each atom; nil for a leaf whose links have none
	held        int64                   // an estimate of the memory that the leaves take
	asked       int                     // number of captures with an answer
	bodies      map[segment.ID]bodyAnswer
	page        Page
	counts      []int
	mem         *sumsMemory // nil until Sums is called
	oneWord     bool        // the query is one word, and no ranks are needed
}

// Stored reads the leaves of an archive. If a method fails, all captures of the current
// run get the answer Maybe.
type Stored interface {
	// Text returns the text of a leaf in the reading.
	Text(LeafRef, index.Reading) (string, error)
	// Anchors returns the texts of those links in a leaf that lead to other addresses.
	Anchors(LeafRef, index.Reading) ([]string, error)
	// Known returns what an index says of the leaves of a run in the reading. The function
	// list returns what the query matches in the leaves, or nil if they must be read; list is
	// nil if no index knows. none says that the query matches nothing in any of the leaves.
	Known(segment.RunRef, index.Reading) (list func() *index.Matches, none bool)
}

// readLeaf is a leaf, read in one reading.
type readLeaf struct {
	LeafRef
	reading int
}

// leafRun is the key for the leaves of one run in one reading.
type leafRun struct {
	segment.RunRef
	reading int
}

// runLeaves has what the query matches in the leaves of one run in one reading, as far as
// it is known.
type runLeaves struct {
	none    bool                  // the query matches nothing in any of the leaves
	list    func() *index.Matches // returns indexed, if the method load was not called yet
	indexed *index.Matches        // what an index says; nil if no index knows
	read    []index.Leaf          // the leaves that were read, by number; Part is nil for the others
}

// listed reports whether an index lists all leaves with numbers below to. The method load
// must have been called.
func (r *runLeaves) listed(to uint32) bool { return r.indexed != nil && int(to) <= r.indexed.Len() }

// recentRun is an element of Maker.recent.
type recentRun struct {
	key leafRun
	run *runLeaves
}

// bodyAnswer is the answer for a body that was read in one way, for example in one
// charset.
type bodyAnswer struct {
	as     uint64 // Entry.As: how the body was read
	answer uint32 // index of the answer in Words.said
}

// NewMaker returns a Maker for the search query q. It returns nil if q cannot be answered
// from single leaves.
func NewMaker(q Question, stored Stored) *Maker {
	if !q.Query.InParts() {
		return nil
	}
	if q.Memory == 0 {
		q.Memory = MemoryDefault
	}
	m := &Maker{
		q: q, stored: stored, known: make(map[said]uint32),
		words:    &Words{answers: make(map[uint32][]answers), read: make(map[segment.RunRef]bool), said: slices.Clone(firstSaid[:]), atoms: len(q.Query.Atoms()), query: q.Query},
		readings: make(map[index.Reading]int), linked: make(map[readLeaf][]int32), bodies: make(map[segment.ID]bodyAnswer),
	}
	if q.Rank == nil {
		_, m.oneWord = q.Query.OneWord()
	}
	return m
}

// Words returns the answers. Set whole if every capture in the scope of the query was
// added. The caller must not add anything afterwards.
func (m *Maker) Words(whole bool) *Words {
	m.words.whole = whole
	if m.mem != nil {
		sumsMemories.Put(m.mem)
		m.mem = nil
	}
	return m.words
}

// Full reports whether the Maker has given answersMax answers. It then gives no more, to
// bound its memory.
func (m *Maker) Full() bool { return m.asked >= answersMax }

// Begin says that the runs that are added next are of a segment with this number of runs.
func (m *Maker) Begin(runs int) { m.words.room = runs }

// Add computes answers for the entries of a run. The function own returns the leaves of
// the body of entry i, which this run stores, and the outline from the facts of that body.
// Its result ok is false if the whole page must be read. title returns the title of entry
// i. If a method of Stored fails, Add stops, and the entries of the run get the answer
// Maybe.
func (m *Maker) Add(run segment.RunRef, entries []Entry, own func(i int) (leaves []segment.Span, o *facts.Outline, ok bool), title func(i int) string) error {
	list := make([]uint32, len(entries))
	for i := range entries {
		e := &entries[i]
		switch {
		case e.NoPage:
			list[i] = e.Document.answer()
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
			as := index.Reading{Charset: string(o.Charset), Plain: o.Plain}
			whole, err := m.whole(leaves, as)
			if err != nil {
				return err
			}
			if list[i], err = m.answer(&whole, leaves, as, o.Cut, func() string { return title(i) }); err != nil {
				return err
			}
			if int64(len(m.bodies))*bodyBytes < m.q.Memory/4 {
				m.bodies[e.ID] = bodyAnswer{e.As, list[i]}
			}
		}
	}
	m.words.put(run, answers{asked: true, said: list})
	m.words.read[run] = true
	m.asked += len(list)
	m.words.asked += len(list)
	return nil
}

// AddPages computes answers for the captures of a run from an index of words. It does not
// rank the pages; RankOf does.
//
// sums has what the query matches in the leaves of the captures of the run, as Sums returns it for
// captures of several runs; first is the number in sums of the first capture of the run. A nil
// sums means that the query matches nothing in the run. The function page returns the
// reading and the leaves of the page of capture i. Its result at is the number of an
// earlier capture with the same page, or i. Its result ok is false if the page is not
// known. The function document returns the text of a capture that is not a page; it may be
// nil.
func (m *Maker) AddPages(ref segment.RunRef, run *index.Run, sums *Sums, first uint32, page func(i int) (as index.Reading, leaves []segment.Span, at int, ok bool), document func(i int) DocumentText) error {
	if sums != nil && sums.bits != nil {
		m.addMarked(ref, run, sums.bits, first, document)
		return nil
	}
	found, special := sums.from(first, run.Pages), run.Special
	list := newAnswers(run.Pages, len(found)+len(special))
	for len(found) > 0 || len(special) > 0 {
		if len(found) == 0 || len(special) > 0 && special[0].N <= found[0]-first {
			list.put(special[0].N, specialAnswer(special[0], document))
			if len(found) > 0 && special[0].N == found[0]-first {
				found = found[1:]
			}
			special = special[1:]
			continue
		}
		n, sum, most := found[0]-first, sums.Of(found[0]), sums.most(found[0])
		found = found[1:]
		whole, ok := m.q.Query.WholeOf(sum)
		if ok {
			list.put(n, m.addFound(&whole, most))
			continue
		}
		as, leaves, at, known := page(int(n))
		switch {
		case !known:
			list.put(n, maybe)
			continue
		case at < int(n):
			list.put(n, list.of(uint32(at)))
			continue
		}
		whole, err := m.whole(leaves, as)
		if err != nil {
			return err
		}
		list.put(n, m.addFound(&whole, most))
	}
	m.words.put(ref, list)
	m.asked += len(list.said)
	m.words.asked += run.Pages
	return nil
}

// addMarked does what AddPages does, for a query of one word. bits has the captures with the word. The
// first capture of the run has the number first there.
func (m *Maker) addMarked(ref segment.RunRef, run *index.Run, bits bitmap, first uint32, document func(i int) DocumentText) {
	yes := m.add(said{answer: match.Yes, sure: true, place: -1, has: 1})
	list := newAnswers(run.Pages, len(run.Special))
	if end := first + uint32(run.Pages); len(list.said) == 0 {
		list.bits, list.first, list.end, list.yes = bits, first, end, yes
	} else { // list has an answer for each capture
		for n := range bits.all(first, end) {
			list.said[n-first] = yes
		}
	}
	for _, s := range run.Special {
		list.put(s.N, specialAnswer(s, document))
	}
	m.words.put(ref, list)
	m.asked += len(list.said) + run.Pages/32
	m.words.asked += run.Pages
}

// specialAnswer returns the answer for a capture whose words the index does not have. document is
// that of AddPages.
func specialAnswer(s index.Special, document func(i int) DocumentText) uint32 {
	switch {
	case !s.NoText:
		return maybe
	case document != nil:
		return document(int(s.N)).answer()
	}
	return null
}

// RankOf returns the rank of p, a page that an index describes. leaves are its leaves.
// RankOf may be called after Words. It returns an error if a method of Stored fails.
func (m *Maker) RankOf(p *index.Page, leaves []segment.Span) (Best, error) {
	if err := m.fill(leaves, p.Reading, p.Cut); err != nil {
		return Best{}, err
	}
	m.page.Title = p.Title
	best := m.q.Rank(&m.page)
	best.Print, best.Stored, best.Reading = Print{p.Print, p.Printed, true}, true, p.Reading
	return best, nil
}

// reading returns a number for the reading, the same at each call.
func (m *Maker) reading(as index.Reading) int {
	if len(m.readings) > 0 && m.lastAs == as {
		return m.lastReading
	}
	n, known := m.readings[as]
	if !known {
		n = len(m.readings)
		m.readings[as] = n
	}
	m.lastAs, m.lastReading = as, n
	return n
}

// whole returns what the query matches in a page with these leaves, in the reading.
func (m *Maker) whole(leaves []segment.Span, as index.Reading) (match.Whole, error) {
	whole := m.q.Query.Whole()
	reading := m.reading(as)
	for _, s := range leaves {
		ref := segment.RunRef{Segment: s.Segment, Run: s.Run}
		run := m.open(leafRun{ref, reading}, as)
		if run.none && whole.Idle() {
			continue
		}
		m.load(run)
		to := s.N + s.Count
		listed := run.listed(to)
		for n := s.N; n < to; n++ {
			if listed && whole.Idle() {
				if n = uint32(run.indexed.Next(int(n), int(to))); n == to {
					break
				}
			}
			l, err := m.leaf(run, LeafRef{ref, n}, as)
			if err != nil {
				return whole, err
			}
			whole.Add(l.Part)
		}
	}
	return whole, nil
}

// saidOf returns the answer for a page without a rank, and which atoms of the query its
// words contain. whole is what the query matches in the page.
func (m *Maker) saidOf(whole *match.Whole) said {
	s := said{answer: whole.Answer(), sure: true, place: -1}
	for a := range m.words.atoms {
		switch whole.Has(a) {
		case match.Yes:
			s.has |= 1 << a
		case match.Maybe:
			s.sure = false
		}
	}
	return s
}

// addFound adds the answer for a page to m.words.said, and returns the index of the answer there.
// most says how often the leaves of the page have each atom; it is zero if they were not counted.
func (m *Maker) addFound(whole *match.Whole, of most) uint32 {
	s := m.saidOf(whole)
	if s.answer == match.Yes && of != (most{}) {
		s.most = of
		if i, known := m.lookUp(s); known {
			return i
		}
		if int64(len(m.known)) >= m.q.Memory/16/knownBytes {
			s.most = most{} // pages with the same atoms share this one
		}
	}
	return m.add(s)
}

// answer returns the answer for a page. leaves are the leaves of the page, and cut its
// blocks.
func (m *Maker) answer(whole *match.Whole, leaves []segment.Span, as index.Reading, cut []facts.OutlineBlock, title func() string) (uint32, error) {
	s := m.saidOf(whole)
	if s.answer != match.Yes || m.q.Rank == nil {
		return m.add(s), nil
	}
	if int64(len(m.words.says))*atomBytes+int64(len(m.words.said))*saidBytes >= m.q.Memory/4 {
		s.answer = match.Maybe // the page is read for its rank
		return m.add(s), nil
	}
	if err := m.fill(leaves, as, cut); err != nil {
		return maybe, err
	}
	m.page.Title = title()
	best := m.q.Rank(&m.page)
	s.place, s.at = int32(best.Place), uint32(len(m.words.says)/m.words.atoms)
	m.words.says = append(m.words.says, best.Says...)
	m.words.said = append(m.words.said, s)
	return uint32(len(m.words.said) - 1), nil
}

// add returns the index of s in m.words.said, and appends s if it is not there. All pages
// without a rank that have the same answer and atoms share one element.
func (m *Maker) add(s said) uint32 {
	i, known := m.lookUp(s)
	if !known {
		if int64(len(m.known)) >= m.q.Memory/8/knownBytes {
			return maybe
		}
		i = uint32(len(m.words.said))
		m.words.said = append(m.words.said, s)
		m.known[s], m.found[s.spot()] = i, i
	}
	return i
}

// lookUp returns the index of s in m.words.said, if it is in m.known. Mostly s is equal to one of
// the calls before. To compare the two takes less time than to look into the map.
func (m *Maker) lookUp(s said) (i uint32, known bool) {
	found := &m.found[s.spot()]
	if *found >= uint32(len(firstSaid)) && m.words.said[*found] == s {
		return *found, true
	}
	if i, known = m.known[s]; known {
		*found = i
	}
	return i, known
}

// spot returns the index in Maker.found for s.
func (s *said) spot() uint8 {
	x := uint32(s.has) + uint32(s.most.short)*0x9e3779b1 + (uint32(s.most.counts[0])+uint32(s.most.counts[1])<<8)*0x85ebca6b
	return uint8(x >> 24)
}

// fill sets m.page to the counts of the query's words in each block of a page. leaves are the
// leaves of the page, and cut has its blocks.
func (m *Maker) fill(leaves []segment.Span, as index.Reading, cut []facts.OutlineBlock) error {
	m.begin(cut)
	reading := m.reading(as)
	n := uint32(0) // how many leaves of leaves[0] are done
	for k, b := range cut {
		// A page without leaves has one block.
		for rest := uint32(b.Leaves); rest > 0 && len(leaves) > 0; {
			s := leaves[0]
			count := min(rest, s.Count-n)
			run := leafRun{segment.RunRef{Segment: s.Segment, Run: s.Run}, reading}
			if err := m.addLeaves(&m.page.Blocks[k], run, s.N+n, s.N+n+count, as); err != nil {
				return err
			}
			rest -= count
			if n += count; n == s.Count {
				leaves, n = leaves[1:], 0
			}
		}
	}
	return nil
}

// begin sets m.page to a page that has the blocks of cut and no match yet.
func (m *Maker) begin(cut []facts.OutlineBlock) {
	atoms := m.words.atoms
	m.page.Blocks = m.page.Blocks[:0]
	need := 2 * atoms * len(cut)
	if len(m.counts) < need {
		m.counts = make([]int, need)
	}
	clear(m.counts[:need])
	for k, b := range cut {
		counts := m.counts[2*k*atoms:]
		m.page.Blocks = append(m.page.Blocks, Block{Label: b.Label, Counts: counts[:atoms:atoms], Linked: counts[atoms:][:atoms:atoms]})
	}
}

// addLeaves adds to b the matches in the leaves from <= n < to of a run.
func (m *Maker) addLeaves(b *Block, key leafRun, from, to uint32, as index.Reading) error {
	run := m.open(key, as)
	m.load(run)
	if run.listed(to) {
		if terms, ok := run.indexed.Sum(int(from), int(to), b.Counts, b.Linked); ok {
			b.Terms += terms
			return nil
		}
	}
	for n := from; n < to; n++ {
		if err := m.addLeaf(b, key, n, as); err != nil {
			return err
		}
	}
	return nil
}

// addLeaf adds to b the matches in leaf n of a run.
func (m *Maker) addLeaf(b *Block, key leafRun, n uint32, as index.Reading) error {
	ref := LeafRef{key.RunRef, n}
	l, err := m.leaf(m.open(key, as), ref, as)
	if err != nil {
		return err
	}
	b.Terms += int(l.Part.Terms)
	if l.Part.Counts == nil {
		return nil
	}
	linked := l.Linked
	if !l.Links {
		if linked, err = m.inLinks(ref, as); err != nil {
			return err
		}
	}
	for a, n := range l.Part.Counts {
		b.Counts[a] += int(n)
	}
	for a, n := range linked {
		b.Linked[a] += int(n)
	}
	return nil
}

// leaf returns what the query matches in the leaf ref. run has the leaves of its run.
func (m *Maker) leaf(run *runLeaves, ref LeafRef, as index.Reading) (index.Leaf, error) {
	m.load(run)
	if run.listed(ref.N + 1) {
		if l := run.indexed.Leaf(int(ref.N)); l.Part != nil {
			return l, nil
		}
	}
	if int(ref.N) < len(run.read) && run.read[ref.N].Part != nil {
		return run.read[ref.N], nil
	}
	text, err := m.stored.Text(ref, as)
	if err != nil {
		return index.Leaf{}, err
	}
	l := index.Leaf{Part: m.q.Query.Part(text)}
	if more := int(ref.N) + 1 - len(run.read); more > 0 {
		m.held += int64(more) * leafBytes
		run.read = append(run.read, make([]index.Leaf, more)...)
	}
	if !l.Part.Plain() {
		m.held += partBytes
	}
	run.read[ref.N] = l
	return l, nil
}

// load sets run.indexed, unless an earlier call did.
func (m *Maker) load(run *runLeaves) {
	if run.list == nil {
		return
	}
	if run.indexed = run.list(); run.indexed != nil {
		m.held += run.indexed.Bytes()
	}
	run.list = nil
}

// open returns the runLeaves for key, and creates it if needed. The result is valid until the
// next call of open.
func (m *Maker) open(key leafRun, as index.Reading) *runLeaves {
	m.bound()
	recent := &m.recent[key.place()]
	if recent.run != nil && recent.key == key {
		return recent.run
	}
	for len(m.leaves) <= key.reading {
		m.leaves = append(m.leaves, make(map[uint64]*runLeaves))
	}
	of := m.leaves[key.reading]
	id := uint64(key.Segment)<<32 | uint64(key.Run)
	run := of[id]
	if run == nil {
		run = &runLeaves{}
		run.list, run.none = m.stored.Known(key.RunRef, as)
		m.held += runBytes
		of[id] = run
	}
	*recent = recentRun{key, run}
	return run
}

// place returns the index in Maker.recent at which the run is kept.
func (k leafRun) place() uint32 {
	// Multiplied by large odd numbers, neighbouring runs get different places.
	return (k.Segment*0x9e3779b1 + k.Run*0x85ebca6b + uint32(k.reading)*0xc2b2ae35) >> 26
}

// bound forgets all leaves that m remembers, if they take more memory than the limit.
func (m *Maker) bound() {
	if m.held > m.q.Memory/2 {
		for _, of := range m.leaves {
			clear(of)
		}
		clear(m.recent[:])
		clear(m.linked)
		m.held = 0
	}
}

// inLinks returns how often the texts of the links in leaf l have each atom of the query.
// It returns nil if they have none.
func (m *Maker) inLinks(l LeafRef, as index.Reading) ([]int32, error) {
	key := readLeaf{l, m.reading(as)}
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
	m.held += linkBytes
	m.linked[key] = out
	return out, nil
}
