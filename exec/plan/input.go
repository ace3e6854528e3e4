package plan

import (
	"slices"
	"strings"

	"infomall/exec/expr"
	"infomall/exec/relation"
	"infomall/exec/value"
	"infomall/lang/ast"
	"infomall/store/words/match"
)

// input is one source of a SELECT, named in FROM or JOIN: a relation of the
// archive, or a derived input (a query, a view or a file).
type input struct {
	rel   *relation.Relation
	src   *Source // nil for a derived input
	node  Node    // yields its rows
	name  string  // the qualifier of its columns, or ""
	base  int     // the index of its first column among the columns of all inputs
	large bool    // it may have long texts, because a query in it reads late columns
	view  bool    // it is a view

	using  []string     // the columns, in lower case, that a USING compares with an input before this one
	filled map[int]bool // late columns that the plan fills already, by index
	asked  []ast.Expr   // conditions that hold for all its rows
}

// late identifies a late column (one that needs stored pages) by its input and its index
// among the columns of that input.
type late struct {
	in    *input
	field int
}

// index returns the index of the column col in the batches of the input. If the
// input is a relation of which the query has not read col so far, it adds col
// to the columns that are read.
func (in *input) index(col *relation.Column) int {
	if in.src != nil {
		return in.src.use(col)
	}
	for i := range in.rel.Columns {
		if &in.rel.Columns[i] == col {
			return i
		}
	}
	panic("plan: a column of another source")
}

// from sets the inputs of b, and its plan so far, from FROM and the JOINs.
// Without FROM, the plan is one row without columns.
func (b *builder) from() error {
	if b.sel.From == nil {
		b.top = &Row{}
		return nil
	}
	in, err := b.input(b.sel.From)
	if err != nil {
		return err
	}
	b.inputs, b.top = []*input{in}, in.node
	return b.joins()
}

// input returns an input for one source in FROM or JOIN.
func (b *builder) input(from *ast.Source) (*input, error) {
	in, err := b.derived(from)
	if err != nil {
		return nil, err
	}
	if in == nil {
		in = new(input)
		if in.rel, err = b.relation(from); err != nil {
			return nil, err
		}
		if in.src, err = newSource(from, in.rel, b.env); err != nil {
			return nil, err
		}
		in.node, in.name = in.src, in.rel.Name
	}
	if from.Alias != nil {
		in.name = from.Alias.Text
	}
	in.filled = map[int]bool{}
	return in, nil
}

// layout finds out which columns of each input the query reads, and then sets
// the index at which the columns of each input begin. It must run before names
// are resolved, because later a new column would move these indexes.
func (b *builder) layout() {
	var list []ast.Expr
	for i := range b.sel.Joins {
		list = append(list, b.sel.Joins[i].On)
	}
	list = append(append(list, b.sel.Where), b.sel.GroupBy...)
	for _, it := range b.items {
		list = append(list, it.expr)
	}
	list = append(list, b.sel.Having)
	for _, e := range list {
		columnsOf(e, b.demand)
	}
	for _, o := range b.query.OrderBy {
		columnsOf(o.Expr, func(c *ast.Column) {
			if b.alias(c) == nil {
				b.demand(c)
			}
		})
	}
	b.demandMatches(list)
	base := 0
	for _, in := range b.inputs {
		in.base = base
		base += len(in.node.Columns())
	}
}

// demand makes the input of the column c read this column. It ignores an unknown column;
// resolving its name returns the error later.
func (b *builder) demand(c *ast.Column) {
	in, col, err := b.find(c, value.Null)
	if err != nil {
		return
	}
	in.index(col)
	if col.Late() {
		in.src.Refs = true
	}
}

// columnsOf calls f for every column named in e, once per occurrence. A nil e
// has no columns.
func columnsOf(e ast.Expr, f func(*ast.Column)) {
	if e == nil {
		return
	}
	ast.Walk(e, func(n ast.Node) bool {
		if c, ok := n.(*ast.Column); ok {
			f(c)
		}
		return true
	})
}

// starred is the meaning of an *ast.Column that the planner has made for * or for the
// expression of a metadata column: the column col of the input in.
type starred struct {
	in  *input
	col *relation.Column
}

