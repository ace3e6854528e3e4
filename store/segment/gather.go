package segment

import (
	"cmp"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"

	"infomall/store/segment/column"
	"infomall/store/sequences"
)

// errNotGathered is returned by Gather if a body needs more than gatherRuns runs.
// The caller then has to decompress the runs.
var errNotGathered = errors.New("the runs have to be decompressed")

// Gather reads the blocks of spans and calls use once, with all these blocks in order. The
// function use must not keep the blocks. The function open returns the contents of the run ref,
// as Reader.Contents does. At most atOnce goroutines call open at the same time. The function
// behind returns the runs that a run builds on, or nil if it does not know them. Gather opens
// the runs that behind knows together with the run itself, and other runs only after it has
// read the run.
//
// Gather does not decompress whole runs, unless they are in memory already. It parses their
// compressed frames into sequences (zstd's pairs of literals and a copied match). It executes
// only the sequences that produce the wanted blocks, or the bytes from which those are copied,
// in these runs and in the runs they build on. For one or two pages that is several times
// faster than decompressing, but leaves nothing in memory for the next page. Gather does not
// check the bytes: the caller should compare a digest. After an error, Reader.Load returns what
// is wrong with a run, if anything is.
func Gather(spans []Span, atOnce int, open func(ref RunRef, room []byte) (*Contents, error), behind func(RunRef) []RunRef, use func(blocks [][]byte) error) error {
	g := takeGatherer()
	defer g.giveBack()
	g.open, g.behind = open, behind
	if err := g.fetch(spans, atOnce); err != nil {
		return err
	}
	for _, s := range spans {
		if err := g.want(s); err != nil {
			return err
		}
	}
	if err := sideBySide(g.order, gatherers, (*part).follow); err != nil {
		return err
	}
	slices.Reverse(g.order)
	if err := sideBySide(g.order, gatherers, (*part).make); err != nil {
		return err
	}
	for _, s := range spans {
		p := g.parts[RunRef{s.Segment, s.Run}]
		for n := range s.Count {
			from, to, err := p.block(s.N + n)
			if err != nil {
				return err
			}
			if from == to {
				from, to = 0, 0 // nothing of the run may be needed
			}
			g.blocks = append(g.blocks, p.out[from:to:to])
		}
	}
	return use(g.blocks)
}

// gatherer is the state of one call of Gather. Only one goroutine at a time may use
// it.
type gatherer struct {
	open   func(RunRef, []byte) (*Contents, error)
	behind func(RunRef) []RunRef
	parts  map[RunRef]*part
	// order has all parts. fetch sorts them so that the newest comes first: each part
	// then comes before the parts that it builds on. Gather reverses this order before
	// it calls make.
	order  []*part
	free   []*part // parts whose memory may be used again
	blocks [][]byte
}

// part is a run of which some bytes are wanted. Its method follow is called after
// the method follow of all runs that build on it. Its method make is called after
// the method make of all runs it builds on. A goroutine that needs the result waits
// for followed or made, so only one goroutine at a time works on a part.
type part struct {
	ref    RunRef
	named  bool // one of the spans passed to Gather is in this run
	run    *Contents
	record []byte // memory for the record
	out    []byte // decompressed content, as far as it is needed
	whole  bool   // out is the complete content
	frame  sequences.Frame
	// wanted has a bit for each sequence. If bit i is set, need[i] is the range of
	// out that is needed from what sequence i produces.
	wanted         []uint64
	need           []stretch
	ahead          []ahead // the runs it builds on, the nearest first
	users          []*part // the parts that build on it
	followed, made sync.WaitGroup
}

// stretch is a range of bytes of part.out.
type stretch struct{ from, to uint32 }

// ahead is a run on which another run, the user, builds. In the memory of the decoder, the
// content of the run lies before the content of the user, with a seam of seamBytes between.
// distance is how many bytes lie between the end of that seam and the content of the user.
type ahead struct {
	part     *part
	bytes    uint32
	distance uint32
	need     []stretch // the ranges of part.out that the user needs
}

// gatherRuns is how many runs one call of Gather may need at most. All of them are
// in memory together.
const gatherRuns = 256

// gatherers is how many goroutines work in one call of Gather at most, after the runs are open.
const gatherers = 2

