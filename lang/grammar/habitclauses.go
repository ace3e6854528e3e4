package grammar

import (
	"fmt"
	"strings"

	"infomall/lang/ast"
	"infomall/lang/scan"
)

// This file reads clauses that other databases have in their queries. Each becomes a clause of this
// language that means the same.

// distinctOn reads ON (expr, …) after SELECT DISTINCT, if it comes next.
func (p *parser) distinctOn() ([]ast.Expr, error) {
	if !p.take("ON") {
		return nil, nil
	}
	if err := p.needOp("("); err != nil {
		return nil, err
	}
	list, err := p.list()
	if err != nil {
		return nil, err
	}
	return list, p.needOp(")")
}

// firstOfEach changes q, which was written as SELECT DISTINCT ON (on, …) … ORDER BY …, to the
// query that it means. Of the rows with equal values of on, it keeps the first in the order of
// ORDER BY. It becomes SELECT … FROM (SELECT …, row_number() OVER (PARTITION BY on ORDER BY …) …) WHERE … = 1.
func firstOfEach(q *ast.Query, on []ast.Expr) error {
	at := q.Select.Span
	if len(q.Sets) > 0 {
		return explained{ast.Errorf(at, "DISTINCT ON cannot be combined with %s", q.Sets[0].Op)}
	}
	name := func(format string, args ...any) ast.Name {
		return ast.Name{Span: at, Text: fmt.Sprintf(format, args...), Quoted: true}
	}
	inner := q.Select
	outer := &ast.Select{Span: at}
	resolve := func(e ast.Expr) ast.Expr { return itemOf(inner.Items, e) }
	window := &ast.Window{Span: at}
	for _, e := range on {
		window.PartitionBy = append(window.PartitionBy, resolve(e))
	}
	var keys, order []ast.OrderItem
	var hidden []ast.Item
	for i, o := range q.OrderBy {
		key := name("key %d", i+1)
		o.Expr = resolve(o.Expr)
		keys = append(keys, o)
		hidden = append(hidden, ast.Item{Span: o.Span, Expr: o.Expr, Alias: &key})
		o.Expr = &ast.Column{Span: o.Span, Name: key}
		order = append(order, o)
	}
	window.OrderBy = keys
	for i := range inner.Items {
		it := &inner.Items[i]
		if it.Star {
			e := ast.Errorf(it, "DISTINCT ON needs the columns by name")
			e.Hint = "FROM versions LATEST has all columns of the last version of each URL, FIRST of the first"
			return explained{e}
		}
		shown := it.Alias
		if shown == nil {
			n := ast.Name{Span: it.Span, Text: it.Expr.String(), Quoted: true}
			if c, ok := it.Expr.(*ast.Column); ok {
				n = c.Name
			}
			shown = &n
		}
		column := name("column %d", i+1)
		it.Alias = &column
		outer.Items = append(outer.Items, ast.Item{Span: it.Span, Expr: &ast.Column{Span: it.Span, Name: column}, Alias: shown})
	}
	row := name("row")
	number := &ast.Call{Span: at, Name: ast.Name{Span: at, Text: "row_number"}, Over: window}
	inner.Items = append(append(inner.Items, hidden...), ast.Item{Span: at, Expr: number, Alias: &row})
	outer.From = &ast.Source{Span: at, Query: &ast.Query{Span: at, Select: inner}}
	outer.Where = &ast.Binary{Span: at, Op: "=", OpAt: at, X: &ast.Column{Span: at, Name: row}, Y: wholeNumber(at, 1)}
	q.Select, q.OrderBy = outer, order
	return nil
}

// itemOf returns the expression of the SELECT item to which e, an expression of ORDER BY,
// refers by alias or by number. If e refers to no item, itemOf returns e.
func itemOf(items []ast.Item, e ast.Expr) ast.Expr {
	switch e := e.(type) {
	case *ast.Number:
		if e.IsInt && e.Int >= 1 && e.Int <= int64(len(items)) && !items[e.Int-1].Star {
			return items[e.Int-1].Expr
		}
	case *ast.Column:
		for i := range items {
			if a := items[i].Alias; e.Qualifier == nil && a != nil && strings.EqualFold(a.Text, e.Name.Text) {
				return items[i].Expr
			}
		}
	}
	return e
}

// byFunction changes the sort keys of q that name a function, such as ORDER BY count. PostgreSQL
// names a result without AS by its function, so such a key means the result of the only call of
// that function in SELECT.
func byFunction(q *ast.Query) {
	if len(q.Sets) > 0 {
		return
	}
keys:
	for i := range q.OrderBy {
		c, ok := q.OrderBy[i].Expr.(*ast.Column)
		if !ok || c.Qualifier != nil || c.Name.Quoted {
			continue
		}
		var found ast.Expr
		for _, it := range q.Select.Items {
			call, isCall := it.Expr.(*ast.Call)
			column, isColumn := it.Expr.(*ast.Column)
			switch {
			case it.Star, it.Alias != nil && strings.EqualFold(it.Alias.Text, c.Name.Text), isColumn && strings.EqualFold(column.Name.Text, c.Name.Text):
				continue keys
			case isCall && it.Alias == nil && strings.EqualFold(call.Name.Text, c.Name.Text):
				if found != nil {
					continue keys
				}
				found = it.Expr
			}
		}
		if found != nil {
			q.OrderBy[i].Expr = found
		}
	}
}

