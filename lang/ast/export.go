package ast

// Export is the statement EXPORT (query) TO file [PARTITION BY expr [AS name], …] [FORMAT f]
// [FOLLOW [CRAWL name]]. It writes the rows of a query to a file, or to the files of a
// folder.
type Export struct {
	Span
	Query       *Query
	To          Expr   // *String or *Param
	PartitionBy []Item // columns and expressions of the query's columns; none if absent
	Format      *Name  // nil means that the extension of the file's name decides
	Follow      *Follow
}

func (*Export) statement() {}

func (s *Export) String() string { return text(s) }

func (s *Export) print(p *printer) {
	p.WriteString("EXPORT ")
	p.bracketed(s.Query)
	p.clause(" TO ", s.To)
	if len(s.PartitionBy) > 0 {
		p.WriteString(" PARTITION BY ")
		p.commas(len(s.PartitionBy), func(i int) { s.PartitionBy[i].print(p) })
	}
	p.nameAfter(" FORMAT ", s.Format)
	if s.Follow != nil {
		p.WriteString(" FOLLOW")
		p.nameAfter(" CRAWL ", s.Follow.Crawl)
	}
}

func (s *Export) children(l nodes) nodes {
	l = append(l, s.Query).exprs(s.To)
	for i := range s.PartitionBy {
		l = append(l, &s.PartitionBy[i])
	}
	return l
}

// Follow is the clause FOLLOW [CRAWL name] of EXPORT: after the captures that the archive has, the
// statement writes the captures that come in later.
type Follow struct {
	Span
	Crawl *Name // the statement ends when this crawl ends; nil means that it does not end by itself
}
