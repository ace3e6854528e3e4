package grammar

import (
	"github.com/alecthomas/participle/v2/lexer"

	"infomall/lang/ast"
	"infomall/lang/scan"
)

var eventsStatement = of[eventsSyntax]("EVENTS", topic{"EVENTS", `
EVENTS [name] [IN scope, …] [time] [ABOUT words]
    [BY (HOUR | DAY | WEEK | MONTH)] [LANGUAGE code]
    [OF (ARTICLES | HEADLINES)]
` + helpTime + `words = 'text' | $name
code = 'text' | $name
`})

type eventsSyntax struct {
	source
	Name    lexer.Token           `parser:"'EVENTS' ( @Quoted | (?! 'AT' | 'NEAREST' | 'FIRST' | 'LATEST' | 'EACH' | 'SINCE' | 'UNTIL' | 'DURING' | 'KNOWN' | 'ABOUT' | 'LANGUAGE' | 'OF' ) @Ident )?"`
	Clauses []*eventsClauseSyntax `parser:"@@*"`
}

type eventsClauseSyntax struct {
	source
	Scopes   []*scopeSyntax `parser:"  'IN' @@ ( ',' @@ )*"`
	About    lexer.Token    `parser:"| 'ABOUT' @( String | Param )"`
	By       string         `parser:"| 'BY' @( 'HOUR' | 'DAY' | 'WEEK' | 'MONTH' )"`
	Language lexer.Token    `parser:"| 'LANGUAGE' @( String | Param )"`
	Of       string         `parser:"| 'OF' @( 'ARTICLES' | 'HEADLINES' )"`
	Time     timeSyntax     `parser:"| @@"`
}

func (s *eventsSyntax) tree(b *builder) ast.Statement {
	e := &ast.Events{Span: s.span(), Name: optionalName(s.Name)}
	for _, c := range s.Clauses {
		switch {
		case c.Scopes != nil:
			once(b, c, "IN", &e.Scopes, scopes(c.Scopes))
		case present(c.About):
			once(b, c, "ABOUT", &e.About, optionalText(c.About))
		case c.By != "":
			once(b, c, "BY", &e.By, scan.Lower(c.By))
		case present(c.Language):
			once(b, c, "LANGUAGE", &e.Language, optionalText(c.Language))
		case c.Of != "":
			once(b, c, "OF", &e.Of, scan.Lower(c.Of))
		default:
			b.addTime(c, &e.Time, c.Time)
		}
	}
	return e
}

var dropEventsStatement = of[dropEventsSyntax]("DROP EVENTS", topic{"DROP EVENTS", `
DROP EVENTS name
`})

type dropEventsSyntax struct {
	source
	Name lexer.Token `parser:"'DROP' 'EVENTS' @( Ident | Quoted )" names:"events"`
}

func (s *dropEventsSyntax) tree(*builder) ast.Statement {
	return &ast.DropEvents{Span: s.span(), Name: scan.Name(&s.Name)}
}

var traceEventStatement = of[traceEventSyntax]("TRACE EVENT", topic{"TRACE EVENT", `
TRACE EVENT words [IN scope, …] [time]
words = 'text' | $name
` + helpTime})

type traceEventSyntax struct {
	source
	Words   *textSyntax         `parser:"'TRACE' 'EVENT' @@"`
	Clauses []*traceEventClause `parser:"@@*"`
}

type traceEventClause struct {
	source
	Scopes []*scopeSyntax `parser:"  'IN' @@ ( ',' @@ )*"`
	Time   timeSyntax     `parser:"| @@"`
}

func (s *traceEventSyntax) tree(b *builder) ast.Statement {
	e := &ast.TraceEvent{Span: s.span(), Words: s.Words.expr()}
	for _, c := range s.Clauses {
		if c.Scopes != nil {
			once(b, c, "IN", &e.Scopes, scopes(c.Scopes))
		} else {
			b.addTime(c, &e.Time, c.Time)
		}
	}
	return e
}
