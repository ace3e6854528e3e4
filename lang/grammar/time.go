package grammar

import (
	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"

	"infomall/lang/ast"
	"infomall/lang/scan"
)

// timeSyntax is a time clause, after parsing. Participle calls parseTime for
// struct fields of this type. The method clause returns the tree.
type timeSyntax interface {
	clause() ast.TimeClause
}

type timeClause ast.TimeClause

func (t timeClause) clause() ast.TimeClause { return ast.TimeClause(t) }

// parseTime reads a time clause. It returns the error participle.NextMatch,
// which makes participle try the next branch, if the next token begins no time
// clause.
func parseTime(lex *lexer.PeekingLexer) (timeSyntax, error) {
	p := parser{lex: lex}
	t, err := p.timeClause()
	if err == nil && !t.Timed() && t.Known == nil {
		err = participle.NextMatch
	}
	return timeClause(t), err
}

// rangeSyntax is a range of time, after parsing. Participle calls parseRange for struct
// fields of this type. The method named of returns the tree.
type rangeSyntax interface {
	of() *ast.TimeRange
}

type timeRange struct{ *ast.TimeRange }

func (r timeRange) of() *ast.TimeRange { return r.TimeRange }

// parseRange reads a range of time. It returns the error participle.NextMatch if the
// next token begins none.
func parseRange(lex *lexer.PeekingLexer) (rangeSyntax, error) {
	p := parser{lex: lex}
	if !p.atRange() {
		return nil, participle.NextMatch
	}
	r, err := p.timeRange()
	return timeRange{r}, err
}

// timeClause reads a range such as SINCE 2008, a choice such as LATEST and KNOWN
// AT, in any order, of which each may be absent.
func (p *parser) timeClause() (t ast.TimeClause, err error) {
	for err == nil {
		switch {
		case t.Range == nil && p.atRange():
			t.Range, err = p.timeRange()
		case t.Choice == nil && p.atChoice():
			t.Choice, err = p.timeChoice()
		case t.Known == nil && p.atKnown():
			t.Known, err = p.known()
		default:
			return t, nil
		}
	}
	return t, err
}

func (p *parser) atRange() bool {
	t := p.peek()
	return scan.IsKeyword(t, "BETWEEN") || scan.IsKeyword(t, "FROM") || scan.IsWord(t, "SINCE") || scan.IsWord(t, "UNTIL") || scan.IsWord(t, "DURING")
}

func (p *parser) atChoice() bool {
	t := p.peek()
	return scan.IsWord(t, "AT") || scan.IsWord(t, "NEAREST") || scan.IsWord(t, "FIRST") || scan.IsWord(t, "LATEST") || scan.IsWord(t, "EACH") || p.atAsOf()
}

// atKnown reports whether KNOWN comes next.
func (p *parser) atKnown() bool { return scan.IsWord(p.peek(), "KNOWN") }

// known reads KNOWN AT and a time, and returns the time.
func (p *parser) known() (ast.Expr, error) {
	p.next() // KNOWN
	if !scan.IsWord(p.peek(), "AT") {
		return nil, p.unexpected()
	}
	p.next()
	return p.moment()
}

// atAsOf reports whether AS and OF come next. AS without OF begins an alias.
func (p *parser) atAsOf() bool {
	return scan.IsKeyword(p.peek(), "AS") && scan.IsWord(p.peekSecond(), "OF")
}

func (p *parser) timeRange() (*ast.TimeRange, error) {
	r := &ast.TimeRange{}
	var err error
	first := p.next()
	start := scan.StartOf(first)
	switch scan.Upper(first.Value) {
	case "BETWEEN":
		r.Op = ast.RangeBetween
		r.A, r.B, err = p.moments("AND")
	case "FROM":
		r.Op = ast.RangeFromTo
		r.A, r.B, err = p.moments("TO")
	case "SINCE":
		r.Op = ast.RangeSince
		r.A, err = p.moment()
	case "UNTIL":
		r.Op = ast.RangeUntil
		r.B, err = p.moment()
	case "DURING":
		r.Op = ast.RangeDuring
		r.A, r.B, err = p.moments("AND")
	}
	if err != nil {
		return nil, err
	}
	r.Span = p.span(start)
	return r, nil
}

