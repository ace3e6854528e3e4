package plan

import (
	"fmt"
	"slices"
	"strings"

	"infomall/exec/expr"
	"infomall/exec/relation"
	"infomall/exec/value"
	"infomall/lang/ast"
	"infomall/store/urlkey"
)

// Window is a node that sorts the rows of In by partition and, within each
// partition, by OrderBy. It yields the columns of In and then one column for each
// of Funcs. Rows of a partition that are equal in OrderBy are peers; without
// OrderBy, all rows of a partition are.
type Window struct {
	In          Node
	PartitionBy []expr.Expr
	OrderBy     []Key
	Funcs       []*WindowFunc
	Sorted      bool   // the rows of In come sorted by PartitionBy and OrderBy
	Grouped     bool   // the rows of In come sorted by PartitionBy
	AnyOrder    bool   // the rows may be yielded in any order
	First       int64  // how many of the first rows are needed; 0 means all
	text        string // PartitionBy and OrderBy, to find equal windows
}

// WindowFunc is one function with OVER.
type WindowFunc struct {
	Kind    WindowKind
	Agg     *Aggregate // for OfPeers: over the rows from the first of the partition to the last peer of the row
	Arg     expr.Expr  // for Lag, Lead, FirstValue and LastValue
	Default expr.Expr  // for Lag and Lead, if there is no such row; nil means NULL
	Offset  int64      // for Lag and Lead, in rows
	T       value.Type
	Text    string // as written
}

// WindowKind says how a WindowFunc is computed.
type WindowKind uint8

// These are the kinds of functions with OVER.
const (
	OfPeers WindowKind = iota // an aggregate
	RowNumber
	Rank
	DenseRank
	Lag
	Lead
	FirstValue
	LastValue
)

// windowKinds maps the names of functions that OVER must follow to their kinds.
var windowKinds = map[string]WindowKind{
	"row_number": RowNumber, "rank": Rank, "dense_rank": DenseRank, "lag": Lag, "lead": Lead, "first_value": FirstValue, "last_value": LastValue,
}

// Below returns the node whose rows n reads.
func (n *Window) Below() []Node { return []Node{n.In} }

// InColumns returns the columns of In without the column that says how many captures a row
// stands for. n yields one row for each capture, so it drops that column.
func (n *Window) InColumns() []value.Column {
	cols := n.In.Columns()
	if count := CountOf(n.In); count >= 0 {
		return cols[:count]
	}
	return cols
}

// Columns returns the columns of In, then one for each function.
func (n *Window) Columns() []value.Column {
	cols := n.InColumns()
	for _, f := range n.Funcs {
		cols = append(cols[:len(cols):len(cols)], value.Column{Name: f.Text, Type: f.T})
	}
	return cols
}

// String returns the line of EXPLAIN for n.
func (n *Window) String() string {
	names := make([]string, len(n.Funcs))
	for i, f := range n.Funcs {
		names[i] = f.Text
	}
	sorted := ""
	switch {
	case n.Sorted:
		sorted = " (comes sorted)"
	case n.Grouped:
		sorted = " (partitions come one after the other)"
	}
	if n.First > 0 && n.Aggregates() {
		sorted += fmt.Sprintf(" (only those of the first %s)", value.Counted(int(n.First), "row"))
	}
	return "window" + n.text + sorted + ": " + strings.Join(names, ", ")
}

// Aggregates reports whether all functions of n are aggregates over the whole partition of a
// row. The rows then need not be sorted.
func (n *Window) Aggregates() bool {
	return len(n.OrderBy) == 0 && !slices.ContainsFunc(n.Funcs, func(f *WindowFunc) bool { return f.Kind != OfPeers })
}

// SortBy returns the keys by which n must sort the rows of In. If groups is not empty, rows
// that are equal in groups follow each other already, and n sorts each such group alone;
// otherwise n sorts all rows. keys is empty if the rows need not be sorted.
func (n *Window) SortBy() (groups, keys []Key) {
	if n.Sorted {
		return nil, nil
	}
	for _, e := range n.PartitionBy {
		groups = append(groups, Key{Expr: e})
	}
	if n.Grouped {
		return groups, n.OrderBy
	}
	return nil, append(groups, n.OrderBy...)
}

// window returns the column that holds the result of c, a function with OVER. It
// adds a Window to the plan, or c to the Window on top if that is the same
// window. bind resolves the names in the arguments of c and after OVER. If the
// groups of the query are not in the plan yet, window adds nothing, and the
// result has only the right type.
func (b *builder) window(bind *expr.Binder, c *ast.Call) (expr.Expr, error) {
	if x := b.found[c]; x != nil {
		return x, nil
	}
	w := &Window{}
	if err := b.partition(bind, w, c.Over); err != nil {
		return nil, err
	}
	f, err := b.windowFunc(bind, c)
	if err != nil {
		return nil, err
	}
	if b.grouped && !b.made {
		return &expr.Col{Name: f.Text, T: f.T}, nil
	}
	b.read(b.touched)
	b.touched = nil
	if top, ok := b.top.(*Window); ok && top.text == w.text && !refersTo(w, f, len(top.InColumns())) {
		top.Funcs = append(top.Funcs, f)
	} else {
		w.In, w.Funcs = b.top, []*WindowFunc{f}
		b.comesSorted(w)
		b.talliedWindow(w)
		b.top = w
	}
	if b.found == nil {
		b.found = map[ast.Expr]expr.Expr{}
	}
	x := &expr.Col{Index: len(b.top.Columns()) - 1, Name: f.Text, T: f.T}
	b.found[c], b.windowed = x, true
	return x, nil
}

