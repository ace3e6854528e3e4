package ast

// Schedule is the statement SCHEDULE name (EVERY d | CRON 's' | ADAPTIVE
// [BUDGET n PER d] | AFTER IMPORT) AS statement. It stores a statement that the
// daemon then runs repeatedly. Exactly one of Every, Cron, Adaptive and AfterImport
// is set.
type Schedule struct {
	Span
	Name        Name
	Every       Expr // *Duration or *Param, or nil
	Cron        Expr // *String or *Param, or nil
	Adaptive    bool
	AfterImport bool      // the statement runs after captures were added
	Budget      Expr      // the n of BUDGET n PER d, *Number or *Param; nil if absent
	Per         Expr      // the d of BUDGET n PER d, *Duration or *Param; nil if Budget is nil
	Statement   Statement // the statement to run
}

func (*Schedule) statement() {}

func (s *Schedule) String() string { return text(s) }

func (s *Schedule) print(p *printer) {
	p.WriteString("SCHEDULE ")
	p.name(&s.Name)
	p.clause(" EVERY ", s.Every)
	p.clause(" CRON ", s.Cron)
	p.flag(" AFTER IMPORT", s.AfterImport)
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

// Unschedule is the statement UNSCHEDULE name. It removes a schedule.
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

// RunSchedule is the statement RUN SCHEDULE name. It runs the statement of a
// schedule now.
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
