package lang

import (
	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"

	"infomall/lang/ast"
)

// The binding levels of operators, loosest first.
const (
	levelOr = iota + 1
	levelAnd
	levelNot
	levelCompare // not chained
	levelConcat
	levelSum
	levelProduct
	levelSign
)

// chainMax bounds the operators of one expression. The tree of a chain such as
// a + b + c is as deep as the chain is long.
const chainMax = 10000

// parser reads what the tags of the grammar do not describe, token by token:
// queries, and expressions by precedence climbing.
type parser struct {
	lex   *lexer.PeekingLexer
	last  *lexer.Token // the token taken last
	depth int
	ops   int
}

// fault is an error that is already explained. It passes through participle
// unchanged.
type fault struct{ err *ast.Error }

func (f fault) Error() string            { return f.err.Error() }
func (f fault) Message() string          { return f.err.Msg }
func (f fault) Position() lexer.Position { return lexer.Position(f.err.Start) }

func parseExpr(lex *lexer.PeekingLexer) (ast.Expr, error) {
	p := parser{lex: lex}
	return p.wholeExpr()
}

// wholeExpr reads an expression with its own count of operators.
func (p *parser) wholeExpr() (ast.Expr, error) {
	ops := p.ops
	p.ops = 0
	x, err := p.expr(levelOr)
	p.ops = ops
	return x, err
}

func (p *parser) peek() *lexer.Token { return p.lex.Peek() }

// peekSecond returns the token after the next one, without taking any.
func (p *parser) peekSecond() *lexer.Token {
	here := p.lex.MakeCheckpoint()
	p.lex.Next()
	t := p.lex.Peek()
	p.lex.LoadCheckpoint(here)
	return t
}

func (p *parser) next() *lexer.Token {
	p.last = p.lex.Next()
	return p.last
}

// span returns the span from start to the end of the token that was taken last.
func (p *parser) span(start ast.Pos) ast.Span {
	return ast.Span{Start: start, End: endOf(p.last)}
}

func (p *parser) unexpected() error {
	return &participle.UnexpectedTokenError{Unexpected: *p.peek()}
}

func isKeyword(t *lexer.Token, word string) bool {
	return t.Type == tokKeyword && t.Value == word
}

func isOp(t *lexer.Token, op string) bool {
	return t.Type == tokOp && t.Value == op
}

// take takes the next token if it is the keyword word, and reports whether it
// did.
func (p *parser) take(word string) bool {
	if !isKeyword(p.peek(), word) {
		return false
	}
	p.next()
	return true
}

// takeOp takes the next token if it is the operator op, and reports whether it
// did.
func (p *parser) takeOp(op string) bool {
	if !isOp(p.peek(), op) {
		return false
	}
	p.next()
	return true
}

func (p *parser) need(word string) error {
	if !p.take(word) {
		return p.unexpected()
	}
	return nil
}

// needWord takes the next token, which must be word, a word of the language
// that is not reserved.
func (p *parser) needWord(word string) error {
	if !isWord(p.peek(), word) {
		return p.unexpected()
	}
	p.next()
	return nil
}

func (p *parser) needOp(op string) error {
	if !p.takeOp(op) {
		return p.unexpected()
	}
	return nil
}

// infixLevel returns the binding level of t as an operator between two
// operands, or 0 if t is none. NOT has the level of the comparison that it
// negates, as in NOT LIKE.
func infixLevel(t *lexer.Token) int {
	switch t.Type {
	case tokKeyword:
		switch t.Value {
		case "OR":
			return levelOr
		case "AND":
			return levelAnd
		case "NOT", "IS", "IN", "BETWEEN", "LIKE", "ILIKE", "CONTAINS", "WITHIN":
			return levelCompare
		}
	case tokOp:
		switch t.Value {
		case "=", "<>", "!=", "<", "<=", ">", ">=", "~", "!~":
			return levelCompare
		case "||":
			return levelConcat
		case "+", "-":
			return levelSum
		case "*", "/", "//", "%":
			return levelProduct
		}
	}
	return 0
}

