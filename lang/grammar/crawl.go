package grammar

import (
	"strings"

	"github.com/alecthomas/participle/v2/lexer"

	"infomall/lang/ast"
	"infomall/lang/scan"
)

var crawlStatement = of[crawlSyntax]("CRAWL", topic{"CRAWL", `
CRAWL (url, … | (query) | DUE [IN scope, …])
    [DEPTH n] [LIMIT (n PAGES | 10 | 64KB | 7d), …]
    [WITHIN scope, …] [EXCLUDE (scope | ~ 'text'), …]
    [FOR words] [EXPAND WHERE expr [THROUGH n]]
    [ORDER (BFS | BEST | RANDOM)] [WORKERS n] [DELAY 7d] [RATE 64KB]
    [AGENT agent] [PROXY url] [WITH REQUISITES]
    [FORMS field, …] [IGNORE ROBOTS]
    [ALLOW PRIVATE] [TRAPS (OFF | LIMIT n)] [FROM ARCHIVE [AT t]]
    [RENDER [WHEN expr] [WITH n BROWSERS] [SCREENSHOT]] [PROFILE folder]
    [ON server] [AS (name | 'text' || $name)]
url = 'text' | $name
folder = 'text' | $name
server = 'text' | $name
agent = 'text' | $name
words = 'text' | $name
` + helpFields + helpT + `n = 10 | $name
` + helpScope}).timeFirst()

type crawlSyntax struct {
	source
	Due     bool                 `parser:"'CRAWL' ( @'DUE'"`
	In      []*scopeSyntax       `parser:"  ( 'IN' @@ ( ',' @@ )* )?"`
	Query   querySyntax          `parser:"| '(' @@ ')'"`
	Seeds   []*textSyntax        `parser:"| @@ ( ',' @@ )* )"`
	Clauses []*crawlClauseSyntax `parser:"@@*"`
}

type crawlClauseSyntax struct {
	source
	Depth      lexer.Token         `parser:"  'DEPTH' @( Number | Param )"`
	Limits     []*crawlLimitSyntax `parser:"| 'LIMIT' @@ ( ',' @@ )*"`
	Within     []*scopeSyntax      `parser:"| 'WITHIN' @@ ( ',' @@ )*"`
	Exclude    []*excludeSyntax    `parser:"| 'EXCLUDE' @@ ( ',' @@ )*"`
	Expand     ast.Expr            `parser:"| 'EXPAND' 'WHERE' @@"`
	Through    lexer.Token         `parser:"  ( 'THROUGH' @( Number | Param ) )?"`
	Order      lexer.Token         `parser:"| 'ORDER' @( 'BFS' | 'BEST' | 'RANDOM' )"`
	Workers    lexer.Token         `parser:"| 'WORKERS' @( Number | Param )"`
	Delay      lexer.Token         `parser:"| 'DELAY' @( Duration | Param )"`
	Rate       lexer.Token         `parser:"| 'RATE' @( Size | Param )"`
	Agent      *textSyntax         `parser:"| 'AGENT' @@"`
	Proxy      *textSyntax         `parser:"| 'PROXY' @@"`
	Archive    bool                `parser:"| @( 'FROM' 'ARCHIVE' )"`
	At         ast.Expr            `parser:"  ( 'AT' @@ )?"`
	Requisites bool                `parser:"| @( 'WITH' 'REQUISITES' )"`
	Forms      []*formFieldSyntax  `parser:"| 'FORMS' @@ ( ',' @@ )*"`
	Ignore     bool                `parser:"| @( 'IGNORE' 'ROBOTS' )"`
	Private    bool                `parser:"| @( 'ALLOW' 'PRIVATE' )"`
	TrapsOff   bool                `parser:"| 'TRAPS' ( @'OFF'"`
	TrapLimit  lexer.Token         `parser:"  | 'LIMIT' @( Number | Param ) )"`
	For        *textSyntax         `parser:"| 'FOR' @@"`
	Render     *renderSyntax       `parser:"| 'RENDER' @@"`
	Profile    *textSyntax         `parser:"| 'PROFILE' @@"`
	On         *textSyntax         `parser:"| 'ON' @@"`
	Alias      lexer.Token         `parser:"| 'AS' ( @( Ident | Quoted )"`
	AliasText  ast.Expr            `parser:"  | @@ )"`
}

type renderSyntax struct {
	source
	When       ast.Expr    `parser:"( 'WHEN' @@ )?"`
	Browsers   lexer.Token `parser:"( 'WITH' @( Number | Param ) 'BROWSERS' )?"`
	Screenshot bool        `parser:"@'SCREENSHOT'?"`
}

