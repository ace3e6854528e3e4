package grammar

import (
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"

	"infomall/lang/ast"
	"infomall/lang/scan"
)

// builder collects the faults (errors of the writer) that a statement has
// although the grammar accepts it: a clause that occurs twice, or a word that
// is not in a set.
type builder struct {
	err *ast.Error // the first fault found
}

func (b *builder) fail(at ast.Span, msg, hint string) {
	if b.err == nil {
		b.err = &ast.Error{Span: at, Msg: msg, Hint: hint}
	}
}

// once sets *dst to v, the value of the clause o, which begins with the given
// word. If *dst is not the zero value, an earlier clause has set it, and once
// reports a fault at o.
func once[T any](b *builder, o interface{ span() ast.Span }, word string, dst *T, v T) {
	b.twice(o, word, !reflect.ValueOf(dst).Elem().IsZero())
	*dst = v
}

// twice reports a fault at the clause o, which begins with the given word, if
// the flag already is set: the statement has such a clause before.
func (b *builder) twice(o interface{ span() ast.Span }, word string, already bool) {
	if already {
		b.fail(o.span(), word+" occurs twice", "")
	}
}

// addTime adds the range, the choice and the KNOWN AT of s to the time clause in the
// parameter to. If that time clause already has the same part, addTime reports a fault at
// o, the clause of the statement that s was read from.
func (b *builder) addTime(o interface{ span() ast.Span }, to *ast.TimeClause, s timeSyntax) {
	t := s.clause()
	b.twice(o, "the time clause", to.Range != nil && t.Range != nil || to.Choice != nil && t.Choice != nil || to.Known != nil && t.Known != nil)
	if t.Range != nil {
		to.Range = t.Range
	}
	if t.Choice != nil {
		to.Choice = t.Choice
	}
	if t.Known != nil {
		to.Known = t.Known
	}
}

// declared reports a fault for the first parameter in the tree n that is not in
// names. The parameter why is the reason and hint the remedy; "$name" in hint
// is replaced by the name of the parameter.
func (b *builder) declared(n ast.Node, names []string, why, hint string) {
	ast.Walk(n, func(n ast.Node) bool {
		if p, ok := n.(*ast.Param); ok && !slices.Contains(names, p.Name) {
			b.fail(p.Span, "parameter $"+p.Name+": "+why, strings.ReplaceAll(hint, "$name", p.Name))
		}
		return b.err == nil
	})
}

// present reports whether the writer gave the optional token t. A token that is
// absent has the zero Type.
func present(t lexer.Token) bool { return t.Type != 0 }

func optionalName(t lexer.Token) *ast.Name {
	if !present(t) {
		return nil
	}
	n := scan.Name(&t)
	return &n
}

// optionalText returns the string or the parameter that t means, or nil if t is
// absent.
func optionalText(t lexer.Token) ast.Expr {
	if !present(t) {
		return nil
	}
	return scan.Text(&t)
}

// optionalConstant returns the number or other constant, or the parameter, that
// t means, or nil if t is absent.
func optionalConstant(t lexer.Token) ast.Expr {
	if !present(t) {
		return nil
	}
	return scan.Literal(&t)
}

// textSyntax is a string or a parameter in a statement, as participle has read
// it.
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
