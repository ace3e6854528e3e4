package plan

import (
	"strings"

	"infomall/exec/expr"
	"infomall/exec/relation"
	"infomall/exec/value"
	"infomall/lang/ast"
)

// around is the first input of a subquery that reads columns of the outer query
// (the query around it) otherwise than in comparisons by = in WHERE. It has one
// row for each combination of values that these columns have in the outer query.
// In
//
//	SELECT url, (SELECT count(*) FROM captures AS c WHERE c.time > p.first_seen) FROM pages AS p
//
// it has the different values of p.first_seen. The subquery is then planned as a
// query over a join with this input, and is computed once for each row of it.
type around struct {
	*input
	columns []*ast.Column // of the outer query, one for each column of the input
	values  *Project      // computes the columns from the rows of the outer query
	filled  bool          // values reads the outer query
}

// column returns the column of a that has the values of the column c of the outer query. It
// returns nil if a has no such column or is nil.
func (a *around) column(c *ast.Column) *relation.Column {
	if a == nil {
		return nil
	}
	return a.rel.Column(aroundName(c))
}

// aroundName returns the name of the column that has the values of the outer
// column c. It begins with a blank, so that no name in the subquery means it by
// accident.
func aroundName(c *ast.Column) string { return " " + strings.ToLower(c.String()) }

// correlations returns the comparisons by which the outer query looks up rows of the
// subquery: each outer column equals the column of a that has its values.
func (a *around) correlations() (list []correlation) {
	for _, c := range a.columns {
		list = append(list, correlation{outer: c, inner: c})
	}
	return list
}

// joinAround sets b.around and makes it the first input of b, if b is a subquery
// that needs it.
func (b *builder) joinAround() error {
	if b.outer == nil {
		return nil
	}
	plain, other := b.outerColumns()
	if len(other) == 0 {
		return nil
	}
	a := &around{values: &Project{In: &Row{}}}
	rows := &Group{In: a.values}
	rel := &relation.Relation{Name: "the outer query"}
	for _, c := range append(other, plain...) {
		if rel.Column(aroundName(c)) != nil {
			continue
		}
		_, col, err := b.outer.find(c, value.Null)
		if err != nil {
			return err
		}
		name := aroundName(c)
		rows.Keys = append(rows.Keys, &expr.Col{Index: len(rows.Keys), Name: name[1:], T: col.Type})
		rel.Columns = append(rel.Columns, relation.Column{Name: name, Type: col.Type})
		a.columns = append(a.columns, c)
	}
	a.input = &input{rel: rel, node: rows, filled: map[int]bool{}}
	b.around = a
	if err := b.aggregatesAround(); err != nil {
		return err
	}
	if len(b.inputs) == 0 {
		b.inputs, b.top = []*input{a.input}, rows
		return nil
	}
	sel := *b.sel
	sel.Joins = append([]ast.Join{{Span: sel.From.Span, Source: sel.From}}, sel.Joins...)
	b.sel = &sel
	b.inputs = append([]*input{a.input}, b.inputs...)
	b.top = rows
	return nil
}

// outerColumns returns the columns of the outer query that b reads. Plain are the
// columns that WHERE compares by = with columns of b. Other are the columns that b reads
// elsewhere. Columns that only queries within b read are left out.
func (b *builder) outerColumns() (plain, other []*ast.Column) {
	add := func(list *[]*ast.Column, e ast.Expr) {
		if e == nil {
			return
		}
		ast.Walk(e, func(n ast.Node) bool {
			if c, ok := n.(*ast.Column); ok && b.ofOuter(c) {
				*list = append(*list, c)
			}
			_, query := n.(*ast.Query)
			return !query
		})
	}
	for _, e := range conjuncts(b.sel.Where, nil) {
		if eq, ok := e.(*ast.Binary); ok && eq.Op == "=" && (b.isOuter(eq.X) && b.isInner(eq.Y) || b.isOuter(eq.Y) && b.isInner(eq.X)) {
			add(&plain, e)
		} else {
			add(&other, e)
		}
	}
	for i := range b.sel.Joins {
		add(&other, b.sel.Joins[i].On)
	}
	for _, it := range b.items {
		add(&other, it.expr)
	}
	for _, e := range b.sel.GroupBy {
		add(&other, e)
	}
	add(&other, b.sel.Having)
	for _, o := range b.query.OrderBy {
		add(&other, o.Expr)
	}
	return plain, other
}

// aggregatesAround returns an error if b is an aggregate without GROUP BY that also reads an
// outer column outside its aggregate functions. If the aggregate had no rows, its result
// would then depend on that column. Otherwise aggregatesAround returns nil.
func (b *builder) aggregatesAround() error {
	if len(b.sel.GroupBy) > 0 || !b.hasAggregates() {
		return nil
	}
	var err error
	look := func(n ast.Node) bool {
		if c, ok := n.(*ast.Call); ok && isAggregate(c) {
			return false
		}
		if c, ok := n.(*ast.Column); ok && err == nil && b.ofOuter(c) {
			e := ast.Errorf(c, "%s is a column of the outer query, which may be used here only in an aggregate or in WHERE", c)
			e.Hint = "write it outside of the brackets of the query"
			err = e
		}
		_, query := n.(*ast.Query)
		return !query
	}
	for _, it := range b.items {
		ast.Walk(it.expr, look)
	}
	if b.sel.Having != nil {
		ast.Walk(b.sel.Having, look)
	}
	return err
}

// fillAround makes the columns of a read their values from the rows of b, the outer query.
// bind resolves names in b. If a is nil, fillAround does nothing.
func (b *builder) fillAround(bind *expr.Binder, a *around) error {
	if b.unlooked == nil {
		b.unlooked = b.top
	}
	if a == nil || a.filled {
		return nil
	}
	touched := b.touched
	b.touched = nil
	a.values.Exprs, a.values.Names = nil, nil
	for _, c := range a.columns {
		x, err := bind.Bind(c)
		if err != nil {
			return err
		}
		a.values.Exprs, a.values.Names = append(a.values.Exprs, x), append(a.values.Names, c.String())
	}
	a.values.In = b.unlooked
	if b.touched != nil { // late columns are not filled in the plan before
		b.read(b.touched)
		a.values.In = b.top
	}
	b.touched, a.filled = append(touched, b.touched...), true
	return nil
}
