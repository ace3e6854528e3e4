package cost

import (
	"context"
	"iter"
	"math"
	"slices"
	"time"

	"infomall/exec/cputime"
	"infomall/exec/expr"
	"infomall/exec/op"
	"infomall/exec/plan"
	"infomall/exec/relation"
	"infomall/exec/value"
	"infomall/store/record"
)

const (
	// drawSeconds bounds the work of the draws of one estimate, by the rates of units.
	// EXPLAIN shall answer at once.
	drawSeconds = .2
	// drawTime bounds the time of the draws of one estimate, in case their work was guessed
	// much too low, for example for a slow condition. After that time the guesses are used.
	drawTime = 5 * time.Second
	// drawRows is how many rows a node may yield for a draw. A node with more rows has no
	// draw: its first rows are not a random sample.
	drawRows = 1 << 14
	// leastRows is how few rows of a draw may be kept. Fewer say nothing about the others.
	leastRows = 8
	// firstRows is for how many rows late columns are first filled, to see how long it takes.
	firstRows = 16
	// rateOff bounds by which factor a measured rate may differ from perFileByte.
	rateOff = 8
)

// draw is a random sample of the rows that a node yields.
type draw struct {
	batches []*value.Batch
	n       int     // rows in batches
	rows    int64   // captures that these rows stand for, see plan.CountOf
	scale   float64 // rows of the node for each row of the draw; 1 if it has all rows
	size    int     // how many URLs, ranges of URLs or rows were chosen; 0 if it has all rows
	unit    string  // of size, such as "URL"
}

// all is a draw whose scale says that it has all rows. It has no batches.
var all = &draw{scale: 1}

// whole reports whether d has all rows of its node.
func (d *draw) whole() bool { return d != nil && d.scale == 1 }

// expected returns an estimate of how many rows the node yields: the rows of d times its
// scale. The estimate is right on average. It is 0 if d has no rows.
func (d *draw) expected() float64 {
	return float64(d.rows) * d.scale
}

// thinned returns d with at most n rows, taken at equal distances.
func (d *draw) thinned(n int) *draw {
	if d == nil || d.n <= n {
		return d
	}
	step := float64(d.n) / float64(n)
	less := &draw{rows: int64(float64(d.rows) / step), scale: d.scale * step, size: n, unit: "row"}
	row, next := 0, 0
	for _, b := range d.batches {
		var sel []int32
		for i := range b.N {
			if row >= int(float64(next)*step) {
				sel = append(sel, int32(i))
				next++
			}
			row++
		}
		some := new(value.Batch)
		some.Gather(b, sel)
		less.batches = append(less.batches, some)
		less.n += some.N
	}
	return less
}

// table yields the rows of a draw, as if they were those of a file.
type table struct {
	cols []value.Column
	rows *draw
}

func (t table) Columns() []value.Column { return t.cols }

func (t table) Rows(context.Context) iter.Seq2[*value.Batch, error] {
	return func(yield func(*value.Batch, error) bool) {
		for _, b := range t.rows.batches {
			if b.N > 0 && !yield(b, nil) {
				return
			}
		}
	}
}

// held returns a node that yields the rows of d. It takes the place of the node n, from
// which these rows were drawn.
func (d *draw) held(n plan.Node) plan.Node {
	return &plan.File{Table: table{n.Columns(), d}}
}

// collect runs the plan n and returns its rows as a draw of the node of. It takes the scale
// and the size of the sample from the draw like. It returns nil if there are more than
// drawRows rows, or if they cannot be read. The user gets the error when the query itself
// runs.
func (m *maker) collect(n, of plan.Node, like *draw) *draw {
	rows, err := m.runner.Rows(m.drawing, n)
	if err != nil {
		return nil
	}
	d := &draw{scale: like.scale, size: like.size, unit: like.unit}
	count := plan.CountOf(of)
	for b, err := range rows {
		if err != nil || d.n+b.N > drawRows {
			return nil
		}
		d.batches = append(d.batches, b.Copy())
		d.n += b.N
		if count < 0 {
			d.rows += int64(b.N)
			continue
		}
		for _, n := range b.Cols[count].Ints[:b.N] {
			d.rows += n
		}
	}
	return d
}