// comesSorted sets w.Sorted if the rows that w reads come sorted by PARTITION BY and then by
// ORDER BY. For example, versions come sorted by url and time. If the rows come sorted by
// PARTITION BY only, it sets w.Grouped.
func (b *builder) comesSorted(w *Window) {
	in := w.In
	for {
		below, ok := in.(*Window)
		if !ok || !below.Sorted {
			break
		}
		in = below.In
	}
	src := b.byURL(in)
	if src == nil {
		return
	}
	var keys []Key
	for _, e := range w.PartitionBy {
		keys = append(keys, Key{Expr: e})
	}
	w.Sorted = src.inOrder(append(keys, w.OrderBy...))
	w.Grouped = !w.Sorted && len(keys) > 0 && src.inOrder(keys)
	src.Keys = len(b.inputs) == 1 && b.correlated == nil && b.onlyPartitions("url")
}

// onlyPartitions reports whether the query reads the column with this name only in PARTITION BY,
// so that equal values may be replaced by other equal values.
func (b *builder) onlyPartitions(name string) bool {
	if len(b.stars) > 0 {
		return false
	}
	named := func(e ast.Node) bool {
		c, ok := e.(*ast.Column)
		return ok && strings.EqualFold(c.Name.Text, name)
	}
	inPartition, all := 0, 0
	ast.Walk(b.query, func(n ast.Node) bool {
		if named(n) {
			all++
		}
		if w, ok := n.(*ast.Window); ok {
			for _, e := range w.PartitionBy {
				if named(e) {
					inPartition++
				}
			}
		}
		return true
	})
	return inPartition == all
}

// limited sets First of the window on top of the plan, if the query needs only the first
// rows of that window, because of the LIMIT l.
func (b *builder) limited(l Limit) {
	if w, ok := b.top.(*Window); ok && !b.env.Plain && l.N >= 0 && l.N <= topRows && l.Skip <= topRows-l.N {
		w.First = l.N + l.Skip
	}
}

// BySite returns the source from whose URLs the rows of n are made, and the index of a key
// in PartitionBy that is the host or the domain of the URL. The source is nil if there is no
// such key, or if a row may stand for several captures. RangesOfSite returns the ranges of
// URL keys that contain a partition.
func (n *Window) BySite() (src *Source, key int) {
	in := n.In
	for {
		f, ok := in.(*Filter)
		if !ok {
			break
		}
		in = f.In
	}
	src, ok := in.(*Source)
	if !ok || src.Tally != nil || src.Relation != relation.Captures && src.Relation != relation.Versions {
		return nil, 0
	}
	for i, e := range n.PartitionBy {
		if c, ok := e.(*expr.Col); ok && c.Index < len(src.Fields) && (src.Fields[c.Index].Name == "host" || src.Fields[c.Index].Name == "domain") {
			return src, i
		}
	}
	return nil, 0
}

// RangesOfSite returns ranges of URL keys that contain all rows of a partition: the rows
// whose key in PartitionBy with this index, which BySite returned, has the value site. It
// returns false if it knows no such ranges.
func (n *Window) RangesOfSite(key int, site value.Value) ([]urlkey.Range, bool) {
	if site.IsNull() {
		return nil, false
	}
	src, _ := n.BySite()
	return rangesOfSite(src.Fields[n.PartitionBy[key].(*expr.Col).Index].Name, site.Text)
}

// refersTo reports whether w or f reads a column with an index of at least from.
func refersTo(w *Window, f *WindowFunc, from int) bool {
	list := append([]expr.Expr{f.Arg, f.Default}, w.PartitionBy...)
	for _, k := range w.OrderBy {
		list = append(list, k.Expr)
	}
	if f.Agg != nil {
		list = append(list, f.Agg.Arg)
	}
	refers := false
	for _, e := range list {
		if e != nil {
			expr.Columns(e, func(c *expr.Col) { refers = refers || c.Index >= from })
		}
	}
	return refers
}

// partition sets PartitionBy, OrderBy and text of w from the window o. In a
// correlated subquery, the rows of each key are partitions of their own.
func (b *builder) partition(bind *expr.Binder, w *Window, o *ast.Window) error {
	inner := *bind
	inner.Where, inner.Window = "OVER", nil
	if b.correlated != nil {
		if !b.grouped {
			if err := b.bindCorrelated(); err != nil {
				return err
			}
		}
		for i, k := range b.correlatedKeys {
			if b.grouped {
				k = &expr.Col{Index: i, Name: k.String(), T: k.Type()}
			}
			w.PartitionBy = append(w.PartitionBy, k)
		}
	}
	for _, e := range o.PartitionBy {
		x, err := inner.Bind(e)
		if err != nil {
			return err
		}
		w.PartitionBy = append(w.PartitionBy, x)
	}
	for _, k := range o.OrderBy {
		x, err := inner.Bind(k.Expr)
		if err != nil {
			return err
		}
		w.OrderBy = append(w.OrderBy, orderKey(x, k))
	}
	if w.PartitionBy != nil {
		w.text = " by " + joined(w.PartitionBy, ", ")
	}
	if w.OrderBy != nil {
		w.text += " in order of " + keysText(w.OrderBy)
	}
	return nil
}