type crawlLimitSyntax struct {
	Pages lexer.Token `parser:"  @( Number | Param ) 'PAGES' | @Number"`
	Other lexer.Token `parser:"| @( Size | Duration )"`
}

type excludeSyntax struct {
	Match lexer.Token  `parser:"  '~' @( String | Param )"`
	Scope *scopeSyntax `parser:"| @@"`
}

func (s *crawlSyntax) tree(b *builder) ast.Statement {
	c := &ast.Crawl{Span: s.span(), Due: s.Due, In: scopes(s.In), Seeds: texts(s.Seeds)}
	if s.Query != nil {
		c.Query = s.Query.tree()
	}
	for _, o := range s.Clauses {
		o.addTo(b, c)
	}
	return c
}

// addTo sets the fields of c that the clause o gives, and reports a fault to b
// if an earlier clause has set them.
func (o *crawlClauseSyntax) addTo(b *builder, c *ast.Crawl) {
	switch {
	case present(o.Depth):
		once(b, o, "DEPTH", &c.Depth, scan.Literal(&o.Depth))
	case o.Limits != nil:
		once(b, o, "LIMIT", &c.Limits, crawlLimits(o.Limits))
	case o.Within != nil:
		once(b, o, "WITHIN", &c.Within, scopes(o.Within))
	case o.Exclude != nil:
		once(b, o, "EXCLUDE", &c.Exclude, exclusions(o.Exclude))
	case o.For != nil:
		once(b, o, "FOR", &c.For, o.For.expr())
	case o.Expand != nil:
		once(b, o, "EXPAND WHERE", &c.Expand, o.Expand)
		c.Through = optionalConstant(o.Through)
	case present(o.Order):
		once(b, o, "ORDER", &c.Order, strings.ToUpper(o.Order.Value))
	case present(o.Workers):
		once(b, o, "WORKERS", &c.Workers, scan.Literal(&o.Workers))
	case present(o.Delay):
		once(b, o, "DELAY", &c.Delay, scan.Literal(&o.Delay))
	case present(o.Rate):
		once(b, o, "RATE", &c.Rate, scan.Literal(&o.Rate))
	case o.Proxy != nil:
		once(b, o, "PROXY", &c.Proxy, o.Proxy.expr())
	case o.Agent != nil:
		once(b, o, "AGENT", &c.Agent, o.Agent.expr())
	case o.Requisites:
		once(b, o, "WITH REQUISITES", &c.Requisites, true)
	case o.Forms != nil:
		once(b, o, "FORMS", &c.Forms, formFields(b, o.Forms))
	case o.Ignore:
		once(b, o, "IGNORE ROBOTS", &c.IgnoreRobots, true)
	case o.Private:
		once(b, o, "ALLOW PRIVATE", &c.AllowPrivate, true)
	case o.TrapsOff, present(o.TrapLimit):
		b.twice(o, "TRAPS", c.TrapsOff || c.TrapLimit != nil)
		c.TrapsOff, c.TrapLimit = o.TrapsOff, optionalConstant(o.TrapLimit)
	case o.Archive:
		once(b, o, "FROM ARCHIVE", &c.FromArchive, true)
		c.Time = o.At
	case o.Render != nil:
		r := o.Render
		once(b, o, "RENDER", &c.Render, &ast.CrawlRender{When: r.When, Browsers: optionalConstant(r.Browsers), Screenshot: r.Screenshot})
	case o.Profile != nil:
		once(b, o, "PROFILE", &c.Profile, o.Profile.expr())
	case o.On != nil:
		once(b, o, "ON", &c.On, o.On.expr())
	case o.AliasText != nil:
		b.twice(o, "AS", c.Alias != nil)
		once(b, o, "AS", &c.AliasText, o.AliasText)
	default:
		b.twice(o, "AS", c.AliasText != nil)
		once(b, o, "AS", &c.Alias, optionalName(o.Alias))
	}
}

func crawlLimits(list []*crawlLimitSyntax) (limits []ast.CrawlLimit) {
	for _, l := range list {
		if present(l.Pages) {
			limits = append(limits, ast.CrawlLimit{Pages: true, N: scan.Literal(&l.Pages)})
		} else {
			limits = append(limits, ast.CrawlLimit{N: scan.Literal(&l.Other)})
		}
	}
	return limits
}

func exclusions(list []*excludeSyntax) (out []ast.Exclusion) {
	for _, x := range list {
		if x.Scope != nil {
			out = append(out, ast.Exclusion{Scope: scopes([]*scopeSyntax{x.Scope})[0]})
		} else {
			out = append(out, ast.Exclusion{Match: scan.Text(&x.Match)})
		}
	}
	return out
}

