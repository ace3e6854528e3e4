package grammar

import (
	"slices"

	"github.com/alecthomas/participle/v2/lexer"

	"infomall/lang/ast"
	"infomall/lang/scan"
)

var pageRankStatement = of[pageRankSyntax]("PAGERANK", topic{"PAGERANK", `
PAGERANK [name] [OVER scope, … | OVER GRAPH name] [time]
    [DAMPING n] [TOLERANCE n] [ITERATIONS n] [NORM (1 | N)]
    [SEEDS url, …] [WITHOUT what, …] [BY (PAGE | HOST)] [WARM]
` + helpTime + `n = 0.85 | 100 | $name
url = 'text' | $name
what = internal | nofollow | nav
`})

type pageRankSyntax struct {
	source
	Name    lexer.Token             `parser:"'PAGERANK' ( @Quoted | (?! 'OVER' | 'AT' | 'NEAREST' | 'FIRST' | 'LATEST' | 'EACH' | 'SINCE' | 'UNTIL' | 'DURING' | 'DAMPING' | 'TOLERANCE' | 'ITERATIONS' | 'NORM' | 'SEEDS' | 'WITHOUT' | 'WARM' | 'KNOWN' ) @Ident )?"`
	Clauses []*pageRankClauseSyntax `parser:"@@*"`
}

type pageRankClauseSyntax struct {
	source
	Graph      lexer.Token    `parser:"  'OVER' 'GRAPH' @( Ident | Quoted )" names:"graph"`
	Scopes     []*scopeSyntax `parser:"| 'OVER' @@ ( ',' @@ )*"`
	Damping    lexer.Token    `parser:"| 'DAMPING' @( Number | Param )"`
	Tolerance  lexer.Token    `parser:"| 'TOLERANCE' @( Number | Param )"`
	Iterations lexer.Token    `parser:"| 'ITERATIONS' @( Number | Param )"`
	Norm       lexer.Token    `parser:"| 'NORM' @( Number | 'N' )"`
	Seeds      []*textSyntax  `parser:"| 'SEEDS' @@ ( ',' @@ )*"`
	Without    []string       `parser:"| 'WITHOUT' @( 'INTERNAL' | 'NOFOLLOW' | 'NAV' ) ( ',' @( 'INTERNAL' | 'NOFOLLOW' | 'NAV' ) )*"`
	By         string         `parser:"| 'BY' @( 'PAGE' | 'HOST' )"`
	Warm       bool           `parser:"| @'WARM'"`
	Time       timeSyntax     `parser:"| @@"`
}

func (s *pageRankSyntax) tree(b *builder) ast.Statement {
	p := &ast.PageRank{Span: s.span(), Name: optionalName(s.Name)}
	for _, c := range s.Clauses {
		c.addTo(b, p)
	}
	return p
}

// addTo sets the fields of p that the clause c gives, and reports a fault to b
// if an earlier clause has set them.
func (c *pageRankClauseSyntax) addTo(b *builder, p *ast.PageRank) {
	switch {
	case present(c.Graph), c.Scopes != nil:
		b.twice(c, "OVER", p.Graph != nil || p.Scopes != nil)
		p.Graph, p.Scopes = optionalName(c.Graph), scopes(c.Scopes)
	case present(c.Damping):
		once(b, c, "DAMPING", &p.Damping, scan.Literal(&c.Damping))
	case present(c.Tolerance):
		once(b, c, "TOLERANCE", &p.Tolerance, scan.Literal(&c.Tolerance))
	case present(c.Iterations):
		once(b, c, "ITERATIONS", &p.Iterations, scan.Literal(&c.Iterations))
	case present(c.Norm):
		already := p.Norm != ""
		if p.Norm = scan.Upper(c.Norm.Value); p.Norm != "1" && p.Norm != "N" {
			b.fail(scan.SpanOf(&c.Norm), "no norm "+p.Norm, "NORM 1 is ranks whose sum is 1, NORM N ranks whose sum is the number of nodes")
		}
		b.twice(c, "NORM", already)
	case c.Seeds != nil:
		once(b, c, "SEEDS", &p.Seeds, texts(c.Seeds))
	case c.Without != nil:
		once(b, c, "WITHOUT", &p.Without, withouts(c.Without))
	case c.By != "":
		once(b, c, "BY", &p.By, scan.Lower(c.By))
	case c.Warm:
		once(b, c, "WARM", &p.Warm, true)
	default:
		b.addTime(c, &p.Time, c.Time)
	}
}

// withouts returns the words in list, the words after WITHOUT, in lower case:
// each word once, in the order of ast.Withouts.
func withouts(list []string) []string {
	var out []string
	for _, w := range ast.Withouts {
		if slices.ContainsFunc(list, func(l string) bool { return scan.Lower(l) == w }) {
			out = append(out, w)
		}
	}
	return out
}