// expr reads an operand, and operators with further operands as long as they
// bind at level least or tighter.
func (p *parser) expr(least int) (ast.Expr, error) {
	p.depth++
	defer func() { p.depth-- }()
	if p.depth > nestingMax {
		return nil, fault{deepError(spanOf(p.peek()))}
	}
	start := startOf(p.peek())
	x, err := p.prefix(least)
	if err != nil {
		return nil, err
	}
	for compared := false; ; {
		level := infixLevel(p.peek())
		if level == 0 || level < least {
			return x, nil
		}
		if err := p.countOperator(); err != nil {
			return nil, err
		}
		if level == levelCompare {
			if compared {
				return nil, chainError(p.peek(), x)
			}
			compared = true
			x, err = p.comparison(x, start)
		} else {
			x, err = p.binary(x, start, level)
		}
		if err != nil {
			return nil, err
		}
	}
}

// countOperator counts one operator. It returns an error if the expression has
// more than chainMax.
func (p *parser) countOperator() error {
	if p.ops++; p.ops <= chainMax {
		return nil
	}
	e := ast.Errorf(spanOf(p.peek()), "more than %d operators in one expression", chainMax)
	e.Hint = "IN (…) takes any number of values"
	return fault{e}
}

// chainError returns the error for the comparison operator t after a comparison
// x, as in a < b < c.
func chainError(t *lexer.Token, x ast.Expr) error {
	e := ast.Errorf(spanOf(t), "comparisons do not chain")
	e.Hint = "join them with AND, or put one in brackets"
	if c, ok := x.(*ast.Binary); ok {
		if y, ok := c.Y.(*ast.Binary); ok && y.Op == "||" {
			e.Hint = "|| joins texts; conditions are joined with OR"
		}
	}
	return fault{e}
}

// binary reads an operator and its right operand. x is the left operand.
func (p *parser) binary(x ast.Expr, start ast.Pos, level int) (ast.Expr, error) {
	op := p.next()
	at := spanOf(op)
	y, err := p.expr(level + 1)
	if err != nil {
		return nil, err
	}
	name := op.Value
	if name == "!=" {
		name = "<>"
	}
	return &ast.Binary{Span: p.span(start), Op: name, OpAt: at, X: x, Y: y}, nil
}

// comparison reads a comparison operator and its right side. x is the left
// side.
func (p *parser) comparison(x ast.Expr, start ast.Pos) (ast.Expr, error) {
	if p.peek().Type == tokOp {
		return p.binary(x, start, levelCompare)
	}
	if p.take("IS") {
		return p.is(x, start)
	}
	not := p.take("NOT")
	switch {
	case p.take("BETWEEN"):
		return p.between(x, start, not)
	case p.take("IN"):
		return p.in(x, start, not)
	case p.take("LIKE"):
		return p.like(x, start, not, false)
	case p.take("ILIKE"):
		return p.like(x, start, not, true)
	case p.take("WITHIN"):
		return p.within(x, start, not)
	case p.take("CONTAINS"):
		at := spanOf(p.last)
		y, err := p.expr(levelConcat)
		if err != nil {
			return nil, err
		}
		return &ast.Binary{Span: p.span(start), Op: "CONTAINS", OpAt: at, Not: not, X: x, Y: y}, nil
	}
	return nil, p.unexpected()
}

func (p *parser) is(x ast.Expr, start ast.Pos) (ast.Expr, error) {
	not := p.take("NOT")
	var what ast.Expr
	switch t := p.peek(); {
	case isKeyword(t, "NULL"):
		what = &ast.Null{Span: spanOf(t)}
	case isKeyword(t, "TRUE"), isKeyword(t, "FALSE"):
		what = &ast.Bool{Span: spanOf(t), Value: t.Value == "TRUE"}
	default:
		return nil, p.unexpected()
	}
	p.next()
	return &ast.Is{Span: p.span(start), Not: not, X: x, What: what}, nil
}

