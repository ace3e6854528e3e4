package format

import (
	"bytes"
	"encoding/binary"
	"slices"
	"sort"

	"infomall/store/packed"
)

// stepsMax limits the work for one body, in steps. A step is one place that is compared, or
// stepBytes bytes that are searched. Ordinary bodies take some ten thousand steps. After stepsMax
// steps nothing matches.
const (
	stepsMax  = 1 << 20
	stepBytes = 64
)

// wholeBytes is the largest number of bytes of a body that are searched for a
// signature with flagWhole.
const wholeBytes = 64 << 20

// placesMax is the largest number of matches of a fragment that are examined
// further.
const placesMax = 256

// The operators of the elements of a pattern: which bytes match an element with
// the operands a and b. Package pronom has the same constants.
const (
	opByte    = iota // matches the byte a
	opRange          // matches a byte from a to b
	opOutside        // matches a byte that is not from a to b
	opBits           // matches a byte in which all bits of a are set
	opNotBits        // matches a byte in which not all bits of a are set
	opUnlike         // elements in a row with this operator match if at least one byte differs from the a of its element
	opBetween        // elements in a row with this operator match if the bytes, compared as a text, are from the text of all a to the text of all b
)

// The anchors of sequences: what the offsets of a sequence are counted from.
const (
	anywhere = iota
	fromStart
	fromEnd
)

// The flags of a signature.
const (
	flagWeak  = 1
	flagWhole = 2 // pieces without a fixed offset are searched in the whole body
	flagFixed = 4 // the first sequence can only be at one place of the body
)

// matcher matches the signatures of a table with one body.
type matcher struct {
	*table
	body            span
	head, tail, all []byte // all is the whole body, or its first bytes
	steps           int    // number of steps that are left, see stepsMax
	whole           bool   // the signature that is being matched has flagWhole
	// absent are the patterns, as offsets in the section patterns, that a
	// search of the whole body did not find. Several signatures of PDFs have
	// the same pattern.
	absent []int
}

func newMatcher(t *table, s span) *matcher {
	return &matcher{table: t, body: s, head: s.head(), tail: s.tail(), all: s.first[:min(len(s.first), wholeBytes)], steps: stepsMax}
}

// hits returns the formats of all signatures that match the body.
func (m *matcher) hits() (list []hit) {
	try := func(at uint32) {
		if h, ok := m.signature(at); ok {
			list = append(list, h)
		}
	}
	for f := m.fixed; len(f) > 0; {
		place, n := number32(f, 0), int(number32(f, 1))
		entries := f[8 : 8+4*n]
		f = f[8+4*n:]
		if int(place) >= len(m.head) {
			continue
		}
		b := uint32(m.head[place])
		i := sort.Search(n, func(i int) bool { return number32(entries, i)>>24 >= b })
		for ; i < n && number32(entries, i)>>24 == b; i++ {
			try(number32(entries, i) & (1<<24 - 1))
		}
	}
	for i := range len(m.near) / 4 {
		try(number32(m.near, i))
	}
	for _, i := range m.scan() {
		try(number32(m.wideAt, i))
	}
	return list
}

// scan returns the indexes in wideKeys of the keys that occur in the first bytes of the body.
func (m *matcher) scan() (found []int) {
	n := len(m.wideKeys) / 4
	for b := m.head; len(b) >= 4; b = b[1:] {
		key := binary.LittleEndian.Uint32(b)
		if h := hash(key); m.wideBits[h/64]&(1<<(h%64)) == 0 {
			continue
		}
		i := sort.Search(n, func(i int) bool { return number32(m.wideKeys, i) >= key })
		if i == n || number32(m.wideKeys, i) != key || slices.Contains(found, i) {
			continue
		}
		for ; i < n && number32(m.wideKeys, i) == key; i++ {
			found = append(found, i)
		}
	}
	return found
}

// signature reports in ok whether the body matches a signature. The argument at
// is the offset of the signature in the section signatures of the table. If the
// body matches, h is the hit.
func (m *matcher) signature(at uint32) (h hit, ok bool) {
	r := packed.Reader{B: m.signatures[at:]}
	h.format = r.Number()
	flags := r.Byte()
	h.strength = r.Number()
	h.weak, h.fixed, m.whole = flags&flagWeak != 0, flags&flagFixed != 0, flags&flagWhole != 0
	return h, m.sequences(&r)
}

// piece is a piece of a sequence. least and most bound its offset in bytes;
// most is -1 if there is no upper bound.
type piece struct {
	least, most int
	main        pattern
	left, right side
}

// side has the fragments to the left or to the right of a main pattern: groups
// is the number of groups, packed has them encoded, and least and most are the
// least and the greatest number of bytes that all of them take together.
type side struct {
	groups      int
	least, most int
	packed      []byte
}

// group is a list of alternative fragments.
type group []fragment

type fragment struct {
	least, most int
	pattern     pattern
}

