package ast

// Watch is the statement WATCH name EVERY d [FROM START] AS query [KEY (column,
// …)] [THEN statement]. It stores a query that the daemon then runs repeatedly,
// and a statement that runs after new rows came.
type Watch struct {
	Span
	Name      Name
	Every     Expr // *Duration or *Param
	FromStart bool // the rows of the first run count as new
	Query     *Query
	Key       []Name    // the columns that say whether a row is new; nil means all
	Then      Statement // nil if absent
}

func (*Watch) statement() {}

func (s *Watch) String() string { return text(s) }

func (s *Watch) print(p *printer) {
	p.WriteString("WATCH ")
	p.name(&s.Name)
	p.clause(" EVERY ", s.Every)
	if s.FromStart {
		p.WriteString(" FROM START")
	}
	p.WriteString(" AS ")
	s.Query.print(p)
	if s.Key != nil {
		p.WriteString(" KEY (")
		p.commas(len(s.Key), func(i int) { p.name(&s.Key[i]) })
		p.WriteByte(')')
	}
	if s.Then != nil {
		p.WriteString(" THEN ")
		s.Then.print(p)
	}
}

func (s *Watch) children(l nodes) nodes {
	l = append(l.exprs(s.Every), s.Query)
	if s.Then != nil {
		l = append(l, s.Then)
	}
	return l
}

// Unwatch is the statement UNWATCH name. It removes a watch and its rows.
type Unwatch struct {
	Span
	Name Name
}

func (*Unwatch) statement() {}

func (s *Unwatch) String() string { return text(s) }

func (s *Unwatch) print(p *printer) {
	p.WriteString("UNWATCH ")
	p.name(&s.Name)
}

func (*Unwatch) children(l nodes) nodes { return l }

// RunWatch is the statement RUN WATCH name. It runs a watch now.
type RunWatch struct {
	Span
	Name Name
}

func (*RunWatch) statement() {}

func (s *RunWatch) String() string { return text(s) }

func (s *RunWatch) print(p *printer) {
	p.WriteString("RUN WATCH ")
	p.name(&s.Name)
}

func (*RunWatch) children(l nodes) nodes { return l }
