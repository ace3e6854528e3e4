package plan

import (
	"slices"
	"strings"

	"infomall/exec/expr"
	"infomall/exec/value"
	"infomall/lang/ast"
	"infomall/store/words/match"
)

// Join is a node that yields each row of Left together with each row of Right
// that has equal keys and meets Conds: the columns of Left, then those of Right.
// Without keys, each row of Left is tried with each row of
// Right. Rows keep the order of Left, and for one row of Left, the order of Right.
type Join struct {
	Left, Right Node
	// LeftKeys and RightKeys are expressions over the rows of Left and Right.
	// They come in pairs of the same type.
	LeftKeys, RightKeys []expr.Expr
	// NullKeys is how many of the keys, from the first, are equal also if both are
	// NULL. For the others, NULL equals nothing.
	NullKeys int
	// Conds are further conditions, over the columns of Left and then those of
	// Right.
	Conds []expr.Expr
	// Outer keeps the rows of Left that match no row of Right, with NULLs for
	// its columns.
	Outer bool
	// One says whether a row of Left is joined with all matching rows of Right,
	// or with one.
	One OneRow
	At  ast.Span // the position of the subquery in Right, for the error of OnlyRow
	// Seek is the source below Right whose URL is the key with index SeekKey,
	// or nil. If Left has few rows, the source needs to read only their URLs.
	Seek    *Source
	SeekKey int
}

// OneRow says how many matching rows of the right side a Join uses for one row
// of the left side.
type OneRow uint8

// A Join uses every matching row, the first, or the only matching row.
const (
	EveryRow OneRow = iota
	FirstRow
	OnlyRow // a second matching row is an error
)

// Below returns the nodes that n joins: Left and Right.
func (n *Join) Below() []Node { return []Node{n.Left, n.Right} }

// Columns returns the columns of Left, then those of Right.
func (n *Join) Columns() []value.Column {
	return slices.Concat(n.Left.Columns(), n.Right.Columns())
}

// String returns the line of EXPLAIN for n.
func (n *Join) String() string {
	s := "join"
	switch {
	case n.One != EveryRow:
		s = "look up"
	case n.Outer:
		s = "left join"
	}
	var conds []string
	for i := range n.LeftKeys {
		conds = append(conds, n.LeftKeys[i].String()+" = "+n.RightKeys[i].String())
	}
	for _, c := range n.Conds {
		conds = append(conds, c.String())
	}
	if conds != nil {
		s += " on " + strings.Join(conds, " AND ")
	}
	if n.Seek != nil {
		s += ", by URL where the left side is short"
	}
	return s
}

// joins adds the source of each JOIN to b.inputs. It returns an error if two
// inputs have the same name, or if one has none.
func (b *builder) joins() error {
	for i := range b.sel.Joins {
		j := &b.sel.Joins[i]
		in, err := b.input(j.Source)
		if err != nil {
			return err
		}
		for _, other := range b.inputs {
			if in.name != "" && strings.EqualFold(in.name, other.name) {
				err := ast.Errorf(j.Source, "two sources are called %s", in.name)
				err.Hint = "write AS and another name after one of them"
				return err
			}
		}
		b.inputs = append(b.inputs, in)
	}
	if len(b.sel.Joins) > 0 {
		if err := b.using(); err != nil {
			return err
		}
	}
	for _, in := range b.inputs[:len(b.inputs)*min(len(b.sel.Joins), 1)] {
		if in.name == "" {
			err := ast.Errorf(b.sel.From, "a query that is joined needs a name")
			err.Hint = "write AS name after it"
			return err
		}
	}
	return nil
}

// using replaces each USING by the equalities that it means, as an ON. The
// columns of USING are then read from the left side if they have no qualifier.
func (b *builder) using() error {
	sel := *b.sel
	sel.Joins = slices.Clone(sel.Joins)
	b.sel = &sel
	inputs := b.inputs
	defer func() { b.inputs = inputs }()
	for i := range sel.Joins {
		j := &sel.Joins[i]
		right := inputs[i+1]
		for k := range j.Using {
			n := &j.Using[k]
			at := func(in *input) *ast.Column {
				return &ast.Column{Span: n.Span, Qualifier: &ast.Name{Span: n.Span, Text: in.name, Quoted: true}, Name: *n}
			}
			c := &ast.Column{Span: n.Span, Name: *n}
			b.inputs = inputs[:i+1]
			left, _, err := b.find(c, value.Null)
			if err != nil {
				return err
			}
			b.inputs = []*input{right}
			if _, _, err := b.find(c, value.Null); err != nil {
				return err
			}
			eq := ast.Expr(&ast.Binary{Span: n.Span, Op: "=", OpAt: n.Span, X: at(left), Y: at(right)})
			if j.On != nil {
				eq = &ast.Binary{Span: n.Span, Op: "AND", OpAt: n.Span, X: j.On, Y: eq}
			}
			j.On = eq
			right.using = append(right.using, strings.ToLower(n.Text))
		}
	}
	return nil
}

