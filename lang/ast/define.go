package ast

// CreateView is the statement CREATE [OR REPLACE] VIEW name AS query. It gives
// a query a name under which other queries can read its rows.
type CreateView struct {
	Span
	Replace bool
	Name    Name
	Query   *Query
}

func (*CreateView) statement() {}

func (s *CreateView) String() string { return text(s) }

func (s *CreateView) print(p *printer) {
	p.create(s.Replace, "VIEW ", &s.Name)
	p.WriteString(" AS ")
	s.Query.print(p)
}

func (s *CreateView) children(l nodes) nodes { return append(l, s.Query) }

// create writes CREATE, or CREATE OR REPLACE if the flag replace is set. Then
// it writes the kind of thing to create (the parameter what, such as "VIEW ")
// and its name.
func (p *printer) create(replace bool, what string, name *Name) {
	p.WriteString("CREATE ")
	p.flag("OR REPLACE ", replace)
	p.WriteString(what)
	p.name(name)
}

// MetadataOn says whether a metadata column has one value per page, per version
// or per block.
type MetadataOn uint8

// The words after ON in CREATE METADATA.
const (
	OnPage    MetadataOn = iota // page: one value per page
	OnVersion                   // version: one value per version
	OnBlock                     // block: one value per block of a page
)

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

// CreateMetadata is the statement CREATE [OR REPLACE] METADATA name ON (page |
// version | block) AS expr. It defines a column of that name whose values expr
// computes.
type CreateMetadata struct {
	Span
	Replace bool
	Name    Name
	On      MetadataOn
	Expr    Expr
}

func (*CreateMetadata) statement() {}

func (s *CreateMetadata) String() string { return text(s) }

func (s *CreateMetadata) print(p *printer) {
	p.create(s.Replace, "METADATA ", &s.Name)
	p.words(" ON ", s.On.String())
	p.clause(" AS ", s.Expr)
}

func (s *CreateMetadata) children(l nodes) nodes { return l.exprs(s.Expr) }

// DropView is the statement DROP VIEW name. It removes a view.
type DropView struct {
	Span
	Name Name
}

func (*DropView) statement() {}

func (s *DropView) String() string { return text(s) }

func (s *DropView) print(p *printer) {
	p.WriteString("DROP VIEW ")
	p.name(&s.Name)
}

func (*DropView) children(l nodes) nodes { return l }

// DropMetadata is the statement DROP METADATA name. It removes a metadata
// column.
type DropMetadata struct {
	Span
	Name Name
}

func (*DropMetadata) statement() {}

func (s *DropMetadata) String() string { return text(s) }

func (s *DropMetadata) print(p *printer) {
	p.WriteString("DROP METADATA ")
	p.name(&s.Name)
}

func (*DropMetadata) children(l nodes) nodes { return l }
