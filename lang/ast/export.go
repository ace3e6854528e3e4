package ast

// Export is the statement EXPORT (query) TO file [FORMAT f] [FOLLOW [CRAWL name]]. It
// writes the rows of a query to a file.
type Export struct {
	Span
	Query  *Query
	To     Expr  // *String or *Param
	Format *Name // nil means that the extension of the file's name decides
	Follow *Follow
}

func (*Export) statement() {}

func (s *Export) String() string { return text(s) }

func (s *Export) print(p *printer) {
	p.WriteString("EXPORT ")
	p.bracketed(s.Query)
	p.clause(" TO ", s.To)
	p.nameAfter(" FORMAT ", s.Format)
	if s.Follow != nil {
		p.WriteString(" FOLLOW")
		p.nameAfter(" CRAWL ", s.Follow.Crawl)
	}
}

func (s *Export) children(l nodes) nodes { return append(l, s.Query).exprs(s.To) }

// Follow is the clause FOLLOW [CRAWL name] of EXPORT: after the captures that are there, the
// statement writes those that come in later.
type Follow struct {
	Span
	Crawl *Name // the crawl at whose end the statement ends; nil means that it goes on
}
