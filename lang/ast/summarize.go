package ast

// Summarize is the statement SUMMARIZE (query | source). It shows the type, the
// least and greatest value and more of each column. A source is read as SELECT *
// FROM it.
type Summarize struct {
	Span
	Query *Query
}

func (*Summarize) statement() {}

func (s *Summarize) String() string { return text(s) }

func (s *Summarize) print(p *printer) {
	p.WriteString("SUMMARIZE ")
	s.Query.print(p)
}

func (s *Summarize) children(l nodes) nodes { return append(l, s.Query) }
