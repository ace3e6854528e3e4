package grammar

import (
	"strings"

	"github.com/alecthomas/participle/v2/lexer"

	"infomall/lang/ast"
	"infomall/lang/scan"
)

var showPageStatement = of[showPageSyntax]("SHOW PAGE", topic{"SHOW PAGE", `
SHOW PAGE url [AT t | AS OF t] [KNOWN AT t]
    [AS (text | html | raw | wire | headers | blocks)]
url = 'text' | $name
` + helpT})

type showPageSyntax struct {
	source
	URL     lexer.Token         `parser:"'SHOW' 'PAGE' @( String | Param )"`
	Options []*pageOptionSyntax `parser:"@@*"`
}

type pageOptionSyntax struct {
	source
	At    moment      `parser:"  ( 'AT' | 'AS' 'OF' ) @@"`
	Known moment      `parser:"| 'KNOWN' 'AT' @@"`
	Form  lexer.Token `parser:"| 'AS' @Ident" names:"form"`
}

func (s *showPageSyntax) tree(b *builder) ast.Statement {
	page := &ast.ShowPage{Span: s.span(), URL: scan.Text(&s.URL)}
	for _, o := range s.Options {
		switch {
		case o.At != nil:
			once(b, o, "AT", &page.Time, ast.Expr(o.At))
		case o.Known != nil:
			once(b, o, "KNOWN AT", &page.Known, ast.Expr(o.Known))
		default:
			b.twice(o, "AS", page.Form != ast.PageDefault)
			page.Form = b.pageForm(o.Form)
		}
	}
	return page
}

// pageForms are the forms of SHOW PAGE … AS.
var pageForms = []ast.PageForm{ast.PageText, ast.PageHTML, ast.PageRaw, ast.PageWire, ast.PageHeaders, ast.PageBlocks}

func (b *builder) pageForm(t lexer.Token) ast.PageForm {
	var words []string
	for _, f := range pageForms {
		if scan.EqualFold(t.Value, strings.ToUpper(f.String())) {
			return f
		}
		words = append(words, f.String())
	}
	hint := "forms are " + strings.Join(words, ", ")
	if near := ast.Nearest(t.Value, words); near != "" {
		hint = "did you mean " + near + "?"
	}
	b.fail(scan.SpanOf(&t), "no page form "+t.Value, hint)
	return ast.PageDefault
}

var showRobotsStatement = of[showRobotsSyntax]("SHOW ROBOTS", topic{"SHOW ROBOTS", `
SHOW ROBOTS url [AGENT agent] [AT t | AS OF t] [KNOWN AT t]
url = 'text' | $name
agent = 'text' | $name
` + helpT}).timeFirst()

type showRobotsSyntax struct {
	source
	URL     lexer.Token           `parser:"'SHOW' 'ROBOTS' @( String | Param )"`
	Options []*robotsOptionSyntax `parser:"@@*"`
}

type robotsOptionSyntax struct {
	source
	Agent *textSyntax `parser:"  'AGENT' @@"`
	At    moment      `parser:"| ( 'AT' | 'AS' 'OF' ) @@"`
	Known moment      `parser:"| 'KNOWN' 'AT' @@"`
}

func (s *showRobotsSyntax) tree(b *builder) ast.Statement {
	r := &ast.ShowRobots{Span: s.span(), URL: scan.Text(&s.URL)}
	for _, o := range s.Options {
		switch {
		case o.Agent != nil:
			once(b, o, "AGENT", &r.Agent, o.Agent.expr())
		case o.Known != nil:
			once(b, o, "KNOWN AT", &r.Known, ast.Expr(o.Known))
		default:
			once(b, o, "AT", &r.Time, ast.Expr(o.At))
		}
	}
	return r
}

var diffStatement = of[diffSyntax]("DIFF", topic{"DIFF", `
DIFF url [FROM t] [TO t] [KNOWN AT t]
url = 'text' | $name
` + helpT})

type diffSyntax struct {
	source
	URL   lexer.Token         `parser:"'DIFF' @( String | Param )"`
	Times []*diffMomentSyntax `parser:"@@*"`
}

type diffMomentSyntax struct {
	source
	From  moment `parser:"  'FROM' @@"`
	To    moment `parser:"| 'TO' @@"`
	Known moment `parser:"| 'KNOWN' 'AT' @@"`
}

func (s *diffSyntax) tree(b *builder) ast.Statement {
	d := &ast.Diff{Span: s.span(), URL: scan.Text(&s.URL)}
	for _, t := range s.Times {
		switch {
		case t.From != nil:
			once(b, t, "FROM", &d.From, ast.Expr(t.From))
		case t.Known != nil:
			once(b, t, "KNOWN AT", &d.Known, ast.Expr(t.Known))
		default:
			once(b, t, "TO", &d.To, ast.Expr(t.To))
		}
	}
	return d
}
