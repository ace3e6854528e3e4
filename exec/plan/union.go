package plan

import (
	"infomall/exec/expr"
	"infomall/exec/value"
	"infomall/lang/ast"
)

// union returns the plan of q, which consists of SELECTs with UNION ALL between
// them. ORDER BY and LIMIT of q apply to the rows of all SELECTs together. The
// SELECTs may read the queries in the list with.
func union(q *ast.Query, env *expr.Env, with *named) (Node, error) {
	u := new(Union)
	selects := append([]*ast.Select{q.Select}, q.Union...)
	for _, s := range selects {
		node, err := build(&ast.Query{Span: s.Span, Select: s}, env, with)
		if err != nil {
			return nil, err
		}
		u.Ins = append(u.Ins, node)
	}
	if err := u.unify(selects); err != nil {
		return nil, err
	}
	if len(q.OrderBy) == 0 && q.Limit == nil {
		return u, nil
	}
	whole := *q
	whole.Select = &ast.Select{Span: q.Span, Items: []ast.Item{{Span: q.Span, Star: true}}}
	b := &builder{env: env, query: &whole, sel: whole.Select, with: with, top: u}
	b.inputs = []*input{derivedInput("the result", u)}
	return b.plan()
}

// unify converts the columns of all queries in u to types that they have in
// common. It returns an error if the queries have different numbers of columns,
// or types that have nothing in common. selects are the syntax trees of the
// queries, for errors.
func (u *Union) unify(selects []*ast.Select) error {
	var types []value.Type
	for i, in := range u.Ins {
		cols := in.Columns()
		if i > 0 && len(cols) != len(types) {
			return ast.Errorf(selects[i], "UNION ALL joins results of as many columns: %d here, %d before", len(cols), len(types))
		}
		for k, c := range cols {
			if i == 0 {
				types = append(types, c.Type)
				continue
			}
			t, ok := value.Common(types[k], c.Type)
			if !ok {
				err := ast.Errorf(columnPlace(selects[i], k, len(cols)), "column %d of UNION ALL is %s here and %s before", k+1, c.Type, types[k])
				err.Hint = "CAST one of them"
				return err
			}
			types[k] = t
		}
	}
	for i, in := range u.Ins {
		u.Ins[i] = converted(in, types)
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
		switch {
		case c.Type == types[i]:
		case c.Type == value.Null:
			e, same = &expr.Const{T: types[i]}, false
		default:
			e, same = &expr.Cast{X: e, To: types[i]}, false
		}
		p.Exprs, p.Names = append(p.Exprs, e), append(p.Names, c.Name)
	}
	if same {
		return n
	}
	return p
}
