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

// wholeBytes is how many bytes of a body are searched if the signature is one of those
// with flagWhole.
const wholeBytes = 64 << 20

// placesMax is how many places at which a fragment matches are examined further.
const placesMax = 256

// Operators of the elements of a pattern. Package pronom has the same.
const (
	opByte    = iota // the byte a
	opRange          // from a to b
	opOutside        // not from a to b
	opBits           // all bits of a are set
	opNotBits        // not all bits of a are set
	opUnlike         // a run of these: at least one byte differs from its a
	opBetween        // a run of these: from the text of all a to that of all b
)

// Anchors of sequences.
const (
	anywhere = iota
	fromStart
	fromEnd
)

// The flags of a signature.
const (
	flagWeak  = 1
	flagWhole = 2 // pieces that may be anywhere are searched in the whole body
	flagFixed = 4 // the first sequence is at one place
)

// matcher matches the signatures of a table with one body.
type matcher struct {
	*table
	body            span
	head, tail, all []byte // all is the whole body, or its first bytes
	steps           int    // how many more steps may be made
	whole           bool   // see flagWhole; of the signature that is matched now
	// absent are patterns, by their places in the table, that a search of the whole body has not
	// found. Several signatures of PDFs ask for the same pattern.
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

// signature reports in ok whether the body matches the signature at the offset at of the section
// signatures. h is the hit if it does.
func (m *matcher) signature(at uint32) (h hit, ok bool) {
	r := packed.Reader{B: m.signatures[at:]}
	h.format = r.Number()
	flags := r.Byte()
	h.strength = r.Number()
	h.weak, h.fixed, m.whole = flags&flagWeak != 0, flags&flagFixed != 0, flags&flagWhole != 0
	return h, m.sequences(&r)
}

// piece is a piece of a sequence. most is -1 if its offset has no bound.
type piece struct {
	least, most int
	main        pattern
	left, right side
}

// side is the part of a pattern to the left or to the right of its main part: a number of groups in
// packed form, which take from least to most bytes.
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

// pattern is a pattern in packed form.
type pattern struct {
	at       int  // in the section patterns
	n        int  // number of elements
	literal  bool // b is the text that matches
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

// open returns the groups of one side, the one next to the main pattern first.
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

// pattern returns the pattern at a place of the section patterns.
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

// inWhole reports whether all pieces are in the body, one after the other. pieces[from:] may be
// anywhere after the pieces before them. If the middle of the body is not known, all pieces must
// be in the bytes before the middle, or pieces[from:] must be in the bytes after it.
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

// follow reports whether the pieces are in b, one after the other. The offsets of the first piece
// count from the place from.
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

// walk matches the groups of one side of a piece with b, one after the other. It starts at the
// place from, and goes to the right if the parameter by is 1, and to the left if it is -1. It
// returns the places where the last group ends; without groups, that is from itself.
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

// places finds the matches of f next to the place at, in the direction of the parameter by, and
// appends the places where they end to out.
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

// find returns the first place from low to last where b has the pattern, or -1.
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

// run reports whether b matches the run of opUnlike or opBetween that begins at the
// element i, and returns the length of the run.
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
