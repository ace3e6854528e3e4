package plan

import (
	"fmt"
	"slices"

	"infomall/exec/expr"
	"infomall/exec/relation"
	"infomall/exec/value"
	"infomall/lang/ast"
)

// AggregateFunc identifies an aggregate function, such as count, which computes
// one value from the rows of a group.
type AggregateFunc uint8

// These are the aggregate functions of the language.
const (
	Count AggregateFunc = iota
	Sum
	Avg
	Min
	Max
	AnyValue
	ArgMin
	ArgMax
	Median // bound as QuantileCont of 0.5
	Stddev
	CountIf // bound as Count of a CASE
	StringAgg
	ApproxCount
	Quantile
	QuantileCont
)

// aggregateNames holds the names of the aggregate functions, indexed by
// AggregateFunc.
var aggregateNames = []string{
	"count", "sum", "avg", "min", "max", "any_value", "arg_min", "arg_max", "median", "stddev", "count_if", "string_agg", "approx_count_distinct", "quantile", "quantile_cont",
}

// String returns the name of the function, such as count.
func (f AggregateFunc) String() string { return aggregateNames[f] }

// group adds GROUP BY and HAVING to the plan. To do so it collects the
// aggregates in the rest of the query. It sets b.grouped if the query has
// groups.
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
		b.keyTexts = append(b.keyTexts, typedText(k))
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
	b.raw(group)
	b.tallied(group)
	b.freeOrder(group)
	b.adjacent(group)
	b.top, b.made, b.unlooked = group, true, nil
	having, err := b.having()
	if err != nil {
		return err
	}
	if b.correlated != nil && len(b.sel.GroupBy) == 0 {
		if b.empty, err = b.emptyRow(having); err != nil {
			return err
		}
	}
	switch {
	case having == nil:
	case b.top == Node(group) && !b.env.Plain:
		group.Having = having
	default: // it reads a subquery, which was joined to the groups
		b.top = &Filter{In: b.top, Conds: []expr.Expr{having}}
	}
	return nil
}

// raw makes the source below g yield a column in a raw form that takes less memory, such as
// the bytes of a digest instead of its text. It does so only if nothing but the keys of g
// and counts read the column.
func (b *builder) raw(g *Group) {
	in := g.In
	var others []expr.Expr // read the rows before they are grouped
	for {
		f, ok := in.(*Filter)
		if !ok {
			break
		}
		others = append(others, f.Conds...)
		in = f.In
	}
	src, ok := in.(*Source)
	if b.env.Plain || !ok {
		return
	}
	field := func(e expr.Expr) *relation.Column {
		if c, ok := e.(*expr.Col); ok && c.Index < len(src.Fields) && src.Fields[c.Index].Raw() {
			return src.Fields[c.Index]
		}
		return nil
	}
	keys := make([]bool, len(g.Keys))
	for i, k := range g.Keys {
		if keys[i] = field(k) != nil; !keys[i] {
			others = append(others, k)
		}
	}
	for _, a := range g.Aggs {
		if a.Arg != nil && !(a.Func == Count && field(a.Arg) != nil) {
			others = append(others, a.Arg)
		}
		if a.By != nil {
			others = append(others, a.By)
		}
		for _, k := range a.OrderBy {
			others = append(others, k.Expr)
		}
	}
	for _, e := range others {
		used := false
		expr.Columns(e, func(c *expr.Col) { used = used || field(c) != nil })
		if used {
			return
		}
	}
	if slices.ContainsFunc(src.Fields, (*relation.Column).Raw) {
		src.Raw, g.Raw = true, keys
	}
}

// adjacent sets Adjacent for the aggregates of g that count the distinct values
// of the column url, if the rows come sorted by URL. Equal URLs then follow
// each other, and need not be remembered.
func (b *builder) adjacent(g *Group) {
	src := b.byURL(g.In)
	if src == nil {
		return
	}
	url := src.Index("url")
	of := func(a *Aggregate) bool {
		c, ok := a.Arg.(*expr.Col)
		return ok && c.Index == url && a.Func == Count && a.Distinct
	}
	if !slices.ContainsFunc(g.Aggs, func(a *Aggregate) bool { return !of(a) }) {
		b.once(g.In)
	}
	for _, a := range g.Aggs {
		a.Adjacent = of(a)
	}
}

