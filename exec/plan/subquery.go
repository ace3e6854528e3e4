package plan

import (
	"fmt"
	"slices"

	"infomall/exec/expr"
	"infomall/exec/value"
	"infomall/lang/ast"
)

// A subquery becomes a join: its rows are read once, and each row of the outer
// query looks up the row that belongs to it. If the WHERE of the subquery
// compares its own columns with outer columns by =, these comparisons become the
// keys of the join. In
//
//	SELECT url, (SELECT count(*) FROM links WHERE url = p.url) FROM pages AS p
//
// the key of the subquery is links.url, its inner side. p.url is the outer side,
// by which its rows are looked up.
//
// If the subquery reads columns of the outer query in any other way, its first
// input are the different values that these columns have in the outer query; see
// the type around. These columns are then its keys.

// subquery is the plan of a query within an expression. Its rows begin with the
// keys: its own sides of the comparisons by = with the outer query (the query
// around it). The columns that it selects follow.
type subquery struct {
	node    Node
	outer   []ast.Expr // the outer query's sides of these comparisons, one per key
	seek    *Source    // the source whose URL is the key with the index seekKey, or nil
	seekKey int
	cols    []value.Column // the columns that the subquery selects
	first   bool           // only the first row per key is wanted
	around  *around        // the input with the values of the outer columns, or nil
	// empty is set if the subquery is an aggregate without GROUP BY, which has
	// one row for every key. It is then the row for a key for which there is
	// nothing to aggregate. Otherwise empty is nil.
	empty []value.Value
}

// correlation is a comparison by = that connects a subquery with the query
// around it: an expression over the outer query, and one over the subquery.
type correlation struct{ outer, inner ast.Expr }

// queryOf returns the query in e if e itself is a subquery, an EXISTS or an IN
// with a query. Otherwise it returns nil.
func queryOf(e ast.Node) *ast.Query {
	switch e := e.(type) {
	case *ast.Subquery:
		return e.Query
	case *ast.Exists:
		return e.Query
	case *ast.In:
		return e.Query
	}
	return nil
}

// hasQuery reports whether e contains a query anywhere.
func hasQuery(e ast.Expr) bool {
	found := false
	ast.Walk(e, func(n ast.Node) bool {
		found = found || queryOf(n) != nil
		return !found
	})
	return found
}

// subquery returns the plan of the query in e. For the same query it always
// returns the same plan.
func (b *builder) subquery(e ast.Expr) (*subquery, error) {
	q := queryOf(e)
	if s := b.planned[q]; s != nil {
		return s, nil
	}
	s, err := b.planSubquery(e, q)
	if err != nil {
		return nil, err
	}
	if b.planned == nil {
		b.planned = map[*ast.Query]*subquery{}
	}
	b.planned[q] = s
	return s, nil
}

// planSubquery returns a new plan of the query q, which is the query in the
// expression e.
func (b *builder) planSubquery(e ast.Expr, q *ast.Query) (*subquery, error) {
	_, exists := e.(*ast.Exists)
	if items := q.Select.Items; exists && len(items) == 1 && items[0].Star && !q.Select.Distinct && len(q.Sets) == 0 {
		q = withoutColumns(q)
	}
	inner := &builder{env: b.env, outer: b, place: e}
	node, err := inner.build(q, b.with)
	if err != nil {
		return nil, err
	}
	keys := len(inner.correlated)
	s := &subquery{node: node, cols: node.Columns()[keys:], first: inner.firstOnly, empty: inner.empty, around: inner.around}
	for i, c := range inner.correlated {
		s.outer = append(s.outer, c.outer)
		if in := inner.inputs[0]; len(inner.inputs) == 1 && s.seek == nil {
			s.seek, s.seekKey = in.urlOf(inner.correlatedKeys[i]), i
		}
	}
	if !exists && len(s.cols) != 1 {
		return nil, ast.Errorf(q, "a query within an expression has one column, but this has %d", len(s.cols))
	}
	return s, nil
}