// fetch opens the runs of the spans and the runs they build on, and parses their
// frames. It works in parallel, since most of the time of Gather is spent there.
// Afterwards g.order is sorted, newest run first.
func (g *gatherer) fetch(spans []Span, atOnce int) error {
	for _, s := range spans {
		if s.Count > 0 {
			g.ask(RunRef{s.Segment, s.Run}).named = true
		}
	}
	for from := 0; from < len(g.order); {
		if len(g.order) > gatherRuns {
			return errNotGathered
		}
		some := g.order[from:]
		from = len(g.order)
		err := sideBySide(some, atOnce, func(p *part) error {
			err := p.parse(g.open)
			if err == nil && p.named {
				_, err = p.run.blockEnds()
			}
			return err
		})
		if err != nil {
			return err
		}
		for _, p := range some {
			for _, ref := range p.behind() {
				if ref.Segment >= p.ref.Segment {
					return errLengths
				}
				g.ask(ref)
			}
		}
	}
	// Runs build only on older runs.
	slices.SortFunc(g.order, func(a, b *part) int { return cmp.Compare(b.ref.Segment, a.ref.Segment) })
	for _, p := range g.order {
		p.followed.Add(1)
		p.made.Add(1)
		if err := g.goesOn(p); err != nil {
			return err
		}
	}
	return nil
}

// ask returns the part for the run ref. If there is none yet, ask adds one to the parts that
// fetch opens. It does the same for the runs that ref builds on, as far as g.behind knows them.
func (g *gatherer) ask(ref RunRef) *part {
	if p := g.parts[ref]; p != nil {
		return p
	}
	p := new(part)
	if n := len(g.free); n > 0 {
		p, g.free = g.free[n-1], g.free[:n-1]
	}
	p.ref = ref
	g.parts[ref] = p
	g.order = append(g.order, p)
	if len(g.order) <= gatherRuns {
		for _, r := range g.behind(ref) {
			g.ask(r)
		}
	}
	return p
}

// sideBySide calls do with each element of some, on at most n goroutines, and waits
// for them. It begins the calls in the order of the elements, so a call may wait
// for the calls of earlier elements. A goroutine ends at its first error;
// sideBySide returns all errors, joined.
func sideBySide[T any](some []T, n int, do func(T) error) error {
	var next atomic.Int64
	var wait sync.WaitGroup
	n = max(1, min(n, len(some)))
	errs := make([]error, n)
	work := func(k int) {
		for i := int(next.Add(1) - 1); i < len(some) && errs[k] == nil; i = int(next.Add(1) - 1) {
			errs[k] = do(some[i])
		}
	}
	for k := range n - 1 {
		wait.Go(func() { work(k + 1) })
	}
	work(0)
	wait.Wait()
	return errors.Join(errs...)
}

// behind returns the earlier runs that are needed to decode the run of p, because its bytes
// were compressed after theirs. The run directly before it comes last. behind returns nil if
// the run's content is in memory already.
func (p *part) behind() []RunRef {
	if p.whole {
		return nil
	}
	return p.run.head.behind
}

// want marks the bytes of the blocks of span s as needed.
func (g *gatherer) want(s Span) error {
	if s.Count == 0 {
		return nil
	}
	p := g.parts[RunRef{s.Segment, s.Run}]
	from, _, err := p.block(s.N)
	if err != nil {
		return err
	}
	_, to, err := p.block(s.N + s.Count - 1)
	if err != nil {
		return err
	}
	return p.mark(from, to)
}

// block returns the offsets in the run's content at which block n begins and ends.
func (p *part) block(n uint32) (from, to uint32, err error) {
	ends, err := p.run.blockEnds()
	if err != nil {
		return 0, 0, err
	}
	if uint64(n) >= uint64(len(ends)) {
		return 0, 0, fmt.Errorf("the run has no block %d, of %d", n, len(ends))
	}
	if n > 0 {
		from = uint32(ends[n-1])
	}
	if ends[n] > int64(p.run.bytes) {
		return 0, 0, column.ErrDamaged
	}
	return from, uint32(ends[n]), nil
}

// parse opens the run with the function open and parses its frame. If the run's
// blocks are in memory, parse takes these instead.
func (p *part) parse(open func(RunRef, []byte) (*Contents, error)) (err error) {
	if p.run, err = open(p.ref, p.record); err != nil {
		return err
	}
	if p.run.bytes == 0 || p.run.content != nil {
		p.out, p.whole = p.run.content, true
		return nil
	}
	p.record = p.run.record
	frame, size := p.run.frame, p.run.bytes+p.run.head.factsLength
	if n := p.run.head.factsFrom; n > 0 {
		frame, size = frame[:n], p.run.bytes
	}
	if err := p.frame.Parse(frame, size); err != nil {
		return err
	}
	if p.frame.Len() != size {
		return errLengths
	}
	p.out = room(p.out, size)
	n := len(p.frame.Sequences)
	p.need = room(p.need, n)
	p.wanted = room(p.wanted, n/64+1)
	clear(p.wanted)
	return nil
}

