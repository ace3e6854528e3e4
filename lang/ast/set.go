package ast

// Set is SET name = value, or SET $name = value for a parameter.
type Set struct {
	Span
	Name  Name
	Param bool // it is SET $name
	Value Expr // a constant, or a *Column if it is a word without quotes, such as on
}

func (*Set) statement() {}

func (s *Set) String() string { return text(s) }

func (s *Set) print(p *printer) {
	p.WriteString("SET ")
	if s.Param {
		p.words("$", s.Name.Text)
	} else {
		p.name(&s.Name)
	}
	p.WriteString(" = ")
	p.setValue(s.Value)
}

func (s *Set) children(l nodes) nodes { return l.exprs(s.Value) }

// setValue writes the value of a setting or a parameter.
func (p *printer) setValue(v Expr) {
	if c, ok := v.(*Column); ok {
		p.WriteString(c.Name.Text) // no quotes, even for a reserved word such as on
		return
	}
	v.print(p)
}

// Reset is RESET name.
type Reset struct {
	Span
	Name Name
}

func (*Reset) statement() {}

func (s *Reset) String() string { return text(s) }

func (s *Reset) print(p *printer) {
	p.WriteString("RESET ")
	p.name(&s.Name)
}

func (*Reset) children(l nodes) nodes { return l }
