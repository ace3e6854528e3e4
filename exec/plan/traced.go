package plan

import (
	"fmt"
	"slices"

	"infomall/exec/expr"
	"infomall/exec/relation"
	"infomall/exec/value"
	"infomall/lang/ast"
)

// Traced returns a plan that yields the rows of the query q, in the same order,
// with one more column at the end: the trail, which says from which captures a row
// was made (see Footsteps).
//
// A row of a relation was made from its capture; a row of changes from two. A row
// of a join was made from the captures of both sides. A row of a subquery that is
// looked up counts too. A row of GROUP BY, DISTINCT, EXCEPT or INTERSECT was made
// from the captures of all rows that it stands for. A row with a window function
// was made from its own captures only.
//
// Each error is an *ast.Error: also if q reads a relation whose rows do not say
// from which captures they were made, or if q reads no captures.
func Traced(q *ast.Query, env *expr.Env) (Node, error) {
	traced := *env
	traced.Traced = true
	node, err := Build(q, &traced)
	if err != nil {
		return nil, err
	}
	t := tracer{done: map[Node]steps{}}
	some := false
	for _, src := range Sources(node) {
		switch {
		case src.Relation.RefColumns > 0:
			some = true
		case !src.Relation.OfSession:
			err := ast.Errorf(q, "the rows of %s do not say from which captures they were made", src.Relation.Name)
			err.Hint = "read captures, versions, pages, blocks, changes, layouts, links or findings, with GROUP BY if needed"
			return nil, err
		}
	}
	if !some {
		err := ast.Errorf(q, "the query reads no captures")
		err.Hint = "write a query that reads captures, versions or another relation of captures"
		return nil, err
	}
	return t.closed(node), nil
}

// tracer rewrites a plan such that the trail of each row can be computed at its
// top.
type tracer struct {
	done map[Node]steps // by the node that was rewritten
}

// steps is a node that the tracer has rewritten. The node yields the columns of the original
// node, and maybe more columns after them. parts are the columns from which the trail of a
// row is computed.
type steps struct {
	Node
	parts []TrailPart
}

// closed rewrites the node n and returns a node that yields the columns of n, then the
// trail.
func (t *tracer) closed(n Node) Node {
	s, at := t.noted(n)
	width := len(n.Columns())
	if at == width && len(s.Columns()) == width+1 {
		return s
	}
	order := make([]int, width)
	for i := range order {
		order[i] = i
	}
	return arranged(s, append(order, at))
}

// noted rewrites the node n and returns a node that yields the columns of n and the trail.
// The trail is the column with the index at.
func (t *tracer) noted(n Node) (noted Node, at int) {
	s := t.trace(n)
	if len(s.parts) == 1 && s.parts[0].Refs == 0 {
		return s.Node, s.parts[0].Index
	}
	return &Trail{In: s.Node, Parts: s.parts}, len(s.Columns())
}

// trace returns n after rewriting. It rewrites a node that is read twice only once.
func (t *tracer) trace(n Node) steps {
	s, ok := t.done[n]
	if !ok {
		s = t.rewrite(n)
		t.done[n] = s
	}
	return s
}

// rewrite rewrites n and the nodes below n, and returns the result.
func (t *tracer) rewrite(n Node) steps {
	switch n := n.(type) {
	case *Row, *File:
		return steps{Node: n}
	case *Source:
		return tracedSource(n)
	case *Payload, *Filter, *Sort, *Top, *Limit:
		in := t.trace(n.Below()[0])
		return steps{Over(n, in.Node), in.parts}
	case *Project:
		in, at := t.noted(n.In)
		p := &Project{In: in, Exprs: append(slices.Clip(n.Exprs), trailColumn(at)), Names: append(slices.Clip(n.Names), "captures")}
		return steps{p, []TrailPart{{Index: len(n.Exprs)}}}
	case *Group:
		in, at := t.noted(n.In)
		g := *n
		g.In, g.Aggs = in, append(slices.Clip(n.Aggs), allTrails(at))
		return steps{&g, []TrailPart{{Index: len(n.Keys) + len(n.Aggs)}}}
	case *Distinct:
		return t.distinct(n)
	case *Union:
		u := new(Union)
		for _, in := range n.Ins {
			u.Ins = append(u.Ins, t.closed(in))
		}
		return steps{u, []TrailPart{{Index: len(n.Columns())}}}
	case *Window:
		in := t.trace(n.In)
		before, after := len(n.In.Columns()), len(in.Columns())
		return rearranged(steps{Over(n, in.Node), in.parts}, before, after-before)
	case *Join:
		return t.join(n)
	}
	panic(fmt.Sprintf("plan: unknown node %T", n))
}

