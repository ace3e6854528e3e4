package ast

// Set is the statement SET name = value, which changes a setting, or SET $name
// = value, which gives a parameter its value.
type Set struct {
	Span
	Name  Name
	Param bool // the statement is SET $name
	Value Expr // a constant, or a *Column for a word without quotes, such as on
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

// Reset is the statement RESET name. It gives a setting its default value
// again.
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
