package ast

// Dedup is the statement DEDUP, followed by the clauses that the fields name.
// It groups pages or blocks with nearly the same text, or images that look the same.
type Dedup struct {
	Span
	Scopes     []Scope
	Time       TimeClause
	Of         string // "pages", "blocks", "images", or "" if absent
	Method     string // "minhash", "simhash", "keywords", "containment", or "" if absent
	Distance   Expr   // *Number or *Param; nil if absent
	Similarity Expr   // *Number or *Param; nil if absent
}

func (*Dedup) statement() {}

func (s *Dedup) String() string { return text(s) }

func (s *Dedup) print(p *printer) {
	p.WriteString("DEDUP")
	p.scopesAfter(" IN ", s.Scopes)
	p.time(&s.Time)
	p.wordAfter(" OF ", s.Of)
	p.wordAfter(" METHOD ", s.Method)
	p.clause(" DISTANCE ", s.Distance)
	p.clause(" SIMILARITY ", s.Similarity)
}

func (s *Dedup) children(l nodes) nodes {
	return l.scopes(s.Scopes).time(&s.Time).exprs(s.Distance, s.Similarity)
}