// draw returns a draw (a random sample) of the rows of the node n, and how many rows n is
// expected to yield. It makes the draw from draws of the nodes below n. p is the part of n.
// The draw is nil if it cannot be made. ok is false if rows is unknown; the guess is then to
// be used.
func (m *maker) draw(n plan.Node, p *Part) (d *draw, rows float64, ok bool) {
	if src, is := n.(*plan.Source); is {
		alike := countedAs(src)
		if d = m.drawSource(alike, p); d == nil {
			return nil, 0, false
		}
		rows = d.expected()
		if alike != src {
			d = nil // d has rows of alike, not of n
		}
		return d, rows, true
	}
	if _, is := n.(*plan.Row); is {
		d = m.collect(n, n, all)
		return d, 1, true
	}
	if j, is := n.(*plan.Join); is {
		d = m.drawJoin(j, p)
	} else if len(p.below) == 1 {
		if d, rows, ok = m.drawAbove(n, p); d == nil {
			return nil, rows, ok
		}
	} else if u, is := n.(*plan.Union); is {
		d = m.drawUnion(u, p)
	}
	if d == nil {
		return nil, 0, false
	}
	return d, d.expected(), true
}

// countedAs returns a source that can be drawn and has about the same number of rows as n. In
// most cases this is n itself. Findings with a score need the words of all pages, and joined
// findings need all findings, so for these it returns a source of findings without the score
// and not joined.
func countedAs(n *plan.Source) *plan.Source {
	if n.Relation != relation.Findings || drawnByURL(n) {
		return n
	}
	c := *n
	c.Collapse, c.Refs, c.Fields = false, false, []*relation.Column{relation.Findings.Column("url")}
	return &c
}

// drawAbove does what draw does, for a node with exactly one node below it.
func (m *maker) drawAbove(n plan.Node, p *Part) (d *draw, rows float64, ok bool) {
	below := &m.e.Parts[p.below[0]]
	in := below.drawn
	if in == nil || in.n == 0 && !in.whole() {
		return nil, 0, false
	}
	var keys []expr.Expr
	switch n := n.(type) {
	case *plan.Payload:
		return m.drawPayload(n, in, p), 0, false
	case *plan.Limit:
		if !in.whole() {
			rows = max(0, below.Rows-float64(n.Skip))
			if n.N >= 0 {
				rows = min(rows, float64(n.N))
			}
			return nil, rows, true
		}
	case *plan.Top:
		if !in.whole() {
			return nil, min(below.Rows, float64(n.N)), true
		}
	case *plan.Group:
		if len(n.Keys) == 0 && !in.whole() {
			return nil, 1, true
		}
		keys = n.Keys
	case *plan.Distinct:
		for i, c := range n.Columns() {
			keys = append(keys, &expr.Col{Name: c.Name, Index: i, T: c.Type})
		}
	case *plan.File, *plan.Trail, *plan.Union:
		return nil, 0, false
	}
	above := plan.Over(n, in.held(n.Below()[0]))
	if keys != nil && !in.whole() && !byURL(keys) {
		rows, once, ok := m.differentIn(keys, in, below)
		if g, is := n.(*plan.Group); is {
			if several(g) {
				rows -= once
			} else {
				rows *= havingShare(g)
			}
		}
		return nil, rows, ok
	}
	d = m.collect(above, n, in)
	return d, 0, false
}

// byURL reports whether one of keys is the URL. A draw has all rows of each of its URLs, so
// a group of such a URL is complete.
func byURL(keys []expr.Expr) bool {
	return slices.ContainsFunc(keys, func(k expr.Expr) bool {
		c, ok := k.(*expr.Col)
		return ok && plainName(c.Name) == "url"
	})
}

