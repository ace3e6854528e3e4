package plan

import (
	"slices"

	"infomall/exec/expr"
	"infomall/exec/value"
	"infomall/lang/ast"
)

// sets returns the plan of q, which consists of SELECTs with UNION, EXCEPT and
// INTERSECT between them. ORDER BY and LIMIT of q apply to the rows of the whole.
// The SELECTs may read the queries in the list with.
func sets(q *ast.Query, env *expr.Env, with *named) (Node, error) {
	u := new(Union)
	for _, s := range q.Selects() {
		node, err := build(&ast.Query{Span: s.Span, Select: s}, env, with)
		if err != nil {
			return nil, err
		}
		u.Ins = append(u.Ins, node)
	}
	if err := u.unify(q); err != nil {
		return nil, err
	}
	top := combined(u.Ins, q.Sets)
	if len(q.OrderBy) == 0 && q.Limit == nil {
		return top, nil
	}
	whole := *q
	whole.Select = &ast.Select{Span: q.Span, Items: []ast.Item{{Span: q.Span, Star: true}}}
	whole.Sets = nil
	b := &builder{env: env, query: &whole, sel: whole.Select, with: with, top: top}
	b.inputs = []*input{derivedInput("the result", top)}
	return b.plan()
}

// combined returns the plan that combines the rows of the nodes ins by the
// operators ops between them. INTERSECT binds tighter than the others.
func combined(ins []Node, ops []ast.SetOp) Node {
	next := func() Node { // the next node, with the INTERSECTs after it
		n := ins[0]
		for ins = ins[1:]; len(ops) > 0 && ops[0].Op == ast.Intersect; ins, ops = ins[1:], ops[1:] {
			n = matched(n, ins[0], true)
		}
		return n
	}
	top := next()
	for len(ops) > 0 {
		o := ops[0]
		ops = ops[1:]
		other := next()
		if o.Op == ast.Except {
			top = matched(top, other, false)
			continue
		}
		all, ok := top.(*Union)
		if d, is := top.(*Distinct); is && !o.All { // (a UNION b) UNION c has the distinct rows of all three
			all, ok = d.In.(*Union)
		}
		if !ok {
			all = &Union{Ins: []Node{top}}
		}
		all = &Union{Ins: append(slices.Clip(all.Ins), other)}
		top = all
		if !o.All {
			top = &Distinct{In: all}
		}
	}
	return top
}

// matched returns a node that yields distinct rows of a. If in is set, these are the rows
// that b has too; otherwise the rows that b does not have. NULL equals NULL here.
func matched(a, b Node, in bool) Node {
	mark := expr.Expr(expr.Constant(value.OfBool(true)))
	right := &Project{In: b, Exprs: []expr.Expr{mark}, Names: []string{"found"}}
	j := &Join{Left: &Distinct{In: a}, Right: right, Outer: true, One: FirstRow, NullKeys: len(a.Columns())}
	result := new(Project)
	for i, c := range a.Columns() {
		col := &expr.Col{Index: i, Name: c.Name, T: c.Type}
		right.Exprs, right.Names = append(right.Exprs, col), append(right.Names, c.Name)
		j.LeftKeys = append(j.LeftKeys, col)
		j.RightKeys = append(j.RightKeys, &expr.Col{Index: i + 1, Name: c.Name, T: c.Type})
		result.Exprs, result.Names = append(result.Exprs, col), append(result.Names, c.Name)
	}
	found := expr.Expr(&expr.Is{X: &expr.Col{Index: len(result.Exprs), Name: "found", T: value.Bool}, What: expr.IsTrue})
	if !in {
		found = &expr.Not{X: found}
	}
	result.In = &Filter{In: j, Conds: []expr.Expr{found}}
	return result
}

// unify converts the columns of all queries in n to types that they have in
// common. It returns an error if the queries have different numbers of columns,
// or types that have nothing in common. q is the syntax tree, for errors.
func (n *Union) unify(q *ast.Query) error {
	selects := q.Selects()
	var types []value.Type
	for i, in := range n.Ins {
		cols := in.Columns()
		if i > 0 && len(cols) != len(types) {
			return ast.Errorf(selects[i], "%s needs results with the same number of columns: %d here, %d before", &q.Sets[i-1], len(cols), len(types))
		}
		for k, c := range cols {
			if i == 0 {
				types = append(types, c.Type)
				continue
			}
			t, ok := value.Common(types[k], c.Type)
			if !ok {
				err := ast.Errorf(columnPlace(selects[i], k, len(cols)), "column %d of %s is %s here and %s before", k+1, &q.Sets[i-1], c.Type, types[k])
				err.Hint = "CAST one of them"
				return err
			}
			types[k] = t
		}
	}
	for i, in := range n.Ins {
		n.Ins[i] = converted(in, types)
	}
	return nil
}

// columnPlace returns the position in the statement of column k of a SELECT
// whose result has n columns. If the column comes from a *, it returns the
// position of the SELECT.
func columnPlace(s *ast.Select, k, n int) ast.Span {
	if len(s.Items) == n && !s.Items[k].Star {
		return s.Items[k].Span
	}
	return s.Span
}

// converted returns a node that yields the rows of n with each column converted
// to the given type. If all columns have that type already, it returns n.
func converted(n Node, types []value.Type) Node {
	p := &Project{In: n}
	same := true
	for i, c := range n.Columns() {
		var e expr.Expr = &expr.Col{Index: i, Name: c.Name, T: c.Type}
		same = same && c.Type == types[i]
		e = asType(e, types[i])
		p.Exprs, p.Names = append(p.Exprs, e), append(p.Names, c.Name)
	}
	if same {
		return n
	}
	return p
}
