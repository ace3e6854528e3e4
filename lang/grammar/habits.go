package grammar

import (
	"strconv"

	"github.com/alecthomas/participle/v2/lexer"

	"infomall/lang/ast"
	"infomall/lang/scan"
)

// This file reads forms of SQL that people type by habit. Each means the same as
// another form of this language, and gets the syntax tree of that form.

// unitFormats maps a unit of EXTRACT to the pattern of strftime that has its number.
var unitFormats = map[string]string{
	"week": "%V", "isoweek": "%V", "weekofyear": "%V", "doy": "%j", "dayofyear": "%j",
	"isodow": "%u", "minute": "%M", "second": "%S", "isoyear": "%G",
}

// unitOf returns the expression for EXTRACT(unit FROM x): a function with the name of the unit,
// such as year(x), or else the number that strftime has for it. span is the place of the unit.
func unitOf(span ast.Span, unit string, x ast.Expr) ast.Expr {
	call := func(name string, args ...ast.Expr) *ast.Call {
		return &ast.Call{Span: span, Name: ast.Name{Span: span, Text: name}, Args: args}
	}
	switch unit = scan.Lower(unit); {
	case unit == "dow":
		return call("dayofweek", x)
	case unit == "decade":
		return &ast.Binary{Span: span, Op: "//", OpAt: span, X: call("year", x), Y: wholeNumber(span, 10)}
	case unit == "century":
		years := &ast.Binary{Span: span, Op: "+", OpAt: span, X: call("year", x), Y: wholeNumber(span, 99)}
		return &ast.Binary{Span: span, Op: "//", OpAt: span, X: years, Y: wholeNumber(span, 100)}
	case unit == "quarter":
		later := &ast.Binary{Span: span, Op: "+", OpAt: span, X: call("month", x), Y: wholeNumber(span, 2)}
		return &ast.Binary{Span: span, Op: "//", OpAt: span, X: later, Y: wholeNumber(span, 3)}
	case unitFormats[unit] != "":
		text := call("strftime", x, &ast.String{Span: span, Value: unitFormats[unit]})
		return &ast.Cast{Span: span, X: text, Type: ast.Name{Span: span, Text: "int"}}
	}
	return call(unit, x)
}

// wholeNumber returns the constant n, at the place span.
func wholeNumber(span ast.Span, n int64) *ast.Number {
	return &ast.Number{Span: span, Text: strconv.FormatInt(n, 10), Int: n, Float: float64(n), IsInt: true}
}

// atExtract reports whether an expression is of the form EXTRACT(year FROM x). name is the
// token before the bracket; the next tokens are those after the bracket.
func (p *parser) atExtract(name *lexer.Token) bool {
	return scan.IsWord(name, "EXTRACT") && scan.IsWordToken(p.peek()) && scan.IsKeyword(p.peekSecond(), "FROM")
}

// extract reads EXTRACT(year FROM x), up to the bracket at its end, as year(x). start is
// the position of EXTRACT.
func (p *parser) extract(start ast.Pos) (ast.Expr, error) {
	unit := scan.Name(p.next())
	p.next() // FROM
	x, err := p.expr(levelOr)
	if err == nil {
		err = p.needOp(")")
	}
	if c, ok := unitOf(unit.Span, unit.Text, x).(*ast.Call); ok {
		c.Span = p.span(start)
		return c, err
	}
	return unitOf(p.span(start), unit.Text, x), err
}

// substringFrom reads what follows x in SUBSTRING(x FROM start FOR length), where FOR may be
// missing, and in SUBSTRING(x FROM 'pattern'). SUBSTRING(x FROM start FOR length) becomes
// substr(x, start, length). The form with a pattern becomes regexp_extract(x, 'pattern'), or, if
// the pattern has a group, regexp_extract(x, 'pattern', 1).
func (p *parser) substringFrom(c *ast.Call) error {
	if c.Name.Quoted || !scan.EqualFold(c.Name.Text, "SUBSTRING") || len(c.Args) != 1 || c.Distinct || !p.take("FROM") {
		return nil
	}
	from, err := p.expr(levelOr)
	if err != nil {
		return err
	}
	c.Args = append(c.Args, from)
	if pattern, ok := from.(*ast.String); ok {
		c.Name.Text = "regexp_extract"
		if hasGroup(pattern.Value) {
			c.Args = append(c.Args, wholeNumber(pattern.Span, 1))
		}
		return nil
	}
	if scan.IsWord(p.peek(), "FOR") {
		p.next()
		length, err := p.expr(levelOr)
		if err != nil {
			return err
		}
		c.Args = append(c.Args, length)
	}
	return nil
}

