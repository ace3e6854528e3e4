package ast

// Schedule is SCHEDULE name (EVERY d | CRON 's' | ADAPTIVE [BUDGET n PER d]) AS
// statement. Exactly one of Every, Cron and Adaptive is set.
type Schedule struct {
	Span
	Name      Name
	Every     Expr // *Duration or *Param, or nil
	Cron      Expr // *String or *Param, or nil
	Adaptive  bool
	Budget    Expr      // visits per Per, of ADAPTIVE: *Number or *Param; nil if absent
	Per       Expr      // *Duration or *Param; nil if Budget is nil
	Statement Statement // what the schedule runs
}

func (*Schedule) statement() {}

func (s *Schedule) String() string { return text(s) }

func (s *Schedule) print(p *printer) {
	p.WriteString("SCHEDULE ")
	p.name(&s.Name)
	p.clause(" EVERY ", s.Every)
	p.clause(" CRON ", s.Cron)
	if s.Adaptive {
		p.WriteString(" ADAPTIVE")
		p.clause(" BUDGET ", s.Budget)
		p.clause(" PER ", s.Per)
	}
	p.WriteString(" AS ")
	s.Statement.print(p)
}

func (s *Schedule) children(l nodes) nodes {
	return append(l.exprs(s.Every, s.Cron, s.Budget, s.Per), s.Statement)
}

// Unschedule is UNSCHEDULE name.
type Unschedule struct {
	Span
	Name Name
}

func (*Unschedule) statement() {}

func (s *Unschedule) String() string { return text(s) }

func (s *Unschedule) print(p *printer) {
	p.WriteString("UNSCHEDULE ")
	p.name(&s.Name)
}

func (*Unschedule) children(l nodes) nodes { return l }

// RunSchedule is RUN SCHEDULE name.
type RunSchedule struct {
	Span
	Name Name
}

func (*RunSchedule) statement() {}

func (s *RunSchedule) String() string { return text(s) }

func (s *RunSchedule) print(p *printer) {
	p.WriteString("RUN SCHEDULE ")
	p.name(&s.Name)
}

func (*RunSchedule) children(l nodes) nodes { return l }
