package grammar

import (
	"github.com/alecthomas/participle/v2/lexer"

	"infomall/lang/ast"
	"infomall/lang/scan"
)

var showStoryStatement = of[showStorySyntax]("SHOW STORY", topic{"SHOW STORY", `
SHOW STORY url [OF BLOCK identity] [range] [KNOWN AT t] [ALL]
url = 'text' | $name
identity = 'text' | $name
range = BETWEEN t AND t | FROM t TO t | SINCE t | UNTIL t | DURING t AND t
` + helpT})

type showStorySyntax struct {
	source
	URL     lexer.Token          `parser:"'SHOW' 'STORY' @( String | Param )"`
	Options []*storyOptionSyntax `parser:"@@*"`
}

type storyOptionSyntax struct {
	source
	Block lexer.Token `parser:"  'OF' 'BLOCK' @( String | Param )" names:"none"`
	All   bool        `parser:"| @'ALL'"`
	Known moment      `parser:"| 'KNOWN' 'AT' @@"`
	Range rangeSyntax `parser:"| @@"`
}

func (s *showStorySyntax) tree(b *builder) ast.Statement {
	st := &ast.ShowStory{Span: s.span(), URL: scan.Text(&s.URL)}
	for _, o := range s.Options {
		switch {
		case o.Range != nil:
			once(b, o, "a range of time", &st.Range, o.Range.of())
		case o.Known != nil:
			once(b, o, "KNOWN AT", &st.Known, ast.Expr(o.Known))
		case o.All:
			once(b, o, "ALL", &st.All, true)
		default:
			once(b, o, "OF BLOCK", &st.Block, scan.Text(&o.Block))
		}
	}
	return st
}