// atWithinGroup reports whether WITHIN GROUP follows c, a call of percentile_cont or
// percentile_disc with one number.
func (p *parser) atWithinGroup(c *ast.Call) bool {
	name := scan.Lower(c.Name.Text)
	return (name == "percentile_cont" || name == "percentile_disc") && len(c.Args) == 1 && scan.IsKeyword(p.peek(), "WITHIN") && scan.IsKeyword(p.peekSecond(), "GROUP")
}

// withinGroup reads WITHIN GROUP (ORDER BY x) after c. percentile_disc(p) becomes
// quantile(x, p), and percentile_cont(p) becomes quantile_cont(x, p).
func (p *parser) withinGroup(c *ast.Call) error {
	p.next()
	p.next() // GROUP
	if err := p.needOp("("); err != nil {
		return err
	}
	if err := p.need("ORDER"); err != nil {
		return err
	}
	by, err := p.order()
	if err != nil {
		return err
	}
	function := "quantile_cont"
	if scan.EqualFold(c.Name.Text, "PERCENTILE_DISC") {
		function = "quantile"
	}
	if len(by) == 1 && !by[0].Desc {
		c.Name.Text, c.Args = function, []ast.Expr{by[0].Expr, c.Args[0]}
	}
	return p.needOp(")")
}

// distinctFrom reads FROM y after x IS [NOT] DISTINCT. It returns an expression that is
// true if x and y differ, where NULL equals NULL and differs from all else. If the
// parameter not is set, the expression is true if x and y do not differ.
func (p *parser) distinctFrom(x ast.Expr, start ast.Pos, not bool) (ast.Expr, error) {
	at := scan.SpanOf(p.last)
	if err := p.need("FROM"); err != nil {
		return nil, err
	}
	y, err := p.expr(levelConcat)
	if err != nil {
		return nil, err
	}
	compare, join := "<>", "OR"
	if not {
		compare, join = "=", "AND"
	}
	isNull := func(x ast.Expr) ast.Expr { return &ast.Is{Span: at, Not: !not, X: x, What: &ast.Null{Span: at}} }
	nulls := &ast.Binary{Span: at, Op: join, OpAt: at, X: isNull(x), Y: isNull(y)}
	return &ast.Call{Span: p.span(start), Name: ast.Name{Span: at, Text: "coalesce"}, Args: []ast.Expr{
		&ast.Binary{Span: p.span(start), Op: compare, OpAt: at, X: x, Y: y}, nulls,
	}}, nil
}

// windowUse is one OVER name in a query, where name is a window that the clause WINDOW defines.
type windowUse struct {
	name   ast.Name
	window *ast.Window // is filled when WINDOW is read
}

// atWindow reports whether WINDOW and a name come next. Otherwise WINDOW may be an alias.
func (p *parser) atWindow() bool {
	if !scan.IsWord(p.peek(), "WINDOW") {
		return false
	}
	second := p.peekSecond()
	return second.Type == scan.Ident || second.Type == scan.Quoted
}

// atOverName reports whether OVER and a name come next. OVER alone is an alias.
func (p *parser) atOverName() bool {
	if !scan.IsWord(p.peek(), "OVER") {
		return false
	}
	second := p.peekSecond()
	return second.Type == scan.Ident || second.Type == scan.Quoted
}

// namedWindow reads the name of a window after OVER. It returns an empty window, which windows
// fills in when it has read the clause WINDOW.
func (p *parser) namedWindow() *ast.Window {
	name := scan.Name(p.next())
	w := &ast.Window{Span: name.Span}
	p.named = append(p.named, windowUse{name: name, window: w})
	return w
}

// windows reads the clause WINDOW name AS (…), …, if it comes next, and fills in the
// windows to which OVER name in the current SELECT refers. The parameter before is the
// length of p.named at the start of this SELECT. A name that WINDOW does not define is an
// error.
func (p *parser) windows(before int) error {
	defined := map[string]*ast.Window{}
	for more := scan.IsWord(p.peek(), "WINDOW"); more; more = p.takeOp(",") {
		if scan.IsWord(p.peek(), "WINDOW") {
			p.next()
		}
		if t := p.peek(); t.Type != scan.Ident && t.Type != scan.Quoted {
			return p.unexpected()
		}
		name := scan.Name(p.next())
		if err := p.need("AS"); err != nil {
			return err
		}
		if !scan.IsOp(p.peek(), "(") {
			return p.unexpected()
		}
		w, err := p.window()
		if err != nil {
			return err
		}
		defined[scan.Lower(name.Text)] = w
	}
	return p.fillWindows(before, defined)
}

