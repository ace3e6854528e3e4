package plan

import (
	"strconv"

	"infomall/exec/relation"
	"infomall/exec/relation/work"
	"infomall/lang/ast"
)

// withWatched returns r, the relation that the source from names. If r is the relation
// watched, the result also has the columns of the queries of watches: of one watch if
// WHERE names it, as in name = 'news', and otherwise of all watches.
func (b *builder) withWatched(r *relation.Relation, from *ast.Source) (*relation.Relation, error) {
	if r != work.Watched || b.env.Watched == nil {
		return r, nil
	}
	named := narrower{src: &Source{Request: relation.Request{Relation: r}}, name: nameOf(from), env: b.env}
	watch := ""
	for _, e := range conjuncts(b.sel.Where, nil) {
		if text, ok := named.equalTo(e, "name"); ok {
			watch = text
		}
	}
	columns, err := b.env.Watched(watch)
	if err != nil {
		return nil, err
	}
	return work.WatchedWith(columns), nil
}

// watched narrows a source of the relation watched. If the condition e is name = 'news', the
// source reads only that watch. If e is batch = 3, it reads only that batch: the rows that one
// run of a watch found.
func (r narrower) watched(e ast.Expr) {
	if text, ok := r.equalTo(e, "name"); ok {
		r.src.Watch = text
	}
	if text, ok := r.equalTo(e, "batch"); ok {
		if n, err := strconv.ParseInt(text, 10, 64); err == nil && n > 0 {
			r.src.Batch = n
		}
	}
}

// equalTo returns the text of the constant if e is column = constant, for the column with
// this name. Otherwise it returns false.
func (r narrower) equalTo(e ast.Expr, column string) (string, bool) {
	b, ok := e.(*ast.Binary)
	if !ok || b.Op != "=" {
		return "", false
	}
	x, y := b.X, b.Y
	if !r.isColumn(x, column) {
		x, y = y, x
	}
	if !r.isColumn(x, column) {
		return "", false
	}
	if n, ok := y.(*ast.Number); ok && n.IsInt {
		return strconv.FormatInt(n.Int, 10), true
	}
	return r.text(y)
}

// Aggregates returns the first call of an aggregate function among the SELECTs whose rows
// are rows of q, or nil if there is none. Calls in subqueries do not count.
func Aggregates(q *ast.Query) (found *ast.Call) {
	look := func(e ast.Expr) {
		if e == nil {
			return
		}
		ast.Walk(e, func(n ast.Node) bool {
			if c, ok := n.(*ast.Call); ok && found == nil && isAggregate(c) {
				found = c
			}
			_, query := n.(*ast.Query)
			return found == nil && !query
		})
	}
	selects := []*ast.Select{q.Select}
	for _, s := range q.Sets {
		selects = append(selects, s.Select)
	}
	for _, s := range selects {
		if s == nil {
			continue
		}
		for _, it := range s.Items {
			look(it.Expr)
		}
		look(s.Having)
	}
	for _, o := range q.OrderBy {
		look(o.Expr)
	}
	return found
}
