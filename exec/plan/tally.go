package plan

import (
	"slices"

	"infomall/exec/expr"
	"infomall/exec/relation"
	"infomall/exec/value"
	"infomall/lang/ast"
	"infomall/store/record"
)

// tallied sets Tally in the source below g, if this cannot change the result. The source
// then counts captures or versions and yields one row for many, which is faster.
func (b *builder) tallied(g *Group) {
	if b.env.Plain {
		return
	}
	exprs := slices.Clone(g.Keys)
	for _, a := range g.Aggs {
		if !a.countable() {
			return
		}
		if a.Arg != nil {
			exprs = append(exprs, a.Arg)
		}
	}
	in := g.In
	words := b.wordConds(in)
	if words != nil {
		in = words.Source
	}
	for {
		f, ok := in.(*Filter)
		if !ok {
			break
		}
		exprs = append(exprs, f.Conds...)
		in = f.In
	}
	src, ok := in.(*Source)
	if !ok || slices.ContainsFunc(exprs, func(e expr.Expr) bool { return e.Type() == value.Float || expr.Draws(e) }) {
		return
	}
	if words == nil && !src.countable() || words != nil && !src.countableWhere(exprs) {
		return
	}
	column := src.Index("time")
	src.Tally = &relation.Tally{Unit: expr.TimeUnit(exprs, column), Zone: b.env.Location(), Ends: column >= 0 && endsOnly(g, exprs, column)}
	if words != nil {
		for _, i := range words.Fill {
			src.Tally.Words = append(src.Tally.Words, src.Fields[i])
		}
		src.Refs, g.In = false, src
	}
	g.Count = &expr.Col{Index: len(src.Fields), T: value.Int}
}

// wordConds returns the node that fills late columns if all conditions in the plan in are
// columns that say whether a page has words, as in WHERE text MATCH 'words', and this node fills
// these columns and no others. The source can then test the conditions itself. Otherwise
// wordConds returns nil.
func (b *builder) wordConds(in Node) *Payload {
	f, ok := in.(*Filter)
	if !ok || b.env.Traced {
		return nil
	}
	p, ok := f.In.(*Payload)
	if !ok || p.In != Node(p.Source) || p.Source.Relation != relation.Versions || len(p.Fill) != len(f.Conds) {
		return nil
	}
	for i, cond := range f.Conds {
		c, ok := cond.(*expr.Col)
		if !ok || c.Index != p.Fill[i] || !p.Source.Fields[c.Index].AsksWords {
			return nil
		}
	}
	return p
}

// talliedDistinct sets the Tally of the source below a SELECT DISTINCT, if
// possible, so that the source yields one row for many captures. It returns the
// keys by which the result is to be sorted.
//
// Counted rows come in no order, so the keys must fix the order of the result.
// They do if keys, the ORDER BY, includes every item. Without ORDER BY, all items
// must be hosts and domains, which are then sorted like their URLs. below is the
// plan below the items.
func (b *builder) talliedDistinct(below Node, keys []Key) ([]Key, error) {
	if b.env.Plain || b.grouped || len(b.correlatedKeys) > 0 {
		return keys, nil
	}
	var exprs []expr.Expr
	for _, it := range b.items {
		exprs = append(exprs, it.bound)
	}
	for {
		f, ok := below.(*Filter)
		if !ok {
			break
		}
		exprs = append(exprs, f.Conds...)
		below = f.In
	}
	src, ok := below.(*Source)
	if !ok || !src.countable() || slices.ContainsFunc(exprs, expr.Draws) {
		return keys, nil
	}
	for i := range b.items {
		if slices.ContainsFunc(keys, func(k Key) bool { return k.Expr.(*expr.Col).Index == i }) {
			continue
		}
		byHost, err := b.byHost(src)
		if err != nil || byHost == nil {
			return keys, err
		}
		keys = byHost
		break
	}
	src.Tally = &relation.Tally{Unit: expr.TimeUnit(exprs, src.Index("time")), Zone: b.env.Location()}
	return keys, nil
}