// fillWindows fills in the window of each OVER name in p.named[before:], and removes these
// elements from p.named. defined has the windows of the clause WINDOW by name, in lower
// case. A name that is not in defined is an error.
func (p *parser) fillWindows(before int, defined map[string]*ast.Window) error {
	for _, use := range p.named[before:] {
		w := defined[scan.Lower(use.name.Text)]
		if w == nil {
			e := ast.Errorf(use.name, "no window %q", use.name.Text)
			e.Hint = "write the window in brackets: OVER (PARTITION BY x ORDER BY y), or WINDOW " + use.name.String() + " AS (…) before ORDER BY"
			return explained{e}
		}
		use.window.PartitionBy, use.window.OrderBy = w.PartitionBy, w.OrderBy
	}
	p.named = p.named[:before]
	return nil
}

// atInterval reports whether the next token is the text in INTERVAL '7 days'. name is the token
// before, which must be INTERVAL.
func (p *parser) atInterval(name *lexer.Token) bool {
	return scan.IsWord(name, "INTERVAL") && p.peek().Type == scan.String && durationIn(p.peek()) != nil
}

// durationIn returns the duration that t means, such as 7d for a token of the text '7 days'. It
// returns nil if the text is not a number with a unit.
func durationIn(t *lexer.Token) *ast.Duration {
	short := scan.ShortDuration(scan.Unquote(t.Value, "'"))
	if short == "" {
		return nil
	}
	at := *t
	at.Type, at.Value = scan.Duration, short
	d := scan.Literal(&at).(*ast.Duration)
	d.Span = scan.SpanOf(t)
	return d
}

// optionalDuration returns the duration, or the parameter, that t means, or nil if t
// is absent. A text, such as '1 day', must be a number of units.
func optionalDuration(b *builder, t lexer.Token) ast.Expr {
	if t.Type != scan.String {
		return optionalConstant(t)
	}
	d := durationIn(&t)
	if d == nil {
		b.fail(scan.SpanOf(&t), t.Value+" is no length of time", "write 7d, 2h or 3mo")
		return nil
	}
	return d
}

// typeLength reads the brackets in varchar(10) and numeric(10, 2), which mean nothing here: a
// text has any length, and a number all its digits.
func (p *parser) typeLength() error {
	if !scan.IsOp(p.peek(), "(") || p.peekSecond().Type != scan.Number {
		return nil
	}
	p.next()
	for {
		if p.peek().Type != scan.Number {
			return p.unexpected()
		}
		p.next()
		if !p.takeOp(",") {
			return p.needOp(")")
		}
	}
}

// castTo returns x converted to the type that the token t names. A date is the
// start of a day, and '7 days'::interval is 7d.
func (p *parser) castTo(start ast.Pos, x ast.Expr, t *lexer.Token) ast.Expr {
	to := scan.Name(t)
	if text, ok := x.(*ast.String); ok && scan.Lower(to.Text) == "interval" && !to.Quoted {
		at := lexer.Token{Type: scan.String, Value: "'" + text.Value + "'", Pos: lexer.Position(text.Start)}
		if d := durationIn(&at); d != nil {
			return d
		}
	}
	if scan.Lower(to.Text) != "date" || to.Quoted {
		return &ast.Cast{Span: p.span(start), X: x, Type: to}
	}
	return dayOf(to.Span, x)
}

// dayOf returns the expression date_trunc('day', x), the start of the day of x, which is a
// time or a text. All new nodes get the span at.
func dayOf(at ast.Span, x ast.Expr) ast.Expr {
	return &ast.Call{
		Span: at, Name: ast.Name{Span: at, Text: "date_trunc"},
		Args: []ast.Expr{&ast.String{Span: at, Value: "day"}, &ast.Cast{Span: at, X: x, Type: ast.Name{Span: at, Text: "time"}}},
	}
}

