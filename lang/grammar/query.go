package grammar

import (
	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"

	"infomall/lang/ast"
	"infomall/lang/scan"
)

var queryStatement = of[queryStatementSyntax]("SELECT, WITH, SEARCH", topic{"SELECT", `
[WITH with, …] select [UNION ALL select …]
    [ORDER BY key, …]
    [LIMIT n [OFFSET n]]
select = SELECT [DISTINCT] item, …
    [FROM source [[LEFT] JOIN source ON expr …]]
    [WHERE expr]
    [GROUP BY expr, …]
    [HAVING expr]
item = * | expr [[AS] name]
with = name AS (query)
source = relation [IN scope, …] [time] [AS name]
  | scope, … [time] [AS name]
  | periods(unit) range [AS name]
  | findings(words) [IN scope, …] [time] [AS name]
  | (query) [AS name] | FILE 'text' [AS name] | name [AS name]
words = 'text' | $name
` + helpKey + helpScope + `time = range [choice] | choice [range]
range = BETWEEN t AND t | FROM t TO t | SINCE t | UNTIL t | DURING t AND t
choice = AT t | AS OF t | NEAREST t | FIRST | LATEST | EACH unit
unit = year | month | week | day
` + helpT + `n = 10 | $name
`}, topic{"SEARCH", `
SEARCH words [IN scope, …] [time] [WHERE expr]
    [ORDER BY key, …]
    [LIMIT n [OFFSET n]]
EXPLAIN SEARCH words [IN scope, …] [time] FOR url
url = 'text' | $name
words = 'text' | $name
` + helpKey + helpScope + `time = range [choice] | choice [range]
range = BETWEEN t AND t | FROM t TO t | SINCE t | UNTIL t | DURING t AND t
choice = AT t | AS OF t | NEAREST t | FIRST | LATEST
` + helpT + `n = 10 | $name
`}, topic{"EXPRESSIONS", `
expr = expr OR expr | expr AND expr | NOT expr | x
x = y (= | <> | != | < | <= | > | >= | ~ | !~) y
  | y IS [NOT] (NULL | TRUE | FALSE)
  | y [NOT] IN (expr, …) | y [NOT] IN (query) | EXISTS (query)
  | y [NOT] BETWEEN y AND y
  | y [NOT] (LIKE | ILIKE) y [ESCAPE 'c']
  | y [NOT] (CONTAINS | MATCH) y
  | y [NOT] WITHIN (scope | (scope, …))
  | y
y = y || y | y (+ | -) y | y (* | / | // | %) y | - y | z
z = 'text' | 10 | 1e-12 | 64KB | 7d | 2008-06 | TRUE | FALSE | NULL
  | NOW | TODAY | $name | :name | column | name.column | (expr)
  | (query)
  | name([[DISTINCT] expr, … [ORDER BY key, …]]) [FILTER (WHERE expr)]
  | name(*) [FILTER (WHERE expr)] | CAST(expr AS type)
  | CASE [expr] WHEN expr THEN expr … [ELSE expr] END
` + helpKey + helpScope})

type queryStatementSyntax struct {
	Query querySyntax `parser:"@@"`
}

func (s *queryStatementSyntax) tree(*builder) ast.Statement { return s.Query.tree() }

// querySyntax is a query, after parsing. Participle calls parseQuery for struct
// fields of this type. Queries contain expressions and expressions contain
// queries, so the type parser reads both, token by token.
type querySyntax interface {
	tree() *ast.Query
}

type queryTree ast.Query

func (q *queryTree) tree() *ast.Query { return (*ast.Query)(q) }

// parseQuery reads a query. It returns the error participle.NextMatch, which
// makes participle try the next branch, if the next token begins no query.
func parseQuery(lex *lexer.PeekingLexer) (querySyntax, error) {
	p := parser{lex: lex}
	if !p.atQuery() {
		return nil, participle.NextMatch
	}
	q, err := p.query()
	return (*queryTree)(q), err
}

// atQuery reports whether the next token begins a query: SELECT, WITH or SEARCH.
func (p *parser) atQuery() bool {
	return scan.IsKeyword(p.peek(), "SELECT") || scan.IsKeyword(p.peek(), "WITH") || p.atSearch()
}

// bracketedQuery reads a query and the closing bracket after it. The opening
// bracket is already read.
func (p *parser) bracketedQuery() (*ast.Query, error) {
	if !p.atQuery() {
		return nil, p.unexpected()
	}
	q, err := p.query()
	if err != nil {
		return nil, err
	}
	return q, p.needOp(")")
}

func (p *parser) query() (*ast.Query, error) {
	start := scan.StartOf(p.peek())
	q := &ast.Query{}
	var err error
	if p.take("WITH") {
		if q.With, err = p.with(); err != nil {
			return nil, err
		}
	}
	if q.With == nil && p.atSearch() {
		err = p.search(q)
	} else {
		q.Select, err = p.selectClauses()
	}
	if err != nil {
		return nil, err
	}
	if q.Search != nil && q.Search.For != nil {
		p.endSearch(q)
		q.Span = p.span(start)
		return q, nil
	}
	for q.Search == nil && p.take("UNION") {
		if err := p.needWord("ALL"); err != nil {
			return nil, err
		}
		s, err := p.selectClauses()
		if err != nil {
			return nil, err
		}
		q.Union = append(q.Union, s)
	}
	if p.take("ORDER") {
		if q.OrderBy, err = p.order(); err != nil {
			return nil, err
		}
	}
	if p.take("LIMIT") {
		if q.Limit, err = p.numberOrParam(); err != nil {
			return nil, err
		}
		if p.take("OFFSET") {
			if q.Offset, err = p.numberOrParam(); err != nil {
				return nil, err
			}
		}
	}
	if q.Search != nil {
		p.endSearch(q)
	}
	q.Span = p.span(start)
	return q, nil
}