// find returns the input and the column that c names. It returns an error if there is no
// such column, or if several inputs have one. If the error suggests another column, it
// prefers one of the type want; Null means any type.
func (b *builder) find(c *ast.Column, want value.Type) (*input, *relation.Column, error) {
	if s, ok := b.stars[c]; ok {
		return s.in, s.col, nil
	}
	if b.ofOuter(c) {
		if col := b.around.column(c); col != nil {
			return b.around.input, col, nil
		}
		return nil, nil, outerColumn(c)
	}
	if len(b.inputs) == 0 {
		err := ast.Errorf(c, "no column %q: there is no FROM", c.Name.Text)
		err.Hint = b.withoutFrom(c)
		return nil, nil, err
	}
	among, err := b.qualified(c)
	if err != nil {
		return nil, nil, err
	}
	var in *input
	var col *relation.Column
	for _, i := range among {
		found := i.rel.Column(c.Name.Text)
		if in != nil && i.usesName(c.Name.Text) {
			continue
		}
		if found != nil && in != nil {
			err := ast.Errorf(c, "both %s and %s have a column %q", in.name, i.name, c.Name.Text)
			err.Hint = "write " + in.name + "." + c.Name.Text + " or " + i.name + "." + c.Name.Text
			return nil, nil, err
		}
		if found != nil {
			in, col = i, found
		}
	}
	if col == nil {
		return nil, nil, b.noColumn(c, among, want)
	}
	return in, col, nil
}

// usesName reports whether USING compares the column of in with this name with an input
// before in. If so, the name without a qualifier means the column of that earlier input.
func (in *input) usesName(name string) bool { return slices.Contains(in.using, strings.ToLower(name)) }

// has reports whether c names a column of at least one input of b itself, not
// of the query around it.
func (b *builder) has(c *ast.Column) bool {
	if _, ok := b.stars[c]; ok {
		return true
	}
	if b.outer != nil {
		if _, ok := b.outer.stars[c]; ok {
			return false // c is a column of the outer query, whatever its name
		}
	}
	among, err := b.qualified(c)
	return err == nil && slices.ContainsFunc(among, func(in *input) bool { return in.rel.Column(c.Name.Text) != nil })
}

// qualified returns the inputs in which to look for the column c: the input that its
// qualifier names, or all inputs if it has no qualifier.
func (b *builder) qualified(c *ast.Column) ([]*input, error) {
	if c.Qualifier == nil {
		return b.inputs, nil
	}
	var names []string
	for _, in := range b.inputs {
		if strings.EqualFold(c.Qualifier.Text, in.name) {
			return []*input{in}, nil
		}
		if in.name != "" {
			names = append(names, in.name)
		}
	}
	if names == nil {
		err := ast.Errorf(c.Qualifier, "no source %q", c.Qualifier.Text)
		err.Hint = "write AS " + c.Qualifier.String() + " after the query in FROM"
		return nil, err
	}
	return nil, expr.UnknownName(c.Qualifier, "source", c.Qualifier.Text, "", names)
}

// noColumn returns the error for the column c, which none of the inputs in
// among has. The error suggests a similar name, and of equally similar names
// one of a column with the type want.
func (b *builder) noColumn(c *ast.Column, among []*input, want value.Type) error {
	it := b.alias(c)
	if it != nil {
		if own, ok := it.expr.(*ast.Column); ok && strings.EqualFold(own.Name.Text, c.Name.Text) {
			it = nil // in SELECT x AS x, it is x that is unknown
		}
	}
	if it != nil {
		err := ast.Errorf(c, "%q names a column of the result, which does not exist here yet", c.Name.Text)
		err.Hint = "write " + it.expr.String()
		return err
	}
	var fitting, names, where []string
	for _, in := range among {
		where = append(where, in.what())
		for _, name := range in.rel.ColumnNames() {
			switch {
			case slices.Contains(names, name) || slices.Contains(fitting, name):
			case in.rel.Column(name).Type == want:
				fitting = append(fitting, name)
			default:
				names = append(names, name)
			}
		}
	}
	names = append(fitting, names...) // of two as near, the first is suggested
	d, err2 := defined(b.env)
	if err2 != nil {
		return err2
	}
	for _, m := range d.Metadata {
		if slices.ContainsFunc(among, func(in *input) bool { return in.rel == metadataRelation(m.On) }) {
			names = append(names, m.Name)
		}
	}
	err := expr.UnknownName(&c.Name, "column", c.Name.Text, " in "+strings.Join(where, " or "), names)
	if hint := otherColumn(c, among, names); hint != "" {
		err.Hint = hint
	}
	return err
}

// what returns a description of the input for errors, such as "relation
// versions".
func (in *input) what() string {
	if f, ok := in.node.(*File); ok {
		return "file " + quote(f.Path)
	}
	switch {
	case in.view:
		return "view " + in.rel.Name
	case in.src == nil:
		return "the query that FROM reads"
	}
	return "relation " + in.rel.Name
}

// binder returns a binder, which resolves the names in expressions over the
// rows of all inputs. The parameter where names the clause, such as "WHERE",
// for errors.
func (b *builder) binder(where string) *expr.Binder {
	bind := &expr.Binder{Column: b.column, Asked: b.asked, Where: where, Env: b.env}
	bind.Query = func(e ast.Expr) (expr.Expr, error) { return b.lookUp(bind, e) }
	bind.Matching = func(x *ast.Column, q *match.Query) expr.Expr {
		if col := b.matching(x, q); col != nil {
			return col
		}
		return nil
	}
	return bind
}