var orderStatement = of[orderSyntax]("PAUSE CRAWL, RESUME CRAWL, STOP CRAWL, SET WORKERS, SET DELAY, RESET DELAY, EXCLUDE, INCLUDE", topic{"PAUSE CRAWL", `
(PAUSE | RESUME | STOP) CRAWL name
`}, topic{"SET WORKERS", `
SET WORKERS n FOR CRAWL name
n = 10 | $name
`}, topic{"SET DELAY", `
SET DELAY (7d | $name) FOR CRAWL name [IN scope]
RESET DELAY FOR CRAWL name [IN scope]
` + helpScope}, topic{"EXCLUDE", `
EXCLUDE (scope | ~ 'text'), … FROM CRAWL name
INCLUDE (scope | ~ 'text'), … IN CRAWL name
` + helpScope}).timeFirst()

type orderSyntax struct {
	source
	Deed    lexer.Token      `parser:"( @( 'PAUSE' | 'RESUME' | 'STOP' ) 'CRAWL'"`
	Name    lexer.Token      `parser:"  @( Ident | Quoted )" names:"crawl"`
	Workers lexer.Token      `parser:"| 'SET' 'WORKERS' @( Number | Param )"`
	For     lexer.Token      `parser:"  'FOR' 'CRAWL' @( Ident | Quoted )" names:"crawl"`
	Delay   *delaySyntax     `parser:"| @@"`
	Exclude []*excludeSyntax `parser:"| 'EXCLUDE' @@ ( ',' @@ )*"`
	From    lexer.Token      `parser:"  'FROM' 'CRAWL' @( Ident | Quoted )" names:"crawl"`
	Include []*excludeSyntax `parser:"| 'INCLUDE' @@ ( ',' @@ )*"`
	Into    lexer.Token      `parser:"  'IN' 'CRAWL' @( Ident | Quoted ) )" names:"crawl"`
}

type delaySyntax struct {
	Delay lexer.Token  `parser:"( 'SET' 'DELAY' @( Duration | Param )"`
	Reset bool         `parser:"| @( 'RESET' 'DELAY' ) )"`
	Name  lexer.Token  `parser:"'FOR' 'CRAWL' @( Ident | Quoted )" names:"crawl"`
	In    *scopeSyntax `parser:"( 'IN' @@ )?"`
}

func (s *orderSyntax) tree(*builder) ast.Statement {
	o := &ast.OrderCrawl{Span: s.span()}
	switch {
	case present(s.Workers):
		o.Deed, o.Workers, o.Name = ast.CrawlWorkers, scan.Literal(&s.Workers), scan.Name(&s.For)
		return o
	case s.Delay != nil:
		o.Deed, o.Name = ast.CrawlResetDelay, scan.Name(&s.Delay.Name)
		if !s.Delay.Reset {
			o.Deed, o.Delay = ast.CrawlDelay, scan.Literal(&s.Delay.Delay)
		}
		if s.Delay.In != nil {
			o.In = &scopes([]*scopeSyntax{s.Delay.In})[0]
		}
		return o
	case s.Exclude != nil:
		o.Deed, o.URLs, o.Name = ast.CrawlExclude, exclusions(s.Exclude), scan.Name(&s.From)
		return o
	case s.Include != nil:
		o.Deed, o.URLs, o.Name = ast.CrawlInclude, exclusions(s.Include), scan.Name(&s.Into)
		return o
	case scan.IsWord(&s.Deed, "PAUSE"):
		o.Deed = ast.CrawlPause
	case scan.IsWord(&s.Deed, "RESUME"):
		o.Deed = ast.CrawlResume
	default:
		o.Deed = ast.CrawlStop
	}
	o.Name = scan.Name(&s.Name)
	return o
}

var addStatement = of[addSyntax]("ADD", topic{"ADD", `
ADD url, … TO CRAWL name [FORCE]
url = 'text' | $name
`})

type addSyntax struct {
	source
	URLs  []*textSyntax `parser:"'ADD' @@ ( ',' @@ )* 'TO' 'CRAWL'"`
	Name  lexer.Token   `parser:"@( Ident | Quoted )" names:"crawl"`
	Force bool          `parser:"@'FORCE'?"`
}

func (s *addSyntax) tree(*builder) ast.Statement {
	return &ast.AddToCrawl{Span: s.span(), URLs: texts(s.URLs), Name: scan.Name(&s.Name), Force: s.Force}
}

var traceStatement = of[traceSyntax]("TRACE", topic{"TRACE", `
TRACE url
url = 'text' | $name
`})

type traceSyntax struct {
	source
	URL *textSyntax `parser:"'TRACE' @@"`
}

func (s *traceSyntax) tree(*builder) ast.Statement {
	return &ast.Trace{Span: s.span(), URL: s.URL.expr()}
}