// withoutColumns returns a copy of q, which is a SELECT *, that selects a
// constant instead. It serves EXISTS, which needs no columns.
func withoutColumns(q *ast.Query) *ast.Query {
	s, query := *q.Select, *q
	s.Items = []ast.Item{{Span: s.Items[0].Span, Expr: &ast.Bool{Span: s.Items[0].Span, Value: true}}}
	query.Select = &s
	return &query
}

// urlOf returns the input's source if e is the column url of that source, and otherwise nil.
// The source can then be read for single URLs.
func (in *input) urlOf(e expr.Expr) *Source {
	c, ok := e.(*expr.Col)
	if ok && in.src != nil && in.src.Relation.Scoped && c.Index < len(in.src.Fields) && in.src.Fields[c.Index].Name == "url" {
		return in.src
	}
	return nil
}

// lookUp returns an expression for the value of the subquery in e. It adds a
// join to the plan that looks up this value for each row. The binder bind
// resolves names of the outer query: in the comparisons with the subquery, and
// in the left side of IN. For the same e, lookUp adds the join only once.
func (b *builder) lookUp(bind *expr.Binder, e ast.Expr) (expr.Expr, error) {
	if x := b.found[e]; x != nil {
		return x, nil
	}
	x, err := b.newLookUp(bind, e)
	if err != nil {
		return nil, err
	}
	if b.found == nil {
		b.found = map[ast.Expr]expr.Expr{}
	}
	b.found[e] = x
	return x, nil
}

// newLookUp adds a join to the plan that looks up the value of the subquery in
// e for each row, and returns an expression for this value. The plan must not
// have such a join for e yet. bind resolves names of the outer query.
func (b *builder) newLookUp(bind *expr.Binder, e ast.Expr) (expr.Expr, error) {
	s, err := b.subquery(e)
	if err != nil {
		return nil, err
	}
	if err := b.fillAround(bind, s.around); err != nil {
		return nil, err
	}
	l := looker{builder: b, bind: bind, sub: s, at: e}
	switch e := e.(type) {
	case *ast.Exists:
		return l.exists()
	case *ast.In:
		return l.in(e)
	}
	return l.scalar()
}

// unplaced returns an expression that has the type of the subquery in e, but
// cannot be computed, because it does not add the subquery to the plan. It is
// used to check types before the groups are planned. bind resolves names of the
// outer query.
func (b *builder) unplaced(bind *expr.Binder, e ast.Expr) (expr.Expr, error) {
	s, err := b.subquery(e)
	if err != nil {
		return nil, err
	}
	beside := s.outer
	if in, ok := e.(*ast.In); ok {
		beside = append([]ast.Expr{in.X}, beside...)
	}
	for _, x := range beside {
		if _, err := bind.Bind(x); err != nil {
			return nil, err
		}
	}
	t := value.Bool
	if _, scalar := e.(*ast.Subquery); scalar {
		t = s.cols[0].Type
	}
	return &expr.Col{Name: e.String(), T: t}, nil
}

// looker adds joins to the plan that look up the value of one subquery for each
// row.
type looker struct {
	*builder
	bind *expr.Binder // resolves names of the outer query
	sub  *subquery
	at   ast.Expr // the expression with the subquery
}

// exists returns an expression that is true for a row of the outer query if the subquery has
// a row with the same keys. If the subquery is an aggregate without GROUP BY, it always has
// a row, and the expression is TRUE.
func (l looker) exists() (expr.Expr, error) {
	if l.sub.empty != nil {
		return expr.Constant(value.OfBool(true)), nil
	}
	node := l.sub.node
	if len(l.sub.outer) == 0 {
		node = &Limit{In: node, N: 1}
	}
	mark, err := l.join(node, nil, FirstRow)
	if err != nil {
		return nil, err
	}
	return &expr.Is{X: mark[0], What: expr.IsTrue}, nil
}

