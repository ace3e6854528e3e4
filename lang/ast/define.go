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

// RuleAction says what a rule does with captures when they are served.
type RuleAction uint8

// The actions of a RULE.
const (
	RuleBlock   RuleAction = iota // BLOCK why: a page is refused, with the reason
	RuleExclude                   // EXCLUDE: as if it had never been captured
	RuleEmbargo                   // EMBARGO d: captures younger than d are as if they did not exist yet
)

// Rule is the statement RULE name ON scope, … [range] (BLOCK 's' | EXCLUDE |
// EMBARGO d). It says which captures --serve and --mcp do not show.
type Rule struct {
	Span
	Name   Name
	Scopes []Scope
	Range  *TimeRange // nil means all times
	Action RuleAction
	Reason Expr // *String, of RuleBlock; otherwise nil
	Age    Expr // *Duration, of RuleEmbargo; otherwise nil
}

func (*Rule) statement() {}

func (s *Rule) String() string { return text(s) }

func (s *Rule) print(p *printer) {
	p.WriteString("RULE ")
	p.name(&s.Name)
	p.WriteString(" ON ")
	p.scopes(s.Scopes)
	p.time(&TimeClause{Range: s.Range})
	switch s.Action {
	case RuleBlock:
		p.clause(" BLOCK ", s.Reason)
	case RuleExclude:
		p.WriteString(" EXCLUDE")
	case RuleEmbargo:
		p.clause(" EMBARGO ", s.Age)
	}
}

func (s *Rule) children(l nodes) nodes {
	return l.scopes(s.Scopes).time(&TimeClause{Range: s.Range}).exprs(s.Reason, s.Age)
}

// DropRule is the statement DROP RULE name. It removes a rule.
type DropRule struct {
	Span
	Name Name
}

func (*DropRule) statement() {}

func (s *DropRule) String() string { return text(s) }

func (s *DropRule) print(p *printer) {
	p.WriteString("DROP RULE ")
	p.name(&s.Name)
}

func (*DropRule) children(l nodes) nodes { return l }
