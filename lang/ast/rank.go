package ast

import "strings"

// PageRank is the statement PAGERANK [name], followed by the clauses that the
// fields name. It computes a ranking of pages or hosts by their links, and
// keeps the ranking under the name.
type PageRank struct {
	Span
	Name       *Name   // name of the ranking; nil if absent
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

func (*PageRank) statement() {}

func (s *PageRank) String() string { return text(s) }

func (s *PageRank) print(p *printer) {
	p.WriteString("PAGERANK")
	p.nameAfter(" ", s.Name)
	p.scopesAfter(" OVER ", s.Scopes)
	p.overGraph(s.Graph)
	p.time(&s.Time)
	p.clause(" DAMPING ", s.Damping)
	p.clause(" TOLERANCE ", s.Tolerance)
	p.clause(" ITERATIONS ", s.Iterations)
	p.wordAfter(" NORM ", s.Norm)
	if s.Seeds != nil {
		p.WriteString(" SEEDS ")
		p.list(s.Seeds)
	}
	p.wordAfter(" WITHOUT ", strings.Join(s.Without, ", "))
	p.wordAfter(" BY ", s.By)
	p.flag(" WARM", s.Warm)
}

func (s *PageRank) children(l nodes) nodes {
	return l.scopes(s.Scopes).time(&s.Time).exprs(s.Damping, s.Tolerance, s.Iterations).exprs(s.Seeds...)
}

// Withouts lists the words that may follow WITHOUT in PAGERANK: the kinds of
// links to leave out.
var Withouts = []string{"internal", "nofollow", "nav"}

// HITS is the statement HITS [name], followed by the clauses that the fields
// name. It computes how good pages are as hubs and as authorities, and keeps
// this ranking under the name.
type HITS struct {
	Span
	Name       *Name   // name of the ranking; nil if absent
	Words      Expr    // the words after FOR, a *String or *Param; nil if absent
	Scopes     []Scope // OVER scope, …
	Graph      *Name   // OVER GRAPH; nil if absent
	Time       TimeClause
	Variant    string // such as "kleinberg", or "" if absent
	Keep       Expr   // *Number or *Param; nil if absent
	Iterations Expr   // *Number or *Param; nil if absent
	Weight     string // "arc", or "" if absent
	Within     string // "domain", "host", or "" if absent
	Stop       []Expr // the hosts of WITHOUT HOST; *String or *Param
}

func (*HITS) statement() {}

func (s *HITS) String() string { return text(s) }

func (s *HITS) print(p *printer) {
	p.WriteString("HITS")
	p.nameAfter(" ", s.Name)
	p.clause(" FOR ", s.Words)
	p.scopesAfter(" OVER ", s.Scopes)
	p.overGraph(s.Graph)
	p.time(&s.Time)
	p.wordAfter(" VARIANT ", s.Variant)
	p.clause(" KEEP ", s.Keep)
	p.clause(" ITERATIONS ", s.Iterations)
	p.wordAfter(" WEIGHT ", s.Weight)
	p.wordAfter(" WITHIN ", s.Within)
	if s.Stop != nil {
		p.WriteString(" WITHOUT HOST ")
		p.list(s.Stop)
	}
}

func (s *HITS) children(l nodes) nodes {
	return l.exprs(s.Words).scopes(s.Scopes).time(&s.Time).exprs(s.Keep, s.Iterations).exprs(s.Stop...)
}

// ExplainRank is the statement EXPLAIN RANK 'url' [IN name] [KNOWN AT t]. It shows from
// which links the rank of a page comes.
type ExplainRank struct {
	Span
	URL   Expr  // *String or *Param
	Name  *Name // name of the ranking; nil if absent
	Known Expr  // the time after KNOWN AT; nil if absent
}

func (*ExplainRank) statement() {}

func (s *ExplainRank) String() string { return text(s) }

func (s *ExplainRank) print(p *printer) {
	p.clause("EXPLAIN RANK ", s.URL)
	p.nameAfter(" IN ", s.Name)
	p.known(s.Known)
}

func (s *ExplainRank) children(l nodes) nodes { return l.exprs(s.URL, s.Known) }
