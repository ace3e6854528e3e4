package plan

import (
	"strings"

	"infomall/exec/expr"
	"infomall/exec/relation"
	"infomall/exec/relation/all"
	"infomall/exec/value"
	"infomall/lang/ast"
)

// topRows is the largest number of rows that ORDER BY with LIMIT keeps in
// memory. Up to this number, only the first rows are kept while all are read;
// above it, all rows are sorted.
const topRows = 10_000

// Build returns the plan that computes the query q: a tree of nodes whose root
// yields the result. Each error is an *ast.Error.
func Build(q *ast.Query, env *expr.Env) (Node, error) { return build(q, env, nil) }

// build returns the plan that computes the query q, which may also read the
// queries in the list with, such as those of a WITH around it.
func build(q *ast.Query, env *expr.Env, with *named) (Node, error) {
	return (&builder{env: env}).build(q, with)
}

// build returns the plan of the query q. q may read the queries of its own WITH
// and those in the list with. b must be new.
func (b *builder) build(q *ast.Query, with *named) (Node, error) {
	if q.Search != nil && q.Search.For != nil {
		err := ast.Errorf(q.Search.For, "FOR belongs to EXPLAIN SEARCH, which explains the score of a page")
		err.Hint = "write EXPLAIN SEARCH … FOR 'url'; SEARCH … IN 'url' looks for the words there"
		return nil, err
	}
	with, err := with.define(q.With, b.env)
	if err != nil {
		return nil, err
	}
	b.query, b.sel, b.with = q, q.Select, with
	var node Node
	if len(q.Sets) > 0 {
		node, err = sets(q, b.env, with)
	} else if err = b.from(); err == nil {
		node, err = b.plan()
	}
	if err == nil && leaves(node) > leavesMax {
		err = ast.Errorf(q, "more than %d sources in one query", leavesMax)
	}
	if err != nil {
		return nil, err
	}
	return node, nil
}

// leavesMax bounds how many sources (relations, files and so on) a plan reads.
// A source counts as often as it is read. Without the bound, a chain of names
// in WITH, each of which reads the name before it twice, would double the plan
// with each name.
const leavesMax = 1000

// leaves returns how many nodes of the plan n read no other node. A node that
// is read twice counts twice.
func leaves(n Node) int {
	count := 0
	Walk(n, func(n Node, _ int) {
		if len(n.Below()) == 0 {
			count++
		}
	})
	return count
}

// plan returns the plan of b's SELECT. The inputs, which FROM and JOIN name,
// must be planned already.
func (b *builder) plan() (Node, error) {
	if err := b.listItems(); err != nil {
		return nil, err
	}
	if err := b.expandMetadata(); err != nil {
		return nil, err
	}
	limit, err := b.limit()
	if err != nil {
		return nil, err
	}
	if err := b.joinAround(); err != nil {
		return nil, err
	}
	b.layout()
	if err := b.where(); err != nil {
		return nil, err
	}
	if err := b.group(); err != nil {
		return nil, err
	}
	if err := b.bindItems(); err != nil {
		return nil, err
	}
	if !b.grouped {
		err = b.bindCorrelated()
	}
	if err != nil {
		return nil, err
	}
	if b.correlated != nil {
		limit = Limit{N: -1} // LIMIT applies to the rows of each key, and firstOnly says so
	}
	if b.sel.Distinct {
		err = b.finishDistinct(limit)
	} else {
		err = b.finish(limit)
	}
	if err != nil {
		return nil, err
	}
	for _, in := range b.inputs {
		if in.src != nil && !b.env.Plain {
			in.src.narrow(in.asked, in.name, b.env)
		}
	}
	b.seek(limit)
	return b.top, nil
}

