package op

import (
	"time"

	"infomall/exec/plan"
	"infomall/exec/value"
)

// Meter measures the nodes of running plans, for EXPLAIN ANALYZE and for estimates of
// later plans. Use a new one for each run of a plan.
type Meter struct {
	nodes map[plan.Node]*Measure
}

// Measure is how many rows a node yielded and how long that took, over all
// its runs.
type Measure struct {
	Rows int64         // rows that the node yielded
	Time time.Duration // time spent in the node and the nodes below it
	// Ended reports that the node yielded its last row. If not, its reader stopped earlier.
	Ended bool
}

// NewMeter returns a meter that has measured nothing.
func NewMeter() *Meter { return &Meter{nodes: map[plan.Node]*Measure{}} }

// Of returns the measurements of the node n. They are zero if n did not run.
func (m *Meter) Of(n plan.Node) Measure {
	if x := m.nodes[n]; x != nil {
		return *x
	}
	return Measure{}
}

// measure returns the given rows, which are the output of the node n, and counts
// them and their time while they are read. The time that the reader of the rows takes
// does not count. A nil Meter measures nothing and returns in.
func (m *Meter) measure(n plan.Node, in value.Rows) value.Rows {
	if m == nil {
		return in
	}
	x := m.nodes[n]
	if x == nil {
		x = new(Measure)
		m.nodes[n] = x
	}
	size := sizer(n)
	return func(yield func(*value.Batch, error) bool) {
		start := time.Now()
		defer func() { x.Time += time.Since(start) }()
		for b, err := range in {
			if b != nil {
				x.Rows += size(b)
			}
			x.Time += time.Since(start)
			more := yield(b, err)
			start = time.Now()
			if !more {
				return
			}
		}
		x.Ended = true
	}
}

// sizer returns a function that returns how many rows a batch of the node n
// stands for. If n comes after a Tally (a source that counts captures
// instead of listing them), each row stands for several.
func sizer(n plan.Node) func(*value.Batch) int64 {
	count := plan.CountOf(n)
	if count < 0 {
		return func(b *value.Batch) int64 { return int64(b.N) }
	}
	return func(b *value.Batch) (rows int64) {
		for _, n := range b.Cols[count].Ints[:b.N] {
			rows += n
		}
		return rows
	}
}