// scalar returns an expression for the value of the subquery. For each row of the outer
// query, it is the value in the one row of the subquery with the same keys, or NULL if there
// is no such row. If there is none and the subquery is an aggregate without GROUP BY, it is
// the aggregate over no rows, such as 0 for count.
func (l looker) scalar() (expr.Expr, error) {
	one := OnlyRow
	if l.sub.first {
		one = FirstRow
	}
	keys := len(l.sub.outer)
	cols, err := l.join(l.sub.node, []expr.Expr{l.own(keys)}, one)
	if err != nil {
		return nil, err
	}
	if l.sub.empty == nil {
		return cols[1], nil
	}
	none := &expr.Const{V: l.sub.empty[0], T: cols[1].T}
	return &expr.Case{Whens: []expr.When{{Cond: &expr.Is{X: cols[0], What: expr.IsTrue}, Then: cols[1]}}, Else: none, T: cols[1].T}, nil
}

// own returns an expression for column i of the rows that the subquery yields.
func (l looker) own(i int) *expr.Col {
	c := l.sub.node.Columns()[i]
	return &expr.Col{Index: i, Name: c.Name, T: c.Type}
}

// in returns an expression for e, which is x IN (query): it is true if x equals
// the value of a row that the subquery has with the same keys. If x equals
// none, but is NULL or a value is NULL, the result is NULL. If e is a whole
// condition of WHERE, for which NULL has the effect of FALSE, in returns a
// simpler expression that is FALSE instead of NULL.
func (l looker) in(e *ast.In) (expr.Expr, error) {
	if l.sub.empty != nil {
		err := ast.Errorf(e, "IN takes no aggregate that is compared with the outer query")
		err.Hint = "write = in place of IN"
		return nil, err
	}
	x, err := l.bind.Bind(e.X)
	if err != nil {
		return nil, err
	}
	keys := len(l.sub.outer)
	y := expr.Expr(l.own(keys))
	x, y, err = l.binder("ON").JoinKeys(x, y, e.X, e.X)
	if err != nil {
		return nil, err
	}
	known := neverNull(l.top, x) && neverNull(l.sub.node, y)
	mark, err := l.joinAlso(l.sub.node, nil, FirstRow, x, y)
	if err != nil {
		return nil, err
	}
	found := expr.Expr(&expr.Is{X: mark[0], What: expr.IsTrue})
	if !known && (e.Not || l.filtering != ast.Expr(e)) {
		if found, err = l.orNull(found, x, keys); err != nil {
			return nil, err
		}
	}
	if !e.Not {
		return found, nil
	}
	return expr.Negate(found)
}

// orNull returns the expression found, which tests whether x equals a value of
// the subquery, with the NULLs of IN added. If found is false, the result is
// NULL if x is NULL or a value of the subquery is NULL. Without rows in the
// subquery, it stays FALSE. keys is the number of keys in the subquery's rows.
func (l looker) orNull(found, x expr.Expr, keys int) (expr.Expr, error) {
	group := &Group{In: l.sub.node, Aggs: []*Aggregate{
		{Func: Count, T: value.Int, Text: "count(*)"},
		{Func: Count, Arg: l.own(keys), T: value.Int, Text: "count(" + l.own(keys).Name + ")"},
	}}
	for i := range keys {
		group.Keys = append(group.Keys, l.own(i))
	}
	if keys == 0 { // without keys, no rows would still make a group
		group.Keys = []expr.Expr{expr.Constant(value.OfBool(true))}
	}
	all, some := &expr.Col{Index: len(group.Keys), T: value.Int}, &expr.Col{Index: len(group.Keys) + 1, T: value.Int}
	nulls, err := l.join(group, []expr.Expr{&expr.Compare{Op: expr.GT, X: all, Y: some}}, FirstRow)
	if err != nil {
		return nil, err
	}
	return &expr.Case{T: value.Bool, Whens: []expr.When{
		{Cond: found, Then: expr.Constant(value.OfBool(true))},
		{Cond: &expr.Not{X: &expr.Is{X: nulls[0], What: expr.IsTrue}}, Then: expr.Constant(value.OfBool(false))},
		{Cond: &expr.Or{List: []expr.Expr{&expr.Is{X: x, What: expr.IsNull}, nulls[1]}}, Then: &expr.Const{T: value.Bool}},
	}, Else: expr.Constant(value.OfBool(false))}, nil
}