// drawPayload returns a draw of n, a node that fills late columns. A late column needs the stored
// page. drawPayload fills these columns for those rows of the draw in for which the time suffices. In
// p, the part of n, it notes how much time and how many bytes that took. It returns nil if the time
// suffices for too few rows.
func (m *maker) drawPayload(n *plan.Payload, in *draw, p *Part) *draw {
	row := units(p, 1, 1)
	one := row
	if !n.Source.Relation.OfStored { // otherwise the runs have just been read
		one += m.e.Of(n.Source).perRun()
	}
	most := int(m.left / 2 / one)
	if in.n > most && most < leastRows {
		return nil
	}
	in = in.thinned(most)
	bytes, busy := readBytes(m.snap), cputime.Used()
	fill := func(in *draw) *draw {
		d := m.collect(plan.Over(n, in.held(n.In)), n, in)
		if d == nil || in.n < leastRows || n.Source.Relation.OfStored {
			return d
		}
		bytes, busy := readBytes(m.snap)-bytes, cputime.Used()-busy
		p.guess.file = m.allBytes(n.Source, bytes, p.guess.rowsIn/float64(in.n))
		if bytes > 0 {
			// Rows of a draw are far apart, so reading runs takes nearly all of the time. What is
			// left of it says little about the time that a row itself takes.
			rate := (busy.Seconds() - float64(in.n)*row) / bytes
			p.perByte = max(perFileByte/rateOff, min(rate, perFileByte*rateOff))
		}
		return d
	}
	if first := in.thinned(firstRows); first.n < in.n {
		if d := fill(first); d == nil || (cputime.Used()-busy).Seconds() > m.left/2 {
			m.left /= 2
			return d
		}
	}
	m.left -= float64(in.n) * one
	return fill(in)
}

// allBytes returns an estimate of how many bytes of db-files are read for all rows of the
// source n. bytes is what was read for a draw, and times is the number of rows of n divided by
// that of the draw. The result is less than bytes*times, because a run is read once for all rows
// that need it. It is never more than all bytes of the db-files.
func (m *maker) allBytes(n *plan.Source, bytes, times float64) float64 {
	whole := n.Request // a body may be stored with earlier ones of any URL
	whole.Ranges, whole.Match, whole.Window.From = nil, nil, record.MinTime
	read, err := relation.ToRead(m.ctx, m.snap, &whole)
	most := float64(read.FileBytes)
	if err != nil || times <= 1 || bytes >= most {
		return bytes
	}
	return most * (1 - math.Pow(1-bytes/most, times))
}

// readBytes returns how many bytes of db-files have been read through snap so far.
func readBytes(snap relation.Snapshot) float64 { return float64(snap.Stats().Bytes) }

// drawUnion returns the draw of the union n if the draw of each of its inputs has all rows.
// Otherwise it returns nil.
func (m *maker) drawUnion(n *plan.Union, p *Part) *draw {
	c := &plan.Union{}
	for i, b := range p.below {
		d := m.e.Parts[b].drawn
		if !d.whole() {
			return nil
		}
		c.Ins = append(c.Ins, d.held(n.Ins[i]))
	}
	return m.collect(c, n, all)
}

// drawJoin returns a draw of the join n, or nil if none can be made. It joins a draw of one
// side with all rows of the other side, or with only those URLs of the right side that rows
// of the left side name.
func (m *maker) drawJoin(n *plan.Join, p *Part) *draw {
	left, right := m.e.Parts[p.below[0]].drawn, m.e.Parts[p.below[1]].drawn
	c := *n
	switch {
	case left == nil || left.n == 0 && !left.whole():
		return nil
	case right.whole():
		c.Left, c.Right, c.Seek = left.held(n.Left), right.held(n.Right), nil
	case n.Seek != nil:
		src := m.e.Of(n.Seek)
		// A URL of which little is found costs a chunk. More captures of it cost more.
		one := src.perTouch() * max(1, src.expected.Captures/max(1, src.expected.Distinct()))
		most := int(m.left / 2 / one)
		if left.n > most && most < leastRows {
			return nil
		}
		left = left.thinned(most)
		m.left -= float64(left.n) * one
		c.Left = left.held(n.Left)
	case left.whole() && right != nil && right.n > 0 && !n.Outer && n.One == plan.EveryRow:
		c.Left, c.Right, c.Seek = left.held(n.Left), right.held(n.Right), nil
		return m.collect(&c, n, right)
	default:
		return nil
	}
	return m.collect(&c, n, left)
}