// windowFunc returns the function that c calls, with the names in its arguments
// resolved and their types checked.
func (b *builder) windowFunc(bind *expr.Binder, c *ast.Call) (*WindowFunc, error) {
	f := expr.FindFunction(c.Name.Text)
	inner := *bind
	inner.Where, inner.Window = "a function with OVER", nil
	if f.Aggregate {
		return windowAggregate(&inner, c)
	}
	w := &WindowFunc{Kind: windowKinds[f.Name], T: value.Int, Offset: 1, Text: c.String()}
	if c.Star || c.Distinct || c.Filter != nil || len(c.OrderBy) > 0 {
		return nil, ast.Errorf(c, "%s takes neither *, DISTINCT nor ORDER BY, and no FILTER after it", f.Name)
	}
	if least, most := f.Arguments(); len(c.Args) < least || len(c.Args) > most {
		return nil, ast.Errorf(c, "%s has %s here; it is called as %s", f.Name, value.Counted(len(c.Args), "argument"), f.Signature())
	}
	if len(c.Args) == 0 {
		return w, nil
	}
	var err error
	if w.Arg, err = inner.Bind(c.Args[0]); err != nil {
		return nil, err
	}
	w.T = w.Arg.Type()
	if len(c.Args) > 1 {
		if w.Offset, err = expr.ConstantCount(c.Args[1], f.Name, b.env); err != nil {
			return nil, err
		}
	}
	if len(c.Args) > 2 {
		if w.Default, err = inner.Bind(c.Args[2]); err != nil {
			return nil, err
		}
		both, ok := value.Common(w.T, w.Default.Type())
		if !ok {
			err := ast.Errorf(c.Args[2], "%s is %s, and %s is %s", c.Args[0], w.T, c.Args[2], w.Default.Type())
			err.Hint = fmt.Sprintf("CAST(%s AS %s)", c.Args[2], w.T)
			return nil, err
		}
		w.T, w.Arg, w.Default = both, asType(w.Arg, both), asType(w.Default, both)
	}
	return w, nil
}

// asType returns e converted to t, the type to which e and another expression are
// converted so that both have the same.
func asType(e expr.Expr, t value.Type) expr.Expr {
	switch e.Type() {
	case t:
		return e
	case value.Null:
		return &expr.Const{T: t}
	}
	return &expr.Cast{X: e, To: t}
}

// windowAggregate returns the aggregate function with OVER that c calls. bind
// resolves names.
func windowAggregate(bind *expr.Binder, c *ast.Call) (*WindowFunc, error) {
	f, _ := aggregateOf(c)
	a := &Aggregate{Span: c.Span, Func: f, Text: c.String()}
	switch f {
	case Count, Sum, Avg, Min, Max, AnyValue, Stddev, CountIf:
	default:
		err := ast.Errorf(c, "%s takes no OVER", f)
		err.Hint = "compute it with GROUP BY, and join the result"
		return nil, err
	}
	switch {
	case c.Distinct:
		err := ast.Errorf(c, "a function with OVER takes no DISTINCT")
		err.Hint = "compute it with GROUP BY, and join the result"
		return nil, err
	case len(c.OrderBy) > 0:
		return nil, ast.Errorf(&c.OrderBy[0], "write ORDER BY in the brackets after OVER")
	case c.Star && f != Count:
		return nil, ast.Errorf(c, "only count takes *, and without DISTINCT")
	case !c.Star:
		if err := argumentCount(f, c); err != nil {
			return nil, err
		}
	}
	var err error
	a.Arg, a.T = expr.Expr(expr.Constant(value.OfInt(1))), value.Int
	switch {
	case c.Star:
	case f == CountIf:
		cond, err := bind.BindBool(c.Args[0])
		if err != nil {
			return nil, err
		}
		a.Func = Count
		if a.Arg, err = expr.OnlyIf(cond, a.Arg); err != nil {
			return nil, err
		}
	default:
		if a.Arg, err = bind.Bind(c.Args[0]); err != nil {
			return nil, err
		}
		if a.T, err = aggregateType(f, c.Args[0], a.Arg.Type()); err != nil {
			return nil, err
		}
	}
	if c.Filter != nil {
		cond, err := bind.BindBool(c.Filter)
		if err != nil {
			return nil, err
		}
		if a.Arg, err = expr.OnlyIf(cond, a.Arg); err != nil {
			return nil, err
		}
	}
	return &WindowFunc{Kind: OfPeers, Agg: a, T: a.T, Text: a.Text}, nil
}
