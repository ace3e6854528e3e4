package plan

import (
	"fmt"
	"slices"
	"strings"

	"infomall/exec/expr"
	"infomall/exec/value"
	"infomall/lang/ast"
)

// AggregateFunc is an aggregate function.
type AggregateFunc uint8

// The aggregate functions.
const (
	Count AggregateFunc = iota
	Sum
	Avg
	Min
	Max
	AnyValue
	ArgMin
	ArgMax
	Median
	Stddev
	CountIf // bound as Count of a CASE
	StringAgg
	ApproxCount
)

// aggregateNames are the names of the aggregate functions, in the order of the
// constants.
var aggregateNames = []string{
	"count", "sum", "avg", "min", "max", "any_value", "arg_min", "arg_max", "median", "stddev", "count_if", "string_agg", "approx_count",
}

// String returns the function's name.
func (f AggregateFunc) String() string { return aggregateNames[f] }

// group plans GROUP BY and HAVING. It collects the aggregates in the rest of
// the query.
func (b *builder) group() error {
	b.grouped = len(b.sel.GroupBy) > 0 || b.hasAggregates()
	if !b.grouped {
		if b.sel.Having != nil {
			err := ast.Errorf(b.sel.Having, "HAVING filters groups, but there are none")
			err.Hint = "use WHERE or add GROUP BY"
			return err
		}
		return nil
	}
	b.touched = nil
	if err := b.bindCorrelated(); err != nil {
		return err
	}
	for _, k := range b.correlatedKeys {
		b.keys = append(b.keys, k)
		b.keyTexts = append(b.keyTexts, k.String())
	}
	for _, e := range b.sel.GroupBy {
		if err := b.addKey(e); err != nil {
			return err
		}
	}
	if err := b.bindAbove(); err != nil {
		return err
	}
	b.read(b.touched)
	group := &Group{In: b.top, Keys: b.keys, Aggs: b.aggs}
	b.tallied(group)
	b.adjacent(group)
	b.top, b.made = group, true
	having, err := b.having()
	if err != nil {
		return err
	}
	if b.correlated != nil && len(b.sel.GroupBy) == 0 {
		if b.empty, err = b.emptyRow(having); err != nil {
			return err
		}
	}
	if having != nil {
		b.top = &Filter{In: b.top, Conds: []expr.Expr{having}}
	}
	return nil
}

// adjacent sets Adjacent for the aggregates of g that count the distinct URLs
// of captures or versions, which come sorted by URL.
func (b *builder) adjacent(g *Group) {
	if b.env.Plain {
		return
	}
	in := g.In
	for {
		switch n := in.(type) {
		case *Filter:
			in = n.In
			continue
		case *Payload:
			in = n.In
			continue
		}
		break
	}
	src, ok := in.(*Source)
	if !ok || src.Tally != nil || !src.Relation.SortedBy("url") {
		return
	}
	url := src.Index("url")
	for _, a := range g.Aggs {
		c, ok := a.Arg.(*expr.Col)
		a.Adjacent = ok && c.Index == url && a.Func == Count && a.Distinct
	}
}

// having returns the condition of HAVING, or nil if there is none.
func (b *builder) having() (expr.Expr, error) {
	if b.sel.Having == nil {
		return nil, nil
	}
	return b.havingBinder().BindBool(b.sel.Having)
}

// bindAbove binds all expressions above the groups, to collect their aggregates
// before the Group is planned.
func (b *builder) bindAbove() error {
	touched := b.touched
	if err := b.bindItems(); err != nil {
		return err
	}
	if _, err := b.orderKeys(); err != nil && !b.sel.Distinct {
		return err
	}
	if _, err := b.having(); err != nil {
		return err
	}
	b.touched = append(touched, b.touched...)
	return nil
}

// hasAggregates reports whether SELECT, HAVING or ORDER BY contain an
// aggregate.
func (b *builder) hasAggregates() bool {
	found := false
	look := func(e ast.Expr) {
		if e == nil {
			return
		}
		ast.Walk(e, func(n ast.Node) bool {
			if c, ok := n.(*ast.Call); ok && isAggregate(c) {
				found = true
			}
			_, query := n.(*ast.Query)
			return !found && !query
		})
	}
	for _, it := range b.items {
		look(it.expr)
	}
	look(b.sel.Having)
	for _, o := range b.query.OrderBy {
		look(o.Expr)
	}
	return found
}

// isAggregate reports whether c calls an aggregate function.
func isAggregate(c *ast.Call) bool {
	return slices.Contains(aggregateNames, strings.ToLower(c.Name.Text))
}

// addKey binds one expression of GROUP BY: a number of a column of the result,
// an alias that is not also a column, or an expression over the inputs.
func (b *builder) addKey(e ast.Expr) error {
	it, err := b.ordinal(e, "GROUP BY")
	if err != nil {
		return err
	}
	if it != nil {
		e = it.expr
	}
	bind := b.binder("GROUP BY")
	bind.Column = func(c *ast.Column, want value.Type) (expr.Expr, error) {
		if it := b.alias(c); it != nil && !b.isColumn(c) {
			return b.binder("GROUP BY").Bind(it.expr)
		}
		return b.column(c, want)
	}
	key, err := bind.Bind(e)
	if err != nil {
		return err
	}
	b.keys = append(b.keys, key)
	b.keyTexts = append(b.keyTexts, key.String())
	return nil
}