// with reads the named queries after WITH, such as recent AS (SELECT …),
// separated by commas.
func (p *parser) with() (list []ast.With, err error) {
	for {
		var w ast.With
		start := scan.StartOf(p.peek())
		if w.Name, err = p.someName(); err != nil {
			return nil, err
		}
		if err := p.need("AS"); err != nil {
			return nil, err
		}
		if err := p.needOp("("); err != nil {
			return nil, err
		}
		if w.Query, err = p.bracketedQuery(); err != nil {
			return nil, err
		}
		w.Span = p.span(start)
		list = append(list, w)
		if !p.takeOp(",") {
			return list, nil
		}
	}
}

func (p *parser) selectClauses() (*ast.Select, error) {
	start := scan.StartOf(p.peek())
	if err := p.need("SELECT"); err != nil {
		return nil, err
	}
	s := &ast.Select{Distinct: p.take("DISTINCT")}
	var err error
	if s.Items, err = p.items(); err != nil {
		return nil, err
	}
	if p.take("FROM") {
		if s.From, err = p.source(); err != nil {
			return nil, err
		}
		if s.Joins, err = p.joins(); err != nil {
			return nil, err
		}
	}
	if p.take("WHERE") {
		if s.Where, err = p.wholeExpr(); err != nil {
			return nil, err
		}
	}
	if p.take("GROUP") {
		if err := p.need("BY"); err != nil {
			return nil, err
		}
		if s.GroupBy, err = p.list(); err != nil {
			return nil, err
		}
	}
	if p.take("HAVING") {
		if s.Having, err = p.wholeExpr(); err != nil {
			return nil, err
		}
	}
	s.Span = p.span(start)
	return s, nil
}

func (p *parser) items() (list []ast.Item, err error) {
	for {
		var it ast.Item
		start := scan.StartOf(p.peek())
		if it.Star = p.takeOp("*"); !it.Star {
			if it.Expr, err = p.wholeExpr(); err != nil {
				return nil, err
			}
			if p.take("AS") || p.atName() {
				if it.Alias, err = p.alias(); err != nil {
					return nil, err
				}
			}
		}
		it.Span = p.span(start)
		list = append(list, it)
		if !p.takeOp(",") {
			return list, nil
		}
	}
}

func (p *parser) alias() (*ast.Name, error) {
	n, err := p.someName()
	if err != nil {
		return nil, err
	}
	return &n, nil
}

func (p *parser) source() (*ast.Source, error) {
	start := scan.StartOf(p.peek())
	s := &ast.Source{}
	var err error
	switch t := p.peek(); {
	case p.takeOp("("):
		s.Query, err = p.bracketedQuery()
	case p.atFile():
		p.next()
		s.File, err = p.textOrParam()
	case p.atName():
		err = p.relation(s)
	case t.Type == scan.String, t.Type == scan.Param:
		if s.Scopes, err = p.scopes(); err == nil {
			s.Time, err = p.timeClause()
		}
	default:
		err = p.unexpected()
	}
	if err != nil {
		return nil, err
	}
	if p.take("AS") {
		if s.Alias, err = p.alias(); err != nil {
			return nil, err
		}
	}
	s.Span = p.span(start)
	return s, nil
}

// atFile reports whether FILE and a string or a parameter come next. Otherwise
// FILE is the name of a relation.
func (p *parser) atFile() bool {
	if !scan.IsWord(p.peek(), "FILE") {
		return false
	}
	next := p.peekSecond().Type
	return next == scan.String || next == scan.Param
}

// relation reads a relation, periods(unit) or findings(words), with its scopes (the URLs to
// read) and its time clause, into s.
func (p *parser) relation(s *ast.Source) error {
	name, err := p.alias()
	if err != nil {
		return err
	}
	s.Relation = name
	if !name.Quoted && scan.EqualFold(name.Text, "PERIODS") && p.takeOp("(") {
		t := p.peek()
		if t.Type != scan.Ident {
			return p.unexpected()
		}
		p.next()
		unit := scan.Name(t)
		s.Unit = &unit
		if err := p.needOp(")"); err != nil {
			return err
		}
	}
	if !name.Quoted && scan.EqualFold(name.Text, "FINDINGS") && p.takeOp("(") {
		if s.Question, err = p.textOrParam(); err != nil {
			return err
		}
		if err := p.needOp(")"); err != nil {
			return err
		}
	}
	if p.take("IN") {
		if s.Scopes, err = p.scopes(); err != nil {
			return err
		}
	}
	s.Time, err = p.timeClause()
	return err
}

// scopes reads one or more scopes, such as 'pku.edu.cn', that are separated by
// commas.
func (p *parser) scopes() ([]ast.Scope, error) {
	var list []ast.Scope
	for {
		s, err := p.scope()
		if err != nil {
			return nil, err
		}
		list = append(list, s)
		if !p.takeOp(",") {
			return list, nil
		}
	}
}

func (p *parser) joins() ([]ast.Join, error) {
	var list []ast.Join
	for scan.IsKeyword(p.peek(), "LEFT") || scan.IsKeyword(p.peek(), "JOIN") {
		var j ast.Join
		var err error
		start := scan.StartOf(p.peek())
		j.Left = p.take("LEFT")
		if err := p.need("JOIN"); err != nil {
			return nil, err
		}
		if j.Source, err = p.source(); err != nil {
			return nil, err
		}
		if err := p.need("ON"); err != nil {
			return nil, err
		}
		if j.On, err = p.wholeExpr(); err != nil {
			return nil, err
		}
		j.Span = p.span(start)
		list = append(list, j)
	}
	return list, nil
}
