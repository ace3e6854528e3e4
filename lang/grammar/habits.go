package grammar

import (
	"cmp"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"

	"infomall/lang/ast"
	"infomall/lang/scan"
)

// This file reads forms of SQL that people have in their fingers. Each means
// something that the language has already, and its tree is the tree of that.

// extractUnits maps the units of EXTRACT to the functions that have other names.
var extractUnits = map[string]string{"dow": "dayofweek"}

// unitFunction returns the name of the function for a unit of EXTRACT.
func unitFunction(unit string) string {
	return cmp.Or(extractUnits[scan.Lower(unit)], unit)
}

// atExtract reports whether an expression is of the form EXTRACT(year FROM x). name is the
// token before the bracket; the next tokens are those after the bracket.
func (p *parser) atExtract(name *lexer.Token) bool {
	return scan.IsWord(name, "EXTRACT") && scan.IsWordToken(p.peek()) && scan.IsKeyword(p.peekSecond(), "FROM")
}

// extract reads EXTRACT(year FROM x), up to the bracket at its end, as year(x).
// start is where it begins.
func (p *parser) extract(start ast.Pos) (ast.Expr, error) {
	unit := scan.Name(p.next())
	unit.Text = unitFunction(unit.Text)
	p.next() // FROM
	x, err := p.expr(levelOr)
	if err == nil {
		err = p.needOp(")")
	}
	return &ast.Call{Span: p.span(start), Name: unit, Args: []ast.Expr{x}}, err
}

// sameCall gives c, a call of a function of another database, the name and arguments of the
// function here that does the same: date_part('year', x) becomes year(x), and
// to_char(x, 'YYYY-MM') becomes strftime(x, '%Y-%m'). Other calls stay as they are.
func sameCall(c *ast.Call) {
	if c.Name.Quoted {
		return
	}
	switch name := scan.Lower(c.Name.Text); {
	case name == "char_length" || name == "character_length":
		c.Name.Text = "length"
	case len(c.Args) != 2:
	case name == "date_part":
		if unit, ok := c.Args[0].(*ast.String); ok {
			c.Name.Text, c.Args = unitFunction(scan.Lower(unit.Value)), c.Args[1:]
		}
	case name == "to_char":
		if pattern, ok := c.Args[1].(*ast.String); ok {
			if format, ok := strftimePattern(pattern.Value); ok {
				c.Name.Text, c.Args[1] = "strftime", &ast.String{Span: pattern.Span, Value: format}
			}
		}
	}
}

// atWithinGroup reports whether WITHIN GROUP follows c, a call of percentile_cont or
// percentile_disc with one number.
func (p *parser) atWithinGroup(c *ast.Call) bool {
	name := scan.Lower(c.Name.Text)
	return (name == "percentile_cont" || name == "percentile_disc") && len(c.Args) == 1 && scan.IsKeyword(p.peek(), "WITHIN") && scan.IsKeyword(p.peekSecond(), "GROUP")
}

// withinGroup reads WITHIN GROUP (ORDER BY x) after c. percentile_disc(p) becomes
// quantile(x, p), and percentile_cont(0.5) becomes median(x). There is no function for other
// numbers in percentile_cont.
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
	half, _ := c.Args[0].(*ast.Number)
	switch {
	case len(by) > 1 || by[0].Desc:
	case scan.EqualFold(c.Name.Text, "PERCENTILE_DISC"):
		c.Name.Text, c.Args = "quantile", []ast.Expr{by[0].Expr, c.Args[0]}
	case half != nil && half.Float == 0.5:
		c.Name.Text, c.Args = "median", []ast.Expr{by[0].Expr}
	}
	return p.needOp(")")
}

// charPatterns are the parts of patterns of to_char, and what strftime has for them. A part
// comes before the parts that it begins with.
var charPatterns = []struct{ part, format string }{
	{"FM", ""}, {"YYYY", "%Y"}, {"YY", "%y"}, {"MM", "%m"}, {"DDD", "%j"}, {"DD", "%d"}, {"HH24", "%H"}, {"MI", "%M"}, {"SS", "%S"},
	{"Month", "%B"}, {"Mon", "%b"}, {"Day", "%A"}, {"Dy", "%a"}, {"%", "%%"},
}

// strftimePattern returns the pattern of strftime for a pattern of to_char. ok is false if
// there is none.
func strftimePattern(pattern string) (format string, ok bool) {
next:
	for pattern != "" {
		for _, p := range charPatterns {
			if rest, found := strings.CutPrefix(pattern, p.part); found {
				format, pattern = format+p.format, rest
				continue next
			}
		}
		if c := pattern[0]; c == '"' || 'A' <= c|0x20 && c|0x20 <= 'z' {
			return "", false
		}
		format, pattern = format+pattern[:1], pattern[1:]
	}
	return format, true
}

// atInterval reports whether the next token is the text of INTERVAL '7 days', of
// which name was read.
func (p *parser) atInterval(name *lexer.Token) bool {
	return scan.IsWord(name, "INTERVAL") && p.peek().Type == scan.String && durationIn(p.peek()) != nil
}

// durationIn returns the duration that t means, a token of a text such as
// '7 days', or nil if the text is no number of units.
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

// castTo returns x converted to the type that the token t names. A date is the
// start of a day.
func (p *parser) castTo(start ast.Pos, x ast.Expr, t *lexer.Token) ast.Expr {
	to := scan.Name(t)
	if scan.Lower(to.Text) != "date" || to.Quoted {
		return &ast.Cast{Span: p.span(start), X: x, Type: to}
	}
	to.Text = "time"
	return &ast.Call{
		Span: p.span(start), Name: ast.Name{Span: to.Span, Text: "date_trunc"},
		Args: []ast.Expr{&ast.String{Span: to.Span, Value: "day"}, &ast.Cast{Span: p.span(start), X: x, Type: to}},
	}
}

var copyRowsStatement = of[copyRowsSyntax]("COPY").yielding()

// copyRowsSyntax is COPY (query) TO 'file', which means EXPORT.
type copyRowsSyntax struct {
	source
	Query   querySyntax             `parser:"'COPY' '(' @@ ')'"`
	To      ast.Expr                `parser:"'TO' @@" names:"file"`
	Options []*copyRowsOptionSyntax `parser:"@@*"`
}

type copyRowsOptionSyntax struct {
	source
	Format lexer.Token `parser:"'(' 'FORMAT' @Ident ')'" names:"export format"`
}

func (s *copyRowsSyntax) tree(b *builder) ast.Statement {
	ex := &ast.Export{Span: s.span(), Query: s.Query.tree(), To: s.To}
	for _, o := range s.Options {
		once(b, o, "FORMAT", &ex.Format, optionalName(o.Format))
	}
	return ex
}
