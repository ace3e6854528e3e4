package ast

import "strings"

// PageRank is PAGERANK [name], followed by the clauses that the fields name.
type PageRank struct {
	Span
	Name       *Name   // of the ranking; nil if absent
	Scopes     []Scope // OVER scope, …
	Graph      *Name   // OVER GRAPH; nil if absent
	Time       TimeClause
	Damping    Expr     // *Number or *Param; nil if absent
	Tolerance  Expr     // *Number or *Param; nil if absent
	Iterations Expr     // *Number or *Param; nil if absent
	Norm       string   // "1", "N", or "" if absent
	Seeds      []Expr   // *String or *Param
	Without    []string // words of Withouts, in the order of that list
	By         string   // "page", "host", or "" if absent
	Warm       bool     // start with the ranks of the last computation
}

// Withouts lists the words that WITHOUT takes in PAGERANK.
var Withouts = []string{"internal", "nofollow", "nav"}

// HITS is HITS [name], followed by the clauses that the fields name.
type HITS struct {
	Span
	Name       *Name   // of the ranking; nil if absent
	Words      Expr    // of FOR, a *String or *Param; nil if absent
	Scopes     []Scope // OVER scope, …
	Graph      *Name   // OVER GRAPH; nil if absent
	Time       TimeClause
	Variant    string // one of HITSVariants, or "" if absent
	Keep       Expr   // *Number or *Param; nil if absent
	Iterations Expr   // *Number or *Param; nil if absent
	Weight     string // "arc", or "" if absent
	Within     string // "domain", "host", or "" if absent
	Stop       []Expr // the hosts of WITHOUT HOST; *String or *Param
}

// HITSVariants lists the words that VARIANT takes in HITS.
var HITSVariants = []string{"kleinberg", "hub_averaging", "hub_threshold", "authority_threshold", "full_threshold", "symmetric"}

// ExplainRank is EXPLAIN RANK 'url' [IN name]. It shows which links the rank of a page
// comes from.
type ExplainRank struct {
	Span
	URL  Expr  // *String or *Param
	Name *Name // of the ranking; nil if absent
}

// ShowPath is SHOW PATH 'a' TO 'b' [AT t] [OVER GRAPH g]. It shows a shortest path of
// links.
type ShowPath struct {
	Span
	From, To Expr  // *String or *Param
	Time     Expr  // nil means the latest links
	Graph    *Name // nil if absent
}

// DropGraph is DROP GRAPH name. The graph is one that IMPORT … FORMAT graph made.
type DropGraph struct {
	Span
	Name Name
}

func (*DropGraph) statement()       {}
func (s *DropGraph) String() string { return statementString(s) }

// overGraph writes OVER GRAPH g after a space. It writes nothing if g is nil.
func (p *printer) overGraph(g *Name) {
	if g != nil {
		p.WriteString(" OVER GRAPH ")
		p.name(g)
	}
}

// Dedup is DEDUP, followed by the clauses that the fields name. DEDUP groups pages
// or blocks with nearly the same text.
type Dedup struct {
	Span
	Scopes     []Scope
	Time       TimeClause
	Of         string // "pages", "blocks", or "" if absent
	Method     string // "minhash", "simhash", "keywords", "containment", or "" if absent
	Distance   Expr   // *Number or *Param; nil if absent
	Similarity Expr   // *Number or *Param; nil if absent
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

// statementName writes n, the name of a ranking, after a space. It writes nothing
// if n is nil.
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