// talliedWindow sets Tally in the source below w, if this cannot change the result. The
// source then yields one row for many captures, in no order. So w must sort these rows, by
// all columns of the source; rows that are equal in w's keys are then equal. The window
// counts each row once for each capture that the row stands for.
func (b *builder) talliedWindow(w *Window) {
	if b.env.Plain || b.grouped || w.Sorted || w.Grouped {
		return
	}
	in := w.In
	for {
		f, ok := in.(*Filter)
		if !ok {
			break
		}
		if slices.ContainsFunc(f.Conds, expr.Draws) {
			return
		}
		in = f.In
	}
	src, ok := in.(*Source)
	if !ok || !src.countable() {
		return
	}
	_, keys := w.SortBy()
	for i := range src.Fields {
		if !slices.ContainsFunc(keys, func(k Key) bool { c, ok := k.Expr.(*expr.Col); return ok && c.Index == i }) {
			return
		}
	}
	src.Tally = &relation.Tally{Zone: b.env.Location()}
}

// freeOrder lets the source below the windows that g groups yield its rows in any order, if
// this cannot change the result: it sets Tally in the source and AnyOrder in the windows.
// The result cannot change under two conditions. First, g computes the same from its rows in
// any order. Second, for each window one of these is true: the window gives equal results to
// rows of a partition that are equal in its keys, or such rows are equal in all columns of the
// source.
func (b *builder) freeOrder(g *Group) {
	if b.env.Plain || slices.ContainsFunc(g.Aggs, func(a *Aggregate) bool { return !a.countable() }) {
		return
	}
	var windows []*Window
	in := g.In
	for {
		switch n := in.(type) {
		case *Filter:
			if slices.ContainsFunc(n.Conds, expr.Draws) {
				return
			}
			in = n.In
			continue
		case *Project:
			in = n.In
			continue
		case *Window:
			if n.Sorted || n.Grouped || !n.ofKeys() {
				return
			}
			windows = append(windows, n)
			in = n.In
			continue
		}
		break
	}
	src, ok := in.(*Source)
	if !ok || len(windows) == 0 || !src.countable() {
		return
	}
	for _, w := range windows {
		w.AnyOrder = true
	}
	src.Tally = &relation.Tally{Zone: b.env.Location()}
}

// ofKeys reports whether each function of n has the same result for all rows of a partition
// that are equal in OrderBy, in whatever order these rows come.
func (n *Window) ofKeys() bool {
	return !slices.ContainsFunc(n.Funcs, func(f *WindowFunc) bool {
		switch f.Kind {
		case OfPeers:
			return !f.Agg.countable()
		case Rank, DenseRank:
			return false
		}
		return true
	})
}

// once makes a source yield each URL only once, and reports whether it did. below is the
// node that a SELECT DISTINCT or a count of different URLs reads. once changes nothing if
// the query reads other columns of the source than the URL.
func (b *builder) once(below Node) bool {
	src := b.byURL(below)
	if src == nil || src.Relation != relation.Captures && src.Relation != relation.Versions || src.Choice.Kind != relation.ChooseAll || src.During != record.MinTime || src.Refs {
		return false
	}
	if src.Relation == relation.Versions && src.Window.From != record.MinTime {
		return false // a URL with captures in the window need not have a version that began there
	}
	if slices.ContainsFunc(src.Fields, func(f *relation.Column) bool { return !f.FromURL }) {
		return false
	}
	src.Once = true
	return true
}

