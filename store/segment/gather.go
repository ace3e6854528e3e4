package segment

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"infomall/store/sequences"
)

// errNotGathered is returned by Gather where runs are of a form that it does not
// read.
var errNotGathered = errors.New("the runs have to be decompressed")

// Gather hands the blocks of spans to use, one behind the other, which must not
// keep them. open gives the contents of runs, as Reader.Contents does, and is called
// from several goroutines.
//
// Runs are not decompressed for it, unless they were before: their frames are
// taken apart into sequences, and of these only such are carried out as the blocks
// are made of, or what those are copied from, in these runs and in what they go on
// from. For a page or two that is several times faster, but nothing is left for the
// next. Bytes are not checked: who has a digest of them does it. On an error,
// Reader.Load tells what is wrong with a run, or nothing is.
func Gather(spans []Span, open func(ref RunRef, room []byte) (*Contents, error), use func(blocks [][]byte) error) error {
	g := takeGatherer()
	defer g.giveBack()
	g.open = open
	if err := g.fetch(spans); err != nil {
		return err
	}
	for _, s := range spans {
		if err := g.want(s); err != nil {
			return err
		}
	}
	for p := g.newest(); p != nil; p = g.newest() {
		if err := g.follow(p); err != nil {
			return err
		}
		p.followed = true
		g.order = append(g.order, p)
	}
	for _, p := range slices.Backward(g.order) {
		p.make()
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

// gatherer gathers blocks. It is used by one goroutine at a time.
type gatherer struct {
	open   func(RunRef, []byte) (*Contents, error)
	parts  map[RunRef]*part
	order  []*part // that are followed, the newest first
	free   []*part // whose memory may be used
	blocks [][]byte
}

// part is a run of which some bytes are wanted.
type part struct {
	ref    RunRef
	run    *Contents
	record []byte // memory for it
	out    []byte // what the frame gives, where it is needed; or all there is
	whole  bool   // out is the run's content
	frame  sequences.Frame
	// need is of each sequence what is needed of what it gives. Others than those
	// from low to below high are not.
	need      []stretch
	low, high int
	// index has for each indexStep bytes of out the sequence that gives the first.
	index    []uint32
	ahead    []ahead // what it goes on from, the nearest first
	followed bool
}

// stretch is some bytes of out; none where to is 0.
type stretch struct{ from, to uint32 }

// ahead is a run that another goes on from. Its seam ends so many bytes before the
// other.
type ahead struct {
	part     *part
	bytes    uint32
	distance uint32
}

const indexStep = 64

// gatherRuns is how many runs there may be for it at most: so much is in memory.
const gatherRuns = 256

// gatherers is how many goroutines open the runs of one body.
const gatherers = 2

// fetch opens the runs of spans, and those that they go on from, and takes their
// frames apart. It does so side by side: most of the time goes there.
func (g *gatherer) fetch(spans []Span) error {
	for _, s := range spans {
		if s.Count > 0 {
			g.ask(RunRef{s.Segment, s.Run})
		}
	}
	for from := 0; from < len(g.order); {
		if len(g.order) > gatherRuns {
			return errNotGathered
		}
		some := g.order[from:]
		from = len(g.order)
		if err := g.parse(some); err != nil {
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
	g.order = g.order[:0]
	return nil
}

// ask lets a run be opened that is not yet there.
func (g *gatherer) ask(ref RunRef) {
	if g.parts[ref] != nil {
		return
	}
	p := new(part)
	if n := len(g.free); n > 0 {
		p, g.free = g.free[n-1], g.free[:n-1]
	}
	p.ref = ref
	g.parts[ref] = p
	g.order = append(g.order, p)
}

// parse opens runs.
func (g *gatherer) parse(parts []*part) error {
	var next atomic.Int64
	var wait sync.WaitGroup
	errs := make([]error, gatherers)
	work := func(k int) {
		for i := int(next.Add(1) - 1); i < len(parts) && errs[k] == nil; i = int(next.Add(1) - 1) {
			errs[k] = parts[i].parse(g.open)
		}
	}
	for k := range min(gatherers, len(parts)) - 1 {
		wait.Go(func() { work(k + 1) })
	}
	work(0)
	wait.Wait()
	return errors.Join(errs...)
}

// behind lists what bytes of the run may be copied from.
func (p *part) behind() []RunRef {
	if p.whole {
		return nil
	}
	return p.run.head.behind
}

// want notes what a span needs.
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

// block tells where a block of the run is.
func (p *part) block(n uint32) (from, to uint32, err error) {
	ends, err := p.run.blockEnds()
	if err != nil {
		return 0, 0, err
	}
	if uint64(n) >= uint64(len(ends)) {
		return 0, 0, fmt.Errorf("the run has %d blocks, and no %d", len(ends), n)
	}
	if n > 0 {
		from = uint32(ends[n-1])
	}
	if ends[n] > int64(p.run.bytes) {
		return 0, 0, errColumn
	}
	return from, uint32(ends[n]), nil
}

// parse opens the run, and takes its frame apart unless its blocks are at hand.
func (p *part) parse(open func(RunRef, []byte) (*Contents, error)) (err error) {
	if p.run, err = open(p.ref, p.record); err != nil {
		return err
	}
	switch {
	case p.run.bytes == 0 || p.run.content != nil:
		p.out, p.whole = p.run.content, true
		return nil
	case len(p.run.head.dict) > 0:
		return errNotGathered
	}
	p.record = p.run.record
	frame, size := p.run.frame, p.run.bytes+p.run.head.factsLength
	if n := p.run.head.factsFrom; n > 0 {
		frame, size = frame[:n], p.run.bytes
	}
	if err := p.frame.Parse(frame, size); err != nil {
		return err
	}
	all := p.frame.Sequences
	if int(all[len(all)-1].Pos) != size {
		return errLengths
	}
	p.out = room(p.out, size)
	p.need = room(p.need, len(all)-1)
	clear(p.need)
	p.low, p.high = len(p.need), 0
	p.index = room(p.index, size/indexStep+1)
	k := 0
	for i, s := range all[1:] {
		for ; k < len(p.index) && uint32(k*indexStep) < s.Pos; k++ {
			p.index[k] = uint32(i)
		}
	}
	return nil
}

// room gives a slice of so many elements, in the memory of another if that has
// room.
func room[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// mark notes that bytes of the run are needed.
func (p *part) mark(from, to uint32) error {
	if p.whole || from >= to {
		return nil
	}
	if to > uint32(len(p.out)) {
		return errColumn
	}
	i := int(p.index[from/indexStep])
	all := p.frame.Sequences
	for all[i+1].Pos <= from {
		i++
	}
	p.low = min(p.low, i)
	for ; all[i].Pos < to; i++ {
		a, b := max(from, all[i].Pos), min(to, all[i+1].Pos)
		if n := &p.need[i]; n.to == 0 {
			*n = stretch{a, b}
		} else {
			n.from, n.to = min(n.from, a), max(n.to, b)
		}
	}
	p.high = max(p.high, i)
	return nil
}

// newest gives the newest run that is not yet followed and of which something is
// needed: what runs go on from is older than they are.
func (g *gatherer) newest() (newest *part) {
	for _, p := range g.parts {
		if !p.followed && p.low < p.high && (newest == nil || p.ref.newer(newest.ref)) {
			newest = p
		}
	}
	return newest
}

func (r RunRef) newer(o RunRef) bool {
	return r.Segment > o.Segment || r.Segment == o.Segment && r.Run > o.Run
}

// follow marks what is needed of other sequences, of this run and of those that it
// goes on from: a match copies what was there before.
func (g *gatherer) follow(p *part) error {
	if err := g.goesOn(p); err != nil {
		return err
	}
	for i := p.high - 1; i >= p.low; i-- {
		n := &p.need[i]
		if n.to == 0 {
			continue
		}
		match, off := p.match(i), p.frame.Sequences[i].Off
		if n.to <= match {
			continue
		}
		if off < p.frame.Sequences[i+1].Pos-match {
			n.from = min(n.from, match) // it repeats itself
		}
		a := max(n.from, match)
		from := int64(a) - int64(off)
		to := from + int64(min(off, n.to-a))
		if from < 0 {
			if err := p.markAhead(uint32(-from), uint32(min(to, 0)-from)); err != nil {
				return err
			}
		}
		if to > 0 {
			if err := p.mark(uint32(max(from, 0)), uint32(to)); err != nil {
				return err
			}
		}
		if max(n.from, match) < a {
			i++ // it needs literals of its own, and with them all in between
		}
	}
	return nil
}

// match tells where the match of a sequence begins.
func (p *part) match(i int) uint32 {
	s := p.frame.Sequences[i : i+2]
	return s[0].Pos + s[1].Lit - s[0].Lit
}

// markAhead marks bytes of what the run goes on from, which begin at a distance
// before it.
func (p *part) markAhead(distance, n uint32) error {
	if k := len(p.ahead); k == 0 || distance > p.ahead[k-1].end() {
		return errLengths
	}
	return p.eachAhead(distance, n, func(a *ahead, at, n uint32) error {
		if at < a.bytes {
			return a.part.mark(at, at+n)
		}
		return a.part.mark(a.bytes-behindBytesMin, a.bytes)
	})
}

// goesOn notes what the run goes on from.
func (g *gatherer) goesOn(p *part) error {
	distance := uint32(0)
	for _, ref := range slices.Backward(p.behind()) {
		a := g.parts[ref]
		n := a.run.bytes
		if n > behindBytesMax || n < behindBytesMin || a.whole && len(a.out) != n {
			return errLengths
		}
		p.ahead = append(p.ahead, ahead{part: a, bytes: uint32(n), distance: distance})
		distance = p.ahead[len(p.ahead)-1].end()
	}
	return nil
}

// end is the distance at which the run begins.
func (a *ahead) end() uint32 { return a.distance + seamBytes + a.bytes }

// eachAhead calls f with the stretches of runs that bytes are, which begin at a
// distance: at is where in the run, or from its bytes on in the seam behind it.
func (p *part) eachAhead(distance, n uint32, f func(a *ahead, at, n uint32) error) error {
	for k := len(p.ahead) - 1; k >= 0 && n > 0; k-- {
		a := &p.ahead[k]
		for n > 0 && distance > a.distance {
			at := a.end() - distance
			some := min(n, distance-a.distance)
			if at < a.bytes {
				some = min(some, a.bytes-at)
			}
			if err := f(a, at, some); err != nil {
				return err
			}
			distance, n = distance-some, n-some
		}
	}
	return nil
}

// make makes what is needed of the run. What that is copied from is there.
func (p *part) make() {
	for i := p.low; i < p.high; i++ {
		n := p.need[i]
		if n.to == 0 {
			continue
		}
		s, match := p.frame.Sequences[i], p.match(i)
		if n.from < match {
			copy(p.out[n.from:min(n.to, match)], p.frame.Literals[s.Lit+n.from-s.Pos:])
		}
		if n.to <= match {
			continue
		}
		at, off := max(n.from, match), s.Off
		if off > at {
			some := min(off-at, n.to-at)
			p.copyAhead(p.out[at:at+some], off-at)
			at += some
		}
		for at < n.to {
			at += uint32(copy(p.out[at:min(n.to, at+off)], p.out[at-off:]))
		}
	}
}

// copyAhead copies what stands at a distance before the run.
func (p *part) copyAhead(dst []byte, distance uint32) {
	_ = p.eachAhead(distance, uint32(len(dst)), func(a *ahead, at, n uint32) error {
		if at < a.bytes {
			copy(dst[:n], a.part.out[at:])
		} else {
			var seam [behindBytesMin + seamBytes]byte
			appendSeam(append(seam[:0], a.part.out[a.bytes-behindBytesMin:a.bytes]...))
			copy(dst[:n], seam[behindBytesMin+at-a.bytes:])
		}
		dst = dst[n:]
		return nil
	})
}

// freeGatherers are those that nobody uses: see spliceRooms.
var freeGatherers = make(chan *gatherer, 2)

// gathererMax is how many bytes the parts of one have in memory at most while it
// is free.
const gathererMax = 32 << 20

func takeGatherer() *gatherer {
	select {
	case g := <-freeGatherers:
		return g
	default:
		return &gatherer{parts: make(map[RunRef]*part)}
	}
}

// giveBack lets another use the memory, unless it is more than pages need.
func (g *gatherer) giveBack() {
	for _, p := range g.parts {
		if p.whole {
			p.out = nil
		}
		clear(p.ahead)
		*p = part{record: p.record[:0], frame: p.frame, out: p.out[:0], need: p.need[:0], index: p.index[:0], ahead: p.ahead[:0]}
		g.free = append(g.free, p)
	}
	clear(g.parts)
	clear(g.order)
	clear(g.blocks)
	g.open, g.order, g.blocks = nil, g.order[:0], g.blocks[:0]
	bytes := 0
	for _, p := range g.free {
		bytes += cap(p.record) + cap(p.out) + 8*cap(p.need) + 4*cap(p.index) + 12*cap(p.frame.Sequences) + cap(p.frame.Literals) + partBytes
	}
	if bytes > gathererMax {
		return
	}
	select {
	case freeGatherers <- g:
	default:
	}
}

// partBytes is what a part has besides, mostly the tables of its frame.
const partBytes = 20 << 10