func (p *parser) between(x ast.Expr, start ast.Pos, not bool) (ast.Expr, error) {
	a, err := p.expr(levelConcat)
	if err != nil {
		return nil, err
	}
	if err := p.need("AND"); err != nil {
		return nil, err
	}
	b, err := p.expr(levelConcat)
	if err != nil {
		return nil, err
	}
	return &ast.Between{Span: p.span(start), Not: not, X: x, A: a, B: b}, nil
}

func (p *parser) in(x ast.Expr, start ast.Pos, not bool) (ast.Expr, error) {
	if err := p.needOp("("); err != nil {
		return nil, err
	}
	if p.atQuery() {
		q, err := p.bracketedQuery()
		if err != nil {
			return nil, err
		}
		return &ast.In{Span: p.span(start), Not: not, X: x, Query: q}, nil
	}
	list, err := p.list()
	if err != nil {
		return nil, err
	}
	if err := p.needOp(")"); err != nil {
		return nil, err
	}
	return &ast.In{Span: p.span(start), Not: not, X: x, List: list}, nil
}

// list reads one or more expressions separated by commas.
func (p *parser) list() ([]ast.Expr, error) {
	var list []ast.Expr
	for {
		e, err := p.expr(levelOr)
		if err != nil {
			return nil, err
		}
		list = append(list, e)
		if !p.takeOp(",") {
			return list, nil
		}
	}
}

func (p *parser) like(x ast.Expr, start ast.Pos, not, fold bool) (ast.Expr, error) {
	y, err := p.expr(levelConcat)
	if err != nil {
		return nil, err
	}
	var escape ast.Expr
	if isWord(p.peek(), "ESCAPE") {
		p.next()
		if escape, err = p.textOrParam(); err != nil {
			return nil, err
		}
	}
	return &ast.Like{Span: p.span(start), Not: not, Fold: fold, X: x, Y: y, Escape: escape}, nil
}

// textOrParam reads a string or a parameter.
func (p *parser) textOrParam() (ast.Expr, error) {
	switch t := p.peek(); t.Type {
	case tokString, tokParam:
		p.next()
		return newText(t), nil
	}
	return nil, p.unexpected()
}

func (p *parser) within(x ast.Expr, start ast.Pos, not bool) (ast.Expr, error) {
	w := &ast.Within{Not: not, X: x}
	bracket := p.takeOp("(")
	for {
		s, err := p.scope()
		if err != nil {
			return nil, err
		}
		w.Scopes = append(w.Scopes, s)
		if !bracket || !p.takeOp(",") {
			break
		}
	}
	if bracket {
		if err := p.needOp(")"); err != nil {
			return nil, err
		}
	}
	w.Span = p.span(start)
	return w, nil
}

func (p *parser) scope() (ast.Scope, error) {
	var s ast.Scope
	var err error
	start := startOf(p.peek())
	if s.From, err = p.textOrParam(); err != nil {
		return s, err
	}
	if p.takeOp("..") {
		if s.To, err = p.textOrParam(); err != nil {
			return s, err
		}
	}
	s.Span = p.span(start)
	return s, nil
}

// prefix reads an operand with the signs or the NOT before it.
func (p *parser) prefix(least int) (ast.Expr, error) {
	t := p.peek()
	operand := 0
	switch {
	case isKeyword(t, "NOT") && least <= levelNot:
		operand = levelNot
	case isOp(t, "-"), isOp(t, "+"):
		operand = levelSign
	default:
		return p.atom()
	}
	p.next()
	start := startOf(t)
	x, err := p.expr(operand)
	if err != nil {
		return nil, err
	}
	return &ast.Unary{Span: p.span(start), Op: t.Value, X: x}, nil
}

