package ast

// ShowPath is the statement SHOW PATH 'a' TO 'b' [AT t | DURING t AND t] [KNOWN AT t]
// [OVER GRAPH g]. It shows a shortest path of links between two URLs, or with DURING a
// path of links that existed one after the other.
type ShowPath struct {
	Span
	From, To Expr       // *String or *Param
	Time     Expr       // the time of AT; nil means the latest links, unless During is set
	During   *TimeRange // of RangeDuring; nil if absent
	Known    Expr       // the time after KNOWN AT; nil if absent
	Graph    *Name      // nil if absent
}

func (*ShowPath) statement() {}

func (s *ShowPath) String() string { return text(s) }

func (s *ShowPath) print(p *printer) {
	p.clause("SHOW PATH ", s.From)
	p.clause(" TO ", s.To)
	p.clause(" AT ", s.Time)
	if s.During != nil {
		p.WriteByte(' ')
		s.During.print(p)
	}
	p.known(s.Known)
	p.overGraph(s.Graph)
}

func (s *ShowPath) children(l nodes) nodes {
	l = l.exprs(s.From, s.To, s.Time)
	if s.During != nil {
		l = append(l, s.During)
	}
	return l.exprs(s.Known)
}

// DropGraph is the statement DROP GRAPH name. It removes a graph that IMPORT …
// FORMAT graph has made.
type DropGraph struct {
	Span
	Name Name
}

func (*DropGraph) statement() {}

func (s *DropGraph) String() string { return text(s) }

func (s *DropGraph) print(p *printer) {
	p.WriteString("DROP GRAPH ")
	p.name(&s.Name)
}

func (*DropGraph) children(l nodes) nodes { return l }
