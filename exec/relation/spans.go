package relation

import (
	"context"
	"iter"
	"time"

	"infomall/exec/value"
	"infomall/store/record"
)

// spanBatch is a batch of spans. A span is a version as the query sees it: the
// captures of one URL with the same content that follow each other. The
// embedded batch has the first capture of each span.
type spanBatch struct {
	record.Batch
	Last    []record.Time // the last visit that found the version
	Next    []record.Time // when the next version began, or NoTime
	Visits  []int64       // how many captures the span has
	Ordinal []int         // the number of the span among those of its URL in the scan, from 0

	AsOf []record.Time // the moment that AT or NEAREST names, or the end of the period of EACH

	// KnownFrom is the last visit of the URL at AsOf or before, and KnownUntil the first visit at
	// AsOf or later. They are NoTime if there is no such visit, or if the query has neither AT nor
	// EACH.
	KnownFrom, KnownUntil []record.Time

	// LastStatus and LastMime are those of the last visit: a server may send
	// the same body with another status. They are nil if the scan does not read
	// these columns.
	LastStatus []int32
	LastMime   []string

	// NewBlocks and StoredBytes are what each version added to the archive, or
	// -1 if that is not known. They are nil unless brought has filled them.
	NewBlocks, StoredBytes []int64
}

// spans groups the captures of a scan into spans, one per version of a URL, and
// yields those that n chooses.
//
// A version begins at a capture that differs from the one before. The first
// captures of a URL in the scan may belong to a version that began before the
// window. If whole is set, they make a span that begins at the first of them.
// Otherwise they are skipped, because a version is in a time range only if it
// began in the range. For DURING, a version is in the range unless the next
// version began before the range or at its start.
//
// The first batch has one row, so that a row comes soon; later batches are
// larger. A batch is valid until the iteration moves on.
func (r *Reader) spans(ctx context.Context, scan record.Rows, n *Request, whole bool) iter.Seq2[*spanBatch, error] {
	return r.bounded(ctx, n, r.allSpans(ctx, scan, n, whole))
}

// allSpans does what spans does, except that AT does not set when a span is known,
// and WITHIN is ignored.
func (r *Reader) allSpans(ctx context.Context, scan record.Rows, n *Request, whole bool) iter.Seq2[*spanBatch, error] {
	return func(yield func(*spanBatch, error) bool) {
		s := spanner{choice: n.Choice, during: n.During, whole: whole, cur: -1}
		var err error
		if s.each, err = r.each(ctx, n); err != nil {
			yield(nil, err)
			return
		}
		wanted := 1
		for b, err := range scan {
			if err != nil {
				yield(nil, err)
				return
			}
			for i := range b.N {
				s.add(b, i)
				if s.n < wanted || s.kept() < wanted {
					continue
				}
				wanted = min(2*wanted, record.BatchRows)
				if !s.flush(yield, s.kept()) {
					return
				}
			}
		}
		s.settle()
		s.finish()
		s.flush(yield, s.n)
	}
}

// spanner builds spans from captures. out holds the spans that were not yielded
// yet, in its first n rows. The rows from urlRow on belong to the current URL.
type spanner struct {
	choice Choice
	during record.Time
	whole  bool
	each   *eachPeriod // nil without EACH

	out     spanBatch
	n       int
	urlRow  int
	cur     int    // the open row, to which captures are added, or -1
	begun   bool   // at least one capture was added
	key     string // of the current URL
	ordinal int    // of the open row, or the last one, among the spans of the URL, from 0
}

// add adds capture i of b, the next capture of the scan. It begins a new span
// or extends the last one.
func (s *spanner) add(b *record.Batch, i int) {
	newURL := !s.begun || b.Key[i] != s.key
	newVersion := b.Change[i] != record.ChangeSame
	if newURL {
		s.settle()
		s.finish()
		s.begun, s.key = true, b.Key[i]
		s.urlRow, s.cur, s.ordinal = s.n, -1, -1
	}
	if newVersion || newURL {
		s.ordinal++
	}
	for s.each != nil && s.cur >= 0 && s.each.before(b.Time[i]) {
		s.freeze(b.Time[i])
	}
	switch {
	case newVersion || newURL && s.whole:
		s.begin(b, i)
	case s.cur >= 0:
		s.visit(b, i)
	}
}