// on holds the conditions of one ON, sorted by how the plan uses them.
type on struct {
	left, right []ast.Expr // the two sides of each equality between the joined source and those before it
	only        []ast.Expr // conditions that read the joined source alone
	rest        []ast.Expr // other conditions, which are tested for each pair of rows
	crosses     bool       // the join is inner, and its ON has no equality
}

// readOn returns the conditions of the ON that joins input i to the inputs
// before it, sorted by how the plan uses them. It returns an error if a condition
// names a column that is not there.
func (b *builder) readOn(i int) (on, error) {
	var o on
	j := &b.sel.Joins[i-1]
	for _, e := range conjuncts(j.On, nil) {
		if err := b.knows(e); err != nil {
			return o, err
		}
		if x, y, ok := b.equality(e, i); ok {
			o.left, o.right = append(o.left, x), append(o.right, y)
			continue
		}
		first, last := b.inputsOf(e)
		switch {
		case first == i && last == i:
			o.only = append(o.only, e)
		case last > i:
			return o, ast.Errorf(e, "%s names a source that is joined later", e)
		default:
			o.rest = append(o.rest, e)
		}
	}
	return o, nil
}

// knows returns an error if e names a column that no input has, and nil if e names none or
// contains a query.
func (b *builder) knows(e ast.Expr) (err error) {
	if hasQuery(e) {
		return nil
	}
	columnsOf(e, func(c *ast.Column) {
		if err == nil {
			_, _, err = b.find(c, value.Null)
		}
	})
	return err
}

// crossed looks for the join whose two sides the condition e compares. If that join has no
// equality of its own, crossed adds e to its conditions and returns true. e is a condition
// of WHERE, or of an ON without an equality.
func (b *builder) crossed(e ast.Expr, ons []on) bool {
	first, last := b.inputsOf(e)
	if last < 1 || first == last || !ons[last].crosses || hasQuery(e) {
		return false
	}
	if x, y, ok := b.equality(e, last); ok {
		ons[last].left, ons[last].right = append(ons[last].left, x), append(ons[last].right, y)
		return true
	}
	if b.readsLate(e) {
		return false
	}
	ons[last].rest = append(ons[last].rest, e)
	return true
}

// equality returns true if e is an equality between an expression over inputs
// before i (left) and one over input i (right). It returns the two sides.
func (b *builder) equality(e ast.Expr, i int) (left, right ast.Expr, ok bool) {
	eq, is := e.(*ast.Binary)
	if !is || eq.Op != "=" {
		return nil, nil, false
	}
	firstX, lastX := b.inputsOf(eq.X)
	firstY, lastY := b.inputsOf(eq.Y)
	switch {
	case firstX >= 0 && lastX < i && firstY == i && lastY == i:
		return eq.X, eq.Y, true
	case firstY >= 0 && lastY < i && firstX == i && lastX == i:
		return eq.Y, eq.X, true
	}
	return nil, nil, false
}

// inputsOf returns the lowest and the highest index in b.inputs of an input
// that e reads. It returns -1, -1 if e reads no input.
func (b *builder) inputsOf(e ast.Expr) (first, last int) {
	first, last = -1, -1
	columnsOf(e, func(c *ast.Column) {
		in, _, err := b.find(c, value.Null)
		if err != nil {
			return // binding e returns the error
		}
		i := slices.Index(b.inputs, in)
		if first < 0 || i < first {
			first = i
		}
		last = max(last, i)
	})
	return first, last
}

