package grammar

import (
	"github.com/alecthomas/participle/v2/lexer"

	"infomall/lang/ast"
	"infomall/lang/scan"
)

// This file reads forms of SQL that people have in their fingers. Each means
// something that the language has already, and its tree is the tree of that.

// extractUnits maps the units of EXTRACT to the functions that have other names.
var extractUnits = map[string]string{"dow": "dayofweek"}

// atExtract reports whether an expression is of the form EXTRACT(year FROM x). name is the
// token before the bracket; the next tokens are those after the bracket.
func (p *parser) atExtract(name *lexer.Token) bool {
	return scan.IsWord(name, "EXTRACT") && scan.IsWordToken(p.peek()) && scan.IsKeyword(p.peekSecond(), "FROM")
}

// extract reads EXTRACT(year FROM x), up to the bracket at its end, as year(x).
// start is where it begins.
func (p *parser) extract(start ast.Pos) (ast.Expr, error) {
	unit := scan.Name(p.next())
	if other, ok := extractUnits[scan.Lower(unit.Text)]; ok {
		unit.Text = other
	}
	p.next() // FROM
	x, err := p.expr(levelOr)
	if err == nil {
		err = p.needOp(")")
	}
	return &ast.Call{Span: p.span(start), Name: unit, Args: []ast.Expr{x}}, err
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