// atom reads an operand that needs no precedence: a constant, a column, a call,
// or an expression in brackets.
func (p *parser) atom() (ast.Expr, error) {
	t := p.peek()
	if e := literal(t); e != nil {
		p.next()
		return e, nil
	}
	switch t.Type {
	case tokIdent:
		p.next()
		if isOp(p.peek(), "(") {
			return p.call(t)
		}
		return p.column(t)
	case tokQuoted:
		p.next()
		return p.column(t)
	case tokKeyword:
		switch t.Value {
		case "NOW":
			return p.now()
		case "CASE":
			return p.caseExpr()
		case "CAST":
			return p.cast()
		case "EXISTS":
			return p.exists()
		}
	case tokOp:
		if t.Value == "(" {
			return p.bracketed()
		}
	}
	return nil, p.unexpected()
}

// literal returns the constant that t is, or nil if t is not a constant.
func literal(t *lexer.Token) ast.Expr {
	switch t.Type {
	case tokString:
		return newString(t)
	case tokNumber:
		return newNumber(t)
	case tokSize:
		return newSize(t)
	case tokDuration:
		return newDuration(t)
	case tokPeriod:
		return newPeriod(t)
	case tokParam:
		return newParam(t)
	case tokKeyword:
		switch t.Value {
		case "TRUE", "FALSE":
			return &ast.Bool{Span: spanOf(t), Value: t.Value == "TRUE"}
		case "NULL":
			return &ast.Null{Span: spanOf(t)}
		case "TODAY":
			return &ast.Today{Span: spanOf(t)}
		}
	}
	return nil
}

// now reads NOW or the function now().
func (p *parser) now() (ast.Expr, error) {
	start := startOf(p.next())
	if p.takeOp("(") {
		if err := p.needOp(")"); err != nil {
			return nil, err
		}
	}
	return &ast.Now{Span: p.span(start)}, nil
}

func (p *parser) bracketed() (ast.Expr, error) {
	start := startOf(p.next())
	if p.atQuery() {
		q, err := p.bracketedQuery()
		if err != nil {
			return nil, err
		}
		return &ast.Subquery{Span: p.span(start), Query: q}, nil
	}
	e, err := p.expr(levelOr)
	if err != nil {
		return nil, err
	}
	return e, p.needOp(")")
}

func (p *parser) exists() (ast.Expr, error) {
	start := startOf(p.next())
	if err := p.needOp("("); err != nil {
		return nil, err
	}
	q, err := p.bracketedQuery()
	if err != nil {
		return nil, err
	}
	return &ast.Exists{Span: p.span(start), Query: q}, nil
}

// column reads the rest of a column after its first name: nothing, or a dot and
// a second name.
func (p *parser) column(first *lexer.Token) (ast.Expr, error) {
	c := &ast.Column{Name: newName(first)}
	if p.takeOp(".") {
		switch t := p.peek(); t.Type {
		case tokIdent, tokQuoted:
			p.next()
			q := c.Name
			c.Qualifier, c.Name = &q, newName(t)
		default:
			return nil, p.unexpected()
		}
	}
	c.Span = p.span(startOf(first))
	return c, nil
}

func (p *parser) call(name *lexer.Token) (ast.Expr, error) {
	c := &ast.Call{Name: newName(name)}
	p.next() // the bracket
	switch {
	case p.takeOp("*"):
		c.Star = true
	case isOp(p.peek(), ")"):
	default:
		var err error
		c.Distinct = p.take("DISTINCT")
		if c.Args, err = p.list(); err != nil {
			return nil, err
		}
		if p.take("ORDER") {
			if c.OrderBy, err = p.order(); err != nil {
				return nil, err
			}
		}
	}
	if err := p.needOp(")"); err != nil {
		return nil, err
	}
	if p.atFilter() {
		var err error
		if c.Filter, err = p.filter(); err != nil {
			return nil, err
		}
	}
	c.Span = p.span(startOf(name))
	return c, nil
}

