package op

import (
	"time"

	"infomall/exec/plan"
	"infomall/exec/value"
)

// Meter measures the nodes of a running plan for EXPLAIN ANALYZE. Use a new one
// for each run.
type Meter struct {
	nodes map[plan.Node]*Measure
}

// Measure is what was measured at a node, over all its runs.
type Measure struct {
	Rows int64         // that it yielded
	Time time.Duration // spent in the node and the nodes below
}

// NewMeter returns a meter that has measured nothing.
func NewMeter() *Meter { return &Meter{nodes: map[plan.Node]*Measure{}} }

// Of returns what was measured at n.
func (m *Meter) Of(n plan.Node) Measure {
	if x := m.nodes[n]; x != nil {
		return *x
	}
	return Measure{}
}

// measure passes rows on and counts them. The time that the consumer takes does
// not count. A nil meter measures nothing.
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
	}
}

// sizer returns a function that returns how many rows a batch of n stands for.
// With a Tally that is more than the rows in it.
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
