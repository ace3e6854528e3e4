package grammar

import (
	"strconv"

	"infomall/lang/ast"
	"infomall/lang/scan"
)

// findings is the relation that SEARCH reads.
const findings = "findings"

// searchRows is how many rows SEARCH yields if it has neither ORDER BY nor LIMIT.
const searchRows = 20

// atSearch reports whether SEARCH and a string or a parameter come next. Otherwise
// SEARCH is a name.
func (p *parser) atSearch() bool {
	if !scan.IsWord(p.peek(), "SEARCH") {
		return false
	}
	next := p.peekSecond().Type
	return next == scan.String || next == scan.Param
}

// search reads a SEARCH up to its ORDER BY into q, or up to its end if it has FOR. SEARCH
// 'words' IN 'x' WHERE e is another way to write
//
//	SELECT * FROM findings('words') IN 'x' WHERE e ORDER BY score DESC, url, first_seen LIMIT 20
func (p *parser) search(q *ast.Query) error {
	start := scan.StartOf(p.peek())
	p.next()
	question, err := p.textOrParam()
	if err != nil {
		return err
	}
	at := p.span(start)
	s := &ast.Source{Span: at, Relation: &ast.Name{Span: at, Text: findings}, Question: question}
	if p.take("IN") {
		if s.Scopes, err = p.scopes(); err != nil {
			return err
		}
	}
	if s.Time, err = p.timeClause(); err != nil {
		return err
	}
	q.Search = &ast.Search{}
	if scan.IsWord(p.peek(), "FOR") {
		p.next()
		if q.Search.For, err = p.textOrParam(); err != nil {
			return err
		}
	}
	sel := &ast.Select{Items: []ast.Item{{Span: at, Star: true}}, From: s}
	if q.Search.For == nil && p.take("WHERE") {
		if sel.Where, err = p.wholeExpr(); err != nil {
			return err
		}
	}
	sel.Span = p.span(start)
	q.Select = sel
	return nil
}

// endSearch adds an order and a number of rows to q, a SEARCH that was read to its end, if q
// does not have them.
func (p *parser) endSearch(q *ast.Query) {
	q.Search.Ordered, q.Search.Limited = q.OrderBy != nil, q.Limit != nil
	at := q.Select.From.Span
	if !q.Search.Ordered && !q.Search.Limited {
		q.Limit = &ast.Number{Span: at, Text: strconv.Itoa(searchRows), IsInt: true, Int: searchRows}
	}
	if !q.Search.Ordered {
		for i, name := range []string{"score", "url", "first_seen"} {
			key := &ast.Column{Span: at, Name: ast.Name{Span: at, Text: name}}
			q.OrderBy = append(q.OrderBy, ast.OrderItem{Span: at, Expr: key, Desc: i == 0})
		}
	}
}