func (p *parser) timeChoice() (*ast.TimeChoice, error) {
	c := &ast.TimeChoice{}
	var err error
	first := p.next()
	start := scan.StartOf(first)
	switch scan.Upper(first.Value) {
	case "AS":
		p.next() // OF
		c.T, err = p.moment()
	case "AT":
		c.T, err = p.moment()
	case "NEAREST":
		c.Op = ast.ChoiceNearest
		c.T, err = p.moment()
	case "FIRST":
		c.Op = ast.ChoiceFirst
	case "LATEST":
		c.Op = ast.ChoiceLatest
	case "EACH":
		c.Op = ast.ChoiceEach
		if t := p.peek(); t.Type == scan.Param {
			p.next()
			c.T = scan.Literal(t)
		} else {
			c.Unit, err = p.unit()
		}
	}
	if err == nil && c.Op == ast.ChoiceAt && p.atWithin() {
		c.Within, err = p.withinGap()
	}
	if err != nil {
		return nil, err
	}
	c.Span = p.span(start)
	return c, nil
}

// atWithin reports whether WITHIN and its duration come next. WITHIN DOMAIN and
// WITHIN HOST are clauses of HITS.
func (p *parser) atWithin() bool {
	after := p.peekSecond()
	return scan.IsKeyword(p.peek(), "WITHIN") && !scan.IsWord(after, "DOMAIN") && !scan.IsWord(after, "HOST")
}

// withinGap reads WITHIN and its duration.
func (p *parser) withinGap() (ast.Expr, error) {
	p.next() // WITHIN
	switch t := p.peek(); t.Type {
	case scan.Duration, scan.Param:
		p.next()
		return scan.Literal(t), nil
	case scan.String:
		if d := durationIn(t); d != nil {
			p.next()
			return d, nil
		}
	}
	return nil, p.unexpected()
}

// unit reads the unit of EACH and returns it in lower case, such as "month".
func (p *parser) unit() (string, error) {
	for _, u := range ast.PeriodUnits {
		if scan.IsWord(p.peek(), scan.Upper(u)) {
			p.next()
			return u, nil
		}
	}
	return "", p.unexpected()
}

// moments reads two times that are separated by the given word, such as AND.
func (p *parser) moments(word string) (a, b ast.Expr, err error) {
	if a, err = p.moment(); err != nil {
		return nil, nil, err
	}
	if t := p.peek(); !scan.IsKeyword(t, word) && !scan.IsWord(t, word) {
		return nil, nil, p.unexpected()
	}
	p.next()
	b, err = p.moment()
	return a, b, err
}

// parseMoment reads a time such as NOW - 7d; see parser.moment.
func parseMoment(lex *lexer.PeekingLexer) (moment, error) {
	p := parser{lex: lex}
	return p.moment()
}

// moment reads a time: a literal, a string, a parameter, NOW or TODAY, with
// durations added or subtracted, as in NOW - 7d.
func (p *parser) moment() (ast.Expr, error) {
	first := p.peek()
	x, err := p.baseMoment()
	if err != nil {
		return nil, err
	}
	for scan.IsOp(p.peek(), "+") || scan.IsOp(p.peek(), "-") {
		if err := p.countOperator(); err != nil {
			return nil, err
		}
		op := p.next()
		d := p.peek()
		if d.Type != scan.Duration && d.Type != scan.Param {
			return nil, p.unexpected()
		}
		p.next()
		x = &ast.Binary{Span: p.span(scan.StartOf(first)), Op: op.Value, OpAt: scan.SpanOf(op), X: x, Y: scan.Literal(d)}
	}
	return x, nil
}

func (p *parser) baseMoment() (ast.Expr, error) {
	switch t := p.peek(); {
	case scan.IsKeyword(t, "NOW"):
		return p.now()
	case t.Type == scan.Number, t.Type == scan.Period, t.Type == scan.String, t.Type == scan.Param, scan.IsKeyword(t, "TODAY"):
		p.next()
		return scan.Literal(t), nil
	}
	return nil, p.unexpected()
}
