package ast

import "strings"

// PageRank is PAGERANK [name] with its clauses.
type PageRank struct {
	Span
	Name       *Name   // nil if absent
	Scopes     []Scope // OVER scope, …
	Graph      *Name   // OVER GRAPH; nil if absent
	Time       TimeClause
	Damping    Expr // these are *Number or *Param, or nil
	Tolerance  Expr
	Iterations Expr
	Norm       string   // "1", "N", or "" if absent
	Seeds      []Expr   // *String or *Param
	Without    []string // of Withouts, in their order
	By         string   // "page", "host", or "" if absent
	Warm       bool
}

// Withouts are the words of WITHOUT.
var Withouts = []string{"internal", "nofollow", "nav"}

// HITS is HITS [name] with its clauses.
type HITS struct {
	Span
	Name       *Name   // nil if absent
	Words      Expr    // FOR; *String or *Param, or nil
	Scopes     []Scope // OVER scope, …
	Graph      *Name   // OVER GRAPH; nil if absent
	Time       TimeClause
	Variant    string // of HITSVariants, or "" if absent
	Keep       Expr   // these are *Number or *Param, or nil
	Iterations Expr
	Weight     string // "arc", or "" if absent
	Within     string // "domain", "host", or "" if absent
	Stop       []Expr // hosts that are left out; *String or *Param
}

// HITSVariants are the words of VARIANT.
var HITSVariants = []string{"kleinberg", "hub_averaging", "hub_threshold", "authority_threshold", "full_threshold", "symmetric"}

// ExplainRank is EXPLAIN RANK 'url' [IN name].
type ExplainRank struct {
	Span
	URL  Expr  // *String or *Param
	Name *Name // nil if absent
}

// ShowPath is SHOW PATH 'a' TO 'b' [AT t] [OVER GRAPH g].
type ShowPath struct {
	Span
	From, To Expr  // *String or *Param
	Time     Expr  // nil: the latest
	Graph    *Name // nil if absent
}

// DropGraph is DROP GRAPH name.
type DropGraph struct {
	Span
	Name Name
}

func (*DropGraph) statement()       {}
func (s *DropGraph) String() string { return statementString(s) }

// overGraph writes OVER GRAPH, if there is a graph.
func (p *printer) overGraph(g *Name) {
	if g != nil {
		p.WriteString(" OVER GRAPH ")
		p.name(g)
	}
}

// Dedup is DEDUP with its clauses.
type Dedup struct {
	Span
	Scopes     []Scope
	Time       TimeClause
	Of         string // "pages", "blocks", or "" if absent
	Method     string // "minhash", "simhash", "keywords", "containment", or "" if absent
	Distance   Expr   // these are *Number or *Param, or nil
	Similarity Expr
}

func (*Dedup) statement()       {}
func (s *Dedup) String() string { return statementString(s) }

func (p *printer) dedup(s *Dedup) {
	p.WriteString("DEDUP")
	if s.Scopes != nil {
		p.WriteString(" IN ")
		p.scopes(s.Scopes)
	}
	p.time(&s.Time)
	if s.Of != "" {
		p.words(" OF ", s.Of)
	}
	if s.Method != "" {
		p.words(" METHOD ", s.Method)
	}
	p.clause(" DISTANCE ", s.Distance)
	p.clause(" SIMILARITY ", s.Similarity)
}

func (*HITS) statement()       {}
func (s *HITS) String() string { return statementString(s) }

func (p *printer) hits(s *HITS) {
	p.WriteString("HITS")
	p.statementName(s.Name)
	p.clause(" FOR ", s.Words)
	if s.Scopes != nil {
		p.WriteString(" OVER ")
		p.scopes(s.Scopes)
	}
	p.overGraph(s.Graph)
	p.time(&s.Time)
	if s.Variant != "" {
		p.words(" VARIANT ", s.Variant)
	}
	p.clause(" KEEP ", s.Keep)
	p.clause(" ITERATIONS ", s.Iterations)
	if s.Weight != "" {
		p.words(" WEIGHT ", s.Weight)
	}
	if s.Within != "" {
		p.words(" WITHIN ", s.Within)
	}
	if s.Stop != nil {
		p.WriteString(" WITHOUT HOST ")
		p.list(s.Stop)
	}
}

func (*PageRank) statement()    {}
func (*ShowPath) statement()    {}
func (*ExplainRank) statement() {}

func (s *ShowPath) String() string    { return statementString(s) }
func (s *PageRank) String() string    { return statementString(s) }
func (s *ExplainRank) String() string { return statementString(s) }

// statementName writes the name of a result behind a blank, if there is one.
func (p *printer) statementName(n *Name) {
	if n != nil {
		p.WriteByte(' ')
		p.name(n)
	}
}

func (p *printer) pageRank(s *PageRank) {
	p.WriteString("PAGERANK")
	p.statementName(s.Name)
	if s.Scopes != nil {
		p.WriteString(" OVER ")
		p.scopes(s.Scopes)
	}
	p.overGraph(s.Graph)
	p.time(&s.Time)
	p.clause(" DAMPING ", s.Damping)
	p.clause(" TOLERANCE ", s.Tolerance)
	p.clause(" ITERATIONS ", s.Iterations)
	if s.Norm != "" {
		p.words(" NORM ", s.Norm)
	}
	if s.Seeds != nil {
		p.WriteString(" SEEDS ")
		p.list(s.Seeds)
	}
	if s.Without != nil {
		p.words(" WITHOUT ", strings.Join(s.Without, ", "))
	}
	if s.By != "" {
		p.words(" BY ", s.By)
	}
	if s.Warm {
		p.WriteString(" WARM")
	}
}
