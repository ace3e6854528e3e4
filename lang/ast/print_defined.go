package ast

// This file prints the statements that define something by a name, and RUN,
// which runs a saved query by its name.

func (p *printer) createView(s *CreateView) {
	p.create(s.Replace, "VIEW ", &s.Name)
	p.WriteString(" AS ")
	p.query(s.Query)
}

func (p *printer) createMetadata(s *CreateMetadata) {
	p.create(s.Replace, "METADATA ", &s.Name)
	p.words(" ON ", s.On.String())
	p.clause(" AS ", s.Expr)
}

func (p *printer) create(replace bool, what string, name *Name) {
	p.WriteString("CREATE ")
	if replace {
		p.WriteString("OR REPLACE ")
	}
	p.WriteString(what)
	p.name(name)
}

func (p *printer) save(s *Save) {
	p.WriteString("SAVE ")
	p.name(&s.Name)
	if len(s.Params) > 0 {
		p.WriteString(" (")
		p.commas(len(s.Params), func(i int) { p.name(&s.Params[i]) })
		p.WriteByte(')')
	}
	p.WriteString(" AS ")
	p.query(s.Query)
}

func (p *printer) run(s *Run) {
	p.WriteString("RUN ")
	if s.Name != nil {
		p.name(s.Name)
	} else {
		p.expr(s.File)
	}
	if len(s.Args) > 0 {
		p.WriteString(" (")
		p.commas(len(s.Args), func(i int) { p.arg(&s.Args[i]) })
		p.WriteByte(')')
	}
}

func (p *printer) arg(a *Arg) {
	p.name(&a.Name)
	p.WriteString(" = ")
	p.setValue(a.Value)
}

// String returns the word after ON in CREATE METADATA: page, version or block.
func (o MetadataOn) String() string {
	switch o {
	case OnPage:
		return "page"
	case OnVersion:
		return "version"
	}
	return "block"
}

func (s *CreateView) String() string     { return statementString(s) }
func (s *CreateMetadata) String() string { return statementString(s) }
func (s *DropView) String() string       { return statementString(s) }
func (s *DropMetadata) String() string   { return statementString(s) }
func (s *Save) String() string           { return statementString(s) }
func (s *Run) String() string            { return statementString(s) }
func (a *Arg) String() string            { return printed(func(p *printer) { p.arg(a) }) }
