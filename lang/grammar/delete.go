package grammar

import (
	"github.com/alecthomas/participle/v2/lexer"

	"infomall/lang/ast"
	"infomall/lang/scan"
)

var deleteStatement = of[deleteSyntax]("DELETE", topic{"DELETE", `
DELETE FROM [CAPTURES IN] scope, … [range]
    [WHERE expr] [REASON why] [FOREVER [BY DIGEST]]
DELETE FROM CAPTURES [range] WHERE expr [REASON why] [FOREVER [BY DIGEST]]
` + helpScope + `range = BETWEEN t AND t | FROM t TO t | SINCE t | UNTIL t
` + helpT + `why = 'text' | $name
`})

type deleteSyntax struct {
	source
	All     lexer.Token           `parser:"'DELETE' 'FROM' ( @'CAPTURES'"`
	In      []*scopeSyntax        `parser:"  ( 'IN' @@ ( ',' @@ )* )?"`
	Scopes  []*scopeSyntax        `parser:"| @@ ( ',' @@ )* )"`
	Time    timeSyntax            `parser:"@@?"`
	Options []*deleteOptionSyntax `parser:"@@*"`
}

type deleteOptionSyntax struct {
	source
	Where    ast.Expr    `parser:"  'WHERE' @@"`
	Reason   lexer.Token `parser:"| 'REASON' @( String | Param )" names:"none"`
	Forever  bool        `parser:"| @'FOREVER'"`
	ByDigest bool        `parser:"  @( 'BY' 'DIGEST' )?"`
}

func (s *deleteSyntax) tree(b *builder) ast.Statement {
	d := &ast.Delete{Span: s.span(), Scopes: scopes(append(s.In, s.Scopes...))}
	everything := len(d.Scopes) == 0
	if everything {
		at := scan.SpanOf(&s.All)
		d.Scopes = []ast.Scope{{Span: at, From: &ast.String{Span: at, Value: "*"}}}
	}
	if s.Time != nil {
		t := s.Time.clause()
		d.Range = t.Range
		if t.Choice != nil {
			b.fail(t.Choice.Span, "DELETE takes a range of time, and no choice of versions", "name the captures by WHERE")
		}
		if t.Known != nil {
			b.fail(t.Known.At(), "DELETE removes captures that the archive has now", "write WHERE added <= …")
		}
	}
	for _, o := range s.Options {
		switch {
		case o.Where != nil && d.Where != nil:
			b.fail(o.span(), "WHERE occurs twice", "join the conditions by AND")
		case o.Where != nil:
			d.Where = o.Where
		case o.Forever:
			once(b, o, "FOREVER", &d.Forever, true)
			d.ByDigest = o.ByDigest
		default:
			once(b, o, "REASON", &d.Reason, scan.Text(&o.Reason))
		}
	}
	if everything && d.Range == nil && d.Where == nil {
		b.fail(d.Scopes[0].Span, "DELETE FROM captures needs a WHERE or a range of time", "write DELETE FROM '*' if all captures are meant")
	}
	return d
}

var allowStatement = of[allowSyntax]("ALLOW", topic{"ALLOW", `
ALLOW scope, … | ALLOW ENTRY n, …
` + helpScope + `n = 10 | $name
`})

type allowSyntax struct {
	source
	Entries []*numberSyntax `parser:"'ALLOW' ( 'ENTRY' @@ ( ',' @@ )*"`
	Scopes  []*scopeSyntax  `parser:"| @@ ( ',' @@ )* )"`
}

func (s *allowSyntax) tree(*builder) ast.Statement {
	a := &ast.Allow{Span: s.span(), Scopes: scopes(s.Scopes)}
	for _, n := range s.Entries {
		a.Entries = append(a.Entries, optionalConstant(n.Number))
	}
	return a
}

type numberSyntax struct {
	Number lexer.Token `parser:"@( Number | Param )" names:"none"`
}
