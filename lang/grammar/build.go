package grammar

import (
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"

	"infomall/lang/ast"
	"infomall/lang/scan"
)

// builder collects the faults that a statement has although the grammar accepts
// it: a clause that occurs twice, or a word that is not in a set.
type builder struct {
	err *ast.Error // the first fault found
}

func (b *builder) fail(at ast.Span, msg, hint string) {
	if b.err == nil {
		b.err = &ast.Error{Span: at, Msg: msg, Hint: hint}
	}
}

// once sets *dst to v for the clause o, which begins with word. If another
// clause has set *dst before, that is a fault.
func once[T any](b *builder, o interface{ span() ast.Span }, word string, dst *T, v T) {
	b.twice(o, word, !reflect.ValueOf(dst).Elem().IsZero())
	*dst = v
}

// twice reports a fault at the clause o, which begins with word, if the
// statement has one already.
func (b *builder) twice(o interface{ span() ast.Span }, word string, already bool) {
	if already {
		b.fail(o.span(), word+" stands twice", "")
	}
}

// addTime adds the range, the choice or both of the clause o to a time clause.
// It is a fault if the time clause already has that part.
func (b *builder) addTime(o interface{ span() ast.Span }, to *ast.TimeClause, s timeSyntax) {
	t := s.clause()
	b.twice(o, "the time clause", to.Range != nil && t.Range != nil || to.Choice != nil && t.Choice != nil)
	if t.Range != nil {
		to.Range = t.Range
	}
	if t.Choice != nil {
		to.Choice = t.Choice
	}
}

// declared reports a fault for each parameter below n that is not in names. why
// is the reason and hint the remedy; "$name" in hint is replaced by the
// parameter's name.
func (b *builder) declared(n ast.Node, names []string, why, hint string) {
	ast.Walk(n, func(n ast.Node) bool {
		if p, ok := n.(*ast.Param); ok && !slices.Contains(names, p.Name) {
			b.fail(p.Span, "parameter $"+p.Name+": "+why, strings.ReplaceAll(hint, "$name", p.Name))
		}
		return b.err == nil
	})
}

// present reports whether the source has the optional token t.
func present(t lexer.Token) bool { return t.Type != 0 }

func optionalName(t lexer.Token) *ast.Name {
	if !present(t) {
		return nil
	}
	n := scan.Name(&t)
	return &n
}

// optionalText returns the string or parameter of t, or nil if t is absent.
func optionalText(t lexer.Token) ast.Expr {
	if !present(t) {
		return nil
	}
	return scan.Text(&t)
}

// optionalConstant returns the number or parameter of t, or nil if t is absent.
func optionalConstant(t lexer.Token) ast.Expr {
	if !present(t) {
		return nil
	}
	return scan.Literal(&t)
}

// textSyntax is a string or a parameter.
type textSyntax struct {
	Text lexer.Token `parser:"@( String | Param )"`
}

func (s *textSyntax) expr() ast.Expr { return scan.Text(&s.Text) }

func texts(list []*textSyntax) []ast.Expr {
	var out []ast.Expr
	for _, t := range list {
		out = append(out, t.expr())
	}
	return out
}

type scopeSyntax struct {
	From lexer.Token `parser:"@( String | Param )"`
	To   lexer.Token `parser:"( '..' @( String | Param ) )?"`
}

func scopes(list []*scopeSyntax) []ast.Scope {
	var out []ast.Scope
	for _, s := range list {
		sc := ast.Scope{Span: scan.SpanOf(&s.From), From: scan.Text(&s.From)}
		if present(s.To) {
			sc.To = scan.Text(&s.To)
			sc.End = scan.EndOf(&s.To)
		}
		out = append(out, sc)
	}
	return out
}
