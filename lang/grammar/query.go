package grammar

import (
	"slices"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"

	"infomall/lang/ast"
	"infomall/lang/scan"
)

var queryStatement = of[queryStatementSyntax]("SELECT, WITH, SEARCH", topic{"SELECT", `
[WITH with, …] select [set select …]
    [ORDER BY key, …]
    [LIMIT n [OFFSET n]]
set = UNION [ALL] | EXCEPT | INTERSECT
select = SELECT [DISTINCT] item, …
    [FROM source [join …]]
    [WHERE expr]
    [GROUP BY expr, …]
    [HAVING expr]
    [WINDOW window, …]
window = name AS ([PARTITION BY expr, …] [ORDER BY key, …])
item = * | expr [[AS] name]
with = name AS (query)
join = [INNER] JOIN source (ON expr | USING (name, …))
  | LEFT [OUTER] JOIN source (ON expr | USING (name, …))
  | CROSS JOIN source
source = relation [IN scope, …] [time] [[AS] name]
  | links [IN scope, …] TO scope, … [time] [[AS] name]
  | relation [[AS] name] [IN scope, …] [time]
  | scope, … [time] [[AS] name]
  | periods(unit) range [[AS] name]
  | findings(words) [IN scope, …] [time] [[AS] name]
  | (query) [known] [[AS] name] | FILE 'text' [[AS] name] | name [[AS] name]
words = 'text' | $name
` + helpKey + helpScope + `time = range [choice] [known] | choice [range] [known] | known
known = KNOWN AT t
range = BETWEEN t AND t | FROM t TO t | SINCE t | UNTIL t | DURING t AND t
choice = (AT t | AS OF t) [WITHIN 7d] | NEAREST t | FIRST | LATEST
  | EACH unit | EACH $name
unit = year | month | week | day
` + helpT + `n = 10 | $name
`}, topic{"SEARCH", `
SEARCH words [IN scope, …] [time] [WHERE expr]
    [ORDER BY key, …]
    [LIMIT n [OFFSET n]]
EXPLAIN SEARCH words [IN scope, …] [time] FOR url
url = 'text' | $name
words = 'text' | $name
` + helpKey + helpScope + `time = range [choice] [known] | choice [range] [known] | known
known = KNOWN AT t
range = BETWEEN t AND t | FROM t TO t | SINCE t | UNTIL t | DURING t AND t
choice = (AT t | AS OF t) [WITHIN 7d] | NEAREST t | FIRST | LATEST
` + helpT + `n = 10 | $name
`}, topic{"EXPRESSIONS", `
expr = expr OR expr | expr AND expr | NOT expr | x
x = y (= | <> | != | < | <= | > | >= | ~ | !~ | ~* | !~*) y
  | y IS [NOT] (NULL | TRUE | FALSE)
  | y [NOT] IN (expr, …) | y [NOT] IN (query) | EXISTS (query)
  | y [NOT] BETWEEN y AND y
  | y [NOT] (LIKE | ILIKE) y [ESCAPE 'c']
  | y [NOT] (CONTAINS | MATCH) y
  | y [NOT] WITHIN (scope | (scope, …))
  | y SINCE (2008-06 | 'text' | $name | NOW | TODAY)
  | y
y = y || y | y (+ | -) y | y (* | / | // | %) y | - y | z
z = 'text' | 10 | 1e-12 | 64KB | 7d | 2008-06 | TRUE | FALSE | NULL
  | NOW | TODAY | $name | :name | column | name.column | (expr)
  | (query)
  | name([[DISTINCT] expr, … [ORDER BY key, …]]) [FILTER (WHERE expr)]
  | name(*) [FILTER (WHERE expr)] | name(expr, …) OVER window
  | CASE [expr] WHEN expr THEN expr … [ELSE expr] END
  | CAST(expr AS type) | z::type
window = ([PARTITION BY expr, …] [ORDER BY key, …])
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
	switch {
	case scan.IsWord(p.peek(), "SEARCH") && !p.atSearch():
		return nil, p.noQuery()
	case !p.atQuery():
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
		return nil, p.noQuery()
	}
	q, err := p.query()
	if err != nil {
		return nil, err
	}
	return q, p.needOp(")")
}

// noQuery returns the error that the next token begins no query. If the next token is
// SEARCH, the fault is the token after it, which is not the text of the words.
func (p *parser) noQuery() error {
	if scan.IsWord(p.peek(), "SEARCH") {
		p.next()
	}
	return p.unexpected()
}

func (p *parser) query() (*ast.Query, error) {
	start := scan.StartOf(p.peek())
	q := &ast.Query{}
	var on []ast.Expr
	var err error
	if p.take("WITH") {
		if q.With, err = p.with(); err != nil {
			return nil, err
		}
	}
	if q.With == nil && p.atSearch() {
		err = p.search(q)
	} else {
		q.Select, on, err = p.selectClauses()
	}
	if err != nil {
		return nil, err
	}
	if q.Search != nil && q.Search.For != nil {
		p.endSearch(q)
		q.Span = p.span(start)
		return q, nil
	}
	for q.Search == nil && p.atSetOp() {
		o := ast.SetOp{Op: ast.SetOperator(scan.Upper(p.next().Value))}
		if o.Op == ast.Union && scan.IsWord(p.peek(), "ALL") {
			p.next()
			o.All = true
		}
		var again []ast.Expr
		if o.Select, again, err = p.selectClauses(); err != nil {
			return nil, err
		}
		on = append(on, again...)
		q.Sets = append(q.Sets, o)
	}
	if p.take("ORDER") {
		uses := len(p.named)
		if q.OrderBy, err = p.order(); err != nil {
			return nil, err
		}
		if err := p.fillWindows(uses, nil); err != nil {
			return nil, err
		}
	}
	if err := p.limits(q); err != nil {
		return nil, err
	}
	if q.Search != nil {
		p.endSearch(q)
	}
	q.Span = p.span(start)
	byFunction(q)
	if on != nil {
		if err := firstOfEach(q, on); err != nil {
			return nil, err
		}
	}
	return q, nil
}

// atSetOp reports whether the next token is an operator between two SELECTs.
func (p *parser) atSetOp() bool {
	t := p.peek()
	return scan.IsKeyword(t, "UNION") || scan.IsWord(t, "EXCEPT") || scan.IsWord(t, "INTERSECT")
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
		var names []ast.Name
		if !scan.IsKeyword(p.peekSecond(), "SELECT") { // else AS is missing
			if names, err = p.columnNames(); err != nil {
				return nil, err
			}
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
		if err := rename(w.Query, names); err != nil {
			return nil, err
		}
		w.Span = p.span(start)
		list = append(list, w)
		if !p.takeOp(",") {
			return list, nil
		}
	}
}

// selectClauses reads one SELECT with its clauses up to WINDOW. The result on has the
// expressions of DISTINCT ON, or is nil.
func (p *parser) selectClauses() (s *ast.Select, on []ast.Expr, err error) {
	start := scan.StartOf(p.peek())
	if err := p.need("SELECT"); err != nil {
		return nil, nil, err
	}
	s = &ast.Select{Distinct: p.take("DISTINCT")}
	if s.Distinct {
		if on, err = p.distinctOn(); err != nil {
			return nil, nil, err
		}
		s.Distinct = on == nil
	}
	if s, err = p.afterDistinct(s, start); err != nil {
		return nil, nil, err
	}
	return s, on, nil
}

// afterDistinct reads the rest of the SELECT s, after SELECT DISTINCT. start is the
// position of that SELECT.
func (p *parser) afterDistinct(s *ast.Select, start ast.Pos) (*ast.Select, error) {
	uses, outer := len(p.named), p.samples
	p.samples = nil
	defer func() { p.samples = outer }()
	var err error
	if s.Items, err = p.items(true); err != nil {
		return nil, err
	}
	if p.take("FROM") {
		if s.From, err = p.source(); err != nil {
			return nil, err
		}
		if err = p.joins(s); err != nil {
			return nil, err
		}
	}
	if p.take("WHERE") {
		if s.Where, err = p.wholeExpr(); err != nil {
			return nil, err
		}
	}
	for _, x := range p.samples {
		if s.Where != nil {
			x = &ast.Binary{Span: x.At(), Op: "AND", OpAt: x.At(), X: x, Y: s.Where}
		}
		s.Where = x
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
	return s, p.windows(uses)
}

// items reads a list of expressions, each with or without AS name. If selected is set, it is
// the list of a SELECT, in which * may stand for an expression, and AS may be left out.
func (p *parser) items(selected bool) (list []ast.Item, err error) {
	for {
		var it ast.Item
		start := scan.StartOf(p.peek())
		if it.Star = selected && p.takeOp("*"); !it.Star {
			if it.Expr, err = p.wholeExpr(); err != nil {
				return nil, err
			}
			if p.take("AS") || selected && p.atName() && !p.atSetOp() && !p.atKey() && !p.atWindow() {
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
		if s.Query, err = p.bracketedQuery(); err == nil {
			err = p.sourceAlias(s)
		}
		if err == nil && s.Alias != nil {
			var names []ast.Name
			if names, err = p.columnNames(); err == nil {
				err = rename(s.Query, names)
			}
		}
		if err == nil && p.atKnown() {
			s.Time.Known, err = p.known()
		}
	case p.atFile():
		p.next()
		s.File, err = p.textOrParam()
	case p.atName():
		err = p.relation(s)
	case t.Type == scan.String, t.Type == scan.Param:
		if s.Scopes, err = p.scopes(); err == nil {
			err = p.timeOf(s)
		}
	default:
		err = p.unexpected()
	}
	if err != nil {
		return nil, err
	}
	if err := p.sourceAlias(s); err != nil {
		return nil, err
	}
	s.Span = p.span(start)
	return s, p.sampled()
}

// atKey reports whether the clause KEY (…) of WATCH comes next.
func (p *parser) atKey() bool {
	return scan.IsWord(p.peek(), "KEY") && scan.IsOp(p.peekSecond(), "(")
}

// notAliases lists the words, in upper case, that name no source unless AS is
// before them or they are in quotes, because they begin a clause.
var notAliases = []string{
	"AT", "SINCE", "UNTIL", "DURING", "NEAREST", "FIRST", "LATEST", "EACH", "KNOWN", "TO", "INNER", "OUTER", "CROSS",
	"NATURAL", "USING", "EXCEPT", "INTERSECT", "EVERY", "WINDOW",
}

// otherJoins lists the words with which other SQL dialects begin a kind of join. Before
// JOIN or OUTER they are not the name of a source.
var otherJoins = []string{"RIGHT", "FULL", "SEMI", "ANTI", "ASOF", "POSITIONAL", "LATERAL"}

// sourceAlias reads the name of the source s, with or without AS, if one comes
// next and s has none yet.
func (p *parser) sourceAlias(s *ast.Source) error {
	t := p.peek()
	switch {
	case s.Alias != nil, p.atAsOf():
		return nil
	case p.take("AS"):
	case t.Type == scan.Quoted:
	case p.atKey(), p.atFetch(), p.atSample():
		return nil
	case t.Type != scan.Ident, slices.Contains(notAliases, scan.Upper(t.Value)):
		return nil
	case slices.Contains(otherJoins, scan.Upper(t.Value)):
		if second := p.peekSecond(); scan.IsKeyword(second, "JOIN") || scan.IsWord(second, "OUTER") {
			return nil
		}
	}
	name, err := p.alias()
	s.Alias = name
	return err
}

// MayBeAlias reports whether word, a name without quotes, may name a source
// without AS before it.
func MayBeAlias(word string) bool { return !slices.Contains(notAliases, scan.Upper(word)) }

// ReadAsName reports whether the parser reads the word w as a name in a place where the
// grammar accepts a name. w is in upper case and not reserved. The function accepts
// reports whether the grammar accepts a token in that place. In the place for the alias of
// a source, the words that begin a clause are not names.
func ReadAsName(w string, accepts func(scan.Token) bool) bool {
	if !slices.Contains(notAliases, w) || accepts(scan.WordToken("TRUE")) {
		return true // where TRUE may come, the place is for a value or for any word
	}
	if w == "EXCEPT" || w == "INTERSECT" {
		return !accepts(scan.WordToken("UNION"))
	}
	return !accepts(scan.WordToken("JOIN")) && !(accepts(scan.WordToken("ON")) && accepts(scan.WordToken("AS")))
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
	if err := p.sourceAlias(s); err != nil {
		return err
	}
	if p.take("IN") {
		if s.Scopes, err = p.scopes(); err != nil {
			return err
		}
	}
	if scan.EqualFold(name.Text, "LINKS") && scan.IsWord(p.peek(), "TO") {
		p.next()
		if s.To, err = p.scopes(); err != nil {
			return err
		}
	}
	return p.timeOf(s)
}

// timeOf reads the time clause of the source s. An alias may come before it.
func (p *parser) timeOf(s *ast.Source) (err error) {
	if err := p.sourceAlias(s); err != nil {
		return err
	}
	s.Time, err = p.timeClause()
	return err
}

// scopes reads one or more scopes, such as 'pku.edu.cn', that are separated by
// commas. A comma before anything but a string or a parameter joins the next
// source, and scopes leaves it.
func (p *parser) scopes() ([]ast.Scope, error) {
	var list []ast.Scope
	for {
		s, err := p.scope()
		if err != nil {
			return nil, err
		}
		list = append(list, s)
		if next := p.peekSecond().Type; !scan.IsOp(p.peek(), ",") || next != scan.String && next != scan.Param {
			return list, nil
		}
		p.next()
	}
}

// joins reads the joins after the first source of the FROM of s. A comma is a CROSS JOIN.
// If the first join is a RIGHT JOIN b, it is read as b LEFT JOIN a.
func (p *parser) joins(s *ast.Select) error {
	for {
		var j ast.Join
		start := scan.StartOf(p.peek())
		right := len(s.Joins) == 0 && p.takeRight()
		found, cross, err := p.joinKind(&j)
		if err != nil || !found {
			return err
		}
		if j.Source, err = p.source(); err != nil {
			return err
		}
		if right {
			j.Left = true
			s.From, j.Source = j.Source, s.From
		}
		switch {
		case cross:
		case scan.IsWord(p.peek(), "USING"):
			p.next()
			j.Using, err = p.namesInBrackets()
		default:
			if err = p.need("ON"); err == nil {
				j.On, err = p.wholeExpr()
			}
		}
		if err != nil {
			return err
		}
		j.Span = p.span(start)
		s.Joins = append(s.Joins, j)
	}
}

// takeRight skips RIGHT [OUTER] if that and JOIN come next, and reports whether it did.
func (p *parser) takeRight() bool {
	second := p.peekSecond()
	if !scan.IsWord(p.peek(), "RIGHT") || !scan.IsKeyword(second, "JOIN") && !scan.IsWord(second, "OUTER") {
		return false
	}
	p.next()
	if scan.IsWord(p.peek(), "OUTER") {
		p.next()
	}
	return true
}

// joinKind reads the words of a join before its source, such as LEFT OUTER JOIN,
// or a comma, and sets j.Left. found reports whether a join comes next, and cross
// whether it has no condition.
func (p *parser) joinKind(j *ast.Join) (found, cross bool, err error) {
	switch {
	case p.takeOp(","):
		return true, true, nil
	case scan.IsWord(p.peek(), "CROSS"):
		p.next()
		return true, true, p.need("JOIN")
	case scan.IsWord(p.peek(), "INNER"):
		p.next()
		return true, false, p.need("JOIN")
	case p.take("LEFT"):
		j.Left = true
		if scan.IsWord(p.peek(), "OUTER") {
			p.next()
		}
		return true, false, p.need("JOIN")
	}
	return p.take("JOIN"), false, nil
}
