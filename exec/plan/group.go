package plan

import (
	"fmt"
	"slices"
	"strings"

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

var aggregateNames = []string{
	"count", "sum", "avg", "min", "max", "any_value", "arg_min", "arg_max", "median", "stddev", "count_if", "string_agg", "approx_count",
}

// String is the function's name.
func (f AggregateFunc) String() string { return aggregateNames[f] }

// group plans GROUP BY and HAVING, and notes which aggregates the rest of the
// query names.
func (b *builder) group() error {
	b.grouped = len(b.sel.GroupBy) > 0 || b.hasAggregates()
	if !b.grouped {
		if b.sel.Having != nil {
			err := ast.Errorf(b.sel.Having, "HAVING asks groups, and there are none")
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
		b.top = &Filter{In: b.top, Conds: []Expr{having}}
	}
	return nil
}

// adjacent notes the aggregates of g that count distinct URLs of captures or
// versions, which come by URL.
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
	if !ok || src.Tally != nil || src.Relation != capturesRelation && src.Relation != versionsRelation {
		return
	}
	url := src.field("url")
	for _, a := range g.Aggs {
		c, ok := a.Arg.(*Col)
		a.Adjacent = ok && c.Index == url && a.Func == Count && a.Distinct
	}
}

// having binds HAVING's condition, nil if there is none.
func (b *builder) having() (Expr, error) {
	if b.sel.Having == nil {
		return nil, nil
	}
	return b.havingBinder().BindBool(b.sel.Having)
}

// bindAbove binds all that stands above the groups, so that every aggregate is
// known before they are made.
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

// hasAggregates reports whether an aggregate stands where one may without a
// GROUP BY.
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

func isAggregate(c *ast.Call) bool {
	return slices.Contains(aggregateNames, strings.ToLower(c.Name.Text))
}

// addKey binds one expression of GROUP BY: an ordinal, an alias that is no
// column, or an expression over the source.
func (b *builder) addKey(e ast.Expr) error {
	it, err := b.ordinal(e, "GROUP BY")
	if err != nil {
		return err
	}
	if it != nil {
		e = it.expr
	}
	bind := b.binder("GROUP BY")
	bind.Column = func(c *ast.Column) (Expr, error) {
		if it := b.alias(c); it != nil && !b.isColumn(c) {
			return b.binder("GROUP BY").Bind(it.expr)
		}
		return b.column(c)
	}
	key, err := bind.Bind(e)
	if err != nil {
		return err
	}
	b.keys = append(b.keys, key)
	b.keyTexts = append(b.keyTexts, key.String())
	return nil
}

func (b *builder) isColumn(c *ast.Column) bool {
	_, _, err := b.find(c)
	return err == nil
}

// groupBinder binds expressions over groups: a part equal to a key is that key,
// aggregates are columns behind the keys, and no other column of the source may
// stand there.
func (b *builder) groupBinder(where string) *Binder {
	bind := &Binder{
		Column: func(c *ast.Column) (Expr, error) {
			if _, _, err := b.find(c); err != nil {
				return nil, err
			}
			err := ast.Errorf(c, "column %q stands neither in GROUP BY nor in an aggregate", c.Name.Text)
			err.Hint = "add it to GROUP BY, or write min(" + c.Name.Text + ")"
			return nil, err
		},
		Aggregate: b.aggregate,
		Replace:   b.keyOf,
		Where:     where,
		Env:       b.env,
	}
	bind.Query = func(e ast.Expr) (Expr, error) {
		if !b.made {
			return b.unplaced(bind, e)
		}
		return b.lookUp(bind, e)
	}
	return bind
}

// havingBinder is groupBinder where aliases may stand; a column wins over one.
func (b *builder) havingBinder() *Binder {
	bind := b.groupBinder("HAVING")
	inner := bind.Column
	bind.Column = func(c *ast.Column) (Expr, error) {
		if it := b.alias(c); it != nil && !b.isColumn(c) {
			return it.bound, nil
		}
		return inner(c)
	}
	return bind
}

// keyOf gives the key that e is, or nil. Two expressions are the same if they
// print the same once bound.
func (b *builder) keyOf(e ast.Expr) Expr {
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
	return &Col{Index: i, Name: b.keys[i].String(), T: b.keys[i].Type()}
}

// textOf binds e over the source without leaving a trace, and prints it.
func (b *builder) textOf(e ast.Expr) (string, bool) {
	dry := &Binder{Env: b.env, Column: func(c *ast.Column) (Expr, error) {
		in, col, err := b.find(c)
		if err != nil {
			return nil, err
		}
		return &Col{Name: b.columnName(in, col), T: col.Type}, nil
	}}
	dry.Query = func(e ast.Expr) (Expr, error) { return b.unplaced(dry, e) }
	x, err := dry.Bind(e)
	if err != nil {
		return "", false
	}
	return x.String(), true
}

// aggregate gives the column that holds an aggregate's result.
func (b *builder) aggregate(c *ast.Call) (Expr, error) {
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
	return &Col{Index: len(b.keys) + i, Name: c.String(), T: a.T}, nil
}

// identity is equal for aggregates that give the same.
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
		return nil, ast.Errorf(&c.OrderBy[0], "ORDER BY stands in string_agg only, and %s is none", f)
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

// argumentCount checks how many arguments an aggregate is given.
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
func (b *builder) countIf(a *Aggregate, c *ast.Call, bind *Binder) (*Aggregate, error) {
	cond, err := bind.BindBool(c.Args[0])
	if err != nil {
		return nil, err
	}
	one := constant(value.OfInt(1))
	a.Func, a.T = Count, value.Int
	if a.Arg, err = decideCase(&Case{Whens: []When{{Cond: cond, Then: one}}, Else: &Const{T: value.Int}, T: value.Int}); err != nil {
		return nil, err
	}
	return a, b.filter(a, c)
}

// stringAgg binds string_agg(x, sep ORDER BY …).
func (b *builder) stringAgg(a *Aggregate, c *ast.Call, bind *Binder) (*Aggregate, error) {
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
	between, ok := sep.(*Const)
	if !ok || between.V.Type != value.Text {
		err := ast.Errorf(c.Args[1], "string_agg takes one text to put between, and %s is none", c.Args[1])
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

// filter makes FILTER (WHERE …) part of a's argument: no aggregate counts NULL,
// so the argument is NULL in the rows that the filter drops.
func (b *builder) filter(a *Aggregate, c *ast.Call) error {
	if c.Filter == nil {
		return nil
	}
	cond, err := b.binder("FILTER").BindBool(c.Filter)
	if err != nil {
		return err
	}
	if a.Arg == nil {
		a.Arg = constant(value.OfInt(1))
	}
	if a.By != nil { // a row counts whose value to order by is not NULL
		t := a.By.Type()
		a.By, err = decideCase(&Case{Whens: []When{{Cond: cond, Then: a.By}}, Else: &Const{T: t}, T: t})
		return err
	}
	t := a.Arg.Type()
	a.Arg, err = decideCase(&Case{Whens: []When{{Cond: cond, Then: a.Arg}}, Else: &Const{T: t}, T: t})
	return err
}

// aggregateType is the type of f over values of type t.
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