// differentIn estimates how many different combinations of values the expressions keys have
// in all rows of the node below, and how many of these combinations occur in one row only
// (single). The parameter in is a draw of that node. The estimate extrapolates from the
// numbers of combinations that occur once and twice in the draw.
func (m *maker) differentIn(keys []expr.Expr, in *draw, below *Part) (rows, single float64, ok bool) {
	names := make([]string, len(keys))
	seen := map[string]int{}
	values := &plan.Project{In: in.held(below.Node), Exprs: keys, Names: names}
	list, err := m.runner.Rows(m.drawing, values)
	if err != nil {
		return 0, 0, false
	}
	var key []byte
	for b, err := range list {
		if err != nil {
			return 0, 0, false
		}
		for i := range b.N {
			key = key[:0]
			for _, c := range b.Cols {
				key = c.AppendKey(key, i, value.Order{})
			}
			seen[string(key)]++
		}
	}
	var once, twice float64
	for _, n := range seen {
		switch n {
		case 1:
			once++
		case 2:
			twice++
		}
	}
	rows, single = extrapolated(float64(len(seen)), once, twice, float64(in.n), max(below.Rows, float64(in.n)))
	return rows, single, true
}

// extrapolated estimates how many different values all rows have, and how many of these
// values occur once (single). A random sample of n of the rows has different values; once of
// them occur in one row of the sample and twice of them in two. The formulas are equations 9
// and 10 of Chao et al. 2014, Ecological Monographs 84:45. Single is the number of all rows
// times the number of new values that one more row is expected to bring.
func extrapolated(different, once, twice, n, all float64) (values, single float64) {
	if once == 0 || n == 0 {
		return different, 0
	}
	unseen := once * (once - 1) / 2
	if twice > 0 {
		unseen = once * once / (2 * twice)
	}
	unseen = max(unseen*(n-1)/n, 1e-9)
	left := math.Exp(-(all - n) / n * once / unseen)
	values = min(different+unseen*(1-left), all)
	return values, min(values, all/n*once*left)
}

// several reports whether HAVING in g asks only that a group has more than one row, or more
// than one different value of a column.
func several(g *plan.Group) bool {
	c, ok := g.Having.(*expr.Compare)
	if !ok || c.Op != expr.GT {
		return false
	}
	x, isCol := c.X.(*expr.Col)
	y, isConst := c.Y.(*expr.Const)
	if !isCol || !isConst || y.V.Type != value.Int || y.V.Int != 1 || x.Index < len(g.Keys) || x.Index >= len(g.Keys)+len(g.Aggs) {
		return false
	}
	return g.Aggs[x.Index-len(g.Keys)].Func == plan.Count
}

// havingShare returns a guess of the share of the groups of g that meet HAVING, from 0 to 1.
func havingShare(g *plan.Group) float64 {
	if g.Having == nil {
		return 1
	}
	return selectivity([]expr.Expr{g.Having}, new(record.Expected))
}

// begin prepares m to make draws with runner. If runner is nil, m makes no draws. The caller
// must call end when the estimate is made.
func (m *maker) begin(ctx context.Context, runner *op.Runner) (end func()) {
	m.drawing, m.runner, m.left = ctx, runner, drawSeconds
	if runner == nil {
		return func() {}
	}
	m.drawing, end = context.WithTimeout(ctx, drawTime)
	return end
}