// pattern is a pattern of the table, still encoded.
type pattern struct {
	at       int  // offset in the section patterns of the table
	n        int  // number of elements
	literal  bool // elements are the bytes to match; otherwise they are operators with operands
	elements []byte
}

// sequences reports whether the body matches all sequences that r decodes.
func (m *matcher) sequences(r *packed.Reader) bool {
	for range r.Number() {
		anchor := r.Byte()
		var few [4]piece
		pieces := few[:0]
		for range r.Number() {
			pieces = append(pieces, m.piece(r))
		}
		if !m.sequence(anchor, pieces) {
			return false
		}
	}
	return true
}

// skipSequences moves r past the encoded sequences at its position.
func skipSequences(r *packed.Reader) {
	for range r.Number() {
		r.Byte()
		for range r.Number() {
			r.Number()
			r.Number()
			r.Number()
			readSide(r)
			readSide(r)
		}
	}
}

func (m *matcher) piece(r *packed.Reader) piece {
	p := piece{least: r.Number(), most: r.Number() - 1}
	p.main = m.pattern(r.Number())
	p.left, p.right = readSide(r), readSide(r)
	return p
}

func readSide(r *packed.Reader) (s side) {
	if s.groups = r.Number(); s.groups == 0 {
		return s
	}
	s.least, s.most, s.packed = r.Number(), r.Number(), r.B
	for range s.groups {
		r.Number()
	}
	return s
}

// open decodes the groups of one side of a piece. The group next to the main
// pattern comes first.
func (m *matcher) open(s side) []group {
	if s.groups == 0 {
		return nil
	}
	list := make([]group, s.groups)
	r := packed.Reader{B: s.packed}
	for i := range list {
		in := packed.Reader{B: m.groups[r.Number():]}
		list[i] = make(group, in.Number())
		for j := range list[i] {
			list[i][j] = fragment{in.Number(), in.Number(), m.pattern(in.Number())}
		}
	}
	return list
}

// pattern returns the pattern that begins at the offset at of the section
// patterns of the table.
func (m *matcher) pattern(at int) pattern {
	r := packed.Reader{B: m.patterns[at:]}
	n := r.Number()
	p := pattern{at: at, n: n >> 1, literal: n&1 == 0}
	if p.literal {
		p.elements = r.Take(p.n)
	} else {
		p.elements = r.Take(3 * p.n)
	}
	return p
}

// sequence reports whether the body matches a sequence.
func (m *matcher) sequence(anchor byte, pieces []piece) bool {
	switch anchor {
	case fromEnd:
		return m.atEnd(&pieces[0])
	case anywhere:
		if m.whole {
			return m.inWhole(pieces, 0)
		}
	case fromStart:
		if m.whole && len(pieces) > 1 && pieces[1].most < 0 {
			return m.follow(m.head, pieces[:1], 0) && m.inWhole(pieces, 1)
		}
	}
	return m.follow(m.head, pieces, 0)
}

// inWhole reports whether all pieces are in the body, one after the other.
// pieces[from:] may be anywhere after the pieces before them. If the middle of
// the body is not known, all pieces must be before it, or pieces[from:] must be
// after it.
func (m *matcher) inWhole(pieces []piece, from int) bool {
	for i := from; i < len(pieces); i++ {
		main := &pieces[i].main
		if slices.Contains(m.absent, main.at) {
			return false
		}
		if m.find(main, m.all, 0, len(m.all)) < 0 && (len(m.body.last) == 0 || m.find(main, m.tail, 0, len(m.tail)) < 0) {
			m.absent = append(m.absent, main.at)
			return false
		}
	}
	return m.follow(m.all, pieces, 0) || len(m.body.last) > 0 && m.follow(m.tail, pieces[from:], 0)
}

// follow reports whether the pieces are in b, one after the other. The offset
// of the first piece is counted from the offset from of b.
func (m *matcher) follow(b []byte, pieces []piece, from int) bool {
	p, rest := &pieces[0], pieces[1:]
	low, high := from+p.least, len(b)
	if p.most >= 0 {
		high = min(high, from+p.most)
	}
	last := min(len(b), high+p.left.most) // the last place where the main pattern may begin
	earliest := -1                        // where the match that ends first ends
	var left, right []group
	for at := m.find(&p.main, b, low+p.left.least, last); at >= 0; at = m.find(&p.main, b, at+1, last) {
		if earliest >= 0 && at >= earliest {
			break // what matches here ends later
		}
		if left == nil && right == nil {
			left, right = m.open(p.left), m.open(p.right)
		}
		starts := m.walk(b, left, at, -1)
		if !slices.ContainsFunc(starts, func(start int) bool { return start >= low && start <= high }) {
			continue
		}
		ends := m.walk(b, right, at+p.main.n, 1)
		if len(ends) == 0 {
			continue
		}
		if len(rest) == 0 {
			return true
		}
		if rest[0].most < 0 { // the rest may be anywhere after: the first end is the best
			if end := slices.Min(ends); earliest < 0 || end < earliest {
				earliest = end
			}
			continue
		}
		for _, end := range ends {
			if m.follow(b, rest, end) {
				return true
			}
		}
	}
	return earliest >= 0 && m.follow(b, rest, earliest)
}