// byHost returns sort keys that put the result into the order of URLs: first by
// host, then by domain. It returns nil if the query has an ORDER BY, or has
// items that are neither a host nor a domain of src.
func (b *builder) byHost(src *Source) ([]Key, error) {
	if len(b.query.OrderBy) > 0 {
		return nil, nil
	}
	var hosts, domains []Key
	for i, it := range b.items {
		c, ok := it.bound.(*expr.Col)
		if !ok || c.Index != src.Index("host") && c.Index != src.Index("domain") {
			return nil, nil
		}
		place := &expr.Col{Index: i, Name: it.name, T: c.T}
		bind := expr.Binder{Env: b.env, Column: func(*ast.Column, value.Type) (expr.Expr, error) { return place, nil }}
		e, err := bind.Bind(&ast.Call{Name: ast.Name{Text: "surt"}, Args: []ast.Expr{&ast.Column{Name: ast.Name{Text: it.name}}}})
		if err != nil {
			return nil, err
		}
		if c.Index == src.Index("host") {
			hosts = append(hosts, Key{Expr: e})
		} else {
			domains = append(domains, Key{Expr: e})
		}
	}
	return append(hosts, domains...), nil
}

// endsOnly reports whether the query uses a column of g's source only as the
// argument of min and max. exprs are all expressions over the source, and
// column is the index of the column.
func endsOnly(g *Group, exprs []expr.Expr, column int) bool {
	for _, a := range g.Aggs {
		c, ok := a.Arg.(*expr.Col)
		if ok && c.Index == column && (a.Func == Min || a.Func == Max) {
			exprs = slices.DeleteFunc(slices.Clone(exprs), func(e expr.Expr) bool { return e == a.Arg })
		}
	}
	return !slices.ContainsFunc(exprs, func(e expr.Expr) bool { return reads(e, column) })
}

// reads reports whether e reads the column with this index, directly or in an
// operand.
func reads(e expr.Expr, column int) bool {
	c, ok := e.(*expr.Col)
	return ok && c.Index == column || slices.ContainsFunc(expr.Operands(e), func(o expr.Expr) bool { return reads(o, column) })
}

// countable reports whether a can be computed from rows that stand for many captures each:
// its result does not depend on the order of rows, and it can add many equal rows at once.
func (a *Aggregate) countable() bool {
	switch a.Func {
	case Count, Min, Max:
		return true
	case Sum, Avg:
		return a.Arg.Type() == value.Int || a.Arg.Type() == value.Duration
	}
	return false
}

// countable reports whether the rows of n, which must be captures or versions, can be
// counted by the store instead of being yielded one by one: the query needs neither their
// URLs nor anything that depends on other captures, such as how many visits a version had.
func (n *Source) countable() bool {
	return !n.Refs && n.ofCaptures() && !slices.ContainsFunc(n.Fields, func(f *relation.Column) bool { return f.Late() || !counts(f) })
}

// countableWhere reports whether the rows of n can be counted as countable says, if n itself tests
// the conditions on its late columns. exprs are all other expressions over n.
func (n *Source) countableWhere(exprs []expr.Expr) bool {
	for i, f := range n.Fields {
		switch {
		case !f.Late() && !counts(f):
			return false
		case f.Late() && slices.ContainsFunc(exprs, func(e expr.Expr) bool { return reads(e, i) }):
			return false
		}
	}
	return n.ofCaptures()
}

// ofCaptures reports whether each row of n is a capture, or a version that is counted at its first
// capture.
func (n *Source) ofCaptures() bool {
	return (n.Relation == relation.Captures || n.Relation == relation.Versions) && n.Choice.Kind == relation.ChooseAll && n.During == record.MinTime
}

// counts reports whether a tally has the column f.
func counts(f *relation.Column) bool {
	switch f.Name {
	case "time", "host", "domain":
		return true
	}
	return f.Needs != 0 && f.Needs&^record.TallyColumns == 0
}

// CountOf returns the index of the hidden column of n that says how many
// captures a row stands for. It returns -1 if n has no such column, because each row
// stands for one capture.
func CountOf(n Node) int {
	switch n := n.(type) {
	case *Filter:
		return CountOf(n.In)
	case *Source:
		if n.Tally != nil {
			return len(n.Fields)
		}
	}
	return -1
}