// join adds a node to the plan that joins each row with the row of node that
// has equal keys. The parameter one says whether this is the first such row or
// the only one. join returns the columns that this adds: first a mark, which is
// TRUE if there is such a row and NULL if not, then the values, which are
// expressions over node.
func (l looker) join(node Node, values []expr.Expr, one OneRow) ([]*expr.Col, error) {
	return l.joinAlso(node, values, one, nil, nil)
}

// joinAlso does what join does, with one more pair of keys that must be equal: x reads the
// rows of the plan so far, and y those of node. If x and y are nil, there is no such pair.
func (l looker) joinAlso(node Node, values []expr.Expr, one OneRow, x, y expr.Expr) ([]*expr.Col, error) {
	j := &Join{Outer: true, One: one, At: l.at.At(), Seek: l.sub.seek, SeekKey: l.sub.seekKey}
	if l.sub.around != nil {
		j.NullKeys = len(l.sub.outer)
	}
	right := &Project{In: node}
	add := func(e expr.Expr, name string) *expr.Col {
		right.Exprs, right.Names = append(right.Exprs, e), append(right.Names, name)
		return &expr.Col{Index: len(right.Exprs) - 1, Name: name, T: e.Type()}
	}
	for i, e := range l.sub.outer {
		k, err := l.bind.Bind(e)
		if err != nil {
			return nil, err
		}
		cols := node.Columns()
		inner := expr.Expr(&expr.Col{Index: i, Name: cols[i].Name, T: cols[i].Type})
		if k, inner, err = l.binder("ON").JoinKeys(k, inner, e, e); err != nil {
			return nil, err
		}
		j.LeftKeys = append(j.LeftKeys, k)
		j.RightKeys = append(j.RightKeys, add(inner, cols[i].Name))
	}
	l.read(l.touched) // the late columns in the keys
	if x != nil {
		j.LeftKeys = append(j.LeftKeys, x)
		j.RightKeys = append(j.RightKeys, add(y, y.String()))
	}
	added := []*expr.Col{add(expr.Constant(value.OfBool(true)), "found")}
	for _, v := range values {
		added = append(added, add(v, l.at.String()))
	}
	j.Left, j.Right = l.top, right
	base := len(l.top.Columns())
	l.top = j
	for _, c := range added {
		c.Index += base
	}
	return added, nil
}

// neverNull reports whether the expression e over the rows of n can never be
// NULL. It returns false if it does not know.
func neverNull(n Node, e expr.Expr) bool {
	switch e := e.(type) {
	case *expr.Const:
		return !e.V.IsNull()
	case *expr.Col:
		return columnNeverNull(n, e.Index)
	}
	return false
}

// columnNeverNull reports whether column i of the node n can never be NULL. It
// returns false if it does not know.
func columnNeverNull(n Node, i int) bool {
	switch n := n.(type) {
	case *Source:
		return i < len(n.Fields) && slices.Contains([]string{"url", "time", "host", "kind"}, n.Fields[i].Name)
	case *Project:
		return i < len(n.Exprs) && neverNull(n.In, n.Exprs[i]) // without Exprs, it is of an around that is not filled yet
	case *Group:
		return i < len(n.Keys) && neverNull(n.In, n.Keys[i])
	case *Join:
		if left := len(n.Left.Columns()); i < left {
			return columnNeverNull(n.Left, i)
		} else if !n.Outer {
			return columnNeverNull(n.Right, i-left)
		}
	case *Filter, *Sort, *Top, *Limit, *Distinct, *Payload:
		return columnNeverNull(n.Below()[0], i)
	}
	return false
}