// goesOn finds the runs that p builds on. It fills p.ahead with them, and adds p to the users
// of each.
func (g *gatherer) goesOn(p *part) error {
	distance := uint32(0)
	for _, ref := range slices.Backward(p.behind()) {
		a := g.parts[ref]
		n := a.run.bytes
		if n > behindBytesMax || n < behindBytesMin || a.whole && len(a.out) != n {
			return errLengths
		}
		k := len(p.ahead)
		p.ahead = slices.Grow(p.ahead, 1)[:k+1]
		p.ahead[k] = ahead{part: a, bytes: uint32(n), distance: distance, need: p.ahead[k].need[:0]}
		distance = p.ahead[k].end()
		a.users = append(a.users, p)
	}
	return nil
}

// end returns the distance, in bytes, from the first byte of the content of a to the first byte
// of the content of its user (the run that builds on a).
func (a *ahead) end() uint32 { return a.distance + seamBytes + a.bytes }

// room returns a slice of n elements, in the memory of s if that is large enough.
// Its content is arbitrary.
func room[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// mark marks the bytes p.out[from:to] as needed. The marks are kept for each
// sequence of the run's zstd frame. If several ranges of one sequence are marked,
// the bytes between them are marked too.
func (p *part) mark(from, to uint32) error {
	if p.whole || from >= to {
		return nil
	}
	if to > uint32(len(p.out)) {
		return column.ErrDamaged
	}
	all := p.frame.Sequences
	for i := p.frame.At(from); all[i].Pos < to; i++ {
		s := stretch{max(from, all[i].Pos), min(to, all[i+1].Pos)}
		n, w, bit := &p.need[i], &p.wanted[i/64], uint64(1)<<(i%64)
		if *w&bit != 0 {
			s = stretch{min(s.from, n.from), max(s.to, n.to)}
		}
		*w |= bit
		*n = s
	}
	return nil
}

// follow marks all bytes from which the needed bytes of p are copied, in p and in the runs it
// builds on. It first waits until the runs that build on p have marked theirs.
func (p *part) follow() error {
	defer p.followed.Done()
	for _, u := range p.users {
		u.followed.Wait()
		for i := range u.ahead {
			if a := &u.ahead[i]; a.part == p {
				for _, s := range a.need {
					if err := p.mark(s.from, s.to); err != nil {
						return err
					}
				}
			}
		}
	}
	if p.whole {
		return nil
	}
	for k := len(p.wanted) - 1; k >= 0; k-- {
		// followOne may set marks on this sequence and earlier ones, so the marks
		// are read again each time.
		for below := 64; ; {
			w := p.wanted[k] & (1<<below - 1)
			if w == 0 {
				break
			}
			below = bits.Len64(w) - 1
			if err := p.followOne(64*k + below); err != nil {
				return err
			}
		}
	}
	return nil
}

// followOne marks as needed the bytes that sequence i copies, as far as the bytes that
// the sequence produces are needed.
func (p *part) followOne(i int) error {
	n := &p.need[i]
	s := p.frame.Sequences[i : i+2 : i+2]
	match, off := matchOf(s), s[0].Off
	for n.to > match {
		if off < s[1].Pos-match {
			n.from = min(n.from, match) // the match overlaps itself
		}
		from := max(n.from, match)
		at, some := from, min(off, n.to-from)
		if off > from {
			far := min(off-from, some)
			if err := p.markAhead(off-from, far); err != nil {
				return err
			}
			at, some = at+far, some-far
		}
		if some > 0 {
			if err := p.mark(at-off, at-off+some); err != nil {
				return err
			}
		}
		if max(n.from, match) == from {
			break
		}
		// The match copies from the literals of this sequence, so more of the
		// sequence is needed now.
	}
	return nil
}

// matchOf returns the offset in the content at which the match of s[0], a sequence
// of a zstd frame, begins. The match is the second part of a sequence, after its
// literals. s[1] is the next sequence.
func matchOf(s []sequences.Sequence) uint32 { return s[0].Pos + s[1].Lit - s[0].Lit }

// markAhead marks n bytes in the runs that p builds on as needed. They begin at the
// given distance in bytes before the content of p.
func (p *part) markAhead(distance, n uint32) error {
	for n > 0 {
		a, at, some := p.before(distance, n)
		if a == nil {
			return errLengths
		}
		a.need = append(a.need, stretch{at, at + some})
		distance, n = distance-some, n-some
	}
	return nil
}

// before finds the byte that lies distance bytes before the content of p, in the runs that p
// builds on. It returns the run a that has the byte, the offset at of the byte in the content
// of a, and some: how many of the n bytes from there on lie in a. A byte of a seam is a copy of
// a byte of the run before the seam; before then returns the place of the original. a is nil if
// distance is larger than all these runs together.
func (p *part) before(distance, n uint32) (a *ahead, at, some uint32) {
	for i := range p.ahead {
		if a := &p.ahead[i]; distance <= a.end() {
			at := a.end() - distance
			if at < a.bytes {
				return a, at, min(n, a.bytes-at)
			}
			return a, a.bytes - seam[at-a.bytes], 1
		}
	}
	return nil, 0, 0
}

// seam[i] is the place of the byte that byte i of a seam copies, as a distance in bytes from
// the end of the run before the seam.
var seam = func() (out [seamBytes]uint32) {
	b := []byte{8, 7, 6, 5, 4, 3, 2, 1}
	for i, x := range appendSeam(b)[len(b):] {
		out[i] = uint32(x)
	}
	return out
}()

// make decompresses the needed bytes of the run into p.out. It first waits until the runs from
// which it copies have been made.
func (p *part) make() error {
	defer p.made.Done()
	if p.whole {
		return nil
	}
	for i := range p.ahead {
		p.ahead[i].part.made.Wait()
	}
	for k, w := range p.wanted {
		for ; w != 0; w &= w - 1 {
			p.makeOne(64*k + bits.TrailingZeros64(w))
		}
	}
	return nil
}

// makeOne decompresses the needed bytes of sequence i into p.out.
func (p *part) makeOne(i int) {
	n := p.need[i]
	s := p.frame.Sequences[i : i+2 : i+2]
	match, off := matchOf(s), s[0].Off
	if n.from < match {
		copy(p.out[n.from:min(n.to, match)], p.frame.Literals[s[0].Lit+n.from-s[0].Pos:])
	}
	at := max(n.from, match)
	for off > at && at < n.to {
		a, from, some := p.before(off-at, n.to-at)
		at += uint32(copy(p.out[at:at+some], a.part.out[from:]))
	}
	for at < n.to {
		at += uint32(copy(p.out[at:min(n.to, at+off)], p.out[at-off:]))
	}
}

// freeGatherers holds gatherers that are not in use. It is no sync.Pool, because each garbage
// collection would empty that, and to allocate the memory of a gatherer again takes long.
var freeGatherers = make(chan *gatherer, 2)

// gathererMax is how many bytes of memory a gatherer may keep while it is not in
// use.
const gathererMax = 32 << 20

func takeGatherer() *gatherer {
	select {
	case g := <-freeGatherers:
		return g
	default:
		return &gatherer{parts: make(map[RunRef]*part)}
	}
}

// giveBack makes g available to later calls of Gather, unless its memory is larger
// than gathererMax.
func (g *gatherer) giveBack() {
	for _, p := range g.parts {
		if p.whole {
			p.out = nil
		}
		for i := range p.ahead {
			p.ahead[i].part = nil
		}
		clear(p.users)
		*p = part{record: p.record[:0], frame: p.frame, out: p.out[:0], wanted: p.wanted[:0], need: p.need[:0], ahead: p.ahead[:0], users: p.users[:0]}
		g.free = append(g.free, p)
	}
	bytes := 0
	for _, p := range g.free {
		bytes += cap(p.record) + cap(p.out) + cap(p.wanted)*8 + cap(p.need)*8 + p.frame.Room()
		for _, a := range p.ahead[:cap(p.ahead)] {
			bytes += cap(a.need) * 8
		}
	}
	if bytes > gathererMax {
		return
	}
	clear(g.parts)
	clear(g.order)
	clear(g.blocks)
	g.open, g.order, g.blocks = nil, g.order[:0], g.blocks[:0]
	select {
	case freeGatherers <- g:
	default:
	}
}