// begin opens a row for the version that begins at capture i of b, unless the
// choice excludes the version. The open row is the one to which later captures
// of the URL are added.
func (s *spanner) begin(b *record.Batch, i int) {
	switch {
	case s.cur >= 0 && (s.each != nil || b.Time[i] <= s.during && !s.whole):
		s.n = s.cur // the open row is in force at no moment that the query selects, and has no visit in the window
	case s.cur >= 0:
		s.out.Next[s.cur] = b.Time[i]
		s.settle()
	}
	if s.each != nil && s.cur < 0 {
		s.each.begin(max(b.Time[i], s.during))
	}
	held := s.n > s.urlRow
	if held && s.choice.Kind == ChooseFirst {
		s.cur = -1
		return
	}
	if held && s.choice.Kind == ChooseLast {
		s.n = s.urlRow
	}
	s.cur = s.n
	s.n++
	s.out.put(s.cur, b, i)
	s.out.Last[s.cur], s.out.Next[s.cur] = b.Time[i], record.NoTime
	s.out.Visits[s.cur], s.out.Ordinal[s.cur], s.out.AsOf[s.cur] = 1, s.ordinal, s.choice.AsOf
	s.out.KnownFrom[s.cur], s.out.KnownUntil[s.cur] = record.NoTime, record.NoTime
}

// visit adds capture i of b, which has the same content as the one before, to
// the open row.
func (s *spanner) visit(b *record.Batch, i int) {
	s.out.Visits[s.cur]++
	s.out.Last[s.cur] = b.Time[i]
	if b.Status != nil {
		s.out.LastStatus[s.cur] = b.Status[i]
	}
	if b.Mime != nil {
		s.out.LastMime[s.cur] = b.Mime[i]
	}
}

// settle applies the choice NEAREST: if the current URL has two candidates, and
// the later one is complete, it keeps the one nearer to the period. If both are
// equally near, it keeps the earlier one. But if both have the same time, to the
// millisecond, it keeps the later one: of several versions with one time the last
// counts, as with AT.
func (s *spanner) settle() {
	if s.choice.Kind != ChooseNearest || s.n-s.urlRow < 2 {
		return
	}
	a, b := s.urlRow, s.urlRow+1
	if d := s.distance(b) - s.distance(a); d < 0 || d == 0 && s.out.Time[b] == s.out.Last[a] {
		s.out.move(a, b)
	}
	s.n = b
}

// distance returns how many milliseconds the span in a row is away from the
// period of NEAREST: 0 if they overlap.
func (s *spanner) distance(row int) int64 {
	return s.choice.distance(s.out.Time[row], s.out.Last[row])
}

// kept returns how many of the first rows of s.out are final: no later capture
// can change or remove them.
func (s *spanner) kept() int {
	switch {
	case s.choice.Kind == ChooseAll && s.cur >= 0, s.each != nil && s.cur >= 0:
		return s.cur
	}
	return s.urlRow
}

// flush yields the given number of rows, the first ones of s.out, and keeps the
// others. It returns false if the consumer wants no more.
func (s *spanner) flush(yield func(*spanBatch, error) bool, rows int) bool {
	if rows == 0 {
		return true
	}
	s.out.N = rows
	if !yield(&s.out, nil) {
		return false
	}
	for i := rows; i < s.n; i++ {
		s.out.move(i-rows, i)
	}
	s.n -= rows
	s.urlRow -= min(rows, s.urlRow)
	if s.cur >= 0 {
		s.cur -= rows
	}
	return true
}