// byURL returns the source from which the rows of n come in the order of their URLs. It
// returns nil if the rows of n are not in this order.
func (b *builder) byURL(n Node) *Source {
	for {
		switch in := n.(type) {
		case *Filter:
			n = in.In
			continue
		case *Payload:
			n = in.In
			continue
		}
		break
	}
	src, ok := n.(*Source)
	if b.env.Plain || !ok || src.Tally != nil || !src.Relation.SortedBy("url") {
		return nil
	}
	return src
}

// having returns the condition of HAVING with its names resolved, or nil if
// there is none.
func (b *builder) having() (expr.Expr, error) {
	if b.sel.Having == nil {
		return nil, nil
	}
	return b.havingBinder().BindBool(b.sel.Having)
}

// bindAbove resolves the names in all expressions that are computed from the
// groups: the items, ORDER BY and HAVING. This collects their aggregates,
// before the Group node is planned.
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

// hasAggregates reports whether SELECT, HAVING or ORDER BY contains an
// aggregate function. Subqueries do not count.
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

// isAggregate reports whether the call c is of an aggregate function, such as
// count, over groups. A call with OVER is not.
func isAggregate(c *ast.Call) bool {
	_, is := aggregateOf(c)
	return c.Over == nil && is
}

// aggregateOf returns the aggregate function that c calls. The bool is false if c
// calls another function.
func aggregateOf(c *ast.Call) (AggregateFunc, bool) {
	f := expr.FindFunction(c.Name.Text)
	if f == nil || !f.Aggregate {
		return 0, false
	}
	return AggregateFunc(slices.Index(aggregateNames, f.Name)), true
}

// addKey adds one expression of GROUP BY to b.keys, with its names resolved. e
// may be the number of a column of the result, an alias that is not also a
// column, or an expression over the inputs.
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
	b.keyTexts = append(b.keyTexts, typedText(key))
	return nil
}

// isColumn reports whether c names exactly one column of the inputs.
func (b *builder) isColumn(c *ast.Column) bool {
	_, _, err := b.find(c, value.Null)
	return err == nil
}

// groupBinder returns a binder, which resolves names, for expressions over the
// rows of the Group node. In these, a part that equals a key of GROUP BY
// becomes the column of that key, and an aggregate becomes its column. Other
// columns of the inputs are an error. The parameter where names the clause for
// errors.
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

// havingBinder returns a binder, which resolves names, for the condition of
// HAVING. Keys of GROUP BY and aggregates become columns of the Group node. An
// alias of the result may be used, unless a column of the inputs has the same
// name.
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

// keyOf returns the column of the key of GROUP BY that is equal to e, or nil if there is
// none. Two expressions are equal if they print the same after their names are resolved, and have
// the same type.
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

// textOf returns the typedText of e after its names are resolved over the inputs. It
// returns false if they cannot be resolved. It changes nothing in b.
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
	return typedText(x), true
}

// typedText returns the type of x and x as it prints. The type tells 2 from 2.0, and the NULLs of two
// types.
func typedText(x expr.Expr) string { return x.Type().String() + " " + x.String() }

// aggregate returns the column of the Group node that holds the result of the aggregate c.
// It adds c to b.aggs, unless b.aggs has an equal aggregate already.
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

// identity returns a text by which aggregates are compared: if two have the
// same text, they have the same result.
func (a *Aggregate) identity() string {
	s := a.Func.String()
	if a.Distinct {
		s += " distinct"
	}
	if a.Arg != nil {
		s += " " + typedText(a.Arg)
	}
	if a.By != nil {
		s += ", " + typedText(a.By)
	}
	if a.Func == StringAgg {
		s += ", " + quote(a.Separator)
	}
	if a.Func == Quantile || a.Func == QuantileCont {
		s += fmt.Sprint(", ", a.Share)
	}
	for _, k := range a.OrderBy {
		s += fmt.Sprintf(", %s %v", k.Expr, k.Order)
	}
	return s
}

