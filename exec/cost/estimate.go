package cost

import (
	"context"
	"slices"
	"time"

	"infomall/exec/expr"
	"infomall/exec/op"
	"infomall/exec/plan"
	"infomall/exec/relation"
	"infomall/exec/value"
	"infomall/store/record"
)

// Estimate is the expected cost of a plan, for empty caches.
type Estimate struct {
	Rows       float64 // rows that the plan yields
	IndexBytes float64 // bytes of index chunks to decode
	FileBytes  float64 // bytes to read from db-files, compressed as they are
	Seconds    float64 // time to run the plan, without printing the rows
	Sample     string  // the smallest sample by which rows were counted, such as "45 URLs"; "" if none
	Parts      []Part  // of the nodes, in the order of plan.Walk
}

// Bytes returns the bytes to read from indexes and db-files.
func (e *Estimate) Bytes() float64 { return e.IndexBytes + e.FileBytes }

// Add adds o to e. o is the estimate of another plan that the same statement runs.
func (e *Estimate) Add(o *Estimate) {
	e.Rows += o.Rows
	e.IndexBytes += o.IndexBytes
	e.FileBytes += o.FileBytes
	e.Seconds += o.Seconds
	if e.Sample == "" {
		e.Sample = o.Sample
	}
	first := len(e.Parts)
	for _, p := range o.Parts {
		below := make([]int, len(p.below))
		for i, at := range p.below {
			below[i] = at + first
		}
		p.below = below
		e.Parts = append(e.Parts, p)
	}
}

// Of returns the part of e for the node n, or nil if the plan does not contain n.
func (e *Estimate) Of(n plan.Node) *Part {
	for i := range e.Parts {
		if e.Parts[i].Node == n {
			return &e.Parts[i]
		}
	}
	return nil
}

// FileBytesOf returns how many bytes of db-files are read for the source src. They include the bytes
// that nodes above src read to fill its late columns.
func (e *Estimate) FileBytesOf(src *plan.Source) (sum float64) {
	for i := range e.Parts {
		n, ok := e.Parts[i].Node.(*plan.Payload)
		if ok && n.Source == src || e.Parts[i].Node == plan.Node(src) {
			sum += e.Parts[i].FileBytes
		}
	}
	return sum
}

// Part is the estimate of one node of a plan, without the nodes below it.
type Part struct {
	Node       plan.Node
	Rows       float64 // rows that the node yields
	IndexBytes float64
	FileBytes  float64
	Seconds    float64
	// Reading is what a Source reads at most.
	Reading record.Reading

	guess         guess
	share         float64         // the share of its bytes that are read, because only some rows are asked for
	expected      record.Expected // of the first source below
	linked        record.Expected // of the captures whose links a source of pages reads
	below         []int           // indexes in Estimate.Parts
	filtered      float64         // captures of the segments whose filters of URLs a source asks
	indexed       float64         // captures of the pools whose indexes of words a source asks
	indexedShare  float64         // the share of these captures
	perByte       float64         // seconds for a byte of FileBytes, as measured at a draw; 0 if it was not
	drawn         *draw           // some rows of the node; nil if none were read
	counted       bool            // Rows is not the guess: rows were counted
	rowsN, timesN names
	bytesN        names
}

// guess is what the catalogue says of a node, before corrections: the rows that come in and
// go out, and the bytes to read from indexes and from db-files. The rows that come in to a
// source are the captures that it reads.
type guess struct{ rows, rowsIn, index, file float64 }

// Options say what an estimate uses besides the catalogue.
type Options struct {
	Rates *Rates // the corrections; nil means none
	// Runner, if not nil, runs nodes of the plan on a sample of URLs, to count their rows.
	// It must read the snapshot that is given to Of. Nothing else may use it meanwhile.
	Runner *op.Runner
	// Ran, if not nil, returns what a node did when the plan ran. The estimate then takes
	// the number of its rows from there instead of guessing.
	Ran func(plan.Node) Actual
}

// Of estimates the plan n on the snapshot snap, which may be nil if n reads no archive.
// It reads the catalogue, the keys of index chunks and some censuses, and with a Runner
// also captures.
func Of(ctx context.Context, snap relation.Snapshot, n plan.Node, o Options) (*Estimate, error) {
	start := time.Now()
	m := &maker{ctx: ctx, snap: snap, rates: o.Rates, ran: o.Ran, e: new(Estimate)}
	defer m.begin(ctx, o.Runner)()
	top, err := m.node(n)
	if err != nil {
		return nil, err
	}
	m.e.Rows = m.e.Parts[top].Rows
	least := 0
	for i := range m.e.Parts {
		p := &m.e.Parts[i]
		m.e.IndexBytes += p.IndexBytes
		m.e.FileBytes += p.FileBytes
		m.e.Seconds += p.Seconds
		if d := p.drawn; d != nil && d.size > 0 && (least == 0 || d.size < least) {
			least, m.e.Sample = d.size, value.Counted(d.size, d.unit)
		}
		p.drawn = nil
	}
	if o.Rates != nil && o.Runner == nil {
		o.Rates.mu.Lock()
		o.Rates.took = time.Since(start)
		o.Rates.mu.Unlock()
	}
	return m.e, nil
}