// join adds the joins of all inputs to the plan. where lists the conditions of
// WHERE. Conditions, of WHERE or of an ON, that read one input alone and no
// stored pages are tested before that input is joined, if this does not change
// the result. join returns the other conditions, which are to be tested after
// the joins.
func (b *builder) join(where []ast.Expr) ([]ast.Expr, error) {
	ons := make([]on, len(b.inputs))
	asked := make([][]ast.Expr, len(b.inputs))
	for i := 1; i < len(b.inputs); i++ {
		var err error
		if ons[i], err = b.readOn(i); err != nil {
			return nil, err
		}
		asked[i] = ons[i].only
		if !b.sel.Joins[i-1].Left {
			ons[i].crosses = ons[i].left == nil
			where, ons[i].rest = append(where, ons[i].rest...), nil // tested after the join, or by crossed
		}
	}
	var rest []ast.Expr
	for _, e := range where {
		if b.crossed(e, ons) {
			continue
		}
		first, last := b.inputsOf(e)
		if first < 0 || first != last || first > 0 && b.sel.Joins[first-1].Left || b.readsLate(e) || hasQuery(e) {
			rest = append(rest, e)
		} else {
			asked[first] = append(asked[first], e)
		}
	}
	for i, in := range b.inputs {
		if err := b.ask(in, asked[i]); err != nil {
			return nil, err
		}
		if i == 0 {
			b.top = in.node
			continue
		}
		if err := b.joinWith(in, ons[i], b.sel.Joins[i-1].Left); err != nil {
			return nil, err
		}
	}
	return rest, nil
}

// readsLate reports whether e reads late columns, which need stored pages.
func (b *builder) readsLate(e ast.Expr) bool {
	late := false
	columnsOf(e, func(c *ast.Column) {
		if _, col, err := b.find(c, value.Null); err == nil && col.Late() {
			late = true
		}
	})
	return late
}

// ask adds conditions that read only the input in to the plan of this input. They are then
// tested before the input is joined.
func (b *builder) ask(in *input, conds []ast.Expr) error {
	bind := b.inputBinder(in, "WHERE")
	b.touched = nil
	var bound []expr.Expr
	for _, e := range conds {
		x, err := bind.BindBool(e)
		if err != nil {
			return err
		}
		bound = append(bound, x)
	}
	b.readBelow(in, b.touched)
	if bound != nil {
		in.node = &Filter{In: in.node, Conds: bound}
	}
	in.asked = conds
	return nil
}

// readBelow adds a node to the plan of one input, before the input is joined.
// The node fills those of the input's late columns (which need stored pages)
// that are in list.
func (b *builder) readBelow(in *input, list []late) {
	if fill := in.unfilled(list); fill != nil {
		in.src.Refs = true
		in.node = &Payload{In: in.node, Source: in.src, Fill: fill}
	}
}

// inputBinder returns a binder, which resolves names, for expressions over the
// rows of one input alone. where names the clause for errors.
func (b *builder) inputBinder(in *input, where string) *expr.Binder {
	bind := b.binder(where)
	bind.Query = nil
	bind.Column = func(c *ast.Column, want value.Type) (expr.Expr, error) {
		x, err := b.column(c, want)
		if err != nil {
			return nil, err
		}
		own := *x.(*expr.Col)
		own.Index -= in.base
		return &own, nil
	}
	bind.Matching = func(x *ast.Column, q *match.Query) expr.Expr {
		col := b.matching(x, q)
		if col == nil {
			return nil
		}
		col.Index -= in.base
		return col
	}
	return bind
}

// joinWith adds a node to the plan that joins one more input, the parameter in,
// to the inputs so far. o holds the conditions of its ON. If the flag outer is
// set, it is a LEFT JOIN.
func (b *builder) joinWith(in *input, o on, outer bool) error {
	j := &Join{Outer: outer}
	var left, right []late
	for i := range o.left {
		b.touched = nil
		bind := b.binder("ON")
		bind.Query = nil
		x, err := bind.Bind(o.left[i])
		if err != nil {
			return err
		}
		left = append(left, b.touched...)
		b.touched = nil
		y, err := b.inputBinder(in, "ON").Bind(o.right[i])
		if err != nil {
			return err
		}
		right = append(right, b.touched...)
		if x, y, err = b.binder("ON").JoinKeys(x, y, o.left[i], o.right[i]); err != nil {
			return err
		}
		if c, ok := y.(*expr.Col); ok && in.src != nil && in.src.Relation.Scoped && y.Type() == value.URL && in.src.Fields[c.Index].Name == "url" {
			j.Seek, j.SeekKey = in.src, i
		}
		j.LeftKeys, j.RightKeys = append(j.LeftKeys, x), append(j.RightKeys, y)
	}
	for _, e := range o.rest {
		b.touched = nil
		bind := b.binder("ON")
		bind.Query = nil
		cond, err := bind.BindBool(e)
		if err != nil {
			return err
		}
		j.Conds = append(j.Conds, cond)
		for _, l := range b.touched {
			if l.in == in {
				right = append(right, l)
			} else {
				left = append(left, l)
			}
		}
	}
	b.read(left)
	b.readBelow(in, right)
	j.Left, j.Right = b.top, in.node
	b.top = j
	return nil
}
