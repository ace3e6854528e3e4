package ast

// Delete is the statement DELETE FROM scope, … [range] [WHERE expr] [REASON
// 's'] [FOREVER [BY DIGEST]]. It deletes captures from the archive. With FOREVER
// they stay out of it.
type Delete struct {
	Span
	Scopes   []Scope
	Range    *TimeRange // nil means all times
	Where    Expr       // nil means all captures
	Reason   Expr       // *String or *Param; nil if absent
	Forever  bool
	ByDigest bool // only with Forever
}

func (*Delete) statement() {}

func (s *Delete) String() string { return text(s) }

func (s *Delete) print(p *printer) {
	p.WriteString("DELETE FROM ")
	p.scopes(s.Scopes)
	p.time(&TimeClause{Range: s.Range})
	p.clause(" WHERE ", s.Where)
	p.clause(" REASON ", s.Reason)
	p.flag(" FOREVER", s.Forever)
	p.flag(" BY DIGEST", s.ByDigest)
}

func (s *Delete) children(l nodes) nodes {
	return l.scopes(s.Scopes).time(&TimeClause{Range: s.Range}).exprs(s.Where, s.Reason)
}

// Allow is the statement ALLOW (scope, … | ENTRY n, …). It lifts URLs or whole
// entries from the block-list.
type Allow struct {
	Span
	Scopes  []Scope
	Entries []Expr // *Number or *Param; nil if there are Scopes
}

func (*Allow) statement() {}

func (s *Allow) String() string { return text(s) }

func (s *Allow) print(p *printer) {
	p.WriteString("ALLOW ")
	if s.Entries != nil {
		p.WriteString("ENTRY ")
		p.list(s.Entries)
		return
	}
	p.scopes(s.Scopes)
}

func (s *Allow) children(l nodes) nodes { return l.scopes(s.Scopes).exprs(s.Entries...) }
