package ast

// Export is the statement EXPORT (query) TO file [FORMAT f]. It writes the rows
// of a query to a file.
type Export struct {
	Span
	Query  *Query
	To     Expr  // *String or *Param
	Format *Name // nil means that the extension of the file's name decides
}

func (*Export) statement() {}

func (s *Export) String() string { return text(s) }

func (s *Export) print(p *printer) {
	p.WriteString("EXPORT ")
	p.bracketed(s.Query)
	p.clause(" TO ", s.To)
	p.nameAfter(" FORMAT ", s.Format)
}

func (s *Export) children(l nodes) nodes { return append(l, s.Query).exprs(s.To) }