// builder builds the plan of one SELECT with its ORDER BY and LIMIT. It starts
// with the inputs and adds a node on top at each step.
type builder struct {
	env   *expr.Env
	query *ast.Query
	sel   *ast.Select

	with   *named   // the queries that WITH names
	inputs []*input // empty without FROM
	items  []item
	stars  map[*ast.Column]starred // columns that were made for * and for metadata: what each means, so that its name is not looked up
	top    Node                    // the plan so far

	touched []late // the late columns that expressions read whose names were resolved since touched was last cleared

	grouped  bool
	made     bool        // the groups are in the plan
	windowed bool        // the plan has a Window, which changes the order of the rows
	keys     []expr.Expr // the keys of GROUP BY, over the inputs
	keyTexts []string    // for each key, a text by which equal expressions are found
	aggs     []*Aggregate
	aggTexts []string

	// The next four fields are about the subqueries in this query. unlooked is the
	// plan before the first subquery was looked up in it, or nil. planned
	// holds the plan of each. found maps the syntax tree of a subquery to the
	// expression that replaces it. filtering is the condition of WHERE whose
	// names are being resolved, or nil.
	unlooked  Node
	planned   map[*ast.Query]*subquery
	found     map[ast.Expr]expr.Expr
	filtering ast.Expr

	// The other fields are set if this query is itself a subquery. outer is the
	// query around it, and place the expression that contains it. correlated
	// holds the comparisons by = that connect the two, and correlatedKeys their
	// sides in this query, over the inputs. firstOnly reports that the query
	// has LIMIT 1 for each key. empty is as in the type subquery. around is the
	// input with the values of the outer columns, or nil.
	around         *around
	outer          *builder
	place          ast.Expr
	correlated     []correlation
	correlatedKeys []expr.Expr
	firstOnly      bool
	empty          []value.Value
}

// item is one column of the query's result.
type item struct {
	expr  ast.Expr
	name  string
	alias bool      // name was given with AS
	bound expr.Expr // expr with names resolved; nil before bindItems
}

// relation returns the relation of the archive that FROM names. If FROM has
// only scopes (which URLs), the relation is versions, unless the query is a
// shorthand: SELECT captures FROM 'x' means SELECT * FROM captures IN 'x'. In
// this case relation also replaces the item of the SELECT by *.
func (b *builder) relation(from *ast.Source) (*relation.Relation, error) {
	if from.Relation != nil {
		if r := all.Find(from.Relation.Text); r != nil {
			return b.withWatched(r, from)
		}
		d, err := defined(b.env)
		if err != nil {
			return nil, err
		}
		names := append(b.with.names(), all.Names()...)
		for _, v := range d.Views {
			names = append(names, v.Name)
		}
		unknown := expr.UnknownName(from.Relation, "relation", from.Relation.Text, "", names)
		if from.Relation.Quoted {
			unknown.Hint = "scopes are quoted like this: " + quote(from.Relation.Text)
		}
		return nil, unknown
	}
	if r := shorthand(b.sel); r != nil {
		sel := *b.sel
		sel.Items = []ast.Item{{Span: b.sel.Items[0].Span, Star: true}}
		b.sel = &sel
		return r, nil
	}
	return relation.Versions, nil
}

// shorthand returns the relation that a SELECT of the form SELECT captures
// names as its only item. It returns nil if s has another form or the item is
// not the name of a relation.
func shorthand(s *ast.Select) *relation.Relation {
	if s.Distinct || len(s.GroupBy) > 0 || len(s.Items) != 1 || s.Items[0].Alias != nil {
		return nil
	}
	c, ok := s.Items[0].Expr.(*ast.Column)
	if !ok || c.Qualifier != nil || c.Name.Quoted {
		return nil
	}
	return all.Find(c.Name.Text)
}

// listItems sets b.items to the columns of the result. Each * is replaced by
// the columns of the inputs.
func (b *builder) listItems() error {
	for _, it := range b.sel.Items {
		switch {
		case it.Star && len(b.inputs) == 0:
			return ast.Errorf(it, "* has no columns: there is no FROM")
		case it.Star:
			b.addStar(it)
		case it.Alias != nil:
			b.items = append(b.items, item{expr: it.Expr, name: it.Alias.Text, alias: true})
		default:
			b.items = append(b.items, item{expr: it.Expr, name: itemName(it.Expr)})
		}
	}
	return nil
}