// maker makes one Estimate.
type maker struct {
	ctx   context.Context
	snap  relation.Snapshot
	rates *Rates
	ran   func(plan.Node) Actual
	e     *Estimate

	runner  *op.Runner      // runs draws; nil if there are none
	drawing context.Context // of the draws
	left    float64         // seconds of work that may be spent on draws
}

// node adds the parts of n and of all nodes below n to the estimate. It returns the index of
// the part of n.
func (m *maker) node(n plan.Node) (int, error) {
	at := len(m.e.Parts)
	m.e.Parts = append(m.e.Parts, Part{Node: n})
	var below []int
	for _, b := range n.Below() {
		i, err := m.node(b)
		if err != nil {
			return 0, err
		}
		below = append(below, i)
	}
	p := Part{Node: n, below: below, share: 1}
	if len(below) > 0 {
		first := &m.e.Parts[below[0]]
		p.guess.rowsIn, p.expected = first.Rows, first.expected
	}
	if src, ok := n.(*plan.Source); ok {
		if err := m.source(src, &p); err != nil {
			return 0, err
		}
	} else {
		m.guess(n, &p)
	}
	same, shape := sameText(n), shapeText(n)
	// How many rows a condition leaves depends on its values, so rows go by no shape.
	p.rowsN, p.timesN, p.bytesN = nameOf("rows", same, ""), nameOf("time", same, shape), nameOf("bytes", same, shape)
	m.rows(n, &p)
	p.IndexBytes = p.guess.index * m.rates.factor(p.bytesN.index())
	p.FileBytes = p.guess.file * m.rates.factor(p.bytesN)
	p.Seconds = units(&p, p.guess.rowsIn, p.Rows) * m.rates.factor(p.timesN)
	m.e.Parts[at] = p
	if j, ok := n.(*plan.Join); ok && j.Seek != nil {
		m.seek(&p, j.Seek)
	}
	if l, ok := n.(*plan.Limit); ok && l.N >= 0 {
		m.limit(below[0], float64(l.N+l.Skip))
	}
	return at, nil
}

// rows sets p.Rows, the number of rows that the node n yields. It takes the number from the
// run of the plan if the plan ran, otherwise from a draw if one can be made, and otherwise
// from the guess.
func (m *maker) rows(n plan.Node, p *Part) {
	if m.ran != nil {
		if a := m.ran(n); a.Ended {
			p.Rows, p.counted = float64(a.Rows), true
			return
		}
	}
	if m.runner != nil {
		if p.drawn, p.Rows, p.counted = m.draw(n, p); p.counted {
			return
		}
	}
	p.Rows = p.guess.rows
	if corrected(n) {
		p.Rows *= m.rates.factor(p.rowsN)
	}
	if g, ok := n.(*plan.Group); ok && len(g.Keys) == 0 {
		p.Rows = 1
	}
}

// corrected reports whether corrections apply to the number of rows of n. They do not if the
// number is certain from the rows below n, as for a sort.
func corrected(n plan.Node) bool {
	switch n.(type) {
	case *plan.Source, *plan.Filter, *plan.Group, *plan.Join, *plan.Distinct, *plan.File:
		return true
	}
	return false
}

// limit makes part i cheaper, because no more of its rows are asked for than the number in the
// parameter most. It does the same to the parts below from which rows stream. Below a node
// that sorts or groups, all rows are needed.
func (m *maker) limit(i int, most float64) {
	p := &m.e.Parts[i]
	if p.Rows <= most {
		return
	}
	m.scale(i, most/p.Rows)
}

// seek makes src, the source on the right side of the join p, cheaper if src needs to read
// only the few URLs that the rows of the left side name.
func (m *maker) seek(p *Part, src *plan.Source) {
	left, s := m.e.Parts[p.below[0]].Rows, m.e.Of(src)
	if urls := s.expected.Distinct(); left < urls/seekShare {
		f := touched(1, float64(s.Reading.Chunks), left*max(1, s.expected.Captures/max(1, urls)))
		s.IndexBytes *= f
		s.FileBytes *= f
		s.share *= f
		asked := min(s.Seconds, float64(s.Reading.Segments)*perSegment) // each segment is asked
		s.Seconds = asked + f*(s.Seconds-asked)
	}
	if left <= soughtMost {
		s.Seconds += left * float64(s.Reading.Segments) * perProbe
	}
}

