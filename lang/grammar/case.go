package grammar

import (
	"infomall/lang/ast"
	"infomall/lang/scan"
)

// caseExpr reads a CASE expression, from CASE to END.
func (p *parser) caseExpr() (ast.Expr, error) {
	c := &ast.Case{}
	start := scan.StartOf(p.next())
	var err error
	if !scan.IsKeyword(p.peek(), "WHEN") {
		if c.X, err = p.expr(levelOr); err != nil {
			return nil, err
		}
	}
	for len(c.Whens) == 0 || scan.IsKeyword(p.peek(), "WHEN") {
		w, err := p.when()
		if err != nil {
			return nil, err
		}
		c.Whens = append(c.Whens, w)
	}
	if p.take("ELSE") {
		if c.Else, err = p.expr(levelOr); err != nil {
			return nil, err
		}
	}
	if err := p.need("END"); err != nil {
		return nil, err
	}
	c.Span = p.span(start)
	return c, nil
}

func (p *parser) when() (w ast.When, err error) {
	start := scan.StartOf(p.peek())
	if err = p.need("WHEN"); err != nil {
		return w, err
	}
	if w.Cond, err = p.expr(levelOr); err != nil {
		return w, err
	}
	if err = p.need("THEN"); err != nil {
		return w, err
	}
	if w.Then, err = p.expr(levelOr); err != nil {
		return w, err
	}
	w.Span = p.span(start)
	return w, nil
}
