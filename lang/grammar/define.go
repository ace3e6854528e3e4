package grammar

import (
	"github.com/alecthomas/participle/v2/lexer"

	"infomall/lang/ast"
	"infomall/lang/scan"
)

var createStatement = of[createSyntax]("CREATE", topic{"CREATE VIEW", `
CREATE [OR REPLACE] VIEW name AS query
`}, topic{"CREATE METADATA", `
CREATE [OR REPLACE] METADATA name ON (page | version | block) AS expr
`})

// createSyntax is the syntax of CREATE VIEW and CREATE METADATA. Both branches
// repeat OR REPLACE: with OR REPLACE before the choice, the grammar could not
// look far enough ahead to choose a branch.
type createSyntax struct {
	source
	View     *viewSyntax     `parser:"'CREATE' ( 'VIEW' @@"`
	Metadata *metadataSyntax `parser:"| 'METADATA' @@"`
	Replace  *replaceSyntax  `parser:"| @@ )"`
}

type replaceSyntax struct {
	View     *viewSyntax     `parser:"'OR' 'REPLACE' ( 'VIEW' @@"`
	Metadata *metadataSyntax `parser:"| 'METADATA' @@ )"`
}

type viewSyntax struct {
	Name  lexer.Token `parser:"@( Ident | Quoted ) 'AS'"`
	Query querySyntax `parser:"@@"`
}

type metadataSyntax struct {
	Name lexer.Token `parser:"@( Ident | Quoted )"`
	On   lexer.Token `parser:"'ON' @( 'PAGE' | 'VERSION' | 'BLOCK' )"`
	Expr ast.Expr    `parser:"'AS' @@"`
}

func (s *createSyntax) tree(b *builder) ast.Statement {
	replace := s.Replace != nil
	if replace {
		s.View, s.Metadata = s.Replace.View, s.Replace.Metadata
	}
	if s.View != nil {
		return s.View.tree(b, s.span(), replace)
	}
	return s.Metadata.tree(b, s.span(), replace)
}

func (s *viewSyntax) tree(b *builder, at ast.Span, replace bool) *ast.CreateView {
	view := &ast.CreateView{Span: at, Replace: replace, Name: scan.Name(&s.Name), Query: s.Query.tree()}
	b.declared(view.Query, nil, "a view has none", "SAVE "+view.Name.String()+" ($name) AS … takes it when it is run")
	return view
}

func (s *metadataSyntax) tree(b *builder, at ast.Span, replace bool) *ast.CreateMetadata {
	m := &ast.CreateMetadata{Span: at, Replace: replace, Name: scan.Name(&s.Name), Expr: s.Expr}
	for _, on := range []ast.MetadataOn{ast.OnPage, ast.OnVersion, ast.OnBlock} {
		if scan.Lower(s.On.Value) == on.String() {
			m.On = on
		}
	}
	b.declared(m.Expr, nil, "metadata has none", "write the value itself")
	ast.Walk(m.Expr, func(n ast.Node) bool {
		if q, ok := n.(*ast.Query); ok {
			b.fail(q.Span, "metadata is made of one row, and takes no query", "CREATE VIEW names a query")
		}
		return true
	})
	return m
}

var dropViewStatement = of[dropViewSyntax]("DROP VIEW", topic{"DROP VIEW", `
DROP VIEW name
`})

type dropViewSyntax struct {
	source
	Name lexer.Token `parser:"'DROP' 'VIEW' @( Ident | Quoted )" names:"view"`
}

func (s *dropViewSyntax) tree(*builder) ast.Statement {
	return &ast.DropView{Span: s.span(), Name: scan.Name(&s.Name)}
}

var dropMetadataStatement = of[dropMetadataSyntax]("DROP METADATA", topic{"DROP METADATA", `
DROP METADATA name
`})

type dropMetadataSyntax struct {
	source
	Name lexer.Token `parser:"'DROP' 'METADATA' @( Ident | Quoted )" names:"metadata"`
}

func (s *dropMetadataSyntax) tree(*builder) ast.Statement {
	return &ast.DropMetadata{Span: s.span(), Name: scan.Name(&s.Name)}
}