// limits reads LIMIT n OFFSET m at the end of q. Either may come first or be missing, and LIMIT
// may be written FETCH FIRST n ROWS ONLY, or be LIMIT ALL.
func (p *parser) limits(q *ast.Query) (err error) {
	for {
		switch {
		case q.Limit == nil && p.take("LIMIT"):
			if scan.IsWord(p.peek(), "ALL") {
				p.next()
				continue
			}
			q.Limit, err = p.numberOrParam()
		case q.Offset == nil && p.take("OFFSET"):
			q.Offset, err = p.numberOrParam()
			if scan.IsWord(p.peek(), "ROW") || scan.IsWord(p.peek(), "ROWS") {
				p.next()
			}
		case q.Limit == nil && p.atFetch():
			q.Limit, err = p.fetch()
		default:
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// atFetch reports whether FETCH FIRST or FETCH NEXT comes next. Otherwise FETCH may be a name.
func (p *parser) atFetch() bool {
	if !scan.IsWord(p.peek(), "FETCH") {
		return false
	}
	second := p.peekSecond()
	return scan.IsWord(second, "FIRST") || scan.IsWord(second, "NEXT")
}

// fetch reads FETCH FIRST n ROWS ONLY and returns n, or 1 if there is no number.
func (p *parser) fetch() (n ast.Expr, err error) {
	p.next()
	p.next() // FIRST
	n = wholeNumber(scan.SpanOf(p.last), 1)
	if !scan.IsWord(p.peek(), "ROW") && !scan.IsWord(p.peek(), "ROWS") {
		if n, err = p.numberOrParam(); err != nil {
			return nil, err
		}
		if !scan.IsWord(p.peek(), "ROW") && !scan.IsWord(p.peek(), "ROWS") {
			return nil, p.unexpected()
		}
	}
	p.next()
	if !scan.IsWord(p.peek(), "ONLY") {
		return nil, p.unexpected()
	}
	p.next()
	return n, nil
}

// atSample reports whether TABLESAMPLE and its method come next. Otherwise TABLESAMPLE may be a
// name.
func (p *parser) atSample() bool {
	if !scan.IsWord(p.peek(), "TABLESAMPLE") {
		return false
	}
	second := p.peekSecond()
	return scan.IsWord(second, "BERNOULLI") || scan.IsWord(second, "SYSTEM") || scan.IsOp(second, "(")
}

// sample reads TABLESAMPLE BERNOULLI (n), and returns the condition that is true for n of a
// hundred rows, drawn at random: random() * 100 < n.
func (p *parser) sample() (ast.Expr, error) {
	at := scan.SpanOf(p.next())
	if !scan.IsOp(p.peek(), "(") {
		p.next() // BERNOULLI
	}
	if err := p.needOp("("); err != nil {
		return nil, err
	}
	n, err := p.numberOrParam()
	if err != nil {
		return nil, err
	}
	draw := &ast.Call{Span: at, Name: ast.Name{Span: at, Text: "random"}}
	share := &ast.Binary{Span: at, Op: "*", OpAt: at, X: draw, Y: wholeNumber(at, 100)}
	return &ast.Binary{Span: at, Op: "<", OpAt: at, X: share, Y: n}, p.needOp(")")
}

// sampled reads TABLESAMPLE after a source, if it comes next, and adds its condition to
// p.samples.
func (p *parser) sampled() error {
	if !p.atSample() {
		return nil
	}
	x, err := p.sample()
	p.samples = append(p.samples, x)
	return err
}

// columnNames reads the names in brackets in WITH t (a, b) AS (query) or (query) AS t (a, b), if
// they come next.
func (p *parser) columnNames() ([]ast.Name, error) {
	if !scan.IsOp(p.peek(), "(") {
		return nil, nil
	}
	return p.namesInBrackets()
}

// namesInBrackets reads names between commas, such as (a, b).
func (p *parser) namesInBrackets() (list []ast.Name, err error) {
	if err := p.needOp("("); err != nil {
		return nil, err
	}
	for {
		n, err := p.someName()
		if err != nil {
			return nil, err
		}
		list = append(list, n)
		if !p.takeOp(",") {
			return list, p.needOp(")")
		}
	}
}

// rename gives the columns of q the names that columnNames has read. It is an error if q
// has another number of columns, or a star, whose columns the parser cannot count.
func rename(q *ast.Query, names []ast.Name) error {
	if names == nil {
		return nil
	}
	items := q.Select.Items
	for i := range items {
		if items[i].Star || i >= len(names) {
			break
		}
		items[i].Alias = &names[i]
		if i == len(items)-1 && len(items) == len(names) {
			return nil
		}
	}
	e := ast.Errorf(names[0], "the query has another number of columns than there are names, or a star")
	e.Hint = "name the columns in the query: SELECT x AS " + names[0].String()
	return explained{e}
}

// quantified reads ANY (query) after =, or ALL (query) after <>, if that comes next. The result is
// x IN (query) or x NOT IN (query). It is nil if something else comes next.
func (p *parser) quantified(x ast.Expr, start ast.Pos) (ast.Expr, error) {
	here, last := p.lex.MakeCheckpoint(), p.last
	op := p.next().Value
	t := p.next()
	some := op == "=" && (scan.IsWord(t, "ANY") || scan.IsWord(t, "SOME"))
	all := (op == "<>" || op == "!=") && scan.IsWord(t, "ALL")
	if (some || all) && p.takeOp("(") && p.atQuery() {
		q, err := p.bracketedQuery()
		if err != nil {
			return nil, err
		}
		return &ast.In{Span: p.span(start), Not: all, X: x, Query: q}, nil
	}
	p.lex.LoadCheckpoint(here)
	p.last = last
	return nil, nil
}

// rowIn reads the rest of (x, y, …) [NOT] IN ((a, b), …), or of (x, y, …) [NOT] IN (query),
// after x. A list becomes x = a AND y = b OR …, and a query becomes EXISTS (SELECT … FROM
// (query) WHERE …).
func (p *parser) rowIn(x ast.Expr, start ast.Pos) (ast.Expr, error) {
	row := []ast.Expr{x}
	for p.takeOp(",") {
		y, err := p.expr(levelOr)
		if err != nil {
			return nil, err
		}
		row = append(row, y)
	}
	if err := p.needOp(")"); err != nil {
		return nil, err
	}
	not := p.take("NOT")
	if err := p.need("IN"); err != nil {
		return nil, err
	}
	if err := p.needOp("("); err != nil {
		return nil, err
	}
	var found ast.Expr
	if p.atQuery() {
		q, err := p.bracketedQuery()
		if err != nil {
			return nil, err
		}
		if found, err = rowExists(p.span(start), row, q); err != nil {
			return nil, err
		}
	} else {
		for found == nil || p.takeOp(",") {
			at := scan.SpanOf(p.peek())
			if err := p.needOp("("); err != nil {
				return nil, err
			}
			values, err := p.list()
			if err != nil {
				return nil, err
			}
			if err := p.needOp(")"); err != nil {
				return nil, err
			}
			equal, err := rowEquals(at, row, values)
			if err != nil {
				return nil, err
			}
			if found != nil {
				equal = &ast.Binary{Span: at, Op: "OR", OpAt: at, X: found, Y: equal}
			}
			found = equal
		}
		if err := p.needOp(")"); err != nil {
			return nil, err
		}
	}
	if not {
		found = &ast.Unary{Span: p.span(start), Op: "NOT", X: found}
	}
	return found, nil
}

// rowEquals returns the condition that each element of row is equal to the element of
// values at the same index. It is an error if the two have different lengths.
func rowEquals(at ast.Span, row, values []ast.Expr) (all ast.Expr, err error) {
	if len(row) != len(values) {
		return nil, explained{ast.Errorf(at, "the rows that are compared differ in their number of values")}
	}
	for i, x := range row {
		var equal ast.Expr = &ast.Binary{Span: at, Op: "=", OpAt: at, X: x, Y: values[i]}
		if all != nil {
			equal = &ast.Binary{Span: at, Op: "AND", OpAt: at, X: all, Y: equal}
		}
		all = equal
	}
	return all, nil
}

// rowExists returns the condition that q has a row that is equal to row.
func rowExists(at ast.Span, row []ast.Expr, q *ast.Query) (ast.Expr, error) {
	names := make([]ast.Name, len(row))
	values := make([]ast.Expr, len(row))
	for i := range row {
		names[i] = ast.Name{Span: at, Text: fmt.Sprintf("column %d", i+1), Quoted: true}
		values[i] = &ast.Column{Span: at, Name: names[i]}
	}
	if err := rename(q, names); err != nil {
		return nil, explained{ast.Errorf(q.Select, "the query after IN must have as many columns as there are values, %d, and no star", len(row))}
	}
	equal, err := rowEquals(at, row, values)
	if err != nil {
		return nil, err
	}
	found := &ast.Select{Span: at, Items: []ast.Item{{Span: at, Star: true}}, From: &ast.Source{Span: at, Query: q}, Where: equal}
	return &ast.Exists{Span: at, Query: &ast.Query{Span: at, Select: found}}, nil
}
