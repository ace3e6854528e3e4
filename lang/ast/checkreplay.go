package ast

// CheckReplay is the statement CHECK REPLAY, followed by the clauses that the fields
// name. It opens pages in replay and compares them with what the crawl saw.
type CheckReplay struct {
	Span
	Scopes []Scope
	Time   TimeClause
}

func (*CheckReplay) statement() {}

func (s *CheckReplay) String() string { return text(s) }

func (s *CheckReplay) print(p *printer) {
	p.WriteString("CHECK REPLAY")
	p.scopesAfter(" IN ", s.Scopes)
	p.time(&s.Time)
}

func (s *CheckReplay) children(l nodes) nodes { return l.scopes(s.Scopes).time(&s.Time) }
