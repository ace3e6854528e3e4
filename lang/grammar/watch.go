package grammar

import (
	"slices"

	"github.com/alecthomas/participle/v2/lexer"

	"infomall/lang/ast"
	"infomall/lang/scan"
)

var watchStatement = of[watchSyntax]("WATCH", topic{"WATCH", `
WATCH name EVERY 7d [FROM START] AS query [KEY (name, …)] [THEN statement]
`}).notBelow("SCHEDULE", "WATCH")

type watchSyntax struct {
	nested
	Name  lexer.Token `parser:"'WATCH' @( Ident | Quoted )"`
	Every lexer.Token `parser:"'EVERY' @( Duration | Param | String )"`
	Start bool        `parser:"( @'FROM' 'START' 'AS' | 'AS' )"`
	Query querySyntax `parser:"@@"`
	Key   keySyntax   `parser:"@@"`
	Then  bool        `parser:"@'THEN'?"`
}

// keySyntax is the clause KEY (name, …), after parsing. Participle calls parseKey for
// struct fields of this type. The method columns returns the names; nil if the
// statement has no such clause.
type keySyntax interface{ columns() []ast.Name }

type keyNames []ast.Name

func (n keyNames) columns() []ast.Name { return n }

// parseKey reads the clause KEY (name, …). If it does not come next, parseKey returns
// an empty list.
func parseKey(lex *lexer.PeekingLexer) (keySyntax, error) {
	p := parser{lex: lex}
	var list keyNames
	if !p.atKey() {
		return list, nil
	}
	p.next()
	p.next() // the bracket
	for {
		n, err := p.someName()
		if err != nil {
			return nil, err
		}
		list = append(list, n)
		if p.takeOp(")") {
			return list, nil
		}
		if err := p.needOp(","); err != nil {
			return nil, err
		}
	}
}

// nests reports whether the statement has THEN, after which another statement comes.
func (s *watchSyntax) nests() bool { return s.Then }

// tree returns the tree of WATCH. It reports a fault to b if KEY names a column
// twice. It also reports a fault if the query has parameters, or the statement
// after THEN has other parameters than $batch, because nobody can give their
// values when the watch runs.
func (s *watchSyntax) tree(b *builder) ast.Statement {
	w := &ast.Watch{
		Span: s.span(), Name: scan.Name(&s.Name), Every: optionalDuration(b, s.Every), FromStart: s.Start, Query: s.Query.tree(),
	}
	for _, n := range s.Key.columns() {
		if slices.ContainsFunc(w.Key, func(o ast.Name) bool { return scan.EqualFold(o.Text, n.Text) }) {
			b.fail(n.Span, "column "+n.Text+" occurs twice", "")
		}
		w.Key = append(w.Key, n)
	}
	b.declared(w.Query, nil, "the query of a watch has none", "write the value itself")
	if s.inner != nil {
		w.Then = s.inner.tree(b)
		b.declared(w.Then, []string{"batch"}, "after THEN there is only $batch", "write the value itself")
	}
	return w
}

var unwatchStatement = of[unwatchSyntax]("UNWATCH", topic{"UNWATCH", `
UNWATCH name
`})

type unwatchSyntax struct {
	source
	Name lexer.Token `parser:"'UNWATCH' @( Ident | Quoted )" names:"watch"`
}

func (s *unwatchSyntax) tree(*builder) ast.Statement {
	return &ast.Unwatch{Span: s.span(), Name: scan.Name(&s.Name)}
}

var runWatchStatement = of[runWatchSyntax]("RUN WATCH", topic{"RUN WATCH", `
RUN WATCH name
`})

type runWatchSyntax struct {
	source
	Name lexer.Token `parser:"'RUN' 'WATCH' @( Ident | Quoted )" names:"watch"`
}

func (s *runWatchSyntax) tree(*builder) ast.Statement {
	return &ast.RunWatch{Span: s.span(), Name: scan.Name(&s.Name)}
}
