package plan

import (
	"slices"

	"infomall/exec/expr"
	"infomall/exec/relation"
	"infomall/exec/value"
	"infomall/lang/ast"
	"infomall/store/record"
)

// tallied lets the source below g count captures instead of yielding each one,
// if that cannot change the answer. It sets the Tally of the source.
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
	for {
		f, ok := in.(*Filter)
		if !ok {
			break
		}
		exprs = append(exprs, f.Conds...)
		in = f.In
	}
	src, ok := in.(*Source)
	if !ok || !src.countable() || slices.ContainsFunc(exprs, func(e expr.Expr) bool { return e.Type() == value.Float }) {
		return
	}
	column := src.Index("time")
	src.Tally = &relation.Tally{Unit: expr.TimeUnit(exprs, column), Zone: b.env.Location(), Ends: column >= 0 && endsOnly(g, exprs, column)}
	g.Count = &expr.Col{Index: len(src.Fields), T: value.Int}
}

// talliedDistinct lets the source below a SELECT DISTINCT count captures
// instead of yielding each one, if that is possible, and returns the keys by
// which the result must be sorted. Counted rows come in no order. So keys, the
// ORDER BY, must include every item of the result; or all items are hosts and
// domains, and the result is sorted like their URLs.
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
	if !ok || !src.countable() {
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

// byHost returns the sort keys that put hosts and domains in the order of their
// URLs. It returns nil if the query has an ORDER BY or other items.
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

// endsOnly reports whether only min and max read the column, among the
// expressions over g's source, and read it unchanged.
func endsOnly(g *Group, exprs []expr.Expr, column int) bool {
	for _, a := range g.Aggs {
		c, ok := a.Arg.(*expr.Col)
		if ok && c.Index == column && (a.Func == Min || a.Func == Max) {
			exprs = slices.DeleteFunc(slices.Clone(exprs), func(e expr.Expr) bool { return e == a.Arg })
		}
	}
	return !slices.ContainsFunc(exprs, func(e expr.Expr) bool { return reads(e, column) })
}

// reads reports whether e reads the column with this index.
func reads(e expr.Expr, column int) bool {
	c, ok := e.(*expr.Col)
	return ok && c.Index == column || slices.ContainsFunc(expr.Operands(e), func(o expr.Expr) bool { return reads(o, column) })
}

// countable reports whether a has the same result in whatever order rows come,
// and can add many equal rows at once.
func (a *Aggregate) countable() bool {
	switch a.Func {
	case Count, Min, Max:
		return true
	case Sum, Avg:
		return a.Arg.Type() == value.Int || a.Arg.Type() == value.Duration
	}
	return false
}

// countable reports whether n's rows can be counted without reading their URLs.
func (n *Source) countable() bool {
	if !n.Relation.OfVisits || n.Choice.Kind != relation.ChooseAll || n.During != record.MinTime || n.Refs {
		return false
	}
	return !slices.ContainsFunc(n.Fields, func(f *relation.Column) bool {
		switch f.Name {
		case "time", "host", "domain":
			return false
		}
		return f.Late() || f.Needs == 0 || f.Needs&^record.TallyColumns != 0
	})
}

// CountOf returns the index of the hidden column that says how many captures
// each row of n stands for, or -1 if each stands for one.
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