// addStar adds to b.items the columns that the item * in the parameter it stands for: those
// of all inputs, in order. A name that occurs again gets a number, as in url_1.
func (b *builder) addStar(it ast.Item) {
	unique := newNames()
	for _, in := range b.inputs {
		for i := range in.rel.Columns {
			col := &in.rel.Columns[i]
			if !in.starred(col) || in.usesName(col.Name) {
				continue
			}
			c := &ast.Column{Span: it.Span, Name: ast.Name{Span: it.Span, Text: col.Name}}
			if b.stars == nil {
				b.stars = map[*ast.Column]starred{}
			}
			b.stars[c] = starred{in, col}
			b.items = append(b.items, item{expr: c, name: unique.of(col.Name)})
		}
	}
}

// itemName returns the name of a column of the result that has no alias: the
// name of the column e, or the text of the expression e.
func itemName(e ast.Expr) string {
	if c, ok := e.(*ast.Column); ok {
		return c.Name.Text
	}
	return e.String()
}

// where adds the joins and the conditions of WHERE to the plan. Conditions on
// late columns, which need stored pages, are tested last, so that few pages are
// read.
func (b *builder) where() error {
	conds, err := b.correlate(conjuncts(b.sel.Where, nil))
	if err != nil {
		return err
	}
	switch len(b.inputs) {
	case 0:
	case 1:
		b.inputs[0].asked = conds
	default:
		if conds, err = b.join(conds); err != nil {
			return err
		}
	}
	var cheap, dear []expr.Expr
	var reads []late
	var queried []ast.Expr
	for _, e := range conds {
		if hasQuery(e) {
			queried = append(queried, e)
			continue
		}
		b.touched = nil
		cond, err := b.binder("WHERE").BindBool(e)
		if err != nil {
			return err
		}
		if b.touched == nil {
			cheap = append(cheap, cond)
			continue
		}
		dear = append(dear, cond)
		reads = append(reads, b.touched...)
	}
	if cheap != nil {
		b.top = &Filter{In: b.top, Conds: cheap}
	}
	if err := b.whereQueries(queried); err != nil {
		return err
	}
	if dear != nil {
		b.read(reads)
		b.top = &Filter{In: b.top, Conds: dear}
	}
	return nil
}

// whereQueries adds the given conditions of WHERE, which contain subqueries, to
// the plan.
func (b *builder) whereQueries(conds []ast.Expr) error {
	for _, e := range conds {
		b.touched, b.filtering = nil, e
		cond, err := b.binder("WHERE").BindBool(e)
		if err != nil {
			return err
		}
		b.read(b.touched)
		b.top = &Filter{In: b.top, Conds: []expr.Expr{cond}}
	}
	b.filtering = nil
	return nil
}

// conjuncts appends to list the conditions that AND joins in e, and returns
// list. An e without AND is one condition. A nil e has none.
func conjuncts(e ast.Expr, list []ast.Expr) []ast.Expr {
	if e == nil {
		return list
	}
	if and, ok := e.(*ast.Binary); ok && and.Op == "AND" {
		return conjuncts(and.Y, conjuncts(and.X, list))
	}
	return append(list, e)
}

// alias returns the item of the result that has the name of c as its alias, or
// nil if there is none.
func (b *builder) alias(c *ast.Column) *item {
	if c.Qualifier != nil {
		return nil
	}
	for i := range b.items {
		if b.items[i].alias && strings.EqualFold(b.items[i].name, c.Name.Text) {
			return &b.items[i]
		}
	}
	return nil
}

// bindItems resolves the names in the columns of the result. If there are
// groups, the columns are computed from the rows of the groups, otherwise from
// those of the inputs.
func (b *builder) bindItems() error {
	b.touched = nil
	bind := b.over("SELECT")
	for i := range b.items {
		e, err := bind.Bind(b.items[i].expr)
		if err != nil {
			return err
		}
		b.items[i].bound = e
	}
	return nil
}