// soughtMost is the greatest number of rows of the left side of a join for which the right
// side is read by their URLs instead of whole.
const soughtMost = 4 << 10

// seekShare is the least number of URLs on the right side, for each row of the left side,
// for which a join reads the right side by URL.
const seekShare = 16

// scale multiplies the cost of part i, and of the parts below from which rows stream, by f.
// The cost of what a source reads before its first row is not multiplied.
func (m *maker) scale(i int, f float64) {
	p := &m.e.Parts[i]
	p.Rows *= f
	switch p.Node.(type) {
	case *plan.Group, *plan.Sort, *plan.Top, *plan.Window:
		return
	}
	least := 0.
	if p.Reading.Chunks > 0 {
		least = 1 / float64(p.Reading.Chunks)
	}
	f = max(f, least)
	p.IndexBytes *= f
	p.FileBytes *= f
	p.share *= f
	p.Seconds *= f
	for k, b := range p.below {
		if _, ok := p.Node.(*plan.Join); ok && k > 0 {
			break
		}
		m.scale(b, f)
	}
}

// guess sets p.guess.rows, for a node n that is not a source, from the rows of the nodes
// below n.
func (m *maker) guess(n plan.Node, p *Part) {
	in := p.guess.rowsIn
	g := &p.guess
	switch n := n.(type) {
	case *plan.Row:
		g.rows = 1
	case *plan.File:
		g.rows = 1000
	case *plan.Payload:
		g.rows = in
		if !n.Source.Relation.OfStored { // otherwise the source has read the runs
			r := &m.e.Of(n.Source).Reading
			g.file = touched(float64(r.FileBytes), float64(r.Chunks), in)
		}
	case *plan.Filter:
		g.rows = in * selectivity(n.Conds, &p.expected)
	case *plan.Group:
		g.rows = 1
		if len(n.Keys) > 0 {
			g.rows = different(n.Keys, &p.expected, in)
			if n.Having != nil {
				g.rows *= selectivity([]expr.Expr{n.Having}, new(record.Expected))
			}
		}
	case *plan.Distinct:
		g.rows = in / 2
	case *plan.Join:
		right := m.e.Parts[p.below[1]].Rows
		g.rows = in
		if n.One == plan.EveryRow {
			g.rows = in * right
			if len(n.LeftKeys) > 0 {
				different := max(in, right)
				if n.Seek != nil { // the keys are URLs, of which a filter may have left few
					different = max(right, m.e.Parts[p.below[1]].expected.Distinct())
				}
				g.rows /= max(1, different)
			}
			if n.Outer {
				g.rows = max(g.rows, in)
			}
		}
		if !n.Outer && n.One == plan.EveryRow {
			for range n.Conds {
				g.rows /= 3
			}
		}
	case *plan.Union:
		for _, b := range p.below {
			g.rows += m.e.Parts[b].Rows
		}
	case *plan.Top:
		g.rows = min(in, float64(n.N))
	case *plan.Limit:
		g.rows = max(0, in-float64(n.Skip))
		if n.N >= 0 {
			g.rows = min(g.rows, float64(n.N))
		}
	default:
		g.rows = in
	}
}

// Expected returns the expected work of the source n: the cost of n and of the nodes above
// n, up to the next node that joins or that collects rows from several nodes.
func (e *Estimate) Expected(n *relation.Request) relation.Expected {
	at := slices.IndexFunc(e.Parts, func(p Part) bool {
		src, ok := p.Node.(*plan.Source)
		return ok && &src.Request == n
	})
	if at < 0 { // n became a plan by itself, which has a copy of n
		at = slices.IndexFunc(e.Parts, func(p Part) bool {
			src, ok := p.Node.(*plan.Source)
			return ok && src.Relation == n.Relation
		})
	}
	if at < 0 {
		return relation.Expected{}
	}
	p := &e.Parts[at]
	w := relation.Expected{Chunks: p.Reading.Chunks}
	for {
		w.Bytes += p.IndexBytes + p.FileBytes
		w.Seconds += p.Seconds
		above := slices.IndexFunc(e.Parts, func(p Part) bool { return len(p.below) == 1 && p.below[0] == at })
		if above < 0 {
			return w
		}
		at, p = above, &e.Parts[above]
	}
}