// isColumn reports whether c names a column of the inputs.
func (b *builder) isColumn(c *ast.Column) bool {
	_, _, err := b.find(c, value.Null)
	return err == nil
}

// groupBinder returns a binder for expressions over the rows of a Group. A part
// that equals a key becomes that key, and an aggregate becomes its column.
// Other columns of the inputs are an error. where names the clause.
func (b *builder) groupBinder(where string) *expr.Binder {
	bind := &expr.Binder{
		Column: func(c *ast.Column, _ value.Type) (expr.Expr, error) {
			if _, _, err := b.find(c, value.Null); err != nil {
				return nil, err
			}
			err := ast.Errorf(c, "column %q is neither in GROUP BY nor in an aggregate", c.Name.Text)
			err.Hint = "add it to GROUP BY, or write min(" + c.Name.Text + ")"
			return nil, err
		},
		Aggregate: b.aggregate,
		Replace:   b.keyOf,
		Where:     where,
		Env:       b.env,
	}
	bind.Query = func(e ast.Expr) (expr.Expr, error) {
		if !b.made {
			return b.unplaced(bind, e)
		}
		return b.lookUp(bind, e)
	}
	return bind
}

// havingBinder is groupBinder for HAVING, where an alias may be used unless a
// column has the same name.
func (b *builder) havingBinder() *expr.Binder {
	bind := b.groupBinder("HAVING")
	inner := bind.Column
	bind.Column = func(c *ast.Column, want value.Type) (expr.Expr, error) {
		if it := b.alias(c); it != nil && !b.isColumn(c) {
			return it.bound, nil
		}
		return inner(c, want)
	}
	return bind
}

// keyOf returns the key of GROUP BY that e equals, or nil. Two expressions are
// equal if they print the same after binding.
func (b *builder) keyOf(e ast.Expr) expr.Expr {
	if len(b.keys) == 0 {
		return nil
	}
	text, ok := b.textOf(e)
	if !ok {
		return nil
	}
	i := slices.Index(b.keyTexts, text)
	if i < 0 {
		return nil
	}
	return &expr.Col{Index: i, Name: b.keys[i].String(), T: b.keys[i].Type()}
}

// textOf returns e as text after binding it over the inputs, and reports
// whether e can be bound. It changes nothing in b.
func (b *builder) textOf(e ast.Expr) (string, bool) {
	dry := &expr.Binder{Env: b.env, Column: func(c *ast.Column, _ value.Type) (expr.Expr, error) {
		in, col, err := b.find(c, value.Null)
		if err != nil {
			return nil, err
		}
		return &expr.Col{Name: b.columnName(in, col), T: col.Type}, nil
	}}
	dry.Query = func(e ast.Expr) (expr.Expr, error) { return b.unplaced(dry, e) }
	x, err := dry.Bind(e)
	if err != nil {
		return "", false
	}
	return x.String(), true
}

// aggregate returns the column that holds the result of the aggregate c. Equal
// aggregates share a column.
func (b *builder) aggregate(c *ast.Call) (expr.Expr, error) {
	a, err := b.newAggregate(c)
	if err != nil {
		return nil, err
	}
	text := a.identity()
	i := slices.Index(b.aggTexts, text)
	if i < 0 {
		i = len(b.aggs)
		b.aggs = append(b.aggs, a)
		b.aggTexts = append(b.aggTexts, text)
	}
	return &expr.Col{Index: len(b.keys) + i, Name: c.String(), T: a.T}, nil
}

// identity returns a text that is equal for aggregates with equal results.
func (a *Aggregate) identity() string {
	s := a.Func.String()
	if a.Distinct {
		s += " distinct"
	}
	if a.Arg != nil {
		s += " " + a.Arg.String()
	}
	if a.By != nil {
		s += ", " + a.By.String()
	}
	if a.Func == StringAgg {
		s += ", " + quote(a.Separator)
	}
	for _, k := range a.OrderBy {
		s += fmt.Sprintf(", %s %v", k.Expr, k.Order)
	}
	return s
}

// newAggregate binds a call of an aggregate function.
func (b *builder) newAggregate(c *ast.Call) (*Aggregate, error) {
	f := AggregateFunc(slices.Index(aggregateNames, strings.ToLower(c.Name.Text)))
	a := &Aggregate{Span: c.Span, Func: f, Distinct: c.Distinct, Text: c.String()}
	if c.Star {
		if f != Count || c.Distinct {
			return nil, ast.Errorf(c, "only count takes *, and without DISTINCT")
		}
		a.T = value.Int
		return a, b.filter(a, c)
	}
	if err := argumentCount(f, c); err != nil {
		return nil, err
	}
	bind := b.binder("an aggregate")
	if len(c.OrderBy) > 0 && f != StringAgg {
		return nil, ast.Errorf(&c.OrderBy[0], "ORDER BY may stand in string_agg only, and %s is another function", f)
	}
	switch f {
	case CountIf:
		return b.countIf(a, c, bind)
	case StringAgg:
		return b.stringAgg(a, c, bind)
	}
	arg, err := bind.Bind(c.Args[0])
	if err != nil {
		return nil, err
	}
	a.Arg = arg
	if len(c.Args) == 2 {
		if a.By, err = bind.Bind(c.Args[1]); err != nil {
			return nil, err
		}
	}
	if a.T, err = aggregateType(f, c.Args[0], arg.Type()); err != nil {
		return nil, err
	}
	return a, b.filter(a, c)
}

