package export

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"infomall/exec/plan"
	"infomall/exec/relation"
	"infomall/exec/value"
	"infomall/lang/ast"
	"infomall/store/record"
	"infomall/store/urlkey"
)

// evidence is the captures from which the rows of a query were made, and the captures with
// which these were compared. All are sorted by URL and time.
type evidence struct {
	list []piece
	at   map[record.Ref]int32 // the index in list of each capture from which a row was made
}

// piece is one capture of the evidence.
type piece struct {
	ref record.Ref
	id  string // of its record in the file; "" until it is written
	// context has the captures of the same URL with which this one was compared, as
	// ranges of indexes in the list. It is nil for a capture from which no row was made.
	context []indexRange
}

// indexRange is the indexes i with from <= i < to.
type indexRange struct{ from, to int32 }

// marks records which pieces of the evidence are listed for the current row, so that each is
// listed once.
type marks struct {
	round int32
	seen  []int32 // by index of the piece: the round in which it was listed last
}

// next makes m ready for the next row, for evidence with n pieces.
func (m *marks) next(n int) {
	if m.seen == nil {
		m.seen = make([]int32, n)
	}
	if m.round++; m.round < 0 { // after 2^31 rows
		clear(m.seen)
		m.round = 1
	}
}

// first reports whether piece i is listed for the first time in this row.
func (m *marks) first(i int32) bool {
	again := m.seen[i] == m.round
	m.seen[i] = m.round
	return !again
}

// row appends to captures the IDs of the captures that the trail of a row names, and to
// context the IDs of the captures with which these were compared. It returns the two longer
// lists.
func (e *evidence) row(m *marks, trail string, captures, context []string) (made, compared []string) {
	m.next(len(e.list))
	for f := range plan.Footsteps(trail) {
		if i := e.at[f.Ref]; m.first(i) {
			captures = append(captures, e.list[i].id)
		}
	}
	for f := range plan.Footsteps(trail) {
		for _, r := range e.list[e.at[f.Ref]].context {
			for i := r.from; i < r.to; i++ {
				if m.first(i) {
					context = append(context, e.list[i].id)
				}
			}
		}
	}
	return captures, context
}

// find returns the evidence for the rows of a: the captures on which they depend. It returns
// an error if there are more captures than the setting provenance_limit allows.
func (p *provenance) find(ctx context.Context, snap relation.Snapshot, a *answer) (*evidence, error) {
	limit := p.s.Settings().ProvenanceLimit
	wanted, n := map[record.Ref]relation.Evidence{}, int64(0)
	var last record.Ref
	for line, err := range a.steps.Sorted() {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, err
		}
		for f := range plan.Footsteps(string(line)) {
			if n == 0 || f.Ref != last {
				n++
			}
			if last = f.Ref; n <= limit {
				wanted[f.Ref] |= f.Evidence
			}
		}
	}
	if n > limit {
		return nil, p.tooMany(n, limit)
	}
	e := &evidence{at: make(map[record.Ref]int32, n)}
	if n == 0 {
		return e, nil
	}
	keys, err := snap.KeysOf(ctx, slices.Collect(maps.Keys(wanted)))
	if err != nil {
		return nil, err
	}
	scan := record.Scan{From: record.MinTime, To: record.MinTime, Columns: record.ColVersionTime | record.ColVia | record.ColDigest}
	for _, src := range plan.Sources(p.node) {
		scan.To = max(scan.To, src.Window.To)
	}
	for _, key := range keys {
		scan.Ranges = append(scan.Ranges, urlkey.Range{From: key, To: key + "\x00"})
	}
	if n, err = e.read(ctx, snap, scan, wanted, limit); err != nil {
		return nil, err
	}
	if n > limit {
		return nil, p.tooMany(n, limit)
	}
	if len(e.at) != len(wanted) { // Unreachable: the scan reads all URLs of the wanted captures.
		return nil, fmt.Errorf("export to %s: the archive has only %d of %s of the rows", p.path, len(e.at), value.Counted(int64(len(wanted)), "capture"))
	}
	return e, nil
}

// tooMany returns the error for rows that depend on n captures if only limit are allowed.
func (p *provenance) tooMany(n, limit int64) error {
	err := ast.Errorf(p.st.Query, "the rows stand on %s, and provenance_limit is %d", value.Counted(n, "capture"), limit)
	err.Hint = "ask for fewer rows, or SET provenance_limit"
	return err
}