// tracedSource returns the source n with its hidden columns as parts.
func tracedSource(n *Source) steps {
	if !n.Refs {
		return steps{Node: n}
	}
	refs := 1
	if n.Relation == relation.Changes {
		refs = 2
	}
	return steps{n, []TrailPart{{Index: len(n.Fields), Refs: refs, Evidence: n.Evidence()}}}
}

// join rewrites the join n and returns the result.
func (t *tracer) join(n *Join) steps {
	left, right, j := t.trace(n.Left), t.trace(n.Right), *n
	j.Left, j.Right = left.Node, right.Node
	before, after := len(n.Left.Columns()), len(left.Columns())
	shift := after - before
	moved := map[*expr.Col]bool{}
	for _, e := range n.Conds {
		expr.Columns(e, func(c *expr.Col) {
			if shift > 0 && c.Index >= before && !moved[c] {
				moved[c] = true
				c.Index += shift
			}
		})
	}
	parts := slices.Clone(left.parts)
	for _, p := range right.parts {
		p.Index += after
		parts = append(parts, p)
	}
	return rearranged(steps{&j, parts}, before, shift)
}

// rearranged returns s with n columns moved to the end of its rows: the columns from the
// index at on, which rewriting has added in the middle. If n is 0, it returns s unchanged.
func rearranged(s steps, at, n int) steps {
	if n == 0 {
		return s
	}
	width := len(s.Columns())
	order, place := make([]int, 0, width), make([]int, width)
	for i := range width {
		if i < at || i >= at+n {
			order = append(order, i)
		}
	}
	for i := range n {
		order = append(order, at+i)
	}
	for to, from := range order {
		place[from] = to
	}
	parts := slices.Clone(s.parts)
	for i := range parts {
		parts[i].Index = place[parts[i].Index]
	}
	return steps{arranged(s.Node, order), parts}
}

// arranged returns a node that yields columns of n in another order: column i of the result
// is column order[i] of n.
func arranged(n Node, order []int) Node {
	cols := n.Columns()
	p := &Project{In: n}
	for _, i := range order {
		p.Exprs = append(p.Exprs, &expr.Col{Index: i, Name: cols[i].Name, T: cols[i].Type})
		p.Names = append(p.Names, cols[i].Name)
	}
	return p
}

// distinct returns nodes that yield the distinct rows of n in the order of their
// first occurrence, as n does, with the trails of all rows that are equal.
func (t *tracer) distinct(n *Distinct) steps {
	in, at := t.noted(n.In)
	number := &Window{In: in, Sorted: true, Funcs: []*WindowFunc{{Kind: RowNumber, T: value.Int, Text: "row_number()"}}}
	first := &expr.Col{Index: len(in.Columns()), Name: "row_number()", T: value.Int}
	g := &Group{In: number, Aggs: []*Aggregate{{Func: Min, Arg: first, T: value.Int, Text: "first row"}, allTrails(at)}}
	order := make([]int, 0, len(n.Columns())+1)
	for i, c := range n.Columns() {
		g.Keys = append(g.Keys, &expr.Col{Index: i, Name: c.Name, T: c.Type})
		order = append(order, i)
	}
	width := len(g.Keys)
	sorted := &Sort{In: g, Keys: []Key{{Expr: &expr.Col{Index: width, Name: "first row", T: value.Int}}}}
	return steps{arranged(sorted, append(order, width+1)), []TrailPart{{Index: width}}}
}

// trailColumn returns an expression that reads the trail, which is in the column with the
// index at.
func trailColumn(at int) expr.Expr { return &expr.Col{Index: at, Name: "captures", T: value.Text} }

// allTrails returns an aggregate that joins the trails of all rows of a group. The trails
// are in the column with the index at.
func allTrails(at int) *Aggregate {
	return &Aggregate{Func: StringAgg, Distinct: true, Arg: trailColumn(at), T: value.Text, Text: "captures"}
}