// put copies capture i of src to row j of b. If j is the number of rows in b,
// it adds a row. The caller sets the fields of the span.
func (b *spanBatch) put(j int, src *record.Batch, i int) {
	if j == len(b.Key) {
		b.Last, b.Next = append(b.Last, 0), append(b.Next, 0)
		b.Visits, b.Ordinal, b.AsOf = append(b.Visits, 0), append(b.Ordinal, 0), append(b.AsOf, record.NoTime)
		b.KnownFrom, b.KnownUntil = append(b.KnownFrom, record.NoTime), append(b.KnownUntil, record.NoTime)
	}
	b.CopyRow(j, src, i)
	record.CopyCell(&b.LastStatus, j, src.Status, i)
	record.CopyCell(&b.LastMime, j, src.Mime, i)
}

// move copies row i of b to row j, where j < i. Row i stays as it is.
func (b *spanBatch) move(j, i int) {
	b.CopyRow(j, &b.Batch, i)
	record.CopyCell(&b.Last, j, b.Last, i)
	record.CopyCell(&b.Next, j, b.Next, i)
	record.CopyCell(&b.Visits, j, b.Visits, i)
	record.CopyCell(&b.Ordinal, j, b.Ordinal, i)
	record.CopyCell(&b.AsOf, j, b.AsOf, i)
	record.CopyCell(&b.KnownFrom, j, b.KnownFrom, i)
	record.CopyCell(&b.KnownUntil, j, b.KnownUntil, i)
	record.CopyCell(&b.LastStatus, j, b.LastStatus, i)
	record.CopyCell(&b.LastMime, j, b.LastMime, i)
}

// chosen yields all captures of the versions that n chooses. It runs two equal
// scans side by side. The first decides which versions are chosen, and the
// second yields their captures. In this way chosen need not hold the captures
// of a version in memory, however many they are.
func (r *Reader) chosen(ctx context.Context, n *Request) record.Rows {
	return func(yield func(*record.Batch, error) bool) {
		next, stop := iter.Pull2(r.spans(ctx, r.visits(ctx, n, choiceScan(n)), n, true))
		defer stop()
		c := chooser{next: next}
		var out record.Batch
		for b, err := range r.visits(ctx, n, n.Scan(record.ColChange)) {
			if err != nil {
				yield(nil, err)
				return
			}
			out.N = 0
			for i := range b.N {
				keep, err := c.keep(b, i)
				if err != nil {
					yield(nil, err)
					return
				}
				if keep {
					out.CopyRow(out.N, b, i)
					out.N++
				}
			}
			if out.N > 0 && !yield(&out, nil) {
				return
			}
		}
	}
}

// choiceScan returns the scan by which the method chosen decides which versions
// n chooses. It reads only the column change, which says where versions begin.
func choiceScan(n *Request) record.Scan {
	s := n.Scan(0)
	s.Columns, s.Work = record.ColChange, nil // the other scan counts
	return s
}

// chooser decides, for each capture of a scan, whether it belongs to a chosen
// span. next yields the chosen spans, in the order of the scan. They come from
// an equal scan, so both see the same captures.
type chooser struct {
	next    func() (*spanBatch, error, bool)
	batch   *spanBatch
	row     int
	done    bool
	begun   bool
	key     string // of the previous capture
	ordinal int    // of the span of the previous capture
}

// keep reports whether capture i of b belongs to a chosen span. It must be
// called once for each capture of the scan, in order.
func (c *chooser) keep(b *record.Batch, i int) (bool, error) {
	if !c.begun || b.Key[i] != c.key {
		c.begun, c.key, c.ordinal = true, b.Key[i], 0
	} else if b.Change[i] != record.ChangeSame {
		c.ordinal++
	}
	for {
		if c.batch == nil || c.row == c.batch.N {
			if err := c.fetch(); err != nil || c.done {
				return false, err
			}
		}
		switch key := c.batch.Key[c.row]; {
		case key == c.key && c.batch.Ordinal[c.row] >= c.ordinal:
			return c.batch.Ordinal[c.row] == c.ordinal, nil
		case key > c.key:
			return false, nil
		}
		c.row++
	}
}