// matching returns a late column that has the answer to x MATCH q, so that most pages need
// not be read. It returns nil if x is not the text of a page.
func (b *builder) matching(x *ast.Column, q *match.Query) *expr.Col {
	in, i := b.matchColumn(x, q, len(b.inputs) == 1)
	if in == nil {
		return nil
	}
	made := in.src.Fields[i]
	b.touched = append(b.touched, late{in, i})
	return &expr.Col{Index: in.base + i, Name: b.columnName(in, made), T: made.Type}
}

// matchColumn returns the input of the column x, and the index in this input of the late
// column that answers x MATCH q. If the input does not read the late column so far,
// matchColumn adds it if add is true. The input is nil if there is no such column.
func (b *builder) matchColumn(x *ast.Column, q *match.Query, add bool) (*input, int) {
	in, col, err := b.find(x, value.Text)
	if err != nil || in.src == nil || b.env.Plain {
		return nil, 0
	}
	made := col.Matching(q)
	if made == nil {
		return nil, 0
	}
	for i, f := range in.src.Fields {
		if f.Name == made.Name {
			return in, i
		}
	}
	if !add {
		return nil, 0
	}
	return in, in.index(made)
}

// demandMatches makes the inputs read the late columns that answer the MATCH conditions in
// list. If the query has one input, it does nothing, because resolving the names adds these
// columns.
func (b *builder) demandMatches(list []ast.Expr) {
	if len(b.inputs) < 2 {
		return
	}
	for _, e := range list {
		if e == nil {
			continue
		}
		ast.Walk(e, func(n ast.Node) bool {
			if m, ok := n.(*ast.Binary); ok && m.Op == "MATCH" {
				x, ok := m.X.(*ast.Column)
				if q := b.constantQuestion(m.Y); ok && q != nil {
					b.matchColumn(x, q, true)
				}
			}
			_, query := n.(*ast.Query)
			return !query
		})
	}
}

// constantQuestion returns the search query that e contains, if e is a string or a parameter
// and the search query is valid. Otherwise it returns nil.
func (b *builder) constantQuestion(e ast.Expr) *match.Query {
	text, ok := (narrower{env: b.env}).text(e)
	if !ok {
		return nil
	}
	q, err := b.env.Question(text)
	if err != nil {
		return nil
	}
	return q
}

// column returns an expression that reads the column that c names. A late column (one that
// needs stored pages) is added to b.touched. If the error for an unknown column suggests
// another one, it prefers one of the type want; Null means any type.
func (b *builder) column(c *ast.Column, want value.Type) (expr.Expr, error) {
	in, col, err := b.find(c, want)
	if err != nil {
		return nil, err
	}
	if in.src != nil && in.src.Choice.Kind == relation.ChooseEach && col.OneTime {
		err := ast.Errorf(c, "%s counts the links at one time, but EACH asks for many times", col.Name)
		err.Hint = "write AT to ask for one"
		return nil, err
	}
	i := in.index(col)
	if col.Late() {
		b.touched = append(b.touched, late{in, i})
	}
	return &expr.Col{Index: in.base + i, Name: b.columnName(in, col), T: col.Type}, nil
}

// starred reports whether * in a SELECT stands for the column col, among other
// columns of the input.
func (in *input) starred(col *relation.Column) bool {
	if col.Name == "as_of" && in.src != nil && in.src.Choice.Kind == relation.ChooseEach {
		return true
	}
	return !col.Payload && !col.Aside
}

// columnName returns the name of the column col of the input, as EXPLAIN shows
// it. If there are several inputs, the name of the input and a dot come first.
func (b *builder) columnName(in *input, col *relation.Column) string {
	if b.around != nil && in == b.around.input {
		return col.Name[1:] // without the blank of aroundName
	}
	if len(b.inputs) > 1 {
		return in.name + "." + col.Name
	}
	return col.Name
}

// read adds Payload nodes, which fill late columns from stored pages, for the
// columns in list. It skips those that the plan fills already.
func (b *builder) read(list []late) {
	for _, in := range b.inputs {
		if fill := in.unfilled(list); fill != nil {
			in.src.Refs = true
			b.top = &Payload{In: b.top, Source: in.src, Base: in.base, Fill: fill}
		}
	}
}

// unfilled returns the indexes of the input's late columns (those that need
// stored pages) that are in list and that the plan does not fill yet. It marks
// them as filled.
func (in *input) unfilled(list []late) []int {
	var fill []int
	for _, l := range list {
		if l.in == in && !in.filled[l.field] {
			in.filled[l.field] = true
			fill = append(fill, l.field)
		}
	}
	return fill
}
