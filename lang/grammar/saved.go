package grammar

import (
	"slices"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"

	"infomall/lang/ast"
	"infomall/lang/scan"
)

var saveStatement = of[saveSyntax]("SAVE", topic{"SAVE", `
SAVE name [(name, …)] AS query
`})

type saveSyntax struct {
	source
	Name   lexer.Token `parser:"'SAVE' @( Ident | Quoted )"`
	Params namesSyntax `parser:"@@ 'AS'"`
	Query  querySyntax `parser:"@@"`
}

// tree returns the tree of SAVE. It reports a fault to b if the query uses a
// parameter that the list of SAVE does not have, or if the list has a parameter
// twice.
func (s *saveSyntax) tree(b *builder) ast.Statement {
	save := &ast.Save{Span: s.span(), Name: scan.Name(&s.Name), Query: s.Query.tree()}
	var names []string
	for _, n := range s.Params.list() {
		if slices.Contains(names, n.Text) {
			b.fail(n.Span, "parameter "+n.Text+" occurs twice", "")
		}
		save.Params, names = append(save.Params, n), append(names, n.Text)
	}
	list := strings.Join(append(slices.Clone(names), "$name"), ", ")
	b.declared(save.Query, names, "SAVE does not list it", "write SAVE "+save.Name.String()+" ("+list+") AS …")
	return save
}

var runStatement = of[runSyntax]("RUN", topic{"RUN", `
RUN (name | file) [(argument, …)] [KNOWN AT t]
file = 'text' | $name
argument = name = value
` + helpValue + helpT})

type runSyntax struct {
	source
	File lexer.Token     `parser:"'RUN' ( @( String | Param )" names:"file"`
	Name lexer.Token     `parser:"| @( Ident | Quoted ) )" names:"query"`
	Args argumentsSyntax `parser:"@@" names:"param"`
	// Known is the time after KNOWN AT.
	Known moment `parser:"( 'KNOWN' 'AT' @@ )?"`
}

func (s *runSyntax) tree(b *builder) ast.Statement {
	run := &ast.Run{Span: s.span(), Name: optionalName(s.Name), File: optionalText(s.File)}
	for _, arg := range s.Args.list() {
		if slices.ContainsFunc(run.Args, func(o ast.Arg) bool { return o.Name.Text == arg.Name.Text }) {
			b.fail(arg.Span, "parameter "+arg.Name.Text+" occurs twice", "")
		}
		run.Args = append(run.Args, arg)
	}
	if s.Known != nil {
		run.Known = s.Known
	}
	return run
}
