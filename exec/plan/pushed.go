package plan

import (
	"strings"

	"infomall/exec/expr"
	"infomall/exec/relation"
	"infomall/exec/relation/all"
	"infomall/lang/ast"
)

// withMatches returns q, a query in FROM or the query of a view, with more conditions in its
// WHERE: those conditions x MATCH 'words' of the outer query b for which x is a column that
// q takes unchanged from the text of pages. The archive can then answer them for most pages
// without reading these. The outer query tests the conditions too. name is the name of q in
// b.
func (b *builder) withMatches(q *ast.Query, name string) *ast.Query {
	if b.env.Plain || b.sel.Where == nil || len(b.sel.Joins) > 0 || !passesRows(q) {
		return q
	}
	var where ast.Expr
	for _, e := range conjuncts(b.sel.Where, nil) {
		m, ok := e.(*ast.Binary)
		if !ok || m.Op != "MATCH" {
			continue
		}
		outer, ok := m.X.(*ast.Column)
		if !ok || outer.Qualifier != nil && !strings.EqualFold(outer.Qualifier.Text, name) {
			continue
		}
		inner := b.taken(q.Select, outer.Name.Text, m.Y)
		if inner == nil {
			continue
		}
		inside := *m
		inside.X = inner
		if where == nil {
			where = &inside
		} else {
			where = &ast.Binary{Span: m.Span, Op: "AND", OpAt: m.OpAt, X: where, Y: &inside}
		}
	}
	if where == nil {
		return q
	}
	sel, narrowed := *q.Select, *q
	if sel.Where != nil {
		where = &ast.Binary{Span: sel.Where.At(), Op: "AND", OpAt: sel.Where.At(), X: sel.Where, Y: where}
	}
	sel.Where, narrowed.Select = where, &sel
	return &narrowed
}

// passesRows reports whether each row of q is made from one row of one relation. A condition
// on the rows of q may then be tested on the rows of the relation instead.
func passesRows(q *ast.Query) bool {
	sel := q.Select
	if q.Search != nil || q.With != nil || q.Sets != nil || q.Limit != nil || q.Offset != nil ||
		len(sel.Joins) > 0 || sel.GroupBy != nil || sel.Having != nil || sel.From == nil || sel.From.Query != nil || sel.From.File != nil {
		return false
	}
	list := make([]ast.Expr, 0, len(sel.Items)+len(q.OrderBy))
	for _, it := range sel.Items {
		list = append(list, it.Expr)
	}
	for _, o := range q.OrderBy {
		list = append(list, o.Expr)
	}
	passes := true
	for _, e := range list {
		if e == nil {
			continue // *
		}
		ast.Walk(e, func(n ast.Node) bool {
			// A function such as snippet takes its question from WHERE.
			if c, ok := n.(*ast.Call); ok && (isAggregate(c) || c.Over != nil || expr.TakesMatch(c)) {
				passes = false
			}
			return passes
		})
	}
	return passes
}

// taken returns the column of a relation that sel yields under this name, if the archive can
// answer whether the column matches the search query question. Otherwise it returns nil.
func (b *builder) taken(sel *ast.Select, name string, question ast.Expr) *ast.Column {
	q := b.constantQuestion(question)
	if q == nil {
		return nil
	}
	r := relation.Versions
	if sel.From.Relation != nil {
		if r = all.Find(sel.From.Relation.Text); r == nil || b.with.find(sel.From.Relation.Text) != nil {
			return nil
		}
	}
	var found *ast.Column
	for _, it := range sel.Items {
		c, ok := it.Expr.(*ast.Column)
		if as := itemNameOf(&it); !ok || !strings.EqualFold(as, name) {
			if strings.EqualFold(as, name) {
				return nil
			}
			continue
		}
		if found != nil {
			return nil
		}
		found = c
	}
	if found == nil {
		return nil
	}
	if col := r.Column(found.Name.Text); col == nil || col.Matching(q) == nil {
		return nil
	}
	return found
}

// itemNameOf returns the name of the result column that the item of a SELECT makes, or ""
// for *.
func itemNameOf(it *ast.Item) string {
	switch {
	case it.Alias != nil:
		return it.Alias.Text
	case it.Expr == nil:
		return ""
	}
	return itemName(it.Expr)
}