// correlate takes from conds, the conditions of WHERE, the comparisons by = with columns of
// the outer query, adds them to b.correlated, and returns the other conditions. It returns
// an error if the subquery has a LIMIT that cannot be applied for each key.
func (b *builder) correlate(conds []ast.Expr) ([]ast.Expr, error) {
	if b.outer == nil {
		return conds, nil
	}
	var rest []ast.Expr
	if b.around != nil {
		b.correlated, rest, conds = b.around.correlations(), conds, nil
	}
	for _, e := range conds {
		eq, ok := e.(*ast.Binary)
		if ok && eq.Op == "=" && b.isOuter(eq.X) && b.isInner(eq.Y) {
			b.correlated = append(b.correlated, correlation{eq.X, eq.Y})
		} else if ok && eq.Op == "=" && b.isOuter(eq.Y) && b.isInner(eq.X) {
			b.correlated = append(b.correlated, correlation{eq.Y, eq.X})
		} else {
			rest = append(rest, e)
		}
	}
	if b.correlated == nil || b.query.Limit == nil {
		return rest, nil
	}
	limit, err := b.limit()
	if err != nil {
		return nil, err
	}
	switch b.place.(type) {
	case *ast.Exists:
		b.firstOnly = limit.N > 0 && limit.Skip == 0
	case *ast.Subquery:
		b.firstOnly = limit.N == 1 && limit.Skip == 0
	}
	if !b.firstOnly {
		err := ast.Errorf(b.query.Limit, "a query that compares with the one around it takes LIMIT 1 only, and in IN none")
		err.Hint = "leave LIMIT out"
		return nil, err
	}
	return rest, nil
}

// isOuter reports whether e reads at least one column, and only columns of the
// outer query (the one around this subquery).
func (b *builder) isOuter(e ast.Expr) bool {
	n, all := 0, !hasQuery(e)
	columnsOf(e, func(c *ast.Column) {
		n++
		all = all && b.ofOuter(c)
	})
	return n > 0 && all
}

// isInner reports whether e reads at least one column, and only columns of the
// subquery's own inputs.
func (b *builder) isInner(e ast.Expr) bool {
	n, all := 0, !hasQuery(e)
	columnsOf(e, func(c *ast.Column) {
		n++
		all = all && b.has(c)
	})
	return n > 0 && all
}

// ofOuter reports whether c is a column of the outer query and not of the
// subquery's own inputs.
func (b *builder) ofOuter(c *ast.Column) bool {
	return b.outer != nil && !b.has(c) && b.outer.has(c)
}

// outerColumn returns the error for c, a column of the outer query, at a place
// where a subquery cannot read it.
func outerColumn(c *ast.Column) error {
	err := ast.Errorf(c, "%s is a column of the outer query, which can't be read here", c)
	err.Hint = fmt.Sprintf("compare it in WHERE, such as WHERE url = %s, or use a JOIN", c)
	return err
}

// bindCorrelated resolves the names in the subquery's sides of the comparisons
// with the outer query, and sets b.correlatedKeys to the results.
func (b *builder) bindCorrelated() error {
	b.correlatedKeys = nil
	for _, c := range b.correlated {
		x, err := b.binder("WHERE").Bind(c.inner)
		if err != nil {
			return err
		}
		b.correlatedKeys = append(b.correlatedKeys, x)
	}
	return nil
}

// emptyRow returns the row that a query with aggregates and without GROUP BY
// yields if it has no rows to read, such as 0 for count. It returns nil if the
// condition having drops this row. having may be nil.
func (b *builder) emptyRow(having expr.Expr) ([]value.Value, error) {
	group := make([]value.Value, len(b.keys)+len(b.aggs))
	for i, a := range b.aggs {
		if a.Func == Count {
			group[len(b.keys)+i] = value.OfInt(0)
		}
	}
	if having != nil {
		if v, err := valueOf(having, group); err != nil || v.IsNull() || !v.Bool {
			return nil, err
		}
	}
	row := make([]value.Value, len(b.items))
	for i, it := range b.items {
		var err error
		if row[i], err = valueOf(it.bound, group); err != nil {
			return nil, err
		}
	}
	return row, nil
}

// valueOf returns the value of the expression e for one row, whose columns are
// in row.
func valueOf(e expr.Expr, row []value.Value) (value.Value, error) {
	if c, ok := e.(*expr.Col); ok {
		return row[c.Index], nil
	}
	operands := expr.Operands(e)
	args := make([]value.Value, len(operands))
	for i, o := range operands {
		var err error
		if args[i], err = valueOf(o, row); err != nil {
			return value.Value{}, err
		}
	}
	return expr.Apply(e, args)
}
