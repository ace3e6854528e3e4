package ast

// ExportProvenance is the statement EXPORT PROVENANCE OF (query) TO file. It writes the
// rows of a query to a file, with the captures that each row comes from.
type ExportProvenance struct {
	Span
	Query *Query
	To    Expr // the name of the file
}

func (*ExportProvenance) statement() {}

func (s *ExportProvenance) String() string { return text(s) }

func (s *ExportProvenance) print(p *printer) {
	p.WriteString("EXPORT PROVENANCE OF ")
	p.bracketed(s.Query)
	p.clause(" TO ", s.To)
}

func (s *ExportProvenance) children(l nodes) nodes { return append(l, s.Query).exprs(s.To) }