// history is the captures of one URL, in order of time.
type history struct {
	visits []visited
	needed []bool // the captures that are part of the evidence
}

// visited is one capture in a history.
type visited struct {
	ref     record.Ref
	version record.Time // when its version began
	via     record.Via
	digest  record.Digest
}

// read adds to e the wanted captures, and the other captures on which rows made from them
// depend. scan yields all captures of the same URLs. read returns how many captures the
// evidence has. If that is more than limit, e is not complete.
func (e *evidence) read(ctx context.Context, snap relation.Snapshot, scan record.Scan, wanted map[record.Ref]relation.Evidence, limit int64) (n int64, err error) {
	var h history
	var key string
	end := func() {
		n += e.addHistory(&h, wanted, n <= limit)
		h.visits = h.visits[:0]
	}
	for b, err := range snap.Scan(ctx, scan) {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return n, err
		}
		for i := range b.N {
			if b.Key[i] != key {
				end()
				key = b.Key[i]
			}
			h.visits = append(h.visits, visited{b.Ref[i], b.VersionTime[i], b.Via[i], b.Digest[i]})
		}
	}
	end()
	return n, nil
}

// addHistory adds to e those captures of one URL that are wanted, and the other captures on
// which rows made from them depend. It returns how many captures these are. If keep is
// false, it only counts them.
func (e *evidence) addHistory(h *history, wanted map[record.Ref]relation.Evidence, keep bool) (n int64) {
	h.needed = append(h.needed[:0], make([]bool, len(h.visits))...)
	contexts := make(map[int][]indexRange)
	for i := range h.visits {
		also, ok := wanted[h.visits[i].ref]
		if !ok {
			continue
		}
		h.needed[i] = true
		contexts[i] = h.context(i, also)
		for _, r := range contexts[i] {
			for k := r.from; k < r.to; k++ {
				h.needed[k] = true
			}
		}
	}
	place := make([]int32, len(h.visits)+1) // the index in e.list of each needed capture, or of the next one
	for i := range h.visits {
		place[i] = int32(len(e.list)) + int32(n)
		if h.needed[i] {
			n++
		}
	}
	place[len(h.visits)] = int32(len(e.list)) + int32(n)
	if !keep {
		return n
	}
	for i, v := range h.visits {
		if !h.needed[i] {
			continue
		}
		context := contexts[i]
		for k, r := range context {
			context[k] = indexRange{place[r.from], place[r.to]}
		}
		if _, ok := wanted[v.ref]; ok {
			e.at[v.ref] = int32(len(e.list))
		}
		e.list = append(e.list, piece{ref: v.ref, context: context})
	}
	return n
}

// context returns the other captures on which a row made from capture i depends, as ranges
// of indexes in the history. The parameter also says which kinds of captures these are. If
// capture i is a revisit, they include the capture that has its body.
func (h *history) context(i int, also relation.Evidence) (list []indexRange) {
	one := func(k int) { list = append(list, indexRange{int32(k), int32(k + 1)}) }
	first := func(k int) int {
		for k > 0 && h.visits[k-1].version == h.visits[k].version {
			k--
		}
		return k
	}
	if also&relation.OnURL != 0 {
		return []indexRange{{0, int32(len(h.visits))}}
	}
	if also&relation.OnEarlier != 0 {
		list = append(list, indexRange{0, int32(i)})
	}
	if also&relation.OnBefore != 0 {
		one(first(i))
		if i > 0 {
			one(i - 1)
			one(first(i - 1))
		}
	}
	if also&relation.OnVersion != 0 {
		end := i + 1
		for end < len(h.visits) && h.visits[end].version == h.visits[i].version {
			end++
		}
		list = append(list, indexRange{int32(first(i)), int32(min(end+1, len(h.visits)))})
	}
	for _, r := range append(list, indexRange{int32(i), int32(i + 1)}) {
		for k := r.from; k < r.to; k++ {
			if o := h.original(int(k)); o >= 0 {
				one(o)
			}
		}
	}
	return list
}

// original returns the index of the latest capture before capture i that has the body
// to which capture i, a revisit, refers. It returns -1 if there is none, or if capture
// i is no revisit.
func (h *history) original(i int) int {
	v := &h.visits[i]
	if v.via != record.ViaRevisit && v.via != record.ViaNotModified {
		return -1
	}
	for k := i - 1; k >= 0; k-- {
		if o := &h.visits[k]; o.digest == v.digest && (o.via == record.ViaResponse || o.via == record.ViaResource) {
			return k
		}
	}
	return -1
}