// order reads BY and the sort keys that follow ORDER, in a query or in an
// aggregate.
func (p *parser) order() ([]ast.OrderItem, error) {
	if err := p.need("BY"); err != nil {
		return nil, err
	}
	var list []ast.OrderItem
	for {
		start := startOf(p.peek())
		x, err := p.expr(levelOr)
		if err != nil {
			return nil, err
		}
		o := ast.OrderItem{Expr: x}
		if isWord(p.peek(), "ASC") || isWord(p.peek(), "DESC") {
			o.Desc = isWord(p.next(), "DESC")
		}
		if isWord(p.peek(), "NULLS") {
			p.next()
			if !isWord(p.peek(), "FIRST") && !isWord(p.peek(), "LAST") {
				return nil, p.unexpected()
			}
			o.NullsFirst = isWord(p.next(), "FIRST")
		}
		o.Span = p.span(start)
		list = append(list, o)
		if !p.takeOp(",") {
			return list, nil
		}
	}
}

// atFilter reports whether FILTER (…) follows, and not an alias with the name
// filter.
func (p *parser) atFilter() bool {
	return isWord(p.peek(), "FILTER") && isOp(p.peekSecond(), "(")
}

// filter reads FILTER (WHERE expr) and returns expr.
func (p *parser) filter() (ast.Expr, error) {
	p.next()
	p.next() // the bracket
	if err := p.need("WHERE"); err != nil {
		return nil, err
	}
	e, err := p.expr(levelOr)
	if err != nil {
		return nil, err
	}
	return e, p.needOp(")")
}

func (p *parser) caseExpr() (ast.Expr, error) {
	c := &ast.Case{}
	start := startOf(p.next())
	var err error
	if !isKeyword(p.peek(), "WHEN") {
		if c.X, err = p.expr(levelOr); err != nil {
			return nil, err
		}
	}
	for len(c.Whens) == 0 || isKeyword(p.peek(), "WHEN") {
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
	start := startOf(p.peek())
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

func (p *parser) cast() (ast.Expr, error) {
	start := startOf(p.next())
	if err := p.needOp("("); err != nil {
		return nil, err
	}
	x, err := p.expr(levelOr)
	if err != nil {
		return nil, err
	}
	if err := p.need("AS"); err != nil {
		return nil, err
	}
	t := p.peek()
	if t.Type != tokIdent {
		return nil, p.unexpected()
	}
	p.next()
	if err := p.needOp(")"); err != nil {
		return nil, err
	}
	return &ast.Cast{Span: p.span(start), X: x, Type: newName(t)}, nil
}

// parseConstant reads the value in SET: a constant, or a bare word such as off.
// The reserved word ON is accepted as such a word.
func parseConstant(lex *lexer.PeekingLexer) (constant, error) {
	p := parser{lex: lex}
	t := p.peek()
	switch {
	case t.Type == tokIdent, isKeyword(t, "ON"):
		p.next()
		name := newName(t)
		if t.Type == tokKeyword {
			name.Text = "on"
		}
		return &ast.Column{Span: name.Span, Name: name}, nil
	case isOp(t, "-"):
		p.next()
		n := p.peek()
		if n.Type != tokNumber {
			return nil, p.unexpected()
		}
		p.next()
		return &ast.Unary{Span: p.span(startOf(t)), Op: "-", X: newNumber(n)}, nil
	}
	if e := literal(t); e != nil {
		p.next()
		return e, nil
	}
	return nil, p.unexpected()
}

// newText returns the expression of a string or a parameter.
func newText(t *lexer.Token) ast.Expr {
	if t.Type == tokParam {
		return newParam(t)
	}
	return newString(t)
}

// isWord reports whether t is word, a word of the language that is not
// reserved.
func isWord(t *lexer.Token, word string) bool {
	return t.Type == tokIdent && equalFold(t.Value, word)
}

// equalFold reports whether text equals upper, an ASCII word in upper case, in
// any case.
func equalFold(text, upper string) bool {
	if len(text) != len(upper) {
		return false
	}
	for i := range len(text) {
		c := text[i]
		if 'a' <= c && c <= 'z' {
			c -= 'a' - 'A'
		}
		if c != upper[i] {
			return false
		}
	}
	return true
}
