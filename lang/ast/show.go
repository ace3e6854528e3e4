package ast

// Show is the statement SHOW list. The list is a fixed word such as POOLS or
// SETTINGS.
type Show struct {
	Span
	What Name // the word, in lower case
}

func (*Show) statement() {}

func (s *Show) String() string { return text(s) }

func (s *Show) print(p *printer) {
	p.words("SHOW ", upper(s.What.Text))
}

func (*Show) children(l nodes) nodes { return l }

// Describe is the statement DESCRIBE name. It describes the relation, view,
// function or setting of that name.
type Describe struct {
	Span
	Name Name
}

func (*Describe) statement() {}

func (s *Describe) String() string { return text(s) }

func (s *Describe) print(p *printer) {
	p.WriteString("DESCRIBE ")
	p.name(&s.Name)
}

func (*Describe) children(l nodes) nodes { return l }

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

// Explain is the statement EXPLAIN [ANALYZE] statement. It shows what the inner
// statement would do. With ANALYZE it runs a query and shows what the query
// read.
type Explain struct {
	Span
	Analyze   bool
	Statement Statement
}

func (*Explain) statement() {}

func (s *Explain) String() string { return text(s) }

func (s *Explain) print(p *printer) {
	p.WriteString("EXPLAIN ")
	p.flag("ANALYZE ", s.Analyze)
	s.Statement.print(p)
}

func (s *Explain) children(l nodes) nodes { return append(l, s.Statement) }

// Help is the statement HELP [topic]. It shows the syntax of statements.
type Help struct {
	Span
	Topic string // in upper case, with single spaces, such as CREATE VIEW; "" if absent
}

func (*Help) statement() {}

func (s *Help) String() string { return text(s) }

func (s *Help) print(p *printer) {
	p.WriteString("HELP")
	p.wordAfter(" ", s.Topic)
}

func (*Help) children(l nodes) nodes { return l }
