package plan

import (
	"fmt"
	"math"

	"infomall/exec/value"
)

// Cut is a place where a plan may be divided. The rows of Node can be computed in parts, one
// part for each range of URL keys. The nodes above Node read the joined parts.
type Cut struct {
	Node   Node
	At     int     // the index of Node in the order of Walk
	Source *Source // the only source below Node; a part reads a range of its keys
}

// Cuts returns the places where the plan n is divided among workers, in the order of Walk.
// No cut is below another. If there are none, why says the reason in words, such as
// "it joins rows".
//
// A cut is as high in the plan as possible. Filters, projections and late columns are
// computed in the parts. A Group, a Distinct, a Top and a Limit are computed twice: in each
// part, and over the joined parts. So a Top sends no more than its N rows for each part, and
// a Group sends the state of each aggregate. All other nodes read the joined parts.
func Cuts(n Node) (cuts []Cut, why string) {
	c := cutter{}
	at := 0
	Walk(n, func(n Node, _ int) {
		if _, join := n.(*Join); join {
			c.note("it joins rows")
			c.joins = true
		}
	})
	if !c.joins {
		c.find(n, &at)
	}
	if len(c.cuts) == 0 && c.why == "" {
		c.why = "it reads no captures"
	}
	if len(c.cuts) > 0 {
		return c.cuts, ""
	}
	return nil, c.why
}

// cutter looks for the cuts of a plan.
type cutter struct {
	cuts  []Cut
	why   string // the first reason against a cut
	joins bool
}

// note sets c.why to why, a reason against a cut, unless c has a reason already.
func (c *cutter) note(why string) {
	if c.why == "" {
		c.why = why
	}
}

// find adds the cuts at n and below n to c. At the start *at is the index of n in the order
// of Walk; find adds to it the number of nodes at and below n. open reports that n is a cut
// that may be moved up to the node above n.
func (c *cutter) find(n Node, at *int) (open bool) {
	here := *at
	*at++
	for _, below := range n.Below() {
		open = c.find(below, at)
	}
	if src, ok := n.(*Source); ok {
		if why := src.undivided(); why != "" {
			c.note(why)
			return false
		}
		c.cuts = append(c.cuts, Cut{n, here, src})
		return true
	}
	if !open || len(n.Below()) != 1 {
		return false
	}
	last := &c.cuts[len(c.cuts)-1]
	switch n := n.(type) {
	case *Filter, *Payload, *Project:
		last.Node, last.At = n, here
		return true
	case *Limit:
		if n.N >= 0 && !filters(n.In) {
			c.cuts = c.cuts[:len(c.cuts)-1]
			c.note(fmt.Sprintf("it stops after %s", value.Counted(n.N, "row")))
			return false
		}
		if n.N >= 0 && n.Skip <= math.MaxInt64-n.N {
			last.Node, last.At = n, here
		}
	case *Group:
		if n.mergeable() {
			last.Node, last.At = n, here
		}
	case *Top, *Distinct:
		last.Node, last.At = n, here
	}
	return false
}

// filters reports whether n leaves out rows of its source, so that a LIMIT above n may read
// much to find few rows.
func filters(n Node) bool {
	for {
		switch x := n.(type) {
		case *Filter:
			return true
		case *Source:
			return x.Match != nil
		}
		n = n.Below()[0]
	}
}

// undivided returns why the rows of n cannot be computed in parts by ranges of URL keys, or
// "" if they can.
func (n *Source) undivided() string {
	if !n.Relation.OfURL || n.Joins() {
		return "a row of " + n.Relation.Name + " may depend on several URLs"
	}
	for _, f := range n.Fields {
		if f.OneTime {
			return f.Name + " depends on the pages of other URLs"
		}
	}
	return ""
}

// mergeable reports whether n can be computed in two steps with the same result: groups of
// each part of the rows, then groups of these. Sums of floats are not mergeable, because
// their last digits depend on the order of the additions.
func (n *Group) mergeable() bool {
	for _, a := range n.Aggs {
		if a.Distinct {
			continue
		}
		switch a.Func {
		case Stddev:
			return false
		case Sum, Avg:
			if a.Arg.Type() == value.Float {
				return false
			}
		}
	}
	return true
}

// String says in words, for EXPLAIN, what each worker computes for the cut, such as "groups
// in two steps" or "rows in order".
func (c *Cut) String() string {
	switch n := c.Node.(type) {
	case *Group:
		return "groups in two steps"
	case *Top:
		return "the first " + value.Counted(n.N, "row") + " of each"
	case *Limit:
		return "the first " + value.Counted(n.N+n.Skip, "row") + " of each"
	case *Distinct:
		return "different rows of each"
	}
	return "rows in order"
}
