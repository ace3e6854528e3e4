package ast

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