// atEnd reports whether the piece p ends at one of its offsets, counted from the end of the body.
func (m *matcher) atEnd(p *piece) bool {
	b := m.tail
	high, low := len(b)-p.least, 0
	if p.most >= 0 {
		low = max(0, len(b)-p.most)
	}
	last := high - p.right.least - p.main.n
	var left, right []group
	for at := m.find(&p.main, b, max(0, low-p.right.most-p.main.n), last); at >= 0; at = m.find(&p.main, b, at+1, last) {
		if left == nil && right == nil {
			left, right = m.open(p.left), m.open(p.right)
		}
		inside := func(end int) bool { return end >= low && end <= high }
		if slices.ContainsFunc(m.walk(b, right, at+p.main.n, 1), inside) && len(m.walk(b, left, at, -1)) > 0 {
			return true
		}
	}
	return false
}

// walk matches the groups of one side of a piece in b, one after the other,
// from the offset from on. It goes to the right if the parameter by is 1, and
// to the left if it is -1. It returns the offsets at which the last group may
// end, or from itself if there are no groups.
func (m *matcher) walk(b []byte, side []group, from, by int) []int {
	var one [1]int
	places := append(one[:0], from)
	for _, g := range side {
		var next []int
		for _, at := range places {
			for i := range g {
				next = m.places(next, b, &g[i], at, by)
			}
		}
		slices.Sort(next)
		if next = slices.Compact(next); len(next) == 0 {
			return nil
		}
		places = next[:min(len(next), placesMax)]
	}
	return places
}

// places finds the matches of f that begin near the offset at of b and go in
// the direction of the parameter by. It appends the offsets at which they end
// to out.
func (m *matcher) places(out []int, b []byte, f *fragment, at, by int) []int {
	n := f.pattern.n
	if by < 0 {
		for start := at - f.least - n; start >= max(0, at-f.most-n); start-- {
			if m.steps--; m.steps < 0 || len(out) > 4*placesMax {
				return out
			}
			if f.pattern.matches(b[start:]) {
				out = append(out, start)
			}
		}
		return out
	}
	last := min(at+f.most, len(b)-n)
	for start := m.find(&f.pattern, b, at+f.least, last); start >= 0 && len(out) <= 4*placesMax; start = m.find(&f.pattern, b, start+1, last) {
		out = append(out, start+n)
	}
	return out
}

// find returns the first offset from low to last at which b has the pattern, or
// -1 if there is none.
func (m *matcher) find(p *pattern, b []byte, low, last int) int {
	if last = min(last, len(b)-p.n); low > last {
		return -1
	}
	if m.steps--; m.steps < 0 {
		return -1
	}
	at := p.find(b, low, last)
	if end := at; len(b) <= endBytes { // the whole of a body is searched a few times at most
		if end < 0 {
			end = last
		}
		m.steps -= (end - low) / stepBytes
	}
	return at
}

func (p *pattern) find(b []byte, low, last int) int {
	if p.literal {
		at := bytes.Index(b[low:last+p.n], p.elements)
		if at < 0 {
			return -1
		}
		return low + at
	}
	for at := low; at <= last; at++ {
		if p.matches(b[at:]) {
			return at
		}
	}
	return -1
}

// matches reports whether b begins with the pattern.
func (p *pattern) matches(b []byte) bool {
	if len(b) < p.n {
		return false
	}
	if p.literal {
		return bytes.HasPrefix(b, p.elements)
	}
	for i := 0; i < p.n; i++ {
		e := p.elements[3*i : 3*i+3]
		ok := true
		switch c, low, high := b[i], e[1], e[2]; e[0] {
		case opByte:
			ok = c == low
		case opRange:
			ok = c >= low && c <= high
		case opOutside:
			ok = c < low || c > high
		case opBits:
			ok = c&low == low
		case opNotBits:
			ok = c&low != low
		default:
			var n int
			n, ok = p.run(i, b)
			i += n - 1
		}
		if !ok {
			return false
		}
	}
	return true
}

// run matches the elements of p from element i on that have the same operator,
// opUnlike or opBetween, with the bytes of b at the same indexes. ok reports
// whether they match, and n is the number of these elements.
func (p *pattern) run(i int, b []byte) (n int, ok bool) {
	op := p.elements[3*i]
	var low, high []byte
	for j := i; j < p.n && p.elements[3*j] == op; j++ {
		low, high = append(low, p.elements[3*j+1]), append(high, p.elements[3*j+2])
	}
	n = len(low)
	got := b[i : i+n]
	if op == opUnlike {
		return n, !bytes.Equal(got, low)
	}
	return n, bytes.Compare(got, low) >= 0 && bytes.Compare(got, high) <= 0
}