// argumentCount returns an error if f is called with the wrong number of
// arguments.
func argumentCount(f AggregateFunc, c *ast.Call) error {
	want, words := 1, "one argument"
	switch f {
	case ArgMin, ArgMax:
		want, words = 2, "two arguments, a value and what it is ordered by"
	case StringAgg:
		want, words = 2, "two arguments, a text and what to put between"
	}
	if len(c.Args) == want {
		return nil
	}
	err := ast.Errorf(c, "%s takes %s, not %d", f, words, len(c.Args))
	if f == Count && len(c.Args) == 0 {
		err.Hint = "write count(*)"
	}
	return err
}

// countIf binds count_if(cond), which counts the rows in which cond is true.
func (b *builder) countIf(a *Aggregate, c *ast.Call, bind *expr.Binder) (*Aggregate, error) {
	cond, err := bind.BindBool(c.Args[0])
	if err != nil {
		return nil, err
	}
	one := expr.Constant(value.OfInt(1))
	a.Func, a.T = Count, value.Int
	if a.Arg, err = expr.OnlyIf(cond, one); err != nil {
		return nil, err
	}
	return a, b.filter(a, c)
}

// stringAgg binds string_agg(x, sep ORDER BY …).
func (b *builder) stringAgg(a *Aggregate, c *ast.Call, bind *expr.Binder) (*Aggregate, error) {
	x, err := bind.Bind(c.Args[0])
	if err != nil {
		return nil, err
	}
	if t := x.Type(); !t.Textual() && t != value.Null {
		err := ast.Errorf(c.Args[0], "string_agg takes a text, and %s is of type %s", c.Args[0], t)
		err.Hint = "write CAST(" + c.Args[0].String() + " AS text)"
		return nil, err
	}
	sep, err := bind.Bind(c.Args[1])
	if err != nil {
		return nil, err
	}
	between, ok := sep.(*expr.Const)
	if !ok || between.V.Type != value.Text {
		err := ast.Errorf(c.Args[1], "string_agg takes one text to put between, and %s is not one", c.Args[1])
		err.Hint = "such as ', '"
		return nil, err
	}
	a.Arg, a.T, a.Separator = x, value.Text, between.V.Text
	for _, o := range c.OrderBy {
		e, err := bind.Bind(o.Expr)
		if err != nil {
			return nil, err
		}
		if c.Distinct && e.String() != x.String() {
			err := ast.Errorf(o.Expr, "string_agg of DISTINCT texts is ordered by these alone")
			err.Hint = "write ORDER BY " + c.Args[0].String()
			return nil, err
		}
		a.OrderBy = append(a.OrderBy, orderKey(e, o))
	}
	return a, b.filter(a, c)
}

// filter binds FILTER (WHERE …) as part of a's argument: the argument becomes
// NULL in the rows that the filter drops, and aggregates ignore NULL.
func (b *builder) filter(a *Aggregate, c *ast.Call) error {
	if c.Filter == nil {
		return nil
	}
	cond, err := b.binder("FILTER").BindBool(c.Filter)
	if err != nil {
		return err
	}
	if a.Arg == nil {
		a.Arg = expr.Constant(value.OfInt(1))
	}
	if a.By != nil { // arg_min and arg_max ignore rows whose By is NULL
		a.By, err = expr.OnlyIf(cond, a.By)
		return err
	}
	a.Arg, err = expr.OnlyIf(cond, a.Arg)
	return err
}

// aggregateType returns the type of f over values of type t. at is the
// argument, for the error.
func aggregateType(f AggregateFunc, at ast.Expr, t value.Type) (value.Type, error) {
	switch f {
	case Count, ApproxCount:
		return value.Int, nil
	case Min, Max, AnyValue, ArgMin, ArgMax:
		return t, nil
	case Median:
		if t == value.Time {
			return t, nil
		}
	}
	switch t {
	case value.Int, value.Float, value.Null:
		if f != Sum {
			return value.Float, nil
		}
		return t, nil
	case value.Duration:
		return t, nil
	}
	err := ast.Errorf(at, "%s takes numbers or durations, and %s is of type %s", f, at, t)
	switch {
	case t.Textual():
		err.Hint = "write CAST(" + at.String() + " AS int)"
	case t == value.Bool:
		err.Hint = "count_if(" + at.String() + ") counts where it is true"
	}
	return value.Null, err
}
