package ast

// Delete is the statement DELETE FROM scope, … [range] [WHERE expr] [REASON
// 's']. It deletes captures from the archive.
type Delete struct {
	Span
	Scopes []Scope
	Range  *TimeRange // nil means all times
	Where  Expr       // nil means all captures
	Reason Expr       // *String or *Param; nil if absent
}

func (*Delete) statement() {}

func (s *Delete) String() string { return text(s) }

func (s *Delete) print(p *printer) {
	p.WriteString("DELETE FROM ")
	p.scopes(s.Scopes)
	p.time(&TimeClause{Range: s.Range})
	p.clause(" WHERE ", s.Where)
	p.clause(" REASON ", s.Reason)
}

func (s *Delete) children(l nodes) nodes {
	return l.scopes(s.Scopes).time(&TimeClause{Range: s.Range}).exprs(s.Where, s.Reason)
}
