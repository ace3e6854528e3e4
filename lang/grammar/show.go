package grammar

import (
	"strings"

	"github.com/alecthomas/participle/v2/lexer"

	"infomall/lang/ast"
	"infomall/lang/scan"
)

var showStatement = of[showSyntax]("SHOW", topic{"SHOW", `
SHOW (RELATIONS | COLUMNS | FUNCTIONS | SETTINGS | POOLS | FILES
    | TOMBSTONES | CRAWLS | WORKERS | SCHEDULES | JOBS | HISTORY | VIEWS
    | QUERIES | METADATA | GRAPHS)
`}).yielding()

type showSyntax struct {
	source
	What lexer.Token `parser:"'SHOW' @Ident" names:"list"`
}

// otherLists maps the name that other programs use for a list, such as tables,
// to the name that SHOW uses, such as relations.
var otherLists = map[string]string{"tables": "relations", "variables": "settings", "databases": "pools"}

func (s *showSyntax) tree(*builder) ast.Statement {
	what := scan.Name(&s.What)
	what.Text = scan.Lower(what.Text)
	if ours, ok := otherLists[what.Text]; ok {
		what.Text = ours
	}
	return &ast.Show{Span: s.span(), What: what}
}

var describeStatement = of[describeSyntax]("DESCRIBE, DESC", topic{"DESCRIBE", `
(DESCRIBE | DESC) name
`})

type describeSyntax struct {
	source
	Name  lexer.Token `parser:"( 'DESCRIBE' @( Ident | Quoted )" names:"described"`
	Short lexer.Token `parser:"| 'DESC' @( Ident | Quoted ) )" names:"described"`
}

func (s *describeSyntax) tree(*builder) ast.Statement {
	if present(s.Short) {
		s.Name = s.Short
	}
	return &ast.Describe{Span: s.span(), Name: scan.Name(&s.Name)}
}

var explainStatement = of[explainSyntax]("EXPLAIN", topic{"EXPLAIN", `
EXPLAIN [ANALYZE] statement
`}).notBelow("EXPLAIN", "SCHEDULE")

type explainSyntax struct {
	nested
	Analyze bool `parser:"'EXPLAIN' @'ANALYZE'?"`
}

func (s *explainSyntax) tree(b *builder) ast.Statement {
	return &ast.Explain{Span: s.span(), Analyze: s.Analyze, Statement: s.inner.tree(b)}
}

var helpStatement = of[helpSyntax]("HELP", topic{"HELP", `
HELP [topic]
`})

type helpSyntax struct {
	source
	Topic []string `parser:"'HELP' @( Ident | Keyword )*" names:"topic"`
}

func (s *helpSyntax) tree(*builder) ast.Statement {
	return &ast.Help{Span: s.span(), Topic: scan.Upper(strings.Join(s.Topic, " "))}
}
