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

// Unschedule is UNSCHEDULE name.
type Unschedule struct {
	Span
	Name Name
}

// RunSchedule is RUN SCHEDULE name.
type RunSchedule struct {
	Span
	Name Name
}

func (*Schedule) statement()    {}
func (*Unschedule) statement()  {}
func (*RunSchedule) statement() {}

func (s *Schedule) String() string    { return statementString(s) }
func (s *Unschedule) String() string  { return statementString(s) }
func (s *RunSchedule) String() string { return statementString(s) }

func (p *printer) schedule(s *Schedule) {
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
	p.statement(s.Statement)
}