// fetch reads the next batch of chosen spans into c.batch. At the end it sets
// c.done.
func (c *chooser) fetch() error {
	if c.done {
		return nil
	}
	b, err, ok := c.next()
	c.batch, c.row, c.done = b, 0, !ok
	return err
}

// eachPeriod is the state of the choice EACH, which selects a state of each URL
// for every calendar period. It says which period the current URL has reached.
type eachPeriod struct {
	unit string
	zone *time.Location
	to   record.Time // periods that begin here or later are left out
	end  record.Time // of the current period
}

// each returns the initial state of EACH for the request n, or nil if n has
// another choice. If the window of n has no end, the periods end with the last
// capture of the archive.
func (r *Reader) each(ctx context.Context, n *Request) (*eachPeriod, error) {
	if n.Choice.Kind != ChooseEach {
		return nil, nil
	}
	e := &eachPeriod{unit: n.Choice.Unit, zone: n.Choice.Zone, to: n.Window.To}
	if e.to > record.MaxTime {
		pools, err := r.Snapshot.Pools(ctx)
		if err != nil {
			return nil, err
		}
		e.to = record.MinTime
		for _, p := range pools {
			e.to = max(e.to, p.Last+1)
		}
	}
	return e, nil
}

// begin sets the current period to the one that contains t, the time of the
// first capture of a URL.
func (e *eachPeriod) begin(t record.Time) { e.end = value.PeriodAt(e.unit, t, e.zone).To }

// advance sets the current period of EACH to the next one.
func (e *eachPeriod) advance() { e.end = value.PeriodAt(e.unit, e.end, e.zone).To }

// before reports whether the current period of EACH has ended by t.
func (e *eachPeriod) before(t record.Time) bool { return e.end <= t }

// rest reports whether the current period of EACH still belongs to the result:
// whether it begins before the end of the window.
func (e *eachPeriod) rest() bool { return value.PeriodAt(e.unit, e.end-1, e.zone).From < e.to }

// freeze ends the current period of EACH. It makes the open row final, as the
// state of the URL at the end of the period, and opens a copy of the row for
// the next period. The parameter next is the first visit after the period, or
// NoTime.
func (s *spanner) freeze(next record.Time) {
	s.out.put(s.n, &s.out.Batch, s.cur)
	s.out.move(s.n, s.cur)
	s.out.AsOf[s.cur] = s.each.end - 1
	s.out.know(s.cur, next)
	s.cur = s.n
	s.n++
	s.each.advance()
}

// finish ends the current URL. With EACH it adds one row for each period that
// follows the last capture of the URL, and then drops the open row. Without
// EACH it does nothing.
func (s *spanner) finish() {
	if s.each == nil || s.cur < 0 {
		return
	}
	for s.each.rest() {
		s.freeze(record.NoTime)
	}
	s.n, s.cur = s.cur, -1
}

// visits yields the captures of the scan s. If n has a DURING clause, it leaves
// out captures before the start of DURING, except the last one of each URL. It
// leaves out this one too if a capture is at the start exactly.
func (r *Reader) visits(ctx context.Context, n *Request, s record.Scan) record.Rows {
	scan := r.Snapshot.Scan(ctx, s)
	if n.During == record.MinTime {
		return scan
	}
	return func(yield func(*record.Batch, error) bool) {
		var out, held record.Batch // held: one row, the last capture before the start
		some := false
		for b, err := range scan {
			if err != nil {
				yield(nil, err)
				return
			}
			out.N = 0
			for i := range b.N {
				if some && (held.Key[0] != b.Key[i] || b.Time[i] > n.During) {
					out.CopyRow(out.N, &held, 0)
					out.N++
				}
				some = b.Time[i] < n.During
				dst, row := &out, out.N
				if some {
					dst, row = &held, 0
				} else {
					out.N++
				}
				dst.CopyRow(row, b, i)
			}
			if out.N > 0 && !yield(&out, nil) {
				return
			}
		}
		if some {
			held.N = 1
			yield(&held, nil)
		}
	}
}