// atTimeText reports whether the next token is the text in DATE '2008-06-15' or TIMESTAMP '…'.
// name is the token before.
func (p *parser) atTimeText(name *lexer.Token) bool {
	return (scan.IsWord(name, "DATE") || scan.IsWord(name, "TIMESTAMP")) && p.peek().Type == scan.String
}

// timeText reads the text in DATE '2008-06-15' and returns the time that it means.
func (p *parser) timeText(name *lexer.Token) ast.Expr {
	text := scan.Literal(p.next())
	return &ast.Cast{Span: p.span(scan.StartOf(name)), X: text, Type: ast.Name{Span: scan.SpanOf(name), Text: "time"}}
}

// atLeft reports whether the next tokens begin left(x, n), although LEFT is reserved.
func (p *parser) atLeft() bool {
	return scan.IsKeyword(p.peek(), "LEFT") && scan.IsOp(p.peekSecond(), "(")
}

// left reads left(x, n) as substr(x, 1, n).
func (p *parser) left() (ast.Expr, error) {
	at := scan.SpanOf(p.next())
	p.next() // the bracket
	args, err := p.list()
	if err != nil {
		return nil, err
	}
	if len(args) != 2 {
		return nil, p.unexpected()
	}
	if err := p.needOp(")"); err != nil {
		return nil, err
	}
	one := &ast.Number{Span: at, Text: "1", Int: 1, Float: 1, IsInt: true}
	return &ast.Call{Span: p.span(at.Start), Name: ast.Name{Span: at, Text: "substr"}, Args: []ast.Expr{args[0], one, args[1]}}, nil
}

var copyRowsStatement = of[copyRowsSyntax]("COPY").yielding()

// copyRowsSyntax is COPY (query) TO 'file', which means EXPORT, or COPY relation (column, …) TO 'file'.
// TO STDOUT means the query itself, and COPY ARCHIVE means COPY POOL ALL.
type copyRowsSyntax struct {
	source
	Query   querySyntax             `parser:"'COPY' ( '(' @@ ')'"`
	From    lexer.Token             `parser:"| (?! 'POOL' ) @( Ident | Quoted )" names:"relation"`
	Columns []*copyColumnSyntax     `parser:"  ( '(' @@ ( ',' @@ )* ')' )? )"`
	To      ast.Expr                `parser:"'TO' @@" names:"file"`
	Options []*copyRowsOptionSyntax `parser:"@@*"`
}

type copyColumnSyntax struct {
	Name lexer.Token `parser:"@( Ident | Quoted )" names:"column"`
}

type copyRowsOptionSyntax struct {
	source
	Format lexer.Token `parser:"'WITH'? ( '(' 'FORMAT' @Ident ( ',' 'HEADER' 'TRUE'? )? ')'" names:"export format"`
	CSV    lexer.Token `parser:"| @'CSV' 'HEADER'? )"`
}

func (s *copyRowsSyntax) tree(b *builder) ast.Statement {
	if to, ok := s.To.(*ast.String); ok && s.Columns == nil && len(s.Options) == 0 && scan.IsWord(&s.From, "ARCHIVE") {
		return &ast.CopyPool{Span: s.span(), To: to}
	}
	ex := &ast.Export{Span: s.span(), To: s.To}
	if s.Query != nil {
		ex.Query = s.Query.tree()
	} else {
		ex.Query = s.rows()
	}
	if to, ok := s.To.(*ast.Column); ok && to.Qualifier == nil && !to.Name.Quoted && scan.EqualFold(to.Name.Text, "STDOUT") {
		return ex.Query
	}
	for _, o := range s.Options {
		format := o.Format
		if o.CSV.Value != "" {
			format = o.CSV
		}
		once(b, o, "FORMAT", &ex.Format, optionalName(format))
	}
	return ex
}

// rows returns SELECT column, … FROM relation, or SELECT * without columns.
func (s *copyRowsSyntax) rows() *ast.Query {
	relation := scan.Name(&s.From)
	at := relation.Span
	sel := &ast.Select{Span: at, From: &ast.Source{Span: at, Relation: &relation}}
	for _, c := range s.Columns {
		column := scan.Name(&c.Name)
		sel.Items = append(sel.Items, ast.Item{Span: column.Span, Expr: &ast.Column{Span: column.Span, Name: column}})
	}
	if len(sel.Items) == 0 {
		sel.Items = []ast.Item{{Span: at, Star: true}}
	}
	return &ast.Query{Span: at, Select: sel}
}