var hitsStatement = of[hitsSyntax]("HITS", topic{"HITS", `
HITS [name] (FOR words [OVER scope, …] | OVER scope, … | OVER GRAPH name)
    [time] [VARIANT variant] [KEEP n] [ITERATIONS n] [WEIGHT ARC]
    [WITHIN (DOMAIN | HOST)] [WITHOUT HOST host, …]
words = 'text' | $name
` + helpTime + `variant = kleinberg | hub_averaging | hub_threshold
  | authority_threshold | full_threshold | symmetric
n = 10 | $name
host = 'text' | $name
`}).timeFirst()

type hitsSyntax struct {
	source
	Name    lexer.Token         `parser:"'HITS' ( @Quoted | (?! 'FOR' | 'OVER' | 'AT' | 'NEAREST' | 'FIRST' | 'LATEST' | 'EACH' | 'SINCE' | 'UNTIL' | 'DURING' | 'VARIANT' | 'KEEP' | 'ITERATIONS' | 'WEIGHT' | 'WITHOUT' | 'KNOWN' ) @Ident )?"`
	Clauses []*hitsClauseSyntax `parser:"@@*"`
}

type hitsClauseSyntax struct {
	source
	Words      *textSyntax    `parser:"  'FOR' @@"`
	Graph      lexer.Token    `parser:"| 'OVER' 'GRAPH' @( Ident | Quoted )" names:"graph"`
	Scopes     []*scopeSyntax `parser:"| 'OVER' @@ ( ',' @@ )*"`
	Variant    string         `parser:"| 'VARIANT' @( 'KLEINBERG' | 'HUB_AVERAGING' | 'HUB_THRESHOLD' | 'AUTHORITY_THRESHOLD' | 'FULL_THRESHOLD' | 'SYMMETRIC' )"`
	Keep       lexer.Token    `parser:"| 'KEEP' @( Number | Param )"`
	Iterations lexer.Token    `parser:"| 'ITERATIONS' @( Number | Param )"`
	Weight     string         `parser:"| 'WEIGHT' @'ARC'"`
	Within     string         `parser:"| 'WITHIN' @( 'DOMAIN' | 'HOST' )"`
	Stop       []*textSyntax  `parser:"| 'WITHOUT' 'HOST' @@ ( ',' @@ )*"`
	Time       timeSyntax     `parser:"| @@"`
}

func (s *hitsSyntax) tree(b *builder) ast.Statement {
	h := &ast.HITS{Span: s.span(), Name: optionalName(s.Name)}
	for _, c := range s.Clauses {
		c.addTo(b, h)
	}
	if h.Words == nil && h.Scopes == nil && h.Graph == nil {
		b.fail(h.Span, "HITS of what?", "write HITS FOR 'words', or HITS OVER 'scope'; '*' is everything")
	}
	return h
}

// addTo sets the fields of h that the clause c gives, and reports a fault to b
// if an earlier clause has set them.
func (c *hitsClauseSyntax) addTo(b *builder, h *ast.HITS) {
	switch {
	case c.Words != nil:
		once(b, c, "FOR", &h.Words, c.Words.expr())
	case present(c.Graph), c.Scopes != nil:
		b.twice(c, "OVER", h.Graph != nil || h.Scopes != nil)
		h.Graph, h.Scopes = optionalName(c.Graph), scopes(c.Scopes)
	case c.Variant != "":
		once(b, c, "VARIANT", &h.Variant, scan.Lower(c.Variant))
	case present(c.Keep):
		once(b, c, "KEEP", &h.Keep, scan.Literal(&c.Keep))
	case present(c.Iterations):
		once(b, c, "ITERATIONS", &h.Iterations, scan.Literal(&c.Iterations))
	case c.Weight != "":
		once(b, c, "WEIGHT", &h.Weight, scan.Lower(c.Weight))
	case c.Within != "":
		once(b, c, "WITHIN", &h.Within, scan.Lower(c.Within))
	case c.Stop != nil:
		once(b, c, "WITHOUT HOST", &h.Stop, texts(c.Stop))
	default:
		b.addTime(c, &h.Time, c.Time)
	}
}

var explainRankStatement = of[explainRankSyntax]("EXPLAIN RANK", topic{"EXPLAIN RANK", `
EXPLAIN RANK url [IN name] [KNOWN AT t]
url = 'text' | $name
` + helpT}).notBelow("EXPLAIN", "SCHEDULE", "WATCH").timeFirst()

type explainRankSyntax struct {
	source
	URL  lexer.Token `parser:"'EXPLAIN' 'RANK' @( String | Param )"`
	Name lexer.Token `parser:"( 'IN' @( Ident | Quoted ) )?" names:"ranking"`
	// Known is the time after KNOWN AT.
	Known moment `parser:"( 'KNOWN' 'AT' @@ )?"`
}

func (s *explainRankSyntax) tree(*builder) ast.Statement {
	x := &ast.ExplainRank{Span: s.span(), URL: scan.Text(&s.URL), Name: optionalName(s.Name)}
	if s.Known != nil {
		x.Known = s.Known
	}
	return x
}
