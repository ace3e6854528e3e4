package plan

import (
	"slices"

	"infomall/exec/expr"
	"infomall/exec/value"
	"infomall/lang/ast"
)

// orderKeys binds ORDER BY. A number or an alias means that column of the
// result. An alias wins over a column of the inputs with the same name.
func (b *builder) orderKeys() ([]Key, error) {
	bind := b.over("ORDER BY")
	inner := bind.Column
	bind.Column = func(c *ast.Column, want value.Type) (expr.Expr, error) {
		if it := b.alias(c); it != nil {
			return b.again(it)
		}
		return inner(c, want)
	}
	var keys []Key
	for _, o := range b.query.OrderBy {
		it, err := b.ordinal(o.Expr, "ORDER BY")
		if err != nil {
			return nil, err
		}
		var e expr.Expr
		if it != nil {
			e, err = b.again(it)
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

// again binds an item's expression once more, so that its late columns are
// noted in b.touched.
func (b *builder) again(it *item) (expr.Expr, error) { return b.over("ORDER BY").Bind(it.expr) }

// distinctKeys binds ORDER BY of SELECT DISTINCT, which may only name columns
// of the result.
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

// itemIndex returns the index of the item that an ORDER BY of SELECT DISTINCT
// names.
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

// orderKey returns e as a sort key with the direction of o.
func orderKey(e expr.Expr, o ast.OrderItem) Key {
	return Key{Expr: e, Order: value.Order{Desc: o.Desc, NullsFirst: o.NullsFirst}}
}

// ordinal returns the item that e names if e is a whole number, such as ORDER
// BY 2, otherwise nil. where names the clause.
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

// sort adds a Sort or a Top to the plan, unless the rows come in that order
// already. Rows with late columns may be large, so they are always sorted by
// Sort, which can spill to disk.
func (b *builder) sort(keys []Key, l Limit) {
	if len(keys) == 0 || !b.env.Plain && b.inOrder(keys) {
		return
	}
	if !b.env.Plain && !b.large() && l.N >= 0 && l.N <= topRows && l.Skip <= topRows-l.N {
		b.top = &Top{In: b.top, Keys: keys, N: l.N + l.Skip}
		return
	}
	b.top = &Sort{In: b.top, Keys: keys}
}

// large reports whether rows may contain the texts of pages.
func (b *builder) large() bool {
	return slices.ContainsFunc(b.inputs, func(in *input) bool { return in.large || len(in.filled) > 0 })
}

// inOrder reports whether the source yields rows in the order of keys. Captures
// and versions come by URL and time, and pages by URL, if no node in between
// reorders them.
func (b *builder) inOrder(keys []Key) bool {
	if len(b.inputs) != 1 || b.inputs[0].src == nil || b.grouped || b.sel.Distinct {
		return false
	}
	src := b.inputs[0].src
	natural := src.Relation.Order
	if len(keys) > len(natural) {
		return false
	}
	for i, k := range keys {
		c, ok := k.Expr.(*expr.Col)
		if !ok || k.Order.Desc || c.Index >= len(src.Fields) || src.Fields[c.Index].Name != natural[i] {
			return false
		}
	}
	return true
}
