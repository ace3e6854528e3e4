package grammar

import (
	"github.com/alecthomas/participle/v2/lexer"

	"infomall/lang/ast"
	"infomall/lang/scan"
)

// The binding levels of operators (precedences), from the loosest to the tightest.
const (
	levelOr = iota + 1
	levelAnd
	levelNot
	levelCompare // comparisons; a < b < c is a fault
	levelConcat
	levelSum
	levelProduct
	levelSign
)

// chainMax is the maximum number of operators in one expression, because the
// tree of a chain such as a + b + c is as deep as the chain is long.
const chainMax = 10000

func parseExpr(lex *lexer.PeekingLexer) (ast.Expr, error) {
	p := parser{lex: lex}
	return p.wholeExpr()
}

// wholeExpr reads an expression. It counts the operators of this expression alone, and restores
// the count of the expression around it at the end.
func (p *parser) wholeExpr() (ast.Expr, error) {
	ops := p.ops
	p.ops = 0
	x, err := p.expr(levelOr)
	p.ops = ops
	return x, err
}

// infixLevel returns the binding level of t as an operator between two
// operands, such as levelSum for +. It returns 0 if t is no such operator. NOT
// has the level of the comparison that it negates, as in NOT LIKE.
func infixLevel(t *lexer.Token) int {
	switch t.Type {
	case scan.Keyword:
		switch t.Value {
		case "OR":
			return levelOr
		case "AND":
			return levelAnd
		case "NOT", "IS", "IN", "BETWEEN", "LIKE", "ILIKE", "CONTAINS", "MATCH", "WITHIN":
			return levelCompare
		}
	case scan.Op:
		switch t.Value {
		case "=", "<>", "!=", "<", "<=", ">", ">=", "~", "!~", "~*", "!~*":
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

// expr reads an operand, and then operators with their right operands while the
// level of the operator is least or higher. It returns the tree of all of them.
func (p *parser) expr(least int) (ast.Expr, error) {
	p.depth++
	defer func() { p.depth-- }()
	if p.depth > scan.NestingMax {
		return nil, explained{scan.DeepError(scan.SpanOf(p.peek()))}
	}
	start := scan.StartOf(p.peek())
	x, err := p.prefix(least)
	if err != nil {
		return nil, err
	}
	for compared := false; ; {
		level := infixLevel(p.peek())
		if !compared && p.atSince() {
			level = levelCompare
		}
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

// countOperator counts one operator of the current expression. It returns an
// error if the count is above chainMax.
func (p *parser) countOperator() error {
	if p.ops++; p.ops <= chainMax {
		return nil
	}
	e := ast.Errorf(scan.SpanOf(p.peek()), "more than %d operators in one expression", chainMax)
	e.Hint = "IN (…) takes any number of values"
	return explained{e}
}

// chainError returns the error for the comparison operator t that follows the
// comparison x, as in a < b < c.
func chainError(t *lexer.Token, x ast.Expr) error {
	e := ast.Errorf(scan.SpanOf(t), "comparisons do not chain")
	e.Hint = "join them with AND, or put one in brackets"
	if c, ok := x.(*ast.Binary); ok {
		if y, ok := c.Y.(*ast.Binary); ok && y.Op == "||" {
			e.Hint = "|| joins texts; conditions are joined with OR"
		}
	}
	return explained{e}
}

// binary reads an operator of the given level and its right operand, and
// returns their tree. x is the left operand, and start the position at which x
// begins.
func (p *parser) binary(x ast.Expr, start ast.Pos, level int) (ast.Expr, error) {
	op := p.next()
	at := scan.SpanOf(op)
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

// comparison reads a comparison operator and its right side, and returns their
// tree. x is the left side, and start the position at which x begins.
func (p *parser) comparison(x ast.Expr, start ast.Pos) (ast.Expr, error) {
	if p.peek().Type == scan.Op {
		if in, err := p.quantified(x, start); in != nil || err != nil {
			return in, err
		}
		return p.binary(x, start, levelCompare)
	}
	if p.atSince() {
		return p.since(x, start)
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
	case p.take("CONTAINS"), p.take("MATCH"):
		op, at := p.last.Value, scan.SpanOf(p.last)
		y, err := p.expr(levelConcat)
		if err != nil {
			return nil, err
		}
		return &ast.Binary{Span: p.span(start), Op: op, OpAt: at, Not: not, X: x, Y: y}, nil
	}
	return nil, p.unexpected()
}

// atSince reports whether the next tokens are the operator SINCE and a time. Otherwise SINCE
// may be a name, as in SELECT time since.
func (p *parser) atSince() bool {
	if !scan.IsWord(p.peek(), "SINCE") {
		return false
	}
	at := p.lex.MakeCheckpoint()
	defer p.lex.LoadCheckpoint(at)
	p.lex.Next()
	switch t := p.peek(); t.Type {
	case scan.Number, scan.Period, scan.String, scan.Param:
		return true
	default:
		return scan.IsKeyword(t, "NOW") || scan.IsKeyword(t, "TODAY")
	}
}

// since reads SINCE t, which is another way to write >= t.
func (p *parser) since(x ast.Expr, start ast.Pos) (ast.Expr, error) {
	at := scan.SpanOf(p.peek())
	p.next()
	y, err := p.expr(levelConcat)
	if err != nil {
		return nil, err
	}
	return &ast.Binary{Span: p.span(start), Op: ">=", OpAt: at, X: x, Y: y}, nil
}

func (p *parser) is(x ast.Expr, start ast.Pos) (ast.Expr, error) {
	not := p.take("NOT")
	if p.take("DISTINCT") {
		return p.distinctFrom(x, start, not)
	}
	var what ast.Expr
	switch t := p.peek(); {
	case scan.IsKeyword(t, "NULL"):
		what = &ast.Null{Span: scan.SpanOf(t)}
	case scan.IsKeyword(t, "TRUE"), scan.IsKeyword(t, "FALSE"):
		what = &ast.Bool{Span: scan.SpanOf(t), Value: t.Value == "TRUE"}
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

// list reads one or more expressions that are separated by commas.
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
	if scan.IsWord(p.peek(), "ESCAPE") {
		p.next()
		if escape, err = p.textOrParam(); err != nil {
			return nil, err
		}
	}
	return &ast.Like{Span: p.span(start), Not: not, Fold: fold, X: x, Y: y, Escape: escape}, nil
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
	start := scan.StartOf(p.peek())
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

// prefix reads an operand with the sign or the NOT before it, if there is one.
// It accepts NOT only if least is levelNot or lower.
func (p *parser) prefix(least int) (ast.Expr, error) {
	t := p.peek()
	operand := 0
	switch {
	case scan.IsKeyword(t, "NOT") && least <= levelNot:
		operand = levelNot
	case scan.IsOp(t, "-"), scan.IsOp(t, "+"):
		operand = levelSign
	default:
		return p.castAtom()
	}
	p.next()
	start := scan.StartOf(t)
	x, err := p.expr(operand)
	if err != nil {
		return nil, err
	}
	return &ast.Unary{Span: p.span(start), Op: t.Value, X: x}, nil
}

// castAtom reads an operand without a sign, and the types after :: that it is
// converted to.
func (p *parser) castAtom() (ast.Expr, error) {
	start := scan.StartOf(p.peek())
	x, err := p.atom()
	for err == nil && p.takeOp("::") {
		t := p.peek()
		if t.Type != scan.Ident {
			return nil, p.unexpected()
		}
		if err := p.countOperator(); err != nil {
			return nil, err
		}
		p.next()
		if err := p.typeLength(); err != nil {
			return nil, err
		}
		x = p.castTo(start, x, t)
	}
	return x, err
}

// atom reads an operand without a sign: a constant, NOW, a column, a call, CASE,
// CAST, EXISTS, or an expression or a query in brackets.
func (p *parser) atom() (ast.Expr, error) {
	t := p.peek()
	if e := scan.Literal(t); e != nil {
		p.next()
		return e, nil
	}
	switch t.Type {
	case scan.Ident:
		p.next()
		if scan.IsOp(p.peek(), "(") {
			return p.call(t)
		}
		if p.atInterval(t) {
			return durationIn(p.next()), nil
		}
		if p.atTimeText(t) {
			return p.timeText(t), nil
		}
		if p.atEscaped(t) {
			return p.escaped(), nil
		}
		if now := p.currentTime(t); now != nil {
			return now, nil
		}
		return p.column(t)
	case scan.Quoted:
		p.next()
		return p.column(t)
	case scan.Keyword:
		switch t.Value {
		case "NOW":
			return p.now()
		case "CASE":
			return p.caseExpr()
		case "CAST":
			return p.cast()
		case "EXISTS":
			return p.exists()
		case "LEFT":
			if p.atLeft() {
				return p.left()
			}
		}
	case scan.Op:
		if t.Value == "(" {
			return p.bracketed()
		}
	}
	return nil, p.unexpected()
}

// now reads NOW or now(), which mean the same. The next token must be NOW.
func (p *parser) now() (ast.Expr, error) {
	start := scan.StartOf(p.next())
	if p.takeOp("(") {
		if err := p.needOp(")"); err != nil {
			return nil, err
		}
	}
	return &ast.Now{Span: p.span(start)}, nil
}

func (p *parser) bracketed() (ast.Expr, error) {
	start := scan.StartOf(p.next())
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
	if scan.IsOp(p.peek(), ",") {
		return p.rowIn(e, start)
	}
	return e, p.needOp(")")
}

func (p *parser) exists() (ast.Expr, error) {
	start := scan.StartOf(p.next())
	if err := p.needOp("("); err != nil {
		return nil, err
	}
	q, err := p.bracketedQuery()
	if err != nil {
		return nil, err
	}
	return &ast.Exists{Span: p.span(start), Query: q}, nil
}

// column returns the column whose first name is already read. If a dot follows,
// it reads the dot and a second name; the first name is then the qualifier.
func (p *parser) column(first *lexer.Token) (ast.Expr, error) {
	c := &ast.Column{Name: scan.Name(first)}
	if p.takeOp(".") {
		switch t := p.peek(); t.Type {
		case scan.Ident, scan.Quoted:
			p.next()
			q := c.Name
			c.Qualifier, c.Name = &q, scan.Name(t)
		default:
			return nil, p.unexpected()
		}
	}
	c.Span = p.span(scan.StartOf(first))
	return c, nil
}

func (p *parser) call(name *lexer.Token) (ast.Expr, error) {
	c := &ast.Call{Name: scan.Name(name)}
	p.next() // the bracket
	if p.atExtract(name) {
		return p.extract(scan.StartOf(name))
	}
	switch {
	case p.takeOp("*"):
		c.Star = true
	case scan.IsOp(p.peek(), ")"):
	case p.atSpecialCall(name):
		if err := p.specialCall(c); err != nil {
			return nil, err
		}
	default:
		var err error
		c.Distinct = p.take("DISTINCT")
		if c.Args, err = p.list(); err != nil {
			return nil, err
		}
		if err := p.substringFrom(c); err != nil {
			return nil, err
		}
		if err := p.trimFrom(c); err != nil {
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
	if same := p.sameCall(c); same != ast.Expr(c) {
		return same, nil
	}
	if p.atWithinGroup(c) {
		if err := p.withinGroup(c); err != nil {
			return nil, err
		}
	}
	if p.atFilter() {
		var err error
		if c.Filter, err = p.filter(); err != nil {
			return nil, err
		}
	}
	if p.atOver() {
		p.next()
		var err error
		if c.Over, err = p.window(); err != nil {
			return nil, err
		}
	} else if p.atOverName() {
		p.next()
		c.Over = p.namedWindow()
	}
	c.Span = p.span(scan.StartOf(name))
	return squared(c), nil
}

// atOver reports whether OVER and a bracket come next. OVER without a bracket is
// an alias.
func (p *parser) atOver() bool {
	return scan.IsWord(p.peek(), "OVER") && scan.IsOp(p.peekSecond(), "(")
}

// window reads ([PARTITION BY expr, …] [ORDER BY key, …]).
func (p *parser) window() (*ast.Window, error) {
	start := scan.StartOf(p.next()) // the bracket
	w := &ast.Window{}
	var err error
	if scan.IsWord(p.peek(), "PARTITION") {
		p.next()
		if err := p.need("BY"); err != nil {
			return nil, err
		}
		if w.PartitionBy, err = p.list(); err != nil {
			return nil, err
		}
	}
	if p.take("ORDER") {
		if w.OrderBy, err = p.order(); err != nil {
			return nil, err
		}
	}
	if err := p.needOp(")"); err != nil {
		return nil, err
	}
	w.Span = p.span(start)
	return w, nil
}

// order reads BY and the sort keys after it. The caller has read ORDER, in a
// query or in an aggregate.
func (p *parser) order() ([]ast.OrderItem, error) {
	if err := p.need("BY"); err != nil {
		return nil, err
	}
	var list []ast.OrderItem
	for {
		start := scan.StartOf(p.peek())
		x, err := p.expr(levelOr)
		if err != nil {
			return nil, err
		}
		o := ast.OrderItem{Expr: x}
		if scan.IsWord(p.peek(), "ASC") || scan.IsWord(p.peek(), "DESC") {
			o.Desc = scan.IsWord(p.next(), "DESC")
		}
		if scan.IsWord(p.peek(), "NULLS") {
			p.next()
			if !scan.IsWord(p.peek(), "FIRST") && !scan.IsWord(p.peek(), "LAST") {
				return nil, p.unexpected()
			}
			o.NullsFirst = scan.IsWord(p.next(), "FIRST")
		}
		o.Span = p.span(start)
		list = append(list, o)
		if !p.takeOp(",") {
			return list, nil
		}
	}
}

// atFilter reports whether FILTER and a bracket come next. FILTER without a
// bracket is an alias.
func (p *parser) atFilter() bool {
	return scan.IsWord(p.peek(), "FILTER") && scan.IsOp(p.peekSecond(), "(")
}

// filter reads FILTER (WHERE expr) and returns the tree of expr.
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

func (p *parser) cast() (ast.Expr, error) {
	start := scan.StartOf(p.next())
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
	if t.Type != scan.Ident {
		return nil, p.unexpected()
	}
	p.next()
	if err := p.typeLength(); err != nil {
		return nil, err
	}
	if err := p.needOp(")"); err != nil {
		return nil, err
	}
	return p.castTo(start, x, t), nil
}