// over returns a binder, which resolves the names in expressions of a clause. The parameter
// where names the clause, for errors. If the query has groups, the expressions read the rows
// of the groups, otherwise those of the inputs.
func (b *builder) over(where string) *expr.Binder {
	bind := b.binder(where)
	if b.grouped {
		bind = b.groupBinder(where)
	}
	bind.Window = func(c *ast.Call) (expr.Expr, error) { return b.window(bind, c) }
	return bind
}

// finish adds ORDER BY, the given LIMIT and the columns of the result to the
// plan. Late columns (those that need stored pages) that ORDER BY does not need
// are filled after LIMIT, so for as few rows as possible.
func (b *builder) finish(limit Limit) error {
	reads := b.touched // of the items
	b.touched = nil
	keys, err := b.orderKeys()
	if err != nil {
		return err
	}
	b.read(b.touched)
	b.sort(keys, limit)
	b.limited(limit)
	b.bound(limit)
	b.read(reads)
	b.project()
	return nil
}

// finishDistinct adds ORDER BY, the given LIMIT and the columns of the result
// to the plan of a SELECT DISTINCT. Here ORDER BY sorts the rows of the result,
// because the rows from which these were computed are gone.
func (b *builder) finishDistinct(limit Limit) error {
	b.read(b.touched)
	keys, err := b.distinctKeys()
	if err != nil {
		return err
	}
	below := b.top
	b.project()
	adjacent := b.adjacentRows(below)
	distinct := &Distinct{In: b.top, Adjacent: adjacent}
	b.top = distinct
	if keys, err = b.talliedDistinct(below, keys); err != nil {
		return err
	}
	if b.once(below) && adjacent {
		b.top = distinct.In // no URL comes twice
	}
	b.sort(keys, limit)
	b.bound(limit)
	return nil
}

// project adds the node that computes the columns of the result. In a
// correlated subquery, the keys by which the outer query looks up rows come
// first.
func (b *builder) project() {
	p := &Project{In: b.top}
	for i, k := range b.correlatedKeys {
		if b.grouped {
			k = &expr.Col{Index: i, Name: k.String(), T: k.Type()}
		}
		p.Exprs = append(p.Exprs, k)
		p.Names = append(p.Names, k.String())
	}
	for _, it := range b.items {
		p.Exprs = append(p.Exprs, it.bound)
		p.Names = append(p.Names, it.name)
	}
	b.top = p
}

// limit returns LIMIT and OFFSET of the query as a node whose input is not set
// yet. Without LIMIT, N is -1.
func (b *builder) limit() (Limit, error) {
	l := Limit{N: -1}
	var err error
	if b.query.Limit != nil {
		if l.N, err = expr.ConstantCount(b.query.Limit, "LIMIT", b.env); err != nil {
			return l, err
		}
	}
	if b.query.Offset != nil {
		l.Skip, err = expr.ConstantCount(b.query.Offset, "OFFSET", b.env)
	}
	return l, err
}

// bound adds the node l, with LIMIT and OFFSET, to the plan. If l limits
// nothing, it adds nothing.
func (b *builder) bound(l Limit) {
	if l.N >= 0 || l.Skip > 0 {
		l.In = b.top
		b.top = &l
	}
}

// asked returns the condition MATCH in WHERE that reads x, or if none reads x, the first
// MATCH. It returns nil if WHERE has no MATCH. Conditions under NOT do not count.
func (b *builder) asked(x ast.Expr) *ast.Binary {
	if b.sel.Where == nil {
		return nil
	}
	var first, same *ast.Binary
	ast.Walk(b.sel.Where, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Query, *ast.Unary:
			return false
		case *ast.Binary:
			if n.Op != "MATCH" || n.Not {
				return true
			}
			if first == nil {
				first = n
			}
			if same == nil && x != nil && x.String() == n.X.String() {
				same = n
			}
		}
		return true
	})
	if same != nil {
		return same
	}
	return first
}
