package plan

import (
	"slices"

	"infomall/exec/expr"
	"infomall/exec/relation"
	"infomall/exec/value"
	"infomall/lang/ast"
)

// orderKeys returns the sort keys of ORDER BY, with their names resolved. A
// number or an alias means that column of the result. An alias wins over a
// column of the inputs with the same name.
func (b *builder) orderKeys() ([]Key, error) {
	bind := b.over("ORDER BY")
	inner := bind.Column
	bind.Column = func(c *ast.Column, want value.Type) (expr.Expr, error) {
		if it := b.alias(c); it != nil {
			return b.bindAgain(it)
		}
		return inner(c, want)
	}
	if replace := bind.Replace; replace != nil {
		bind.Replace = func(e ast.Expr) expr.Expr {
			if c, ok := e.(*ast.Column); ok && b.alias(c) != nil {
				return nil // also if GROUP BY has a column with this name
			}
			return replace(e)
		}
	}
	var keys []Key
	for _, o := range b.query.OrderBy {
		it, err := b.ordinal(o.Expr, "ORDER BY")
		if err != nil {
			return nil, err
		}
		var e expr.Expr
		if it != nil {
			e, err = b.bindAgain(it)
		} else {
			e, err = bind.Bind(o.Expr)
		}
		if err != nil {
			return nil, err
		}
		keys = append(keys, orderKey(e, o))
	}
	return keys, nil
}

// bindAgain resolves the names in the expression of the item it a second time and returns the
// result. Thereby b.touched notes the late columns that ORDER BY reads.
func (b *builder) bindAgain(it *item) (expr.Expr, error) { return b.over("ORDER BY").Bind(it.expr) }

// distinctKeys returns the sort keys of ORDER BY in a SELECT DISTINCT, as
// columns of the result. It returns an error if ORDER BY names anything else.
func (b *builder) distinctKeys() ([]Key, error) {
	var keys []Key
	for _, o := range b.query.OrderBy {
		i, err := b.itemIndex(o.Expr)
		if err != nil {
			return nil, err
		}
		e := &expr.Col{Index: len(b.correlatedKeys) + i, Name: b.items[i].name, T: b.items[i].bound.Type()}
		keys = append(keys, orderKey(e, o))
	}
	return keys, nil
}

// itemIndex returns the index of the item of the result that e, an expression
// in the ORDER BY of a SELECT DISTINCT, names or equals. It returns an error if
// there is none.
func (b *builder) itemIndex(e ast.Expr) (int, error) {
	it, err := b.ordinal(e, "ORDER BY")
	if err != nil {
		return 0, err
	}
	if c, ok := e.(*ast.Column); ok && it == nil {
		it = b.alias(c)
	}
	if it == nil {
		x, err := b.over("ORDER BY").Bind(e)
		if err != nil {
			return 0, err
		}
		for i := range b.items {
			if b.items[i].bound.String() == x.String() {
				return i, nil
			}
		}
		err2 := ast.Errorf(e, "SELECT DISTINCT is ordered by its own columns, and %s is not one of them", e)
		err2.Hint = "add it to SELECT"
		return 0, err2
	}
	for i := range b.items {
		if &b.items[i] == it {
			return i, nil
		}
	}
	panic("plan: an item that is not in the list")
}

// orderKey returns a sort key with the expression e and the direction that o
// gives in ORDER BY.
func orderKey(e expr.Expr, o ast.OrderItem) Key {
	return Key{Expr: e, Order: value.Order{Desc: o.Desc, NullsFirst: o.NullsFirst}}
}

// ordinal returns the item of the result whose number is e, as in ORDER BY 2.
// It returns nil if e is not a whole number, and an error if there is no such
// item. The parameter where names the clause, for the error.
func (b *builder) ordinal(e ast.Expr, where string) (*item, error) {
	n, ok := e.(*ast.Number)
	if !ok || !n.IsInt {
		return nil, nil
	}
	if n.Int < 1 || n.Int > int64(len(b.items)) {
		return nil, ast.Errorf(e, "%s %d: the result has %s", where, n.Int, value.Counted(len(b.items), "column"))
	}
	return &b.items[n.Int-1], nil
}

// sort adds a node that sorts the rows by keys to the plan, unless they come in
// that order already. With a small LIMIT l the node is a Top, which keeps few
// rows in memory. Rows that may contain the texts of pages are always sorted by
// a Sort, which can write rows to disk.
func (b *builder) sort(keys []Key, l Limit) {
	if len(keys) == 0 || !b.env.Plain && b.inOrder(keys) {
		return
	}
	if !b.env.Plain && !b.large() && l.N >= 0 && l.N <= topRows && l.Skip <= topRows-l.N {
		top := &Top{In: b.top, Keys: keys, N: l.N + l.Skip}
		if src, ok := top.In.(*Source); ok && top.byScore(src) {
			src.Best, src.ByURL = top.N, top.N > 0 && src.inOrder(keys[1:]) // Top keeps the order of rows with equal keys
		}
		b.top = top
		return
	}
	b.top = &Sort{In: b.top, Keys: keys}
}

// byScore reports whether n yields the findings with the highest scores of src.
func (n *Top) byScore(src *Source) bool {
	c, ok := n.Keys[0].Expr.(*expr.Col)
	return ok && c.Index < len(src.Fields) && src.Relation == relation.Findings && src.Fields[c.Index].Name == "score" && n.Keys[0].Order.Desc
}

// large reports whether the rows of the plan may contain the texts of pages.
func (b *builder) large() bool {
	return slices.ContainsFunc(b.inputs, func(in *input) bool { return in.large || len(in.filled) > 0 })
}

// inOrder reports whether the rows come sorted by keys without a Sort. They do
// if the query reads one source, whose relation has this order, and no node has
// changed the order. For example, versions come sorted by URL and time.
func (b *builder) inOrder(keys []Key) bool {
	if len(b.inputs) != 1 || b.inputs[0].src == nil || b.grouped || b.windowed || b.sel.Distinct {
		return false
	}
	return b.inputs[0].src.inOrder(keys)
}

// inOrder reports whether the rows of n come sorted by keys.
func (n *Source) inOrder(keys []Key) bool {
	natural := n.Relation.Order
	if len(keys) > len(natural) {
		return false
	}
	for i, k := range keys {
		c, ok := k.Expr.(*expr.Col)
		if !ok || k.Order.Desc || c.Index >= len(n.Fields) || n.Fields[c.Index].Name != natural[i] {
			return false
		}
	}
	return true
}

// adjacentRows reports whether equal rows of a SELECT DISTINCT follow each other, so that
// they need not be remembered. They do if the rows of below, from which the result is
// computed, come sorted by URL, the URL is in the result, and all other columns of the
// result follow from it.
func (b *builder) adjacentRows(below Node) bool {
	src := b.byURL(below)
	if src == nil || len(b.correlatedKeys) > 0 {
		return false
	}
	url, has := src.Index("url"), false
	for _, it := range b.items {
		c, ok := it.bound.(*expr.Col)
		has = has || ok && c.Index == url
		others := false
		expr.Columns(it.bound, func(c *expr.Col) { others = others || c.Index != url })
		if others {
			return false
		}
	}
	return has
}
