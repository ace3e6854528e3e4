package ast

// Save is the statement SAVE name [(parameter, …)] AS query. It stores a query,
// which RUN can then run.
type Save struct {
	Span
	Name   Name
	Params []Name
	Query  *Query
}

func (*Save) statement() {}

func (s *Save) String() string { return text(s) }

func (s *Save) print(p *printer) {
	p.WriteString("SAVE ")
	p.name(&s.Name)
	if len(s.Params) > 0 {
		p.WriteString(" (")
		p.commas(len(s.Params), func(i int) { p.paramName(&s.Params[i]) })
		p.WriteByte(')')
	}
	p.WriteString(" AS ")
	s.Query.print(p)
}

func (s *Save) children(l nodes) nodes { return append(l, s.Query) }

// paramName writes the name n of a parameter. A reserved word needs no quotes
// there.
func (p *printer) paramName(n *Name) {
	if !n.Quoted && isReserved(n.Text) {
		p.WriteString(n.Text)
		return
	}
	p.name(n)
}

// Run is the statement RUN (name | 'file') [(parameter = value, …)] [KNOWN AT t]. It runs a
// saved query or a script.
type Run struct {
	Span
	Name *Name // name of a saved query; nil if File is set
	File Expr  // *String or *Param; nil if Name is set
	Args []Arg
	// Known is the time after KNOWN AT; nil if absent.
	Known Expr
}

func (*Run) statement() {}

func (s *Run) String() string { return text(s) }

func (s *Run) print(p *printer) {
	p.nameAfter("RUN ", s.Name)
	p.clause("RUN ", s.File)
	if len(s.Args) > 0 {
		p.WriteString(" (")
		p.commas(len(s.Args), func(i int) { s.Args[i].print(p) })
		p.WriteByte(')')
	}
	p.known(s.Known)
}

func (s *Run) children(l nodes) nodes {
	l = l.exprs(s.File)
	for i := range s.Args {
		l = append(l, &s.Args[i])
	}
	return l.exprs(s.Known)
}

// Arg is one argument of RUN: parameter = value.
type Arg struct {
	Span
	Name  Name
	Value Expr // a constant, or a *Column for a word without quotes
}

func (a *Arg) String() string { return text(a) }

func (a *Arg) print(p *printer) {
	p.paramName(&a.Name)
	p.WriteString(" = ")
	p.setValue(a.Value)
}

func (a *Arg) children(l nodes) nodes { return l.exprs(a.Value) }