// newAggregate returns the aggregate for the call c, with the names in its
// arguments resolved and their types checked.
func (b *builder) newAggregate(c *ast.Call) (*Aggregate, error) {
	f, _ := aggregateOf(c)
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
		return nil, ast.Errorf(&c.OrderBy[0], "only string_agg takes ORDER BY, and %s is another function", f)
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
	switch {
	case f == Median:
		a.Func, a.Share = QuantileCont, 0.5
	case f == Quantile || f == QuantileCont:
		if a.Share, err = b.share(c.Args[1]); err != nil {
			return nil, err
		}
	case len(c.Args) == 2:
		if a.By, err = bind.Bind(c.Args[1]); err != nil {
			return nil, err
		}
	}
	if a.T, err = aggregateType(f, c.Args[0], arg.Type()); err != nil {
		return nil, err
	}
	return a, b.filter(a, c)
}

// argumentCount returns an error if the call c has the wrong number of
// arguments for the function f, otherwise nil.
func argumentCount(f AggregateFunc, c *ast.Call) error {
	want, words := 1, "one argument"
	switch f {
	case ArgMin, ArgMax:
		want, words = 2, "two arguments, a value and what it is ordered by"
	case StringAgg:
		want, words = 2, "two arguments, a text and what to put between"
	case Quantile, QuantileCont:
		want, words = 2, "two arguments, a number and a share such as 0.9"
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

// share returns the value of e, the second argument of quantile or quantile_cont, which must be a
// constant from 0 to 1.
func (b *builder) share(e ast.Expr) (float64, error) {
	p, err := expr.ConstantNumber(e, "quantile", b.env)
	if err == nil && !(p >= 0 && p <= 1) {
		wrong := ast.Errorf(e, "quantile takes a share from 0 to 1, not %s", e)
		wrong.Hint = "such as 0.9"
		err = wrong
	}
	return p, err
}

// countIf completes the aggregate a for the call c, count_if(cond), and returns
// it. The result is the number of rows for which cond is true. bind resolves
// the names in cond.
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

// stringAgg completes the aggregate a for the call c, string_agg(x, sep ORDER
// BY …), and returns it. The result is the texts x of the rows with sep between
// them. bind resolves the names in the arguments.
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

// filter adds the clause FILTER (WHERE …) of the call c to the aggregate a. The
// argument of a becomes NULL in the rows that the filter drops, and aggregates
// ignore NULL. Without a FILTER it does nothing.
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

// aggregateType returns the type of the result of the function f over values of type t. It
// returns an error if f does not accept this type. The error points at the argument, the
// parameter at.
func aggregateType(f AggregateFunc, at ast.Expr, t value.Type) (value.Type, error) {
	switch f {
	case Count, ApproxCount:
		return value.Int, nil
	case Min, Max, AnyValue, ArgMin, ArgMax:
		return t, nil
	case Median, QuantileCont:
		if t == value.Time {
			return t, nil
		}
	case Quantile:
		if t == value.Time || t == value.Int || t == value.Null {
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
	case t == value.Text:
		err.Hint = "write CAST(" + at.String() + " AS int)"
	case t == value.URL:
		err.Hint = "count(DISTINCT " + at.String() + ") counts the different ones"
	case t == value.Bool:
		err.Hint = "count_if(" + at.String() + ") counts where it is true"
	}
	return value.Null, err
}

// summaryFuncs are the aggregates that Summary computes of each column.
var summaryFuncs = []AggregateFunc{Min, Max, ApproxCount, Count, AnyValue}

// Summary is the plan of a query that aggregates all rows of another query.
type Summary struct {
	*Group
	Of []value.Column // the columns of the other query
}

// BuildSummary returns the plan that aggregates all rows of the query q. The plan yields one
// row: the number of rows of q, and then five values for each column of q: the least and the
// greatest value, the approximate number of different values, the number of values that are
// not NULL, and the first value that is not NULL.
func BuildSummary(q *ast.Query, env *expr.Env) (*Summary, error) {
	node, err := Build(q, env)
	if err != nil {
		return nil, err
	}
	s := &Summary{Group: &Group{In: node, Aggs: []*Aggregate{{Func: Count, T: value.Int, Text: "count(*)"}}}, Of: node.Columns()}
	for i, c := range s.Of {
		for _, f := range summaryFuncs {
			t := c.Type
			if f == ApproxCount || f == Count {
				t = value.Int
			}
			s.Aggs = append(s.Aggs, &Aggregate{
				Span: q.Span, Func: f, T: t, Text: f.String() + "(" + c.Name + ")",
				Arg: &expr.Col{Index: i, Name: c.Name, T: c.Type},
			})
		}
	}
	return s, nil
}
