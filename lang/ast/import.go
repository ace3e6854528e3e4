package ast

// Import is the statement IMPORT 'glob', … [FORMAT f] [BASE 'url'] [AT t] [AS
// name]. It reads files into the archive.
type Import struct {
	Span
	Paths  []Expr // *String or *Param, one or more
	Format *Name  // nil means that the format is detected
	Base   Expr   // *String or *Param; nil if absent
	Time   Expr   // nil if absent
	Alias  *Name  // nil if absent
}

func (*Import) statement() {}

func (s *Import) String() string { return text(s) }

func (s *Import) print(p *printer) {
	p.WriteString("IMPORT ")
	p.list(s.Paths)
	p.nameAfter(" FORMAT ", s.Format)
	p.clause(" BASE ", s.Base)
	p.clause(" AT ", s.Time)
	p.alias(s.Alias)
}

func (s *Import) children(l nodes) nodes { return l.exprs(s.Paths...).exprs(s.Base, s.Time) }
