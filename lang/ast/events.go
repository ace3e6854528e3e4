package ast

// Events is the statement EVENTS [name], followed by the clauses that the fields name. It
// finds events in the new texts of pages, and keeps them under the name.
type Events struct {
	Span
	Name     *Name   // name of the ranking of events; nil if absent
	Scopes   []Scope // IN scope, …
	Time     TimeClause
	About    Expr   // the words after ABOUT, a *String or *Param; nil if absent
	By       string // "hour", "day", "week", "month", or "" if absent
	Language Expr   // a *String or *Param; nil if absent
	Of       string // "articles", "headlines", or "" if absent
}

func (*Events) statement() {}

func (s *Events) String() string { return text(s) }

func (s *Events) print(p *printer) {
	p.WriteString("EVENTS")
	p.nameAfter(" ", s.Name)
	p.scopesAfter(" IN ", s.Scopes)
	p.time(&s.Time)
	p.clause(" ABOUT ", s.About)
	p.wordAfter(" BY ", s.By)
	p.clause(" LANGUAGE ", s.Language)
	p.wordAfter(" OF ", s.Of)
}

func (s *Events) children(l nodes) nodes {
	return l.scopes(s.Scopes).time(&s.Time).exprs(s.About, s.Language)
}

// DropEvents is the statement DROP EVENTS name. It removes a ranking of events that EVENTS
// has made.
type DropEvents struct {
	Span
	Name Name
}

func (*DropEvents) statement() {}

func (s *DropEvents) String() string { return text(s) }

func (s *DropEvents) print(p *printer) {
	p.WriteString("DROP EVENTS ")
	p.name(&s.Name)
}

func (*DropEvents) children(l nodes) nodes { return l }

// TraceEvent is the statement TRACE EVENT 'words' [IN scope, …] [time]. It shows what was
// written about an event, in the order of time.
type TraceEvent struct {
	Span
	Words  Expr // *String or *Param
	Scopes []Scope
	Time   TimeClause
}

func (*TraceEvent) statement() {}

func (s *TraceEvent) String() string { return text(s) }

func (s *TraceEvent) print(p *printer) {
	p.clause("TRACE EVENT ", s.Words)
	p.scopesAfter(" IN ", s.Scopes)
	p.time(&s.Time)
}

func (s *TraceEvent) children(l nodes) nodes {
	return l.exprs(s.Words).scopes(s.Scopes).time(&s.Time)
}
